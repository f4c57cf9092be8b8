// Kernels for the tests of the tool.
#define item() __builtin_amdgcn_workitem_id_x()
#define group() __builtin_amdgcn_workgroup_id_x()
typedef struct {
  float scale;
  int shift;
} Pair;

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scaled(global float *out, global const float *x, Pair p, int n) {
  int i = group() * 64 + item();
  if (i < n)
    out[i] = x[i] * p.scale + (float)p.shift;
}

// Every type of scalar, as bits.
kernel void scalars(global ulong *out, char a, short b, int c, long d, uchar e, ushort f, uint g, ulong h, float i, double j) {
  if (item() == 0) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = h;
    out[8] = as_uint(i);
    out[9] = as_ulong(j);
  }
}
kernel void halves(global ushort *out, ushort a, ushort b) {
  if (item() == 0) {
    out[0] = a;
    out[1] = b;
  }
}
kernel void writes_input(global int *x) { x[item()] = 1; }
kernel void reversed(global int *out, local int *t) {
  t[item()] = item();
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[item()] = t[127 - item()];
}
kernel void forever(global volatile int *flag) {
  while (*flag == 0)
    ;
}
kernel void is_null(global int *out, global int *p) { out[item()] = p == 0; }

// Two loads, and no wait before their results are used.
kernel __attribute__((amdgpu_flat_work_group_size(64, 64))) void early(global float *x) {
  global float *mine = x + __builtin_amdgcn_workitem_id_x();
  float loaded, result;
  __asm volatile("global_load_dword %0, %2, off\n"
                 "v_rcp_f32 %1, %0\n"
                 "s_waitcnt vmcnt(0)\n"
                 "global_load_dword %0, %2, off\n"
                 "v_add_f32 %0, 1.0, %0\n"
                 "s_waitcnt vmcnt(0)"
                 : "=&v"(loaded), "=&v"(result)
                 : "v"(mine));
  *mine = result;
}

// Variables of the module; past the end of the first lies the second.
global int first_variable[4];
__attribute__((visibility("protected"))) global int second_variable[4];
kernel void variables(global int *out, int at) {
  first_variable[item() & 3] = group() + 1;
  out[item()] = ((global volatile int *)second_variable)[at];
}
