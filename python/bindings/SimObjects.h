// Handles of the simulator's C API (include/tegula/sim.h) with Python's ownership: whatever is made
// from a device keeps it open.
#pragma once

#include "tegula/sim.h"

#include <memory>
#include <string>

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

} // namespace tegula::binding
