// Kernels for the loader's test. Line numbers matter: LoaderTest.cpp names the line of the marked store.
__attribute__((visibility("protected"))) global int counter = 5;
__attribute__((visibility("protected"))) global int *global table[2] = {&counter, 0};
__attribute__((visibility("protected"))) global float zeros[100];

kernel void preload(global int *a, global int *b, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  if (i < n)
    a[i] = b[i]; // the marked store
  *table[n & 1] += 1;
  zeros[i] += 1;
}

kernel __attribute__((reqd_work_group_size(64, 2, 1))) void scratch(global int *x, int n) {
  local int shared[100];
  int a[400];
  for (int i = 0; i < 400; i++)
    a[i] = x[i * n];
  shared[n & 31] = a[n & 255];
  __builtin_amdgcn_s_barrier();
  x[n] = shared[1] + a[x[1] & 255] + __builtin_amdgcn_workgroup_id_y();
}

static int inner(global int *p) { return p[3] * 7; }
static int middle(global int *p) { return inner(p) + 1; }
kernel void inlined(global int *p) { p[0] = middle(p); }
