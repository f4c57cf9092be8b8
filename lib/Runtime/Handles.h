// What the C API's handles are, and how its calls end.
#ifndef TEGULA_LIB_RUNTIME_HANDLES_H
#define TEGULA_LIB_RUNTIME_HANDLES_H

#include "Contract.h"
#include "Driver.h"

#include <mutex>
#include <new>
#include <type_traits>
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

/// Ends a call with what its body returns, a Status or what finish() made of one. Nothing throws
/// across the C API.
template <typename Body> tgr_status guarded(Body body) {
  try {
    if constexpr (std::is_same_v<decltype(body()), Status>)
      return finish(body());
    else
      return body();
  } catch (const std::bad_alloc &) {
    return finish(Status::error(TGR_OUT_OF_MEMORY, "out of memory")); // short: it takes none
  } catch (const std::exception &problem) {
    return finish(Status::error(TGR_DRIVER_ERROR, problem.what()));
  }
}

} // namespace tegula::runtime

#endif // TEGULA_LIB_RUNTIME_HANDLES_H
