// Workgroups and waves that depend on each other.
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define DEVICE 1
#define BARRIER()                                                                                  \
  do {                                                                                             \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                         \
  } while (0)

static int look(global int *p) { return __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, DEVICE); }
static int increment(global int *p) { return __scoped_atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL, DEVICE); }

// Every workgroup waits for all the others.
kernel WG(64) void grid_barrier(global int *out, global int *arrived, int groups) {
  if (TX == 0) {
    increment(arrived);
    while (look(arrived) < groups)
      __builtin_amdgcn_s_sleep(1);
  }
  BARRIER();
  out[BX * 64 + TX] = look(arrived);
}

// The same, so large in LDS that each compute unit holds one.
kernel WG(64) void large_grid_barrier(global int *out, global int *arrived, int groups) {
  local int large[15000];
  large[TX] = TX;
  if (TX == 0) {
    increment(arrived);
    while (look(arrived) < groups)
      ;
  }
  out[BX * 64 + TX] = large[TX];
}

// The first workgroup waits for the last.
kernel WG(64) void first_waits(global int *out, global int *flag, int groups) {
  if (BX == groups - 1 && TX == 0)
    __scoped_atomic_store_n(flag, 7, __ATOMIC_RELEASE, DEVICE);
  if (BX == 0)
    while (look(flag) != 7)
      ;
  out[BX * 64 + TX] = BX;
}

kernel WG(64) void waits_forever(global int *flag) {
  while (look(flag) == 0)
    ;
}
kernel WG(64) void sleeps_forever(global int *flag) {
  while (look(flag) == 0)
    __builtin_amdgcn_s_sleep(8);
}
// Wave 0 polls LDS for what wave 1 would write behind the barrier.
kernel WG(128) void waits_at_barrier(global int *out) {
  local int flag;
  if (TX == 0)
    __scoped_atomic_store_n(&flag, 0, __ATOMIC_RELAXED, 2);
  if (TX < 64) {
    while (__scoped_atomic_load_n(&flag, __ATOMIC_RELAXED, 2) == 0)
      ;
    __builtin_amdgcn_s_barrier();
  } else {
    __builtin_amdgcn_s_barrier();
    __scoped_atomic_store_n(&flag, 1, __ATOMIC_RELAXED, 2);
  }
  out[TX] = 1;
}
// Gives up by itself.
kernel WG(64) void waits_a_while(global int *out, global int *flag, int tries) {
  int n = 0;
  while (look(flag) == 0 && n < tries)
    ++n;
  out[TX] = n;
}
// Long, reads memory in its loop, writes nothing until the end; waits for nobody.
kernel WG(64) void follows_links(global int *out, global const int *next, int steps) {
  int at = BX * 64 + TX;
  for (int i = 0; i < steps; ++i)
    at = next[at];
  out[BX * 64 + TX] = at;
}

// A lock that each wave takes: not an atomic sum, so it is right only if nobody is inside beside it.
kernel WG(256) void locked_count(global int *count, global int *lock) {
  if (TX % 64 == 0) {
    int expected;
    do
      expected = 0;
    while (!__scoped_atomic_compare_exchange_n(lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, DEVICE));
    int value = __scoped_atomic_load_n(count, __ATOMIC_RELAXED, DEVICE);
    __scoped_atomic_store_n(count, value + 1, __ATOMIC_RELAXED, DEVICE);
    __scoped_atomic_store_n(lock, 0, __ATOMIC_RELEASE, DEVICE);
  }
}

// The order in which workgroups come.
kernel WG(64) void take_numbers(global int *order, global int *counter) {
  if (TX == 0)
    order[increment(counter)] = BX;
}
kernel WG(256) void take_wave_numbers(global int *order, global int *counter) {
  if (TX % 64 == 0)
    order[increment(counter)] = TX / 64;
}
kernel WG(64) void float_sum(global float *sum, global const float *x) {
  __scoped_atomic_fetch_add(sum, x[BX * 64 + TX], __ATOMIC_RELAXED, DEVICE);
}
kernel WG(64) void integer_sum(global int *sum, global const int *x) {
  __scoped_atomic_fetch_add(sum, x[BX * 64 + TX], __ATOMIC_RELAXED, DEVICE);
}

// Wrong: wave 1 reads what wave 0 writes, with no barrier between; right if wave 0 happens to run first.
kernel WG(128) void race(global int *out) {
  local int t[64];
  if (TX < 64)
    t[TX] = 40 + TX;
  __builtin_amdgcn_wave_barrier();
  if (TX >= 64)
    out[TX - 64] = t[TX - 64];
}

kernel WG(64) void plain(global int *out, int add) { out[BX * 64 + TX] = BX * 64 + TX + add; }
kernel WG(256) void scratchy(global int *out, global const int *index) {
  int a[64];
  for (int i = 0; i < 64; ++i)
    a[i] = i * TX;
  out[BX * 256 + TX] = a[index[TX] & 63];
}
kernel WG(64) void past_end(global int *out) { out[BX * 64 + TX] = 1; }
kernel WG(64) void scattered(global int *out, global const int *at) {
  out[at[BX * 64 + TX]] = BX * 64 + TX + 1;
}
