// Scans, reductions by a body, histograms.
#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileScanOps.cpp.inc"

/// c1 the axis exists; c2 the body takes two elements and gives one, by pure scalar ops.
static LogicalResult verifyBody(Operation *op, RankedTensorType input, int64_t axis, Region &body) {
  StringRef name = op->getName().getStringRef();
  if (axis >= input.getRank())
    return op->emitOpError() << "axis " << axis << " of a tile of rank " << input.getRank() << " ["
                             << name << ".c1]";
  Type element = input.getElementType();
  Block &block = body.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (block.getNumArguments() != 2 || block.getArgument(0).getType() != element ||
      block.getArgument(1).getType() != element || !yield || yield.getValue().getType() != element)
    return op->emitOpError() << "the body takes two " << element << " and gives one [" << name
                             << ".c2]";
  for (Operation &inner : block.without_terminator())
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner) ||
        llvm::any_of(inner.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return inner.emitOpError() << "in the body of " << name
                                 << ": only arithmetic on scalars can combine elements, without "
                                    "branches or memory; use tg.where ["
                                 << name << ".c2]";
  return success();
}

LogicalResult ScanOp::verify() {
  return verifyBody(*this, getInput().getType(), getAxis(), getBody());
}

OpFoldResult ScanOp::fold(FoldAdaptor) {
  RankedTensorType type = getInput().getType();
  return type.getDimSize(getAxis()) == 1 ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult ReduceRegionOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyBody(*this, input, getAxis(), getBody())))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  shape[getAxis()] = 1;
  if (getResult().getType() != RankedTensorType::get(shape, input.getElementType()) &&
      !input.getEncoding())
    return emitOpError() << "keeps the axis with extent 1, not " << shapeText(getResult().getType())
                         << " [tile.reduce_region.c3]";
  return success();
}

OpFoldResult ReduceRegionOp::fold(FoldAdaptor) {
  RankedTensorType type = getInput().getType();
  return type.getDimSize(getAxis()) == 1 ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult HistogramOp::verify() {
  RankedTensorType digits = getDigits().getType();
  if (!digits.getElementType().isInteger(32))
    return emitOpError() << "counts i32 elements, not " << digits.getElementType()
                         << " [tile.histogram.c1]";
  int64_t bins = getBins();
  RankedTensorType result = getResult().getType();
  if (bins < 1 || bins > 4096 || result.getRank() != 1 || result.getDimSize(0) != bins ||
      !result.getElementType().isInteger(32))
    return emitOpError() << bins << " bins in a tile of " << shapeText(result)
                         << "; 1 to 4096 of i32 [tile.histogram.c2]";
  if (getMask() && getMask().getType() != digits.clone(IntegerType::get(getContext(), 1)))
    return emitOpError() << "a mask of " << shapeText(getMask().getType()) << " for a tile of "
                         << shapeText(digits) << "; it is i1 and of one shape [tile.histogram.c3]";
  return success();
}
