// tegula._native.lib._runtime: the C API of the runtime as Python objects. A failing call raises
// RuntimeFailure with the status and its text; python/tegula/runtime turns that into the public
// exception classes.
#include "tegula/runtime.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace py = pybind11;

namespace {

struct Failure {
  tgr_status status;
  std::string text;
};

void check(tgr_status status) {
  if (status != TGR_SUCCESS)
    throw Failure{status, tgr_last_error()};
}

/// A tgr_device, kept open by everything made from it.
struct Device {
  tgr_device *handle = nullptr;
  ~Device() { tgr_device_close(handle); }
};

struct Module {
  std::shared_ptr<Device> device;
  tgr_module *handle = nullptr;
  ~Module() { tgr_module_unload(handle); }
};

struct Kernel {
  std::shared_ptr<Module> module;
  tgr_kernel *handle = nullptr;
};

using Dim3 = std::tuple<uint32_t, uint32_t, uint32_t>;
using Range = std::tuple<uintptr_t, size_t, bool>; // address, bytes, writable

tgr_dim3 dim3(const Dim3 &dims) {
  return {std::get<0>(dims), std::get<1>(dims), std::get<2>(dims)};
}

/// Host memory made visible to kernels for one launch.
class Registration {
public:
  Registration(tgr_device *device, const std::vector<Range> &ranges) : device(device) {
    for (const auto &[address, bytes, writable] : ranges) {
      void *pointer = reinterpret_cast<void *>(address);
      tgr_status status = tgr_register(device, pointer, bytes, writable);
      if (status != TGR_SUCCESS) {
        Failure failure{status, tgr_last_error()};
        release();
        throw failure;
      }
      pointers.push_back(pointer);
    }
  }
  ~Registration() { release(); }

private:
  void release() {
    for (void *pointer : pointers)
      tgr_unregister(device, pointer);
    pointers.clear();
  }
  tgr_device *device;
  std::vector<void *> pointers;
};

std::shared_ptr<Device> openDevice(const std::string &name, uint32_t threads, bool sanitizers,
                                   uint64_t seed, uint64_t limit) {
  auto device = std::make_shared<Device>();
  tgr_sim_options options = {};
  options.threads = threads;
  options.no_sanitizers = !sanitizers;
  options.random_seed = seed;
  options.max_wave_instructions = limit;
  check(tgr_device_open(name.c_str(), &options, &device->handle));
  return device;
}

std::shared_ptr<Module> loadModule(const std::shared_ptr<Device> &device, const py::bytes &object) {
  auto module = std::make_shared<Module>();
  module->device = device;
  std::string_view bytes = object;
  check(tgr_module_load(device->handle, bytes.data(), bytes.size(), &module->handle));
  return module;
}

std::shared_ptr<Kernel> findKernel(const std::shared_ptr<Module> &module, const std::string &name) {
  auto kernel = std::make_shared<Kernel>();
  kernel->module = module;
  check(tgr_module_kernel(module->handle, name.c_str(), &kernel->handle));
  return kernel;
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

tgr_counters difference(const tgr_counters &after, const tgr_counters &before) {
  return {after.launches - before.launches, after.workgroups - before.workgroups,
          after.waves - before.waves,       after.valu - before.valu,
          after.salu - before.salu,         after.mfma - before.mfma,
          after.lds - before.lds,           after.vmem - before.vmem,
          after.smem - before.smem,         after.other - before.other,
          after.total - before.total};
}

/// Launches and returns what the device executed meanwhile (zeros on HIP).
py::dict launch(const Kernel &kernel, const Dim3 &grid, const Dim3 &block, uint32_t dynamicLds,
                const py::bytes &kernarg, const std::vector<Range> &memory, uintptr_t stream) {
  std::string_view arguments = kernarg;
  const Device &device = *kernel.module->device;
  tgr_counters before, after;
  {
    py::gil_scoped_release released;
    Registration registration(device.handle, memory);
    before = read(device);
    check(tgr_launch(kernel.handle, dim3(grid), dim3(block), dynamicLds, arguments.data(),
                     arguments.size(), reinterpret_cast<tgr_stream>(stream)));
    after = read(device);
  }
  return asDict(difference(after, before));
}

py::tuple findings(const Device &device) {
  size_t count = 0;
  const char *text = "";
  check(tgr_findings(device.handle, &count, &text));
  return py::make_tuple(count, std::string(text));
}

} // namespace

PYBIND11_MODULE(_runtime, m) {
  m.doc() = "The Tegula runtime's C API (include/tegula/runtime.h).";
  static py::handle failure =
      PyErr_NewException("tegula._runtime.RuntimeFailure", PyExc_RuntimeError, nullptr);
  m.attr("RuntimeFailure") = failure;
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (const Failure &f) {
      PyErr_SetObject(failure.ptr(), py::make_tuple(tgr_status_name(f.status), f.text).ptr());
    }
  });

  py::class_<Device, std::shared_ptr<Device>>(m, "Device")
      .def(py::init(&openDevice), py::arg("name"), py::arg("threads") = 0,
           py::arg("sanitizers") = true, py::arg("seed") = 0, py::arg("limit") = 0)
      .def_property_readonly("arch", [](const Device &d) { return tgr_device_arch(d.handle); })
      .def_property_readonly(
          "uses_host_memory",
          [](const Device &d) { return tgr_device_uses_host_memory(d.handle) != 0; })
      .def("load", &loadModule)
      .def("findings", &findings)
      .def("clear_findings", [](const Device &d) { check(tgr_clear_findings(d.handle)); })
      .def("counters", [](const Device &d) { return asDict(read(d)); })
      .def("reset_counters", [](const Device &d) { check(tgr_reset_counters(d.handle)); })
      .def("synchronize", [](const Device &d, uintptr_t stream) {
        py::gil_scoped_release released;
        check(tgr_synchronize(d.handle, reinterpret_cast<tgr_stream>(stream)));
      });
  py::class_<Module, std::shared_ptr<Module>>(m, "Module").def("kernel", &findKernel);
  py::class_<Kernel, std::shared_ptr<Kernel>>(m, "Kernel")
      .def("launch", &launch, py::arg("grid"), py::arg("block"), py::arg("dynamic_lds"),
           py::arg("kernarg"), py::arg("memory"), py::arg("stream") = 0);
}
