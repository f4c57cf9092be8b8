// tile.arrive: an atomic count of one lane, told to all waves through LDS.
#include "FoldViews.h"
#include "LayoutTypes.h"
#include "LowerTile.h"

#include "dialects/tile/TileNormalForms.h"

using namespace mlir;

namespace tegula::cdna {

/// One element a wave, the same in all its lanes; or one for all waves.
static RankedTensorType elementsOf(tile::KernelOp kernel, int64_t waves, bool apart) {
  Layout layout = canonicalize(
      Layout({}, Bases(6, Basis(1, 0)), {}, {1}, WaveRepeats{{apart ? 0 : kCopies, waves}}));
  return RankedTensorType::get({apart ? waves : 1}, IntegerType::get(kernel.getContext(), 32),
                               LayoutAttr::get(kernel.getContext(), layout));
}

/// The sum over the waves of a value that is 0 in all but the first one.
static FailureOr<Value> tellWaves(OpBuilder &builder, Location loc, tile::KernelOp kernel,
                                  Value value) {
  int64_t waves = kernel.getScheduleAttr().getWaveCount();
  if (waves == 1)
    return value;
  RankedTensorType parts = elementsOf(kernel, waves, /*apart=*/true);
  FailureOr<LdsType> room = makeLdsType(loc, *tile::lookupTarget(kernel),
                                        RankedTensorType::get({waves}, builder.getI32Type()), {0});
  if (failed(room))
    return failure();
  OpBuilder atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value lds = LdsAllocOp::create(atEntry, loc, *room, IntegerAttr(), IntegerAttr(), UnitAttr());
  Value sum =
      ReduceWavesOp::create(builder, loc, elementsOf(kernel, waves, /*apart=*/false),
                            ReduceKind::Add, SplatOp::create(builder, loc, parts, value), lds);
  return Value(ElementOp::create(builder, loc, builder.getI32Type(), sum));
}

LogicalResult lowerArrive(tile::ArriveOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto kernel = op->getParentOfType<tile::KernelOp>();
  FailureOr<FoldedView> folded = foldView(builder, op.getView());
  if (failed(folded))
    return failure();
  Value index = op.getIndex();
  if (Value begin = folded->offsets[0])
    index = builder.createOrFold<arith::AddIOp>(loc, begin, index);
  Value before = ArriveOp::create(builder, loc, builder.getI32Type(), folded->argument, index);

  // Uniform in each wave now, and 0 in all but the first.
  before = UniformOp::create(builder, loc, before.getType(), before);
  FailureOr<Value> old = tellWaves(builder, loc, kernel, before);
  if (failed(old))
    return failure();
  Value last = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, *old,
                                     constantI32(builder, loc, op.getCount() - 1));
  auto branch = scf::IfOp::create(builder, loc, last);
  OpBuilder inside = branch.getThenBodyBuilder();
  FenceOp::create(inside, loc, "acquire", "agent");
  op.getResult().replaceAllUsesWith(last);
  op.erase();
  return success();
}

} // namespace tegula::cdna
