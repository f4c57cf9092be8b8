// A launch under a debugger as a Python object; python/tegula/sim/debugger.py gives it its names.
#include "SimObjects.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tegula::binding {

namespace {

/// Owns what the launch uses until it has ended or was abandoned.
class PyDebugger {
public:
  PyDebugger(std::shared_ptr<SimKernel> kernel, const Dim3 &grid, const Dim3 &block, uint32_t lds,
             const py::bytes &kernarg, const std::vector<Bounds> &memory, const Names &names)
      : kernel_(std::move(kernel)), memory_(device(), memory, names) {
    std::string_view bytes = kernarg;
    tgs_dims groups = dims(grid), items = dims(block);
    py::gil_scoped_release released;
    device().check(tgs_debug_start(kernel_->handle, &groups, &items, lds, bytes.data(),
                                   bytes.size(), &debugger_, &event_));
  }
  ~PyDebugger() { close(); }
  PyDebugger(const PyDebugger &) = delete;
  PyDebugger &operator=(const PyDebugger &) = delete;

  void close() {
    if (!debugger_)
      return;
    py::gil_scoped_release released;
    tgs_debug_close(debugger_);
    debugger_ = nullptr;
    memory_.release();
  }

  uint32_t breakAt(int kind, uint64_t pc, const std::string &file, uint32_t line, uint64_t address,
                   uint64_t bytes, uint32_t access, uint64_t workgroup, uint32_t wave, bool once) {
    tgs_breakpoint b{};
    b.kind = tgs_break_kind(kind);
    b.pc = pc;
    b.file = file.c_str();
    b.line = line;
    b.address = address;
    b.bytes = bytes;
    b.access = access;
    b.workgroup = workgroup;
    b.wave = wave;
    b.once = once;
    uint32_t id = 0;
    check(tgs_debug_break(open(), &b, &id));
    return id;
  }
  void remove(uint32_t id) { check(tgs_debug_delete(open(), id)); }
  void stopAtFindings(bool on) { check(tgs_debug_stop_at_findings(open(), on)); }

  void run() {
    tgs_debugger *d = open();
    py::gil_scoped_release released;
    check(tgs_debug_run(d, &event_));
  }
  void step(uint64_t count) {
    tgs_debugger *d = open();
    py::gil_scoped_release released;
    check(tgs_debug_step(d, count, &event_));
  }
  /// To the end; then fails as the launch would have.
  void finish() {
    tgs_debugger *d = open();
    tgs_status status;
    {
      py::gil_scoped_release released;
      while (event_.reason != TGS_EVENT_ENDED)
        check(tgs_debug_run(d, &event_));
      status = event_.status;
    }
    if (counts_)
      readHeat();
    close();
    check(status);
  }
  py::dict event() {
    open();
    py::dict e;
    e["reason"] = int(event_.reason);
    e["breakpoint"] = event_.breakpoint;
    e["workgroup"] = event_.workgroup;
    e["wave"] = event_.wave;
    e["pc"] = event_.pc;
    e["instruction"] = text(event_.instruction);
    e["file"] = text(event_.file);
    e["line"] = event_.line;
    e["address"] = event_.address;
    e["lane"] = event_.lane;
    e["finding"] = text(event_.finding);
    return e;
  }

  py::list waves() {
    py::list all;
    check(tgs_debug_waves(
        open(),
        [](const tgs_wave *w, void *user) {
          static_cast<py::list *>(user)->append(
              py::make_tuple(w->workgroup, w->wave, w->pc, w->state, text(w->instruction),
                             text(w->file), w->line, w->selected != 0));
        },
        &all));
    return all;
  }
  void select(uint64_t workgroup, uint32_t wave) {
    check(tgs_debug_select(open(), workgroup, wave));
  }

  std::vector<uint32_t> registerOf(const std::string &name) {
    std::vector<uint32_t> values(64);
    size_t count = values.size();
    check(tgs_debug_register(open(), name.c_str(), values.data(), &count));
    values.resize(count);
    return values;
  }
  py::bytes lds(uint64_t offset, size_t bytes) {
    return read(bytes, [&](void *out) { return tgs_debug_lds(open(), offset, bytes, out); });
  }
  py::bytes scratch(uint32_t lane, uint64_t offset, size_t bytes) {
    return read(bytes,
                [&](void *out) { return tgs_debug_scratch(open(), lane, offset, bytes, out); });
  }
  py::bytes memory(uint64_t address, size_t bytes) {
    return read(bytes, [&](void *out) { return tgs_debug_memory(open(), address, bytes, out); });
  }

  // The launch's thread writes while Python waits without the lock that it would need to call back.
  void trace(uint64_t workgroup, uint32_t wave) {
    check(tgs_debug_trace(
        open(), workgroup, wave, 1,
        [](const char *line, size_t n, void *user) {
          static_cast<std::string *>(user)->append(line, n);
        },
        &trace_));
  }
  std::string takeTrace() { return std::exchange(trace_, std::string()); }
  void heat(uint64_t bucket) {
    check(tgs_debug_heat(open(), bucket));
    counts_ = true;
  }
  /// Also of a launch that finish() has ended.
  py::list heatmap() {
    if (debugger_ || !counts_) {
      open();
      check(readHeat());
    }
    py::list rows;
    for (const tgs_heat &h : heat_)
      rows.append(py::make_tuple(h.lds != 0, h.base, h.offset, h.reads, h.writes));
    return rows;
  }

private:
  tgs_status readHeat() {
    heat_.clear();
    return tgs_debug_heatmap(
        debugger_,
        [](const tgs_heat *h, void *user) {
          static_cast<std::vector<tgs_heat> *>(user)->push_back(*h);
        },
        &heat_);
  }
  const SimDevice &device() const { return kernel_->device(); }
  void check(tgs_status status) const { device().check(status); }
  tgs_debugger *open() const {
    if (!debugger_)
      throw SimFailure{TGS_ERROR_INVALID_ARGUMENT, "the debugger is closed"};
    return debugger_;
  }
  template <class Read> py::bytes read(size_t bytes, Read read) {
    std::string out(bytes, '\0');
    check(read(out.data()));
    return py::bytes(out);
  }

  std::shared_ptr<SimKernel> kernel_;
  Registration memory_;
  tgs_debugger *debugger_ = nullptr;
  tgs_event event_{};
  std::string trace_;
  bool counts_ = false;
  std::vector<tgs_heat> heat_;
};

} // namespace

void bindDebugger(py::module_ &m) {
  py::class_<PyDebugger>(m, "Debugger")
      .def(py::init<std::shared_ptr<SimKernel>, const Dim3 &, const Dim3 &, uint32_t,
                    const py::bytes &, const std::vector<Bounds> &, const Names &>())
      .def("close", &PyDebugger::close)
      .def("break_at", &PyDebugger::breakAt)
      .def("delete", &PyDebugger::remove)
      .def("stop_at_findings", &PyDebugger::stopAtFindings)
      .def("run", &PyDebugger::run)
      .def("step", &PyDebugger::step)
      .def("finish", &PyDebugger::finish)
      .def("event", &PyDebugger::event)
      .def("waves", &PyDebugger::waves)
      .def("select", &PyDebugger::select)
      .def("register", &PyDebugger::registerOf)
      .def("lds", &PyDebugger::lds)
      .def("scratch", &PyDebugger::scratch)
      .def("memory", &PyDebugger::memory)
      .def("trace", &PyDebugger::trace)
      .def("take_trace", &PyDebugger::takeTrace)
      .def("heat", &PyDebugger::heat)
      .def("heatmap", &PyDebugger::heatmap);
}

} // namespace tegula::binding
