// Kernels of which test_planted.py changes one instruction each. Right as they are.
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define DEVICE 1
#define BARRIER()                                                                                    \
  do {                                                                                               \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                           \
    __builtin_amdgcn_s_barrier();                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                           \
  } while (0)

// The workgroup that comes last adds up what all have written.
kernel WG(256) void last_sum(global int *out, global int *parts, global int *count,
                             global const int *x, int groups) {
  local int last;
  parts[BX * 256 + TX] = x[BX * 256 + TX] * 2 + 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  BARRIER();
  if (TX == 0)
    last = __scoped_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, DEVICE) == groups - 1;
  BARRIER();
  if (!last)
    return;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  int sum = 0;
  for (int g = 0; g < groups; ++g)
    sum += parts[g * 256 + TX];
  out[TX] = sum;
}

kernel WG(256) void rotate_in_place(global int *x, int by) {
  int value = x[(TX + by) & 255];
  BARRIER();
  x[TX] = value;
}

// Workgroup 1 writes and sets a flag for workgroup 0.
kernel WG(64) void hand_over(global int *out, global int *value, global int *flag) {
  if (BX == 1) {
    value[TX] = TX + 5;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    if (TX == 0)
      __scoped_atomic_store_n(flag, 7, __ATOMIC_RELEASE, DEVICE);
  } else {
    while (__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, DEVICE) != 7)
      ;
    out[TX] = value[TX];
  }
}

typedef __amdgpu_buffer_rsrc_t buffer;
kernel WG(64) void buffered(global int *out, global int *x) {
  buffer r = __builtin_amdgcn_make_buffer_rsrc(x, 0, 256, 0x27000);
  out[TX] = __builtin_amdgcn_raw_buffer_load_b32(r, TX * 4, 0, 0);
}

// Pointers to the end, indices below zero.
kernel WG(64) void read_backwards(global int *out, global int *end, int n) {
  int i = -1 - (int)TX - n;
  out[TX] = end[i];
}
kernel WG(64) void write_backwards(global int *end, global int *x, int n) {
  int i = -1 - (int)TX - n;
  end[i] = x[TX];
}
kernel WG(64) void add_backwards(global int *end, global int *x, int n) {
  int i = -1 - (int)TX - n;
  __scoped_atomic_fetch_add(end + i, x[TX], __ATOMIC_RELAXED, DEVICE);
}

kernel WG(64) void written_then_read(global int *out, global int *x) {
  x[TX] = TX + 3;
  BARRIER();
  out[TX] = x[0];
}

kernel WG(64) void copy(global int *out, global const int *x) { out[TX] = x[TX]; }

kernel WG(64) void private_array(global int *out, global const int *x) {
  volatile int values[16];
  for (int i = 0; i < 16; ++i)
    values[i] = x[(TX + i) & 63];
  out[TX] = values[x[TX] & 15];
}

// What a wave reads is overwritten by another one behind the next barrier.
kernel WG(256) void reversed_in_lds(global int *out, global const int *x) {
  local int part[256];
  part[TX] = x[TX];
  BARRIER();
  int first = part[255 - TX];
  BARRIER();
  part[TX] = x[256 + TX];
  BARRIER();
  out[TX] = first;
  out[256 + TX] = part[255 - TX];
}

kernel WG(64) void one_of_two(global int *out, global const int *x, global const int *old, int use) {
  int value = x[TX];
  if (use)
    value += old[TX];
  out[TX] = value;
}
kernel WG(64) void write_one_of_two(global int *x, global int *old, int use) {
  x[TX] = TX;
  if (use)
    old[TX] = TX;
}
kernel WG(64) void count_one_of_two(global int *x, global int *old, int use) {
  x[TX] = TX;
  if (use)
    __scoped_atomic_fetch_add(old, 1, __ATOMIC_RELAXED, DEVICE);
}
