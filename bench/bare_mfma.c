/* What the host could do at best: the arithmetic of v_mfma_f32_16x16x32_bf16 (f32 operands in
 * memory, nothing decoded, nothing checked), and the core's peak of fused multiply-adds. Prints
 * matrix instructions a CPU second of the loop, and of the peak. */
#include <immintrin.h>
#include <stdio.h>
#include <time.h>

#if defined(__AVX512F__)
typedef __m512 vec;
enum { LANES = 16, ROWS = 16 }; /* of C at a time: what the registers hold */
#define FMA _mm512_fmadd_ps
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define SET _mm512_set1_ps
#else
typedef __m256 vec;
enum { LANES = 8, ROWS = 8 };
#define FMA _mm256_fmadd_ps
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define SET _mm256_set1_ps
#endif
enum { M = 16, N = 16, K = 32, REPEAT = 400000 };

static _Alignas(64) float a[K][M], b[K][N], c[M][N];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* C += A · B for ROWS x LANES of C. The empty asm keeps the pointers in registers that move:
 * indexed operands are split in two by the core. */
static inline void part(const float *pa, const float *pb, float *pc) {
  vec acc[ROWS];
#pragma clang loop unroll(full)
  for (int i = 0; i < ROWS; ++i)
    acc[i] = LOAD(pc + i * N);
#pragma clang loop unroll(disable)
  for (int k = 0; k < K; ++k) {
    vec row = LOAD(pb);
#pragma clang loop unroll(full)
    for (int i = 0; i < ROWS; ++i)
      acc[i] = FMA(SET(pa[i]), row, acc[i]);
    pa += M;
    pb += N;
    __asm__ volatile("" : "+r"(pa), "+r"(pb));
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < ROWS; ++i)
    STORE(pc + i * N, acc[i]);
}

static double matrices(void) {
  double start = now();
  for (int n = 0; n < REPEAT; ++n) {
    for (int i = 0; i < M; i += ROWS)
      for (int j = 0; j < N; j += LANES)
        part(&a[0][i], &b[0][j], &c[i][j]);
    __asm__ volatile("" ::: "memory");
  }
  return REPEAT / (now() - start);
}

static double peak(void) {
  enum { CHAINS = 12 }; /* more than latency times ports, fewer than registers */
  const long rounds = (long)REPEAT * M * N * K / LANES / CHAINS;
  vec acc[CHAINS], x = SET(0.5f), y = SET(1.0f);
  for (int i = 0; i < CHAINS; ++i)
    acc[i] = SET((float)i);
  double start = now();
  for (long n = 0; n < rounds; ++n) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; ++i) {
      acc[i] = FMA(acc[i], x, y);
      __asm__ volatile("" : "+v"(acc[i]));
    }
  }
  double seconds = now() - start;
  for (int i = 0; i < CHAINS; ++i)
    STORE(&c[i][0], acc[i]);
  return REPEAT / seconds;
}

int main(void) {
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < M; ++i)
      a[k][i] = 0.001f * (float)(k + i), b[k][i] = 0.002f * (float)(k - i);
  double loop = 0, most = 0; /* the best of several: other programs only slow them down */
  for (int turn = 0; turn < 5; ++turn) {
    double l = matrices(), p = peak();
    loop = l > loop ? l : loop;
    most = p > most ? p : most;
  }
  printf("%.6g %.6g\n", loop, most);
  return c[3][3] == 12345.0f;
}
