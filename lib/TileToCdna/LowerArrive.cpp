// What one wave knows and all must: the count of tile.arrive, scalars that others may change.
#include "FoldedView.h"
#include "LdsScratch.h"
#include "LowerTile.h"

using namespace mlir;

namespace tegula::cdna {

/// A tile of one element that all lanes and waves hold.
static RankedTensorType elementOf(Type element, int64_t waves) {
  Layout layout =
      canonicalize(Layout({}, Bases(6, Basis(1, 0)), {}, {1}, WaveRepeats{{kCopies, waves}}));
  return RankedTensorType::get({1}, element, LayoutAttr::get(element.getContext(), layout));
}

/// The workgroup's accesses come before its addition to the counter, those of all others before
/// what the last one does.
LogicalResult lowerArrive(tile::ArriveOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t waves = op->getParentOfType<tile::KernelOp>().getScheduleAttr().getWaveCount();
  FailureOr<FoldedView> folded = foldView(builder, op.getView());
  if (failed(folded))
    return failure();
  Value place = op.getIndex();
  if (Value begin = folded->offsets[0])
    place = builder.createOrFold<arith::AddIOp>(loc, begin, place);
  OrderOp::create(builder, loc, FenceKind::Release, tile::MemoryScope::Agent);
  RankedTensorType counter = elementOf(builder.getI32Type(), waves);
  Value one = SplatOp::create(builder, loc, counter, constantI32(builder, loc, 1));
  auto update = AtomicRmwOp::create(
      builder, loc, counter, tile::AtomicKind::Add, one, folded->argument, place,
      /*limits=*/ValueRange(), coordinatesOf(builder, loc, counter), tile::MemoryScope::Agent,
      /*dims=*/ArrayRef<int32_t>{0}, /*check=*/ArrayRef<int32_t>(), /*pairs=*/false);
  FailureOr<Value> before = toldByOwners(builder, op, update.getOld());
  if (failed(before))
    return failure();
  Value old = ElementOp::create(builder, loc, builder.getI32Type(), *before);
  Value last = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, old,
                                     constantI32(builder, loc, op.getCount() - 1));
  auto branch = scf::IfOp::create(builder, loc, last);
  OpBuilder inside = branch.getThenBodyBuilder();
  OrderOp::create(inside, loc, FenceKind::Acquire, tile::MemoryScope::Agent);
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
    if (!tile::getArgAttr(view, tile::kArgRecordsAttr))
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
  RankedTensorType one = elementOf(scalar.getType(), waves);
  FailureOr<Value> told = toldByOwners(builder, op, SplatOp::create(builder, loc, one, scalar));
  if (failed(told))
    return failure();
  Value same = ElementOp::create(builder, loc, scalar.getType(), *told);
  return isBool ? Value(arith::TruncIOp::create(builder, loc, builder.getI1Type(), same)) : same;
}

} // namespace tegula::cdna
