// Floats of fewer than 8 bits: verifiers.
#include "dialects/cdna/CdnaNarrow.h"

using namespace mlir;
using namespace tegula::cdna;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaNarrowOps.cpp.inc"

LogicalResult CodesOp::verify() {
  auto isSmall = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 8; };
  Type from = getElementTypeOrSelf(getValue().getType()), to = getElementTypeOrSelf(getType());
  auto tile = dyn_cast<RankedTensorType>(getType());
  Type wanted = tile ? Type(tile.clone(from)) : from;
  if (wanted == getValue().getType() &&
      ((isSmall(from) && to.isInteger(8)) || (from.isInteger(8) && isSmall(to))))
    return success();
  return emitOpError() << getValue().getType() << " as " << getType() << " [cdna.codes.c1]";
}

/// `pairs` and the bytes that hold them.
static LogicalResult verifyPairs(Operation *op, RankedTensorType pairs, RankedTensorType bytes,
                                 int64_t axis) {
  StringRef name = op->getName().getStringRef();
  bool fits = axis >= 0 && axis < pairs.getRank() && pairs.getDimSize(axis) == 2;
  SmallVector<int64_t> extents(pairs.getShape());
  if (fits)
    extents[axis] = 1;
  if (!fits || bytes.getShape() != ArrayRef(extents) ||
      !isa<Float4E2M1FNType>(pairs.getElementType()) || !bytes.getElementType().isInteger(8))
    return op->emitOpError() << "of pairs " << pairs << " and bytes " << bytes << " along axis "
                             << axis << " [" << name << ".c1]";
  if (!getLayout(pairs))
    return success();
  auto halves = RankedTensorType::get(extents, pairs.getElementType(), bytes.getEncoding());
  SmallVector<int64_t> origin(pairs.getRank(), 0);
  bool held = getLayout(bytes) && !partRegisters(pairs, halves, origin).empty();
  origin[axis] = 1;
  if (held && !partRegisters(pairs, halves, origin).empty())
    return success();
  return op->emitOpError() << "pairs " << pairs << " lie in several lanes, or elsewhere than "
                           << bytes << " [" << name << ".c2]";
}

LogicalResult PackOp::verify() {
  return verifyPairs(*this, getValue().getType(), getType(), getAxis());
}

LogicalResult UnpackOp::verify() {
  return verifyPairs(*this, getType(), getValue().getType(), getAxis());
}
