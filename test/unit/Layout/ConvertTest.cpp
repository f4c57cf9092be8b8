// Conversions: the pull map against element positions, and the paths chosen.
#include "Support.h"

using namespace tegula;

namespace {

const Target &cdna4() { return target("gfx950"); }

TEST(Convert, PullMapFindsTheElement) {
  std::mt19937 rng(40);
  int mapped = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Layout src = canonicalize(randomLayout(rng, 2, trial % 2)), dst = src;
    // Another distribution of the same base: shuffle all vectors, lanes' zero bits included.
    std::vector<Basis> all;
    for (const Bases *bases : {&src.reg, &src.lane, &src.wave})
      all.insert(all.end(), bases->begin(), bases->end());
    std::shuffle(all.begin(), all.end(), rng);
    size_t at = 0;
    for (Bases *bases : {&dst.reg, &dst.lane, &dst.wave})
      for (Basis &v : *bases)
        v = all[at++];
    auto pull = convertMap(src, dst);
    ASSERT_TRUE(pull);
    ++mapped;
    unsigned p = static_cast<unsigned>(dst.reg.size()), q = static_cast<unsigned>(dst.wave.size());
    unsigned sp = static_cast<unsigned>(src.reg.size());
    for (uint64_t place = 0; place < uint64_t(1) << (p + 6 + q); ++place) {
      uint64_t from = pull->apply(place);
      int64_t mask = (int64_t(1) << p) - 1, srcMask = (int64_t(1) << sp) - 1;
      int64_t d = static_cast<int64_t>(place), s = static_cast<int64_t>(from);
      EXPECT_EQ(src.apply(s & srcMask, s >> sp & 63, s >> (sp + 6)),
                dst.apply(d & mask, d >> p & 63, d >> (p + 6)));
    }
  }
  EXPECT_EQ(mapped, 200);
}

TEST(Convert, IdentityIsFreeAndBroadcastsAreReadInPlace) {
  std::mt19937 rng(41);
  for (int trial = 0; trial < 50; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 2, trial % 2));
    Conversion c = classifyConversion(l, l, 16, cdna4());
    EXPECT_EQ(c.path, ConvertPath::None);
    EXPECT_EQ(c.cost, 0);
  }
}

TEST(Convert, DifferentBasesNeedLds) {
  Layout a = *coalescedLayout({{64, 96}, 16, 4, 1, 16, false}),
         b = *coalescedLayout({{64, 96}, 16, 4, 0, 16, false});
  EXPECT_FALSE(convertMap(a, b));
  Conversion c = classifyConversion(a, b, 16, cdna4());
  EXPECT_EQ(c.path, ConvertPath::Lds);
  EXPECT_GT(c.cost, 0);
}

struct PathCase {
  const char *reg, *lane, *wave;
  unsigned bits;
  ConvertPath path;
};

TEST(Convert, Paths) {
  Layout src = layout("reg = [[0,1],[0,2],[0,4]], lane = [[0,8],[0,16],[1,0],[2,0],[4,0],[8,0]], "
                      "wave = [[16,0],[0,0]]");
  const char *lanes = "[[0,8],[0,16],[1,0],[2,0],[4,0],[8,0]]", *waves = "[[16,0],[0,0]]";
  const PathCase cases[] = {
      {"[[0,1],[0,4],[0,2]]", lanes, waves, 32, ConvertPath::None}, // registers renamed
      {"[[0,1],[0,4],[0,2]]", lanes, waves, 16, ConvertPath::None}, // whole dwords renamed
      {"[[0,2],[0,1],[0,4]]", lanes, waves, 16,
       ConvertPath::Register}, // halves of dwords change partners
      {"[[0,2],[0,1],[0,4]]", lanes, waves, 32, ConvertPath::None},
      {"[[0,1],[0,2],[0,4]]", "[[0,16],[0,8],[1,0],[2,0],[4,0],[8,0]]", waves, 16,
       ConvertPath::Lane},
      {"[[0,1],[0,2],[0,4]]", "[[1,0],[0,16],[0,8],[2,0],[4,0],[8,0]]", waves, 16,
       ConvertPath::LdsWave},
      {"[[0,1],[0,2],[8,0]]", "[[0,8],[0,16],[1,0],[2,0],[4,0],[0,4]]", waves, 16,
       ConvertPath::Exchange},
      {"[[0,1],[8,0],[0,4]]", "[[0,8],[0,16],[1,0],[2,0],[4,0],[0,2]]", waves, 16,
       ConvertPath::Exchange},
      {"[[8,0],[0,2],[0,4]]", "[[0,8],[0,16],[1,0],[2,0],[4,0],[0,1]]", waves, 16,
       ConvertPath::LdsWave}, // halves
      {"[[0,1],[0,2],[16,0]]", lanes, "[[0,4],[0,0]]", 16, ConvertPath::Lds},
      {"[[0,1],[0,2],[0,4]]", lanes, "[[0,0],[16,0]]", 16, ConvertPath::Lds},
  };
  for (const PathCase &c : cases) {
    Layout dst =
        layout(std::string("reg = ") + c.reg + ", lane = " + c.lane + ", wave = " + c.wave);
    EXPECT_STREQ(name(classifyConversion(src, dst, c.bits, cdna4()).path), name(c.path))
        << c.reg << c.lane << c.wave;
  }
}

TEST(Convert, ExchangeNamesTheBits) {
  Layout src =
      layout("reg = [[0,1],[0,2]], lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[4,0]], wave = []");
  Layout dst =
      layout("reg = [[0,1],[4,0]], lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[0,2]], wave = []");
  Conversion c = classifyConversion(src, dst, 32, cdna4());
  EXPECT_EQ(c.path, ConvertPath::Exchange);
  EXPECT_EQ(c.crossings, (std::vector<std::pair<unsigned, unsigned>>{{1, 5}}));
  // Without permlane swaps the upper lane bits have no exchange.
  EXPECT_EQ(classifyConversion(src, dst, 32, target("gfx942")).path, ConvertPath::LdsWave);
}

TEST(Convert, OneDwordMovesAcrossLanes) {
  Layout src = layout("reg = [], lane = [[0,1],[0,2],[0,4],[0,8],[0,16],[0,32]], wave = []");
  Layout dst = layout("reg = [], lane = [[0,32],[0,2],[0,4],[0,8],[0,16],[0,1]], wave = []");
  EXPECT_EQ(classifyConversion(src, dst, 32, cdna4()).path, ConvertPath::Lane);
}

} // namespace
