// Memory of the HIP shim: every copy stays inside what HIP handed out.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <numeric>
#include <string>
#include <vector>

TEST(HipMemory, CopiesAndFills) {
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 1);
  void *a = nullptr, *b = nullptr;
  size_t bytes = in.size() * sizeof(int);
  ASSERT_EQ(hipMalloc(&a, bytes), hipSuccess);
  ASSERT_EQ(hipMallocAsync(&b, bytes, nullptr), hipSuccess);
  EXPECT_EQ(hipMemcpy(a, in.data(), bytes, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoDAsync(b, a, bytes, nullptr), hipSuccess);
  EXPECT_EQ(hipMemcpyAsync(out.data(), b, bytes, hipMemcpyDefault, nullptr), hipSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(hipMemset(b, 0xff, 8), hipSuccess);
  EXPECT_EQ(hipMemsetD32(static_cast<int *>(b) + 2, 7, 3), hipSuccess);
  EXPECT_EQ(hipMemsetD16Async(static_cast<int *>(b) + 5, 0x0102, 2, nullptr), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoH(out.data(), b, 28), hipSuccess);
  EXPECT_EQ((std::vector<int>(out.begin(), out.begin() + 7)),
            (std::vector<int>{-1, -1, 7, 7, 7, 0x01020102, 7}));
  EXPECT_EQ(hipFree(a), hipSuccess);
  EXPECT_EQ(hipFreeAsync(b, nullptr), hipSuccess);
}

TEST(HipMemory, NothingLeavesAnAllocation) {
  std::vector<char> host(100);
  char *device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void **>(&device), 100), hipSuccess);
  auto toDevice = [&](char *to, size_t n) {
    return hipMemcpy(to, host.data(), n, hipMemcpyHostToDevice);
  };
  EXPECT_EQ(toDevice(device + 50, 50), hipSuccess);
  EXPECT_EQ(toDevice(device + 50, 51), hipErrorInvalidValue);
  EXPECT_EQ(toDevice(device + 100, 1), hipErrorInvalidValue);
  EXPECT_EQ(toDevice(device - 1, 1), hipErrorInvalidValue);
  EXPECT_EQ(toDevice(host.data(), 1), hipErrorInvalidValue); // not a device's memory
  EXPECT_EQ(toDevice(nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(toDevice(nullptr, 0), hipSuccess);
  EXPECT_EQ(hipMemcpy(host.data(), device + 99, 2, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(device, host.data(), 1, hipMemcpyKind(9)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpyAsync(device, host.data(), 1, hipMemcpyHostToDevice, hipStream_t(99)),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipMemset(device, 0, 101), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetD32(device, 0, SIZE_MAX / 2), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetD32(device + 1, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device + 4), hipErrorInvalidDevicePointer);
  EXPECT_EQ(hipHostFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipFree(device), hipErrorInvalidDevicePointer);
  EXPECT_EQ(toDevice(device, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
}

TEST(HipMemory, ThereIsAsMuchAsTheDeviceHas) {
  size_t available = 0, total = 0, after = 0;
  ASSERT_EQ(hipMemGetInfo(&available, &total), hipSuccess);
  EXPECT_EQ(total, size_t(288) << 30);
  EXPECT_EQ(available, total);
  void *all = nullptr, *more = &all;
  // Only touched pages cost the host anything.
  ASSERT_EQ(hipMalloc(&all, total), hipSuccess);
  EXPECT_EQ(hipMemGetInfo(&after, &total), hipSuccess);
  EXPECT_EQ(after, 0u);
  EXPECT_EQ(hipMalloc(&more, 1), hipErrorOutOfMemory);
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(hipFree(all), hipSuccess);
  EXPECT_EQ(hipMalloc(&more, SIZE_MAX), hipErrorOutOfMemory);
  EXPECT_EQ(hipMalloc(&more, 0), hipSuccess);
  EXPECT_EQ(more, nullptr);
}

TEST(HipMemory, HostMemoryAndAttributes) {
  void *pinned = nullptr, *managed = nullptr, *device = nullptr, *alias = nullptr;
  ASSERT_EQ(hipHostMalloc(&pinned, 64, hipHostMallocMapped), hipSuccess);
  ASSERT_EQ(hipMallocManaged(&managed, 64), hipSuccess);
  ASSERT_EQ(hipMalloc(&device, 64), hipSuccess);
  hipPointerAttribute_t a;
  EXPECT_EQ(hipPointerGetAttributes(&a, static_cast<char *>(pinned) + 63), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeHost);
  EXPECT_EQ(a.allocationFlags, unsigned(hipHostMallocMapped));
  EXPECT_EQ(hipPointerGetAttributes(&a, managed), hipSuccess);
  EXPECT_TRUE(a.type == hipMemoryTypeManaged && a.isManaged);
  EXPECT_EQ(hipPointerGetAttributes(&a, device), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeDevice);
  EXPECT_EQ(a.hostPointer, nullptr);
  EXPECT_EQ(hipPointerGetAttributes(&a, static_cast<char *>(pinned) + 64), hipSuccess);
  EXPECT_EQ(a.type, hipMemoryTypeUnregistered);
  size_t range = 0;
  EXPECT_EQ(hipPointerGetAttribute(&range, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, device), hipSuccess);
  EXPECT_EQ(range, 64u);
  EXPECT_EQ(hipPointerGetAttribute(&alias, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, &range),
            hipErrorInvalidValue);
  EXPECT_EQ(hipHostGetDevicePointer(&alias, pinned, 0), hipSuccess);
  EXPECT_EQ(alias, pinned);
  EXPECT_EQ(hipFree(pinned), hipErrorInvalidDevicePointer);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  EXPECT_EQ(hipFree(managed), hipSuccess);
  EXPECT_EQ(hipFree(device), hipSuccess);

  std::vector<int> mine(16);
  EXPECT_EQ(hipHostRegister(mine.data(), 64, hipHostRegisterDefault), hipSuccess);
  EXPECT_EQ(hipHostRegister(mine.data() + 4, 4, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(hipHostUnregister(mine.data()), hipSuccess);
  EXPECT_EQ(hipHostUnregister(mine.data()), hipErrorHostMemoryNotRegistered);
}

namespace {
struct Pitched {
  char *memory = nullptr;
  size_t pitch = 0;
  Pitched(size_t width, size_t height) {
    EXPECT_EQ(hipMallocPitch(reinterpret_cast<void **>(&memory), &pitch, width, height),
              hipSuccess);
  }
  ~Pitched() { EXPECT_EQ(hipFree(memory), hipSuccess); }
};
} // namespace

TEST(HipMemory, PitchedMemory) {
  EXPECT_EQ(Pitched(1, 3).pitch, 256u);
  EXPECT_EQ(Pitched(256, 3).pitch, 256u);
  Pitched rows(257, 3);
  EXPECT_EQ(rows.pitch, 512u);
  size_t range = 0;
  EXPECT_EQ(hipPointerGetAttribute(&range, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, rows.memory),
            hipSuccess);
  EXPECT_EQ(range, 1536u);
  void *p = &range;
  EXPECT_EQ(hipMallocPitch(nullptr, &range, 4, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocPitch(&p, nullptr, 4, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocPitch(&p, &range, SIZE_MAX, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocPitch(&p, &range, size_t(1) << 40, 1), hipErrorOutOfMemory);
  EXPECT_EQ(hipMallocPitch(&p, &range, size_t(1) << 32, size_t(1) << 32), hipErrorOutOfMemory);
  for (size_t width : {0, 4}) {
    p = &range;
    EXPECT_EQ(hipMallocPitch(&p, &range, width, width ? 0 : 4), hipSuccess);
    EXPECT_EQ(p, nullptr);
  }
}

TEST(HipMemory, RowsAreCopiedAndFilledWithoutWhatLiesBetween) {
  std::vector<char> in(5 * 7), out(5 * 10, '.');
  std::iota(in.begin(), in.end(), 1);
  Pitched rows(8, 5);
  ASSERT_EQ(hipMemset(rows.memory, 'x', 5 * rows.pitch), hipSuccess);
  // 5 rows of 6 bytes: 7 apart here, `pitch` there, 10 in the result.
  EXPECT_EQ(hipMemcpy2D(rows.memory, rows.pitch, in.data(), 7, 6, 5, hipMemcpyHostToDevice),
            hipSuccess);
  EXPECT_EQ(hipMemset2D(rows.memory + rows.pitch, rows.pitch, 'f', 2, 3), hipSuccess);
  EXPECT_EQ(hipMemset2DAsync(rows.memory + 5, rows.pitch, 'g', 1, 5, nullptr), hipSuccess);
  EXPECT_EQ(hipMemcpy2DAsync(out.data(), 10, rows.memory, rows.pitch, 8, 5, hipMemcpyDeviceToHost,
                             nullptr),
            hipSuccess);
  for (char row = 0; row < 5; ++row) {
    std::string expected;
    for (char i = 0; i < 5; ++i)
      expected += row >= 1 && row <= 3 && i < 2 ? 'f' : char(1 + row * 7 + i);
    EXPECT_EQ(std::string(&out[size_t(row) * 10], 10), expected + "gxx..") << int(row);
  }
  // Rows without gaps are one stretch on both sides.
  Pitched packed(256, 4), copied(256, 4);
  EXPECT_EQ(hipMemset2D(packed.memory, 256, 'p', 256, 4), hipSuccess);
  EXPECT_EQ(hipMemcpy2D(copied.memory, 256, packed.memory, 256, 256, 4, hipMemcpyDefault),
            hipSuccess);
  std::vector<char> all(1024);
  EXPECT_EQ(hipMemcpyDtoH(all.data(), copied.memory, 1024), hipSuccess);
  EXPECT_EQ(all, std::vector<char>(1024, 'p'));
}

TEST(HipMemory, RowsHaveTheirErrors) {
  Pitched rows(8, 5); // 5 rows, 256 apart
  std::vector<char> host(2000);
  auto in = [&](char *to, size_t toPitch, size_t fromPitch, size_t width, size_t height) {
    return hipMemcpy2D(to, toPitch, host.data(), fromPitch, width, height, hipMemcpyHostToDevice);
  };
  EXPECT_EQ(in(rows.memory, 256, 9, 9, 5), hipSuccess);
  EXPECT_EQ(in(rows.memory, 256, 8, 9, 5), hipErrorInvalidPitchValue);
  EXPECT_EQ(in(rows.memory, 8, 9, 9, 5), hipErrorInvalidPitchValue);
  EXPECT_EQ(in(rows.memory, 0, 0, 1, 1), hipErrorInvalidPitchValue);
  EXPECT_EQ(in(nullptr, 0, 0, 0, 5), hipSuccess); // nothing to copy
  EXPECT_EQ(in(nullptr, 0, 0, 1, 0), hipSuccess);
  EXPECT_EQ(in(nullptr, 256, 8, 8, 5), hipErrorInvalidValue);
  EXPECT_EQ(in(host.data(), 8, 8, 8, 5), hipErrorInvalidValue); // not a device's memory
  // The last row may end with the allocation, though its pitch doesn't fit there.
  EXPECT_EQ(in(rows.memory + 248, 256, 8, 8, 5), hipSuccess);
  EXPECT_EQ(in(rows.memory + 249, 256, 8, 8, 5), hipErrorInvalidValue);
  EXPECT_EQ(in(rows.memory, 256, 8, 8, 6), hipErrorInvalidValue);
  EXPECT_EQ(in(rows.memory, SIZE_MAX / 2, 8, 8, 5), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy2D(rows.memory, 256, host.data(), 8, 8, 5, hipMemcpyKind(9)),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpy2DAsync(rows.memory, 256, host.data(), 8, 8, 5, hipMemcpyHostToDevice,
                             hipStream_t(99)),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipMemset2D(nullptr, 256, 0, 8, 5), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(nullptr, 256, 0, 0, 5), hipSuccess);
  EXPECT_EQ(hipMemset2D(rows.memory, 7, 0, 8, 5), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(rows.memory, 256, 0, 8, 6), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(rows.memory + 248, 256, 0, 8, 5), hipSuccess);
  EXPECT_EQ(hipMemset2DAsync(rows.memory, 256, 0, 8, 5, hipStream_t(99)), hipErrorInvalidHandle);
}
