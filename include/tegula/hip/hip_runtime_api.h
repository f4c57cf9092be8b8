/* The part of HIP's runtime and module API that Tegula's simulated devices serve, declared from the
 * public interface's facts so that a host program builds without ROCm:
 *
 *   c++ -I<prefix>/include/tegula program.cpp -L<prefix>/lib/hip -lamdhip64
 *
 * with `#include <hip/hip_runtime_api.h>`, as on a machine with ROCm. Names, values and layouts are
 * those of HIP 6.0 to 7.1 (hipDeviceProp_t is hipDeviceProp_tR0600): a program built against ROCm's
 * own header runs too. What differs from a GPU stands in lib/Sim/HipShim/README.md.
 */
#ifndef TEGULA_HIP_RUNTIME_API_H
#define TEGULA_HIP_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 1
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#define TEGULA_HIP_DEFAULT(value) = value
#else
#define TEGULA_HIP_DEFAULT(value)
#endif
#define TEGULA_HIP_API __attribute__((visibility("default")))

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotInitialized = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidKernelFile = 218,
  hipErrorFileNotFound = 301,
  hipErrorSharedObjectInitFailed = 303,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999,
  hipErrorTbd = 1054
} hipError_t;
#define hipErrorMemoryAllocation hipErrorOutOfMemory
#define hipErrorInitializationError hipErrorNotInitialized
#define hipErrorInvalidResourceHandle hipErrorInvalidHandle

typedef struct ihipStream_t *hipStream_t;
typedef enum {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2
} hipStreamCaptureStatus;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef void *hipDeviceptr_t;
typedef int hipDevice_t;
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

typedef struct dim3 {
  uint32_t x, y, z;
#ifdef __cplusplus
  constexpr dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
#endif
} dim3;

typedef struct hipUUID_t {
  char bytes[16];
} hipUUID;

typedef struct {
  unsigned hasGlobalInt32Atomics : 1, hasGlobalFloatAtomicExch : 1, hasSharedInt32Atomics : 1;
  unsigned hasSharedFloatAtomicExch : 1, hasFloatAtomicAdd : 1, hasGlobalInt64Atomics : 1;
  unsigned hasSharedInt64Atomics : 1, hasDoubles : 1, hasWarpVote : 1, hasWarpBallot : 1;
  unsigned hasWarpShuffle : 1, hasFunnelShift : 1, hasThreadFenceSystem : 1, hasSyncThreadsExt : 1;
  unsigned hasSurfaceFuncs : 1, has3dGrid : 1, hasDynamicParallelism : 1;
} hipDeviceArch_t;

#define hipDeviceProp_t hipDeviceProp_tR0600
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
typedef struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate /* kHz */;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
  int computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryClockRate /* kHz */, memoryBusWidth /* bits */;
  int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
  int hipReserved[32];
  char gcnArchName[256]; /* "gfx950:sramecc+:xnack-" */
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate /* kHz */;
  hipDeviceArch_t arch;
  unsigned int *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem;
  int isLargeBar, asicRevision;
} hipDeviceProp_t;

/* The attributes that hipDeviceGetAttribute answers; any other number is hipErrorInvalidValue. */
typedef enum hipDeviceAttribute_t {
  hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeConcurrentKernels = 8,
  hipDeviceAttributeCooperativeLaunch = 10,
  hipDeviceAttributeIntegrated = 16,
  hipDeviceAttributeL2CacheSize = 19,
  hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeMaxBlocksPerMultiProcessor = 25,
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
  hipDeviceAttributeMemoryBusWidth = 59,
  hipDeviceAttributeMemoryClockRate = 60,
  hipDeviceAttributeComputeCapabilityMinor = 61,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxRegistersPerBlock = 71,
  hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeSharedMemPerBlockOptin = 75,
  hipDeviceAttributeSharedMemPerMultiprocessor = 76,
  hipDeviceAttributeTotalGlobalMem = 84,
  hipDeviceAttributeUnifiedAddressing = 85,
  hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
  hipDeviceAttributePhysicalMultiProcessorCount = 10015,
  hipDeviceAttributeNumberOfXccs = 10018
} hipDeviceAttribute_t;

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
  hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;

typedef enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3
} hipMemoryType;
typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;
typedef enum hipPointer_attribute {
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12
} hipPointer_attribute;

typedef enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
} hipFunction_attribute;

typedef struct HIP_LAUNCH_CONFIG_st {
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  hipStream_t hStream;
  void *attrs; /* launch attributes; hints on these devices */
  unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)

typedef enum hipDriverProcAddressQueryResult {
  HIP_GET_PROC_ADDRESS_SUCCESS = 0,
  HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} hipDriverProcAddressQueryResult;
typedef int hipJitOption;
typedef void (*hipHostFn_t)(void *userData);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);

#define hipStreamDefault 0x0
#define hipStreamNonBlocking 0x1
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipEventInterprocess 0x4
#define hipHostMallocDefault 0x0
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostRegisterDefault 0x0
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped 0x2
#define hipHostRegisterReadOnly 0x8
#define hipMemAttachGlobal 0x1
#define hipMemAttachHost 0x2

/* Errors. Each thread has its own last error; reading it clears it, peeking doesn't. */
TEGULA_HIP_API hipError_t hipGetLastError(void);
TEGULA_HIP_API hipError_t hipExtGetLastError(void);
TEGULA_HIP_API hipError_t hipPeekAtLastError(void);
TEGULA_HIP_API const char *hipGetErrorName(hipError_t error);
TEGULA_HIP_API const char *hipGetErrorString(hipError_t error);
TEGULA_HIP_API hipError_t hipDrvGetErrorName(hipError_t error, const char **text);
TEGULA_HIP_API hipError_t hipDrvGetErrorString(hipError_t error, const char **text);

/* Devices. */
TEGULA_HIP_API hipError_t hipInit(unsigned int flags);
TEGULA_HIP_API hipError_t hipDriverGetVersion(int *version);
TEGULA_HIP_API hipError_t hipRuntimeGetVersion(int *version);
TEGULA_HIP_API hipError_t hipGetDeviceCount(int *count);
TEGULA_HIP_API hipError_t hipSetDevice(int device);
TEGULA_HIP_API hipError_t hipGetDevice(int *device);
TEGULA_HIP_API hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device);
TEGULA_HIP_API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                                int device);
TEGULA_HIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
TEGULA_HIP_API hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device);
TEGULA_HIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
TEGULA_HIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
TEGULA_HIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
TEGULA_HIP_API hipError_t hipDeviceSynchronize(void);
TEGULA_HIP_API hipError_t hipDeviceReset(void);
TEGULA_HIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
TEGULA_HIP_API hipError_t hipMemGetInfo(size_t *available, size_t *total);

/* Memory. */
TEGULA_HIP_API hipError_t hipMalloc(void **pointer, size_t bytes);
TEGULA_HIP_API hipError_t hipFree(void *pointer);
/* Rows begin at multiples of *pitch, which is `width` rounded up. */
TEGULA_HIP_API hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width,
                                         size_t height);
TEGULA_HIP_API hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream);
TEGULA_HIP_API hipError_t hipFreeAsync(void *pointer, hipStream_t stream);
TEGULA_HIP_API hipError_t hipMallocManaged(void **pointer, size_t bytes,
                                           unsigned flags TEGULA_HIP_DEFAULT(hipMemAttachGlobal));
TEGULA_HIP_API hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags);
TEGULA_HIP_API hipError_t hipHostFree(void *pointer);
TEGULA_HIP_API hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned flags);
TEGULA_HIP_API hipError_t hipHostUnregister(void *pointer);
TEGULA_HIP_API hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags);
TEGULA_HIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes,
                                                  const void *pointer);
TEGULA_HIP_API hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute,
                                                 hipDeviceptr_t pointer);
TEGULA_HIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
TEGULA_HIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes,
                                         hipMemcpyKind kind,
                                         hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes,
                                              hipMemcpyKind kind, hipStream_t stream);
TEGULA_HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes);
TEGULA_HIP_API hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes);
TEGULA_HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
TEGULA_HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                                             hipStream_t stream);
TEGULA_HIP_API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes,
                                             hipStream_t stream);
TEGULA_HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                             hipStream_t stream);
TEGULA_HIP_API hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch,
                                      size_t width, size_t height, hipMemcpyKind kind);
TEGULA_HIP_API hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                                           size_t fromPitch, size_t width, size_t height,
                                           hipMemcpyKind kind,
                                           hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width,
                                      size_t height);
TEGULA_HIP_API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                           size_t height, hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemset(void *to, int value, size_t bytes);
TEGULA_HIP_API hipError_t hipMemsetAsync(void *to, int value, size_t bytes,
                                         hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count);
TEGULA_HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count);
TEGULA_HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
TEGULA_HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                                           hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                                            hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count,
                                            hipStream_t stream TEGULA_HIP_DEFAULT(0));

/* Modules: AMDGPU code objects, alone or in an uncompressed offload bundle. */
TEGULA_HIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path);
TEGULA_HIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
TEGULA_HIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image,
                                              unsigned int count, hipJitOption *options,
                                              void **values);
TEGULA_HIP_API hipError_t hipModuleUnload(hipModule_t module);
TEGULA_HIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                               const char *name);
TEGULA_HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes,
                                             hipModule_t module, const char *name);
TEGULA_HIP_API hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                                              hipFunction_t function);
TEGULA_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                             hipFunction_t function,
                                                                             int blockSize,
                                                                             size_t dynamicLds);

/* Launches: gridDim counts workgroups, but for hipExtModuleLaunchKernel (work-items). */
TEGULA_HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridX,
                                                unsigned int gridY, unsigned int gridZ,
                                                unsigned int blockX, unsigned int blockY,
                                                unsigned int blockZ, unsigned int dynamicLds,
                                                hipStream_t stream, void **parameters,
                                                void **extra);
TEGULA_HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function,
                                                           unsigned int gridX, unsigned int gridY,
                                                           unsigned int gridZ, unsigned int blockX,
                                                           unsigned int blockY, unsigned int blockZ,
                                                           unsigned int dynamicLds,
                                                           hipStream_t stream, void **parameters);
TEGULA_HIP_API hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ, uint32_t blockX,
    uint32_t blockY, uint32_t blockZ, size_t dynamicLds, hipStream_t stream, void **parameters,
    void **extra, hipEvent_t start TEGULA_HIP_DEFAULT(0), hipEvent_t stop TEGULA_HIP_DEFAULT(0),
    uint32_t flags TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config,
                                               hipFunction_t function, void **parameters,
                                               void **extra);

/* Streams and events. The time between two events is the simulating host's, in ms. */
TEGULA_HIP_API hipError_t hipStreamCreate(hipStream_t *stream);
TEGULA_HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
TEGULA_HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                                      int priority);
TEGULA_HIP_API hipError_t hipStreamDestroy(hipStream_t stream);
TEGULA_HIP_API hipError_t hipStreamSynchronize(hipStream_t stream);
TEGULA_HIP_API hipError_t hipStreamQuery(hipStream_t stream);
TEGULA_HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
TEGULA_HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                                             unsigned flags TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback,
                                               void *user, unsigned flags);
TEGULA_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user);
TEGULA_HIP_API hipError_t hipEventCreate(hipEvent_t *event);
TEGULA_HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
TEGULA_HIP_API hipError_t hipEventDestroy(hipEvent_t event);
TEGULA_HIP_API hipError_t hipEventRecord(hipEvent_t event,
                                         hipStream_t stream TEGULA_HIP_DEFAULT(0));
TEGULA_HIP_API hipError_t hipEventSynchronize(hipEvent_t event);
TEGULA_HIP_API hipError_t hipEventQuery(hipEvent_t event);
TEGULA_HIP_API hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start,
                                              hipEvent_t stop);

TEGULA_HIP_API hipError_t hipGetProcAddress(const char *symbol, void **function, int version,
                                            uint64_t flags,
                                            hipDriverProcAddressQueryResult *result);

#ifdef __cplusplus
}
#endif
#endif
