// cdna.mfma: do the layouts of three tiles fit one matrix instruction?
#include "dialects/cdna/Cdna.h"
#include "dialects/tile/TileNormalForms.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Bases;
using tegula::Layout;

namespace {
/// An operand beside the instruction's own layout of it: dimension `free` is m or n, `k` the
/// contracted one.
struct Operand {
  StringRef name;
  Layout layout;
  const tegula::OperandLayout *inst;
  unsigned free, k;         ///< dimensions of the tile
  unsigned instFree, instK; ///< of the instruction's table row
};
} // namespace

/// c2 for a or b: the free dimension's part is the instruction's; where the instruction's vector is
/// along k, the tile's is along k too (which k it is may be permuted, if a and b agree: c3).
static bool startsWithInstruction(const Operand &o) {
  auto matches = [&](const Bases &tile, const Bases &inst) {
    if (tile.size() < inst.size())
      return false;
    for (unsigned i = 0; i < inst.size(); ++i)
      if (tile[i][o.free] != inst[i][o.instFree] || (tile[i][o.k] != 0) != (inst[i][o.instK] != 0))
        return false;
    return true;
  };
  return matches(o.layout.reg, o.inst->item) && matches(o.layout.lane, o.inst->lane);
}

/// c2 for acc, whose dimensions are (m, n) and the instruction's (n, m) when swapped.
static bool accumulatorFits(const Layout &acc, const tegula::OperandLayout &inst, bool swapped) {
  auto matches = [&](const Bases &tile, const Bases &row) {
    if (tile.size() < row.size())
      return false;
    for (unsigned i = 0; i < row.size(); ++i)
      if (tile[i][0] != row[i][swapped] || tile[i][1] != row[i][!swapped])
        return false;
    return true;
  };
  return matches(acc.reg, inst.item) && matches(acc.lane, inst.lane);
}

/// Waves between two neighbours along a dimension, among the digits above the linear bits.
static int64_t wavesBetween(const Layout &layout, unsigned dim) {
  int64_t waves = 1;
  for (const tegula::WaveRepeat &digit : llvm::reverse(layout.waveRepeats)) {
    if (digit.dim == int(dim))
      return waves;
    waves *= digit.count;
  }
  return 0;
}

/// c4: bit by bit and digit by digit, what a wave adds to the free dimension is what it adds to the
/// accumulator's.
static bool wavesAgree(const Layout &operand, unsigned free, const Layout &acc, unsigned accDim) {
  if (operand.wave.size() != acc.wave.size() || operand.waves() != acc.waves() ||
      operand.waveRepeat(free) != acc.waveRepeat(accDim) ||
      wavesBetween(operand, free) != wavesBetween(acc, accDim))
    return false;
  for (unsigned i = 0; i < acc.wave.size(); ++i)
    if (operand.wave[i][free] != acc.wave[i][accDim])
      return false;
  return true;
}

/// c3: the bits of the instruction that hold k hold the same k in a and in b.
static bool sameOrderOfK(const Operand &a, const Operand &b) {
  for (unsigned i = 0; i < a.inst->item.size(); ++i)
    if (a.layout.reg[i][a.k] != b.layout.reg[i][b.k])
      return false;
  for (unsigned i = 0; i < 6; ++i)
    if (a.layout.lane[i][a.k] != b.layout.lane[i][b.k])
      return false;
  return true;
}

static LogicalResult verifyShapes(MfmaOp op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType(), acc = op.getAcc().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 ||
      a.getDimSize(1) != b.getDimSize(0) || a.getDimSize(0) != acc.getDimSize(0) ||
      b.getDimSize(1) != acc.getDimSize(1))
    return op.emitOpError() << "extents do not agree: (M, K) x (K, N) + (M, N) [cdna.mfma.c5]";
  if (!getLayout(a) || !getLayout(b) || !getLayout(acc))
    return op.emitOpError() << "needs tiles with layouts [cdna.mfma.c2]";
  return success();
}

static LogicalResult verifySteps(MfmaOp op, const tegula::MfmaInst &inst) {
  std::optional<ArrayRef<int64_t>> steps = op.getSteps();
  int64_t count = op.getA().getType().getDimSize(1) / inst.K;
  if (steps &&
      (steps->size() != 2 || (*steps)[0] < 0 || (*steps)[0] >= (*steps)[1] || (*steps)[1] > count))
    return op.emitOpError() << "steps are a range of the " << count << " along k [cdna.mfma.c6]";
  return success();
}

LogicalResult MfmaOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  auto kernel = (*this)->getParentOfType<tile::KernelOpInterface>();
  const tegula::Target *info = kernel ? tile::lookupTarget(kernel) : nullptr;
  if (!info)
    return success(); // outside of a kernel there is no table to compare with
  std::string aType = dtypeName(getA().getType().getElementType());
  std::string bType = dtypeName(getB().getType().getElementType());
  const tegula::MfmaInst *inst = info->findMfma(getShape(), aType, bType);
  if (!inst || inst->blocks != 1 || inst->cType != dtypeName(getAcc().getType().getElementType()))
    return emitOpError() << info->name << " has no " << getShape() << " instruction for " << aType
                         << " x " << bType << " [cdna.mfma.c1]";
  Layout acc = getLayout(getAcc().getType()).toLayout();
  bool swapped = getSwapped();
  // The instruction's first operand has (m, k), its second (k, n).
  Operand a{
      "a",     getLayout(getA().getType()).toLayout(), swapped ? &inst->b : &inst->a, 0, 1, swapped,
      !swapped};
  Operand b{
      "b",    getLayout(getB().getType()).toLayout(), swapped ? &inst->a : &inst->b, 1, 0, !swapped,
      swapped};
  for (const Operand &operand : {a, b})
    if (!startsWithInstruction(operand))
      return emitOpError() << "the layout of " << operand.name << " does not start with the one of "
                           << inst->mnemonic << " [cdna.mfma.c2]";
  if (!accumulatorFits(acc, inst->d, swapped))
    return emitOpError() << "the layout of acc does not start with the one of " << inst->mnemonic
                         << " [cdna.mfma.c2]";
  if (!sameOrderOfK(a, b))
    return emitOpError() << "a and b hold k in different orders [cdna.mfma.c3]";
  if (!wavesAgree(a.layout, 0, acc, 0) || !wavesAgree(b.layout, 1, acc, 1))
    return emitOpError() << "waves of an operand and of acc do not agree on m or n [cdna.mfma.c4]";
  return verifySteps(*this, *inst);
}
