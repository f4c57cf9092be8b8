// The runtime's "hip" driver against a libamdhip64 that fails when told to and counts its calls.
#include "tegula/runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

// test/support/FakeHip.cpp
extern "C" {
void fakeHipReset();
void fakeHipFail(const char *name, int error);
void fakeHipCapture(int number);
unsigned fakeHipCalls(const char *name);
const void *fakeHipKernarg(size_t *bytes, unsigned *grid, unsigned *block);

// Every allocation of the process comes through here.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
thread_local unsigned allocations = 0;
#define SEEN __attribute__((visibility("default")))
SEEN void *malloc(size_t bytes) { return ++allocations, __libc_malloc(bytes); }
SEEN void *calloc(size_t count, size_t bytes) { return ++allocations, __libc_calloc(count, bytes); }
SEEN void *realloc(void *old, size_t bytes) { return ++allocations, __libc_realloc(old, bytes); }
}

namespace {

// What `tegula compile` writes for a kernel over a rank-1 view, a float and an integer.
const char record[] = R"({"kernel": "scale", "target": "gfx950", "version": 1,
  "arguments": [
    {"align": 4, "dtype": "f32", "extents": ["N"], "kind": "view", "name": "x", "offset": 0,
     "reach": [256], "shape": [null], "strides": [1]},
    {"dtype": "f32", "kind": "scalar", "name": "by", "offset": 8},
    {"dtype": "i32", "kind": "scalar", "name": "n", "offset": 12}],
  "extents": [{"argument": 0, "dim": 0, "name": "N", "offset": 16}], "strides": [],
  "grid": [["ceildiv", ["dim", 0, 0], 256], 1, 1], "block": [64, 1, 1], "kernarg_size": 20,
  "lds_bytes": 0, "workspace_bytes": 0, "resources": {}, "schedule": "", "compiler": ""})";

class FakeHip : public testing::Test {
protected:
  void SetUp() override {
    fakeHipReset();
    ASSERT_EQ(tgr_device_open("hip:0", nullptr, &device), TGR_SUCCESS) << tgr_last_error();
  }
  void TearDown() override {
    fakeHipReset();
    EXPECT_EQ(tgr_device_close(device), TGR_SUCCESS);
  }
  void create() {
    const char code[] = "what a code object is, the fake doesn't ask";
    ASSERT_EQ(tgr_program_create(device, record, code, sizeof code, &program), TGR_SUCCESS)
        << tgr_last_error();
  }
  tgr_status launch(int64_t n = 1000) {
    int64_t stride = 1;
    tgr_argument arguments[3] = {};
    arguments[0] = {TGR_VIEW, 1, data, &n, &stride, "f32", 0, 0};
    arguments[1] = {TGR_REAL, 0, nullptr, nullptr, nullptr, nullptr, 0, 2.5};
    arguments[2] = {TGR_INTEGER, 0, nullptr, nullptr, nullptr, nullptr, 7, 0};
    return tgr_program_launch(program, arguments, 3, nullptr);
  }
  tgr_device *device = nullptr;
  tgr_program *program = nullptr;
  float data[4] = {};
};

/// What each error of HIP becomes, whichever call reports it.
constexpr std::pair<int, tgr_status> codes[] = {
    {1, TGR_DRIVER_ERROR},   {2, TGR_OUT_OF_MEMORY},    {3, TGR_DRIVER_ERROR},
    {100, TGR_DRIVER_ERROR}, {101, TGR_DRIVER_ERROR},   {200, TGR_INVALID_OBJECT},
    {201, TGR_DRIVER_ERROR}, {209, TGR_INVALID_OBJECT}, {303, TGR_INVALID_OBJECT},
    {400, TGR_DRIVER_ERROR}, {500, TGR_NOT_FOUND},      {600, TGR_DRIVER_ERROR},
    {700, TGR_DRIVER_ERROR}, {701, TGR_DRIVER_ERROR},   {709, TGR_DRIVER_ERROR},
    {719, TGR_DRIVER_ERROR}, {801, TGR_DRIVER_ERROR},   {900, TGR_DRIVER_ERROR},
    {999, TGR_DRIVER_ERROR},
};

} // namespace

TEST_F(FakeHip, ALaunchIsOneCallWithItsArguments) {
  create();
  ASSERT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLaunchKernel"), 1u);
  size_t bytes = 0;
  unsigned grid[3], block[3];
  struct Segment {
    void *x;
    float by;
    int n, extent;
  } segment;
  const void *kernarg = fakeHipKernarg(&bytes, grid, block);
  ASSERT_EQ(bytes, 20u);
  std::memcpy(&segment, kernarg, 20);
  EXPECT_EQ(segment.x, data);
  EXPECT_EQ(segment.by, 2.5f);
  EXPECT_EQ(segment.n, 7);
  EXPECT_EQ(segment.extent, 1000);
  EXPECT_EQ(grid[0], 4u);
  EXPECT_EQ(grid[1] * grid[2], 1u);
  EXPECT_EQ(block[0], 64u);
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, WarmLaunchesAllocateNothing) {
  unsigned before = allocations;
  create();
  ASSERT_GT(allocations, before) << "what the runtime allocates is counted";
  ASSERT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  unsigned loads = fakeHipCalls("hipModuleLoadData");
  before = allocations;
  for (int n = 1; n <= 100; ++n)
    ASSERT_EQ(launch(n * 100), TGR_SUCCESS);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(fakeHipCalls("hipModuleLaunchKernel"), 101u);
  EXPECT_EQ(fakeHipCalls("hipModuleLoadData"), loads);
  for (const char *function : {"hipMalloc", "hipFree", "hipMemcpy", "hipStreamSynchronize"})
    EXPECT_EQ(fakeHipCalls(function), 0u) << function;
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, AnEmptyGridLaunchesNothing) {
  create();
  EXPECT_EQ(launch(0), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLaunchKernel"), 0u);
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, LaunchesAreSafeUnderCaptureOnceWarm) {
  create();
  fakeHipCapture(7);
  EXPECT_EQ(launch(), TGR_NOT_WARM);
  EXPECT_NE(std::string(tgr_last_error()).find("scale"), std::string::npos) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLoadData"), 0u);
  auto captureOf = [&] {
    uint64_t capture = 0;
    EXPECT_EQ(tgr_stream_capture(device, nullptr, &capture), TGR_SUCCESS);
    return capture;
  };
  uint64_t first = captureOf();
  fakeHipCapture(8);
  EXPECT_NE(first, captureOf());
  fakeHipCapture(0);
  EXPECT_EQ(captureOf(), 0u);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  fakeHipCapture(7);
  EXPECT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLaunchKernel"), 2u);
  void *memory = nullptr; // as HIP allows it to a thread in relaxed mode, for that call alone
  EXPECT_EQ(tgr_malloc(device, 64, &memory), TGR_SUCCESS);
  EXPECT_NE(tgr_free(device, memory), TGR_SUCCESS);
  fakeHipCapture(0);
  EXPECT_EQ(tgr_free(device, memory), TGR_SUCCESS);
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, EveryErrorOfEveryCallBecomesAStatus) {
  auto refused = [&](const char *function, auto call) {
    for (auto [error, status] : codes) {
      fakeHipFail(function, error);
      tgr_status expected =
          status == TGR_DRIVER_ERROR && !std::strcmp(function, "hipModuleLaunchKernel")
              ? TGR_LAUNCH_FAILED
              : status;
      EXPECT_EQ(call(), expected) << function << " " << error;
      std::string text = tgr_last_error(), name = function;
      EXPECT_EQ(text,
                name + ": hipErrorOfATest (" + std::to_string(error) + "), a test asked for it");
      fakeHipFail(function, 0);
    }
  };
  void *memory = nullptr;
  refused("hipMalloc", [&] { return tgr_malloc(device, 64, &memory); });
  ASSERT_EQ(tgr_malloc(device, 64, &memory), TGR_SUCCESS);
  char bytes[64] = {};
  refused("hipMemcpy", [&] { return tgr_copy_to_device(device, memory, bytes, 64); });
  refused("hipMemcpy", [&] { return tgr_copy_to_host(device, bytes, memory, 64); });
  refused("hipFree", [&] { return tgr_free(device, memory); });
  ASSERT_EQ(tgr_free(device, memory), TGR_SUCCESS);
  refused("hipStreamSynchronize", [&] { return tgr_synchronize(device, nullptr); });
  create();
  refused("hipStreamGetCaptureInfo", [&] { return launch(); });
  refused("hipModuleLoadData", [&] { return launch(); });
  refused("hipModuleGetFunction", [&] { return launch(); });
  ASSERT_EQ(launch(), TGR_SUCCESS) << tgr_last_error(); // what failed is tried again
  refused("hipModuleLaunchKernel", [&] { return launch(); });
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, ADeviceThatCannotBeOpenedIsNoDevice) {
  tgr_device *other = nullptr;
  fakeHipFail("hipGetDeviceCount", 100);
  EXPECT_EQ(tgr_device_open("hip:0", nullptr, &other), TGR_NO_DEVICE);
  fakeHipFail("hipGetDeviceCount", 0);
  EXPECT_EQ(tgr_device_open("hip:1", nullptr, &other), TGR_NO_DEVICE);
  fakeHipFail("hipGetDevicePropertiesR0600", 101);
  EXPECT_EQ(tgr_device_open("hip:0", nullptr, &other), TGR_DRIVER_ERROR);
  EXPECT_EQ(other, nullptr);
}
