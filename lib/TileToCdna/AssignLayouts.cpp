// cdna-assign-layouts: every tile gets a layout, in place.
//
// Values that must agree (element-wise operands, loop carries, branches) form classes; a class
// takes one layout, chosen in LayoutChoice.cpp. Here the choice is written into the types, and each
// edge that still disagrees gets its own copy of a cheap value, or a cdna.convert_layout.
#include "LayoutChoice.h"
#include "ScanLayout.h"

#include "dialects/tile/TileNormalForms.h"

#include "tegula/TileToCdna/Passes.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "tegula/TileToCdna/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;

namespace tegula::cdna {

namespace {

/// A tile of at most this many bytes is loaded twice rather than converted: its lines are in the
/// cache.
constexpr int64_t kReloadBytes = 1024;

class LayoutRewriter {
public:
  LayoutRewriter(tile::KernelOp kernel, const LayoutGraph &graph, const KernelFacts &facts)
      : kernel(kernel), graph(graph), facts(facts) {}
  LogicalResult run();

private:
  void setTypes();
  void setType(Value value, const Layout &layout);
  LogicalResult fixOperation(Operation *op);
  LogicalResult fixShapeOperation(Operation *op, const ShapeRelation &relation);
  LogicalResult fixPairs(Operation *op, const ShapeRelation &relation);
  LogicalResult fixProduct(tile::MmaOp op);
  LogicalResult fixScan(Operation *op);
  void fixCarried(Operation *op);
  /// Makes an operand have a layout. `reload`: a small load may be repeated for it.
  void require(OpOperand &operand, const Layout &layout, bool reload = true);
  /// Gives a result another layout than its users expect, and converts for them.
  void produce(Value result, const Layout &natural);
  Value cloneWithLayout(Operation *op, Type type);

  tile::KernelOp kernel;
  const LayoutGraph &graph;
  const KernelFacts &facts;
};

} // namespace

void LayoutRewriter::setType(Value value, const Layout &layout) {
  RankedTensorType type = withLayout(cast<RankedTensorType>(value.getType()), layout);
  value.setType(type);
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return;
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(type) : elements.reshape(type));
}

void LayoutRewriter::setTypes() {
  for (const LayoutClass &c : graph.classes)
    for (Value value : c.values)
      setType(value, *c.layout);
}

Value LayoutRewriter::cloneWithLayout(Operation *op, Type type) {
  // Beside the original, so that a load still reads before the stores that follow it.
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  setType(clone->getResult(0), layoutOf(type));
  return clone->getResult(0);
}

static bool isSmallLoad(Value value) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  if (!load)
    return false;
  RankedTensorType type = load.getResult().getType();
  return type.getNumElements() * elementBytes(type.getElementType()) <= kReloadBytes;
}

void LayoutRewriter::require(OpOperand &operand, const Layout &layout, bool reload) {
  Value value = operand.get();
  RankedTensorType type = withLayout(cast<RankedTensorType>(value.getType()), layout);
  if (value.getType() == type)
    return;
  if (auto convert = value.getDefiningOp<ConvertLayoutOp>()) {
    value = convert.getValue(); // one conversion instead of two
    if (value.getType() == type)
      return operand.set(value);
  }
  if (isRematerializable(value) || (reload && isSmallLoad(value)))
    return operand.set(cloneWithLayout(value.getDefiningOp(), type));
  OpBuilder builder(operand.getOwner());
  operand.set(ConvertLayoutOp::create(builder, value.getLoc(), type, value));
}

void LayoutRewriter::produce(Value result, const Layout &natural) {
  auto expected = cast<RankedTensorType>(result.getType());
  result.setType(withLayout(expected, natural));
  if (result.getType() == expected)
    return;
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  Value converted = ConvertLayoutOp::create(builder, result.getLoc(), expected, result);
  result.replaceAllUsesExcept(converted, converted.getDefiningOp());
}

/// The same layout but that the axis is a register bit: it changes places with another one.
static Layout pairsInRegisters(Layout layout, unsigned axis) {
  for (Bases *bases : {&layout.lane, &layout.wave})
    for (Basis &vector : *bases)
      if (vector[axis] != 0 && !layout.reg.empty()) {
        std::swap(vector, layout.reg.back());
      } else if (vector[axis] != 0) {
        layout.reg.push_back(vector);
        vector.assign(vector.size(), 0);
      }
  return canonicalize(layout);
}

LogicalResult LayoutRewriter::fixPairs(Operation *op, const ShapeRelation &relation) {
  bool isPack = relation.whole == op->getOperand(0);
  Value pairs = isPack ? op->getOperand(0) : op->getResult(0);
  Layout whole = pairsInRegisters(layoutOf(pairs.getType()), relation.axes.front());
  std::optional<Layout> part = relation.partFrom(whole);
  if (!part)
    return op->emitError("the layout chosen for these pairs has no image in bytes: waves are a "
                         "power of two [tile.schedule.c1]");
  require(op->getOpOperand(0), isPack ? whole : *part);
  produce(op->getResult(0), isPack ? *part : whole);
  return success();
}

/// A broadcast's operand must be the image of its result; of the others the result is the image of
/// the operand.
LogicalResult LayoutRewriter::fixShapeOperation(Operation *op, const ShapeRelation &relation) {
  bool isBroadcast = isa<tile::BroadcastOp>(op);
  // A cheap operand can come in the layout whose image is the one expected; for a reduction there
  // is no such one.
  if (!isBroadcast && (isRematerializable(op->getOperand(0)) || isSmallLoad(op->getOperand(0))))
    if (std::optional<Layout> whole = relation.wholeFrom(layoutOf(op->getResult(0).getType())))
      require(op->getOpOperand(0), *whole);
  // Not `relation.whole`: the operand may be a copy by now.
  Value whole = isBroadcast ? op->getResult(0) : op->getOperand(0);
  std::optional<Layout> part = relation.partFrom(layoutOf(whole.getType()));
  if (!part && relation.kind == ShapeRelation::Reshape)
    return success(); // each side has its own layout: the elements move
  if (!part)
    return op->emitError(
        "the layout chosen for this tile has no image under this op [tile.schedule.c1]");
  if (isBroadcast)
    require(op->getOpOperand(0), *part);
  else
    produce(op->getResult(0), *part);
  return success();
}

LogicalResult LayoutRewriter::fixProduct(tile::MmaOp op) {
  FailureOr<ProductLayouts> layouts = layoutsOf(op, facts);
  if (failed(layouts))
    return failure();
  // The stage-operands pass looks for load, convert, product: a second load would hide the first.
  require(op.getAMutable(), layouts->a, /*reload=*/false);
  require(op.getBMutable(), layouts->b, /*reload=*/false);
  require(op.getAccMutable(), layouts->acc);
  op.setInstruction(layouts->instruction->shape);
  op.setSwapped(layouts->swapped);
  Layout expected = layoutOf(op.getResult().getType());
  if (expected != layouts->acc)
    produce(op.getResult(), layouts->acc);
  return success();
}

/// A scan stays inside of waves. Where its class has a layout that does not, it converts.
LogicalResult LayoutRewriter::fixScan(Operation *op) {
  auto scan = dyn_cast<tile::ScanOp>(op);
  unsigned axis = scan ? scan.getAxis() : cast<tile::ReduceRegionOp>(op).getAxis();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Layout layout = layoutOf(type);
  if (!isScannable(layout, axis))
    layout = scanLayout(type, axis, facts.waves());
  std::optional<Layout> result = scan ? std::optional(layout) : reduce(layout, axis);
  if (!result || verify(layout, shapeOf(op->getOperand(0)), elementBits(type.getElementType())))
    return op->emitError("a tile of ")
           << tile::shapeText(type) << " is too large to be combined along axis " << axis << " by "
           << facts.waves() << " waves: use a smaller tile"
           << (llvm::isPowerOf2_64(facts.waves()) ? "" : ", or waves that are a power of two")
           << " [cdna.layout.c6]";
  require(op->getOpOperand(0), layout);
  produce(op->getResult(0), *result);
  return success();
}

/// Values that enter a loop or leave a region have the layout of what carries them.
void LayoutRewriter::fixCarried(Operation *op) {
  auto match = [&](MutableArrayRef<OpOperand> operands, ValueRange carriers) {
    for (auto [operand, carrier] : llvm::zip_equal(operands, carriers))
      if (isa<RankedTensorType>(carrier.getType()))
        require(operand, layoutOf(carrier.getType()));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    match(loop.getInitArgsMutable(), loop.getRegionIterArgs());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    match(loop.getInitsMutable(), loop.getBeforeArguments());
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    match(condition.getArgsMutable(), op->getParentOp()->getResults());
  } else if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    auto whileLoop = dyn_cast<scf::WhileOp>(op->getParentOp());
    match(yield.getResultsMutable(), whileLoop ? ValueRange(whileLoop.getBeforeArguments())
                                               : ValueRange(op->getParentOp()->getResults()));
  }
}

LogicalResult LayoutRewriter::fixOperation(Operation *op) {
  if (auto mma = dyn_cast<tile::MmaOp>(op))
    return fixProduct(mma);
  if (isa<tile::ScanOp, tile::ReduceRegionOp>(op))
    return fixScan(op);
  if (std::optional<ShapeRelation> relation = ShapeRelation::of(op))
    return relation->kind == ShapeRelation::Pair ? fixPairs(op, *relation)
                                                 : fixShapeOperation(op, *relation);
  if (auto own = graph.own.find(op); own != graph.own.end()) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      require(store.getValueMutable(), own->second, /*reload=*/false);
    else
      produce(op->getResult(0), own->second);
  }
  fixCarried(op);
  Value anchor = isElementwise(op) ? op->getResult(0) : sharedAnchor(op);
  if (!anchor || !isa<RankedTensorType>(anchor.getType()))
    return success();
  if (isElementwise(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        require(operand, layoutOf(anchor.getType()));
    return success();
  }
  for (OpOperand *operand : sharedOperands(op))
    require(*operand, layoutOf(anchor.getType()));
  return success();
}

LogicalResult LayoutRewriter::run() {
  setTypes();
  // Collected first: fixing adds ops that agree already.
  SmallVector<Operation *> ops;
  kernel.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(fixOperation(op)))
      return failure();
  // What was cloned for all its uses is left without any; ops with regions are never dead because
  // of that.
  for (Operation *op : llvm::reverse(ops))
    if (op->getNumRegions() == 0 && isOpTriviallyDead(op))
      op->erase();
  return success();
}

namespace {

LogicalResult verifyRanks(tile::KernelOp kernel) {
  auto hasNoRank = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() == 0;
  };
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (!llvm::any_of(op->getResultTypes(), hasNoRank))
      return WalkResult::advance();
    op->emitOpError("gives a tile of rank 0, which has no layout; tile-raise-ranks gives it a "
                    "dimension [cdna.layout.c1]");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Layouts are chosen for one kernel at a time; see the pass description.
struct AssignLayoutsPass : impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(tile::verifyLowerings(kernel)) || failed(verifyRanks(kernel)))
      return signalPassFailure();
    LayoutGraph graph(kernel.getBody());
    FailureOr<KernelFacts> facts = KernelFacts::of(kernel);
    if (failed(facts) || failed(chooseLayouts(kernel, graph, *facts)) ||
        failed(LayoutRewriter(kernel, graph, *facts).run()))
      return signalPassFailure();
    kernel->setAttr(kLayoutsAssignedAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace

} // namespace tegula::cdna
