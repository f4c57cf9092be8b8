// Handles of the simulator's C API (include/tegula/sim.h) with Python's ownership: whatever is made
// from a device keeps it open.
#pragma once

#include "Ranges.h"
#include "tegula/sim.h"

#include <pybind11/pybind11.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tegula::binding {

/// A failed call; becomes the Python exception SimFailure(status, text).
struct SimFailure {
  tgs_status status;
  std::string text;
};

struct SimDevice {
  tgs_device *handle = nullptr;
  ~SimDevice() {
    if (handle)
      tgs_close(handle);
  }
  void check(tgs_status status) const {
    if (status != TGS_OK)
      throw SimFailure{status, tgs_last_error(handle)};
  }
};

struct SimModule {
  std::shared_ptr<SimDevice> device;
  tgs_module *handle = nullptr;
  ~SimModule() { tgs_unload(handle); }
};

struct SimKernel {
  std::shared_ptr<SimModule> module;
  tgs_kernel *handle = nullptr;
  const SimDevice &device() const { return *module->device; }
};

using Dim3 = std::tuple<uint32_t, uint32_t, uint32_t>;
using bindings::Bounds;
using Names = std::map<uintptr_t, std::string>; // in reports, by address

inline tgs_dims dims(const Dim3 &d) { return {std::get<0>(d), std::get<1>(d), std::get<2>(d)}; }

/// Text of a code object: anyone's, so not always UTF-8.
inline pybind11::str text(const char *bytes) {
  return pybind11::reinterpret_steal<pybind11::str>(
      PyUnicode_DecodeUTF8(bytes, Py_ssize_t(std::strlen(bytes)), "replace"));
}

/// Host memory made visible to kernels for one launch.
class Registration {
public:
  Registration(const SimDevice &device, const std::vector<Bounds> &bounds, const Names &names)
      : device(device) {
    try {
      for (const auto &[address, bytes, writable] : bindings::merged(bounds)) {
        void *pointer = reinterpret_cast<void *>(address);
        unsigned rights = writable ? TGS_READ | TGS_WRITE : TGS_READ;
        device.check(tgs_register(device.handle, pointer, bytes, rights));
        pointers.push_back(pointer);
        if (auto name = names.find(address); name != names.end())
          device.check(tgs_name_memory(device.handle, pointer, name->second.c_str()));
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Registration() { release(); }
  void release() {
    for (void *pointer : pointers)
      tgs_unregister(device.handle, pointer);
    pointers.clear();
  }

private:
  const SimDevice &device;
  std::vector<void *> pointers;
};

/// The debugger's classes (SimDebug.cpp).
void bindDebugger(pybind11::module_ &);

} // namespace tegula::binding
