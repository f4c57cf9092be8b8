// Accesses by element indices: rules.
#include "dialects/cdna/CdnaVerify.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaIndexedOps.cpp.inc"

/// c1 to c3 of the family.
template <typename Op> static LogicalResult verifyPlace(Op op, RankedTensorType value) {
  StringRef name = op->getName().getStringRef();
  tile::ViewType view = op.getView().getType();
  unsigned rank = view.getRank(), count = op.getIndices().size();
  auto below = [](unsigned end) { return [=](int32_t i) { return i >= 0 && unsigned(i) < end; }; };
  bool listed = op.getDims().size() == count && llvm::all_of(op.getDims(), below(rank)) &&
                llvm::all_of(op.getCheck(), below(count));
  if (op.getOrigin().size() != rank || (!op.getLimits().empty() && op.getLimits().size() != rank) ||
      !listed)
    return op.emitOpError() << "origin, limits, dims and check do not fit a view of rank " << rank
                            << " and " << count << " indices [" << name << ".c1]";
  for (Type index : op.getIndices().getTypes()) {
    Type element = getElementTypeOrSelf(index);
    if (!(element.isInteger(32) || element.isInteger(64)) || index != value.clone(element))
      return op.emitOpError() << "an index tile of " << index << " for " << value
                              << "; shape and layout are the value's [" << name << ".c2]";
  }
  if (value.getElementType() != view.getElementType())
    return op.emitOpError() << "elements of " << value.getElementType() << " in a view of "
                            << view.getElementType() << " [" << name << ".c3]";
  return success();
}

/// c4 of loads and stores.
template <typename Op> static LogicalResult verifyWidth(Op op, RankedTensorType value) {
  LayoutAttr layout = getLayout(value);
  int64_t width = op.getWidth();
  bool legal = llvm::isPowerOf2_64(width) && width * elementBytes(value.getElementType()) <= 16 &&
               (!layout || width <= int64_t(1) << layout.numRegBits());
  if (!legal)
    return op.emitOpError() << "width " << width << " does not divide a lane's registers ["
                            << op->getName().getStringRef() << ".c4]";
  return success();
}

LogicalResult LoadIndexedOp::verify() {
  RankedTensorType value = getResult().getType();
  return failure(failed(verifyPlace(*this, value)) || failed(verifyWidth(*this, value)));
}

LogicalResult StoreIndexedOp::verify() {
  RankedTensorType value = getValue().getType();
  if (failed(verifyPlace(*this, value)) || failed(verifyWidth(*this, value)))
    return failure();
  if (getMask() && getMask().getType() != value.clone(IntegerType::get(getContext(), 1)))
    return emitOpError() << "a mask of " << getMask().getType() << " for " << value
                         << " [cdna.store_indexed.c5]";
  return success();
}

LogicalResult AtomicRmwOp::verify() {
  RankedTensorType value = getValue().getType();
  if (failed(verifyPlace(*this, value)))
    return failure();
  Type element = value.getElementType();
  LayoutAttr layout = getLayout(value);
  std::optional<unsigned> unit = getView().getType().getUnitStrideDim();
  bool pairs = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16 &&
               getKind() == tile::AtomicKind::Add && unit && (!layout || layout.numRegBits() > 0);
  if (getPairs() && !pairs)
    return emitOpError() << "pairs of " << value << " [cdna.atomic_rmw.c4]";
  return success();
}

LogicalResult AtomicCasOp::verify() { return verifyPlace(*this, getDesired().getType()); }

//===--- in LDS ---===//

/// c1 to c3 of the family.
template <typename Op>
static LogicalResult verifyLdsPlace(Op op, RankedTensorType value, LdsType lds) {
  StringRef name = op->getName().getStringRef();
  if (op.getIndices().size() != lds.getRank())
    return op.emitOpError() << op.getIndices().size() << " indices for a buffer of rank "
                            << lds.getRank() << " [" << name << ".c1]";
  for (Type index : op.getIndices().getTypes())
    if (index != value.clone(IntegerType::get(op.getContext(), 32)))
      return op.emitOpError() << "an index tile of " << index << " for " << value
                              << "; shape and layout are the value's [" << name << ".c2]";
  if (value.getElementType() != lds.getElementType() || lds.getStages() != 1 ||
      !lds.getSwizzle().empty())
    return op.emitOpError() << "elements of " << value.getElementType() << " in " << lds << " ["
                            << name << ".c3]";
  return success();
}

/// c4.
template <typename Op> static LogicalResult verifyMask(Op op, RankedTensorType value) {
  if (op.getMask() && op.getMask().getType() != value.clone(IntegerType::get(op.getContext(), 1)))
    return op.emitOpError() << "a mask of " << op.getMask().getType() << " for " << value << " ["
                            << op->getName().getStringRef() << ".c4]";
  return success();
}

LogicalResult LdsGatherOp::verify() {
  return verifyLdsPlace(*this, getResult().getType(), getLds().getType());
}

LogicalResult LdsScatterOp::verify() {
  RankedTensorType value = getValue().getType();
  return failure(failed(verifyLdsPlace(*this, value, getLds().getType())) ||
                 failed(verifyMask(*this, value)));
}

LogicalResult LdsAtomicOp::verify() {
  RankedTensorType value = getValue().getType();
  if (failed(verifyLdsPlace(*this, value, getLds().getType())) || failed(verifyMask(*this, value)))
    return failure();
  Type element = value.getElementType();
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "updates elements of " << element << " [cdna.lds_atomic.c5]";
  return success();
}
