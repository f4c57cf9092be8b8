// tile.reduce: registers of a lane first, then lanes of a wave, then waves through LDS.
#include "LdsScratch.h"
#include "LowerTile.h"
#include "PhantomValue.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

/// The stages of one reduction. Between them the extent along the axis is the number of parts that
/// are still apart, so the vectors that are left along the axis are renumbered to 1, 2, 4 …
class ReduceLowering {
public:
  explicit ReduceLowering(tile::ReduceOp op)
      : op(op), builder(op), loc(op.getLoc()), axis(op.getAxis()),
        layout(layoutOf(op.getInput().getType())), kind(op.getKind()), value(op.getInput()) {}

  LogicalResult run();

private:
  void widenBool();
  bool alongAxis(const Basis &vector) const { return vector[axis] != 0; }
  /// The type after registers, then lanes, then waves have been combined.
  RankedTensorType stageType(bool lanesLeft, bool wavesLeft);
  void maskPhantoms();
  void combineLanes(bool wavesLeft);
  LogicalResult combineWaves();

  tile::ReduceOp op;
  OpBuilder builder;
  Location loc;
  unsigned axis;
  Layout layout;
  ReduceKind kind;
  Value value;
};

} // namespace

RankedTensorType ReduceLowering::stageType(bool lanesLeft, bool wavesLeft) {
  Layout left = layout;
  llvm::erase_if(left.reg, [&](const Basis &vector) { return alongAxis(vector); });
  left.repeat[axis] = 1;
  int64_t parts = 1;
  auto renumber = [&](Bases &bases, bool keep) {
    for (Basis &vector : bases)
      if (alongAxis(vector)) {
        vector[axis] = keep ? parts : 0;
        parts *= keep ? 2 : 1;
      }
  };
  renumber(left.lane, lanesLeft);
  renumber(left.wave, wavesLeft);
  if (!wavesLeft)
    left = copyWaves(std::move(left), axis);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(op.getInput().getType().getShape());
  shape[axis] = parts * left.waveRepeat(axis);
  return RankedTensorType::get(shape, type.getElementType(),
                               LayoutAttr::get(op.getContext(), left));
}

void ReduceLowering::maskPhantoms() {
  auto type = cast<RankedTensorType>(value.getType());
  if (layout.cover()[axis] == type.getDimSize(axis))
    return;
  TypedAttr neutral = tile::neutralElement(kind, type.getElementType());
  if (phantomValue(value, axis) != Attribute(neutral))
    value = MaskOp::create(builder, loc, type, value, neutral);
}

void ReduceLowering::combineLanes(bool wavesLeft) {
  SmallVector<int32_t> bits;
  for (unsigned bit = 0; bit < layout.lane.size(); ++bit)
    if (alongAxis(layout.lane[bit]))
      bits.push_back(bit);
  if (bits.empty())
    return;
  RankedTensorType type = stageType(/*lanesLeft=*/false, wavesLeft);
  value = ReduceLanesOp::create(builder, loc, type, kind, value,
                                ArrayRef<int32_t>{static_cast<int32_t>(axis)}, bits);
}

LogicalResult ReduceLowering::combineWaves() {
  auto type = cast<RankedTensorType>(value.getType());
  FailureOr<Value> lds = allocateFor(op, type, axis);
  if (failed(lds))
    return failure();
  value = ReduceWavesOp::create(builder, loc, op.getType().clone(type.getElementType()), kind,
                                value, *lds);
  return success();
}

/// Lanes exchange dwords and LDS holds bytes: a bool goes as an i32, whose lowest bit counts.
void ReduceLowering::widenBool() {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType().isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, type.clone(builder.getI32Type()), value);
}

LogicalResult ReduceLowering::run() {
  bool wavesLeft =
      layout.waveRepeat(axis) > 1 ||
      llvm::any_of(layout.wave, [&](const Basis &vector) { return alongAxis(vector); });
  widenBool();
  maskPhantoms();
  RankedTensorType perLane = stageType(/*lanesLeft=*/true, wavesLeft);
  if (perLane != value.getType())
    value = ReduceRegistersOp::create(builder, loc, perLane, kind, value, axis);
  combineLanes(wavesLeft);
  if (wavesLeft && failed(combineWaves()))
    return failure();
  if (value.getType() != op.getType())
    value = arith::TruncIOp::create(builder, loc, op.getType(), value);
  op.getResult().replaceAllUsesWith(value);
  op.erase();
  return success();
}

LogicalResult lowerReduce(tile::ReduceOp op) {
  if (!isPure(layoutOf(op.getInput().getType()), op.getAxis()))
    return op.emitError("the layout mixes the reduced axis with others [cdna.reduce_lanes.c1]");
  return ReduceLowering(op).run();
}

} // namespace tegula::cdna
