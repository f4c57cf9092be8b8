// The runtime's "hip" driver against a libamdhip64 that fails when told to and counts its calls.
#include "tegula/runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

// test/support/FakeHip.cpp
extern "C" {
void fakeHipReset();
void fakeHipFail(const char *name, int error);
void fakeHipCapture(int on);
unsigned fakeHipCalls(const char *name);
int fakeHipDevice(const char *name);
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
  "grid": [["ceildiv", ["dim", 0, 0], 256], 1, 1], "block": [64, 1, 1], "kernarg_size": 32,
  "lds_bytes": 0, "workspace_bytes": 0, "resources": {}, "schedule": "", "compiler": ""})";

const char code[] = "what a code object is, the fake doesn't ask";

/// The record with one field more.
std::string with(const char *field) { return std::string(record).insert(1, field); }

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
  void create(const std::string &text = record) {
    ASSERT_EQ(tgr_program_create(device, text.c_str(), code, sizeof code - 1, &program),
              TGR_SUCCESS)
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
  ASSERT_EQ(bytes, 32u);
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
  fakeHipCapture(true);
  EXPECT_EQ(launch(), TGR_NOT_WARM);
  EXPECT_NE(std::string(tgr_last_error()).find("scale"), std::string::npos) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLoadData"), 0u);
  int capturing = 0;
  EXPECT_EQ(tgr_stream_is_capturing(device, nullptr, &capturing), TGR_SUCCESS);
  EXPECT_EQ(capturing, 1);
  fakeHipCapture(false);
  EXPECT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  fakeHipCapture(true);
  EXPECT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(fakeHipCalls("hipModuleLaunchKernel"), 2u);
  fakeHipCapture(false);
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
  refused("hipStreamIsCapturing", [&] { return launch(); });
  refused("hipModuleLoadData", [&] { return launch(); });
  refused("hipModuleGetFunction", [&] { return launch(); });
  ASSERT_EQ(launch(), TGR_SUCCESS) << tgr_last_error(); // what failed is tried again
  refused("hipModuleLaunchKernel", [&] { return launch(); });
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
  refused("hipModuleUnload", [&] {
    create();
    EXPECT_EQ(launch(), TGR_SUCCESS);
    return tgr_program_close(program);
  });
  // A kernel that writes records asks HIP for more.
  create(with(R"("records": {"offset": 24, "header": 1, "words": 8, "sites": []}, )"));
  EXPECT_EQ(launch(), TGR_SUCCESS) << tgr_last_error();
  for (const char *function :
       {"hipMemsetAsync", "hipStreamIsCapturing", "hipStreamSynchronize", "hipMemcpy"})
    refused(function, [&] { return launch(); });
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, CallsAreMadeOnTheirDeviceAndPutTheCallersBack) {
  tgr_device *second = nullptr;
  ASSERT_EQ(tgr_device_open("hip:1", nullptr, &second), TGR_SUCCESS) << tgr_last_error();
  void *memory = nullptr;
  ASSERT_EQ(tgr_malloc(second, 64, &memory), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(fakeHipDevice("hipMalloc"), 1);
  EXPECT_EQ(tgr_synchronize(device, nullptr), TGR_SUCCESS);
  EXPECT_EQ(fakeHipDevice("hipStreamSynchronize"), 0);
  EXPECT_EQ(tgr_free(second, memory), TGR_SUCCESS);
  // Where the device can't be made current, nothing is done on another one.
  unsigned calls = fakeHipCalls("hipMalloc");
  for (const char *function : {"hipGetDevice", "hipSetDevice"}) {
    fakeHipFail(function, 101);
    EXPECT_EQ(tgr_malloc(second, 64, &memory), TGR_DRIVER_ERROR);
    EXPECT_EQ(std::string(tgr_last_error()).find(function), 0u) << tgr_last_error();
    fakeHipFail(function, 0);
  }
  EXPECT_EQ(fakeHipCalls("hipMalloc"), calls);
  EXPECT_EQ(tgr_device_close(second), TGR_SUCCESS);
}

TEST_F(FakeHip, ACodeObjectThatIsNotTheManifestsIsNotLoaded) {
  std::string cut(code, sizeof code - 2), other = code;
  other.back() ^= 1;
  std::string stamped = with(R"("code": {"bytes": 43, "crc32": 523229044}, )");
  for (const std::string &bytes : {cut, other, std::string(code)}) {
    ASSERT_EQ(tgr_program_create(device, stamped.c_str(), bytes.data(), bytes.size(), &program),
              TGR_SUCCESS);
    bool isWhole = bytes == code;
    EXPECT_EQ(launch(), isWhole ? TGR_SUCCESS : TGR_INVALID_OBJECT) << tgr_last_error();
    EXPECT_EQ(fakeHipCalls("hipModuleLoadData"), isWhole ? 1u : 0u);
    EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
  }
}

TEST_F(FakeHip, WhatHasNoAddressIsRefused) {
  create();
  int64_t n = 1000, stride = 1, none = 0;
  tgr_argument arguments[3] = {};
  arguments[1].kind = TGR_REAL;
  arguments[2].kind = TGR_INTEGER;
  auto refused = [&](const tgr_argument &view) {
    arguments[0] = view;
    EXPECT_EQ(tgr_program_launch(program, arguments, 3, nullptr), TGR_INVALID_ARGUMENT);
    return std::string(tgr_last_error());
  };
  EXPECT_EQ(refused({TGR_VIEW, 1, nullptr, &n, &stride, nullptr, 0, 0}),
            "argument 'x': found a null pointer, expected the address of its elements");
  EXPECT_EQ(refused({TGR_VIEW, 1, data, nullptr, &stride, nullptr, 0, 0}),
            "argument 'x': found no extents or strides, expected as many as axes");
  EXPECT_EQ(refused({TGR_VIEW, 1, data, &n, nullptr, nullptr, 0, 0}),
            "argument 'x': found no extents or strides, expected as many as axes");
  EXPECT_EQ(refused({TGR_WORKSPACE, 1, data, &n, &stride, nullptr, 0, 0}),
            "argument 'x': found an argument of another kind, expected an array");
  arguments[0] = {TGR_VIEW, 1, nullptr, &none, &stride, nullptr, 0, 0}; // no elements, no address
  EXPECT_EQ(tgr_program_launch(program, arguments, 3, nullptr), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(tgr_program_close(program), TGR_SUCCESS);
}

TEST_F(FakeHip, ADeviceThatCannotBeOpenedIsNoDevice) {
  tgr_device *other = nullptr;
  fakeHipFail("hipGetDeviceCount", 100);
  EXPECT_EQ(tgr_device_open("hip:0", nullptr, &other), TGR_NO_DEVICE);
  EXPECT_STREQ(tgr_last_error(), "HIP finds no device: hipGetDeviceCount: hipErrorOfATest (100), a "
                                 "test asked for it");
  fakeHipFail("hipGetDeviceCount", 0);
  EXPECT_EQ(tgr_device_open("hip:2", nullptr, &other), TGR_NO_DEVICE);
  for (const char *name : {"hip:", "hip:-1", "hip:+0", "hip: 0", "hip:0x0", "hip:4294967296"}) {
    EXPECT_EQ(tgr_device_open(name, nullptr, &other), TGR_NO_DEVICE) << name;
    EXPECT_NE(std::string(tgr_last_error()).find("is not a device: write hip:0"),
              std::string::npos);
  }
  fakeHipFail("hipGetDevicePropertiesR0600", 101);
  EXPECT_EQ(tgr_device_open("hip:0", nullptr, &other), TGR_DRIVER_ERROR);
  EXPECT_EQ(other, nullptr);
}
