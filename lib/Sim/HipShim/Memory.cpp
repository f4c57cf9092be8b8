// Memory. Guest addresses are host addresses, so a copy is a copy; what is checked is that the
// device's side of it lies in one allocation.
#include "Shim.h"
#include <cstring>
#include <sys/mman.h>

using namespace tegula::hip;

namespace {
hipError_t allocateDevice(Shim &s, void **pointer, size_t bytes) {
  Device &d = s.devices[size_t(currentDevice())];
  *pointer = nullptr;
  if (bytes == 0)
    return hipSuccess;
  if (bytes > d.info.memory_bytes - d.used || tgs_malloc(d.sim, bytes, pointer) != TGS_OK)
    return hipErrorOutOfMemory;
  tgs_mark_defined(d.sim, *pointer, bytes, 0);
  d.used += bytes;
  s.blocks[reinterpret_cast<uintptr_t>(*pointer)] = {Block::Origin::Malloc, bytes,
                                                     hipMemoryTypeDevice, currentDevice()};
  return hipSuccess;
}

hipError_t allocateShared(Shim &s, void **pointer, size_t bytes, hipMemoryType type,
                          unsigned flags) {
  *pointer = nullptr;
  if (bytes == 0)
    return hipSuccess;
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return hipErrorOutOfMemory;
  if (!s.shareWithDevices(p, bytes, TGS_READ | TGS_WRITE)) {
    munmap(p, bytes);
    return hipErrorOutOfMemory;
  }
  *pointer = p;
  s.blocks[reinterpret_cast<uintptr_t>(p)] = {Block::Origin::Host, bytes, type, currentDevice(),
                                              flags};
  return hipSuccess;
}

/// Gives back the block that starts at `pointer`; `wrong` if there is none of that origin.
hipError_t releaseBlock(Shim &s, void *pointer, bool (*accepts)(const Block &), hipError_t wrong) {
  if (!pointer)
    return hipSuccess;
  auto it = s.blocks.find(reinterpret_cast<uintptr_t>(pointer));
  if (it == s.blocks.end() || !accepts(it->second))
    return wrong;
  s.release(it->first, it->second);
  s.blocks.erase(it);
  return hipSuccess;
}
bool freedByFree(const Block &b) {
  return b.origin == Block::Origin::Malloc ||
         (b.origin == Block::Origin::Host && b.type == hipMemoryTypeManaged);
}
bool freedByHostFree(const Block &b) {
  return b.origin == Block::Origin::Host && b.type == hipMemoryTypeHost;
}
bool isRegistered(const Block &b) { return b.origin == Block::Origin::Registered; }

/// Rows of `width` bytes, the first byte of each `pitch` behind that of the one before.
struct Rows {
  size_t pitch, width, height;

  bool empty() const { return width == 0 || height == 0; }
  bool packed() const { return height == 1 || pitch == width; }
  /// Bytes from the first one to the last; false if a size_t cannot hold them.
  bool span(size_t &bytes) const {
    return !__builtin_mul_overflow(height - 1, pitch, &bytes) &&
           !__builtin_add_overflow(bytes, width, &bytes);
  }
};

/// Calls `body(row, bytes)` for each row, or once for all of them if they are packed.
template <class Body> void forEachStretch(const Rows &rows, bool packed, Body body) {
  if (packed)
    return body(0, rows.width * rows.height);
  for (size_t row = 0; row < rows.height; ++row)
    body(row, rows.width);
}

/// One side of a copy: memory that HIP knows must hold all of it; the device's side must be known.
bool sideOk(const Shim &s, const void *pointer, const Rows &rows, bool device) {
  size_t bytes = 0;
  if (!pointer || !rows.span(bytes))
    return false;
  return s.holding(pointer) ? s.find(pointer, bytes) != nullptr : !device;
}

hipError_t copyRows(void *to, const Rows &target, const void *from, const Rows &source,
                    hipMemcpyKind kind, hipStream_t stream) {
  return api([&](Shim &s) {
    bool toDevice = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice ||
                    kind == hipMemcpyDeviceToDeviceNoCU;
    bool fromDevice = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice ||
                      kind == hipMemcpyDeviceToDeviceNoCU;
    if (!toDevice && !fromDevice && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault)
      return hipErrorInvalidMemcpyDirection;
    if (!s.isStream(stream))
      return hipErrorInvalidHandle;
    if (target.empty())
      return hipSuccess;
    if (target.pitch < target.width || source.pitch < source.width)
      return hipErrorInvalidPitchValue;
    if (!sideOk(s, to, target, toDevice) || !sideOk(s, from, source, fromDevice))
      return hipErrorInvalidValue;
    forEachStretch(target, target.packed() && source.packed(), [&](size_t row, size_t bytes) {
      auto *into = static_cast<char *>(to) + row * target.pitch;
      auto *outOf = static_cast<const char *>(from) + row * source.pitch;
      std::memmove(into, outOf, bytes);
      s.copied(into, outOf, bytes);
    });
    return hipSuccess;
  });
}
hipError_t copy(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  return copyRows(to, {bytes, bytes, 1}, from, {bytes, bytes, 1}, kind, stream);
}
hipError_t copy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                  size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copyRows(to, {toPitch, width, height}, from, {fromPitch, width, height}, kind, stream);
}

template <class T> hipError_t fillRows(void *to, const Rows &rows, T value, hipStream_t stream) {
  return api([&](Shim &s) {
    if (!s.isStream(stream))
      return hipErrorInvalidHandle;
    if (rows.empty())
      return hipSuccess;
    size_t span = 0;
    if (!to || reinterpret_cast<uintptr_t>(to) % sizeof(T) || rows.pitch < rows.width ||
        !rows.span(span) || !s.find(to, span))
      return hipErrorInvalidValue;
    forEachStretch(rows, rows.packed(), [&](size_t row, size_t bytes) {
      char *first = static_cast<char *>(to) + row * rows.pitch;
      std::fill_n(reinterpret_cast<T *>(first), bytes / sizeof(T), value);
      s.written(first, bytes);
    });
    return hipSuccess;
  });
}
template <class T> hipError_t fill(void *to, T value, size_t count, hipStream_t stream) {
  size_t bytes = 0; // more than any memory holds if a size_t cannot
  if (__builtin_mul_overflow(count, sizeof(T), &bytes))
    bytes = SIZE_MAX;
  return fillRows(to, {bytes, bytes, 1}, value, stream);
}

hipError_t allocatePitched(Shim &s, void **pointer, size_t *pitch, size_t width, size_t height) {
  *pointer = nullptr;
  if (width == 0 || height == 0)
    return hipSuccess;
  if (width > SIZE_MAX - kPitchAlignment)
    return hipErrorInvalidValue;
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  size_t bytes = 0;
  return __builtin_mul_overflow(*pitch, height, &bytes) ? hipErrorOutOfMemory
                                                        : allocateDevice(s, pointer, bytes);
}
} // namespace

extern "C" {
hipError_t hipMalloc(void **pointer, size_t bytes) {
  return api(
      [&](Shim &s) { return pointer ? allocateDevice(s, pointer, bytes) : hipErrorInvalidValue; });
}
hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return api([&](Shim &s) {
    return pointer && pitch ? allocatePitched(s, pointer, pitch, width, height)
                            : hipErrorInvalidValue;
  });
}
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream) {
  return api([&](Shim &s) {
    if (!pointer || !s.isStream(stream))
      return pointer ? hipErrorInvalidHandle : hipErrorInvalidValue;
    return allocateDevice(s, pointer, bytes);
  });
}
hipError_t hipFree(void *pointer) {
  return api(
      [&](Shim &s) { return releaseBlock(s, pointer, freedByFree, hipErrorInvalidDevicePointer); });
}
hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
  return api([&](Shim &s) {
    return s.isStream(stream) ? releaseBlock(s, pointer, freedByFree, hipErrorInvalidDevicePointer)
                              : hipErrorInvalidHandle;
  });
}
hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return api([&](Shim &s) {
    return pointer ? allocateShared(s, pointer, bytes, hipMemoryTypeManaged, flags)
                   : hipErrorInvalidValue;
  });
}
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  return api([&](Shim &s) {
    return pointer ? allocateShared(s, pointer, bytes, hipMemoryTypeHost, flags)
                   : hipErrorInvalidValue;
  });
}
hipError_t hipHostFree(void *pointer) {
  return api(
      [&](Shim &s) { return releaseBlock(s, pointer, freedByHostFree, hipErrorInvalidValue); });
}
hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned flags) {
  return api([&](Shim &s) {
    if (!pointer || bytes == 0)
      return hipErrorInvalidValue;
    unsigned rights = flags & hipHostRegisterReadOnly ? TGS_READ : TGS_READ | TGS_WRITE;
    if (!s.shareWithDevices(pointer, bytes, rights))
      return hipErrorHostMemoryAlreadyRegistered;
    s.blocks[reinterpret_cast<uintptr_t>(pointer)] = {Block::Origin::Registered, bytes,
                                                      hipMemoryTypeHost, currentDevice(), flags};
    return hipSuccess;
  });
}
hipError_t hipHostUnregister(void *pointer) {
  return api([&](Shim &s) {
    return pointer ? releaseBlock(s, pointer, isRegistered, hipErrorHostMemoryNotRegistered)
                   : hipErrorInvalidValue;
  });
}
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return api([&](Shim &s) {
    const Block *block = device && !flags ? s.holding(host) : nullptr;
    if (!block || block->type == hipMemoryTypeDevice)
      return hipErrorInvalidValue;
    *device = host;
    return hipSuccess;
  });
}
hipError_t hipMemGetInfo(size_t *available, size_t *total) {
  return api([&](Shim &s) {
    if (!available || !total)
      return hipErrorInvalidValue;
    const Device &d = s.devices[size_t(currentDevice())];
    *total = d.info.memory_bytes;
    *available = d.info.memory_bytes - d.used;
    return hipSuccess;
  });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  return api([&](Shim &s) {
    if (!attributes || !pointer)
      return hipErrorInvalidValue;
    const Block *b = s.holding(pointer);
    auto *address = const_cast<void *>(pointer);
    if (b)
      *attributes = {b->type,
                     b->device,
                     address,
                     b->type == hipMemoryTypeDevice ? nullptr : address,
                     b->type == hipMemoryTypeManaged,
                     b->flags};
    else
      *attributes = {hipMemoryTypeUnregistered, 0, nullptr, nullptr, 0, 0};
    return hipSuccess;
  });
}
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
  return api([&](Shim &s) {
    uintptr_t start = 0;
    const Block *b = data && pointer ? s.holding(pointer, &start) : nullptr;
    if (!b)
      return hipErrorInvalidValue;
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(data) = b->type;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<void **>(data) = pointer;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void **>(data) = pointer;
      return b->type == hipMemoryTypeDevice ? hipErrorInvalidValue : hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<bool *>(data) = b->type == hipMemoryTypeManaged;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int *>(data) = b->device;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<uintptr_t *>(data) = start;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t *>(data) = b->bytes;
      return hipSuccess;
    }
    return hipErrorInvalidValue;
  });
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return copy(to, from, bytes, kind, nullptr);
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyHostToDevice, nullptr);
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToHost, nullptr);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy(to, from, bytes, hipMemcpyDeviceToDevice, nullptr);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes,
                              hipStream_t stream) {
  return copy(to, from, bytes, hipMemcpyHostToDevice, stream);
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy(to, from, bytes, hipMemcpyDeviceToHost, stream);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream) {
  return copy(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}
hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  return copy2D(to, toPitch, from, fromPitch, width, height, kind, nullptr);
}
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy2D(to, toPitch, from, fromPitch, width, height, kind, stream);
}
hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fillRows(to, {pitch, width, height}, static_cast<unsigned char>(value), nullptr);
}
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  return fillRows(to, {pitch, width, height}, static_cast<unsigned char>(value), stream);
}
hipError_t hipMemset(void *to, int value, size_t bytes) {
  return fill(to, static_cast<unsigned char>(value), bytes, nullptr);
}
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return fill(to, static_cast<unsigned char>(value), bytes, stream);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return fill(to, value, count, nullptr);
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return fill(to, value, count, nullptr);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return fill(to, value, count, nullptr);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  return fill(to, value, count, stream);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream) {
  return fill(to, value, count, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill(to, value, count, stream);
}
}
