// tegula._native.lib._runtime: the C API of the runtime as Python objects. A failing call raises
// RuntimeFailure with the status, its text and the refusal; python/tegula/runtime turns that into
// the public exception classes.
#include "Arguments.h"
#include "Interrupt.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace py = pybind11;
using namespace tegula::bindings;

namespace {

void check(tgr_status status) {
  if (status == TGR_SUCCESS)
    return;
  Failure failure{status, tgr_last_error()};
  if (status == TGR_INVALID_ARGUMENT) {
    const char *argument, *found, *expected;
    tgr_refusal(&argument, &found, &expected);
    failure.refusal = {argument, found, expected};
  }
  throw failure;
}

/// Scratch memory for the launches of one stream, which run one after the other. What was too small
/// is kept: a graph may hold its address.
struct Workspace {
  std::vector<void *> blocks; ///< the last one is used
  uint64_t bytes = 0;         ///< of the last one
};

/// A tgr_device, kept open by everything made from it.
struct Device {
  tgr_device *handle = nullptr;
  bool countsAccesses = false;
  std::mutex launching;                      ///< counts belong to one launch
  std::map<uintptr_t, Workspace> workspaces; ///< by stream
  ~Device() {
    for (auto &[stream, workspace] : workspaces)
      for (void *block : workspace.blocks)
        tgr_free(handle, block);
    tgr_device_close(handle);
  }
};

struct Program {
  std::shared_ptr<Device> device;
  tgr_program *handle = nullptr;
  uint64_t launches = 0;
  tgr_counters executed = {}; ///< by its launches since the last reset
  ~Program() { tgr_program_close(handle); }
};

/// What findings call a range: the arguments that begin in it.
std::string namesIn(const Range &range, const Program &program, const Arguments &arguments) {
  const auto &[first, bytes, writable] = range;
  std::string names;
  bool isOne = true;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const char *name = tgr_program_argument(program.handle, i);
    if (!name || reinterpret_cast<uintptr_t>(arguments.data()[i].data) - first >= bytes)
      continue;
    isOne = names.empty();
    names += (isOne ? "'" : " and '") + std::string(name) + "'";
  }
  return (isOne ? "argument " : "arguments ") + names;
}

/// Host memory made visible to kernels for one launch.
class Registration {
public:
  Registration(const Program &program, const Arguments &arguments)
      : device(program.device->handle) {
    if (!tgr_device_uses_host_memory(device))
      return;
    for (const Range &range : arguments.memory()) {
      const auto &[address, bytes, writable] = range;
      void *pointer = reinterpret_cast<void *>(address);
      require(tgr_register(device, pointer, bytes, writable));
      pointers.push_back(pointer);
      require(tgr_name_memory(device, pointer, namesIn(range, program, arguments).c_str()));
    }
  }
  ~Registration() { release(); }

private:
  void require(tgr_status status) {
    if (status == TGR_SUCCESS)
      return;
    Failure failure{status, tgr_last_error()};
    release();
    throw failure;
  }
  void release() {
    for (void *pointer : pointers)
      tgr_unregister(device, pointer);
    pointers.clear();
  }
  tgr_device *device;
  std::vector<void *> pointers;
};

/// Where Python prints, which notebooks and tests redirect.
void printText(void *, const char *text) {
  py::gil_scoped_acquire held;
  try {
    py::print(text, py::arg("end") = "");
  } catch (py::error_already_set &error) {
    error.discard_as_unraisable("printing what a kernel prints");
  }
}

std::shared_ptr<Device> openDevice(const std::string &name, uint32_t threads, bool sanitizers,
                                   uint64_t seed, uint64_t limit, bool countAccesses) {
  auto device = std::make_shared<Device>();
  tgr_sim_options options = {};
  options.threads = threads;
  options.no_sanitizers = !sanitizers;
  options.random_seed = seed;
  options.max_wave_instructions = limit;
  options.count_accesses = device->countsAccesses = countAccesses;
  check(tgr_device_open(name.c_str(), &options, &device->handle));
  check(tgr_set_print(device->handle, &printText, nullptr));
  return device;
}

std::shared_ptr<Program> createProgram(const std::shared_ptr<Device> &device,
                                       const std::string &record, const py::bytes &object) {
  auto program = std::make_shared<Program>();
  program->device = device;
  std::string_view bytes = object;
  check(tgr_program_create(device->handle, record.c_str(), bytes.data(), bytes.size(),
                           &program->handle));
  return program;
}

std::shared_ptr<Program> openProgram(const std::shared_ptr<Device> &device,
                                     const std::string &path) {
  auto program = std::make_shared<Program>();
  program->device = device;
  check(tgr_program_open(device->handle, path.c_str(), &program->handle));
  return program;
}

py::dict asDict(const tgr_counters &c) {
  py::dict result;
  result["launches"] = c.launches;
  result["workgroups"] = c.workgroups;
  result["waves"] = c.waves;
  result["valu"] = c.valu;
  result["salu"] = c.salu;
  result["mfma"] = c.mfma;
  result["lds"] = c.lds;
  result["vmem"] = c.vmem;
  result["smem"] = c.smem;
  result["other"] = c.other;
  result["total"] = c.total;
  return result;
}

tgr_counters read(const Device &device) {
  tgr_counters counters;
  check(tgr_read_counters(device.handle, &counters));
  return counters;
}

void addDifference(tgr_counters &sum, const tgr_counters &after, const tgr_counters &before) {
  const auto *newer = reinterpret_cast<const uint64_t *>(&after);
  const auto *older = reinterpret_cast<const uint64_t *>(&before);
  auto *total = reinterpret_cast<uint64_t *>(&sum);
  for (size_t i = 0; i < sizeof sum / sizeof *total; ++i)
    total[i] += newer[i] - older[i];
}

/// Memory of at least so many bytes from the device's pool.
void *workspaceOf(Device &device, uint64_t bytes, uintptr_t stream) {
  Workspace &workspace = device.workspaces[stream];
  if (workspace.bytes >= bytes)
    return workspace.blocks.back();
  int capturing = 0;
  check(tgr_stream_is_capturing(device.handle, reinterpret_cast<tgr_stream>(stream), &capturing));
  if (capturing)
    throw Failure{TGR_NOT_WARM, "the workspace has to grow, and a graph is being captured; launch "
                                "once with these arguments before"};
  uint64_t size = std::max(bytes, 2 * workspace.bytes);
  void *block = nullptr;
  check(tgr_malloc(device.handle, size, &block));
  workspace.blocks.push_back(block);
  workspace.bytes = size;
  return block;
}

using Interrupts = Interruptible<tgr_device, tgr_device_interrupt>;

/// Adds what the plan of a launch says it needs.
void addWorkspace(Program &program, Arguments &arguments, uintptr_t stream) {
  tgr_plan plan;
  check(tgr_program_plan(program.handle, arguments.data(), arguments.size(), &plan));
  if (uint64_t bytes = plan.workspace_bytes)
    arguments.addWorkspace(workspaceOf(*program.device, bytes, stream), bytes);
}

/// Returns the report of the launch's memory accesses, "" unless the device counts them.
std::string launch(Program &program, const py::tuple &given, uintptr_t stream) {
  Arguments arguments(given);
  tgr_device *device = program.device->handle;
  tgr_counters before, after;
  std::string report;
  {
    py::gil_scoped_release released;
    std::lock_guard<std::mutex> guard(program.device->launching);
    if (tgr_program_uses_workspace(program.handle))
      addWorkspace(program, arguments, stream);
    Registration registration(program, arguments);
    before = read(*program.device);
    tgr_status status;
    {
      Interrupts interrupts(device);
      status = tgr_program_launch(program.handle, arguments.data(), arguments.size(),
                                  reinterpret_cast<tgr_stream>(stream));
    }
    if (status != TGR_SUCCESS)
      try {
        Interrupts::raisePending();
      } catch (...) { // what stopped is no finding of the next launch
        tgr_clear_findings(device);
        throw;
      }
    check(status);
    after = read(*program.device);
    if (const char *json = nullptr; program.device->countsAccesses) {
      check(tgr_access_report(device, &json));
      report = json;
    }
  }
  ++program.launches;
  addDifference(program.executed, after, before);
  return report;
}

py::dict plan(const Program &program, const py::tuple &given) {
  Arguments arguments(given);
  tgr_plan plan;
  check(tgr_program_plan(program.handle, arguments.data(), arguments.size(), &plan));
  py::dict result;
  result["variant"] = plan.variant;
  result["grid"] = py::make_tuple(plan.grid.x, plan.grid.y, plan.grid.z);
  result["resident"] = plan.resident;
  result["workspace_bytes"] = plan.workspace_bytes;
  result["block"] = py::make_tuple(plan.block.x, plan.block.y, plan.block.z);
  result["kernarg"] = py::bytes(reinterpret_cast<const char *>(plan.kernarg), plan.kernarg_bytes);
  return result;
}

/// The assertion that failed in this thread's last launch.
py::dict failedAssertion() {
  tgr_failure said;
  tgr_failed(&said);
  py::dict result;
  result["kernel"] = said.kernel;
  result["message"] = said.message;
  result["is_bounds"] = said.is_bounds != 0;
  result["workgroup"] = py::make_tuple(said.workgroup[0], said.workgroup[1], said.workgroup[2]);
  py::tuple element(said.rank);
  for (uint32_t d = 0; d < said.rank; ++d)
    element[d] = said.element[d];
  result["element"] = element;
  result["workgroups"] = said.workgroups;
  py::list places;
  for (uint32_t i = 0; i < said.place_count; ++i) {
    const tgr_place &place = said.places[i];
    places.append(
        py::make_tuple(place.file, place.line, place.column, place.end_line, place.end_column));
  }
  result["places"] = places;
  return result;
}

std::string formatRecord(const std::string &site, const std::vector<int64_t> &values) {
  const char *text = "";
  check(tgr_format_record(site.c_str(), values.data(), values.size(), &text));
  return text;
}

bool rowsRepeat(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  return shape.size() == strides.size() &&
         tgr_rows_repeat(uint32_t(shape.size()), shape.data(), strides.data());
}

py::tuple findings(const Device &device) {
  size_t count = 0;
  const char *text = "";
  check(tgr_findings(device.handle, &count, &text));
  return py::make_tuple(count, std::string(text));
}

} // namespace

PYBIND11_MODULE(_runtime, m) {
  Interrupts::mainThread();
  m.doc() = "The Tegula runtime's C API (include/tegula/runtime.h).";
  static py::handle failure =
      PyErr_NewException("tegula._runtime.RuntimeFailure", PyExc_RuntimeError, nullptr);
  m.attr("RuntimeFailure") = failure;
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const Failure &f) {
      PyErr_SetObject(failure.ptr(),
                      py::make_tuple(tgr_status_name(f.status), f.text, f.refusal).ptr());
    }
  });

  py::class_<Device, std::shared_ptr<Device>>(m, "Device")
      .def(py::init(&openDevice), py::arg("name"), py::arg("threads") = 0,
           py::arg("sanitizers") = true, py::arg("seed") = 0, py::arg("limit") = 0,
           py::arg("count_accesses") = false)
      .def_property_readonly("arch", [](const Device &d) { return tgr_device_arch(d.handle); })
      .def_property_readonly("compute_units",
                             [](const Device &d) { return tgr_device_compute_units(d.handle); })
      .def_property_readonly(
          "uses_host_memory",
          [](const Device &d) { return tgr_device_uses_host_memory(d.handle) != 0; })
      .def("program", &createProgram, py::arg("record"), py::arg("code_object"))
      .def("open_program", &openProgram, py::arg("path"))
      .def(
          "workspace_fill",
          [](Device &d, uint8_t byte) {
            for (auto &[stream, workspace] : d.workspaces) {
              std::vector<uint8_t> bytes(workspace.bytes, byte);
              check(tgr_copy_to_device(d.handle, workspace.blocks.back(), bytes.data(),
                                       bytes.size()));
            }
          },
          "Writes all workspaces over, as another kernel may; for tests.")
      .def("findings", &findings)
      .def("clear_findings", [](const Device &d) { check(tgr_clear_findings(d.handle)); })
      .def("counters", [](const Device &d) { return asDict(read(d)); })
      .def("reset_counters", [](const Device &d) { check(tgr_reset_counters(d.handle)); })
      .def("is_capturing",
           [](const Device &d, uintptr_t stream) {
             int capturing = 0;
             check(tgr_stream_is_capturing(d.handle, reinterpret_cast<tgr_stream>(stream),
                                           &capturing));
             return capturing != 0;
           })
      .def("synchronize", [](const Device &d, uintptr_t stream) {
        py::gil_scoped_release released;
        check(tgr_synchronize(d.handle, reinterpret_cast<tgr_stream>(stream)));
      });
  py::class_<Program, std::shared_ptr<Program>>(m, "Program")
      .def("launch", &launch, py::arg("arguments"), py::arg("stream") = 0)
      .def("plan", &plan, py::arg("arguments"))
      .def(
          "read_records",
          [](Program &p, uintptr_t stream) {
            py::gil_scoped_release released;
            check(tgr_program_read_records(p.handle, reinterpret_cast<tgr_stream>(stream)));
          },
          py::arg("stream") = 0, "Prints what replays of a graph have recorded.")
      .def_readonly("launches", &Program::launches)
      .def_property_readonly("executed", [](const Program &p) { return asDict(p.executed); })
      .def("reset", [](Program &p) {
        p.launches = 0;
        p.executed = {};
      });
  m.def("failure", &failedAssertion, "The assertion that failed in this thread's last launch.");
  m.def("format_record", &formatRecord, py::arg("site"), py::arg("values"));
  m.def(
      "address_of",
      [](const py::array &array) { return reinterpret_cast<uintptr_t>(array.data()); },
      py::arg("array"), "Of the first element of a NumPy array; its own attributes are slower.");
  m.def("array_key", &arrayKey, py::arg("array"), py::arg("align"),
        "What a specialisation depends on of a NumPy array.");
  m.def("rows_repeat", &rowsRepeat, py::arg("shape"), py::arg("strides"));
}
