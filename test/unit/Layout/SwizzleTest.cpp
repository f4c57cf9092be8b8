// Bank conflicts: the rank form against counting, and the solver on the published cases.
#include "Support.h"

#include "tegula/Layout/Swizzle.h"
#include <climits>

using namespace tegula;

namespace {

/// Clocks by definition: over the phases, the most distinct dwords that one bank must deliver;
/// relative to no conflict.
int bruteForceFactor(const LdsAccess &access, uint32_t pitch, const XorMasks &masks,
                     const Target &t) {
  LdsPhases phases = t.phases(access.op);
  std::map<uint32_t, std::map<int, std::set<uint32_t>>> use; // phase → bank → dwords
  for (unsigned lane = 0; lane < 64; ++lane) {
    uint32_t offset = 0, phase = 0;
    for (unsigned i = 0; i < 6; ++i)
      offset ^= lane >> i & 1 ? access.laneBytes[i] : 0;
    for (size_t i = 0; i < phases.masks.size(); ++i)
      phase |= static_cast<uint32_t>(__builtin_parity(lane & phases.masks[i])) << i;
    offset = swizzled(offset, pitch, masks);
    for (int byte = 0; byte < phases.bytes; byte += 4) {
      uint32_t dword = (offset + static_cast<uint32_t>(byte)) / 4;
      use[phase][static_cast<int>(dword) % phases.banks].insert(dword);
    }
  }
  size_t worst = 0;
  for (auto &[phase, banks] : use)
    for (auto &[bank, dwords] : banks)
      worst = std::max(worst, dwords.size());
  return static_cast<int>(worst);
}

LdsAccess access(LdsOp op, std::array<uint32_t, 6> lanes) { return {op, lanes, 0, 1}; }

/// 16 or 32 rows read by an MFMA operand: low lane bits walk rows, high ones the chunks of a row.
LdsAccess mfmaRead(uint32_t pitch, unsigned rowBits) {
  LdsAccess a = access(LdsOp::ReadB128, {});
  for (unsigned i = 0; i < 6; ++i)
    a.laneBytes[i] = i < rowBits ? pitch << i : 16u << (i - rowBits);
  return a;
}

/// Consecutive lanes write consecutive 16-byte chunks.
LdsAccess linearWrite() { return access(LdsOp::WriteB128, {16, 32, 64, 128, 256, 512}); }

/// ds_read_b64_tr_b16 of a K-major tile: 16 lanes take 4 rows of 16 columns … as the lowering
/// issues it for an operand of 16 columns and 32 k: lane bits 0-1 step 4 columns, bits 2-3 rows,
/// bits 4-5 groups of 8 rows.
LdsAccess transposeRead(uint32_t pitch) {
  return access(LdsOp::ReadTrB64, {8, 16, pitch, 2 * pitch, 8 * pitch, 16 * pitch});
}

struct Case {
  const char *name;
  const char *target;
  int64_t rows;
  uint32_t pitch;
  std::vector<LdsAccess> accesses;
  XorMasks published; ///< known free of conflicts
  XorMasks solved;    ///< what the solver's order of preference picks
  int before;         ///< factor of the first access without masks
};

std::vector<Case> cases() {
  return {
      {"128-byte rows, 16-row read",
       "gfx950",
       16,
       128,
       {mfmaRead(128, 4)},
       {1, 2, 4},
       {1, 2, 4},
       4},
      {"128-byte rows, 32-row read",
       "gfx950",
       32,
       128,
       {mfmaRead(128, 5)},
       {0, 1, 2, 4},
       {0, 1, 2, 4},
       8},
      {"64-byte rows, 16-row read",
       "gfx950",
       16,
       64,
       {mfmaRead(64, 4)},
       {0, 0, 3, 2},
       {0, 1, 2},
       2},
      {"64-byte rows, 32-row read",
       "gfx950",
       32,
       64,
       {mfmaRead(64, 5)},
       {0, 0, 3, 2},
       {0, 0, 1, 2},
       4},
      {"64-byte rows, read and write",
       "gfx942",
       16,
       64,
       {mfmaRead(64, 4), linearWrite()},
       {0, 1, 2},
       {1, 2},
       2},
      {"512-byte rows, transposing read",
       "gfx950",
       32,
       512,
       {transposeRead(512)},
       {2, 4, 0, 8},
       {2, 4, 0, 8},
       8},
  };
}

TEST(Swizzle, PublishedMasksAreFreeOfConflicts) {
  for (const Case &c : cases()) {
    const Target &t = target(c.target);
    EXPECT_EQ(conflictFactor(c.accesses[0], c.pitch, {}, t), c.before) << c.name;
    for (const LdsAccess &a : c.accesses) {
      EXPECT_EQ(conflictFactor(a, c.pitch, c.published, t), 1) << c.name;
      EXPECT_EQ(bruteForceFactor(a, c.pitch, c.published, t), 1) << c.name;
    }
  }
  EXPECT_EQ(conflictFactor(mfmaRead(128, 5), 128, {1, 2, 4}, target("gfx950")), 2)
      << "16-row masks on 32 rows";
}

TEST(Swizzle, SolverOnPublishedCases) {
  for (const Case &c : cases()) {
    const Target &t = target(c.target);
    SwizzleResult result = solveSwizzle(c.rows, c.pitch, c.accesses, t);
    EXPECT_EQ(result.masks, c.solved) << c.name;
    for (size_t i = 0; i < c.accesses.size(); ++i) {
      EXPECT_EQ(result.factors[i], 1) << c.name;
      EXPECT_EQ(bruteForceFactor(c.accesses[i], c.pitch, result.masks, t), 1) << c.name;
    }
  }
}

TEST(Swizzle, RankFormEqualsCounting) {
  std::mt19937 rng(7);
  const LdsOp ops[] = {LdsOp::ReadB32,  LdsOp::ReadB64,  LdsOp::ReadB128, LdsOp::ReadTrB64,
                       LdsOp::WriteB32, LdsOp::WriteB64, LdsOp::WriteB128};
  int conflicts = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Target &t = target(trial % 2 ? "gfx942" : "gfx950");
    LdsAccess a = access(ops[rng() % 7], {});
    uint32_t pitch = 32u << rng() % 6, align = static_cast<uint32_t>(t.phases(a.op).bytes);
    for (uint32_t &move : a.laneBytes) // several bits of one address at times, and equal addresses
      move = rng() % 4 == 0   ? rng() % 8192 / align * align
             : rng() % 8 == 0 ? 0
                              : align << rng() % 9;
    XorMasks masks;
    for (unsigned j = rng() % 5; j > 0; --j)
      masks.push_back(static_cast<int32_t>(rng() % (pitch / 16)));
    int counted = bruteForceFactor(a, pitch, masks, t);
    EXPECT_EQ(conflictFactor(a, pitch, masks, t), counted) << "trial " << trial;
    conflicts += counted > 1;
  }
  EXPECT_GT(conflicts, 500);
}

TEST(Swizzle, SwizzleIsAnInvolutionThatKeepsRows) {
  XorMasks masks = {2, 4, 0, 8};
  std::set<uint32_t> seen;
  for (uint32_t offset = 0; offset < 32 * 512; offset += 4) {
    uint32_t stored = swizzled(offset, 512, masks);
    EXPECT_EQ(swizzled(stored, 512, masks), offset);
    EXPECT_EQ(stored / 512, offset / 512);
    EXPECT_EQ(stored % 16, offset % 16);
    EXPECT_TRUE(seen.insert(stored).second);
  }
}

TEST(Swizzle, SolverIsNeverWorseThanAnyMasks) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 20; ++trial) {
    const Target &t = target(trial % 2 ? "gfx942" : "gfx950");
    uint32_t pitch = 64u << rng() % 2;
    std::vector<LdsAccess> accesses = {mfmaRead(pitch, 3 + rng() % 3), linearWrite()};
    for (uint32_t &move : accesses[0].laneBytes)
      move = 16u << rng() % 6;
    accesses[0].weight = 3;
    auto cost = [&](const XorMasks &masks) { // clocks lost
      int sum = 0;
      for (const LdsAccess &a : accesses)
        sum += a.weight * (conflictFactor(a, pitch, masks, t) - 1) << t.phases(a.op).masks.size();
      return sum;
    };
    int best = cost(solveSwizzle(8, pitch, accesses, t).masks),
        chunks = static_cast<int>(pitch / 16);
    for (int code = 0; code < chunks * chunks * chunks; ++code)
      EXPECT_GE(cost({code % chunks, code / chunks % chunks, code / chunks / chunks}), best);
  }
}

TEST(Swizzle, AccessOfALayout) {
  const MfmaInst &inst = *target("gfx950").findMfma("16x16x32", "bf16", "bf16");
  Layout a = *mfmaOperandLayout(inst, MfmaOperand::A, {256, 256, 32, 2, 4, true});
  auto found = ldsAccess(a, {1, 0}, 128, 16, LdsOp::ReadB128);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->laneBytes, mfmaRead(128, 4).laneBytes);
  EXPECT_EQ(found->registerRows, 16u | 32u | 64u);
  SwizzleResult solved = solveSwizzle(256, 128, {*found}, target("gfx950"));
  EXPECT_EQ(solved.masks, (XorMasks{1, 2, 4}));
  EXPECT_EQ(solved.offsetRegisters, 0);
  // B of an NT product is stored with k fastest, too.
  Layout b = *mfmaOperandLayout(inst, MfmaOperand::B, {256, 256, 32, 2, 4, true});
  EXPECT_EQ(ldsAccess(b, {0, 1}, 128, 16, LdsOp::ReadB128)->laneBytes, mfmaRead(128, 4).laneBytes);
  EXPECT_FALSE(ldsAccess(a, {1, 0}, 32, 16, LdsOp::ReadB128))
      << "a row of 64 bytes does not fit a pitch of 32";
}

TEST(Swizzle, OffsetRegistersAreAvoided) {
  // Rows come from registers except bits 0 and 1: masks on the others would cost registers.
  LdsAccess a = access(LdsOp::WriteB128, {128, 256, 512, 16, 32, 64});
  SwizzleResult free = solveSwizzle(8, 128, {a}, target("gfx950"));
  EXPECT_EQ(free.factors[0], 1);
  a.registerRows = 1 << 2;
  EXPECT_EQ(solveSwizzle(8, 128, {a}, target("gfx950")).factors[0], 1) << "conflicts come first";
  EXPECT_EQ(solveSwizzle(8, 128, {a}, target("gfx950")).offsetRegisters, 1);
}

/// A lane holds 8 neighbouring rows of a dword each; lane bits: rows 8, 16, 32, then the dwords of
/// a chunk, then its neighbour.
LdsAccess columnWrite(uint32_t pitch) {
  LdsAccess a = access(LdsOp::WriteB32, {8 * pitch, 16 * pitch, 32 * pitch, 4, 8, 16});
  a.registerRows = 7;
  return a;
}

TEST(Swizzle, RowsMoveWhereTheyReachHalfOfTheBanksOnly) {
  const Target &t = target("gfx942");
  // Masks inside rows of 64 bytes: every row bit 0 is a register's, so one half of the banks idles.
  int best = INT_MAX;
  for (int code = 0; code < 4096; ++code) {
    XorMasks masks;
    for (int j = 0; j < 6; ++j)
      masks.push_back(code >> (2 * j) & 3);
    best = std::min(best, conflictFactor(columnWrite(64), 64, masks, t));
  }
  EXPECT_EQ(best, 2);
  std::vector<LdsAccess> accesses = {columnWrite(64), mfmaRead(64, 4)};
  SwizzleResult solved = solveSwizzle(64, 64, accesses, t);
  for (size_t i = 0; i < accesses.size(); ++i) {
    EXPECT_EQ(solved.factors[i], 1);
    EXPECT_EQ(bruteForceFactor(accesses[i], 64, solved.masks, t), 1);
  }
  EXPECT_EQ(solved.offsetRegisters, 2); // row bits 0 and 1 of the writer
  std::set<uint32_t> places;
  for (uint32_t offset = 0; offset < 64 * 64; offset += 16)
    EXPECT_TRUE(places.insert(swizzled(offset, 64, solved.masks)).second);
  EXPECT_EQ(*places.rbegin(), 64u * 64 - 16);
  // 96 rows: bit 5 and those below stay among 32 rows, bit 6 would lead outside.
  SwizzleResult odd = solveSwizzle(96, 64, accesses, t);
  places.clear();
  for (uint32_t offset = 0; offset < 96 * 64; offset += 16)
    places.insert(swizzled(offset, 64, odd.masks));
  EXPECT_EQ(places.size(), 96u * 4);
  EXPECT_LT(*places.rbegin(), 96u * 64);
}

TEST(Swizzle, RowsStayWhereNothingIsGained) {
  for (const Case &c : cases())
    for (int32_t mask : solveSwizzle(c.rows, c.pitch, c.accesses, target(c.target)).masks)
      EXPECT_LT(mask, static_cast<int32_t>(c.pitch / 16)) << c.name;
}

TEST(Swizzle, SearchEndsWhereConflictsCannotBeAvoided) {
  // Columns of f32 stored dword by dword: 64 lanes on 32 rows of one column pair.
  uint32_t pitch = 256;
  LdsAccess columns =
      access(LdsOp::WriteB32, {4 * pitch, 8 * pitch, 16 * pitch, 32 * pitch, 64 * pitch, 4});
  columns.registerRows = 3;
  std::vector<LdsAccess> accesses = {columns, mfmaRead(pitch, 4)};
  const Target &t = target("gfx950");
  SwizzleResult result = solveSwizzle(96, pitch, accesses, t);
  EXPECT_GT(result.factors[0], 1);
  auto cost = [&](const XorMasks &masks) {
    return conflictFactor(accesses[0], pitch, masks, t) +
           conflictFactor(accesses[1], pitch, masks, t);
  };
  EXPECT_LE(cost(result.masks), cost({1, 2, 4, 8}));
  EXPECT_LE(cost(result.masks), cost({0, 0, 1, 2, 4, 8}));
}

TEST(Swizzle, PitchesThatCannotBeSwizzled) {
  EXPECT_TRUE(solveSwizzle(16, 80, {mfmaRead(80, 4)}, target("gfx950")).masks.empty());
  EXPECT_TRUE(solveSwizzle(16, 16, {linearWrite()}, target("gfx950")).masks.empty());
}

} // namespace
