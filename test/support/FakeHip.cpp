// A libamdhip64 for tests of the runtime's HIP driver: two gfx950 that run nothing. It counts the
// calls of each function, fails those it was told to fail, and refuses during a capture what HIP
// refuses. It allocates no host memory but in hipMalloc.
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0, captureUnsupported = 900, devices = 2;
// gcnArchName and multiProcessorCount of hipDeviceProp_tR0600
constexpr size_t architectureOffset = 1160, unitsOffset = 388;
constexpr int units = 256;

struct Function {
  const char *name;
  bool allowedInCapture;
  unsigned calls;
  int failure;
  int device = 0; ///< that was current at the last call
};
Function functions[] = {
    {"hipGetDeviceCount", true, 0, 0},
    {"hipSetDevice", true, 0, 0},
    {"hipGetDevice", true, 0, 0},
    {"hipMalloc", false, 0, 0},
    {"hipFree", false, 0, 0},
    {"hipMemcpy", false, 0, 0},
    {"hipMemsetAsync", true, 0, 0},
    {"hipModuleLoadData", false, 0, 0},
    {"hipModuleUnload", false, 0, 0},
    {"hipModuleGetFunction", true, 0, 0},
    {"hipModuleLaunchKernel", true, 0, 0},
    {"hipStreamSynchronize", false, 0, 0},
    {"hipStreamIsCapturing", true, 0, 0},
    {"hipGetDevicePropertiesR0600", true, 0, 0},
};
bool capturing = false;
int currentDevice = 0;
unsigned char lastKernarg[4096];
size_t lastKernargBytes = 0;
unsigned lastGrid[3], lastBlock[3];

Function &functionOf(const char *name) {
  for (Function &f : functions)
    if (!std::strcmp(f.name, name))
      return f;
  std::abort(); // the test names a function that is not here
}

/// Counts a call; what it returns.
int called(const char *name) {
  Function &f = functionOf(name);
  ++f.calls;
  f.device = currentDevice;
  if (f.failure)
    return f.failure;
  return capturing && !f.allowedInCapture ? captureUnsupported : success;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void fakeHipReset() {
  for (Function &f : functions)
    f.calls = 0, f.failure = 0;
  capturing = false;
}
EXPORT void fakeHipFail(const char *name, int error) { functionOf(name).failure = error; }
EXPORT void fakeHipCapture(int on) { capturing = on; }
EXPORT unsigned fakeHipCalls(const char *name) { return functionOf(name).calls; }
EXPORT int fakeHipDevice(const char *name) { return functionOf(name).device; }
EXPORT const void *fakeHipKernarg(size_t *bytes, unsigned *grid, unsigned *block) {
  *bytes = lastKernargBytes;
  std::memcpy(grid, lastGrid, sizeof lastGrid);
  std::memcpy(block, lastBlock, sizeof lastBlock);
  return lastKernarg;
}

EXPORT int hipGetDeviceCount(int *count) {
  *count = devices;
  return called("hipGetDeviceCount");
}
EXPORT int hipSetDevice(int device) {
  int error = called("hipSetDevice");
  if (!error)
    currentDevice = device;
  return error;
}
EXPORT int hipGetDevice(int *device) {
  *device = currentDevice;
  return called("hipGetDevice");
}
EXPORT int hipMalloc(void **pointer, size_t bytes) {
  int error = called("hipMalloc");
  *pointer = error ? nullptr : std::malloc(bytes);
  return error;
}
EXPORT int hipFree(void *pointer) {
  int error = called("hipFree");
  if (!error)
    std::free(pointer);
  return error;
}
EXPORT int hipMemcpy(void *to, const void *from, size_t bytes, int) {
  int error = called("hipMemcpy");
  if (!error)
    std::memcpy(to, from, bytes);
  return error;
}
EXPORT int hipMemsetAsync(void *to, int value, size_t bytes, void *) {
  int error = called("hipMemsetAsync");
  if (!error)
    std::memset(to, value, bytes);
  return error;
}
EXPORT int hipModuleLoadData(void **module, const void *image) {
  *module = const_cast<void *>(image);
  return called("hipModuleLoadData");
}
EXPORT int hipModuleUnload(void *) { return called("hipModuleUnload"); }
EXPORT int hipModuleGetFunction(void **function, void *module, const char *) {
  *function = module;
  return called("hipModuleGetFunction");
}
EXPORT int hipModuleLaunchKernel(void *, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned, void *, void **,
                                 void **extra) {
  unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  std::memcpy(lastGrid, grid, sizeof grid);
  std::memcpy(lastBlock, block, sizeof block);
  lastKernargBytes = *static_cast<size_t *>(extra[3]);
  std::memcpy(lastKernarg, extra[1], lastKernargBytes);
  return called("hipModuleLaunchKernel");
}
EXPORT int hipStreamSynchronize(void *) { return called("hipStreamSynchronize"); }
EXPORT int hipStreamIsCapturing(void *, int *status) {
  *status = capturing;
  return called("hipStreamIsCapturing");
}
EXPORT const char *hipGetErrorName(int) { return "hipErrorOfATest"; }
EXPORT const char *hipGetErrorString(int) { return "a test asked for it"; }
EXPORT int hipGetDevicePropertiesR0600(void *properties, int) {
  std::strcpy(static_cast<char *>(properties) + architectureOffset, "gfx950:sramecc+:xnack-");
  std::memcpy(static_cast<char *>(properties) + unitsOffset, &units, sizeof units);
  return called("hipGetDevicePropertiesR0600");
}
