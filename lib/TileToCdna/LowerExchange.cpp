// Ops whose elements change lanes by their place: parts and joins of tiles, take, histograms. They
// go through LDS, but for parts that lanes hold already.
#include "LdsScratch.h"
#include "LowerTile.h"

using namespace mlir;

namespace tegula::cdna {

/// Coordinates of a tile's elements, moved.
static SmallVector<Value> movedCoordinates(OpBuilder &builder, Location loc, RankedTensorType type,
                                           ArrayRef<int64_t> offsets) {
  SmallVector<Value> at = coordinatesOf(builder, loc, type);
  for (auto [x, offset] : llvm::zip_equal(at, offsets)) {
    if (offset == 0)
      continue;
    auto constant = SplatElementsAttr::get(cast<RankedTensorType>(x.getType()),
                                           Attribute(builder.getI32IntegerAttr(offset)));
    x = arith::AddIOp::create(builder, loc, x, arith::ConstantOp::create(builder, loc, constant));
  }
  return at;
}

static FailureOr<Value> stored(OpBuilder &builder, Operation *op, Value tile) {
  FailureOr<Value> lds = allocateFor(op, cast<RankedTensorType>(tile.getType()));
  if (succeeded(lds))
    LdsStoreOp::create(builder, op->getLoc(), tile, *lds);
  return lds;
}

static FailureOr<Value> lower(OpBuilder &builder, tile::ExtractOp op) {
  RankedTensorType whole = op.getInput().getType(), part = op.getResult().getType();
  if (!partRegisters(whole, part, op.getOffsets()).empty())
    return Value(PartOp::create(builder, op.getLoc(), part, op.getInput(), op.getOffsetsAttr()));
  FailureOr<Value> lds = stored(builder, op, op.getInput());
  if (failed(lds))
    return failure();
  SmallVector<Value> at = movedCoordinates(builder, op.getLoc(), part, op.getOffsets());
  return Value(LdsGatherOp::create(builder, op.getLoc(), part, *lds, at));
}

static FailureOr<Value> lower(OpBuilder &builder, tile::ConcatOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  FailureOr<Value> lds = allocateFor(op, type);
  if (failed(lds))
    return failure();
  SmallVector<int64_t> offsets(type.getRank(), 0);
  for (Value input : op.getInputs()) {
    auto part = cast<RankedTensorType>(input.getType());
    LdsScatterOp::create(builder, loc, input, *lds, movedCoordinates(builder, loc, part, offsets),
                         Value());
    offsets[op.getAxis()] += part.getDimSize(op.getAxis());
  }
  return Value(LdsLoadOp::create(builder, loc, type, *lds, /*transpose=*/UnitAttr()));
}

static FailureOr<Value> lower(OpBuilder &builder, tile::TakeOp op) {
  FailureOr<Value> lds = stored(builder, op, op.getInput());
  if (failed(lds))
    return failure();
  RankedTensorType type = op.getResult().getType();
  SmallVector<Value> at = coordinatesOf(builder, op.getLoc(), type);
  at[op.getAxis()] = op.getIndices();
  return Value(LdsGatherOp::create(builder, op.getLoc(), type, *lds, at));
}

static FailureOr<Value> lower(OpBuilder &builder, tile::HistogramOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType(), digits = op.getDigits().getType();
  FailureOr<Value> lds = allocateFor(op, type);
  if (failed(lds))
    return failure();
  auto splat = [&](RankedTensorType of, int32_t value) {
    return arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(of, Attribute(builder.getI32IntegerAttr(value))));
  };
  LdsStoreOp::create(builder, loc, splat(type, 0), *lds);
  LdsAtomicOp::create(builder, loc, tile::AtomicKind::Add, splat(digits, 1), *lds, op.getDigits(),
                      op.getMask());
  return Value(LdsLoadOp::create(builder, loc, type, *lds, /*transpose=*/UnitAttr()));
}

/// The body moves over; its terminator becomes the dialect's.
template <typename To, typename From> static Value withBody(OpBuilder &builder, From op) {
  auto lowered =
      To::create(builder, op.getLoc(), op.getResult().getType(), op.getInput(), op.getAxis());
  lowered.getBody().takeBody(op.getBody());
  Operation *end = lowered.getBody().front().getTerminator();
  OpBuilder atEnd(end);
  YieldOp::create(atEnd, end->getLoc(), end->getOperand(0));
  end->erase();
  return lowered.getResult();
}

static Value lower(OpBuilder &builder, tile::ScanOp op) { return withBody<ScanOp>(builder, op); }

static Value lower(OpBuilder &builder, tile::ReduceRegionOp op) {
  return withBody<ReduceRegionOp>(builder, op);
}

LogicalResult lowerExchange(Operation *op) {
  OpBuilder builder(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::ExtractOp, tile::ConcatOp, tile::TakeOp, tile::HistogramOp, tile::ScanOp,
            tile::ReduceRegionOp>([&](auto known) { return replaceOp(op, lower(builder, known)); })
      .Default([](Operation *) { return success(); });
}

} // namespace tegula::cdna
