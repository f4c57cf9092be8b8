// Allocation of LDS buffers for single ops, and coordinates as tiles.
#include "LdsScratch.h"
#include "dialects/tile/TileNormalForms.h"

using namespace mlir;

namespace tegula::cdna {

FailureOr<Value> allocateFor(Operation *op, RankedTensorType type, unsigned fastest) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  const Target *target = tile::lookupTarget(kernel); // there is one: verifyLowerings
  auto room = RankedTensorType::get(layoutOf(type).cover(), type.getElementType());
  SmallVector<int32_t> order = {int32_t(fastest)};
  for (int32_t d = type.getRank(); d-- > 0;)
    if (d != int32_t(fastest))
      order.push_back(d);
  FailureOr<LdsType> lds = makeLdsType(op->getLoc(), *target, room, order);
  if (failed(lds))
    return failure();
  return Value(allocateLds(kernel, op->getLoc(), *lds));
}

FailureOr<Value> allocateFor(Operation *op, RankedTensorType type) {
  return allocateFor(op, type, type.getRank() - 1);
}

FailureOr<Value> toldByOwners(OpBuilder &builder, Operation *op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Layout layout = layoutOf(type);
  Location loc = op->getLoc();
  if (layout.zeroLaneBits() == 0 && !layout.hasWaveCopies())
    return tile;
  bool isOne = type.getNumElements() == 1 && !layout.hasWaveCopies();
  if (isOne && type.getElementTypeBitWidth() >= 16) { // the first lane of the only wave knows it
    Value first = ElementOp::create(builder, loc, type.getElementType(), tile);
    return Value(SplatOp::create(builder, loc, type, first));
  }
  FailureOr<Value> lds = allocateFor(op, type);
  if (failed(lds))
    return failure();
  LdsScatterOp::create(builder, loc, tile, *lds, coordinatesOf(builder, loc, type), Value());
  return Value(LdsLoadOp::create(builder, loc, type, *lds, /*transpose=*/UnitAttr()));
}

SmallVector<Value> coordinatesOf(OpBuilder &builder, Location loc, RankedTensorType type) {
  RankedTensorType coordinates = type.clone(builder.getI32Type());
  SmallVector<Value> result;
  for (int64_t d = 0; d < type.getRank(); ++d)
    result.push_back(IotaOp::create(builder, loc, coordinates, builder.getI64IntegerAttr(d)));
  return result;
}

} // namespace tegula::cdna
