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

} // namespace

LdsClocks tegula::cdna::ldsClocks(Operation *access, LdsType buffer, const Target &target) {
  auto store = dyn_cast<LdsStoreOp>(access);
  auto load = dyn_cast<LdsLoadOp>(access);
  auto tile = store ? store.getValue().getType() : load.getType();
  Value lds = store ? store.getLds() : load.getLds();
  bool transpose = load && load.getTranspose();
  unsigned bits = elementBytes(tile.getElementType()) * 8;
  Layout layout = layoutOf(tile);
  if (transpose)
    layout = transposedSource(layout, bits);
  std::optional<LdsPlace> place = getLdsPlace(lds);
  ArrayRef<int64_t> room = cast<LdsType>(lds.getType()).getShape();
  int64_t bytes = ldsAccessBytes(tile, buffer, transpose);
  Extents cover = layout.cover();
  unsigned fast = buffer.fastestDim();
  if (!transpose && cover[fast] > room[fast]) // no half of a vector beyond the end
    bytes = std::gcd(bytes, room[fast] * bits / 8);
  bool phantoms = llvm::any_of(llvm::zip(cover, room),
                               [](auto pair) { return std::get<0>(pair) > std::get<1>(pair); });
  LdsPhases phases = target.phases(transpose ? LdsOp::ReadTrB64 : ldsOpOfWidth(bytes, bool(store)));
  int64_t width = bytes * 8 / bits, registers = layout.registersPerLane();
  LdsClocks sum;
  for (int64_t r = 0; r < registers; r += width) {
    Instruction instruction(phases, bytes);
    for (int64_t lane = 0; lane < Target::waveSize; ++lane) {
      Extents at = layout.apply(r, lane, 0);
      bool inside = llvm::all_of(llvm::zip(at, room),
                                 [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); });
      if (store && !inside)
        continue; // stays out
      for (auto [d, first] : llvm::enumerate(place->origin)) {
        if (!inside && cover[d] > room[d]) // folded back, see LdsAddresses
          at[d] &= llvm::bit_floor(uint64_t(room[d])) - 1;
        at[d] += first;
      }
      instruction.add(lane, buffer.byteOffset(at));
    }
    LdsClocks clocks = instruction.clocks();
    if (!phantoms) // the same lanes moved together
      return {clocks.needed * (registers / width), clocks.lost * (registers / width)};
    sum += clocks;
  }
  return sum;
}
