// Small kernels whose results are known exactly.
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define BARRIER()                                                                                  \
  do {                                                                                             \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                         \
  } while (0)

kernel WG(256) void vector_add(global float *out, global const float *a, global const float *b, int n) {
  int i = BX * 256 + TX;
  if (i < n)
    out[i] = a[i] + b[i];
}

kernel WG(256) void block_sum(global float *out, global const float *x) {
  local float t[256];
  t[TX] = x[BX * 256 + TX];
  BARRIER();
  for (int s = 128; s > 0; s >>= 1) {
    if (TX < s)
      t[TX] += t[TX + s];
    BARRIER();
  }
  if (TX == 0)
    out[BX] = t[0];
}

kernel WG(256) void collatz(global int *steps, global const unsigned *start, int n) {
  int i = BX * 256 + TX;
  if (i >= n)
    return;
  unsigned v = start[i];
  int k = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    ++k;
  }
  steps[i] = k;
}

kernel WG(256) void histogram(global int *bins, global const int *x, int n) {
  int i = BX * 256 + TX;
  if (i < n)
    __scoped_atomic_fetch_add(&bins[x[i]], 1, __ATOMIC_RELAXED, 1);
}

kernel WG(256) void lds_histogram(global int *bins, global const int *x, int n) {
  local int mine[64];
  if (TX < 64)
    mine[TX] = 0;
  BARRIER();
  int i = BX * 256 + TX;
  if (i < n)
    __scoped_atomic_fetch_add(&mine[x[i]], 1, __ATOMIC_RELAXED, 2);
  BARRIER();
  if (TX < 64)
    __scoped_atomic_fetch_add(&bins[TX], mine[TX], __ATOMIC_RELAXED, 1);
}

kernel WG(64) void divide(global float *q, global const float *a, global const float *b) {
  int i = BX * 64 + TX;
  q[i] = a[i] / b[i];
}

kernel WG(64) void divide64(global double *q, global const double *a, global const double *b) {
  int i = BX * 64 + TX;
  q[i] = a[i] / b[i];
}

kernel WG(64) void integers(global long *out, global const long *a, global const long *b) {
  int i = BX * 64 + TX;
  long x = a[i], y = b[i];
  global long *o = out + i * 8;
  o[0] = x * y;
  o[1] = x / y;
  o[2] = (unsigned long)x % (unsigned long)y;
  o[3] = (x >> (y & 63)) ^ (x << (y & 31));
  o[4] = (int)x / ((int)y | 1);
  o[5] = __builtin_popcountl(x) + __builtin_clzl(x | 1) + __builtin_ctzl(y | 1);
  o[6] = (int)x * (long)(int)y;
  o[7] = x < y ? x : y;
}

kernel WG(64) void scratch(global int *out, global const int *index) {
  int a[32];
  for (int i = 0; i < 32; ++i)
    a[i] = i * 3 + TX;
  a[index[TX] & 31] += 1000;
  int s = 0;
  for (int i = 0; i < 32; ++i)
    s += a[(i * index[TX]) & 31] * (i + 1);
  out[TX] = s;
}

kernel void grid_ids(global int *out) {
  int x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y(), z = __builtin_amdgcn_workgroup_id_z();
  int lx = TX, ly = __builtin_amdgcn_workitem_id_y(), lz = __builtin_amdgcn_workitem_id_z();
  int sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y(), sz = __builtin_amdgcn_workgroup_size_z();
  int group = (z * 3 + y) * 2 + x, item = (lz * sy + ly) * sx + lx;
  out[group * sx * sy * sz + item] = group * 1000 + item + __builtin_amdgcn_grid_size_x() * 1000000;
}
