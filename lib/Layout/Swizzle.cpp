// Bank conflicts as ranks, and the search for the masks that remove them.
#include "tegula/Layout/Swizzle.h"

#include <algorithm>
#include <climits>
#include <tuple>

using namespace tegula;

namespace {

constexpr unsigned chunkBits = 4; // 16-byte chunks

unsigned log2Floor(uint32_t v) { return 31u - static_cast<unsigned>(__builtin_clz(v)); }
unsigned log2Ceil(uint64_t v) {
  return v <= 1 ? 0 : 64u - static_cast<unsigned>(__builtin_clzll(v - 1));
}

/// Address bits that choose a bank, for an access of some width: the bits below are inside the
/// access.
uint32_t bankMask(const LdsPhases &phases) {
  unsigned top = log2Floor(static_cast<uint32_t>(phases.banks) * 4);
  unsigned width = log2Floor(static_cast<uint32_t>(phases.bytes));
  return ((1u << top) - 1) & ~((1u << width) - 1);
}

/// An access prepared for the search: the byte each basis vector of its phase subspace moves by.
struct Prepared {
  std::vector<uint32_t> moves;
  uint32_t banks;
  int weight;    ///< clocks without conflicts
  uint32_t rows; ///< row bits that occur in the moves
  uint32_t registerRows;
};

Prepared prepare(const LdsAccess &access, uint32_t pitch, const Target &target) {
  LdsPhases phases = target.phases(access.op);
  int clocks = access.weight << phases.masks.size();
  Prepared p{{}, bankMask(phases), clocks, 0, access.registerRows};
  for (uint64_t lanes : kernelOfMasks(phases.masks, 6)) {
    uint32_t move = 0;
    for (unsigned i = 0; i < 6; ++i)
      if (lanes >> i & 1)
        move ^= access.laneBytes[i];
    p.moves.push_back(move);
    p.rows |= move / pitch;
  }
  return p;
}

/// log2 of the conflict factor over the moves whose row bits lie in `decided`. Leaving moves out
/// can only lower it.
unsigned conflictBits(const Prepared &p, uint32_t pitch, const XorMasks &masks, uint32_t decided) {
  std::vector<uint64_t> addresses, banks;
  for (uint32_t move : p.moves) {
    if (move / pitch & ~decided)
      continue;
    uint32_t address = swizzled(move, pitch, masks);
    addresses.push_back(address);
    banks.push_back(address & p.banks);
  }
  return rank(addresses) - rank(banks);
}

} // namespace

uint32_t tegula::swizzled(uint32_t offset, uint32_t pitch, const XorMasks &masks) {
  uint32_t row = offset / pitch;
  for (size_t j = 0; j < masks.size(); ++j)
    if (row >> j & 1)
      offset ^= static_cast<uint32_t>(masks[j]) << chunkBits;
  return offset;
}

int tegula::conflictFactor(const LdsAccess &access, uint32_t pitch, const XorMasks &masks,
                           const Target &target) {
  return 1 << conflictBits(prepare(access, pitch, target), pitch, masks, ~0u);
}

std::optional<LdsAccess> tegula::ldsAccess(const Layout &layout, const std::vector<unsigned> &order,
                                           int64_t pitchBytes, unsigned elementBits, LdsOp op,
                                           int weight) {
  if (order.size() != layout.rank() || layout.lane.size() != 6)
    return std::nullopt;
  // Rows are numbered by the slower dimensions, fastest of them first.
  Extents rowStride(layout.rank(), 0);
  int64_t rows = 1;
  Extents cover = layout.cover();
  for (size_t i = 1; i < order.size(); ++i) {
    rowStride[order[i]] = rows;
    rows *= int64_t(1) << log2Ceil(static_cast<uint64_t>(cover[order[i]]));
  }
  auto rowOf = [&](const Basis &v) {
    int64_t row = 0;
    for (size_t i = 1; i < order.size(); ++i)
      row += v[order[i]] * rowStride[order[i]];
    return row;
  };
  LdsAccess access{op, {}, 0, weight};
  for (unsigned i = 0; i < 6; ++i) {
    int64_t inRow = layout.lane[i][order[0]] * static_cast<int64_t>(elementBits) / 8;
    if (inRow >= pitchBytes)
      return std::nullopt;
    access.laneBytes[i] = static_cast<uint32_t>(rowOf(layout.lane[i]) * pitchBytes + inRow);
  }
  for (const Basis &v : layout.reg)
    access.registerRows |= static_cast<uint32_t>(rowOf(v));
  return access;
}

namespace {

/// What is minimised, in this order; the masks themselves come last, so that the answer never
/// depends on the search.
using Objective =
    std::tuple<int, int, int, int, XorMasks>; // conflicts, registers, family, masks in use, masks

/// The s of (row >> s) mod (number of chunks): masks 1, 2, 4 … up to the last chunk bit, from row
/// bit s on. This is the form people know, and it stays free of conflicts for more accesses than
/// the ones asked about. Other masks rank last.
int shiftRank(const XorMasks &masks, int32_t maskLimit) {
  size_t shift = 0;
  while (shift < masks.size() && masks[shift] == 0)
    ++shift;
  int32_t expected = 1;
  for (size_t j = shift; j < masks.size(); ++j, expected *= 2)
    if (masks[j] != (expected <= maskLimit ? expected : 0))
      return INT_MAX;
  return expected > maskLimit ? static_cast<int>(shift) : INT_MAX;
}

/// Row bits that choose chunks inside a row.
uint32_t rowsOfChunks(const XorMasks &masks, uint32_t pitch) {
  uint32_t rows = 0;
  for (size_t j = 0; j < masks.size(); ++j)
    rows |= static_cast<uint32_t>(masks[j] % static_cast<int32_t>(pitch >> chunkBits) != 0) << j;
  return rows;
}
/// Row bits that cost a register of an access an address of its own: those that choose chunks, and
/// those whose place another one changes too. One that only changes places costs nothing.
uint32_t costlyRows(const XorMasks &masks, uint32_t pitch) {
  uint32_t changed = 0, stay = 0;
  for (size_t j = 0; j < masks.size(); ++j) {
    uint32_t rows = (static_cast<uint32_t>(masks[j]) << chunkBits) / pitch;
    changed |= rows;
    stay |= static_cast<uint32_t>(rows == 0) << j;
  }
  return rowsOfChunks(masks, pitch) | (changed & stay);
}

/// Branch and bound over one mask per row bit, low rows first: among those without conflicts, where
/// a conflict of the rows decided so far ends a branch, then among all. Where conflicts cannot be
/// avoided there are too many masks to try: the best of the first `kMostSteps` stands.
class Search {
public:
  Search(uint32_t pitch, int64_t rows, std::vector<Prepared> accesses)
      : pitch(pitch),
        rowBits(std::min(16u, log2Ceil(static_cast<uint64_t>(std::max<int64_t>(rows, 1))))),
        rows(rows), accesses(std::move(accesses)), masks(rowBits, 0), moved(rowBits, 0) {
    for (const Prepared &p : this->accesses) {
      banks |= p.banks;
      usedRows |= p.rows;
    }
    maskLimit = static_cast<int32_t>((banks & (pitch - 1)) >> chunkBits);
    best = objective();
  }

  XorMasks run() {
    if (tryFamily())
      return std::get<4>(best);
    for (bool only : {true, false}) {
      onlyFree = only;
      steps = 0;
      descend(0);
      if (std::get<0>(best) == 0)
        return std::get<4>(best);
    }
    steps = 0;
    moveRows(0);
    return std::get<4>(best);
  }

private:
  /// Tries other rows at the places that differ in the banks above a row, from bit `bit` of the row
  /// number on: a higher bit changes places with it, or is added to it.
  void moveRows(unsigned bit) {
    if (std::get<0>(best) == 0 || bit >= rowBits || !(banks & pitch << bit))
      return;
    moveRows(bit + 1);
    for (unsigned other = bit + 1; other < rowBits; ++other) {
      bool inside = rows % (int64_t(2) << other) == 0;
      if (!inside || !(usedRows >> other & 1) || moved[other])
        continue;
      int32_t low = static_cast<int32_t>(pitch << bit >> chunkBits),
              high = static_cast<int32_t>(pitch << other >> chunkBits);
      for (int32_t mask : {low | high, low}) {
        moved[other] = mask;
        moved[bit] = mask & high ? mask : 0;
        descend(0);
        moveRows(bit + 1);
      }
      moved[bit] = moved[other] = 0;
    }
  }

  int conflicts(uint32_t decided) const {
    int cost = 0;
    for (const Prepared &p : accesses)
      cost += p.weight * ((1 << conflictBits(p, pitch, masks, decided)) - 1);
    return cost;
  }
  int offsetRegisters() const {
    int count = 0;
    for (const Prepared &p : accesses)
      count += __builtin_popcount(costlyRows(masks, pitch) & p.registerRows);
    return count;
  }
  int nonZero() const { return __builtin_popcount(rowsOfChunks(masks, pitch)); }
  Objective objective() const {
    return {conflicts(~0u), offsetRegisters(), shiftRank(masks, maskLimit), nonZero(), masks};
  }

  /// Tries the shift family. True for a member that has no conflict and costs no register: by the
  /// objective's order the one with the least shift is better than all other masks.
  bool tryFamily() {
    bool perfect = false;
    for (unsigned shift = 0; shift < rowBits && !perfect; ++shift) {
      std::fill(masks.begin(), masks.end(), 0);
      for (unsigned j = shift; j < rowBits && (1 << (j - shift)) <= maskLimit; ++j)
        masks[j] = 1 << (j - shift);
      bool member = shiftRank(masks, maskLimit) == static_cast<int>(shift);
      if (!member || (rowsOfChunks(masks, pitch) & ~usedRows))
        continue;
      best = std::min(best, objective());
      perfect = std::get<0>(best) == 0 && std::get<1>(best) == 0;
    }
    std::fill(masks.begin(), masks.end(), 0);
    return perfect;
  }

  /// Rows below `row` are decided. Later masks add registers and masks and never remove a conflict
  /// found so far. Of equals the family is known already, and the first one found is
  /// lexicographically least.
  void descend(unsigned row) {
    if (++steps > kMostSteps)
      return;
    auto bound = std::make_tuple(conflicts((1u << row) - 1), offsetRegisters(), INT_MAX, nonZero());
    if (onlyFree && std::get<0>(bound) > 0)
      return;
    if (bound >=
        std::make_tuple(std::get<0>(best), std::get<1>(best), std::get<2>(best), std::get<3>(best)))
      return;
    if (row == rowBits) {
      best = objective();
      return;
    }
    bool useful = usedRows >> row & 1;
    for (int32_t m = 0; m <= (useful ? maskLimit : 0); ++m) {
      masks[row] = m | moved[row];
      descend(row + 1);
    }
    masks[row] = 0;
  }

  static constexpr int kMostSteps = 20000; ///< a fraction of a second

  uint32_t pitch;
  unsigned rowBits;
  int64_t rows;
  std::vector<Prepared> accesses;
  int steps = 0;
  bool onlyFree = false;
  XorMasks masks;
  XorMasks moved; ///< the part of the masks that exchanges rows
  uint32_t usedRows = 0, banks = 0;
  int32_t maskLimit = 0;
  Objective best;
};

} // namespace

SwizzleResult tegula::solveSwizzle(int64_t rows, uint32_t pitch,
                                   const std::vector<LdsAccess> &accesses, const Target &target) {
  SwizzleResult result{{}, {}, 0};
  bool swizzlable = pitch >= 32 && (pitch & (pitch - 1)) == 0;
  if (swizzlable) {
    std::vector<Prepared> prepared;
    for (const LdsAccess &access : accesses)
      prepared.push_back(prepare(access, pitch, target));
    result.masks = Search(pitch, rows, std::move(prepared)).run();
    while (!result.masks.empty() && result.masks.back() == 0)
      result.masks.pop_back();
  }
  for (const LdsAccess &access : accesses) {
    result.factors.push_back(conflictFactor(access, pitch, result.masks, target));
    result.offsetRegisters +=
        __builtin_popcount(costlyRows(result.masks, pitch) & access.registerRows);
  }
  return result;
}
