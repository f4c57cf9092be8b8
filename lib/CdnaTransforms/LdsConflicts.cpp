// Bank conflicts counted address by address.
#include "LdsConflicts.h"
#include "InstructionCounts.h"

#include "llvm/ADT/bit.h"
#include <array>
#include <numeric>
#include <set>

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

LdsOp tegula::cdna::ldsOpOfWidth(int64_t bytes, bool write) {
  if (bytes >= 16)
    return write ? LdsOp::WriteB128 : LdsOp::ReadB128;
  if (bytes >= 8)
    return write ? LdsOp::WriteB64 : LdsOp::ReadB64;
  return write ? LdsOp::WriteB32 : LdsOp::ReadB32;
}

namespace {

/// One instruction: the bytes that each active lane starts at.
class Instruction {
public:
  Instruction(const LdsPhases &phases, int64_t bytes) : phases(phases), bytes(bytes) {}
  void add(int64_t lane, int64_t address) {
    unsigned phase = 0;
    for (auto [bit, mask] : llvm::enumerate(phases.masks))
      phase |= unsigned(llvm::popcount(unsigned(lane) & mask) & 1) << bit;
    for (int64_t dword = address / 4; dword <= (address + bytes - 1) / 4; ++dword)
      dwords[phase].insert(dword);
  }
  LdsClocks clocks() const {
    LdsClocks result;
    for (const std::set<int64_t> &used : dwords) {
      if (used.empty())
        continue;
      std::array<int64_t, 64> load{};
      for (int64_t dword : used)
        ++load[dword % phases.banks];
      ++result.needed;
      result.lost += *llvm::max_element(load) - 1;
    }
    return result;
  }

private:
  const LdsPhases &phases;
  int64_t bytes;
  std::array<std::set<int64_t>, 8> dwords; ///< by phase; equal ones are broadcast
};

/// An lds_store or lds_load as LdsPatterns emits it.
class Emitted {
public:
  Emitted(Operation *access, LdsType buffer, const Target &target);
  LdsClocks clocks() const;

private:
  bool allAlike() const;
  std::optional<int64_t> address(int64_t r, int64_t lane, int64_t wave) const;
  int64_t foldedAddress(int64_t r, int64_t lane, int64_t wave) const;
  bool isInside(ArrayRef<int64_t> at) const {
    return llvm::all_of(llvm::zip_equal(at, room),
                        [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
  }

  LdsType buffer;
  bool writes;
  Extents origin;
  SmallVector<int64_t> room; ///< what lies beyond is not accessed
  Layout layout, folded;     ///< `folded`: waves hold copies along dimensions with phantoms
  bool phantoms = false, foldedIsLinear;
  int64_t bytes;
  LdsPhases phases;
};

} // namespace

Emitted::Emitted(Operation *access, LdsType buffer, const Target &target)
    : buffer(buffer), writes(isa<LdsStoreOp>(access)) {
  auto store = dyn_cast<LdsStoreOp>(access);
  auto load = dyn_cast<LdsLoadOp>(access);
  auto tile = store ? store.getValue().getType() : load.getType();
  Value lds = store ? store.getLds() : load.getLds();
  bool transpose = load && load.getTranspose();
  unsigned bits = elementBytes(tile.getElementType()) * 8;
  layout = layoutOf(tile);
  if (transpose)
    layout = transposedSource(layout, bits);
  std::optional<LdsPlace> place = getLdsPlace(lds);
  origin.assign(place->origin.begin(), place->origin.end());
  room.assign(cast<LdsType>(lds.getType()).getShape());
  if (writes)
    for (auto [d, first] : llvm::enumerate(origin))
      room[d] = place->type.getShape()[d] - first;
  folded = layout;
  Extents cover = layout.cover();
  for (auto [d, extent] : llvm::enumerate(room))
    if (cover[d] > extent) {
      folded = copyWaves(std::move(folded), d);
      phantoms = true;
    }
  foldedIsLinear = buffer.isLinear(folded, place->origin);
  bytes = ldsAccessBytes(tile, buffer, transpose);
  unsigned fast = buffer.fastestDim();
  if (!transpose && cover[fast] > room[fast]) // no half of a vector beyond the end
    bytes = std::gcd(bytes, room[fast] * bits / 8);
  phases = target.phases(transpose ? LdsOp::ReadTrB64 : ldsOpOfWidth(bytes, writes));
}

/// Whether what one instruction loses is what all do: their addresses differ by an XOR, or by a sum
/// above the bits that are XORed.
bool Emitted::allAlike() const {
  bool staysInGroups = llvm::all_of(buffer.getSwizzle(), [&](int32_t mask) {
    return int64_t(mask) * 16 < buffer.swizzleGroup();
  });
  bool oneWay = staysInGroups || llvm::isPowerOf2_64(buffer.getPitch());
  return oneWay && !phantoms && buffer.isLinear(layout, origin);
}

/// Where a phantom of a load is read instead.
int64_t Emitted::foldedAddress(int64_t r, int64_t lane, int64_t wave) const {
  Extents at = foldedIsLinear ? folded.apply(r, lane, wave) : Extents(origin.size(), 0);
  for (auto [d, first] : llvm::enumerate(origin)) {
    if (layout.cover()[d] > room[d])
      at[d] &= llvm::bit_floor(uint64_t(room[d])) - 1;
    at[d] += first;
  }
  return buffer.byteOffset(at);
}

/// Nothing where the lane does not take part.
std::optional<int64_t> Emitted::address(int64_t r, int64_t lane, int64_t wave) const {
  Extents at = layout.apply(r, lane, wave);
  if (!isInside(at))
    return writes ? std::nullopt : std::optional(foldedAddress(r, lane, wave));
  for (auto [coordinate, first] : llvm::zip_equal(at, origin))
    coordinate += first;
  return buffer.byteOffset(at);
}

LdsClocks Emitted::clocks() const {
  int64_t width = bytes / buffer.getElementBytes(), registers = layout.registersPerLane();
  const bool alike = allAlike();
  LdsClocks sum;
  for (int64_t wave = 0; wave < layout.waves(); ++wave)
    for (int64_t r = 0; r < registers; r += width) {
      Instruction instruction(phases, bytes);
      for (int64_t lane = 0; lane < Target::waveSize; ++lane)
        if (std::optional<int64_t> at = address(r, lane, wave))
          instruction.add(lane, *at);
      LdsClocks clocks = instruction.clocks();
      if (alike) {
        int64_t count = layout.waves() * registers / width;
        return {clocks.needed * count, clocks.lost * count};
      }
      sum += clocks;
    }
  return sum;
}

LdsClocks tegula::cdna::ldsClocks(Operation *access, LdsType buffer, const Target &target) {
  return Emitted(access, buffer, target).clocks();
}
