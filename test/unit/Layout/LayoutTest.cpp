// The map, its owner function, the invariants, the canonical form and the text form.
#include "Support.h"

using namespace tegula;

namespace {

std::string label(const Layout &l, const Extents &shape, unsigned bits = 16) {
  auto error = verify(l, shape, bits);
  return error ? error->label : "";
}

const char *const lanes8x32 = "lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[4,0]]";

TEST(Layout, EveryElementHasOneOwner) {
  std::mt19937 rng(20);
  for (int trial = 0; trial < 60; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 1 + trial % 3, trial % 2));
    std::map<Extents, int> owners;
    uint64_t zeroLanes = l.zeroLaneBits(), zeroWaves = l.zeroWaveBits();
    forEachPlace(l, [&](const Place &p) {
      int64_t w = p.wave & ((int64_t(1) << l.wave.size()) - 1), above = p.wave >> l.wave.size();
      bool owns =
          !(static_cast<uint64_t>(p.lane) & zeroLanes) && !(static_cast<uint64_t>(w) & zeroWaves);
      for (size_t i = l.waveRepeats.size(); i-- > 0; above /= l.waveRepeats[i].count)
        owns &= l.waveRepeats[i].dim != kCopies || above % l.waveRepeats[i].count == 0;
      owners[l.apply(p)] += owns;
      if (owns)
        EXPECT_EQ(l.ownerOf(l.apply(p)), p);
    });
    int64_t elements = 1;
    for (int64_t e : l.cover())
      elements *= e;
    EXPECT_EQ(static_cast<int64_t>(owners.size()), elements);
    for (auto &[coordinate, count] : owners)
      EXPECT_EQ(count, 1);
  }
}

TEST(Layout, OwnerOutsideTheCover) {
  Layout l = *coalescedLayout({{1, 2880}, 16, 2, 1, 16, false});
  EXPECT_TRUE(l.ownerOf({0, 3071}));
  EXPECT_FALSE(l.ownerOf({0, 3072}));
  EXPECT_FALSE(l.ownerOf({1, 0}));
  EXPECT_FALSE(l.ownerOf({0, -1}));
  EXPECT_FALSE(l.ownerOf({0}));
}

TEST(Layout, RandomLayoutsVerify) {
  std::mt19937 rng(21);
  for (int trial = 0; trial < 200; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 1 + trial % 3, trial % 2));
    Extents shape = l.cover();
    EXPECT_EQ(label(l, shape, 8), "") << print(l);
    EXPECT_EQ(canonicalize(l), l);
    shape[0] += 1;
    EXPECT_EQ(label(l, shape, 8), "cdna.layout.c3");
  }
}

TEST(Layout, BrokenInvariants) {
  auto with = [](const std::string &reg, const std::string &rest = "wave = []") {
    return layout("reg = " + reg + ", " + lanes8x32 + ", " + rest);
  };
  EXPECT_EQ(label(with("[[0,1],[0,2]]"), {8, 32}), "");
  EXPECT_EQ(label(with("[[0,1],[0,2]]"), {7, 31}), "");
  EXPECT_EQ(label(with("[[0,1],[0,2]]"), {8, 32, 1}), "cdna.layout.c1");
  EXPECT_EQ(label(layout("reg = [[0,1]], lane = [[0,2]], wave = []"), {1, 4}), "cdna.layout.c1");
  EXPECT_EQ(label(with("[[0,1],[0,1073741824]]"), {8, 32}), "cdna.layout.c1");
  EXPECT_EQ(label(with("[[0,1],[0,3]]"), {8, 32}), "") << "a skewed basis is a basis";
  EXPECT_EQ(label(with("[[0,1],[0,1]]"), {8, 32}), "cdna.layout.c2") << "two owners";
  EXPECT_EQ(label(with("[[0,1],[0,5]]"), {8, 32}), "cdna.layout.c2") << "bit 1 is not reached";
  EXPECT_EQ(label(with("[[0,1],[0,32]]"), {8, 64}), "cdna.layout.c2");
  EXPECT_EQ(label(with("[[0,1],[0,2]]"), {9, 32}), "cdna.layout.c3");
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], repeat = [3, 1]"), {16, 32}), "cdna.layout.c3");
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], repeat = [2, 1]"), {16, 32}), "cdna.layout.c5");
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], wave_repeat = [[0, 2]]"), {16, 32}),
            "cdna.layout.c5");
  EXPECT_EQ(label(with("[[0,1],[0,2],[0,0]]"), {8, 32}), "cdna.layout.c5") << "a register copy";
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], repeat = [255, 1]"), {2040, 32}, 16), "");
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], repeat = [257, 1]"), {2056, 32}, 16),
            "cdna.layout.c6");
  EXPECT_EQ(label(with("[[0,1],[0,2]]", "wave = [], repeat = [1073741823, 1073741823]"),
                  {int64_t(8) * 1073741823, int64_t(32) * 1073741823}),
            "cdna.layout.c6")
      << "no overflow";
}

TEST(Layout, TooManyVectors) {
  Layout l = layout(std::string("reg = [], ") + lanes8x32 + ", wave = []");
  l.reg.assign(40, Basis{0, 1});
  EXPECT_EQ(label(l, {8, 32}), "cdna.layout.c6");
  l.reg.clear();
  l.wave.assign(11, Basis{0, 0});
  EXPECT_EQ(label(l, {8, 32}), "cdna.layout.c1");
}

TEST(Layout, CanonicalFormKeepsTheElementsOfALane) {
  // Power-of-two repeats become vectors; numbering stays when only one dimension repeats.
  Layout l = layout(std::string("reg = [[0,1],[0,2]], ") + lanes8x32 +
                    ", wave = [], repeat = [1, 12], wave_repeat = [[0, 2]]");
  Layout c = canonicalize(l);
  EXPECT_EQ(
      print(c),
      "reg = [[0, 1], [0, 2], [0, 32], [0, 64]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], "
      "[4, 0]], wave = [[8, 0]], repeat = [1, 3]");
  EXPECT_EQ(c.registersPerLane(), l.registersPerLane());
  EXPECT_EQ(c.waves(), l.waves());
  forEachPlace(l, [&](const Place &p) { EXPECT_EQ(c.apply(p), l.apply(p)); });
}

TEST(Layout, OddWavesStayARepeat) {
  Layout l = *coalescedLayout({{16, 256}, 16, 3, 1, 16, false});
  EXPECT_EQ(l.waves(), 3);
  EXPECT_EQ(l.waveRepeats, (WaveRepeats{{0, 3}}));
  EXPECT_EQ(label(l, {16, 256}), "");
  Layout six = *coalescedLayout({{64, 256}, 16, 6, 1, 16, false});
  EXPECT_EQ(six.waves(), 6);
  EXPECT_EQ(six.wave.size(), 1u);
  EXPECT_EQ(label(six, {64, 256}), "");
}

TEST(Layout, TextRoundTrip) {
  std::mt19937 rng(22);
  for (int trial = 0; trial < 200; ++trial) {
    Layout l = randomLayout(rng, 1 + trial % 4, trial % 2);
    EXPECT_EQ(layout(print(l)), l);
  }
  Layout scalar({}, Bases(6, Basis{0, 0}), {}, {1, 1});
  EXPECT_EQ(layout(print(scalar)), scalar);
}

TEST(Layout, TextErrors) {
  auto error = [](std::string_view text) {
    std::string message;
    EXPECT_FALSE(parse(text, &message)) << text;
    return message;
  };
  EXPECT_EQ(error(""), "expected 'reg'");
  EXPECT_EQ(error("reg = [[0, 1]"), "expected ']'");
  EXPECT_EQ(error("reg = [[0, -1]], lane = [], wave = []"), "expected a number from 0 to 2^31 - 1");
  EXPECT_EQ(error("reg = [[0, 99999999999]], lane = [], wave = []"),
            "expected a number from 0 to 2^31 - 1");
  EXPECT_EQ(error("reg = [[0]], lane = [[1, 0]], wave = []"),
            "basis vectors have different numbers of components");
  EXPECT_EQ(error("reg = [[0]], lane = [], wave = [], repeat = [1, 2]"),
            "repeat has one number per dimension");
  EXPECT_EQ(error("reg = [], lane = [], wave = [], extra = [1]"), "expected 'repeat'");
  EXPECT_EQ(error("reg = [], lane = [], wave = [] x"), "unexpected text after the layout");
}

TEST(Layout, HashFollowsEquality) {
  std::mt19937 rng(23);
  std::set<size_t> hashes;
  std::set<std::string> texts;
  for (int trial = 0; trial < 300; ++trial) {
    Layout l = randomLayout(rng, 2, trial % 2);
    EXPECT_EQ(l.hash(), layout(print(l)).hash());
    hashes.insert(l.hash());
    texts.insert(print(l));
  }
  EXPECT_EQ(hashes.size(), texts.size());
}

} // namespace
