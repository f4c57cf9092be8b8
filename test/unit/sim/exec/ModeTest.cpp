// The MODE register, and workgroups that wait for one another.
#include "SimHarness.h"
#include <cmath>

namespace {
class Modes : public ::testing::TestWithParam<const char *> {
protected:
  std::string object() const { return std::string("modes-") + GetParam() + ".co"; }
  std::vector<uint32_t> run(uint32_t mode) {
    Sim sim(GetParam(), object());
    uint32_t *out = sim.upload(std::vector<uint32_t>(8, 0xdeadbeef));
    EXPECT_EQ(sim.launch("modes", {1, 1, 1}, {1, 1, 1}, Arguments().add(out).add(mode)), TGS_OK)
        << sim.error();
    return std::vector<uint32_t>(out, out + 8);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Modes, ::testing::Values("gfx942", "gfx950"));

constexpr uint32_t kF32Denorms = 0x30, kOtherDenorms = 0xc0;

TEST_P(Modes, DenormalsOfEachTypeFollowTheirField) {
  auto kept = run(kF32Denorms | kOtherDenorms), f32Flushed = run(kOtherDenorms),
       allFlushed = run(0);
  EXPECT_EQ(kept[0], 0x00400000u);
  EXPECT_EQ(kept[1], 0x0c000000u); // 2^-127 · 2^24
  EXPECT_EQ(kept[4], 0x0200u);
  EXPECT_EQ(kept[5], 0x00080000u);
  EXPECT_EQ(f32Flushed[0], 0u);
  EXPECT_EQ(f32Flushed[1], 0u);
  EXPECT_EQ(f32Flushed[4], 0x0200u);
  EXPECT_EQ(f32Flushed[5], 0x00080000u);
  EXPECT_EQ(allFlushed[4], 0u);
  EXPECT_EQ(allFlushed[5], 0u);
  EXPECT_EQ(allFlushed[7], 0u);
}

TEST_P(Modes, RoundingOfEachTypeFollowsItsField) {
  // f32: 1 + 2^-25 rounds to 1, or up to the next float.
  uint32_t ulp = 0x34000000; // 2^-23
  EXPECT_EQ(run(0xf0)[3], 0u);
  EXPECT_EQ(run(0xf1)[3], ulp);
  EXPECT_EQ(run(0xf2)[3], 0x80000000u); // 1 − 1 is −0 when rounding down
  EXPECT_EQ(run(0xf3)[3], 0u);
  // 0.1 in f16: 0x2e66 is below, 0x2e67 above; the f16/f64 field is bits 3:2.
  EXPECT_EQ(run(0xf0)[6], 0x2e66u);
  EXPECT_EQ(run(0xf4)[6], 0x2e67u);
  EXPECT_EQ(run(0xf8)[6], 0x2e66u);
  EXPECT_EQ(run(0xfc)[6], 0x2e66u);
  EXPECT_EQ(run(0xf4)[3], 0u); // and does not touch f32
  EXPECT_EQ(run(0xf9)[7], 0xf9u);
}

TEST_P(Modes, AWorkgroupMayWaitForALaterOne) {
  for (const char *kernel : {"spin_sleeping", "spin_busy"}) {
    Sim sim(GetParam(), object());
    uint32_t *flags = sim.upload(std::vector<uint32_t>(2, 0));
    ASSERT_EQ(sim.launch(kernel, {2, 1, 1}, {64, 1, 1}, Arguments().add(flags)), TGS_OK)
        << sim.error();
    EXPECT_EQ(flags[1], 7u) << kernel;
  }
}
} // namespace
