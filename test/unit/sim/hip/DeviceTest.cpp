// Devices, errors, streams and events of the HIP shim.
#include <cstring>
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <set>
#include <string>
#include <thread>

TEST(Hip, DevicesAreOneOfEachTarget) {
  int count = 0, version = 0;
  EXPECT_EQ(hipInit(0), hipSuccess);
  EXPECT_EQ(hipInit(1), hipErrorInvalidValue);
  EXPECT_EQ(hipGetDeviceCount(&count), hipSuccess);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(hipDriverGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 10000000, 7);
  const struct {
    const char *arch;
    int minor, units, lds;
    size_t gib;
  } expected[] = {{"gfx950:", 5, 256, 163840, 288}, {"gfx942:", 4, 304, 65536, 192}};
  for (int d = 0; d < 2; ++d) {
    hipDeviceProp_t p;
    ASSERT_EQ(hipGetDeviceProperties(&p, d), hipSuccess);
    EXPECT_EQ(std::string(p.gcnArchName).rfind(expected[d].arch, 0), 0u);
    EXPECT_EQ(p.major, 9);
    EXPECT_EQ(p.minor, expected[d].minor);
    EXPECT_EQ(p.multiProcessorCount, expected[d].units);
    EXPECT_EQ(p.sharedMemPerBlock, size_t(expected[d].lds));
    EXPECT_EQ(p.totalGlobalMem, expected[d].gib << 30);
    EXPECT_EQ(p.warpSize, 64);
    EXPECT_EQ(p.memPitch, size_t(INT32_MAX));
    EXPECT_EQ(p.texturePitchAlignment, 256u);
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    int value = 0;
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, d), hipSuccess);
    EXPECT_EQ(value, expected[d].units);
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, d),
              hipSuccess);
    EXPECT_EQ(value, expected[d].lds);
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeNumberOfXccs, d), hipSuccess);
    EXPECT_EQ(value, 8);
  }
  hipDeviceProp_t p;
  EXPECT_EQ(hipGetDeviceProperties(&p, 2), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttribute_t(9998), 0), hipErrorInvalidValue);
  char name[8];
  EXPECT_EQ(hipDeviceGetName(name, sizeof name, 0), hipSuccess);
  EXPECT_STREQ(name, "Tegula ");
}

TEST(Hip, TheCurrentDeviceIsTheThreads) {
  int device = -1;
  EXPECT_EQ(hipSetDevice(1), hipSuccess);
  std::thread([] {
    int other = -1;
    EXPECT_EQ(hipGetDevice(&other), hipSuccess);
    EXPECT_EQ(other, 0);
  }).join();
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(0), hipSuccess);
}

TEST(Hip, TheLastErrorIsTheThreads) {
  (void)hipGetLastError();
  EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(0), hipSuccess); // success leaves it
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(hipPeekAtLastError(), hipSuccess); }).join();
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST(Hip, EveryErrorHasItsNameAndSentence) {
  std::set<std::string> names, sentences;
  unsigned known = 0;
  for (int e = 0; e < 1100; ++e) {
    std::string name = hipGetErrorName(hipError_t(e));
    if (name == "hipErrorUnknown" && e != hipErrorUnknown)
      continue;
    ++known;
    names.insert(name);
    sentences.insert(hipGetErrorString(hipError_t(e)));
  }
  EXPECT_EQ(known, 31u);
  EXPECT_EQ(names.size(), known);
  EXPECT_EQ(sentences.size(), known);
  EXPECT_STREQ(hipGetErrorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu");
  const char *text = nullptr;
  EXPECT_EQ(hipDrvGetErrorString(hipErrorOutOfMemory, &text), hipSuccess);
  EXPECT_STREQ(text, "out of memory");
}

TEST(Hip, EventsMeasureTheHostsTime) {
  hipEvent_t start, stop, untimed;
  float ms = -1;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreateWithFlags(&stop, hipEventDefault), hipSuccess);
  ASSERT_EQ(hipEventCreateWithFlags(&untimed, hipEventDisableTiming), hipSuccess);
  EXPECT_EQ(hipEventCreateWithFlags(&untimed, 0x1000), hipErrorInvalidValue);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle); // not recorded
  auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(hipEventRecord(stop, hipStreamPerThread), hipSuccess);
  std::chrono::duration<float, std::milli> around = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
  EXPECT_EQ(hipEventQuery(stop), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GE(ms, 5);
  EXPECT_LE(ms, around.count());
  EXPECT_EQ(hipEventElapsedTime(&ms, stop, start), hipSuccess);
  EXPECT_LE(ms, -5);
  EXPECT_EQ(hipEventRecord(untimed, nullptr), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
  for (hipEvent_t e : {start, stop, untimed})
    EXPECT_EQ(hipEventDestroy(e), hipSuccess);
  EXPECT_EQ(hipEventDestroy(start), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventRecord(start, nullptr), hipErrorInvalidHandle);
}

TEST(Hip, StreamsAreInOrderAndCheckTheirHandles) {
  hipStream_t a, b;
  hipEvent_t event;
  ASSERT_EQ(hipStreamCreate(&a), hipSuccess);
  ASSERT_EQ(hipStreamCreateWithPriority(&b, hipStreamNonBlocking, -1), hipSuccess);
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(b, event, 0), hipSuccess);
  std::string order;
  auto append = [](void *user) {
    *static_cast<std::string *>(user) += 'f';
    int device = -1; // the host's function may call HIP
    EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  };
  auto callback = [](hipStream_t, hipError_t status, void *user) {
    EXPECT_EQ(status, hipSuccess);
    *static_cast<std::string *>(user) += 'c';
  };
  EXPECT_EQ(hipLaunchHostFunc(a, append, &order), hipSuccess);
  EXPECT_EQ(hipStreamAddCallback(b, callback, &order, 0), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(a), hipSuccess);
  EXPECT_EQ(hipStreamQuery(b), hipSuccess);
  hipStreamCaptureStatus capture = hipStreamCaptureStatusActive;
  EXPECT_EQ(hipStreamIsCapturing(b, &capture), hipSuccess);
  EXPECT_EQ(capture, hipStreamCaptureStatusNone);
  EXPECT_EQ(order, "fc");
  EXPECT_EQ(hipStreamDestroy(a), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(a), hipErrorInvalidHandle);
  EXPECT_EQ(hipLaunchHostFunc(a, append, &order), hipErrorInvalidHandle);
  EXPECT_EQ(order, "fc");
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(b), hipSuccess);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
}

TEST(Hip, ProceduresByName) {
  void *function = nullptr;
  hipDriverProcAddressQueryResult result;
  EXPECT_EQ(hipGetProcAddress("hipMalloc", &function, 701, 0, &result), hipSuccess);
  EXPECT_EQ(function, reinterpret_cast<void *>(&hipMalloc));
  EXPECT_EQ(result, HIP_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_EQ(hipGetProcAddress("hipGetDeviceProperties", &function, 701, 0, nullptr), hipSuccess);
  EXPECT_EQ(function, reinterpret_cast<void *>(&hipGetDevicePropertiesR0600));
  EXPECT_EQ(hipGetProcAddress("hipNoSuchFunction", &function, 701, 0, &result),
            hipErrorInvalidValue);
  EXPECT_EQ(result, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
}
