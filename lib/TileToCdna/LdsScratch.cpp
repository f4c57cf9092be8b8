// Allocation of LDS buffers for single ops, and coordinates as tiles.
#include "LdsScratch.h"
#include "LayoutTypes.h"
#include "dialects/tile/TileNormalForms.h"

using namespace mlir;

namespace tegula::cdna {

FailureOr<Value> allocateFor(Operation *op, ArrayRef<RankedTensorType> types) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  const Target *target = tile::lookupTarget(kernel); // there is one: verifyLowerings
  Extents room(types.front().getShape().begin(), types.front().getShape().end());
  for (RankedTensorType type : types)
    for (auto [extent, covered] : llvm::zip_equal(room, layoutOf(type).cover()))
      extent = std::max(extent, covered);
  SmallVector<int32_t> order;
  for (int32_t d = room.size(); d-- > 0;)
    order.push_back(d);
  FailureOr<LdsType> lds = makeLdsType(
      op->getLoc(), *target, RankedTensorType::get(room, types.front().getElementType()), order);
  if (failed(lds))
    return failure();
  OpBuilder atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return Value(
      LdsAllocOp::create(atEntry, op->getLoc(), *lds, IntegerAttr(), IntegerAttr(), UnitAttr()));
}

SmallVector<Value> coordinatesOf(OpBuilder &builder, Location loc, RankedTensorType type) {
  RankedTensorType coordinates = type.clone(builder.getI32Type());
  SmallVector<Value> result;
  for (int64_t d = 0; d < type.getRank(); ++d)
    result.push_back(IotaOp::create(builder, loc, coordinates, builder.getI64IntegerAttr(d)));
  return result;
}

} // namespace tegula::cdna
