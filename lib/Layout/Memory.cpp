// Layouts for loads and stores: vector width, coalescing, and the candidates to choose from.
#include "tegula/Layout/LinearLayout.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace tegula;

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool isUnit(const Basis &v, unsigned d, int64_t value) {
  for (size_t i = 0; i < v.size(); ++i)
    if (v[i] != (i == d ? value : 0))
      return false;
  return true;
}

} // namespace

int64_t tegula::vectorWidth(const Layout &l, unsigned fastDim, unsigned elementBits,
                            int64_t maxBytes) {
  int64_t width = 1;
  for (const Basis &v : l.reg) {
    if (!isUnit(v, fastDim, width) || 2 * width * elementBits > 8 * maxBytes)
      break;
    width *= 2;
  }
  return width;
}

Layout tegula::transposedSource(Layout l, unsigned elementBits) {
  unsigned items = static_cast<unsigned>(__builtin_ctz(64 / elementBits));
  for (unsigned bit = 0; bit < items; ++bit)
    std::swap(l.reg[bit], l.lane[bit]);
  std::rotate(l.lane.begin(), l.lane.begin() + items, l.lane.begin() + 4);
  return l;
}

double tegula::coalescingScore(const Layout &l, unsigned fastDim, unsigned elementBits,
                               int64_t lanes, int64_t maxBytes) {
  int64_t width = vectorWidth(l, fastDim, elementBits, maxBytes);
  std::set<Extents> elements, segments;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t r = 0; r < width; ++r) {
      Extents c = l.apply(r, lane, 0);
      elements.insert(c);
      c[fastDim] = c[fastDim] * elementBits / (64 * 8);
      segments.insert(c);
    }
  return static_cast<double>(elements.size()) * elementBits / 8 /
         (64.0 * static_cast<double>(segments.size()));
}

namespace {

/// Builds a layout from the fastest bits up.
class Distributor {
public:
  explicit Distributor(const CoalescedRequest &request)
      : shape(request.shape), limit(request.shape), base(request.shape.size(), 1) {
    for (size_t d = 0; d < request.block.size(); ++d)
      limit[d] = std::min(limit[d], request.block[d]);
    layout.repeat.assign(shape.size(), 1);
  }

  /// Up to `bits` vectors along d while the tile has elements left there; returns how many were
  /// placed.
  unsigned along(Bases &bases, unsigned d, unsigned bits) {
    unsigned placed = 0;
    for (; placed < bits && base[d] < limit[d]; ++placed) {
      Basis v(shape.size(), 0);
      v[d] = static_cast<int32_t>(base[d]);
      bases.push_back(std::move(v));
      base[d] *= 2;
    }
    return placed;
  }

  /// Lanes or waves over the dimensions in order, what is left as copies.
  void spread(Bases &bases, unsigned bits, const std::vector<unsigned> &order) {
    for (unsigned d : order)
      bits -= along(bases, d, bits);
    bases.insert(bases.end(), bits, Basis(shape.size(), 0));
  }

  /// An odd number of waves, along the first dimension with something left; when nothing is, they
  /// are copies.
  void oddWaves(int64_t waves, const std::vector<unsigned> &order) {
    auto left =
        std::find_if(order.begin(), order.end(), [&](unsigned d) { return base[d] < shape[d]; });
    layout.waveRepeats = {{left == order.end() ? kCopies : static_cast<int>(*left), waves}};
  }

  Layout finish() {
    for (size_t d = 0; d < shape.size(); ++d)
      layout.repeat[d] = ceilDiv(shape[d], base[d] * layout.waveRepeat(static_cast<unsigned>(d)));
    return canonicalize(std::move(layout));
  }

  Layout layout;

private:
  const Extents &shape;
  Extents limit; ///< of vectors, lanes and waves
  Extents base;
};

/// Vector length in elements: a power of two within the wish, and not longer than the row.
unsigned vectorBits(const CoalescedRequest &r) {
  unsigned bits = 0;
  while ((r.elementBits << (bits + 1)) <= 8 * r.vectorBytes &&
         (int64_t(2) << bits) <= r.shape[r.fastDim])
    ++bits;
  return bits;
}

} // namespace

std::optional<Layout> tegula::coalescedLayout(const CoalescedRequest &request) {
  unsigned rank = static_cast<unsigned>(request.shape.size());
  if (request.fastDim >= rank || request.waves < 1 ||
      request.waves > Target::maxWavesPerWorkgroup || request.elementBits == 0)
    return std::nullopt;
  std::vector<unsigned> fastFirst = {request.fastDim}, slowFirst;
  for (unsigned d = rank; d-- > 0;)
    if (d != request.fastDim)
      fastFirst.push_back(d);
  for (unsigned d = 0; d < rank; ++d)
    if (d != request.fastDim)
      slowFirst.push_back(d);
  slowFirst.push_back(request.fastDim);

  Distributor build(request);
  build.along(build.layout.reg, request.fastDim, vectorBits(request));
  if (request.crossRun > 1)
    build.along(build.layout.reg, request.crossDim,
                static_cast<unsigned>(__builtin_ctz(request.crossRun)));
  unsigned lanes = 6;
  if (request.crossLanes > 1)
    lanes -= build.along(build.layout.lane, request.crossDim,
                         static_cast<unsigned>(__builtin_ctz(request.crossLanes)));
  build.spread(build.layout.lane, lanes, fastFirst);
  const std::vector<unsigned> &waveOrder = request.wavesAlongFast ? fastFirst : slowFirst;
  unsigned waveBits = static_cast<unsigned>(__builtin_ctz(request.waves));
  build.spread(build.layout.wave, waveBits, waveOrder);
  if (int64_t odd = request.waves >> waveBits; odd > 1)
    build.oddWaves(odd, waveOrder);
  return build.finish();
}

Layout tegula::shareAmongWaves(Layout l, unsigned d, int64_t extent, int64_t odd, size_t kept) {
  if (odd == 1)
    return l;
  auto isHighest = [&](const Basis &v, int64_t base) { return isUnit(v, d, base / 2); };
  for (int64_t base = l.baseExtents()[d]; base > 1; base /= 2) {
    auto top =
        std::find_if(l.reg.begin() + static_cast<std::ptrdiff_t>(std::min(kept, l.reg.size())),
                     l.reg.end(), [&](const Basis &v) { return isHighest(v, base); });
    if (top == l.reg.end())
      break;
    l.reg.erase(top);
  }
  int64_t base = l.baseExtents()[d];
  bool isShared = base < extent;
  l.waveRepeats.push_back({isShared ? static_cast<int>(d) : kCopies, odd});
  if (isShared)
    l.repeat[d] = ceilDiv(extent, base * odd);
  return l;
}

std::vector<Layout> tegula::coalescedCandidates(const Extents &shape, unsigned elementBits,
                                                unsigned waves, unsigned fastDim,
                                                unsigned maxVectorBytes) {
  std::vector<Layout> found;
  for (unsigned bytes = maxVectorBytes; bytes >= std::max(1u, std::min(4u, maxVectorBytes));
       bytes /= 2)
    for (bool alongFast : {false, true}) {
      auto l = coalescedLayout({shape, elementBits, waves, fastDim, bytes, alongFast});
      if (l && std::find(found.begin(), found.end(), *l) == found.end())
        found.push_back(std::move(*l));
    }
  // Fewest instructions of a wave first, then fewest idle waves and lanes, then best use of the
  // lines fetched.
  auto rankOf = [&](const Layout &l) {
    int64_t instructions =
        l.registersPerLane() / vectorWidth(l, fastDim, elementBits, maxVectorBytes);
    int idleWaves = __builtin_popcountll(l.zeroWaveBits()),
        idleLanes = __builtin_popcountll(l.zeroLaneBits());
    return std::make_tuple(instructions, idleWaves, idleLanes,
                           -coalescingScore(l, fastDim, elementBits));
  };
  using Key = decltype(rankOf(found.front()));
  std::vector<std::pair<Key, size_t>> keys;
  for (size_t i = 0; i < found.size(); ++i)
    keys.push_back({rankOf(found[i]), i});
  std::sort(keys.begin(), keys.end());
  std::vector<Layout> ordered;
  for (const auto &[key, index] : keys)
    ordered.push_back(found[index]);
  return ordered;
}
