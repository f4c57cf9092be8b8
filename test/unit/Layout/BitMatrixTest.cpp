// GF(2) matrices against their definitions.
#include "Support.h"

using namespace tegula;

namespace {

BitMatrix randomMatrix(std::mt19937 &rng, unsigned rows, unsigned columns) {
  BitMatrix m;
  m.rows = rows;
  for (unsigned i = 0; i < columns; ++i)
    m.columns.push_back(rng() & ((uint64_t(1) << rows) - 1));
  return m;
}

TEST(BitMatrix, RankCountsTheSpan) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    BitMatrix m = randomMatrix(rng, 6, rng() % 8);
    std::set<uint64_t> span;
    for (uint64_t input = 0; input < uint64_t(1) << m.inputs(); ++input)
      span.insert(m.apply(input));
    EXPECT_EQ(size_t(1) << rank(m.columns), span.size());
  }
}

TEST(BitMatrix, ComposeAppliesRightFirst) {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 50; ++trial) {
    BitMatrix a = randomMatrix(rng, 7, 5), b = randomMatrix(rng, 5, 6), ab = compose(a, b);
    for (uint64_t x = 0; x < 64; ++x)
      EXPECT_EQ(ab.apply(x), a.apply(b.apply(x)));
  }
}

TEST(BitMatrix, InvertBothWays) {
  std::mt19937 rng(3);
  int inverted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    BitMatrix m = randomMatrix(rng, 6, 6);
    auto inverse = invert(m);
    EXPECT_EQ(inverse.has_value(), rank(m.columns) == 6);
    if (!inverse)
      continue;
    ++inverted;
    EXPECT_EQ(compose(*inverse, m), BitMatrix::identity(6));
    EXPECT_EQ(compose(m, *inverse), BitMatrix::identity(6));
  }
  EXPECT_GT(inverted, 50);
  EXPECT_FALSE(invert(randomMatrix(rng, 5, 6))) << "not square";
}

TEST(BitMatrix, PseudoInverseAvoidsZeroColumns) {
  BitMatrix m{{0, 2, 0, 1, 4}, 3};
  auto inverse = pseudoInvert(m);
  ASSERT_TRUE(inverse);
  EXPECT_EQ(compose(m, *inverse), BitMatrix::identity(3));
  for (uint64_t column : inverse->columns)
    EXPECT_EQ(column & 0b00101, 0u);
  EXPECT_FALSE(pseudoInvert(BitMatrix{{1, 2, 3}, 2})) << "dependent columns";
  EXPECT_FALSE(pseudoInvert(BitMatrix{{1, 0}, 2})) << "does not span";
}

TEST(BitMatrix, KernelOfMasks) {
  std::mt19937 rng(4);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<uint8_t> masks;
    for (unsigned i = rng() % 4; i > 0; --i)
      masks.push_back(rng() % 64);
    auto even = [&](uint64_t lanes) {
      return std::all_of(masks.begin(), masks.end(),
                         [&](uint8_t mask) { return !__builtin_parityll(lanes & mask); });
    };
    BitMatrix kernel{kernelOfMasks(masks, 6), 6};
    std::set<uint64_t> span;
    for (uint64_t x = 0; x < uint64_t(1) << kernel.inputs(); ++x)
      EXPECT_TRUE(span.insert(kernel.apply(x)).second) << "a basis";
    for (uint64_t lanes = 0; lanes < 64; ++lanes)
      EXPECT_EQ(span.count(lanes) == 1, even(lanes));
  }
}

} // namespace
