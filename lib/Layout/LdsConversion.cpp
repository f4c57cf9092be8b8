// Conversions through LDS: order of the buffer, runs, parts of a tile; candidates of layouts.
#include "tegula/Layout/LdsConversion.h"

#include <algorithm>

using namespace tegula;

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool isStep(const Basis &v, unsigned d, int64_t step) {
  for (unsigned i = 0; i < v.size(); ++i)
    if (v[i] != (i == d ? step : 0))
      return false;
  return true;
}

} // namespace

Layout tegula::runFirst(Layout layout, unsigned dim) {
  auto next = layout.reg.begin();
  for (int32_t step = 1;; step *= 2) {
    auto found = std::find_if(next, layout.reg.end(),
                              [&](const Basis &vector) { return vector[dim] == step; });
    if (found == layout.reg.end())
      return layout;
    std::rotate(next, found, found + 1);
    ++next;
  }
}

//===--- Parts ---===//

std::optional<Layout> tegula::part(const Layout &l, const Extents &shape, const Extents &origin,
                                   const Extents &block) {
  Layout result = l;
  result.reg.clear();
  auto isCut = [&](unsigned d) { return block[d] < shape[d]; };
  // A vector that leaves the block has to be a register's, and leave it for good.
  auto leaves = [&](const Basis &v) {
    for (unsigned d = 0; d < v.size(); ++d)
      if (isCut(d) && v[d] >= block[d])
        return true;
    return false;
  };
  for (const Bases *bases : {&l.lane, &l.wave})
    if (std::any_of(bases->begin(), bases->end(), leaves))
      return std::nullopt;
  for (const Basis &v : l.reg) {
    if (!leaves(v)) {
      result.reg.push_back(v);
      continue;
    }
    unsigned nonZero = 0;
    bool whole = true;
    for (unsigned d = 0; d < v.size(); ++d) {
      nonZero += v[d] != 0;
      whole &= v[d] % block[d] == 0;
    }
    if (nonZero != 1 || !whole)
      return std::nullopt;
  }
  Extents base = result.baseExtents();
  for (unsigned d = 0; d < l.rank(); ++d) {
    if (!isCut(d))
      continue;
    int64_t step = base[d] * l.waveRepeat(d);
    if (block[d] % step || origin[d] % block[d])
      return std::nullopt;
    result.repeat[d] = ceilDiv(std::min(block[d], shape[d] - origin[d]), step);
  }
  return canonicalize(std::move(result));
}

Extents tegula::blockOf(const Extents &shape, unsigned elementBits, int64_t maxBytes) {
  auto bytes = [&](const Extents &extents) {
    int64_t product = std::max(1u, elementBits / 8);
    for (int64_t extent : extents)
      product *= extent;
    return product;
  };
  if (bytes(shape) <= maxBytes)
    return shape;
  Extents block;
  for (int64_t extent : shape) {
    int64_t rounded = 1;
    while (rounded < extent)
      rounded *= 2;
    block.push_back(rounded);
  }
  for (auto longest = std::max_element(block.begin(), block.end());
       bytes(block) > maxBytes && *longest > 1;
       longest = std::max_element(block.begin(), block.end()))
    *longest /= 2;
  return block;
}

//===--- Plans ---===//

bool tegula::isTransposingRead(const Layout &l, unsigned fast, unsigned elementBits) {
  if (elementBits != 8 && elementBits != 16)
    return false;
  unsigned items = static_cast<unsigned>(__builtin_ctz(64 / elementBits));
  if (l.reg.size() < items || l.lane.size() < 4)
    return false;
  for (unsigned d = 0; d < l.rank(); ++d) {
    bool fits = d != fast;
    for (unsigned bit = 0; bit < items; ++bit)
      fits &= isStep(l.reg[bit], d, 1 << bit);
    for (unsigned bit = 0; bit < 4; ++bit)
      fits &= isStep(l.lane[bit], fast, 1 << bit);
    if (fits)
      return true;
  }
  return false;
}

namespace {

/// What one side of a conversion costs: instructions by the clocks of their phases, four of which
/// pass between two of one wave; and the permutes that bring runs together where elements are
/// smaller than a dword.
class Side {
public:
  Side(const Layout &l, unsigned elementBits, const Target &target)
      : layout(l), bits(std::max(8u, elementBits)), target(target) {}

  double cost(unsigned fast, bool writes) const {
    Layout run = runFirst(layout, fast);
    int64_t width = vectorWidth(run, fast, bits);
    unsigned inDword = static_cast<unsigned>(__builtin_ctz(std::max(1u, 32 / bits)));
    bool stay =
        std::equal(run.reg.begin(), run.reg.begin() + std::min<size_t>(inDword, run.reg.size()),
                   layout.reg.begin());
    double permutes = stay ? 0 : dwords() * inDword;
    return accesses(fast, width, writes) + permutes / 2;
  }
  double transposingCost() const { return weighted(dwords() / 2, LdsOp::ReadTrB64); }

private:
  /// The least factor by which banks slow an access of `layout`'s lanes, whatever the swizzle: it
  /// moves 16 bytes as one, so lanes that are served together must fill them, or come to chunks of
  /// as many different places as the banks have.
  double leastConflicts(unsigned fast, LdsOp op) const {
    LdsPhases phases = target.phases(op);
    std::vector<uint64_t> chunks;
    for (uint64_t lanes : kernelOfMasks(phases.masks, 6)) {
      uint64_t chunk = 0;
      for (unsigned i = 0; i < 6; ++i)
        if (lanes >> i & 1)
          for (unsigned d = 0; d < layout.rank(); ++d) {
            uint64_t at = static_cast<uint64_t>(layout.lane[i][d]);
            chunk ^= (d == fast ? at * bits / 128 : at) << (64 / layout.rank() * d);
          }
      chunks.push_back(chunk);
    }
    unsigned different = rank(chunks),
             places = static_cast<unsigned>(__builtin_ctz(phases.banks)) - 2;
    return different > places ? double(1 << (different - places)) : 1;
  }
  double dwords() const { return double(layout.registersPerLane()) * bits / 32; }
  double weighted(double count, LdsOp op) const {
    return count * std::max(1.0, double(1 << target.phases(op).masks.size()) / 4);
  }
  double accesses(unsigned fast, int64_t width, bool writes) const {
    double count = double(layout.registersPerLane()) / double(width);
    int64_t bytes = width * bits / 8;
    LdsOp op = bytes >= 16  ? (writes ? LdsOp::WriteB128 : LdsOp::ReadB128)
               : bytes >= 8 ? (writes ? LdsOp::WriteB64 : LdsOp::ReadB64)
                            : (writes ? LdsOp::WriteB32 : LdsOp::ReadB32);
    return weighted(count, op) * leastConflicts(fast, op);
  }

  const Layout &layout;
  unsigned bits;
  const Target &target;
};

/// Dimensions from fastest on; of the slower ones the last first.
std::vector<unsigned> orderFrom(unsigned fast, unsigned rank) {
  std::vector<unsigned> order = {fast};
  for (unsigned d = rank; d-- > 0;)
    if (d != fast)
      order.push_back(d);
  return order;
}

bool canCut(const Layout &l, const Extents &shape, const Extents &block) {
  return part(l, shape, Extents(shape.size(), 0), block).has_value();
}

constexpr double kMeeting = 16; // of the waves, with the latency of both sides

} // namespace

std::optional<LdsConversion> tegula::planLdsConversion(const Layout &src, const Layout &dst,
                                                       const Extents &shape, unsigned elementBits,
                                                       int64_t maxBytes, const Target &target) {
  Extents block = blockOf(shape, elementBits, maxBytes);
  if (block != shape && (!canCut(src, shape, block) || !canCut(dst, shape, block)))
    return std::nullopt;
  Side from(src, elementBits, target), to(dst, elementBits, target);
  int64_t rounds = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    rounds *= ceilDiv(shape[d], block[d]);
  std::optional<LdsConversion> best;
  auto consider = [&](unsigned fast, bool transposes, double cost) {
    cost += kMeeting * double(rounds);
    if (!best || cost < best->cost)
      best = LdsConversion{orderFrom(fast, src.rank()), transposes, block, cost};
  };
  for (unsigned fast = src.rank(); fast-- > 0;) {
    if (src.rank() > 1 && shape[fast] == 1)
      continue;
    double written = from.cost(fast, /*writes=*/true);
    consider(fast, false, written + to.cost(fast, /*writes=*/false));
    int64_t perRead = 64 / std::max(8u, elementBits);
    if (target.hasDsReadTranspose && isTransposingRead(dst, fast, elementBits) &&
        shape[fast] % perRead == 0)
      consider(fast, true, written + to.transposingCost());
  }
  if (!best) // all extents are 1
    consider(src.rank() - 1, false, 0);
  return best;
}

//===--- Candidates ---===//

std::vector<Layout> tegula::conversionCandidates(const CoalescedRequest &request,
                                                 const Target &target) {
  std::vector<Layout> found;
  auto add = [&](const std::optional<Layout> &l) {
    if (l && std::find(found.begin(), found.end(), *l) == found.end())
      found.push_back(*l);
  };
  CoalescedRequest wish = request;
  for (bool alongFast : {false, true})
    for (unsigned bytes = request.vectorBytes; bytes >= 4 && bytes * 8 >= request.elementBits;
         bytes /= 2) {
      wish.wavesAlongFast = alongFast;
      wish.vectorBytes = bytes;
      wish.crossRun = wish.crossLanes = 1;
      add(coalescedLayout(wish)); // for the side that LDS follows
      for (unsigned run = 1; run * request.elementBits <= 128; run *= 2) {
        wish.crossRun = run;
        // Lanes that fill the 16 bytes that a swizzle moves as one write at a time.
        wish.crossLanes = 128 / (run * std::max(8u, request.elementBits));
        add(coalescedLayout(wish));
      }
    }
  if (!target.hasDsReadTranspose)
    return found;
  // Of 16 lanes side by side each gets one column.
  wish.vectorBytes = request.vectorBytes;
  wish.crossRun = 1;
  wish.crossLanes = 16;
  for (bool alongFast : {false, true}) {
    wish.wavesAlongFast = alongFast;
    if (std::optional<Layout> l = coalescedLayout(wish);
        l && isTransposingRead(*l, request.crossDim, request.elementBits))
      add(l);
  }
  return found;
}
