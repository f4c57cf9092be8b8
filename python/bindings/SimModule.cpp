// tegula._native.lib._sim: the simulator's C API as Python objects. python/tegula/sim packs
// arguments, describes memory and turns SimFailure into the public exception classes.
#include "Interrupt.h"
#include "SimObjects.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <tuple>
#include <vector>

namespace py = pybind11;
using namespace tegula::binding;

namespace {

const char *nameOf(tgs_status status) {
  switch (status) {
  case TGS_OK:
    return "ok";
  case TGS_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case TGS_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case TGS_ERROR_INVALID_OBJECT:
    return "invalid code object";
  case TGS_ERROR_NOT_FOUND:
    return "not found";
  case TGS_ERROR_RESOURCES:
    return "too few resources";
  case TGS_ERROR_FINDINGS:
    return "findings";
  case TGS_ERROR_ABORTED:
    return "aborted";
  case TGS_ERROR_OTHER_TARGET:
    return "code object for another target";
  }
  return "unknown status";
}

std::shared_ptr<SimDevice> openDevice(const std::string &target, uint32_t sanitizers,
                                      uint32_t threads, int schedule, uint64_t seed,
                                      uint64_t instructionLimit, double secondsLimit,
                                      uint32_t maxFindings, bool unorderedThreads, int numerics,
                                      bool transcendentalError, const std::string &suppressions,
                                      bool lateLoads) {
  tgs_config config = {};
  config.target = target.c_str();
  config.sanitizers = sanitizers;
  config.threads = threads;
  config.schedule = tgs_schedule(schedule);
  config.seed = seed;
  config.instruction_limit = instructionLimit;
  config.seconds_limit = secondsLimit;
  config.max_findings = maxFindings;
  config.unordered_threads = unorderedThreads;
  config.numerics = tgs_numerics(numerics);
  config.transcendental_error = transcendentalError;
  config.suppressions = suppressions.c_str();
  config.late_loads = lateLoads;
  auto device = std::make_shared<SimDevice>();
  char message[2048] = "";
  tgs_status status = tgs_open(&config, &device->handle, message, sizeof message);
  if (status != TGS_OK)
    throw SimFailure{status, message};
  return device;
}

std::shared_ptr<SimModule> load(const std::shared_ptr<SimDevice> &device, const py::bytes &object) {
  auto module = std::make_shared<SimModule>();
  module->device = device;
  std::string_view bytes = object;
  device->check(tgs_load(device->handle, bytes.data(), bytes.size(), &module->handle));
  return module;
}

py::list kernelNames(const SimModule &module) {
  py::list names;
  for (size_t i = 0; i < tgs_kernel_count(module.handle); ++i)
    names.append(text(tgs_kernel_name(module.handle, i)));
  return names;
}

std::string disassemble(const SimModule &module) {
  std::string text;
  module.device->check(tgs_disassemble(
      module.handle,
      [](const char *part, size_t length, void *user) {
        static_cast<std::string *>(user)->append(part, length);
      },
      &text));
  return text;
}

std::shared_ptr<SimKernel> findKernel(const std::shared_ptr<SimModule> &module,
                                      const std::string &name) {
  auto kernel = std::make_shared<SimKernel>();
  kernel->module = module;
  module->device->check(tgs_get_kernel(module->handle, name.c_str(), &kernel->handle));
  return kernel;
}

py::dict describe(const SimKernel &kernel) {
  tgs_kernel_info info;
  kernel.device().check(tgs_kernel_get_info(kernel.handle, &info));
  py::dict result;
  result["kernarg_bytes"] = info.kernarg_size;
  result["lds_bytes"] = info.lds_bytes;
  result["scratch_bytes"] = info.scratch_bytes;
  result["vgprs"] = info.vgprs;
  result["agprs"] = info.agprs;
  result["sgprs"] = info.sgprs;
  result["max_workgroup_size"] = info.max_workgroup_size;
  py::list arguments;
  for (size_t i = 0; i < info.argument_count; ++i) {
    const tgs_argument &a = info.arguments[i];
    arguments.append(py::make_tuple(text(a.name), text(a.value_kind), a.offset, a.size));
  }
  result["arguments"] = arguments;
  return result;
}

using Interrupts = tegula::bindings::Interruptible<tgs_device, tgs_interrupt>;

void launch(const SimKernel &kernel, const Dim3 &grid, const Dim3 &block, uint32_t dynamicLds,
            const py::bytes &kernarg, const std::vector<Bounds> &memory, const Names &names) {
  std::string_view arguments = kernarg;
  py::gil_scoped_release released;
  Registration registration(kernel.device(), memory, names);
  tgs_dims groups = dims(grid), items = dims(block);
  tgs_status status;
  {
    Interrupts interrupts(kernel.device().handle);
    status =
        tgs_launch(kernel.handle, &groups, &items, dynamicLds, arguments.data(), arguments.size());
  }
  if (status != TGS_OK)
    Interrupts::raisePending();
  kernel.device().check(status);
}

py::list findings(const SimDevice &device) {
  py::list found;
  device.check(tgs_findings(
      device.handle,
      [](const tgs_finding *f, void *user) {
        py::dict one;
        one["kind"] = f->kind;
        one["severity"] = int(f->severity);
        one["kernel"] = text(f->kernel);
        one["workgroup"] = py::make_tuple(f->workgroup.x, f->workgroup.y, f->workgroup.z);
        one["wave"] = f->wave;
        one["lane_mask"] = f->lanes;
        one["pc"] = f->pc;
        one["instruction"] = text(f->instruction);
        one["file"] = text(f->file);
        one["line"] = f->line;
        one["address"] = f->address;
        one["count"] = f->count;
        one["text"] = text(f->text);
        one["json"] = text(f->json);
        static_cast<py::list *>(user)->append(one);
      },
      &found));
  return found;
}

py::dict stats(const SimDevice &device) {
  tgs_stats s;
  device.check(tgs_get_stats(device.handle, &s));
  py::dict result;
  result["total"] = s.total;
  result["valu"] = s.valu;
  result["salu"] = s.salu;
  result["mfma"] = s.mfma;
  result["lds"] = s.lds;
  result["vmem"] = s.vmem;
  result["smem"] = s.smem;
  result["other"] = s.other;
  result["workgroups"] = s.workgroups;
  result["waves"] = s.waves;
  result["seconds"] = s.seconds;
  result["suppressed"] = s.suppressed;
  result["threads"] = s.threads;
  result["ordered_by"] = s.ordered_by;
  result["uncompared"] = s.uncompared;
  result["numerics"] = s.numerics;
  return result;
}

uintptr_t allocate(const SimDevice &device, size_t bytes, bool defined) {
  void *pointer = nullptr;
  device.check(tgs_malloc(device.handle, bytes, &pointer));
  if (!defined)
    device.check(tgs_mark_defined(device.handle, pointer, bytes, 0));
  return reinterpret_cast<uintptr_t>(pointer);
}

void release(const SimDevice &device, uintptr_t address) {
  device.check(tgs_free(device.handle, reinterpret_cast<void *>(address)));
}

/// (mnemonic, target, encoding) of what devices execute.
py::list instructions() {
  py::list found;
  tgs_instructions(
      [](const tgs_instruction *i, void *user) {
        static_cast<py::list *>(user)->append(py::make_tuple(i->mnemonic, i->target, i->encoding));
      },
      &found);
  return found;
}

} // namespace

PYBIND11_MODULE(_sim, m) {
  Interrupts::mainThread();
  m.doc() = "The simulated device's C API (include/tegula/sim.h).";
  static py::handle failure =
      PyErr_NewException("tegula._sim.SimFailure", PyExc_RuntimeError, nullptr);
  m.attr("SimFailure") = failure;
  m.def("instructions", &instructions);
  m.attr("SANITIZE_ALL") = int(TGS_SANITIZE_ALL);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const SimFailure &f) {
      PyErr_SetObject(failure.ptr(), py::make_tuple(nameOf(f.status), f.text).ptr());
    }
  });

  py::class_<SimDevice, std::shared_ptr<SimDevice>>(m, "Device")
      .def(py::init(&openDevice), py::kw_only(), py::arg("target"), py::arg("sanitizers"),
           py::arg("threads"), py::arg("schedule"), py::arg("seed"), py::arg("instruction_limit"),
           py::arg("seconds_limit"), py::arg("max_findings"), py::arg("unordered_threads"),
           py::arg("numerics"), py::arg("transcendental_error"), py::arg("suppressions"),
           py::arg("late_loads"))
      .def("load", &load)
      .def("findings", &findings)
      .def("clear_findings", [](const SimDevice &d) { d.check(tgs_clear_findings(d.handle)); })
      .def("stats", &stats)
      .def("malloc", &allocate)
      .def("free", &release);
  py::class_<SimModule, std::shared_ptr<SimModule>>(m, "Module")
      .def("kernel_names", &kernelNames)
      .def("disassemble", &disassemble)
      .def("kernel", &findKernel);
  py::class_<SimKernel, std::shared_ptr<SimKernel>>(m, "Kernel")
      .def("describe", &describe)
      .def("launch", &launch);
  bindDebugger(m);
}
