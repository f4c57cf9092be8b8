/* A GEMM that was compiled ahead of time, launched from C: no Python, no compiler, no LLVM.
 *
 *   tegula compile tegula.kernels:gemm --signature a=bf16@2 'b=bf16:1,?@2' c=f32@4 -o out
 *   cc -I PREFIX/include -I out examples/aot_gemm/main.c -o aot_gemm \
 *      -L PREFIX/lib -ltegula-runtime -Wl,-rpath,PREFIX/lib
 *   ./aot_gemm out sim:gfx950 100 200 300
 *
 * PREFIX is python/tegula/_native after `make build`.
 */
#include "gemm.h"

#include <stdint.h>
#include <stdlib.h>

/* Ends the program with the runtime's own words when a call fails. */
static void check(tgr_status status) {
  if (status == TGR_SUCCESS)
    return;
  fprintf(stderr, "%s: %s\n", tgr_status_name(status), tgr_last_error());
  exit(1);
}

/* Small integers are exact in bf16: its bits are the upper half of the float's. */
static uint16_t bf16_of(int value) {
  float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static int a_of(int64_t m, int64_t k) { return (int)((3 * m + 5 * k) % 7) - 3; }
static int b_of(int64_t k, int64_t n) { return (int)((2 * k + 7 * n) % 5) - 2; }

/* Memory of the device, filled from the host's, which is freed. */
static void *upload(tgr_device *device, void *host, size_t bytes) {
  void *pointer = NULL;
  check(tgr_malloc(device, bytes, &pointer));
  check(tgr_copy_to_device(device, pointer, host, bytes));
  free(host);
  return pointer;
}

static void *filled(tgr_device *device, int64_t rows, int64_t columns, int (*f)(int64_t, int64_t)) {
  uint16_t *host = malloc((size_t)(rows * columns) * sizeof *host);
  for (int64_t i = 0; i < rows * columns; ++i)
    host[i] = bf16_of(f(i / columns, i % columns));
  return upload(device, host, (size_t)(rows * columns) * sizeof *host);
}

static int b_transposed(int64_t n, int64_t k) { return b_of(k, n); }

static int64_t count_wrong(const float *c, int64_t M, int64_t N, int64_t K) {
  int64_t wrong = 0;
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      int64_t sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += a_of(m, k) * b_of(k, n);
      wrong += c[m * N + n] != (float)sum;
    }
  return wrong;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: %s FOLDER DEVICE M N K\n", argv[0]);
    return 2;
  }
  const int64_t M = atoll(argv[3]), N = atoll(argv[4]), K = atoll(argv[5]);
  tgr_device *device;
  tgr_program *program;
  check(tgr_device_open(argv[2], NULL, &device));
  check(gemm_open(device, argv[1], &program));

  float *c = calloc((size_t)(M * N), sizeof *c);
  gemm_args args = {.a = filled(device, M, K, a_of),
                    .b = filled(device, N, K, b_transposed), /* the K axis has stride 1 */
                    .M = M,
                    .N = N,
                    .K = K,
                    .a_stride0 = K,
                    .b_stride1 = K,
                    .c_stride0 = N};
  void *device_c;
  check(tgr_malloc(device, (size_t)(M * N) * sizeof *c, &device_c));
  args.c = device_c;

  tgr_plan plan;
  check(gemm_plan(program, &args, &plan));
  printf("variant %u: %u workgroups of %u\n", plan.variant, plan.grid.x, plan.block.x);
  check(gemm_launch(program, &args, NULL));
  check(tgr_synchronize(device, NULL));
  check(tgr_copy_to_host(device, c, device_c, (size_t)(M * N) * sizeof *c));
  int64_t wrong = count_wrong(c, M, N, K);
  printf("%lld of %lld elements are wrong\n", (long long)wrong, (long long)(M * N));

  args.K = -1; /* what no variant serves is refused, by argument */
  printf("refused: %s\n", gemm_launch(program, &args, NULL) ? tgr_last_error() : "no");

  free(c);
  check(tgr_free(device, (void *)(uintptr_t)args.a));
  check(tgr_free(device, (void *)(uintptr_t)args.b));
  check(tgr_free(device, device_c));
  check(tgr_program_close(program));
  check(tgr_device_close(device));
  return wrong != 0;
}
