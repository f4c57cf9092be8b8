// Kernels for tests of tegula.sim. The line of the store in `scaled` is in test_sim.py.
#define item(d) __builtin_amdgcn_workitem_id_##d()
#define group(d) __builtin_amdgcn_workgroup_id_##d()
#define size_x() ((int)__builtin_amdgcn_workgroup_size_x())
#define groups(d) ((int)(__builtin_amdgcn_grid_size_##d() / __builtin_amdgcn_workgroup_size_##d()))
typedef struct {
  float scale;
  int shift;
} Pair;

kernel void scaled(global float *out, global const float *x, Pair p, float offset, int n) {
  int i = group(x) * size_x() + item(x);
  if (i < n)
    out[i] = x[i] * p.scale + (float)p.shift + offset;
}

kernel void indirect(global const ulong *table, int n) {
  int i = item(x);
  if (i < n)
    ((global float *)table[0])[i] += 1.0f;
}

kernel void grid_of(global int *out) {
  int at = (group(z) * groups(y) + group(y)) * groups(x) + group(x);
  if (item(x) == 0)
    out[at] = size_x();
}

kernel void racy(global int *out) {
  local int shared[64];
  int i = item(x);
  shared[i & 63] = i;
  out[i] = shared[63 - (i & 63)];
}

kernel void forever(global volatile int *flag) {
  while (*flag == 0)
    ;
}

kernel void dynamic_lds(global int *out, local int *shared) {
  int i = item(x);
  shared[i] = i;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[i] = shared[size_x() - 1 - i];
}

kernel void through_scratch(global int *out, global volatile int *scratch, global int *profile) {
  if (item(x) == 0) {
    scratch[group(x)] = group(x) + 10;
    out[group(x)] = scratch[group(x)];
  }
}
