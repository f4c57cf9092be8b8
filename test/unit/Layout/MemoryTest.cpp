// Layouts for loads and stores.
#include "Support.h"

using namespace tegula;

namespace {

TEST(Memory, VectorWidth) {
  Layout l = layout(
      "reg = [[0,1],[0,2],[0,4],[1,0]], lane = [[0,8],[0,16],[2,0],[4,0],[8,0],[16,0]], wave = []");
  EXPECT_EQ(vectorWidth(l, 1, 16), 8);
  EXPECT_EQ(vectorWidth(l, 1, 32), 4) << "16 bytes";
  EXPECT_EQ(vectorWidth(l, 1, 16, 4), 2) << "alignment of 4";
  EXPECT_EQ(vectorWidth(l, 0, 16), 1) << "the other dimension";
  Layout repeated = layout(
      "reg = [[0,1]], lane = [[0,2],[0,4],[0,8],[0,16],[0,32],[0,64]], wave = [], repeat = [1, 3]");
  EXPECT_EQ(vectorWidth(repeated, 1, 16), 2) << "a repeat never joins a vector";
}

TEST(Memory, CoalescingScore) {
  auto score = [](const char *lanes) {
    return coalescingScore(
        layout(std::string("reg = [[0,1],[0,2],[0,4]], lane = ") + lanes + ", wave = []"), 1, 16);
  };
  EXPECT_DOUBLE_EQ(score("[[0,8],[0,16],[0,32],[0,64],[1,0],[2,0]]"), 1.0);
  EXPECT_DOUBLE_EQ(score("[[0,8],[0,16],[1,0],[2,0],[4,0],[8,0]]"), 1.0)
      << "four lanes fill 64 bytes";
  EXPECT_DOUBLE_EQ(score("[[0,8],[1,0],[2,0],[4,0],[8,0],[16,0]]"), 0.5);
  EXPECT_DOUBLE_EQ(score("[[1,0],[2,0],[4,0],[8,0],[16,0],[32,0]]"), 0.25);
  Layout apart = layout(
      "reg = [[0,1],[0,2],[0,4]], lane = [[0,8],[0,16],[0,32],[0,64],[1,0],[2,0]], wave = []");
  EXPECT_DOUBLE_EQ(coalescingScore(apart, 1, 16, 16, 4), 0.25)
      << "accesses of 4 bytes use a quarter of what they touch";
}

TEST(Memory, EveryRequestGivesALegalLayout) {
  for (const Extents &shape :
       {Extents{1, 1}, Extents{1, 7}, Extents{4, 500}, Extents{3, 64}, Extents{256, 64},
        Extents{130}, Extents{2, 48, 80}, Extents{1, 8192}, Extents{64, 1}})
    for (unsigned waves = 1; waves <= 16; ++waves)
      for (unsigned bits : {8u, 16u, 32u})
        for (unsigned fast = 0; fast < shape.size(); ++fast)
          for (bool along : {false, true}) {
            auto l = coalescedLayout({shape, bits, waves, fast, 16, along});
            ASSERT_TRUE(l);
            EXPECT_EQ(l->waves(), waves);
            auto error = verify(*l, shape, bits);
            EXPECT_FALSE(error) << print(*l) << ": " << (error ? error->message : "");
          }
}

TEST(Memory, WavesOverRowsOrColumns) {
  Layout rows = *coalescedLayout({{4, 1024}, 16, 4, 1, 16, false});
  Layout columns = *coalescedLayout({{4, 1024}, 16, 4, 1, 16, true});
  EXPECT_EQ(rows.wave, (Bases{{1, 0}, {2, 0}}));
  EXPECT_EQ(columns.wave, (Bases{{0, 512}, {1, 0}}));
}

TEST(Memory, IdleLanesAndWavesAreCopies) {
  Layout l = *coalescedLayout({{1, 64}, 32, 4, 1, 16, false});
  EXPECT_EQ(l.reg.size(), 2u);
  EXPECT_EQ(l.zeroLaneBits(), 0b110000u);
  EXPECT_EQ(l.zeroWaveBits(), 0b11u);
}

TEST(Memory, OddWavesShareRows) {
  // 64 rows, 16 of them a wave and register bit: three waves take two sixteens each, two at most.
  Layout l = *coalescedLayout({{64, 64}, 16, 1, 1, 16, false});
  Layout shared = shareAmongWaves(l, 0, 64, 3, 3);
  EXPECT_EQ(verify(shared, {64, 64}, 16), std::nullopt) << print(shared);
  EXPECT_EQ(shared.waveRepeats, (WaveRepeats{{0, 3}}));
  EXPECT_EQ(shared.baseExtents(), (Extents{8, 64}));
  EXPECT_EQ(shared.repeat, (Extents{3, 1}));
  EXPECT_EQ(vectorWidth(shared, 1, 16), 8);
  Layout copies = shareAmongWaves(*coalescedLayout({{8, 64}, 16, 1, 1, 16, false}), 0, 8, 5, 3);
  EXPECT_EQ(copies.waveRepeats, (WaveRepeats{{kCopies, 5}}));
  EXPECT_EQ(verify(copies, {8, 64}, 16), std::nullopt);
}

TEST(Memory, CandidatesAreLegalDistinctAndBestFirst) {
  auto found = coalescedCandidates({256, 64}, 16, 8, 1);
  ASSERT_FALSE(found.empty());
  EXPECT_LE(found.size(), 12u);
  EXPECT_EQ(vectorWidth(found.front(), 1, 16), 8);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(verify(found[i], {256, 64}, 16), std::nullopt);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(found[i], found[j]);
  }
  for (const Layout &l : coalescedCandidates({4, 64}, 16, 1, 1, 2))
    EXPECT_EQ(vectorWidth(l, 1, 16), 1) << "alignment of 2 bytes allows no vector";
}

TEST(Memory, BadRequests) {
  EXPECT_FALSE(coalescedLayout({{4, 64}, 16, 0, 1, 16, false}));
  EXPECT_FALSE(coalescedLayout({{4, 64}, 16, 17, 1, 16, false}));
  EXPECT_FALSE(coalescedLayout({{4, 64}, 16, 1, 2, 16, false}));
}

TEST(Memory, TransposingReadsFetchWhatTheyHold) {
  // In 16 lanes element e of lane s goes to lane t, item j with e + 4·s = t + 16·j.
  Layout held({{1, 0}, {2, 0}, {16, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}}, {},
              {1, 1});
  Layout fetched = transposedSource(held, 16);
  EXPECT_EQ(fetched.reg, (Bases{{0, 1}, {0, 2}, {16, 0}}));
  for (int64_t group = 0; group < 64; group += 16)
    for (int64_t place = 0; place < 64; ++place)
      for (int64_t high : {0, 4})
        EXPECT_EQ(fetched.apply(high + place % 4, group + place / 4, 0),
                  held.apply(high + place / 16, group + place % 16, 0));
}

} // namespace
