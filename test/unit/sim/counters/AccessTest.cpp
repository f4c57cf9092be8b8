// Counts of executed accesses through the C API.
#include "SimHarness.h"
#include <map>

namespace {
struct Row {
  tgs_access access;
  std::string instruction, json, space, use;
};
std::vector<Row> accesses(const Sim &sim) {
  std::vector<Row> rows;
  tgs_accesses(
      sim.device,
      [](const tgs_access *a, void *user) {
        static_cast<std::vector<Row> *>(user)->push_back(
            {*a, a->instruction, a->json, a->space, a->use});
      },
      &rows);
  return rows;
}
struct Memory {
  tgs_memory memory;
  std::string kind, json;
};
std::vector<Memory> memory(const Sim &sim) {
  std::vector<Memory> rows;
  tgs_memory_traffic(
      sim.device,
      [](const tgs_memory *m, void *user) {
        static_cast<std::vector<Memory> *>(user)->push_back({*m, m->kind, m->json});
      },
      &rows);
  return rows;
}

class Accesses : public ::testing::TestWithParam<const char *> {
protected:
  std::string object() const { return std::string("accesses-") + GetParam() + ".co"; }
  bool cdna4() const { return GetParam() == std::string("gfx950"); }
  Sim open(bool count = true, uint32_t sanitizers = TGS_SANITIZE_NONE, uint32_t threads = 1) {
    return Sim(GetParam(), object(), sanitizers, threads, TGS_SCHEDULE_FIFO, 0, 0, count);
  }
  /// Launches a kernel of one wave with offsets in its first argument.
  static void run(Sim &sim, const char *kernel, uint32_t (*offset)(uint32_t)) {
    std::vector<uint32_t> in(64);
    for (uint32_t l = 0; l < 64; ++l)
      in[l] = offset(l);
    uint32_t *out = sim.upload(std::vector<uint32_t>(64));
    ASSERT_EQ(sim.launch(kernel, {1, 1, 1}, {64, 1, 1}, Arguments().add(sim.upload(in)).add(out)),
              TGS_OK)
        << sim.error();
  }
  /// The only row whose instruction is `mnemonic`.
  static Row only(const std::vector<Row> &rows, const std::string &mnemonic) {
    std::vector<Row> found;
    for (const Row &r : rows)
      if (r.instruction.rfind(mnemonic + " ", 0) == 0)
        found.push_back(r);
    EXPECT_EQ(found.size(), 1u) << mnemonic;
    return found.empty() ? Row() : found[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Accesses, ::testing::Values("gfx942", "gfx950"));

struct Conflicts {
  const char *mnemonic;
  unsigned width;
  uint64_t bytes, phases[2], conflicts[2]; ///< [gfx942, gfx950]
};

// Lane l at 256 · l: every lane meets the same banks, so a phase takes as many cycles as lanes.
const Conflicts kColumn[] = {
    {"ds_write_b32", 4, 256, {2, 2}, {62, 62}},  {"ds_write_b64", 8, 512, {4, 4}, {60, 60}},
    {"ds_write_b96", 12, 768, {8, 8}, {56, 56}}, {"ds_write_b128", 16, 1024, {8, 8}, {56, 56}},
    {"ds_write_b8", 1, 64, {2, 2}, {62, 62}},    {"ds_write2_b32", 4, 512, {4, 4}, {124, 124}},
    {"ds_read_b32", 4, 256, {2, 2}, {62, 62}},   {"ds_read_b64", 8, 512, {4, 2}, {60, 62}},
    {"ds_read_b96", 12, 768, {8, 8}, {56, 56}},  {"ds_read_b128", 16, 1024, {8, 4}, {56, 60}},
    {"ds_read_u16", 2, 128, {2, 2}, {62, 62}},   {"ds_read2st64_b64", 8, 1024, {8, 4}, {120, 124}},
    {"ds_add_u32", 4, 256, {2, 2}, {62, 62}},
};

TEST_P(Accesses, AColumnConflictsInEveryLdsInstruction) {
  Sim sim = open();
  run(sim, "lds", [](uint32_t l) { return l * 256; });
  std::vector<Row> rows = accesses(sim);
  for (const Conflicts &e : kColumn) {
    Row r = only(rows, e.mnemonic);
    EXPECT_EQ(r.space, "lds");
    EXPECT_EQ(r.access.width, e.width) << e.mnemonic;
    EXPECT_EQ(r.access.executions, 1u) << e.mnemonic;
    EXPECT_EQ(r.access.bytes, e.bytes) << e.mnemonic;
    EXPECT_EQ(r.access.phases, e.phases[cdna4()]) << e.mnemonic;
    EXPECT_EQ(r.access.conflicts, e.conflicts[cdna4()]) << e.mnemonic;
  }
  if (cdna4()) {
    EXPECT_EQ(only(rows, "ds_read_b64_tr_b16").access.conflicts, 62u);
  }
}

TEST_P(Accesses, ConsecutiveLanesOf16BytesDontConflict) {
  Sim sim = open();
  run(sim, "lds", [](uint32_t l) { return l * 16; });
  std::vector<Row> rows = accesses(sim);
  EXPECT_EQ(only(rows, "ds_write_b128").access.conflicts, 0u);
  EXPECT_EQ(only(rows, "ds_read_b128").access.conflicts, 0u);
  EXPECT_EQ(only(rows, "ds_read_b32").access.conflicts, 6u); // every fourth bank
}

TEST_P(Accesses, OnlyActiveLanesCount) {
  Sim sim = open();
  run(sim, "masked", [](uint32_t l) { return l * 128; });
  std::vector<Row> rows = accesses(sim);
  Row some = only(rows, "ds_read_b32"), none = only(rows, "ds_read_b64");
  EXPECT_EQ(some.access.lanes, 8u);
  EXPECT_EQ(some.access.phases, 1u);
  EXPECT_EQ(some.access.conflicts, 7u);
  EXPECT_EQ(none.access.executions, 1u);
  EXPECT_EQ(none.access.lanes + none.access.phases + none.access.conflicts, 0u);
}

TEST_P(Accesses, LanesOutsideLdsAreNoAccess) {
  Sim sim = open();
  std::vector<uint32_t> in(64, 65536);
  in[3] = 0;
  sim.launch("lds", {1, 1, 1}, {64, 1, 1},
             Arguments().add(sim.upload(in)).add(sim.upload(std::vector<uint32_t>(64))));
  Row r = only(accesses(sim), "ds_read_b128");
  EXPECT_EQ(r.access.lanes, 1u);
  EXPECT_EQ(r.access.phases, 1u);
}

struct Touched {
  const char *mnemonic, *space, *use;
  uint64_t lanes, bytes, segments64, segments128;
};
// `memory` in accesses.s; the buffer is the first 200 bytes of a page.
const Touched kTouched[] = {
    {"global_load_dwordx4", "global", "read", 64, 1024, 16, 8},
    {"buffer_load_dwordx4", "global", "read", 13, 200, 4, 2}, // the last one has 8 bytes left
    {"buffer_load_ushort", "global", "read", 13, 26, 4, 2},
    {"s_load_dwordx8", "scalar", "read", 1, 32, 1, 1},
    {"s_buffer_load_dwordx2", "scalar", "read", 1, 4, 1, 1},
    {"global_store_dword", "global", "write", 64, 256, 64, 64},
    {"global_store_byte", "global", "write", 64, 64, 64, 64},
    {"global_atomic_add", "global", "atomic", 64, 256, 1, 1},
};

const Touched kScalar[] = {
    {"s_store_dwordx4", "scalar", "write", 1, 16, 2, 1},
    {"s_buffer_store_dwordx2", "scalar", "write", 1, 4, 1, 1},
    {"s_atomic_add_x2", "scalar", "atomic", 1, 8, 1, 1},
};

void expectTouched(const std::vector<Row> &rows, const Touched &e) {
  for (const Row &r : rows) {
    if (r.instruction.rfind(e.mnemonic + std::string(" "), 0) != 0)
      continue;
    EXPECT_EQ(r.space, e.space) << e.mnemonic;
    EXPECT_EQ(r.use, e.use) << e.mnemonic;
    EXPECT_EQ(r.access.lanes, e.lanes) << e.mnemonic;
    EXPECT_EQ(r.access.bytes, e.bytes) << e.mnemonic;
    EXPECT_EQ(r.access.segments_64, e.segments64) << e.mnemonic;
    EXPECT_EQ(r.access.segments_128, e.segments128) << e.mnemonic;
    EXPECT_EQ(r.access.phases + r.access.conflicts, 0u) << e.mnemonic;
    return;
  }
  ADD_FAILURE() << e.mnemonic << " was not executed";
}

TEST_P(Accesses, MemoryByInstruction) {
  Sim sim = open();
  auto *in = sim.upload(std::vector<uint32_t>(256));
  auto *out = sim.upload(std::vector<uint32_t>(2048));
  Arguments arguments = Arguments().add(in).add(out);
  ASSERT_EQ(sim.launch("memory", {1, 1, 1}, {64, 1, 1}, arguments), TGS_OK);
  for (const Touched &e : kTouched)
    expectTouched(accesses(sim), e);
  ASSERT_EQ(sim.launch("scalar", {1, 1, 1}, {64, 1, 1}, arguments), TGS_OK);
  for (const Touched &e : kScalar)
    expectTouched(accesses(sim), e);
}

struct TypedAccess {
  const char *mnemonic, *use;
  unsigned width; ///< 0: the descriptor tells
  uint64_t lanes, bytes, segments64;
};
const TypedAccess kTyped[] = {
    {"tbuffer_load_format_xy", "read", 4, 13, 52, 4},
    {"tbuffer_load_format_xyzw", "read", 16, 12, 192, 3}, // of lane 12 only 8 bytes are inside
    {"tbuffer_load_format_d16_x", "read", 1, 13, 13, 4},
    {"buffer_load_format_xyz", "read", 0, 13, 52, 4},
    {"tbuffer_store_format_x", "write", 2, 13, 26, 4},
    {"buffer_load_format_x", "copy", 0, 13, 52, 4},
};

TEST_P(Accesses, TypedAccessesCountElements) {
  Sim sim = open();
  auto *in = sim.upload(std::vector<uint32_t>(256));
  ASSERT_EQ(sim.launch("typed", {1, 1, 1}, {64, 1, 1}, Arguments().add(in).add(in)), TGS_OK);
  std::vector<Row> rows = accesses(sim);
  for (const TypedAccess &e : kTyped) {
    Row r = only(rows, e.mnemonic);
    EXPECT_EQ(r.space, "global") << e.mnemonic;
    EXPECT_EQ(r.use, e.use) << e.mnemonic;
    EXPECT_EQ(r.access.width, e.width) << e.mnemonic;
    EXPECT_EQ(r.access.lanes, e.lanes) << e.mnemonic;
    EXPECT_EQ(r.access.bytes, e.bytes) << e.mnemonic;
    EXPECT_EQ(r.access.segments_64, e.segments64) << e.mnemonic;
    EXPECT_EQ(r.access.phases, r.use == "copy" ? 2u : 0u) << e.mnemonic; // every lane's dword
  }
  for (const Memory &m : memory(sim))
    if (m.memory.kernarg_offset == 0) {
      EXPECT_EQ(m.memory.read.bytes, 52u + 192 + 13 + 52 + 52);
      EXPECT_EQ(m.memory.written.bytes, 26u);
      const uint64_t widths[TGS_ACCESS_WIDTHS] = {13, 0, 39, 0, 0, 12, 0, 0};
      for (unsigned i = 0; i < TGS_ACCESS_WIDTHS; ++i)
        EXPECT_EQ(m.memory.read.lanes[i], widths[i]) << i;
    }
}

TEST_P(Accesses, MemoryByAllocation) {
  Sim sim = open();
  auto *in = sim.upload(std::vector<uint32_t>(256));
  auto *out = sim.upload(std::vector<uint32_t>(2048));
  sim.upload(std::vector<uint32_t>(16)); // untouched
  ASSERT_EQ(sim.launch("memory", {3, 1, 1}, {64, 1, 1}, Arguments().add(in).add(out)), TGS_OK);
  std::map<int64_t, tgs_memory> byOffset;
  for (const Memory &m : memory(sim)) {
    if (m.kind != "device") {
      EXPECT_EQ(m.kind, "kernarg");
      EXPECT_EQ(m.memory.read.bytes, 3 * 16u);
      continue;
    }
    byOffset[m.memory.kernarg_offset] = m.memory;
  }
  ASSERT_EQ(byOffset.size(), 2u);
  const tgs_memory &a = byOffset[0], &b = byOffset[8];
  EXPECT_EQ(a.address, reinterpret_cast<uintptr_t>(in));
  EXPECT_EQ(a.size, 1024u);
  EXPECT_EQ(a.read.bytes, 3u * (1024 + 200 + 26 + 32 + 4));
  EXPECT_EQ(a.read.executions, 3u * 5);
  EXPECT_EQ(a.written.executions + a.atomic.executions, 0u);
  const uint64_t widths[TGS_ACCESS_WIDTHS] = {0, 39, 0, 3, 0, 231, 3, 0};
  for (unsigned i = 0; i < TGS_ACCESS_WIDTHS; ++i)
    EXPECT_EQ(a.read.lanes[i], widths[i]) << i;
  EXPECT_EQ(b.read.executions, 0u);
  EXPECT_EQ(b.written.bytes, 3 * 320u);
  EXPECT_EQ(b.written.segments_64, 3 * 128u);
  EXPECT_EQ(b.atomic.bytes, 3 * 256u);
  EXPECT_EQ(b.atomic.lanes[2], 3 * 64u);
}

TEST_P(Accesses, CopiesCountOnBothSides) {
  Sim sim = open();
  run(sim, "copy", [](uint32_t l) { return l; });
  Row r = only(accesses(sim), "global_load_lds_dword");
  EXPECT_EQ(r.use, "copy");
  EXPECT_EQ(r.access.lanes, 32u);
  EXPECT_EQ(r.access.bytes, 128u);
  EXPECT_EQ(r.access.segments_64, 2u);
  EXPECT_EQ(r.access.phases, 1u);
  EXPECT_EQ(r.access.conflicts, 0u);
}

TEST_P(Accesses, JsonHasTheSameNumbers) {
  Sim sim = open();
  run(sim, "lds", [](uint32_t l) { return l * 256; });
  Row r = only(accesses(sim), "ds_read_b32");
  EXPECT_NE(r.json.find("\"conflicts\":62,"), std::string::npos) << r.json;
  EXPECT_NE(r.json.find("\"space\":\"lds\",\"use\":\"read\",\"width\":4"), std::string::npos);
  bool argument = false;
  for (const Memory &m : memory(sim))
    argument |= m.json.find("\"kernarg_offset\":0,\"read\":{\"executions\":1,\"bytes\":256,"
                            "\"segments_64\":4,\"segments_128\":2,\"lanes\":{\"4\":64}}") !=
                std::string::npos;
  EXPECT_TRUE(argument);
}

TEST_P(Accesses, NothingIsCountedUnlessAskedFor) {
  Sim sim = open(false);
  run(sim, "lds", [](uint32_t l) { return l * 256; });
  EXPECT_TRUE(accesses(sim).empty());
  EXPECT_TRUE(memory(sim).empty());
}

TEST_P(Accesses, CountsAreOfTheLastLaunchAndDoNotDependOnThreadsOrSanitizers) {
  auto text = [&](uint32_t sanitizers, uint32_t threads) {
    Sim sim = open(true, sanitizers, threads);
    auto *out = sim.upload(std::vector<uint32_t>(2048));
    Arguments arguments = Arguments().add(sim.upload(std::vector<uint32_t>(256))).add(out);
    std::string all;
    for (unsigned n : {5u, 40u}) {
      sim.launch("copy", {n, 1, 1}, {64, 1, 1}, arguments);
      all.clear();
      for (const Row &r : accesses(sim))
        all += r.json + "\n";
    }
    EXPECT_NE(all.find("\"executions\":40,"), std::string::npos) << all;
    return all;
  };
  std::string one = text(TGS_SANITIZE_NONE, 1);
  EXPECT_EQ(one, text(TGS_SANITIZE_NONE, 4));
  EXPECT_EQ(one, text(TGS_SANITIZE_ALL, 1));
}

TEST_P(Accesses, BadCallsAreRefused) {
  Sim sim = open();
  auto access = [](const tgs_access *, void *) {};
  auto traffic = [](const tgs_memory *, void *) {};
  EXPECT_EQ(tgs_accesses(nullptr, access, nullptr), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_accesses(sim.device, nullptr, nullptr), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_memory_traffic(nullptr, traffic, nullptr), TGS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tgs_memory_traffic(sim.device, nullptr, nullptr), TGS_ERROR_INVALID_ARGUMENT);
}
} // namespace
