// Right synchronisation in unusual forms. test_synchronisation.py launches each kernel.
#define TX ((int)__builtin_amdgcn_workitem_id_x())
#define BX ((int)__builtin_amdgcn_workgroup_id_x())
#define WAVE (TX >> 6)
#define LANE (TX & 63)
#define WG(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define SYSTEM 0
#define DEVICE 1
#define WORKGROUP 2
#define WAVEFRONT 3
#define LOAD(p, order, scope) __scoped_atomic_load_n(p, __ATOMIC_##order, scope)
#define STORE(p, v, order, scope) __scoped_atomic_store_n(p, v, __ATOMIC_##order, scope)
#define ADD(p, v, order, scope) __scoped_atomic_fetch_add(p, v, __ATOMIC_##order, scope)
#define SWAP(p, v, order, scope) __scoped_atomic_exchange_n(p, v, __ATOMIC_##order, scope)
#define CAS(p, expected, v, order, scope)                                                          \
  __scoped_atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_##order, __ATOMIC_RELAXED, scope)
#define FENCE(order, scope) __builtin_amdgcn_fence(__ATOMIC_##order, scope)
#define BARRIER()                                                                                  \
  do {                                                                                             \
    FENCE(RELEASE, "workgroup");                                                                   \
    __builtin_amdgcn_s_barrier();                                                                  \
    FENCE(ACQUIRE, "workgroup");                                                                   \
  } while (0)
// The lanes of a wave wait for each other.
#define TOGETHER() __builtin_amdgcn_wave_barrier()
#define SLEEP() __builtin_amdgcn_s_sleep(1)

// --- Waves of one workgroup

// A barrier made of two LDS words: arrivals and a generation.
void waves_meet(local int *arrived, local int *generation, int waves) {
  FENCE(RELEASE, "workgroup");
  TOGETHER();
  int before = LOAD(generation, RELAXED, WORKGROUP), order = 0;
  if (LANE == 0)
    order = ADD(arrived, 1, ACQ_REL, WORKGROUP);
  if (__builtin_amdgcn_readfirstlane(order) == waves - 1) {
    STORE(arrived, 0, RELAXED, WORKGROUP);
    STORE(generation, before + 1, RELEASE, WORKGROUP);
  } else {
    while (LOAD(generation, ACQUIRE, WORKGROUP) == before)
      ;
  }
  TOGETHER();
  FENCE(ACQUIRE, "workgroup");
}
kernel WG(256) void barrier_of_atomics(global int *out, global const int *x) {
  local int part[256], arrived, generation;
  if (TX == 0) {
    arrived = 0;
    generation = 0;
  }
  BARRIER();
  int value = x[TX];
  for (int round = 0; round < 3; ++round) {
    part[TX] = value;
    waves_meet(&arrived, &generation, 4);
    value += part[(TX + 64) & 255];
    waves_meet(&arrived, &generation, 4);
  }
  out[TX] = value;
}

// Wave 0 fills, wave 1 reads: a flag in LDS, released and acquired, there and back.
kernel WG(128) void flags_in_lds(global int *out, global const int *x) {
  local int box[64], full;
  if (TX == 0)
    full = 0;
  BARRIER();
  for (int round = 0; round < 5; ++round) {
    if (WAVE == 0) {
      while (LOAD(&full, ACQUIRE, WORKGROUP) != 0)
        SLEEP();
      box[LANE] = x[round * 64 + LANE];
      TOGETHER();
      STORE(&full, 1, RELEASE, WORKGROUP);
    } else {
      while (LOAD(&full, ACQUIRE, WORKGROUP) != 1)
        SLEEP();
      out[round * 64 + LANE] = box[LANE];
      TOGETHER();
      STORE(&full, 0, RELEASE, WORKGROUP);
    }
  }
}

// The same with fences and relaxed accesses.
kernel WG(128) void fences_in_lds(global int *out, global const int *x) {
  local int box[64], full;
  if (TX == 0)
    full = 0;
  BARRIER();
  for (int round = 0; round < 5; ++round) {
    if (WAVE == 0) {
      while (LOAD(&full, RELAXED, WORKGROUP) != 0)
        ;
      FENCE(ACQUIRE, "workgroup");
      box[LANE] = x[round * 64 + LANE];
      FENCE(RELEASE, "workgroup");
      TOGETHER();
      if (LANE == 0)
        STORE(&full, 1, RELAXED, WORKGROUP);
    } else {
      while (LOAD(&full, RELAXED, WORKGROUP) != 1)
        ;
      FENCE(ACQUIRE, "workgroup");
      out[round * 64 + LANE] = box[LANE];
      FENCE(RELEASE, "workgroup");
      TOGETHER();
      if (LANE == 0)
        STORE(&full, 0, RELAXED, WORKGROUP);
    }
  }
}

// Box and flag in memory, still one workgroup.
kernel WG(128) void flags_in_memory(global int *out, global const int *x, global int *box,
                                    global int *full) {
  for (int round = 0; round < 5; ++round) {
    if (WAVE == 0) {
      while (LOAD(full, ACQUIRE, WORKGROUP) != 0)
        ;
      box[LANE] = x[round * 64 + LANE];
      TOGETHER();
      STORE(full, 1, RELEASE, WORKGROUP);
    } else {
      while (LOAD(full, ACQUIRE, WORKGROUP) != 1)
        ;
      out[round * 64 + LANE] = box[LANE];
      TOGETHER();
      STORE(full, 0, RELEASE, WORKGROUP);
    }
  }
}

// A ticket lock in LDS; the sum is plain.
kernel WG(256) void tickets_in_lds(global int *out) {
  local int next, serving, sum;
  if (TX == 0)
    next = serving = sum = 0;
  BARRIER();
  if (LANE == 0) {
    for (int round = 0; round < 4; ++round) {
      int mine = ADD(&next, 1, RELAXED, WORKGROUP);
      while (LOAD(&serving, ACQUIRE, WORKGROUP) != mine)
        ;
      sum = sum * 3 + 1;
      STORE(&serving, mine + 1, RELEASE, WORKGROUP);
    }
  }
  BARRIER();
  out[TX] = sum;
}

// Peterson's lock: sequentially consistent loads and stores, no atomic changes anything.
kernel WG(128) void petersons_lock(global int *out) {
  local int wants[2], turn, sum;
  if (TX == 0)
    wants[0] = wants[1] = turn = sum = 0;
  BARRIER();
  if (LANE == 0) {
    for (int round = 0; round < 5; ++round) {
      STORE(wants + WAVE, 1, SEQ_CST, WORKGROUP);
      STORE(&turn, 1 - WAVE, SEQ_CST, WORKGROUP);
      while (LOAD(wants + (1 - WAVE), SEQ_CST, WORKGROUP) == 1 &&
             LOAD(&turn, SEQ_CST, WORKGROUP) == 1 - WAVE)
        ;
      sum = sum * 3 + 1;
      STORE(wants + WAVE, 0, SEQ_CST, WORKGROUP);
    }
  }
  BARRIER();
  out[TX] = sum;
}

// Four slots, a semaphore of full ones and one of free ones.
kernel WG(128) void semaphores(global int *out, global const int *x) {
  local int slots[4][64], full, free_slots;
  if (TX == 0) {
    full = 0;
    free_slots = 4;
  }
  BARRIER();
  for (int i = 0; i < 12; ++i) {
    local int *wait = WAVE == 0 ? &free_slots : &full, *post = WAVE == 0 ? &full : &free_slots;
    if (LANE == 0) {
      for (;;) {
        int seen = LOAD(wait, RELAXED, WORKGROUP);
        if (seen > 0 && CAS(wait, &seen, seen - 1, ACQUIRE, WORKGROUP))
          break;
      }
    }
    TOGETHER();
    FENCE(ACQUIRE, "workgroup");
    if (WAVE == 0)
      slots[i & 3][LANE] = x[i * 64 + LANE];
    else
      out[i * 64 + LANE] = slots[i & 3][LANE];
    FENCE(RELEASE, "workgroup");
    TOGETHER();
    if (LANE == 0)
      ADD(post, 1, RELEASE, WORKGROUP);
  }
}

// Each wave passes the token on, in memory that all see by its generic address.
kernel WG(256) void token_ring(global int *out, global const int *x, global int *shared) {
  local int token, sum[64];
  if (TX == 0)
    token = 0;
  if (TX < 64)
    sum[TX] = 0;
  BARRIER();
  int *at = (int *)&token, *where = (int *)sum; // generic
  for (int round = 0; round < 3; ++round) {
    while (LOAD(at, ACQUIRE, WORKGROUP) != round * 4 + WAVE)
      ;
    where[LANE] += x[TX] * (round + 1);
    TOGETHER();
    STORE(at, round * 4 + WAVE + 1, RELEASE, WORKGROUP);
  }
  BARRIER();
  out[TX] = sum[LANE];
}

// One wave alone needs no barrier.
kernel WG(64) void one_wave(global int *out, global const int *x) {
  local int part[64];
  part[TX] = x[TX];
  FENCE(RELEASE, "wavefront");
  TOGETHER();
  FENCE(ACQUIRE, "wavefront");
  out[TX] = part[63 - TX];
}

// Waves that pass barriers at different places.
kernel WG(128) void ping_pong(global int *out, global const int *x) {
  local int box[64];
  for (int round = 0; round < 3; ++round) {
    if (WAVE == 0) {
      box[LANE] = x[round * 64 + LANE];
      BARRIER();
      BARRIER();
    } else {
      BARRIER();
      out[round * 64 + LANE] = box[LANE];
      BARRIER();
    }
  }
}

// --- Workgroups

kernel WG(64) void tickets(global int *sum, global int *lock) {
  if (TX == 0) {
    int mine = ADD(lock, 1, RELAXED, DEVICE);
    while (LOAD(lock + 16, ACQUIRE, DEVICE) != mine)
      SLEEP();
    *sum = *sum * 3 + 1;
    STORE(lock + 16, mine + 1, RELEASE, DEVICE);
  }
}

// All work-items of the workgroup behind a lock that one has taken; looks before it asks.
kernel WG(128) void looks_then_asks(global int *sum, global int *lock, global const int *x) {
  if (TX == 0)
    while (LOAD(lock, RELAXED, DEVICE) || SWAP(lock, 1, RELAXED, DEVICE))
      SLEEP();
  FENCE(ACQUIRE, "agent");
  BARRIER();
  FENCE(ACQUIRE, "agent");
  sum[TX] += x[BX * 128 + TX];
  FENCE(RELEASE, "agent");
  BARRIER();
  if (TX == 0)
    STORE(lock, 0, RELEASE, DEVICE);
}

// The last workgroup sums: fences about a relaxed counter.
kernel WG(128) void last_of_fences(global int *out, global int *parts, global int *count,
                                   global const int *x, int groups) {
  local int last;
  parts[BX * 128 + TX] = x[BX * 128 + TX] + 1;
  FENCE(RELEASE, "agent");
  BARRIER();
  if (TX == 0) {
    FENCE(RELEASE, "agent");
    last = ADD(count, 1, RELAXED, DEVICE) == groups - 1;
  }
  BARRIER();
  if (last) {
    FENCE(ACQUIRE, "agent");
    int sum = 0;
    for (int g = 0; g < groups; ++g)
      sum += parts[g * 128 + TX];
    out[TX] = sum;
  }
}

// Every work-item counts itself; the last one of all sums alone.
kernel WG(64) void last_work_item(global int *out, global int *parts, global int *count, int all) {
  parts[BX * 64 + TX] = BX * 64 + TX;
  if (ADD(count, 1, ACQ_REL, DEVICE) == all - 1) {
    int sum = 0;
    for (int i = 0; i < all; ++i)
      sum += parts[i];
    *out = sum;
  }
}

// A barrier of all workgroups, several times: arrivals and a generation.
kernel WG(128) void grid_barriers(global int *out, global int *parts, global int *words,
                                  int groups) {
  for (int round = 0; round < 3; ++round) {
    global int *mine = parts + (round & 1) * groups * 128;
    mine[BX * 128 + TX] = BX * 100 + TX + round;
    FENCE(RELEASE, "agent");
    BARRIER();
    if (TX == 0) {
      int generation = LOAD(words + 16, RELAXED, DEVICE);
      if (ADD(words, 1, ACQ_REL, DEVICE) == groups - 1) {
        STORE(words, 0, RELAXED, DEVICE);
        STORE(words + 16, generation + 1, RELEASE, DEVICE);
      } else {
        while (LOAD(words + 16, RELAXED, DEVICE) == generation)
          SLEEP();
        FENCE(ACQUIRE, "agent");
      }
    }
    BARRIER();
    FENCE(ACQUIRE, "agent");
    out[(round * groups + BX) * 128 + TX] = mine[(BX + 1) % groups * 128 + TX];
  }
}

// Decoupled look-back: status and value in one word of 64 bits, nothing else is shared.
kernel WG(64) void look_back(global int *out, global unsigned long *status, global const int *x) {
  if (TX == 0) {
    unsigned sum = 0;
    for (int i = 0; i < 8; ++i)
      sum += x[BX * 8 + i];
    STORE(status + BX, 1ul << 32 | sum, RELAXED, DEVICE);
    unsigned before = 0;
    for (int g = BX - 1; g >= 0; --g) {
      unsigned long seen;
      do
        seen = LOAD(status + g, RELAXED, DEVICE);
      while (seen >> 32 == 0);
      before += (unsigned)seen;
      if (seen >> 32 == 2)
        break;
    }
    STORE(status + BX, 2ul << 32 | (before + sum), RELAXED, DEVICE);
    out[BX] = before + sum;
  }
}

// Producers take slots, fill them and mark them; workgroup 0 takes them out in order.
kernel WG(64) void queue(global int *out, global int *slots, global int *ready, global int *next,
                         int groups) {
  local int slot;
  if (BX != 0) {
    if (TX == 0)
      slot = ADD(next, 1, RELAXED, DEVICE);
    FENCE(RELEASE, "wavefront");
    TOGETHER();
    FENCE(ACQUIRE, "wavefront");
    slots[slot * 64 + TX] = TX * 7;
    FENCE(RELEASE, "agent");
    TOGETHER();
    if (TX == 0)
      STORE(ready + slot, 1, RELEASE, DEVICE);
    return;
  }
  int sum = 0;
  for (int i = 0; i < groups - 1; ++i) {
    while (!LOAD(ready + i, ACQUIRE, DEVICE))
      SLEEP();
    sum += slots[i * 64 + TX];
  }
  out[TX] = sum;
}

// A tree: who has both children's sums tells its parent.
kernel WG(64) void tree(global int *sums, global int *arrived, int leaves) {
  if (TX)
    return;
  int at = leaves + BX;
  sums[at] = BX + 1;
  while (at > 1) {
    int parent = at / 2;
    if (ADD(arrived + parent, 1, ACQ_REL, DEVICE) == 0)
      return;
    sums[parent] = sums[parent * 2] + sums[parent * 2 + 1];
    at = parent;
  }
}

// A pointer is handed over; what it points to was written before.
kernel WG(64) void pointers(global int *out, global int *data, global long *mail) {
  if (BX == 1) {
    data[TX] = TX * TX;
    FENCE(RELEASE, "agent");
    TOGETHER();
    if (TX == 0)
      SWAP(mail, (long)data, RELEASE, DEVICE);
  } else {
    long seen;
    do
      seen = LOAD(mail, ACQUIRE, DEVICE);
    while (!seen);
    out[TX] = ((global int *)seen)[TX];
  }
}

// A sequence number is odd while its writer is busy; the data are atomic accesses, too.
kernel WG(64) void seqlock(global int *out, global int *sequence, global int *data) {
  if (TX)
    return;
  if (BX == 0) {
    for (int i = 1; i <= 4; ++i) {
      STORE(sequence, 2 * i - 1, RELAXED, DEVICE);
      FENCE(RELEASE, "agent");
      STORE(data, i, RELAXED, DEVICE);
      STORE(data + 16, 2 * i, RELAXED, DEVICE);
      STORE(sequence, 2 * i, RELEASE, DEVICE);
    }
    return;
  }
  int before, after, first, second;
  do {
    before = LOAD(sequence, ACQUIRE, DEVICE);
    first = LOAD(data, RELAXED, DEVICE);
    second = LOAD(data + 16, RELAXED, DEVICE);
    FENCE(ACQUIRE, "agent");
    after = LOAD(sequence, RELAXED, DEVICE);
  } while (before != after || before & 1 || before == 0);
  out[BX] = second - 2 * first;
}

// Readers count themselves in and out, a writer waits for none.
kernel WG(64) void readers_and_a_writer(global int *out, global int *lock, global int *data) {
  if (TX)
    return;
  if (BX % 3 == 0) {
    int none = 0;
    while (!CAS(lock, &none, -1, ACQUIRE, DEVICE))
      none = 0;
    data[0] += 1;
    data[1] += 2;
    STORE(lock, 0, RELEASE, DEVICE);
  } else {
    int seen = LOAD(lock, RELAXED, DEVICE);
    while (seen < 0 || !CAS(lock, &seen, seen + 1, ACQUIRE, DEVICE))
      seen = LOAD(lock, RELAXED, DEVICE);
    out[BX] = data[1] - 2 * data[0];
    ADD(lock, -1, RELEASE, DEVICE);
  }
}

// Bins by atomics, a barrier of all, then plain reads.
kernel WG(64) void histogram_then_read(global int *out, global int *bins, global const int *x,
                                       global int *arrived, int groups) {
  ADD(bins + x[BX * 64 + TX], 1, RELAXED, DEVICE);
  FENCE(RELEASE, "agent");
  TOGETHER();
  if (TX == 0) {
    ADD(arrived, 1, RELEASE, DEVICE);
    while (LOAD(arrived, ACQUIRE, DEVICE) < groups)
      SLEEP();
  }
  TOGETHER();
  FENCE(ACQUIRE, "agent");
  if (BX == 0)
    out[TX] = bins[TX];
}

// Volatile accesses and fences, as programs wrote it before there were atomics.
kernel WG(64) void volatile_flag(global int *out, global int *value, volatile global int *flag) {
  if (BX == 1) {
    value[TX] = TX + 9;
    FENCE(RELEASE, "");
    TOGETHER();
    if (TX == 0)
      *flag = 1;
  } else {
    while (*flag != 1)
      ;
    FENCE(ACQUIRE, "");
    out[TX] = value[TX];
  }
}

// Asks a number of times, then does it all itself.
kernel WG(64) void gives_up(global int *out, global int *value, global int *flag) {
  if (BX == 1) {
    value[TX] = TX + 5;
    FENCE(RELEASE, "agent");
    TOGETHER();
    if (TX == 0)
      STORE(flag, 1, RELEASE, DEVICE);
  } else {
    int come = 0;
    for (int i = 0; i < 100000 && !come; ++i)
      come = LOAD(flag, ACQUIRE, DEVICE);
    out[TX] = come ? value[TX] : TX + 5;
  }
}

// A flag among 16: the loop looks at each of them in turn.
kernel WG(64) void any_of_many(global int *out, global int *values, global int *flags, int groups) {
  if (BX) {
    values[BX * 64 + TX] = BX * 10 + TX;
    FENCE(RELEASE, "agent");
    TOGETHER();
    if (TX == 0)
      STORE(flags + BX, 1, RELEASE, DEVICE);
    return;
  }
  unsigned open = (1u << groups) - 2;
  int sum = 0;
  for (int i = 1; open; i = i % (groups - 1) + 1) {
    if (open >> i & 1 && LOAD(flags + i, ACQUIRE, DEVICE)) {
      sum += values[i * 64 + TX];
      open &= ~(1u << i);
    }
  }
  out[TX] = sum;
}

// All work-items poll, each its own flag.
kernel WG(64) void each_its_own(global int *out, global int *values, global int *flags) {
  if (BX == 1) {
    values[TX] = TX * 3;
    STORE(flags + TX, 1, RELEASE, DEVICE);
  } else {
    while (!LOAD(flags + TX, ACQUIRE, DEVICE))
      ;
    out[TX] = values[TX];
  }
}

// --- Structures without a common lock

// Who adds to a released word without an order of its own hands the release on.
kernel WG(64) void release_sequence(global int *out, global int *value, global int *word) {
  if (BX == 0) {
    value[TX] = TX * 7 + 1;
    FENCE(RELEASE, "agent");
    TOGETHER();
    if (TX == 0)
      ADD(word, 1, RELEASE, DEVICE);
  } else if (BX == 1) {
    if (TX == 0) {
      while (LOAD(word, RELAXED, DEVICE) != 1)
        SLEEP();
      ADD(word, 1, RELAXED, DEVICE);
    }
  } else {
    while (LOAD(word, ACQUIRE, DEVICE) != 2)
      SLEEP();
    out[TX] = value[TX];
  }
}

// The first that comes fills the table, the others wait or find it full.
kernel WG(128) void once(global int *out, global int *table, global int *state) {
  local int ready;
  if (TX == 0) {
    if (LOAD(state, ACQUIRE, DEVICE) != 2) {
      int empty = 0;
      if (CAS(state, &empty, 1, ACQUIRE, DEVICE)) {
        for (int i = 0; i < 32; ++i)
          table[i] = i * i + 5;
        STORE(state, 2, RELEASE, DEVICE);
      } else {
        while (LOAD(state, ACQUIRE, DEVICE) != 2)
          SLEEP();
      }
    }
    ready = 1;
  }
  BARRIER();
  out[BX * 128 + TX] = table[TX & 31] + ready;
}

// Every work-item pushes a node; the last workgroup walks through the list.
kernel WG(64) void list_drained(global int *out, global int *next, global int *value,
                                global int *head, global int *done, int groups) {
  local int last;
  int node = BX * 64 + TX, old = LOAD(head, RELAXED, DEVICE);
  value[node] = node * 3 + 1;
  bool pushed = false;
  while (!pushed) {
    STORE(next + node, old, RELAXED, DEVICE);
    pushed = CAS(head, &old, node + 1, RELEASE, DEVICE);
  }
  BARRIER();
  FENCE(RELEASE, "agent");
  if (TX == 0)
    last = ADD(done, 1, ACQ_REL, DEVICE) == groups - 1;
  BARRIER();
  if (!last || TX)
    return;
  FENCE(ACQUIRE, "agent");
  int sum = 0, count = 0;
  for (int at = LOAD(head, ACQUIRE, DEVICE); at; at = LOAD(next + at - 1, RELAXED, DEVICE)) {
    sum += value[at - 1];
    ++count;
  }
  out[0] = sum;
  out[1] = count;
}

// A lock that hands itself to the next in the queue; each waits at a word of its own.
kernel WG(128) void queue_lock(global int *out, global int *tail, global int *next,
                               global int *waits) {
  if (LANE)
    return;
  int me = BX * 2 + WAVE + 1;
  for (int turn = 0; turn < 3; ++turn) {
    STORE(next + me, 0, RELAXED, DEVICE);
    STORE(waits + me, 1, RELAXED, DEVICE);
    int before = SWAP(tail, me, ACQ_REL, DEVICE);
    if (before) {
      STORE(next + before, me, RELEASE, DEVICE);
      while (LOAD(waits + me, ACQUIRE, DEVICE))
        SLEEP();
    }
    out[0] = out[0] * 3 + 1;
    int last = me;
    if (!LOAD(next + me, ACQUIRE, DEVICE)) {
      if (CAS(tail, &last, 0, ACQ_REL, DEVICE))
        continue;
      while (!LOAD(next + me, ACQUIRE, DEVICE))
        SLEEP();
    }
    STORE(waits + LOAD(next + me, ACQUIRE, DEVICE), 0, RELEASE, DEVICE);
  }
}

// Sets that are joined by compare-and-swap alone, without any order.
int root(global int *parent, int x) {
  for (int up; (up = LOAD(parent + x, RELAXED, DEVICE)) != x;)
    x = up;
  return x;
}
kernel WG(64) void joined_sets(global int *parent, global const int2 *edges, int n) {
  int i = BX * 64 + TX;
  if (i >= n)
    return;
  int a = edges[i].x, b = edges[i].y, highest;
  do {
    a = root(parent, a);
    b = root(parent, b);
    highest = a > b ? a : b;
    if (a == b)
      break;
  } while (!CAS(parent + highest, &highest, a > b ? b : a, RELAXED, DEVICE));
}

// Three stages of a ring: one wave fills them, three empty each of them.
kernel WG(256) void stages(global int *out, global const int *x, int n) {
  local int stage[3][64], full[3], empty[3];
  if (TX < 3) {
    full[TX] = 0;
    empty[TX] = 0;
  }
  BARRIER();
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    int s = i % 3, round = i / 3;
    if (WAVE == 0) {
      while (LOAD(empty + s, ACQUIRE, WORKGROUP) < round * 3)
        ;
      stage[s][LANE] = x[i * 64 + LANE];
    } else {
      while (LOAD(full + s, ACQUIRE, WORKGROUP) < round + 1)
        ;
      sum = sum * WAVE + stage[s][(LANE + WAVE) & 63];
    }
    FENCE(RELEASE, "workgroup");
    TOGETHER();
    if (LANE == 0)
      ADD(WAVE ? empty + s : full + s, 1, RELEASE, WORKGROUP);
  }
  if (WAVE)
    out[(WAVE - 1) * 64 + LANE] = sum;
}

// Dekker's lock between workgroups.
kernel WG(64) void dekkers_lock(global int *out, global int *wants, global int *turn) {
  if (TX)
    return;
  for (int round = 0; round < 5; ++round) {
    STORE(wants + BX, 1, SEQ_CST, DEVICE);
    while (LOAD(wants + (1 - BX), SEQ_CST, DEVICE)) {
      if (LOAD(turn, SEQ_CST, DEVICE) == BX)
        continue;
      STORE(wants + BX, 0, SEQ_CST, DEVICE);
      while (LOAD(turn, SEQ_CST, DEVICE) != BX)
        SLEEP();
      STORE(wants + BX, 1, SEQ_CST, DEVICE);
    }
    out[0] = out[0] * 3 + 1;
    STORE(turn, 1 - BX, SEQ_CST, DEVICE);
    STORE(wants + BX, 0, SEQ_CST, DEVICE);
  }
}

// Work that makes work: a queue of tree nodes, until none is outstanding.
kernel WG(64) void growing_queue(global int *out, global int *queue, global int *ready,
                                 global int *first, global int *last, global int *outstanding,
                                 int nodes) {
  local int item;
  while (1) {
    if (TX == 0) {
      item = -1;
      while (LOAD(outstanding, ACQUIRE, DEVICE)) {
        int f = LOAD(first, RELAXED, DEVICE);
        if (f < LOAD(last, RELAXED, DEVICE) && CAS(first, &f, f + 1, ACQ_REL, DEVICE)) {
          while (!LOAD(ready + f, ACQUIRE, DEVICE))
            SLEEP();
          item = queue[f];
          break;
        }
        SLEEP();
      }
    }
    BARRIER();
    int node = item;
    BARRIER();
    if (node < 0)
      return;
    if (TX)
      continue;
    ADD(out + (node & 7), node, RELAXED, DEVICE);
    for (int child = 2 * node + 1; child <= 2 * node + 2 && child < nodes; ++child) {
      ADD(outstanding, 1, RELAXED, DEVICE);
      int place = ADD(last, 1, RELAXED, DEVICE);
      queue[place] = child;
      STORE(ready + place, 1, RELEASE, DEVICE);
    }
    ADD(outstanding, -1, RELEASE, DEVICE);
  }
}

// The owner takes from one end of the queue (Chase and Lev), others steal from the other.
kernel WG(64) void stealing(global int *out, global int *items, global int *top, global int *bottom,
                            global int *done, int n) {
  if (TX)
    return;
  if (BX) {
    while (1) {
      int t = LOAD(top, ACQUIRE, DEVICE);
      FENCE(SEQ_CST, "agent");
      if (t < LOAD(bottom, ACQUIRE, DEVICE)) {
        int item = LOAD(items + t, RELAXED, DEVICE);
        if (CAS(top, &t, t + 1, SEQ_CST, DEVICE))
          ADD(out + item - 1, 1, RELAXED, DEVICE);
      } else if (LOAD(done, ACQUIRE, DEVICE)) {
        return;
      } else {
        SLEEP();
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    STORE(items + i, i + 1, RELAXED, DEVICE);
    STORE(bottom, i + 1, RELEASE, DEVICE);
  }
  for (bool more = true; more;) {
    int b = LOAD(bottom, RELAXED, DEVICE) - 1;
    STORE(bottom, b, RELAXED, DEVICE);
    FENCE(SEQ_CST, "agent");
    int t = LOAD(top, RELAXED, DEVICE);
    bool mine = t < b;
    if (t == b)
      mine = CAS(top, &t, t + 1, SEQ_CST, DEVICE);
    if (mine)
      ADD(out + LOAD(items + b, RELAXED, DEVICE) - 1, 1, RELAXED, DEVICE);
    more = t < b;
    if (!more)
      STORE(bottom, b + 1, RELAXED, DEVICE);
  }
  STORE(done, 1, RELEASE, DEVICE);
}
