// Kernels that clang compiles for the simulated device: plain OpenCL C with compiler builtins, no libraries.
// Each computes something that NumPy can check (test_clang.py).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef short s4 __attribute__((ext_vector_type(4)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));

#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define GLOBAL_ID (BX * 256 + TX)
#define DEVICE_SCOPE 1
#define BARRIER()                                                                                    \
  do {                                                                                               \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                           \
    __builtin_amdgcn_s_barrier();                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                           \
  } while (0)

kernel WG(256) void vector_add(global float *out, global const float *a, global const float *b,
                               int n) {
  int i = GLOBAL_ID;
  if (i < n)
    out[i] = a[i] + b[i];
}

kernel WG(256) void saxpy_double(global double *y, global const double *x, double a, int n) {
  int i = GLOBAL_ID;
  if (i < n)
    y[i] = __builtin_fma(a, x[i], y[i]);
}

// One sum a workgroup: a tree in LDS.
kernel WG(256) void block_sum(global float *out, global const float *x, int n) {
  local float part[256];
  int i = GLOBAL_ID;
  part[TX] = i < n ? x[i] : 0.0f;
  for (int step = 128; step > 0; step >>= 1) {
    BARRIER();
    if (TX < step)
      part[TX] += part[TX + step];
  }
  if (TX == 0)
    out[BX] = part[0];
}

kernel WG(256) void histogram(global int *bins, global const int *x, int n) {
  int i = GLOBAL_ID;
  if (i < n)
    __scoped_atomic_fetch_add(bins + x[i], 1, __ATOMIC_RELAXED, DEVICE_SCOPE);
}

kernel WG(256) void lds_histogram(global int *bins, global const int *x, int n) {
  local int count[64];
  if (TX < 64)
    count[TX] = 0;
  BARRIER();
  int i = GLOBAL_ID;
  if (i < n)
    __scoped_atomic_fetch_add(count + (x[i] & 63), 1, __ATOMIC_RELAXED, 2);
  BARRIER();
  if (TX < 64)
    __scoped_atomic_fetch_add(bins + TX, count[TX], __ATOMIC_RELAXED, DEVICE_SCOPE);
}

// A loop whose length differs from lane to lane.
kernel WG(256) void collatz(global int *steps, global const unsigned *start, int n) {
  int i = GLOBAL_ID;
  if (i >= n)
    return;
  unsigned value = start[i];
  int count = 0;
  while (value != 1) {
    value = value & 1 ? 3 * value + 1 : value >> 1;
    ++count;
  }
  steps[i] = count;
}

kernel WG(256) void divide(global int *quotient, global int *rest, global const int *a,
                           global const int *b, int n) {
  int i = GLOBAL_ID;
  if (i < n) {
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
  }
}

kernel WG(256) void divide_float(global float *out, global const float *a, global const float *b,
                                 int n) {
  int i = GLOBAL_ID;
  if (i < n)
    out[i] = a[i] / b[i];
}

kernel WG(256) void divide_long(global long *out, global const long *a, global const long *b,
                                int n) {
  int i = GLOBAL_ID;
  if (i < n)
    out[i] = a[i] / b[i] + a[i] % b[i];
}

// 32x32 tiles through LDS, padded against bank conflicts.
kernel WG(256) void transpose(global short *out, global const short *x, int rows, int columns) {
  local short tile[32][33];
  int tiles = columns / 32, row0 = BX / tiles * 32, column0 = BX % tiles * 32;
  for (int i = TX; i < 1024; i += 256)
    tile[i / 32][i % 32] = x[(row0 + i / 32) * columns + column0 + i % 32];
  BARRIER();
  for (int i = TX; i < 1024; i += 256)
    out[(column0 + i / 32) * rows + row0 + i % 32] = tile[i % 32][i / 32];
}

// One wave, C (16x16) = A (16xK) · B (16xK)ᵀ.
kernel WG(64) void mfma_f16(global float *c, global const h4 *a, global const h4 *b, int k) {
  f4 sum = 0;
  for (int i = 0; i < k; i += 16) {
    int at = (TX & 15) * (k / 4) + i / 4 + TX / 16;
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a[at], b[at], sum, 0, 0, 0);
  }
  for (int r = 0; r < 4; ++r)
    c[(TX / 16 * 4 + r) * 16 + (TX & 15)] = sum[r];
}

// Four waves, C (64x64) = A (64xK) · B (64xK)ᵀ in bf16, 32x32 tiles.
kernel WG(256) void mfma_bf16(global float *c, global const s4 *a, global const s4 *b, int k) {
  int wave = TX >> 6, lane = TX & 63, row0 = (wave >> 1) * 32, column0 = (wave & 1) * 32;
  f16v sum = 0;
  for (int i = 0; i < k; i += 8) {
    int chunk = i / 4 + lane / 32;
    s4 left = a[(row0 + (lane & 31)) * (k / 4) + chunk];
    s4 right = b[(column0 + (lane & 31)) * (k / 4) + chunk];
    sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(left, right, sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; ++r)
    c[(row0 + r / 4 * 8 + lane / 32 * 4 + r % 4) * 64 + column0 + (lane & 31)] = sum[r];
}

// Private memory indexed at run time.
kernel WG(256) void scratch_rotate(global int *out, global const int *x, int by) {
  int values[16];
  for (int i = 0; i < 16; ++i)
    values[i] = x[i * 256 + TX];
  for (int i = 0; i < 16; ++i)
    out[i * 256 + TX] = values[(i + by + (int)TX) & 15];
}

kernel WG(256) void half_fma(global half *out, global const half *a, global const half *b, int n) {
  int i = GLOBAL_ID;
  if (i < n)
    out[i] = a[i] * b[i] + a[i];
}

// An exclusive count of set flags before each lane, within a wave.
kernel WG(256) void ballot_rank(global int *out, global const int *x) {
  unsigned long mask = __builtin_amdgcn_ballot_w64(x[GLOBAL_ID] > 0);
  unsigned low = (unsigned)mask, high = (unsigned)(mask >> 32);
  out[GLOBAL_ID] = __builtin_amdgcn_mbcnt_hi(high, __builtin_amdgcn_mbcnt_lo(low, 0));
}

kernel WG(256) void reverse_wave(global int *out, global const int *x) {
  int lane = TX & 63;
  out[GLOBAL_ID] = __builtin_amdgcn_ds_bpermute((63 - lane) << 2, x[GLOBAL_ID]);
}
