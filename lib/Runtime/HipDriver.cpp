// The driver of real devices: HIP's module API, loaded with dlopen, so that no ROCm package is
// needed to build.
#include "Driver.h"

#include <charconv>
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
  HipError (*streamIsCapturing)(void *, int *);
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

/// The library under the first of its names, or why there is none: what is wrong with one that is
/// there matters more than that others aren't.
Status openLibrary(std::shared_ptr<Library> &library) {
  std::string problem = "HIP is not installed (no libamdhip64.so)";
  for (std::string name : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"}) {
    std::string reason;
    if ((library = Library::open(name, reason)))
      return {};
    bool isMissing = reason.compare(0, name.size() + 13, name + ": cannot open") == 0;
    if (!isMissing)
      problem = "HIP cannot be loaded (" + reason + ")";
  }
  return Status::error(TGR_NO_DEVICE, problem + "; use a simulated device (sim:ARCH)");
}

Status loadApi(HipApi &api) {
  Status opened = openLibrary(api.library);
  if (!opened.ok())
    return opened;
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
         bind(lib, "hipStreamIsCapturing", api.streamIsCapturing, status) &&
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

Status check(const HipApi &api, HipError error, const char *call) {
  if (error == hipSuccess)
    return {};
  return Status::error(codeOf(error), std::string(call) + ": " + api.getErrorName(error) + " (" +
                                          std::to_string(error) + "), " +
                                          api.getErrorString(error));
}

class HipDevice final : public Device {
public:
  HipDevice(HipApi api, int ordinal, std::string arch, uint32_t units)
      : api(std::move(api)), ordinal(ordinal), architecture(std::move(arch)), units(units) {}

  const std::string &arch() const override { return architecture; }
  uint32_t computeUnits() const override { return units; }
  bool usesHostMemory() const override { return false; }

  Status allocate(size_t bytes, void **pointer) override {
    return here("hipMalloc", [&] { return api.malloc(pointer, bytes); });
  }
  Status release(void *pointer) override { return check(api.free(pointer), "hipFree"); }
  Status copyToDevice(void *to, const void *from, size_t bytes) override {
    return check(api.memcpy(to, from, bytes, hipMemcpyHostToDevice), "hipMemcpy");
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return check(api.memcpy(to, from, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
  }
  Status zero(void *pointer, size_t bytes, tgr_stream stream) override {
    return here("hipMemsetAsync", [&] { return api.memsetAsync(pointer, 0, bytes, stream); });
  }
  // A HIP kernel is given device pointers: nothing to register.
  Status registerMemory(void *, size_t, bool) override { return {}; }
  Status unregisterMemory(void *) override { return {}; }

  Status load(const void *bytes, size_t, NativeModule *module) override {
    return here("hipModuleLoadData", [&] { return api.moduleLoadData(module, bytes); });
  }
  Status unload(NativeModule module) override {
    return check(api.moduleUnload(module), "hipModuleUnload");
  }
  Status findKernel(NativeModule module, const char *name, NativeKernel *kernel) override {
    return check(api.moduleGetFunction(kernel, module, name), "hipModuleGetFunction");
  }

  Status launch(NativeKernel kernel, tgr_dim3 grid, tgr_dim3 block, uint32_t dynamicLds,
                const void *kernarg, size_t kernargBytes, tgr_stream stream) override {
    void *extra[] = {launchParamBufferPointer, const_cast<void *>(kernarg), launchParamBufferSize,
                     &kernargBytes, launchParamEnd};
    Status status = here("hipModuleLaunchKernel", [&] {
      return api.moduleLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                    dynamicLds, stream, nullptr, extra);
    });
    if (status.code == TGR_DRIVER_ERROR)
      status.code = TGR_LAUNCH_FAILED;
    return status;
  }
  Status synchronize(tgr_stream stream) override {
    return here("hipStreamSynchronize", [&] { return api.streamSynchronize(stream); });
  }
  Status isCapturing(tgr_stream stream, bool *capturing) override {
    int state = 0; // hipStreamCaptureStatusNone
    Status status =
        here("hipStreamIsCapturing", [&] { return api.streamIsCapturing(stream, &state); });
    *capturing = state != 0;
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
  /// One call with this device current; the caller's device is put back behind it.
  template <typename Call> Status here(const char *name, Call call) const {
    int before = ordinal;
    Status status = check(api.getDevice(&before), "hipGetDevice");
    if (status.ok() && before != ordinal)
      status = check(api.setDevice(ordinal), "hipSetDevice");
    if (!status.ok())
      return status;
    status = check(call(), name);
    Status restored = before == ordinal ? Status() : check(api.setDevice(before), "hipSetDevice");
    return status.ok() ? restored : status;
  }

  Status check(HipError error, const char *call) const { return runtime::check(api, error, call); }

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
  HipError error = api.getDeviceProperties(properties.data(), ordinal);
  if (Status status = check(api, error, "hipGetDeviceProperties"); !status.ok())
    return status;
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
  unsigned index = 0;
  const char *end = ordinal.c_str() + ordinal.size();
  if (auto read = std::from_chars(ordinal.c_str(), end, index);
      read.ec != std::errc() || read.ptr != end)
    return Status::error(TGR_NO_DEVICE,
                         "'hip:" + ordinal + "' is not a device: write hip:0, hip:1, …");
  HipApi api;
  Status status = loadApi(api);
  if (!status.ok())
    return status;
  int count = 0;
  status = check(api, api.getDeviceCount(&count), "hipGetDeviceCount");
  if (!status.ok())
    return Status::error(TGR_NO_DEVICE, "HIP finds no device: " + status.text);
  if (count < 0 || index >= unsigned(count))
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
