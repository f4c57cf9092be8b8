// Launches: arguments into a kernarg segment, the simulator's verdict into a HIP error. Reports go
// to stderr, as a GPU's faults do.
#include "Shim.h"
#include <cstdio>
#include <cstring>

using namespace tegula::hip;

namespace {
struct Grid {
  tgs_dims groups, items;
};

/// `parameters`: one pointer an explicit argument, whose places and sizes the code object knows.
hipError_t gather(tgs_kernel *kernel, void **parameters, std::vector<char> &segment) {
  tgs_kernel_info info;
  tgs_kernel_get_info(kernel, &info);
  size_t next = 0;
  for (size_t i = 0; i < info.argument_count; ++i) {
    const tgs_argument &a = info.arguments[i];
    if (std::strncmp(a.value_kind, "hidden_", 7) == 0)
      continue;
    if (!parameters || !parameters[next])
      return hipErrorInvalidValue;
    segment.resize(std::max<size_t>(segment.size(), size_t(a.offset) + a.size));
    std::memcpy(segment.data() + a.offset, parameters[next++], a.size);
  }
  // Without metadata the sizes are unknown; the program must pass `extra`.
  return info.argument_count == 0 && parameters && parameters[0] ? hipErrorInvalidValue
                                                                 : hipSuccess;
}

/// Bytes up to the end of the last explicit argument; 0 if the object doesn't say.
size_t explicitBytes(tgs_kernel *kernel) {
  tgs_kernel_info info;
  tgs_kernel_get_info(kernel, &info);
  size_t bytes = 0;
  for (size_t i = 0; i < info.argument_count; ++i)
    if (std::strncmp(info.arguments[i].value_kind, "hidden_", 7) != 0)
      bytes = std::max<size_t>(bytes, info.arguments[i].offset + size_t(info.arguments[i].size));
  return bytes;
}

/// `extra`: pointer to a ready segment and pointer to its size, each behind its tag. It may be
/// longer than the explicit arguments, as HIP has it (padding, hidden arguments), never shorter.
hipError_t unpack(tgs_kernel *kernel, void **extra, std::vector<char> &segment) {
  const char *bytes = nullptr;
  size_t size = 0;
  for (size_t i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      bytes = static_cast<const char *>(extra[i + 1]);
    else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
      size = *static_cast<const size_t *>(extra[i + 1]);
    else
      return hipErrorInvalidValue;
  }
  if ((size && !bytes) || size < explicitBytes(kernel))
    return hipErrorInvalidValue;
  segment.assign(bytes, bytes + size);
  return hipSuccess;
}

bool endsInTime(const char *kind) {
  for (const char *late : {"instruction-limit", "time-limit", "deadlock"})
    if (std::strcmp(kind, late) == 0)
      return false;
  return true;
}

/// What a GPU's memory protection would stop.
bool isIllegalAddress(const char *kind) {
  for (const char *k : {"out-of-bounds", "use-after-free", "address-overflow", "read-only"})
    if (std::strcmp(kind, k) == 0)
      return true;
  return false;
}

/// Prints what was found and names the error of the first finding that is one.
hipError_t verdict(tgs_device *device) {
  hipError_t error = hipSuccess;
  tgs_findings(
      device,
      [](const tgs_finding *f, void *user) {
        auto &e = *static_cast<hipError_t *>(user);
        std::fprintf(stderr, "tegula-hip: %s\n", f->text);
        if (f->severity != TGS_ERROR || e != hipSuccess)
          return;
        e = isIllegalAddress(f->kind) ? hipErrorIllegalAddress
            : endsInTime(f->kind)     ? hipErrorLaunchFailure
                                      : hipErrorLaunchTimeOut;
      },
      &error);
  tgs_clear_findings(device);
  return error;
}

hipError_t launch(Shim &s, hipFunction_t function, const Grid &g, size_t dynamicLds,
                  hipStream_t stream, void **parameters, void **extra) {
  if (!s.functions.count(function) || !s.isStream(stream))
    return hipErrorInvalidHandle;
  if (dynamicLds > UINT32_MAX || (parameters && extra))
    return hipErrorInvalidValue;
  if (!g.groups.x || !g.groups.y || !g.groups.z)
    return hipErrorInvalidConfiguration;
  std::vector<char> segment;
  hipError_t error = extra ? unpack(function->kernel, extra, segment)
                           : gather(function->kernel, parameters, segment);
  if (error != hipSuccess)
    return error;
  tgs_device *device = s.devices[size_t(function->device)].sim;
  tgs_status status = tgs_launch(function->kernel, &g.groups, &g.items, uint32_t(dynamicLds),
                                 segment.data(), segment.size());
  hipError_t found = verdict(device);
  tgs_stats stats;
  if (tgs_get_stats(device, &stats) == TGS_OK && *stats.uncompared)
    std::fprintf(stderr, "tegula-hip: note: %s\n", stats.uncompared);
  switch (status) {
  case TGS_OK:
    return hipSuccess;
  case TGS_ERROR_FINDINGS:
  case TGS_ERROR_ABORTED:
    return found != hipSuccess ? found : hipErrorLaunchFailure;
  case TGS_ERROR_OUT_OF_MEMORY:
    return hipErrorOutOfMemory;
  case TGS_ERROR_RESOURCES:
  case TGS_ERROR_INVALID_ARGUMENT:
    std::fprintf(stderr, "tegula-hip: %s\n", tgs_last_error(device));
    return hipErrorInvalidConfiguration;
  default:
    return hipErrorUnknown;
  }
}
} // namespace

extern "C" {
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridX, unsigned int gridY,
                                 unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                 unsigned int blockZ, unsigned int dynamicLds, hipStream_t stream,
                                 void **parameters, void **extra) {
  return api([&](Shim &s) {
    Grid grid{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
    return launch(s, function, grid, dynamicLds, stream, parameters, extra);
  });
}
/// All workgroups must be resident together, as a grid barrier needs.
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int gridX,
                                            unsigned int gridY, unsigned int gridZ,
                                            unsigned int blockX, unsigned int blockY,
                                            unsigned int blockZ, unsigned int dynamicLds,
                                            hipStream_t stream, void **parameters) {
  return api([&](Shim &s) {
    if (!s.functions.count(function))
      return hipErrorInvalidHandle;
    uint64_t items = uint64_t(blockX) * blockY * blockZ;
    uint32_t each = 0;
    if (items == 0 || items > UINT32_MAX ||
        tgs_kernel_occupancy(function->kernel, uint32_t(items), dynamicLds, &each) != TGS_OK)
      return hipErrorInvalidConfiguration;
    uint64_t most = uint64_t(each) * s.devices[size_t(function->device)].info.compute_units;
    if (uint64_t(gridX) * gridY > most || uint64_t(gridX) * gridY * gridZ > most)
      return hipErrorCooperativeLaunchTooLarge;
    Grid grid{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
    return launch(s, function, grid, dynamicLds, stream, parameters, nullptr);
  });
}
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX, uint32_t itemsY,
                                    uint32_t itemsZ, uint32_t blockX, uint32_t blockY,
                                    uint32_t blockZ, size_t dynamicLds, hipStream_t stream,
                                    void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t) {
  if (!blockX || !blockY || !blockZ)
    return remember(hipErrorInvalidConfiguration);
  // Ragged grids end inside a workgroup; the simulator runs whole ones.
  if (itemsX % blockX || itemsY % blockY || itemsZ % blockZ)
    return remember(hipErrorNotSupported);
  if (start)
    if (hipError_t error = hipEventRecord(start, stream))
      return error;
  hipError_t error = api([&](Shim &s) {
    Grid grid{{itemsX / blockX, itemsY / blockY, itemsZ / blockZ}, {blockX, blockY, blockZ}};
    return launch(s, function, grid, dynamicLds, stream, parameters, extra);
  });
  return error == hipSuccess && stop ? hipEventRecord(stop, stream) : error;
}
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *c, hipFunction_t function,
                                void **parameters, void **extra) {
  if (!c)
    return remember(hipErrorInvalidValue);
  return hipModuleLaunchKernel(function, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
                               c->blockDimY, c->blockDimZ, c->sharedMemBytes, c->hStream,
                               parameters, extra);
}
}
