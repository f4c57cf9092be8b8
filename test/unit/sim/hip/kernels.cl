// Kernels for the HIP shim's tests.
__attribute__((visibility("protected"))) global int counter = 5;

kernel __attribute__((amdgpu_flat_work_group_size(1, 256))) void scale(global float *x, float by, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  if (i < n)
    x[i] *= by;
}

// Not through `counter` alone: two workgroups would race.
kernel void count(global int *seen) {
  seen[0] = counter;
  counter += 1;
}

// What x holds decides where something is written.
kernel __attribute__((amdgpu_flat_work_group_size(64, 64))) void chosen(global int *x) {
  x[64 + (x[__builtin_amdgcn_workitem_id_x()] & 63)] = 1;
}

kernel void stop(void) { __builtin_trap(); }

kernel __attribute__((amdgpu_flat_work_group_size(256, 256))) void local_sum(global int *out, local int *t, int by) {
  local int fixed[512];
  int i = __builtin_amdgcn_workitem_id_x();
  t[i] = i * by;
  fixed[i] = i;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[i] = t[255 - i] + fixed[255 - i];
}
