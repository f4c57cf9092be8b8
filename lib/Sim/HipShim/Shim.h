// State behind the HIP entry points: simulated devices, the memory that HIP handed out, live
// handles. HIP's interface is one per process, so this is the one place of the simulator with a
// global.
#pragma once

#include "hip/hip_runtime_api.h"
#include "tegula/sim.h"
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

struct ihipStream_t {
  int device;
  unsigned flags;
  int priority;
};
struct ihipEvent_t {
  unsigned flags;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};
struct ihipModuleSymbol_t {
  tgs_kernel *kernel;
  int device;
};
struct ihipModule_t {
  tgs_module *module;
  int device;
  std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
  std::set<uintptr_t> globals; ///< that hipModuleGetGlobal named
};

namespace tegula::hip {

/// Rows of hipMallocPitch begin at multiples of this; it is HIP's for images of any target.
constexpr size_t kPitchAlignment = 256;

/// Memory that HIP knows.
struct Block {
  enum class Origin {
    Malloc,     ///< hipMalloc: of one device
    Host,       ///< hipHostMalloc, hipMallocManaged: all devices
    Registered, ///< hipHostRegister: the caller's
    Global      ///< a variable of a module
  } origin;
  size_t bytes;
  hipMemoryType type;
  int device; ///< that was current
  unsigned flags = 0;
};

struct Device {
  tgs_device *sim;
  tgs_device_info info;
  size_t used; ///< bytes of hipMalloc
};

/// What the file beside the library says (README.md, "Options").
struct Options {
  std::vector<std::string> targets;
  std::string suppressions;
  tgs_config config{};
};
/// False with a reason; a missing file means the defaults.
bool readOptions(const std::string &path, Options &, std::string &error);

class Shim {
public:
  static Shim &get();

  /// The block that holds [pointer, pointer + bytes) whole, or nullptr.
  const Block *find(const void *pointer, size_t bytes, uintptr_t *start = nullptr) const;
  /// The block that holds the byte at `pointer`.
  const Block *holding(const void *pointer, uintptr_t *start = nullptr) const;
  /// A copy or fill wrote there: what hipMalloc gave is undefined until then, or until a kernel
  /// writes it.
  void written(void *pointer, size_t bytes);
  /// A copy wrote there: of what hipMalloc gave, it is as defined as its source.
  void copied(void *pointer, const void *from, size_t bytes);
  /// Host memory that every device may touch.
  bool shareWithDevices(void *pointer, size_t bytes, unsigned rights);
  void unshare(void *pointer);
  bool isStream(hipStream_t) const;
  /// Gives memory back; the row of `blocks` stays.
  void release(uintptr_t address, const Block &);
  void releaseAll();

  std::mutex mutex; ///< one operation at a time: streams are in order, and so is the host
  bool usable = false;
  std::vector<Device> devices;
  std::map<uintptr_t, Block> blocks; ///< by first byte; disjoint
  std::set<hipStream_t> streams;
  std::set<hipEvent_t> events;
  std::set<hipModule_t> modules;
  std::set<hipFunction_t> functions;

private:
  Shim();
};

int &currentDevice();
/// Keeps the thread's last error; success leaves it.
hipError_t remember(hipError_t);

/// Runs `body` with the state locked, and remembers what it returns.
template <class Body> hipError_t api(Body body) {
  try {
    Shim &shim = Shim::get();
    std::lock_guard<std::mutex> lock(shim.mutex);
    return remember(shim.usable ? body(shim) : hipErrorNoDevice);
  } catch (const std::bad_alloc &) {
    return remember(hipErrorOutOfMemory);
  }
}

} // namespace tegula::hip
