// The device's own table of LDS phases and banks: against the compiler's, and on patterns whose
// conflicts are published.
#include "Sim/Counters/Banks.h"
#include "tegula/Target/Target.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tegula::sim;
using tegula::LdsOp;

namespace {
struct Pair {
  LdsOp compiler;
  LdsUse use;
  unsigned bytes;
};
const Pair kPairs[] = {
    {LdsOp::ReadB32, LdsUse::Read, 4},
    {LdsOp::ReadB64, LdsUse::Read, 8},
    {LdsOp::ReadB96, LdsUse::Read, 12},
    {LdsOp::ReadB128, LdsUse::Read, 16},
    {LdsOp::WriteB32, LdsUse::Write, 4},
    {LdsOp::WriteB64, LdsUse::Write, 8},
    {LdsOp::WriteB96, LdsUse::Write, 12},
    {LdsOp::WriteB128, LdsUse::Write, 16},
    {LdsOp::ReadTrB64, LdsUse::TransposedRead, 8},
};

std::set<uint64_t> compilerPhases(const tegula::LdsPhases &phases) {
  std::map<unsigned, uint64_t> lanesOf;
  for (unsigned lane = 0; lane < 64; ++lane) {
    unsigned phase = 0;
    for (size_t i = 0; i < phases.masks.size(); ++i)
      phase |= unsigned(__builtin_parity(lane & phases.masks[i])) << i;
    lanesOf[phase] |= uint64_t(1) << lane;
  }
  std::set<uint64_t> sets;
  for (auto &[phase, lanes] : lanesOf)
    sets.insert(lanes);
  return sets;
}

class Banks : public ::testing::TestWithParam<Arch> {
protected:
  const tegula::Target &target() const {
    return *tegula::lookupTarget(GetParam() == Arch::gfx950 ? "gfx950" : "gfx942");
  }
  LdsCost cost(LdsUse use, unsigned bytes, uint32_t (*address)(unsigned), uint64_t lanes = ~0ull) {
    uint32_t at[64];
    for (unsigned l = 0; l < 64; ++l)
      at[l] = address(l);
    return ldsCost(GetParam(), use, at, lanes, bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Banks, ::testing::Values(Arch::gfx942, Arch::gfx950));

TEST_P(Banks, TableIsTheCompilersTable) {
  for (const Pair &pair : kPairs) {
    const LdsService &ours = ldsService(GetParam(), pair.use, pair.bytes);
    tegula::LdsPhases theirs = target().phases(pair.compiler);
    EXPECT_EQ(ours.banks, unsigned(theirs.banks)) << int(pair.compiler);
    EXPECT_EQ(std::set<uint64_t>(ours.phases.begin(), ours.phases.end()), compilerPhases(theirs))
        << int(pair.compiler);
  }
}

TEST_P(Banks, EveryLaneIsServedOnce) {
  for (LdsUse use : {LdsUse::Read, LdsUse::TransposedRead, LdsUse::Write, LdsUse::Atomic})
    for (unsigned bytes : {1u, 2u, 4u, 8u, 12u, 16u}) {
      uint64_t all = 0;
      for (uint64_t phase : ldsService(GetParam(), use, bytes).phases) {
        EXPECT_EQ(all & phase, 0u);
        all |= phase;
      }
      EXPECT_EQ(all, ~0ull);
    }
}

TEST_P(Banks, ConsecutiveLanesNeverConflict) {
  for (unsigned bytes : {4u, 8u, 16u})
    for (LdsUse use : {LdsUse::Read, LdsUse::Write}) {
      uint32_t at[64];
      for (unsigned l = 0; l < 64; ++l)
        at[l] = l * bytes;
      LdsCost c = ldsCost(GetParam(), use, at, ~0ull, bytes);
      EXPECT_EQ(c.conflicts, 0u) << bytes;
      EXPECT_EQ(c.phases, ldsService(GetParam(), use, bytes).phases.size());
    }
}

TEST_P(Banks, AColumnOf32BanksTakesALaneACycle) {
  LdsCost c = cost(LdsUse::Read, 4, [](unsigned l) { return l * 128; });
  EXPECT_EQ(c.phases, 2u);
  EXPECT_EQ(c.conflicts, 62u);
  c = cost(LdsUse::Read, 4, [](unsigned l) { return l * 128; }, 0xff);
  EXPECT_EQ(c.phases, 1u);
  EXPECT_EQ(c.conflicts, 7u);
}

TEST_P(Banks, EqualDwordsAreBroadcastButAtomicsTakeTurns) {
  auto same = [](unsigned) { return 512u; };
  EXPECT_EQ(cost(LdsUse::Read, 4, same).conflicts, 0u);
  EXPECT_EQ(cost(LdsUse::Write, 1, [](unsigned l) { return l; }).conflicts, 0u);
  EXPECT_EQ(cost(LdsUse::Atomic, 4, same).conflicts, 62u);
}

TEST_P(Banks, MisalignedAccessesTouchOneMoreDword) {
  // Lane l: the last byte of dword 2l and the first of 2l + 1, 64 dwords of 32 banks in a phase.
  LdsCost c = cost(LdsUse::Read, 2, [](unsigned l) { return l * 8 + 3; });
  EXPECT_EQ(c.conflicts, 2u);
}

TEST_P(Banks, NoLaneNoCycle) {
  LdsCost c = cost(LdsUse::Write, 16, [](unsigned l) { return l * 16; }, 0);
  EXPECT_EQ(c.phases + c.conflicts, 0u);
}

// Rows of 128 bytes, lane = row + 16 · chunk: the operand of a 16-row MFMA.
TEST(MfmaOperand, UnswizzledRowsConflict) {
  uint32_t plain[64], swizzled[64];
  for (unsigned l = 0; l < 64; ++l) {
    unsigned row = l % 16, chunk = l / 16;
    plain[l] = row * 128 + chunk * 16;
    swizzled[l] = row * 128 + (chunk ^ (row & 7)) * 16;
  }
  EXPECT_EQ(ldsCost(Arch::gfx950, LdsUse::Read, plain, ~0ull, 16).conflicts, 4 * 3u);
  EXPECT_EQ(ldsCost(Arch::gfx950, LdsUse::Read, swizzled, ~0ull, 16).conflicts, 0u);
  EXPECT_EQ(ldsCost(Arch::gfx942, LdsUse::Read, plain, ~0ull, 16).conflicts, 8 * 3u);
}
} // namespace
