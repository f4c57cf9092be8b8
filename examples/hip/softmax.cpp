// A HIP host program: the softmax of Tegula and that of Triton, launched through HIP's module API
// on the same rows, timed with events, compared with each other and with the host's own.
//
//   softmax TEGULA.co TRITON.co TRITON_KERNEL TRITON_LDS_BYTES [DEVICE]
//
// It is built without ROCm and runs on simulated devices (lib/Sim/HipShim/README.md); with ROCm's
// libamdhip64 first on the library path it runs on a GPU. The times are those of
// hipEventElapsedTime: on a simulated device, how long this host took to simulate.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime_api.h>
#include <vector>

namespace {
constexpr int32_t kRows = 8, kColumns = 256; // Tegula's object was compiled for rows of 256

void check(hipError_t error, const char *call) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s, %s\n", call, hipGetErrorName(error), hipGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

std::vector<float> softmaxOnHost(const std::vector<float> &x) {
  std::vector<float> out(x.size());
  for (int row = 0; row < kRows; ++row) {
    const float *in = &x[size_t(row) * kColumns];
    double sum = 0;
    for (int i = 0; i < kColumns; ++i)
      sum += std::exp(double(in[i]));
    for (int i = 0; i < kColumns; ++i)
      out[size_t(row) * kColumns + size_t(i)] = float(std::exp(double(in[i])) / sum);
  }
  return out;
}

/// Tegula's kernarg segment, as its manifest gives it: packed by hand, passed as `extra`.
void launchTegula(hipFunction_t kernel, hipStream_t stream, void *x, void *out) {
  struct {
    void *x, *out;
    int32_t rows, padding;
    int64_t rowStrideOfX, rowStrideOfOut;
  } segment = {x, out, kRows, 0, kColumns, kColumns};
  size_t bytes = sizeof segment;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &segment, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  CHECK(hipModuleLaunchKernel(kernel, kRows, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
}

/// Triton's parameters one by one, two null scratch pointers last; 4 waves.
void launchTriton(hipFunction_t kernel, unsigned lds, hipStream_t stream, void *x, void *out) {
  int32_t columns = kColumns;
  void *scratch = nullptr;
  void *parameters[] = {&out, &x, &columns, &scratch, &scratch};
  CHECK(hipModuleLaunchKernel(kernel, kRows, 1, 1, 256, 1, 1, lds, stream, parameters, nullptr));
}

float largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= largest)) // a NaN counts
      largest = std::fabs(a[i] - b[i]);
  return largest;
}

/// Allocates, copies in, launches between two events, copies out.
template <class Launch>
std::vector<float> timed(const char *name, const std::vector<float> &x, Launch launch) {
  size_t bytes = x.size() * sizeof(float);
  void *in = nullptr, *out = nullptr;
  hipStream_t stream;
  hipEvent_t start, stop;
  CHECK(hipMalloc(&in, bytes));
  CHECK(hipMalloc(&out, bytes));
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipMemcpyAsync(in, x.data(), bytes, hipMemcpyHostToDevice, stream));
  CHECK(hipMemsetAsync(out, 0xff, bytes, stream));
  CHECK(hipEventRecord(start, stream));
  launch(stream, in, out);
  CHECK(hipEventRecord(stop, stream));
  std::vector<float> result(x.size());
  CHECK(hipMemcpyAsync(result.data(), out, bytes, hipMemcpyDeviceToHost, stream));
  CHECK(hipStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  std::printf("%s: %.3f ms\n", name, milliseconds);
  CHECK(hipEventDestroy(start));
  CHECK(hipEventDestroy(stop));
  CHECK(hipStreamDestroy(stream));
  CHECK(hipFree(in));
  CHECK(hipFree(out));
  return result;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 5)
    return std::fprintf(
               stderr,
               "usage: softmax TEGULA.co TRITON.co TRITON_KERNEL TRITON_LDS_BYTES [DEVICE]\n"),
           2;
  int device = argc > 5 ? std::atoi(argv[5]) : 0;
  hipDeviceProp_t properties;
  CHECK(hipInit(0));
  CHECK(hipSetDevice(device));
  CHECK(hipGetDeviceProperties(&properties, device));
  std::printf("device %d: %s, %s, %d compute units\n", device, properties.name,
              properties.gcnArchName, properties.multiProcessorCount);

  hipModule_t tegula, triton;
  hipFunction_t tegulaKernel, tritonKernel;
  CHECK(hipModuleLoad(&tegula, argv[1]));
  CHECK(hipModuleGetFunction(&tegulaKernel, tegula, "softmax"));
  CHECK(hipModuleLoad(&triton, argv[2]));
  CHECK(hipModuleGetFunction(&tritonKernel, triton, argv[3]));

  std::vector<float> x(size_t(kRows) * kColumns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 2654435761u % 1000) - 500) / 100.0f;
  std::vector<float> expected = softmaxOnHost(x);
  auto ours = timed("tegula", x, [&](hipStream_t stream, void *in, void *out) {
    launchTegula(tegulaKernel, stream, in, out);
  });
  auto theirs = timed("triton", x, [&](hipStream_t stream, void *in, void *out) {
    launchTriton(tritonKernel, unsigned(std::atoi(argv[4])), stream, in, out);
  });
  float a = largestDifference(ours, expected), b = largestDifference(theirs, expected);
  std::printf("largest difference: tegula %.3g, triton %.3g\n", a, b);
  CHECK(hipModuleUnload(tegula));
  CHECK(hipModuleUnload(triton));
  CHECK(hipDeviceSynchronize());
  return a <= 1e-6f && b <= 1e-6f ? 0 : 1;
}
