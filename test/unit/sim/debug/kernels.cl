// Kernels under a debugger. DebugTest.cpp names lines: those of the marked statements.
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))

kernel WG(128) void reversed(global int *out, global const int *in) {
  local int t[128];
  t[TX] = in[BX * 128 + TX] * 3; // line 8
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[BX * 128 + TX] = t[127 - TX]; // line 12
}

kernel WG(64) void loop(global int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += i ^ TX;
  out[TX] = sum;
}

kernel WG(64) void racy(global int *out) {
  local int t[2];
  t[TX & 1] = TX;
  out[TX] = t[TX & 1] + out[100000];
}

kernel WG(64) void take_numbers(global int *order, global int *counter) {
  if (TX == 0)
    order[__scoped_atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL, 1)] = BX;
}

kernel WG(64) void scratchy(global int *out, global const int *index) {
  int a[256]; // too large for registers
  for (int i = 0; i < 256; ++i)
    a[i] = i * 100 + TX;
  out[TX] = a[index[TX] & 255];
}

// A lane's number as two bytes, 4 apart.
kernel WG(64) void formatted(global int *out) {
  typedef int words __attribute__((ext_vector_type(4)));
  int low = __builtin_amdgcn_readfirstlane((int)(long)out);
  int high = __builtin_amdgcn_readfirstlane((int)((long)out >> 32) & 0xffff);
  words descriptor = {low, high, 256, 0x27000};
  __asm__ volatile("tbuffer_store_format_x %0, %1, %2, 0 "
                   "format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT] offen\n s_waitcnt vmcnt(0)"
                   :
                   : "v"(TX), "v"(4 * TX), "s"(descriptor)
                   : "memory");
}
