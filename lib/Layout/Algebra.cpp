// Building layouts from layouts: product, quotient, and the images under shape operations.
#include "tegula/Layout/LinearLayout.h"

#include <algorithm>

using namespace tegula;

namespace {

bool isZero(const Basis &v) {
  return std::all_of(v.begin(), v.end(), [](int32_t c) { return c == 0; });
}

bool allOnes(const Extents &extents) {
  return std::all_of(extents.begin(), extents.end(), [](int64_t e) { return e == 1; });
}

/// Applies `fn` to every vector of the layout.
template <typename Fn> void forEachVector(Layout &l, Fn fn) {
  for (Bases *bases : {&l.reg, &l.lane, &l.wave})
    for (Basis &v : *bases)
      fn(v);
}

/// Non-zero vectors independent and without gaps: what slice can break.
bool hasOneOwner(const Layout &l) {
  unsigned nonZero = 0;
  for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
    for (const Basis &v : *bases)
      nonZero += !isZero(v);
  BitMatrix m = l.matrix();
  uint64_t reached = 0;
  for (uint64_t column : m.columns)
    reached |= column;
  uint64_t all = m.rows >= 64 ? ~uint64_t(0) : (uint64_t(1) << m.rows) - 1;
  return nonZero == m.rows && reached == all && rank(m.columns) == nonZero;
}

Layout dropZeroRegisters(Layout l) {
  l.reg.erase(std::remove_if(l.reg.begin(), l.reg.end(), isZero), l.reg.end());
  return l;
}

} // namespace

Layout tegula::copyWaves(Layout l, unsigned d) {
  WaveRepeats digits;
  for (WaveRepeat digit : l.waveRepeats) {
    if (digit.dim == static_cast<int>(d))
      digit.dim = kCopies;
    if (!digits.empty() && digit.dim == kCopies && digits.back().dim == kCopies)
      digits.back().count *= digit.count;
    else
      digits.push_back(digit);
  }
  l.waveRepeats = std::move(digits);
  return l;
}

std::optional<Layout> tegula::product(const Layout &a, const Layout &b) {
  if (a.rank() != b.rank() || !allOnes(a.repeat) || !a.waveRepeats.empty())
    return std::nullopt;
  Extents base = a.baseExtents();
  Layout above = b;
  forEachVector(above, [&](Basis &v) {
    for (unsigned d = 0; d < a.rank(); ++d)
      v[d] = static_cast<int32_t>(v[d] * base[d]);
  });
  Layout result = a;
  result.reg.insert(result.reg.end(), above.reg.begin(), above.reg.end());
  result.lane.insert(result.lane.end(), above.lane.begin(), above.lane.end());
  result.wave.insert(result.wave.end(), above.wave.begin(), above.wave.end());
  result.repeat = b.repeat;
  result.waveRepeats = b.waveRepeats;
  return result;
}

std::optional<Layout> tegula::quotient(const Layout &l, const Layout &a) {
  if (a.rank() != l.rank() || !allOnes(a.repeat) || !a.waveRepeats.empty())
    return std::nullopt;
  Extents base = a.baseExtents();
  Layout b({}, {}, {}, l.repeat, l.waveRepeats);
  auto takeSuffix = [&](const Bases &whole, const Bases &prefix, Bases &suffix) {
    if (whole.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), whole.begin()))
      return false;
    for (size_t i = prefix.size(); i < whole.size(); ++i) {
      Basis v = whole[i];
      for (unsigned d = 0; d < l.rank(); ++d) {
        if (v[d] % base[d])
          return false;
        v[d] = static_cast<int32_t>(v[d] / base[d]);
      }
      suffix.push_back(std::move(v));
    }
    return true;
  };
  if (!takeSuffix(l.reg, a.reg, b.reg) || !takeSuffix(l.lane, a.lane, b.lane) ||
      !takeSuffix(l.wave, a.wave, b.wave))
    return std::nullopt;
  return b;
}

std::optional<Layout> tegula::slice(const Layout &l, unsigned d) {
  if (d >= l.rank())
    return std::nullopt;
  Layout result = l;
  forEachVector(result, [&](Basis &v) { v.erase(v.begin() + d); });
  result.repeat.erase(result.repeat.begin() + d);
  result = dropZeroRegisters(copyWaves(std::move(result), d));
  for (WaveRepeat &digit : result.waveRepeats)
    digit.dim -= digit.dim > static_cast<int>(d);
  if (!hasOneOwner(result))
    return std::nullopt;
  return result;
}

bool tegula::isPure(const Layout &l, unsigned d) {
  for (const Bases *bases : {&l.reg, &l.lane, &l.wave})
    for (const Basis &v : *bases) {
      bool others = false;
      for (unsigned i = 0; i < l.rank(); ++i)
        others |= i != d && v[i];
      if (v[d] && others)
        return false;
    }
  return true;
}

std::optional<Layout> tegula::reduce(const Layout &l, unsigned d) {
  if (d >= l.rank() || !isPure(l, d))
    return std::nullopt;
  Layout result = l;
  forEachVector(result, [&](Basis &v) { v[d] = 0; });
  result.repeat[d] = 1;
  return dropZeroRegisters(copyWaves(std::move(result), d));
}

Layout tegula::transpose(const Layout &l, const std::vector<unsigned> &perm) {
  auto permute = [&](auto list) {
    auto result = list;
    for (size_t i = 0; i < perm.size(); ++i)
      result[i] = list[perm[i]];
    return result;
  };
  Layout result = l;
  forEachVector(result, [&](Basis &v) { v = permute(v); });
  result.repeat = permute(l.repeat);
  for (WaveRepeat &digit : result.waveRepeats)
    if (digit.dim != kCopies)
      digit.dim = static_cast<int>(
          std::find(perm.begin(), perm.end(), static_cast<unsigned>(digit.dim)) - perm.begin());
  return result;
}

std::optional<Layout> tegula::broadcast(const Layout &l, unsigned d, int64_t extent) {
  if (d >= l.rank() || extent < 1 || l.cover()[d] != 1)
    return std::nullopt;
  Layout result = l;
  result.repeat[d] = extent;
  return canonicalize(std::move(result));
}

//===--- reshape ---===//

namespace {

/// A run of source dimensions and a run of result dimensions with equal element counts; no extent
/// of 1 in either.
struct ReshapeGroup {
  std::vector<unsigned> from, to;
};

/// Cuts both shapes into the finest groups; nothing when the element counts differ.
std::optional<std::vector<ReshapeGroup>> reshapeGroups(const Extents &from, const Extents &to) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  auto skipOnes = [](const Extents &shape, size_t &k) {
    while (k < shape.size() && shape[k] == 1)
      ++k;
  };
  for (skipOnes(from, i), skipOnes(to, j); i < from.size() && j < to.size();
       skipOnes(from, i), skipOnes(to, j)) {
    ReshapeGroup group;
    int64_t left = from[i], right = to[j];
    group.from.push_back(static_cast<unsigned>(i++));
    group.to.push_back(static_cast<unsigned>(j++));
    while (left != right) {
      bool growLeft = left < right;
      size_t &k = growLeft ? i : j;
      const Extents &shape = growLeft ? from : to;
      skipOnes(shape, k);
      if (k == shape.size())
        return std::nullopt;
      (growLeft ? left : right) *= shape[k];
      (growLeft ? group.from : group.to).push_back(static_cast<unsigned>(k++));
    }
    groups.push_back(std::move(group));
  }
  if (i < from.size() || j < to.size())
    return std::nullopt;
  return groups;
}

bool isPowerOfTwo(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/// A group that splits or merges must be fully linear: powers of two, each exactly covered by
/// vectors.
bool canRelabel(const Layout &l, const ReshapeGroup &group, const Extents &from,
                const Extents &to) {
  if (group.from.size() == 1 && group.to.size() == 1)
    return true;
  Extents base = l.baseExtents();
  bool ok = true;
  for (unsigned d : group.from)
    ok &= base[d] == from[d] && l.repeat[d] == 1 && l.waveRepeat(d) == 1;
  for (unsigned d : group.to)
    ok &= isPowerOfTwo(to[d]);
  return ok;
}

/// The group's row-major position of source components, cut into result components.
void relabel(const Basis &v, Basis &out, const ReshapeGroup &group, const Extents &from,
             const Extents &to) {
  if (group.from.size() == 1 && group.to.size() == 1) {
    out[group.to[0]] = v[group.from[0]];
    return;
  }
  int64_t position = 0;
  for (unsigned d : group.from)
    position = position * from[d] + v[d];
  for (size_t i = group.to.size(); i-- > 0;) {
    int64_t extent = to[group.to[i]];
    out[group.to[i]] = static_cast<int32_t>(position % extent);
    position /= extent;
  }
}

} // namespace

std::optional<Layout> tegula::reshape(const Layout &l, const Extents &from, const Extents &to) {
  auto groups = reshapeGroups(from, to);
  if (!groups || l.rank() != from.size())
    return std::nullopt;
  Extents cover = l.cover();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1 && cover[d] != 1)
      return std::nullopt;
  Layout result = l;
  result.repeat.assign(to.size(), 1);
  for (const ReshapeGroup &group : *groups) {
    if (!canRelabel(l, group, from, to))
      return std::nullopt;
    result.repeat[group.to[0]] = l.repeat[group.from[0]];
    for (size_t i = 0; i < l.waveRepeats.size(); ++i)
      if (l.waveRepeats[i].dim == static_cast<int>(group.from[0]))
        result.waveRepeats[i].dim = static_cast<int>(group.to[0]);
  }
  forEachVector(result, [&](Basis &v) {
    Basis out(to.size(), 0);
    for (const ReshapeGroup &group : *groups)
      relabel(v, out, group, from, to);
    v = std::move(out);
  });
  return result;
}
