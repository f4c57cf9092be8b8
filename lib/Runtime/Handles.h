// What the C API's handles are, and how its calls end.
#ifndef TEGULA_LIB_RUNTIME_HANDLES_H
#define TEGULA_LIB_RUNTIME_HANDLES_H

#include "Contract.h"
#include "Driver.h"

#include <mutex>
#include <vector>

struct tgr_kernel {
  tgr_device *device;
  tegula::runtime::NativeKernel native;
};

struct tgr_module {
  tgr_device *device;
  tegula::runtime::NativeModule native;
  std::mutex lock; // guards `kernels`: look-ups may come from several threads
  std::vector<std::unique_ptr<tgr_kernel>> kernels;
};

struct tgr_device {
  std::unique_ptr<tegula::runtime::Device> driver;
  tgr_print print = nullptr; ///< null: to stdout
  void *printUser = nullptr;
};

namespace tegula::runtime {

/// Ends a call: keeps the text, and the refusal if it is one, for the calling thread.
tgr_status finish(Status status, Refusal refusal = {});
const Refusal &lastRefusal();

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_HANDLES_H
