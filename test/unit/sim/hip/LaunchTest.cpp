// Modules and launches of the HIP shim.
#include <cstring>
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

/// Device 0 (gfx950) with the kernels loaded.
class HipLaunch : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    image = object("gfx950");
    ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void **>(&memory), 4096), hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(hipModuleUnload(module), hipSuccess);
    EXPECT_EQ(hipFree(memory), hipSuccess);
  }
  hipFunction_t kernel(const char *name) {
    hipFunction_t f = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&f, module, name), hipSuccess);
    return f;
  }
  hipError_t launch(const char *name, unsigned groups, unsigned items, std::vector<void *> args,
                    unsigned lds = 0) {
    args.push_back(nullptr);
    return hipModuleLaunchKernel(kernel(name), groups, 1, 1, items, 1, 1, lds, nullptr, args.data(),
                                 nullptr);
  }
  std::vector<char> image;
  hipModule_t module = nullptr;
  float *memory = nullptr;
};
} // namespace

TEST_F(HipLaunch, ParametersAndExtraAreTheSame) {
  std::vector<float> x(300, 3.0f), out(300);
  float by = 2;
  int n = 300;
  ASSERT_EQ(hipMemcpy(memory, x.data(), 1200, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(launch("scale", 2, 256, {&memory, &by, &n}), hipSuccess);
  struct {
    float *x;
    float by;
    int n;
  } segment{memory, 5, 300};
  size_t size = sizeof segment;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_BUFFER_POINTER, &segment,
                   HIP_LAUNCH_PARAM_END};
  HIP_LAUNCH_CONFIG config{2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, 0};
  EXPECT_EQ(hipDrvLaunchKernelEx(&config, kernel("scale"), nullptr, extra), hipSuccess);
  void *parameters[] = {&memory, &by, &n};
  hipEvent_t start, stop;
  float ms = -1;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  EXPECT_EQ(hipExtModuleLaunchKernel(kernel("scale"), 512, 1, 1, 256, 1, 1, 0, nullptr, parameters,
                                     nullptr, start, stop),
            hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(
      hipModuleLaunchCooperativeKernel(kernel("scale"), 2, 1, 1, 256, 1, 1, 0, nullptr, parameters),
      hipSuccess);
  EXPECT_EQ(hipMemcpy(out.data(), memory, 1200, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(out, std::vector<float>(300, 3.0f * 2 * 5 * 2 * 2));
  char longer[64] = {};
  std::memcpy(longer, &segment, sizeof segment);
  extra[3] = longer;
  for (size = 0; size <= sizeof longer; ++size) // a part of an argument is none
    EXPECT_EQ(hipDrvLaunchKernelEx(&config, kernel("scale"), nullptr, extra),
              size < sizeof segment ? hipErrorInvalidValue : hipSuccess)
        << size;
  void *wrong[] = {&n, &n, HIP_LAUNCH_PARAM_END};
  EXPECT_EQ(hipDrvLaunchKernelEx(&config, kernel("scale"), nullptr, wrong), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvLaunchKernelEx(&config, kernel("scale"), parameters, extra),
            hipErrorInvalidValue);
  EXPECT_EQ(hipDrvLaunchKernelEx(nullptr, kernel("scale"), parameters, nullptr),
            hipErrorInvalidValue);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

TEST_F(HipLaunch, MemoryOfTheHostIsTheDevices) {
  float *pinned = nullptr, by = 4;
  int n = 3;
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void **>(&pinned), 16, 0), hipSuccess);
  pinned[0] = pinned[1] = pinned[2] = 1.5f;
  EXPECT_EQ(launch("scale", 1, 64, {&pinned, &by, &n}), hipSuccess);
  EXPECT_EQ(pinned[2], 6.0f);
  EXPECT_EQ(pinned[3], 0.0f);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
}

TEST_F(HipLaunch, VariablesOfAModule) {
  void *address = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(hipModuleGetGlobal(&address, &bytes, module, "counter"), hipSuccess);
  EXPECT_EQ(bytes, sizeof(int));
  int value = 0, seen = 0;
  EXPECT_EQ(hipMemcpyDtoH(&value, address, 4), hipSuccess);
  EXPECT_EQ(value, 5);
  value = 40;
  EXPECT_EQ(hipMemcpyHtoD(address, &value, 4), hipSuccess);
  EXPECT_EQ(launch("count", 1, 1, {&memory}), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoH(&seen, memory, 4), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoH(&value, address, 4), hipSuccess);
  EXPECT_EQ(seen, 40);
  EXPECT_EQ(value, 41);
  EXPECT_EQ(hipModuleGetGlobal(nullptr, nullptr, module, "counter"), hipSuccess);
  EXPECT_EQ(hipModuleGetGlobal(&address, &bytes, module, "none"), hipErrorNotFound);
  EXPECT_EQ(hipFree(address), hipErrorInvalidDevicePointer);
}

TEST_F(HipLaunch, LdsAttributesAndOccupancy) {
  int by = 3, value = 0;
  std::vector<int> out(256);
  unsigned offset = 0; // a local pointer is passed as an LDS offset behind the static part
  ASSERT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel("local_sum")),
            hipSuccess);
  EXPECT_EQ(value, 2048);
  offset = unsigned(value);
  EXPECT_EQ(launch("local_sum", 1, 256, {&memory, &offset, &by}, 1024), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoH(out.data(), memory, 1024), hipSuccess);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(out[size_t(i)], (255 - i) * 4);
  auto attribute = [&](const char *name, hipFunction_attribute which) {
    EXPECT_EQ(hipFuncGetAttribute(&value, which, kernel(name)), hipSuccess);
    return value;
  };
  EXPECT_EQ(attribute("scale", HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 256);
  EXPECT_EQ(attribute("scale", HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  EXPECT_EQ(attribute("local_sum", HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
            163840 - 2048);
  EXPECT_GT(attribute("scale", HIP_FUNC_ATTRIBUTE_NUM_REGS), 0);
  EXPECT_EQ(hipFuncGetAttribute(&value, hipFunction_attribute(99), kernel("scale")),
            hipErrorInvalidValue);
  auto blocks = [&](const char *name, int items, size_t lds) {
    EXPECT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel(name), items, lds),
              hipSuccess);
    return value;
  };
  EXPECT_EQ(blocks("scale", 64, 0), 32); // wave slots: 4 SIMDs of 8
  EXPECT_EQ(blocks("scale", 256, 0), 8);
  EXPECT_EQ(blocks("scale", 256, 40000), 4); // LDS: 40,960 of 163,840
  EXPECT_EQ(blocks("scale", 64, 163841), 0);
}

TEST_F(HipLaunch, RefusalsHaveTheirErrors) {
  float by = 2;
  int n = 4;
  std::vector<void *> good{&memory, &by, &n};
  EXPECT_EQ(launch("scale", 0, 64, good), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("scale", 1, 0, good), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("scale", 1, 2048, good), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("scale", 1, 512, good), hipErrorInvalidConfiguration); // compiled for 256
  EXPECT_EQ(launch("scale", 1, 64, good, 1 << 20), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("scale", 1, 64, {&memory, &by}), hipErrorInvalidValue); // one is missing
  hipFunction_t f = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&f, module, "none"), hipErrorNotFound);
  EXPECT_EQ(hipModuleLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, nullptr, good.data(), nullptr),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLaunchCooperativeKernel(kernel("scale"), 100000, 1, 1, 256, 1, 1, 0, nullptr,
                                             good.data()),
            hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(hipExtModuleLaunchKernel(kernel("scale"), 100, 1, 1, 64, 1, 1, 0, nullptr, good.data(),
                                     nullptr),
            hipErrorNotSupported);
}

TEST_F(HipLaunch, FaultsAreErrorsOfTheLaunch) {
  float by = 2;
  int n = 2000; // of 1,024
  ASSERT_EQ(hipMemset(memory, 0, 4096), hipSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch("scale", 8, 256, {&memory, &by, &n}), hipErrorIllegalAddress);
  std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("out-of-bounds"), std::string::npos);
  EXPECT_NE(report.find("kernel scale, workgroup (4, 0, 0)"), std::string::npos) << report;
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch("stop", 1, 64, {}), hipErrorLaunchFailure);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("trap"), std::string::npos);
  n = 1024;
  EXPECT_EQ(launch("scale", 4, 256, {&memory, &by, &n}), hipSuccess); // the device goes on
}

TEST_F(HipLaunch, MemoryIsUndefinedUntilItIsWritten) {
  auto reports = [&](float *x) {
    testing::internal::CaptureStderr();
    hipError_t error = launch("chosen", 1, 64, {&x});
    std::string report = testing::internal::GetCapturedStderr();
    EXPECT_EQ(error, report.empty() ? hipSuccess : hipErrorLaunchFailure) << report;
    return report.find("uninitialised") != std::string::npos;
  };
  EXPECT_TRUE(reports(memory));
  std::vector<int> x(64, 1);
  ASSERT_EQ(hipMemcpy(memory, x.data(), 128, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_TRUE(reports(memory)); // the other half
  ASSERT_EQ(hipMemset(reinterpret_cast<char *>(memory + 32) + 1, 0, 127), hipSuccess);
  EXPECT_TRUE(reports(memory)); // one byte
  ASSERT_EQ(hipMemsetD32(memory + 32, 0, 32), hipSuccess);
  EXPECT_FALSE(reports(memory));
  ASSERT_EQ(hipMemcpyDtoD(memory + 256, memory, 256), hipSuccess);
  EXPECT_FALSE(reports(memory + 256));
  EXPECT_TRUE(reports(memory + 512));
  // What is copied is as defined as it was; between devices, too.
  float *half = memory + 256 + 32;
  ASSERT_EQ(hipMemcpyDtoD(memory + 512, half + 160, 256), hipSuccess);
  EXPECT_TRUE(reports(memory + 512));
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  void *there = nullptr;
  ASSERT_EQ(hipMalloc(&there, 512), hipSuccess);
  ASSERT_EQ(hipMemcpy(there, half, 256, hipMemcpyDeviceToDevice), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  ASSERT_EQ(hipMemcpy(memory + 512, there, 128, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_TRUE(reports(memory + 512)); // half of it
  ASSERT_EQ(hipMemcpy(memory + 544, there, 128, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_FALSE(reports(memory + 512));
  ASSERT_EQ(hipFree(there), hipSuccess);
  // Copies and fills of rows leave what lies between them as it was.
  size_t pitch = 0;
  void *rows = nullptr;
  ASSERT_EQ(hipMallocPitch(&rows, &pitch, 128, 2), hipSuccess);
  ASSERT_EQ(hipMemset2D(rows, 128, 0, 64, 4), hipSuccess);
  EXPECT_TRUE(reports(static_cast<float *>(rows)));
  ASSERT_EQ(hipMemset2D(static_cast<char *>(rows) + 64, 128, 0, 64, 2), hipSuccess);
  EXPECT_FALSE(reports(static_cast<float *>(rows)));
  ASSERT_EQ(hipMemcpy2D(rows, 128, memory + 640, 128, 4, 1, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_TRUE(reports(static_cast<float *>(rows))); // as undefined as its source
  ASSERT_EQ(hipFree(rows), hipSuccess);
}

TEST_F(HipLaunch, ModulesFromMemoryFilesAndBundles) {
  hipModule_t m = nullptr;
  std::string path = std::string(FIXTURES) + "/kernels-gfx950.co";
  EXPECT_EQ(hipModuleLoad(&m, path.c_str()), hipSuccess);
  EXPECT_EQ(hipModuleUnload(m), hipSuccess);
  EXPECT_EQ(hipModuleUnload(m), hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLoad(&m, "/no/such/file"), hipErrorFileNotFound);
  EXPECT_EQ(hipModuleLoad(&m, FIXTURES), hipErrorInvalidImage); // a folder
  std::vector<char> other = object("gfx942");
  EXPECT_EQ(hipModuleLoadData(&m, other.data()), hipErrorNoBinaryForGpu);
  EXPECT_EQ(hipModuleLoadData(&m, "no ELF file at all, and long enough to look at"),
            hipErrorInvalidImage);
  EXPECT_EQ(hipModuleLoadData(&m, nullptr), hipErrorInvalidValue);

  // As clang-offload-bundler writes it: magic, count, (offset, size, name) each, contents.
  auto put = [](std::vector<char> &to, uint64_t v) {
    to.insert(to.end(), reinterpret_cast<char *>(&v), reinterpret_cast<char *>(&v) + 8);
  };
  auto bundle = [&](std::vector<std::pair<std::string, std::vector<char>>> entries) {
    std::string magic = "__CLANG_OFFLOAD_BUNDLE__";
    std::vector<char> bytes(magic.begin(), magic.end()), contents;
    put(bytes, entries.size());
    size_t offset = 4096;
    for (auto &[name, content] : entries) {
      put(bytes, offset + contents.size());
      put(bytes, content.size());
      put(bytes, name.size());
      bytes.insert(bytes.end(), name.begin(), name.end());
      contents.insert(contents.end(), content.begin(), content.end());
    }
    bytes.resize(offset);
    bytes.insert(bytes.end(), contents.begin(), contents.end());
    return bytes;
  };
  std::vector<char> both = bundle({{"host-x86_64-unknown-linux-gnu-", {}},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx942", other},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx950:xnack-", image}});
  std::vector<char> one = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", other}});
  for (int device : {0, 1}) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    EXPECT_EQ(hipModuleLoadDataEx(&m, both.data(), 0, nullptr, nullptr), hipSuccess);
    EXPECT_EQ(hipModuleUnload(m), hipSuccess);
    EXPECT_EQ(hipModuleLoadData(&m, one.data()), device == 1 ? hipSuccess : hipErrorNoBinaryForGpu);
  }
  EXPECT_EQ(hipModuleUnload(m), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}
