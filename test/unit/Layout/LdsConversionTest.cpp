// Conversions through LDS: parts hold what the whole holds, plans choose runs and transposing
// reads, candidates are what they say.
#include "Support.h"

#include "tegula/Layout/LdsConversion.h"

using namespace tegula;

namespace {

constexpr auto rows = "reg = [[0,1],[0,2],[0,4],[8,0],[16,0],[32,0]], "
                      "lane = [[0,8],[0,16],[0,32],[1,0],[2,0],[4,0]], wave = []";

TEST(LdsConversion, RunsComeFirst) {
  Layout l = layout("reg = [[0,1],[0,2],[1,0],[2,0]], "
                    "lane = [[0,4],[0,8],[4,0],[8,0],[16,0],[32,0]], wave = []");
  Layout run = runFirst(l, 0);
  EXPECT_EQ(run.reg, (Bases{{1, 0}, {2, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(run.lane, l.lane);
  EXPECT_EQ(vectorWidth(run, 0, 32), 4);
  EXPECT_EQ(runFirst(l, 1), l);
}

TEST(LdsConversion, PartsHoldWhatTheWholeHolds) {
  Layout whole = layout(rows);
  for (int64_t origin : {0, 16, 32, 48}) {
    auto piece = part(whole, {64, 64}, {origin, 0}, {16, 64});
    ASSERT_TRUE(piece);
    EXPECT_EQ(verify(*piece, {16, 64}, 16), std::nullopt);
    std::map<Extents, Place> owner;
    forEachPlace(whole, [&](const Place &p) { owner.emplace(whole.apply(p), p); });
    forEachPlace(*piece, [&](const Place &p) {
      Extents at = piece->apply(p);
      at[0] += origin;
      ASSERT_TRUE(owner.count(at));
      EXPECT_EQ(owner.at(at).lane, p.lane);
      EXPECT_EQ(owner.at(at).wave, p.wave);
    });
  }
}

TEST(LdsConversion, LanesAndWavesAreNotCut) {
  EXPECT_FALSE(part(layout(rows), {64, 64}, {0, 0}, {64, 32})) << "lanes lie across columns";
  EXPECT_FALSE(part(layout(rows), {64, 64}, {0, 0}, {4, 64})) << "lanes lie across rows";
}

TEST(LdsConversion, TheLastPartIsShorter) {
  Layout whole = layout("reg = [], lane = [[0,1],[0,2],[0,4],[0,8],[1,0],[2,0]], wave = [], "
                        "repeat = [5, 1]");
  auto last = part(whole, {20, 16}, {16, 0}, {16, 16});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->cover(), (Extents{4, 16}));
  auto first = part(whole, {20, 16}, {0, 0}, {16, 16});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->cover(), (Extents{16, 16}));
  EXPECT_EQ(canonicalize(*first), *first);
}

TEST(LdsConversion, BlocksFit) {
  EXPECT_EQ(blockOf({256, 256}, 16, 1 << 17), (Extents{256, 256}));
  EXPECT_EQ(blockOf({256, 256}, 16, 1 << 15), (Extents{128, 128}));
  EXPECT_EQ(blockOf({96, 160}, 32, 1 << 15), (Extents{64, 128}));
  EXPECT_EQ(blockOf({48, 80}, 16, 1 << 15), (Extents{48, 80})) << "not rounded when it fits";
}

TEST(LdsConversion, TransposingReadsWhereTheTargetHasThem) {
  Layout read = layout("reg = [[1,0],[2,0],[4,0]], lane = [[0,1],[0,2],[0,4],[0,8],[8,0],[16,0]], "
                       "wave = [[0,16],[0,32]], repeat = [1, 1]");
  Layout written = *coalescedLayout({{32, 64}, 16, 4, 1, 16, false});
  EXPECT_TRUE(isTransposingRead(read, 1, 16));
  EXPECT_TRUE(isTransposingRead(read, 1, 8));
  EXPECT_FALSE(isTransposingRead(read, 1, 32));
  EXPECT_FALSE(isTransposingRead(read, 0, 16));
  auto plan = planLdsConversion(written, read, {32, 64}, 16, 1 << 16, target("gfx950"));
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->transposeRead);
  EXPECT_EQ(plan->order, (std::vector<unsigned>{1, 0}));
  plan = planLdsConversion(written, read, {32, 64}, 16, 1 << 16, target("gfx942"));
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->transposeRead);
}

TEST(LdsConversion, TheSideWithBlocksGivesWay) {
  // The writer's lanes hold 4 x 8 elements: LDS runs along the reader's dimension.
  Layout written = *coalescedLayout({{128, 128}, 16, 8, 1, 16, false, 0, 4, 2});
  Layout read = *coalescedLayout({{128, 128}, 16, 8, 0, 16, false});
  auto plan = planLdsConversion(written, read, {128, 128}, 16, 1 << 15, target("gfx942"));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->order.front(), 0u);
  auto back = planLdsConversion(read, written, {128, 128}, 16, 1 << 15, target("gfx942"));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->order.front(), 0u);
  EXPECT_FALSE(planLdsConversion(written, read, {128, 128}, 16, 1 << 13, target("gfx942")))
      << "waves lie across the parts";
}

TEST(LdsConversion, CandidatesStayInsideTheirBlock) {
  CoalescedRequest request{{256, 256}, 16, 8, 1, 16, false, 0, 1, 1, {128, 128}};
  for (const char *chip : {"gfx942", "gfx950"}) {
    auto found = conversionCandidates(request, target(chip));
    bool transposing = false;
    for (const Layout &l : found) {
      EXPECT_EQ(verify(l, request.shape, 16), std::nullopt);
      EXPECT_TRUE(part(l, request.shape, {0, 0}, request.block)) << print(l);
      transposing |= isTransposingRead(l, 0, 16);
    }
    EXPECT_EQ(transposing, target(chip).hasDsReadTranspose);
  }
}

TEST(LdsConversion, TransposedBytesComeFromEightRows) {
  // In 16 lanes byte e of lane s goes to lane t, item j with e + 8·s = t + 16·j.
  Layout held({{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}, {16, 0}}, {},
              {1, 1});
  Layout fetched = transposedSource(held, 8);
  for (int64_t group = 0; group < 64; group += 16)
    for (int64_t place = 0; place < 128; ++place)
      EXPECT_EQ(fetched.apply(place % 8, group + place / 8, 0),
                held.apply(place / 16, group + place % 16, 0));
}

} // namespace
