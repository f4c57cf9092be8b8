// More kernels for the simulated device, of kinds that compilers make hard: calls, tables, stacks that grow, atomics of
// every order and scope; more_kernels.cpp has what OpenCL forbids. Built at -O0, -O2 and -O3 and as code object 4, 5 and 6 (test_clang_more.py).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef half h2 __attribute__((ext_vector_type(2)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef char c16 __attribute__((ext_vector_type(16)));

#define TX ((int)__builtin_amdgcn_workitem_id_x())
#define TY ((int)__builtin_amdgcn_workitem_id_y())
#define BX ((int)__builtin_amdgcn_workgroup_id_x())
#define BY ((int)__builtin_amdgcn_workgroup_id_y())
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define NOINLINE __attribute__((noinline))
#define SYSTEM 0
#define DEVICE 1
#define WORKGROUP 2
#define WAVE 3
#define BARRIER()                                                                                    \
  do {                                                                                               \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                           \
    __builtin_amdgcn_s_barrier();                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                           \
  } while (0)

// --- Calls ----------------------------------------------------------------------------------------
NOINLINE int twice(int x) { return 2 * x; }
NOINLINE int squared(int x) { return x * x; }
NOINLINE int negated(int x) { return -x; }
typedef int (*Unary)(int);
// A table of functions, read at run time; lanes call different ones.
kernel WG(64) void indirect_calls(global int *out, global const int *x) {
  Unary table[3] = {twice, squared, negated};
  out[TX] = table[TX % 3](x[TX]);
}

// No padding: a copy of it would store what nobody wrote, and be reported.
typedef struct {
  double a;
  int b[5];
  int c;
} Record;
NOINLINE Record changed(Record r, int by) {
  r.a *= by;
  for (int i = 0; i < 5; ++i)
    r.b[i] += by * i;
  r.c ^= 0x55;
  return r;
}
kernel WG(64) void records(global Record *r, int by) {
  int i = BX * 64 + TX;
  r[i] = changed(r[i], by);
}
kernel WG(64) void struct_argument(global double *out, Record r) {
  out[TX] = r.a + r.b[TX % 5] + r.c;
}

// --- Memory ---------------------------------------------------------------------------------------
constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
global int counter = 5;
kernel WG(64) void tables(global int *out, global const int *x) {
  out[TX] = primes[x[TX] & 15] + counter;
}

// A stack array as long as an argument says.
kernel WG(64) void dynamic_stack(global int *out, int n) {
  int *values = (int *)__builtin_alloca(n * sizeof(int));
  for (int i = 0; i < n; ++i)
    values[i] = i * TX;
  int total = 0;
  for (int i = n - 1; i >= 0; --i)
    total = total * 3 + values[(i * 7) % n];
  out[TX] = total;
}

// One pointer for global, local and private memory.
NOINLINE int through(const int *p, int i) { return p[i]; }
kernel WG(64) void generic_pointers(global int *out, global const int *x) {
  local int there[64];
  int here[4];
  there[TX ^ 1] = 3 * x[TX];
  for (int i = 0; i < 4; ++i)
    here[i] = x[TX] + i;
  BARRIER();
  const int *p = TX % 3 == 0 ? (const int *)x : TX % 3 == 1 ? (const int *)there : (const int *)here;
  out[TX] = through(p, TX % 3 == 2 ? TX & 3 : TX);
}

kernel WG(64) void unaligned(global uchar *out, global const uchar *x) {
  typedef struct __attribute__((packed)) {
    uchar a;
    int b;
    short c;
  } Packed;
  global const Packed *p = (global const Packed *)x + TX;
  global Packed *q = (global Packed *)out + TX;
  q->a = p->a + 1;
  q->b = p->b * 3;
  q->c = p->c - 7;
}

kernel WG(64) void wide_copies(global c16 *out, global const c16 *x, global long *z,
                               global const long *y) {
  out[TX] = x[63 - TX];
  z[TX] = y[TX] << (TX & 31);
}

kernel WG(256) void buffer_ranges(global int *out, global int *x, int bytes) {
  __amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc(x, 0, bytes, 0x27000);
  out[TX] = __builtin_amdgcn_raw_buffer_load_b32(r, TX * 4 + 64, 0, 0);
}

// --- Workgroups -----------------------------------------------------------------------------------
kernel WG(256) void inclusive_scan(global int *out, global const int *x) {
  local int part[2][256];
  int at = 0;
  part[0][TX] = x[BX * 256 + TX];
  for (int step = 1; step < 256; step <<= 1) {
    BARRIER();
    part[1 - at][TX] = part[at][TX] + (TX >= step ? part[at][TX - step] : 0);
    at = 1 - at;
  }
  out[BX * 256 + TX] = part[at][TX];
}

kernel WG(256) void tiled_product(global float *c, global const float *a, global const float *b,
                                  int n) {
  local float ta[16][17], tb[16][17];
  int i = TX / 16, j = TX % 16, row = BY * 16 + i, column = BX * 16 + j;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[i][j] = a[row * n + k + j];
    tb[i][j] = b[(k + i) * n + column];
    BARRIER();
    for (int t = 0; t < 16; ++t)
      sum += ta[i][t] * tb[t][j];
    BARRIER();
  }
  c[row * n + column] = sum;
}

kernel WG(256) void radix_sort(global unsigned *x) {
  local unsigned keys[256], zeros[256];
  keys[TX] = x[TX];
  for (int bit = 0; bit < 32; ++bit) {
    BARRIER();
    unsigned key = keys[TX], one = key >> bit & 1;
    zeros[TX] = 1 - one;
    for (int step = 1; step < 256; step <<= 1) {
      BARRIER();
      unsigned v = TX >= step ? zeros[TX - step] : 0;
      BARRIER();
      zeros[TX] += v;
    }
    BARRIER();
    unsigned before = zeros[TX] - (1 - one), total = zeros[255];
    keys[one ? total + TX - before : before] = key;
  }
  BARRIER();
  x[TX] = keys[TX];
}

kernel void plane(global int *out, int width) { // two-dimensional workgroups and grids
  int x = BX * 16 + TX, y = BY * 4 + TY;
  out[y * width + x] = x * 1000 + y;
}

// --- Atomics --------------------------------------------------------------------------------------
kernel WG(64) void orders(global int *cells, global int *old) {
  __scoped_atomic_fetch_add(cells, 1, __ATOMIC_RELAXED, SYSTEM);
  __scoped_atomic_fetch_sub(cells + 1, TX, __ATOMIC_ACQUIRE, DEVICE);
  __scoped_atomic_fetch_or(cells + 2, 1 << (TX & 31), __ATOMIC_RELEASE, DEVICE);
  __scoped_atomic_fetch_and(cells + 3, ~(1 << (TX & 31)), __ATOMIC_ACQ_REL, SYSTEM);
  __scoped_atomic_fetch_xor(cells + 4, TX * 77, __ATOMIC_SEQ_CST, DEVICE);
  __scoped_atomic_fetch_max(cells + 5, TX - 20, __ATOMIC_RELAXED, DEVICE);
  __scoped_atomic_fetch_min(cells + 6, TX - 20, __ATOMIC_RELAXED, SYSTEM);
  __scoped_atomic_fetch_max((global unsigned *)cells + 7, (unsigned)-TX, __ATOMIC_RELAXED, DEVICE);
  old[TX] = __scoped_atomic_exchange_n(cells + 16 + TX, TX, __ATOMIC_ACQ_REL, WAVE);
  int expected = TX;
  bool swapped = __scoped_atomic_compare_exchange_n(cells + 16 + TX, &expected, -TX, false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE, WORKGROUP);
  old[64 + TX] = swapped ? expected : 12345;
}
kernel WG(64) void wide_atomics(global long *cells, global double *sums, global float *floats) {
  __scoped_atomic_fetch_add(cells, 1L << 33, __ATOMIC_RELAXED, DEVICE);
  __scoped_atomic_fetch_max(cells + 1, (long)TX << 34, __ATOMIC_RELAXED, DEVICE);
  __scoped_atomic_fetch_add(sums + (TX & 1), 0.5, __ATOMIC_RELAXED, DEVICE);
  __scoped_atomic_fetch_add(floats + (TX & 3), 1.0f, __ATOMIC_RELAXED, DEVICE);
}
kernel WG(256) void lds_atomics(global int *out) {
  local int cells[4];
  local long wide;
  if (TX < 4)
    cells[TX] = 0;
  if (TX == 0)
    wide = 0;
  BARRIER();
  __scoped_atomic_fetch_add(&cells[TX & 1], TX, __ATOMIC_RELAXED, WORKGROUP);
  __scoped_atomic_fetch_max(&cells[2], TX, __ATOMIC_ACQ_REL, WORKGROUP);
  __scoped_atomic_fetch_xor(&cells[3], 1 << (TX & 31), __ATOMIC_SEQ_CST, WORKGROUP);
  __scoped_atomic_fetch_add(&wide, (long)TX << 32, __ATOMIC_RELAXED, WORKGROUP);
  BARRIER();
  if (TX < 4)
    out[TX] = cells[TX];
  if (TX == 4)
    out[4] = (int)(wide >> 32);
}
// Each workgroup waits for its turn.
kernel WG(64) void turns(global int *order, global int *turn) {
  if (TX == 0) {
    while (__scoped_atomic_load_n(turn, __ATOMIC_ACQUIRE, DEVICE) != BX)
      __builtin_amdgcn_s_sleep(1);
    order[BX] = __scoped_atomic_fetch_add(order + 16, 1, __ATOMIC_RELAXED, DEVICE);
    __scoped_atomic_store_n(turn, BX + 1, __ATOMIC_RELEASE, DEVICE);
  }
}

// --- Arithmetic -----------------------------------------------------------------------------------
kernel WG(64) void packed_math(global h2 *h, global s2 *s, global f2 *f) {
  h[TX] = h[TX] * h[TX] + (h2)(1, -2);
  s[TX] = __builtin_elementwise_max(s[TX] * (short)3, (s2)(-100, 100)) >> (s2)(1, 2);
  f[TX] = f[TX] * (f2)(2, 3) + f[TX].yx;
}
kernel WG(64) void doubles(global double *x, global const double *y) {
  double a = x[TX], b = y[TX];
  double r = a > b ? __builtin_sqrt(a - b) : __builtin_floor(a) - b;
  x[TX] = __builtin_fma(r, b, (double)(int)(a * 1000)) + (double)(long)(b * 1e12) + (float)a;
}
kernel WG(64) void conversions(global int *out, global const float *x) {
  float v = x[TX];
  out[TX] = (int)v;
  out[64 + TX] = (int)(uint)__builtin_fabsf(v);
  out[128 + TX] = __builtin_bit_cast(int, (float)(half)v);
  out[192 + TX] = (int)(long)(v * 1e6f);
  out[256 + TX] = (int)(uchar)(int)v + (int)(short)(int)v;
}
kernel WG(64) void bits(global unsigned *out, global const unsigned *x) {
  unsigned v = x[TX];
  out[TX] = __builtin_popcount(v);
  out[64 + TX] = v ? __builtin_clz(v) : 32;
  out[128 + TX] = v ? __builtin_ctz(v) : 32;
  out[192 + TX] = __builtin_bitreverse32(v);
  out[256 + TX] = __builtin_rotateleft32(v, TX & 31);
  out[320 + TX] = __builtin_bswap32(v);
  out[384 + TX] = (unsigned)((ulong)v * 0x9e3779b97f4a7c15ul >> 40);
}
kernel WG(64) void switches(global int *out, global const int *x) {
  int v = x[TX];
  switch (v & 7) {
  case 0: v += 1; break;
  case 1: v *= 3; // and on
  case 2: v -= 5; break;
  case 5: v = v / 7; break;
  case 6: v = v % 11; break;
  default: v = ~v;
  }
  for (int i = 0; i < (v & 15); ++i) {
    if (i == 9)
      break;
    if (i & 1)
      continue;
    v += i;
  }
  out[TX] = v;
}
kernel WG(64) void wave_reduction(global float *out, global const float *x) {
  float v = x[BX * 64 + TX];
  for (int step = 32; step; step >>= 1)
    v += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((TX ^ step) << 2, __builtin_bit_cast(int, v)));
  if (TX == 0)
    out[BX] = v;
}
kernel WG(64) void dpp_maximum(global int *out, global const int *x) {
  int v = x[TX];
  v = __builtin_elementwise_max(v, __builtin_amdgcn_update_dpp(v, v, 0x111, 15, 15, 0)); // row_shr:1
  v = __builtin_elementwise_max(v, __builtin_amdgcn_update_dpp(v, v, 0x112, 15, 15, 0));
  v = __builtin_elementwise_max(v, __builtin_amdgcn_update_dpp(v, v, 0x114, 15, 15, 0));
  v = __builtin_elementwise_max(v, __builtin_amdgcn_update_dpp(v, v, 0x118, 15, 15, 0));
  out[TX] = v;
}
