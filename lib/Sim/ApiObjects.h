// What the C API's opaque handles point to.
#pragma once

#include "Sim/Debug/Debugger.h"
#include "tegula/sim.h"
#include <algorithm>
#include <new>
#include <system_error>

struct tgs_kernel {
  tgs_device *device;
  tegula::sim::LoadedKernel *loaded;
  std::vector<tgs_argument> arguments;
};
struct tgs_module {
  tgs_device *device;
  tegula::sim::Module *module;
  std::map<std::string, std::unique_ptr<tgs_kernel>> kernels;
};
struct tgs_debugger {
  tgs_device *device;
  tegula::sim::Module *module; ///< of the kernel
  tegula::sim::Debugger debugger;
  // Strings of the last event.
  std::string instruction, file, finding;
};
struct tgs_device {
  explicit tgs_device(const tegula::sim::Config &config) : device(config) {}
  tegula::sim::Device device;
  std::vector<std::unique_ptr<tgs_module>> modules;
  std::vector<std::unique_ptr<tgs_debugger>> debuggers; ///< all but the last have ended
};

namespace tegula::sim {
tgs_status statusOf(LaunchStatus);
inline tgs_status failure(tgs_device *d, tgs_status status, const std::string &why) {
  d->device.error = why;
  return status;
}
/// What body returns; a status where the host had no more memory or threads for it.
template <typename Body> tgs_status guarded(tgs_device *d, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failure(d, TGS_ERROR_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::system_error &e) {
    return failure(d, TGS_ERROR_OUT_OF_MEMORY, e.what());
  }
}
template <typename T, typename Is> void eraseIf(std::vector<std::unique_ptr<T>> &all, Is is) {
  all.erase(std::remove_if(all.begin(), all.end(), is), all.end());
}
/// A launch under a debugger has stopped in the middle: what it uses must stay.
inline bool isDebugging(const tgs_device *d) {
  return !d->debuggers.empty() && !d->debuggers.back()->debugger.ended();
}
inline tgs_status refuseWhileDebugging(tgs_device *d) {
  return failure(d, TGS_ERROR_INVALID_ARGUMENT,
                 "a debugger holds a launch of this device: end it first");
}
} // namespace tegula::sim
