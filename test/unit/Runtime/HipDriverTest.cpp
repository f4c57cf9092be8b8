// The runtime's "hip" driver: every HIP error becomes a status with one line that names the call.
#include "tegula/runtime.h"
#include <fstream>
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <iterator>
#include <string>
#include <vector>

namespace {
std::vector<char> object(const std::string &target) {
  std::ifstream file(std::string(FIXTURES) + "/kernels-" + target + ".co", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
std::string lastError() {
  std::string text = tgr_last_error();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

class HipDriver : public testing::Test {
protected:
  void SetUp() override {
    int count = 0;
    ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess); // keeps the library linked
    ASSERT_EQ(tgr_device_open("hip:0", nullptr, &device), TGR_SUCCESS) << tgr_last_error();
    image = object("gfx950");
    ASSERT_EQ(tgr_module_load(device, image.data(), image.size(), &module), TGR_SUCCESS);
    ASSERT_EQ(tgr_module_kernel(module, "scale", &kernel), TGR_SUCCESS);
    ASSERT_EQ(tgr_malloc(device, 4096, reinterpret_cast<void **>(&memory)), TGR_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(tgr_free(device, memory), TGR_SUCCESS);
    EXPECT_EQ(tgr_module_unload(module), TGR_SUCCESS);
    EXPECT_EQ(tgr_device_close(device), TGR_SUCCESS);
  }
  tgr_status scale(int n, uint32_t items = 256, uint32_t lds = 0, uint32_t groups = 4) {
    struct {
      float *x;
      float by;
      int n;
    } segment{memory, 2, n};
    return tgr_launch(kernel, {groups, 1, 1}, {items, 1, 1}, lds, &segment, sizeof segment,
                      nullptr);
  }
  tgr_device *device = nullptr;
  tgr_module *module = nullptr;
  tgr_kernel *kernel = nullptr;
  float *memory = nullptr;
  std::vector<char> image;
};
} // namespace

TEST_F(HipDriver, RunsAKernel) {
  EXPECT_STREQ(tgr_device_arch(device), "gfx950");
  EXPECT_EQ(tgr_device_uses_host_memory(device), 0);
  std::vector<float> x(1024, 1.25f);
  ASSERT_EQ(tgr_copy_to_device(device, memory, x.data(), 4096), TGR_SUCCESS);
  EXPECT_EQ(scale(1000), TGR_SUCCESS) << tgr_last_error();
  EXPECT_EQ(tgr_synchronize(device, nullptr), TGR_SUCCESS);
  ASSERT_EQ(tgr_copy_to_host(device, x.data(), memory, 4096), TGR_SUCCESS);
  EXPECT_EQ(x[0], 2.5f);
  EXPECT_EQ(x[999], 2.5f);
  EXPECT_EQ(x[1000], 1.25f);
}

TEST_F(HipDriver, TheOtherDeviceIsTheOtherTarget) {
  tgr_device *other = nullptr;
  ASSERT_EQ(tgr_device_open("hip:1", nullptr, &other), TGR_SUCCESS);
  EXPECT_STREQ(tgr_device_arch(other), "gfx942");
  tgr_module *wrong = nullptr;
  EXPECT_EQ(tgr_module_load(other, image.data(), image.size(), &wrong), TGR_INVALID_OBJECT);
  EXPECT_NE(lastError().find("hipErrorNoBinaryForGpu (209)"), std::string::npos);
  EXPECT_EQ(tgr_device_close(other), TGR_SUCCESS);
  EXPECT_EQ(tgr_device_open("hip:2", nullptr, &other), TGR_NO_DEVICE);
  EXPECT_EQ(lastError(), "no device hip:2, HIP has 2");
}

TEST_F(HipDriver, ErrorsBecomeStatuses) {
  void *much = nullptr;
  EXPECT_EQ(tgr_malloc(device, size_t(1) << 50, &much), TGR_OUT_OF_MEMORY);
  EXPECT_EQ(lastError(), "hipMalloc: hipErrorOutOfMemory (2), out of memory");
  EXPECT_EQ(tgr_free(device, memory + 1), TGR_DRIVER_ERROR);
  EXPECT_NE(lastError().find("hipFree: hipErrorInvalidDevicePointer (17)"), std::string::npos);
  char byte = 0;
  EXPECT_EQ(tgr_copy_to_device(device, memory + 1024, &byte, 1), TGR_DRIVER_ERROR);
  EXPECT_NE(lastError().find("hipMemcpy: hipErrorInvalidValue (1)"), std::string::npos);
  tgr_kernel *none = nullptr;
  EXPECT_EQ(tgr_module_kernel(module, "none", &none), TGR_NOT_FOUND);
  EXPECT_NE(lastError().find("hipModuleGetFunction: hipErrorNotFound (500)"), std::string::npos);
  tgr_module *bad = nullptr;
  std::vector<char> damaged = image;
  damaged[18] = 62; // x86-64
  EXPECT_EQ(tgr_module_load(device, damaged.data(), damaged.size(), &bad), TGR_INVALID_OBJECT);
  EXPECT_NE(lastError().find("hipModuleLoadData: hipErrorInvalidImage (200)"), std::string::npos);
  EXPECT_EQ(scale(16, 512), TGR_LAUNCH_FAILED);
  EXPECT_NE(lastError().find("hipErrorInvalidConfiguration (9)"), std::string::npos);
  EXPECT_EQ(scale(16, 64, 1 << 20), TGR_LAUNCH_FAILED);
  EXPECT_EQ(scale(2000, 256, 0, 8), TGR_LAUNCH_FAILED); // of 1,024 elements
  EXPECT_NE(lastError().find("hipErrorIllegalAddress (700)"), std::string::npos);
  EXPECT_EQ(tgr_synchronize(device, reinterpret_cast<tgr_stream>(64)), TGR_DRIVER_ERROR);
  EXPECT_NE(lastError().find("hipStreamSynchronize: hipErrorInvalidHandle (400)"),
            std::string::npos);
}
