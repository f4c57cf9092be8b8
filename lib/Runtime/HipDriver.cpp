// The driver of real devices: HIP's module API, loaded with dlopen, so that no ROCm package is
// needed to build.
#include "Driver.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tegula::runtime {
namespace {

// The few declarations of HIP's stable C ABI that a launch needs (hip_runtime_api.h).
using HipError = int;
constexpr HipError hipSuccess = 0, hipErrorOutOfMemory = 2, hipErrorNoBinaryForGpu = 209,
                   hipErrorInvalidImage = 200, hipErrorNotFound = 500, hipErrorSharedObject = 303;
constexpr int hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2;
constexpr int hipStreamCaptureStatusNone = 0, hipStreamCaptureModeRelaxed = 2;
void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
void *const launchParamBufferSize = reinterpret_cast<void *>(2);
void *const launchParamEnd = reinterpret_cast<void *>(3);

struct HipApi {
  std::shared_ptr<Library> library;
  HipError (*getDeviceCount)(int *);
  HipError (*setDevice)(int);
  HipError (*getDevice)(int *);
  HipError (*malloc)(void **, size_t);
  HipError (*free)(void *);
  HipError (*memcpy)(void *, const void *, size_t, int);
  HipError (*memsetAsync)(void *, int, size_t, void *);
  HipError (*moduleLoadData)(void **, const void *);
  HipError (*moduleUnload)(void *);
  HipError (*moduleGetFunction)(void **, void *, const char *);
  HipError (*moduleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, void *, void **, void **);
  HipError (*streamSynchronize)(void *);
  HipError (*streamGetCaptureInfo)(void *, int *, unsigned long long *);
  HipError (*threadExchangeStreamCaptureMode)(int *);
  const char *(*getErrorName)(HipError);
  const char *(*getErrorString)(HipError);
  HipError (*getDeviceProperties)(void *, int);
};

template <typename Function>
bool bind(const Library &library, const char *name, Function &function, Status &status) {
  function = reinterpret_cast<Function>(library.symbol(name));
  if (!function)
    status = Status::error(TGR_NO_DEVICE, std::string("libamdhip64 has no ") + name);
  return function != nullptr;
}

Status loadApi(HipApi &api) {
  std::string reason;
  for (const char *name : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"})
    if ((api.library = Library::open(name, reason)))
      break;
  if (!api.library)
    return Status::error(TGR_NO_DEVICE, "HIP is not installed (" + reason +
                                            "); use a simulated device (sim:ARCH)");
  const Library &lib = *api.library;
  Status status;
  (void)(bind(lib, "hipGetDeviceCount", api.getDeviceCount, status) &&
         bind(lib, "hipSetDevice", api.setDevice, status) &&
         bind(lib, "hipGetDevice", api.getDevice, status) &&
         bind(lib, "hipMalloc", api.malloc, status) && bind(lib, "hipFree", api.free, status) &&
         bind(lib, "hipMemcpy", api.memcpy, status) &&
         bind(lib, "hipMemsetAsync", api.memsetAsync, status) &&
         bind(lib, "hipModuleLoadData", api.moduleLoadData, status) &&
         bind(lib, "hipModuleUnload", api.moduleUnload, status) &&
         bind(lib, "hipModuleGetFunction", api.moduleGetFunction, status) &&
         bind(lib, "hipModuleLaunchKernel", api.moduleLaunchKernel, status) &&
         bind(lib, "hipStreamSynchronize", api.streamSynchronize, status) &&
         bind(lib, "hipStreamGetCaptureInfo", api.streamGetCaptureInfo, status) &&
         bind(lib, "hipThreadExchangeStreamCaptureMode", api.threadExchangeStreamCaptureMode,
              status) &&
         bind(lib, "hipGetErrorName", api.getErrorName, status) &&
         bind(lib, "hipGetErrorString", api.getErrorString, status) &&
         bind(lib, "hipGetDevicePropertiesR0600", api.getDeviceProperties, status));
  return status;
}

tgr_status codeOf(HipError error) {
  switch (error) {
  case hipErrorOutOfMemory:
    return TGR_OUT_OF_MEMORY;
  case hipErrorNoBinaryForGpu:
  case hipErrorInvalidImage:
  case hipErrorSharedObject:
    return TGR_INVALID_OBJECT;
  case hipErrorNotFound:
    return TGR_NOT_FOUND;
  default:
    return TGR_DRIVER_ERROR;
  }
}

class HipDevice final : public Device {
public:
  HipDevice(HipApi api, int ordinal, std::string arch, uint32_t units)
      : api(std::move(api)), ordinal(ordinal), architecture(std::move(arch)), units(units) {}

  const std::string &arch() const override { return architecture; }
  uint32_t computeUnits() const override { return units; }
  bool usesHostMemory() const override { return false; }

  /// Also while a stream is captured: that the memory does not become the graph's is what is
  /// wanted.
  Status allocate(size_t bytes, void **pointer) override {
    Current current(*this);
    int mode = hipStreamCaptureModeRelaxed;
    HipError exchanged = api.threadExchangeStreamCaptureMode(&mode);
    if (exchanged != hipSuccess)
      return check(exchanged, "hipThreadExchangeStreamCaptureMode");
    Status status = check(api.malloc(pointer, bytes), "hipMalloc");
    (void)api.threadExchangeStreamCaptureMode(&mode);
    return status;
  }
  Status release(void *pointer) override { return check(api.free(pointer), "hipFree"); }
  Status copyToDevice(void *to, const void *from, size_t bytes) override {
    return check(api.memcpy(to, from, bytes, hipMemcpyHostToDevice), "hipMemcpy");
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return check(api.memcpy(to, from, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
  }
  Status zero(void *pointer, size_t bytes, tgr_stream stream) override {
    Current current(*this);
    return check(api.memsetAsync(pointer, 0, bytes, stream), "hipMemsetAsync");
  }
  // A HIP kernel is given device pointers: nothing to register.
  Status registerMemory(void *, size_t, bool) override { return {}; }
  Status unregisterMemory(void *) override { return {}; }

  Status load(const void *bytes, size_t, NativeModule *module) override {
    Current current(*this);
    return check(api.moduleLoadData(module, bytes), "hipModuleLoadData");
  }
  Status unload(NativeModule module) override {
    return check(api.moduleUnload(module), "hipModuleUnload");
  }
  Status findKernel(NativeModule module, const char *name, NativeKernel *kernel) override {
    return check(api.moduleGetFunction(kernel, module, name), "hipModuleGetFunction");
  }

  Status launch(NativeKernel kernel, tgr_dim3 grid, tgr_dim3 block, uint32_t dynamicLds,
                const void *kernarg, size_t kernargBytes, tgr_stream stream) override {
    Current current(*this);
    void *extra[] = {launchParamBufferPointer, const_cast<void *>(kernarg), launchParamBufferSize,
                     &kernargBytes, launchParamEnd};
    HipError error = api.moduleLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y,
                                            block.z, dynamicLds, stream, nullptr, extra);
    Status status = check(error, "hipModuleLaunchKernel");
    if (status.code == TGR_DRIVER_ERROR)
      status.code = TGR_LAUNCH_FAILED;
    return status;
  }
  Status synchronize(tgr_stream stream) override {
    Current current(*this);
    return check(api.streamSynchronize(stream), "hipStreamSynchronize");
  }
  Status captureOf(tgr_stream stream, uint64_t *capture) override {
    Current current(*this);
    int state = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    Status status = check(api.streamGetCaptureInfo(stream, &state, &id), "hipStreamGetCaptureInfo");
    *capture = state == hipStreamCaptureStatusNone ? 0 : id + 1;
    return status;
  }

  Status findings(size_t *count, const char **text) override {
    *count = 0;
    *text = "";
    return {};
  }
  Status clearFindings() override { return {}; }
  Status readCounters(tgr_counters *) override { return {}; }
  Status resetCounters() override { return {}; }
  Status accessReport(const char **) override { return {}; }

private:
  /// Makes this device current for one call and puts the caller's device back.
  struct Current {
    explicit Current(HipDevice &device) : device(device) {
      if (device.api.getDevice(&before) != hipSuccess)
        before = device.ordinal;
      if (before != device.ordinal)
        (void)device.api.setDevice(device.ordinal); // the call that follows reports a lost device
    }
    ~Current() {
      if (before != device.ordinal)
        (void)device.api.setDevice(before);
    }
    HipDevice &device;
    int before = 0;
  };

  Status check(HipError error, const char *call) const {
    if (error == hipSuccess)
      return {};
    return Status::error(codeOf(error), std::string(call) + ": " + api.getErrorName(error) + " (" +
                                            std::to_string(error) + "), " +
                                            api.getErrorString(error));
  }

  HipApi api;
  int ordinal;
  std::string architecture;
  uint32_t units;
};

// hipDeviceProp_tR0600, the layout since HIP 6.0: only its architecture ("gfx950:sramecc+:xnack-")
// and its multiProcessorCount are looked at. The buffer has room for what later versions may
// append.
constexpr size_t propertiesBytes = 8192, archOffset = 1160, archBytes = 256, unitsOffset = 388;

Status readProperties(const HipApi &api, int ordinal, std::string &arch, uint32_t &units) {
  std::vector<char> properties(propertiesBytes, 0);
  if (HipError error = api.getDeviceProperties(properties.data(), ordinal))
    return Status::error(TGR_DRIVER_ERROR,
                         std::string("hipGetDeviceProperties: ") + api.getErrorName(error));
  const char *name = properties.data() + archOffset;
  arch.assign(name, strnlen(name, archBytes));
  arch = arch.substr(0, arch.find(':'));
  if (arch.compare(0, 3, "gfx") != 0)
    return Status::error(TGR_NO_DEVICE, "HIP doesn't say what architecture the device has");
  std::memcpy(&units, properties.data() + unitsOffset, sizeof units);
  if (units == 0 || units > 4096)
    return Status::error(TGR_NO_DEVICE, "HIP doesn't say how many compute units the device has");
  return {};
}

} // namespace

Status openHip(const std::string &ordinal, std::unique_ptr<Device> &device) {
  char *end = nullptr;
  long index = std::strtol(ordinal.c_str(), &end, 10);
  if (ordinal.empty() || *end || index < 0)
    return Status::error(TGR_NO_DEVICE,
                         "'hip:" + ordinal + "' is not a device: write hip:0, hip:1, …");
  HipApi api;
  Status status = loadApi(api);
  if (!status.ok())
    return status;
  int count = 0;
  if (HipError error = api.getDeviceCount(&count))
    return Status::error(TGR_NO_DEVICE,
                         std::string("HIP finds no device: ") + api.getErrorString(error));
  if (index >= count)
    return Status::error(TGR_NO_DEVICE,
                         "no device hip:" + ordinal + ", HIP has " + std::to_string(count));
  std::string arch;
  uint32_t units = 0;
  status = readProperties(api, int(index), arch, units);
  if (status.ok())
    device = std::make_unique<HipDevice>(std::move(api), int(index), std::move(arch), units);
  return status;
}

} // namespace tegula::runtime
