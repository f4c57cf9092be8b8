// Initialisation, the current device, and what devices say of themselves.
#include "Shim.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace tegula::hip;

namespace {
constexpr int kMaxGrid = 0x7fffffff, kMaxGridYZ = 65536;

/// gfx942 → 9, 4; gfx950 → 9, 5.
void capability(const Device &d, int &major, int &minor) {
  major = d.info.target[3] - '0';
  minor = d.info.target[4] - '0';
}

void fill(const Device &d, int ordinal, hipDeviceProp_t &p) {
  const tgs_device_info &i = d.info;
  p = {};
  std::snprintf(p.name, sizeof p.name, "Tegula simulated %s", i.target);
  char uuid[sizeof p.uuid.bytes + 1]; // 16 hexadecimal digits, as ROCm has
  std::snprintf(uuid, sizeof uuid, "7e60fa%010x", unsigned(ordinal));
  std::memcpy(p.uuid.bytes, uuid, sizeof p.uuid.bytes);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s:sramecc+:xnack-", i.target);
  p.totalGlobalMem = i.memory_bytes;
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin =
      p.maxSharedMemoryPerMultiProcessor = i.lds_bytes;
  p.regsPerBlock = p.regsPerMultiprocessor = int(i.vector_rows * 64 * i.simds_per_cu);
  p.warpSize = 64;
  p.maxThreadsPerBlock = int(i.max_work_items);
  for (int &axis : p.maxThreadsDim)
    axis = int(i.max_work_items);
  p.maxGridSize[0] = kMaxGrid;
  p.maxGridSize[1] = p.maxGridSize[2] = kMaxGridYZ;
  p.clockRate = p.clockInstructionRate = int(i.clock_mhz * 1000);
  p.totalConstMem = p.memPitch = kMaxGrid;
  p.texturePitchAlignment = kPitchAlignment;
  capability(d, p.major, p.minor);
  p.multiProcessorCount = int(i.compute_units);
  p.maxThreadsPerMultiProcessor = int(i.simds_per_cu * i.waves_per_simd * 64);
  p.maxBlocksPerMultiProcessor = int(i.simds_per_cu * i.waves_per_simd);
  p.l2CacheSize = 4 << 20;
  p.memoryBusWidth = 8192;
  p.pciBusID = ordinal + 1;
  p.cooperativeLaunch = p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing =
      p.managedMemory = 1;
  p.concurrentManagedAccess = p.hostRegisterSupported = p.isLargeBar = 1;
  hipDeviceArch_t &a = p.arch;
  a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics = 1;
  a.hasSharedFloatAtomicExch = a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = 1;
  a.hasSharedInt64Atomics = a.hasDoubles = a.hasWarpVote = a.hasWarpBallot = 1;
  a.hasWarpShuffle = a.hasThreadFenceSystem = a.has3dGrid = 1;
}

bool attribute(const hipDeviceProp_t &p, const tgs_device_info &info, hipDeviceAttribute_t which,
               int &v) {
  switch (which) {
  case hipDeviceAttributeClockRate:
    return v = p.clockRate, true;
  case hipDeviceAttributeConcurrentKernels:
    return v = p.concurrentKernels, true;
  case hipDeviceAttributeCooperativeLaunch:
    return v = p.cooperativeLaunch, true;
  case hipDeviceAttributeIntegrated:
    return v = p.integrated, true;
  case hipDeviceAttributeL2CacheSize:
    return v = p.l2CacheSize, true;
  case hipDeviceAttributeComputeCapabilityMajor:
    return v = p.major, true;
  case hipDeviceAttributeComputeCapabilityMinor:
    return v = p.minor, true;
  case hipDeviceAttributeMaxBlocksPerMultiProcessor:
    return v = p.maxBlocksPerMultiProcessor, true;
  case hipDeviceAttributeMaxBlockDimX:
  case hipDeviceAttributeMaxBlockDimY:
  case hipDeviceAttributeMaxBlockDimZ:
    return v = p.maxThreadsDim[int(which) - hipDeviceAttributeMaxBlockDimX], true;
  case hipDeviceAttributeMaxGridDimX:
  case hipDeviceAttributeMaxGridDimY:
  case hipDeviceAttributeMaxGridDimZ:
    return v = p.maxGridSize[int(which) - hipDeviceAttributeMaxGridDimX], true;
  case hipDeviceAttributeMaxThreadsPerBlock:
    return v = p.maxThreadsPerBlock, true;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor:
    return v = p.maxThreadsPerMultiProcessor, true;
  case hipDeviceAttributeMemoryBusWidth:
    return v = p.memoryBusWidth, true;
  case hipDeviceAttributeMemoryClockRate:
    return v = p.memoryClockRate, true;
  case hipDeviceAttributeMultiprocessorCount:
  case hipDeviceAttributePhysicalMultiProcessorCount:
    return v = p.multiProcessorCount, true;
  case hipDeviceAttributeMaxRegistersPerBlock:
  case hipDeviceAttributeMaxRegistersPerMultiprocessor:
    return v = p.regsPerBlock, true;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
  case hipDeviceAttributeSharedMemPerBlockOptin:
  case hipDeviceAttributeSharedMemPerMultiprocessor:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
    return v = int(p.sharedMemPerBlock), true;
  case hipDeviceAttributeTotalGlobalMem: // ROCm's own answer, too, is cut to an int
    return v = int(p.totalGlobalMem), true;
  case hipDeviceAttributeUnifiedAddressing:
    return v = p.unifiedAddressing, true;
  case hipDeviceAttributeWarpSize:
    return v = p.warpSize, true;
  case hipDeviceAttributeNumberOfXccs:
    return v = int(info.xcds), true;
  }
  return false;
}

/// Runs `body(device)` for a valid ordinal.
template <class Body> hipError_t onDevice(int ordinal, Body body) {
  return api([&](Shim &s) {
    if (ordinal < 0 || size_t(ordinal) >= s.devices.size())
      return hipErrorInvalidDevice;
    return body(s.devices[size_t(ordinal)]);
  });
}
} // namespace

extern "C" {
hipError_t hipInit(unsigned int flags) {
  return api([&](Shim &) { return flags ? hipErrorInvalidValue : hipSuccess; });
}
hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return remember(hipErrorInvalidValue);
  *version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return remember(hipErrorInvalidValue);
  *count = 0;
  return api([&](Shim &s) {
    *count = int(s.devices.size());
    return hipSuccess;
  });
}
hipError_t hipSetDevice(int device) {
  return onDevice(device, [&](Device &) {
    currentDevice() = device;
    return hipSuccess;
  });
}
hipError_t hipGetDevice(int *device) {
  return api([&](Shim &) {
    if (!device)
      return hipErrorInvalidValue;
    *device = currentDevice();
    return hipSuccess;
  });
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  if (!properties)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &d) {
    fill(d, device, *properties);
    return hipSuccess;
  });
}
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device) {
  if (!value)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &d) {
    hipDeviceProp_t properties;
    fill(d, device, properties);
    return attribute(properties, d.info, which, *value) ? hipSuccess : hipErrorInvalidValue;
  });
}
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  if (!device)
    return remember(hipErrorInvalidValue);
  return onDevice(ordinal, [&](Device &) {
    *device = ordinal;
    return hipSuccess;
  });
}
hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  if (!name || length <= 0)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &d) {
    hipDeviceProp_t properties;
    fill(d, device, properties);
    std::snprintf(name, size_t(length), "%s", properties.name);
    return hipSuccess;
  });
}
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  if (!bytes)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &d) {
    *bytes = d.info.memory_bytes;
    return hipSuccess;
  });
}
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
  if (!major || !minor)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &d) {
    capability(d, *major, *minor);
    return hipSuccess;
  });
}
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return remember(hipErrorInvalidValue);
  return onDevice(device, [&](Device &) {
    *can = 0;
    return peer >= 0 && size_t(peer) < Shim::get().devices.size() ? hipSuccess
                                                                  : hipErrorInvalidDevice;
  });
}
hipError_t hipDeviceSynchronize() {
  return api([](Shim &) { return hipSuccess; });
}
hipError_t hipDeviceReset() {
  return api([](Shim &s) {
    s.releaseAll();
    return hipSuccess;
  });
}
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return api([&](Shim &) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = 0;
    return hipSuccess;
  });
}

/// Symbols of this library by name; versions don't matter, since each name has one form here.
hipError_t hipGetProcAddress(const char *symbol, void **function, int, uint64_t flags,
                             hipDriverProcAddressQueryResult *result) {
  if (!symbol || !function || flags)
    return remember(hipErrorInvalidValue);
  std::string name = symbol;
  if (name == "hipGetDeviceProperties")
    name += "R0600";
  Dl_info self;
  *function = nullptr;
  if (name.compare(0, 3, "hip") == 0 && dladdr(reinterpret_cast<void *>(&hipGetProcAddress), &self))
    if (void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD)) {
      *function = dlsym(library, name.c_str());
      dlclose(library);
    }
  if (result)
    *result = *function ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? hipSuccess : remember(hipErrorInvalidValue);
}
}
