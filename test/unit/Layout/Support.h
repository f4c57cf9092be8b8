// What the layout tests share: short constructors and a source of random layouts.
#ifndef TEGULA_TEST_UNIT_LAYOUT_SUPPORT_H
#define TEGULA_TEST_UNIT_LAYOUT_SUPPORT_H

#include "tegula/Layout/LinearLayout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace tegula {

inline Layout layout(std::string_view text) {
  std::string error;
  auto l = parse(text, &error);
  EXPECT_TRUE(l) << error << " in " << text;
  return l.value_or(Layout());
}

inline const Target &target(std::string_view name) { return *lookupTarget(name); }

/// A random canonical layout of `rank` dimensions: unit vectors dealt to reg, lane and wave, mixed
/// by row operations so that some vectors span dimensions, with zero lane and wave bits and odd
/// repeats.
inline Layout randomLayout(std::mt19937 &rng, unsigned rank, bool pure) {
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  int zeroLanes = pick(3), regs = pick(4), waves = pick(3), total = 6 - zeroLanes + regs + waves;
  std::vector<Basis> vectors;
  std::vector<int> bits(rank, 0);
  for (int i = 0; i < total; ++i) {
    Basis v(rank, 0);
    int d = pick(static_cast<int>(rank));
    v[d] = 1 << bits[d]++;
    vectors.push_back(v);
  }
  if (!pure)
    for (int i = 0; i < 4 && total > 1; ++i) {
      int a = pick(total), b = pick(total);
      if (a != b)
        for (unsigned d = 0; d < rank; ++d)
          vectors[a][d] ^= vectors[b][d];
    }
  std::shuffle(vectors.begin(), vectors.end(), rng);
  Layout l;
  l.reg.assign(vectors.begin(), vectors.begin() + regs);
  l.wave.assign(vectors.begin() + regs, vectors.begin() + regs + waves);
  l.lane.assign(vectors.begin() + regs + waves, vectors.end());
  for (int i = 0; i < zeroLanes; ++i)
    l.lane.insert(l.lane.begin() + pick(static_cast<int>(l.lane.size()) + 1), Basis(rank, 0));
  if (pick(3) == 0)
    l.wave.push_back(Basis(rank, 0));
  for (unsigned d = 0; d < rank; ++d)
    l.repeat.push_back(pick(4) ? 1 : 3);
  for (int d = kCopies; d < static_cast<int>(rank); ++d)
    if (!pick(8))
      l.waveRepeats.push_back({d, 3});
  std::shuffle(l.waveRepeats.begin(), l.waveRepeats.end(), rng);
  return l;
}

/// Every place of the layout, in order.
template <typename Fn> void forEachPlace(const Layout &l, Fn fn) {
  for (int64_t w = 0; w < l.waves(); ++w)
    for (int64_t lane = 0; lane < int64_t(1) << l.lane.size(); ++lane)
      for (int64_t r = 0; r < l.registersPerLane(); ++r)
        fn(Place{r, lane, w});
}

} // namespace tegula

#endif // TEGULA_TEST_UNIT_LAYOUT_SUPPORT_H
