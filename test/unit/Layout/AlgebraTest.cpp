// Properties of the operations on layouts.
#include "Support.h"

using namespace tegula;

namespace {

/// A layout without repeats, lanes split off so that two can be multiplied.
Layout part(std::mt19937 &rng, unsigned rank, unsigned lanes, unsigned regs, unsigned waves) {
  Layout l({}, {}, {}, Extents(rank, 1));
  std::vector<int> bits(rank, 0);
  auto vector = [&] {
    Basis v(rank, 0);
    unsigned d = rng() % rank;
    v[d] = 1 << bits[d]++;
    return v;
  };
  for (unsigned i = 0; i < regs; ++i)
    l.reg.push_back(vector());
  for (unsigned i = 0; i < lanes; ++i)
    l.lane.push_back(vector());
  for (unsigned i = 0; i < waves; ++i)
    l.wave.push_back(vector());
  return l;
}

TEST(Algebra, ProductAndQuotientRoundTrip) {
  std::mt19937 rng(30);
  for (int trial = 0; trial < 200; ++trial) {
    unsigned rank = 1 + rng() % 3, lanes = rng() % 7;
    Layout a = part(rng, rank, lanes, rng() % 3, rng() % 2),
           b = part(rng, rank, 6 - lanes, rng() % 3, rng() % 2);
    b.repeat[0] = 1 + 2 * (rng() % 2);
    auto ab = product(a, b);
    ASSERT_TRUE(ab);
    EXPECT_EQ(quotient(*ab, a), b);
    EXPECT_EQ(verify(*ab, ab->cover(), 8), std::nullopt) << print(*ab);
  }
}

TEST(Algebra, ProductIsTheSumOfItsParts) {
  std::mt19937 rng(31);
  Layout a = part(rng, 2, 4, 1, 1), b = part(rng, 2, 2, 2, 1), ab = *product(a, b);
  Extents base = a.baseExtents();
  forEachPlace(a, [&](const Place &p) {
    forEachPlace(b, [&](const Place &q) {
      Extents low = a.apply(p), high = b.apply(q);
      EXPECT_EQ(ab.apply(p.reg + (q.reg << 1), p.lane + (q.lane << 4), p.wave + (q.wave << 1)),
                (Extents{low[0] + base[0] * high[0], low[1] + base[1] * high[1]}));
    });
  });
}

TEST(Algebra, QuotientFailsWhereThePatternDiffers) {
  Layout l =
      layout("reg = [[0,1],[0,2]], lane = [[0,4],[0,8],[0,16],[1,0],[2,0],[4,0]], wave = []");
  EXPECT_TRUE(quotient(l, layout("reg = [[0,1],[0,2]], lane = [], wave = []")));
  EXPECT_FALSE(quotient(l, layout("reg = [[0,1],[1,0]], lane = [], wave = []")));
  EXPECT_FALSE(quotient(l, layout("reg = [[0,1],[0,2],[0,4]], lane = [], wave = []")));
  EXPECT_FALSE(quotient(l, layout("reg = [[0,1]], lane = [[0,2]], wave = []"))) << "lane 0 steps 4";
}

TEST(Algebra, SliceDropsACoordinate) {
  std::mt19937 rng(32);
  int sliced = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 3, trial % 2));
    unsigned d = rng() % 3;
    auto s = slice(l, d);
    if (!s)
      continue;
    ++sliced;
    EXPECT_EQ(verify(*s, s->cover(), 8), std::nullopt) << print(*s);
    // Every wave and lane still holds exactly the same remaining coordinates.
    std::map<std::pair<int64_t, int64_t>, std::set<Extents>> before, after;
    forEachPlace(l, [&](const Place &p) {
      Extents c = l.apply(p);
      c.erase(c.begin() + d);
      before[{p.lane, p.wave}].insert(c);
    });
    forEachPlace(*s, [&](const Place &p) { after[{p.lane, p.wave}].insert(s->apply(p)); });
    EXPECT_EQ(before, after);
  }
  EXPECT_GT(sliced, 50);
}

TEST(Algebra, SliceRefusesTwoOwners) {
  Layout skewed = layout("reg = [], lane = [[0,1],[1,1],[0,2],[0,4],[0,8],[0,16]], wave = []");
  EXPECT_FALSE(slice(skewed, 0)) << "columns 1 and 1";
  EXPECT_TRUE(slice(skewed, 1));
}

TEST(Algebra, WavesOfADroppedDimensionAreCopies) {
  Layout odd = *coalescedLayout({{24, 64}, 16, 3, 1, 16, false});
  EXPECT_EQ(odd.waveRepeats, (WaveRepeats{{0, 3}}));
  EXPECT_EQ(slice(odd, 0)->waveRepeats, (WaveRepeats{{kCopies, 3}}));
  EXPECT_EQ(slice(odd, 1)->waveRepeats, (WaveRepeats{{0, 3}}));
  EXPECT_EQ(reduce(odd, 0)->waveRepeats, (WaveRepeats{{kCopies, 3}}));
  EXPECT_TRUE(slice(odd, 0)->hasWaveCopies());
  EXPECT_FALSE(odd.hasWaveCopies());
}

TEST(Algebra, ReduceKeepsTheDimension) {
  std::mt19937 rng(33);
  for (int trial = 0; trial < 100; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 2, true));
    unsigned d = rng() % 2;
    auto r = reduce(l, d);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->waves(), l.waves());
    EXPECT_EQ(r->cover()[d], 1);
    EXPECT_EQ(r->cover()[1 - d], l.cover()[1 - d]);
    EXPECT_EQ(slice(*r, d), slice(l, d));
    EXPECT_EQ(r->lane.size(), 6u);
    EXPECT_EQ(r->wave.size(), l.wave.size());
  }
  Layout skewed = layout("reg = [], lane = [[0,1],[1,1],[0,2],[0,4],[0,8],[0,16]], wave = []");
  EXPECT_FALSE(reduce(skewed, 0));
  EXPECT_FALSE(isPure(skewed, 0));
}

TEST(Algebra, TransposePermutesCoordinates) {
  std::mt19937 rng(34);
  auto several = [](const Extents &e) {
    return std::count_if(e.begin(), e.end(), [](int64_t n) { return n > 1; }) > 1;
  };
  int exact = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 3, trial % 2)), t = transpose(l, {2, 0, 1});
    EXPECT_EQ(transpose(t, {1, 2, 0}), l);
    std::map<std::pair<int64_t, int64_t>, std::set<Extents>> before, after;
    forEachPlace(l, [&](const Place &p) {
      Extents c = l.apply(p), permuted = {c[2], c[0], c[1]};
      before[{p.lane, p.wave}].insert(permuted);
      after[{p.lane, p.wave}].insert(t.apply(p));
      if (!several(l.repeat))
        EXPECT_EQ(t.apply(p), permuted);
    });
    EXPECT_EQ(before, after);
    exact += !several(l.repeat);
  }
  EXPECT_GT(exact, 30);
}

/// Row-major position of a coordinate.
int64_t position(const Extents &coordinate, const Extents &shape) {
  int64_t p = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    p = p * shape[d] + coordinate[d];
  return p;
}

void expectSameElements(const Layout &l, const Layout &r, const Extents &from, const Extents &to) {
  forEachPlace(l, [&](const Place &p) {
    Extents c = l.apply(p);
    for (size_t d = 0; d < from.size(); ++d)
      if (c[d] >= from[d])
        return; // a phantom
    EXPECT_EQ(position(r.apply(p), to), position(c, from));
  });
}

TEST(Algebra, ReshapeKeepsRowMajorOrder) {
  Layout l = *coalescedLayout({{4, 256}, 32, 2, 1, 16, false});
  for (const Extents &to : {Extents{4, 8, 32}, Extents{1024}, Extents{2, 2, 1, 256},
                            Extents{1, 4, 256}, Extents{16, 64}}) {
    auto r = reshape(l, {4, 256}, to);
    ASSERT_TRUE(r);
    EXPECT_EQ(verify(*r, to, 32), std::nullopt);
    expectSameElements(l, *r, {4, 256}, to);
    EXPECT_EQ(reshape(*r, to, {4, 256}), l);
  }
}

TEST(Algebra, ReshapeOfOddExtents) {
  Layout l = *coalescedLayout({{1, 2880}, 16, 2, 1, 16, false});
  auto vector = reshape(l, {1, 2880}, {2880});
  ASSERT_TRUE(vector);
  EXPECT_EQ(vector->repeat, (Extents{3}));
  EXPECT_EQ(reshape(*vector, {2880}, {1, 2880}), l);
  expectSameElements(l, *vector, {1, 2880}, {2880});
  EXPECT_FALSE(reshape(l, {1, 2880}, {45, 64})) << "not linear in bits";
  EXPECT_FALSE(reshape(l, {1, 2880}, {2881})) << "another element count";
  EXPECT_FALSE(reshape(l, {2880}, {2880})) << "another rank";
}

TEST(Algebra, BroadcastAddsRegisterCopies) {
  Layout row = *coalescedLayout({{1, 256}, 32, 1, 1, 16, false});
  Layout grown = *broadcast(row, 0, 6);
  EXPECT_EQ(grown.cover(), (Extents{6, 256}));
  EXPECT_EQ(grown.registersPerLane(), 6 * row.registersPerLane());
  EXPECT_EQ(reduce(grown, 0), row);
  EXPECT_FALSE(broadcast(row, 1, 512)) << "extent is not 1";
}

TEST(Algebra, ProductIsAssociative) {
  std::mt19937 rng(35);
  for (int trial = 0; trial < 100; ++trial) {
    unsigned rank = 1 + rng() % 3;
    Layout a = part(rng, rank, 2, rng() % 2, 0), b = part(rng, rank, 2, rng() % 2, rng() % 2);
    Layout c = part(rng, rank, 2, rng() % 2, rng() % 2);
    EXPECT_EQ(product(*product(a, b), c), product(a, *product(b, c)));
  }
}

TEST(Algebra, BaseMapIsLinear) {
  std::mt19937 rng(36);
  for (int trial = 0; trial < 50; ++trial) {
    Layout l = randomLayout(rng, 2, trial % 2);
    int64_t regs = int64_t(1) << l.reg.size(), waves = int64_t(1) << l.wave.size();
    for (int pair = 0; pair < 20; ++pair) {
      auto pick = [&](int64_t n) { return static_cast<int64_t>(rng()) % n; };
      Place p{pick(regs), pick(64), pick(waves)}, q{pick(regs), pick(64), pick(waves)};
      Extents x = l.apply(p), y = l.apply(q);
      Extents sum = l.apply(p.reg ^ q.reg, p.lane ^ q.lane, p.wave ^ q.wave);
      EXPECT_EQ(sum, (Extents{x[0] ^ y[0], x[1] ^ y[1]}));
    }
  }
}

TEST(Algebra, SliceCommutesWithTranspose) {
  std::mt19937 rng(37);
  for (int trial = 0; trial < 100; ++trial) {
    Layout l = canonicalize(randomLayout(rng, 2, trial % 2));
    EXPECT_EQ(slice(transpose(l, {1, 0}), 0), slice(l, 1));
    EXPECT_EQ(reduce(transpose(l, {1, 0}), 0).has_value(), reduce(l, 1).has_value());
  }
}

TEST(Algebra, ReshapeOfRandomPowersOfTwo) {
  std::mt19937 rng(38);
  for (int trial = 0; trial < 100; ++trial) {
    auto shapeOf = [&](unsigned bits) {
      Extents shape;
      while (bits > 0 || shape.empty()) {
        unsigned take = std::min<unsigned>(bits, rng() % 5);
        shape.push_back(int64_t(1) << take);
        bits -= take;
      }
      return shape;
    };
    Extents from = shapeOf(10), to = shapeOf(10);
    unsigned fast = static_cast<unsigned>(from.size()) - 1;
    Layout l = *coalescedLayout({from, 16, 2, fast, 4, false});
    auto r = reshape(l, from, to);
    ASSERT_TRUE(r) << print(l);
    EXPECT_EQ(verify(*r, to, 16), std::nullopt) << print(*r);
    expectSameElements(l, *r, from, to);
  }
}

TEST(Algebra, BroadcastOfOddExtents) {
  Layout column = *coalescedLayout({{48, 1}, 32, 3, 0, 4, false});
  for (int64_t extent : {1, 2, 3, 6, 7, 64}) {
    auto grown = broadcast(column, 1, extent);
    ASSERT_TRUE(grown);
    EXPECT_EQ(verify(*grown, {48, extent}, 32), std::nullopt) << print(*grown);
    EXPECT_EQ(reduce(*grown, 1), column);
  }
}

} // namespace
