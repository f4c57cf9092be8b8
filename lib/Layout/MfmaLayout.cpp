// Layouts of the operands of a tile product: one instruction, times tiles in registers, times
// waves.
#include "tegula/Layout/LinearLayout.h"

using namespace tegula;

namespace {

/// One instruction's operand in the coordinates of the tile. With operands exchanged the
/// instruction computes the transposed product, so its A is our B read as (n, k).
Layout instructionLayout(const MfmaInst &inst, MfmaOperand operand, bool swapped) {
  const OperandLayout *from = &inst.d;
  if (operand == MfmaOperand::A)
    from = swapped ? &inst.b : &inst.a;
  else if (operand == MfmaOperand::B)
    from = swapped ? &inst.a : &inst.b;
  Layout l(from->item, from->lane, {}, {1, 1});
  return swapped ? transpose(l, {1, 0}) : l;
}

/// How one dimension of the operand is tiled.
struct Axis {
  unsigned dim;
  int64_t extent;
  unsigned waves; ///< that split this dimension
};

class OperandBuilder {
public:
  OperandBuilder(Layout inst) : l(std::move(inst)), base(l.baseExtents()) {}

  /// The power-of-two part of the tiles that one wave has along an axis; the odd part becomes a
  /// repeat in `finish`.
  void tiles(const Axis &axis) {
    int64_t count = (axis.extent + base[axis.dim] * axis.waves - 1) / (base[axis.dim] * axis.waves);
    for (; count % 2 == 0; count /= 2)
      push(l.reg, axis.dim);
    l.repeat[axis.dim] = count;
  }
  /// The power of two in the waves as bits, an odd factor as the next lower digit.
  void waves(const Axis &axis) {
    unsigned w = axis.waves;
    for (; w % 2 == 0; w /= 2)
      push(l.wave, axis.dim);
    addDigit(static_cast<int>(axis.dim), w);
  }
  void copies(unsigned waves) {
    for (; waves % 2 == 0; waves /= 2)
      l.wave.push_back(Basis(2, 0));
    addDigit(kCopies, waves);
  }
  Layout finish() { return std::move(l); }

private:
  void addDigit(int dim, unsigned waves) {
    if (waves > 1)
      l.waveRepeats.insert(l.waveRepeats.begin(), {dim, waves});
  }
  void push(Bases &bases, unsigned dim) {
    Basis v(2, 0);
    v[dim] = static_cast<int32_t>(base[dim]);
    bases.push_back(std::move(v));
    base[dim] *= 2;
  }
  Layout l;
  Extents base;
};

} // namespace

std::optional<Layout> tegula::mfmaOperandLayout(const MfmaInst &inst, MfmaOperand operand,
                                                const MfmaTile &tile) {
  if (inst.blocks != 1 || tile.wavesM == 0 || tile.wavesN == 0)
    return std::nullopt;
  bool hasM = operand != MfmaOperand::B, hasN = operand != MfmaOperand::A,
       hasK = operand != MfmaOperand::Acc;
  Axis m{0, tile.M, tile.wavesM}, n{1, tile.N, tile.wavesN}, k{hasM ? 1u : 0u, tile.K, 1};
  OperandBuilder build(instructionLayout(inst, operand, tile.swapped));
  if (hasN)
    build.tiles(n);
  if (hasM)
    build.tiles(m);
  if (hasK)
    build.tiles(k);
  if (hasN)
    build.waves(n);
  else
    build.copies(tile.wavesN);
  if (hasM)
    build.waves(m);
  else
    build.copies(tile.wavesM);
  return build.finish();
}
