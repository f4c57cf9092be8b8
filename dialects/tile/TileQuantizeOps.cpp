// Block quantization and pairs of floats: verifiers.
#include "dialects/tile/TileQuantize.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileQuantizeOps.cpp.inc"

static LogicalResult verifyBlocks(QuantizeOp op) {
  RankedTensorType input = op.getInput().getType();
  ArrayRef<int64_t> axis = op.getAxis(), block = op.getBlock();
  bool ascending = !axis.empty() && axis.front() >= 0 && axis.back() < input.getRank();
  for (size_t i = 1; i < axis.size(); ++i)
    ascending &= axis[i - 1] < axis[i];
  if (!ascending || axis.size() != block.size() || input.getRank() + axis.size() > 5)
    return op.emitOpError() << "axes " << listText(axis) << " with blocks " << listText(block)
                            << " of a " << shapeText(input)
                            << "; axes ascend, each has a block, and rank and axes are at most 5 "
                               "together [tile.quantize.c1]";
  for (auto [d, size] : llvm::zip(axis, block))
    if (size < 1 || input.getDimSize(d) % size != 0)
      return op.emitOpError() << "blocks of " << size << " do not divide the extent "
                              << input.getDimSize(d) << " of axis " << d << " [tile.quantize.c2]";
  return success();
}

static bool isCode(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float6E2M3FNType, Float6E3M2FNType,
             Float4E2M1FNType>(type);
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyBlocks(*this)))
    return failure();
  RankedTensorType input = getInput().getType(), codes = getCodes().getType(),
                   scales = getScales().getType();
  Type element = input.getElementType();
  if (!isa<Float32Type, Float16Type, BFloat16Type>(element))
    return emitOpError() << "of " << element << "; f32, f16 and bf16 have quantizers "
                         << "[tile.quantize.c4]";
  if (!isCode(codes.getElementType()) || codes.getShape() != input.getShape())
    return emitOpError() << "of a " << shapeText(input) << " to a " << shapeText(codes)
                         << "; codes are f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN, one an "
                            "element [tile.quantize.c5]";
  SmallVector<int64_t> want(input.getShape());
  for (auto [d, size] : llvm::zip(getAxis(), getBlock()))
    want[d] /= size;
  if (!isa<Float8E8M0FNUType>(scales.getElementType()) || scales.getShape() != ArrayRef(want))
    return emitOpError() << "of a " << shapeText(input) << " has scales of f8E8M0FNU, "
                         << listText(want) << ", not " << shapeText(scales)
                         << " [tile.quantize.c6]";
  return success();
}

/// `pairs` and the bytes that hold them.
static LogicalResult verifyPairs(Operation *op, RankedTensorType pairs, RankedTensorType bytes,
                                 int64_t axis) {
  StringRef name = op->getName().getStringRef();
  if (!isa<Float4E2M1FNType>(pairs.getElementType()) || !bytes.getElementType().isInteger(8))
    return op->emitOpError() << "of " << pairs.getElementType() << " and " << bytes.getElementType()
                             << "; pairs of f4E2M1FN are bytes [" << name << ".c2]";
  SmallVector<int64_t> extents(bytes.getShape());
  bool fits = axis < bytes.getRank() && extents[axis] == 1;
  if (fits)
    extents[axis] = 2;
  if (fits && pairs.getShape() == ArrayRef(extents))
    return success();
  return op->emitOpError() << "of pairs " << shapeText(pairs) << " and bytes " << shapeText(bytes)
                           << " along axis " << axis << ", which has two elements a byte [" << name
                           << ".c1]";
}

LogicalResult PackOp::verify() {
  return verifyPairs(*this, getInput().getType(), getResult().getType(), getAxis());
}

LogicalResult UnpackOp::verify() {
  return verifyPairs(*this, getResult().getType(), getInput().getType(), getAxis());
}
