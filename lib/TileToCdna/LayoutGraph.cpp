// Which values must share a layout, and how shape ops carry one from class to class.
#include "LayoutGraph.h"
#include "dialects/tile/TileQuantize.h"

using namespace mlir;

namespace tegula::cdna {

Extents shapeOf(Value tile) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  return Extents(shape.begin(), shape.end());
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isElementwise(Operation *op) {
  if (isa<tile::CastOp, tile::BitcastOp, tile::MathOp>(op))
    return true;
  return op->hasTrait<OpTrait::Elementwise>();
}

Value sharedAnchor(Operation *op) {
  if (auto take = dyn_cast<tile::TakeOp>(op))
    return take.getResult();
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return histogram.getDigits();
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return scan.getResult();
  if (!isa<tile::GatherOp, tile::ScatterOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return {};
  if (op->getNumResults() == 1)
    return op->getResult(0);
  Value any;
  for (Value operand : op->getOperands()) {
    if (!isTile(operand))
      continue;
    if (!isRematerializable(operand))
      return operand;
    any = any ? any : operand;
  }
  return any;
}

SmallVector<OpOperand *> sharedOperands(Operation *op) {
  SmallVector<OpOperand *> shared;
  for (OpOperand &operand : op->getOpOperands()) {
    // What is taken from has passed through LDS.
    bool apart = isa<tile::TakeOp>(op) && operand.getOperandNumber() == 0;
    if (isTile(operand.get()) && !apart)
      shared.push_back(&operand);
  }
  return shared;
}

bool isRematerializable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return !isTile(broadcast.getInput());
  return isa<arith::ConstantOp, tile::IotaOp>(op);
}

//===--- Relations ---===//

/// Axes that are longer than 1 in `whole` and 1 in `part`.
static SmallVector<unsigned> collapsedAxes(Value whole, Value part) {
  SmallVector<unsigned> axes;
  Extents from = shapeOf(whole), to = shapeOf(part);
  for (unsigned d = 0; d < from.size(); ++d)
    if (from[d] != to[d])
      axes.push_back(d);
  return axes;
}

std::optional<ShapeRelation> ShapeRelation::of(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return ShapeRelation{Collapse, reduce.getInput(), reduce.getResult(),
                         collapsedAxes(reduce.getInput(), reduce.getResult())};
  if (auto reduce = dyn_cast<tile::ReduceRegionOp>(op))
    return ShapeRelation{Collapse, reduce.getInput(), reduce.getResult(), {reduce.getAxis()}};
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (!isTile(broadcast.getInput()))
      return std::nullopt;
    return ShapeRelation{Collapse, broadcast.getResult(), broadcast.getInput(),
                         collapsedAxes(broadcast.getResult(), broadcast.getInput())};
  }
  if (auto pack = dyn_cast<tile::PackOp>(op))
    return ShapeRelation{Pair, pack.getInput(), pack.getResult(), {unsigned(pack.getAxis())}};
  if (auto unpack = dyn_cast<tile::UnpackOp>(op))
    return ShapeRelation{Pair, unpack.getResult(), unpack.getInput(), {unsigned(unpack.getAxis())}};
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    ArrayRef<int64_t> perm = transpose.getPerm();
    return ShapeRelation{
        Permute, transpose.getInput(), transpose.getResult(), {perm.begin(), perm.end()}};
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return ShapeRelation{Reshape, reshape.getInput(), reshape.getResult(), {}};
  return std::nullopt;
}

std::optional<Layout> ShapeRelation::partFrom(const Layout &from) const {
  if (kind == Permute)
    return canonicalize(transpose(from, std::vector<unsigned>(axes.begin(), axes.end())));
  if (kind == Reshape)
    return reshape(from, shapeOf(whole), shapeOf(part));
  std::optional<Layout> result = from;
  for (unsigned axis : axes)
    if (!(result = reduce(*result, axis)))
      return std::nullopt;
  return result;
}

std::optional<Layout> ShapeRelation::wholeFrom(const Layout &from) const {
  if (kind == Collapse)
    return std::nullopt;
  if (kind == Pair)
    return broadcast(from, axes.front(), 2);
  if (kind == Reshape)
    return reshape(from, shapeOf(part), shapeOf(whole));
  std::vector<unsigned> inverse(axes.size());
  for (unsigned i = 0; i < axes.size(); ++i)
    inverse[axes[i]] = i;
  return canonicalize(transpose(from, inverse));
}

//===--- Classes ---===//

int64_t LayoutClass::elements() const {
  int64_t count = 1;
  for (int64_t extent : shapeOf(values.front()))
    count *= extent;
  return count;
}

LayoutGraph::LayoutGraph(Region &body) {
  body.walk([&](Operation *op) { addOperation(op); });
  numberClasses(body);
  attachRelations();
}

void LayoutGraph::unite(Value a, Value b) {
  // A rematerializable value follows each of its uses by itself: it must not tie them together.
  if (!isTile(a) || isRematerializable(a) || isRematerializable(b))
    return;
  sets.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

void LayoutGraph::uniteRanges(ValueRange a, ValueRange b) {
  for (auto [x, y] : llvm::zip_equal(a, b))
    unite(x, y);
}

void LayoutGraph::addOperation(Operation *op) {
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (isTile(operand) && isTile(op->getResult(0)))
        unite(op->getResult(0), operand);
  } else if (Value anchor = sharedAnchor(op)) {
    for (OpOperand *operand : sharedOperands(op))
      unite(anchor, operand->get());
  } else if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    unite(mma.getResult(), mma.getAcc());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    uniteRanges(loop.getRegionIterArgs(), loop.getInitArgs());
    uniteRanges(loop.getRegionIterArgs(), loop.getYieldedValues());
    uniteRanges(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() == 0)
      return;
    uniteRanges(branch.getResults(), branch.thenYield().getResults());
    uniteRanges(branch.getResults(), branch.elseYield().getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    uniteRanges(loop.getBeforeArguments(), loop.getInits());
    uniteRanges(loop.getBeforeArguments(), loop.getYieldOp().getResults());
    uniteRanges(loop.getAfterArguments(), loop.getConditionOp().getArgs());
    uniteRanges(loop.getAfterArguments(), loop.getResults());
  }
  if (std::optional<ShapeRelation> relation = ShapeRelation::of(op))
    relations.push_back(*relation);
}

static bool isByElement(Operation *atomic) {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(atomic);
  return rmw ? rmw.isByElement() : cast<tile::AtomicCasOp>(atomic).isByElement();
}

/// Numbers classes by their first value in program order, so that the result does not depend on
/// addresses.
void LayoutGraph::numberClasses(Region &body) {
  DenseMap<void *, unsigned> byLeader;
  auto addValue = [&](Value value) {
    if (!isTile(value))
      return;
    void *key = value.getAsOpaquePointer();
    auto member = sets.findLeader(key);
    void *leader = member == sets.member_end() ? key : *member;
    auto [it, isNew] = byLeader.try_emplace(leader, classes.size());
    if (isNew)
      classes.emplace_back();
    classes[it->second].values.push_back(value);
    classIndex[value] = it->second;
  };
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), addValue);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), addValue);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      classes[classOf(load.getResult())].accesses.push_back(op);
  });
  body.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      classes[classOf(store.getValue())].accesses.push_back(op);
    else if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) && !isByElement(op))
      classes[classOf(sharedAnchor(op))].accesses.push_back(op);
  });
}

void LayoutGraph::attachRelations() {
  for (unsigned i = 0; i < relations.size(); ++i)
    for (Value side : {relations[i].whole, relations[i].part})
      classes[classOf(side)].relations.push_back(i);
}

} // namespace tegula::cdna
