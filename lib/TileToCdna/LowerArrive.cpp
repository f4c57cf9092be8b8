// What one wave knows and all must: the count of tile.arrive, scalars that others may change.
#include "FoldViews.h"
#include "LayoutTypes.h"
#include "LdsScratch.h"
#include "LowerTile.h"

#include "dialects/tile/TileNormalForms.h"

using namespace mlir;

namespace tegula::cdna {

/// One element a wave, the same in all its lanes; or one for all waves.
static RankedTensorType elementsOf(Type element, int64_t waves, bool apart) {
  Layout layout = canonicalize(
      Layout({}, Bases(6, Basis(1, 0)), {}, {1}, WaveRepeats{{apart ? 0 : kCopies, waves}}));
  return RankedTensorType::get({apart ? waves : 1}, element,
                               LayoutAttr::get(element.getContext(), layout));
}

/// The sum over the waves of a value that is 0 in all but the first one.
static FailureOr<Value> tellWaves(OpBuilder &builder, Location loc, tile::KernelOp kernel,
                                  Value value) {
  int64_t waves = kernel.getScheduleAttr().getWaveCount();
  if (waves == 1)
    return value;
  RankedTensorType parts = elementsOf(builder.getI32Type(), waves, /*apart=*/true);
  FailureOr<LdsType> room = makeLdsType(loc, *tile::lookupTarget(kernel),
                                        RankedTensorType::get({waves}, builder.getI32Type()), {0});
  if (failed(room))
    return failure();
  OpBuilder atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Value lds = LdsAllocOp::create(atEntry, loc, *room, IntegerAttr(), IntegerAttr(), UnitAttr());
  Value sum =
      ReduceWavesOp::create(builder, loc, elementsOf(builder.getI32Type(), waves, /*apart=*/false),
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

//===--- Scalars that others may change ---===//

void noteUpdatedSets(tile::KernelOp kernel) {
  SmallVector<int32_t> sets;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      return;
    Value view = tile::writtenView(op);
    auto argument = dyn_cast<BlockArgument>(tile::getBaseView(view));
    if (!argument || !kernel.getArgAttr(argument.getArgNumber(), tile::kArgRecordsAttr))
      sets.push_back(tile::getAliasSet(view).value_or(0));
  });
  if (!sets.empty())
    kernel->setAttr(kUpdatedSetsAttr, DenseI32ArrayAttr::get(kernel.getContext(), sets));
}

FailureOr<Value> handRound(OpBuilder &builder, Operation *op, Value scalar,
                           std::optional<int64_t> set) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  auto sets = kernel->getAttrOfType<DenseI32ArrayAttr>(kUpdatedSetsAttr);
  int64_t waves = kernel.getScheduleAttr().getWaveCount();
  if (!sets || waves == 1 || (set && !llvm::is_contained(sets.asArrayRef(), int32_t(*set))))
    return scalar;
  Location loc = op->getLoc();
  bool isBool = scalar.getType().isInteger(1);
  if (isBool)
    scalar = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), scalar);
  RankedTensorType one = elementsOf(scalar.getType(), waves, /*apart=*/false);
  FailureOr<Value> lds = allocateFor(op, one);
  if (failed(lds))
    return failure();
  // Of what several waves hold, one writes.
  LdsScatterOp::create(builder, loc, SplatOp::create(builder, loc, one, scalar), *lds,
                       coordinatesOf(builder, loc, one), Value());
  Value told = LdsLoadOp::create(builder, loc, one, *lds, /*transpose=*/UnitAttr());
  Value same = ElementOp::create(builder, loc, scalar.getType(), told);
  return isBool ? Value(arith::TruncIOp::create(builder, loc, builder.getI1Type(), same)) : same;
}

} // namespace tegula::cdna
