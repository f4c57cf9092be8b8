// Widths and counts from layouts.
#include "InstructionCounts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

int64_t tegula::cdna::ldsAccessBytes(RankedTensorType tile, LdsType lds, bool transpose) {
  if (transpose)
    return 8; // the transposing reads are 64 bits wide
  int64_t bytes = elementBytes(tile.getElementType());
  // An access is aligned to its width in every row.
  int64_t most = std::clamp<int64_t>(lds.swizzleGroup(), bytes, 16);
  return vectorWidth(layoutOf(tile), lds.getOrder()[0], bytes * 8, most) * bytes;
}

int64_t tegula::cdna::ldsAccessCount(RankedTensorType tile, LdsType lds, bool transpose) {
  int64_t bytes = layoutOf(tile).registersPerLane() * elementBytes(tile.getElementType());
  return std::max<int64_t>(1, bytes / ldsAccessBytes(tile, lds, transpose));
}

int64_t tegula::cdna::globalAccessCount(LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getResult().getType());
  auto buffer = cast<BufferType>(load.getBuffer().getType());
  Layout layout = layoutOf(tile);
  int64_t bytes = elementBytes(tile.getElementType()), width = bytes;
  if (std::optional<unsigned> unit = buffer.getUnitStrideDim())
    width *=
        vectorWidth(layout, *unit, bytes * 8, std::clamp<int64_t>(buffer.getAlign(), bytes, 16));
  return std::max<int64_t>(1, layout.registersPerLane() * bytes / width);
}

const MfmaInst *tegula::cdna::instructionOf(MfmaOp product) {
  const Target &target = product->getParentOfType<KernelOp>().getTargetInfo();
  return target.findMfma(product.getShape().str(),
                         dtypeName(product.getA().getType().getElementType()),
                         dtypeName(product.getB().getType().getElementType()));
}

int64_t tegula::cdna::stepsAlongK(MfmaOp product) {
  return llvm::divideCeil(product.getA().getType().getDimSize(1), instructionOf(product)->K);
}

int64_t tegula::cdna::mfmaCount(MfmaOp product) {
  const MfmaInst *inst = instructionOf(product);
  int64_t sums = layoutOf(product.getAcc().getType()).registersPerLane();
  int64_t steps = stepsAlongK(product);
  if (std::optional<ArrayRef<int64_t>> range = product.getSteps())
    steps = (*range)[1] - (*range)[0];
  return sums / (inst->M * inst->N / Target::waveSize) * steps;
}

int64_t tegula::cdna::registerCount(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || !getLayout(tile))
    return 0;
  if (tile.getElementType().isInteger(1))
    return 0; // lane masks live in scalar registers
  int64_t bits = tile.getElementTypeBitWidth();
  return llvm::divideCeil(layoutOf(tile).registersPerLane() * bits, 32);
}
