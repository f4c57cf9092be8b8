// Modes of execution (VSKIP, VGPR indexing), hardware registers, and scalar operations around them.
#include "InstructionHarness.h"

namespace {
INSTANTIATE_TEST_SUITE_P(Targets, Instructions, ::testing::Values("gfx942", "gfx950"));

Inputs counting() {
  Inputs in;
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 12; ++r)
      in.lanes[l][r] = 0x1000 * r + l;
  for (unsigned i = 0; i < 8; ++i)
    in.scalars[i] = 0x100 + i;
  return in;
}

TEST_P(Instructions, VskipSkipsVectorInstructionsOnly) {
  Outputs o = run("vskip", counting());
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(o.lanes[l][0], 1u);
    EXPECT_EQ(o.lanes[l][1], 0x9000u + l); // the loop's additions are skipped, its scalars are not
    EXPECT_EQ(o.lanes[l][2], 5u);
  }
  EXPECT_EQ(o.scalars[0], 0u);
  EXPECT_EQ(o.scalars[1], 5u);
  EXPECT_EQ(o.scalars[2], 0u);
  expectClean();
}

TEST_P(Instructions, VgprIndexAddsToTheEnabledOperands) {
  Inputs in = counting();
  for (auto &lane : in.lanes)
    lane[0] = asBits(2.0f), lane[1] = asBits(3.0f);
  Outputs o = run("gpr_index", in);
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(o.lanes[l][0], 0x2000u + l);
    EXPECT_EQ(o.lanes[l][1], 0x2000u + l + asBits(3.0f));
    EXPECT_EQ(o.lanes[l][2], 0x3000u + l);
    EXPECT_EQ(o.lanes[l][3], 2u);
    EXPECT_EQ(o.lanes[l][4], asBits(3.0f) - (0x5000u + l));
    EXPECT_EQ(o.lanes[l][5], asBits(6.0f)); // v45 was 0
    EXPECT_EQ(o.lanes[l][6], (asBits(2.0f) & 0xffff) << 16);
  }
  EXPECT_EQ(o.scalars[0], 8u);          // MODE[27]
  EXPECT_EQ(o.scalars[1], 0xabc08003u); // index in [7:0], mask in [15:12], the rest kept
  expectClean();
}

TEST_P(Instructions, VgprIndexReachesAccumulationRegisters) {
  Outputs o = run("gpr_index_accumulation", counting());
  EXPECT_EQ(o.lanes[7][0], 0x1007u);
  expectClean();
}

TEST_P(Instructions, VgprIndexOutsideIsReported) {
  Outputs o = run("gpr_index_outside", counting(), TGS_ERROR_FINDINGS);
  EXPECT_EQ(o.lanes[7][0], 7u); // v0 = work-item
  EXPECT_EQ(o.lanes[7][1], 0x9007u);
  expectFinding("illegal", "VGPR index 60 leads outside");
}

TEST_P(Instructions, VgprIndexOfMatricesIsRefused) {
  run("gpr_index_matrix", counting(), TGS_ERROR_ABORTED);
  expectFinding("unsupported", "matrix instruction with VGPR indexing");
}

TEST_P(Instructions, ScalarsIndexedByM0) {
  Outputs o = run("movrel", counting());
  EXPECT_EQ(o.scalars[0], 0x102u);
  EXPECT_EQ(o.scalars[1], 0x101u);
  EXPECT_EQ(o.scalars[2], 0x106u);
  EXPECT_EQ(o.scalars[3], 0x107u);
  EXPECT_EQ(o.scalars[4], 0x102u);
  EXPECT_EQ(o.scalars[5], 0x103u);
  expectClean();
  run("movrel_outside", counting(), TGS_ERROR_ABORTED);
  expectFinding("illegal", "M0 = 90 leads to s110");
}

TEST_P(Instructions, ScalarExtremesTellWhetherTheFirstWasChosen) {
  Inputs in = counting();
  in.scalars[0] = 7;
  in.scalars[1] = 0x80000000;
  Outputs o = run("scalar_extremes", in);
  EXPECT_EQ(o.scalars[0], 7u);
  EXPECT_EQ(o.scalars[1], 1u); // 7 >= 7
  EXPECT_EQ(o.scalars[2], 0x80000000u);
  EXPECT_EQ(o.scalars[3], 0u);
  EXPECT_EQ(o.scalars[5], 0u); // not 7 < 7
}

TEST_P(Instructions, AbsoluteDifferenceWraps) {
  Inputs in;
  in.scalars = {5, 9, 0x80000000, 1, 0x80000000, 0, 1, 0xffffffff};
  Outputs o = run("absdiff", in);
  EXPECT_EQ(o.scalars[0], 4u);
  EXPECT_EQ(o.scalars[1], 0x7fffffffu);
  EXPECT_EQ(o.scalars[2], 0x80000000u);
  EXPECT_EQ(o.scalars[3], 2u);
}

TEST_P(Instructions, QuadMask) {
  Inputs in;
  in.scalars = {0x80010f00, 0x10};
  Outputs o = run("quadmask", in);
  EXPECT_EQ(o.scalars[0], 0x94u);
  EXPECT_EQ(o.scalars[1], 1u);
  EXPECT_EQ(o.scalars[2], 0x294u);
  EXPECT_EQ(o.scalars[3], 0u);
}

TEST_P(Instructions, HardwareRegisters) {
  Outputs o = run("registers", counting());
  EXPECT_EQ(o.scalars[0], 0x10401u); // SCC, VCCZ, VALID
  EXPECT_EQ(o.scalars[1], 128u / 8 - 1);
  EXPECT_EQ(o.scalars[2], 0u);
  EXPECT_EQ(o.scalars[3], 0u);
  EXPECT_EQ(o.scalars[5], 0u);
  EXPECT_EQ(o.scalars[6], 0x10000u);
  expectClean();
  run("register_unknown", counting(), TGS_ERROR_ABORTED);
  expectFinding("unsupported", "s_getreg of hardware register 18");
}
} // namespace
