// tile-split-contraction: several workgroups sum up one tile; see Passes.td.
#include "GridCount.h"
#include "dialects/tile/TileBounds.h"
#include "dialects/tile/TileCombine.h"
#include "mlir/IR/IRMapping.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_SPLITCONTRACTIONPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

// More tiles than any grid has: of the workspace's views only the addresses matter.
constexpr int64_t kMostRecords = int64_t(INT32_MAX);

//===--- What can be split ---===//

/// How one op of a sum combines two values; none when it is no such op.
std::optional<ReduceKind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ReduceKind>>(op)
      .Case<MmaOp, arith::AddFOp, arith::AddIOp>([](Operation *) { return ReduceKind::Add; })
      .Case<arith::MulFOp, arith::MulIOp>([](Operation *) { return ReduceKind::Mul; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([](Operation *) { return ReduceKind::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>([](Operation *) { return ReduceKind::Min; })
      .Case<arith::AndIOp>([](Operation *) { return ReduceKind::And; })
      .Case<arith::OrIOp>([](Operation *) { return ReduceKind::Or; })
      .Case<arith::XOrIOp>([](Operation *) { return ReduceKind::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The operands through which a sum may go on.
SmallVector<Value, 2> summands(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return {mma.getAcc()};
  return llvm::to_vector<2>(op->getOperands());
}

/// Follows the yielded value back to the carried one. Nobody else may look at what is in between,
/// which is only a part of the sum.
std::optional<ReduceKind> sumKind(scf::ForOp loop) {
  Value carried = loop.getRegionIterArgs().front(), value = loop.getYieldedValues().front();
  std::optional<ReduceKind> kind;
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !value.hasOneUse())
      return std::nullopt;
    std::optional<ReduceKind> step = kindOf(op);
    if (!step || (kind && *kind != *step))
      return std::nullopt;
    kind = step;
    Value next;
    for (Value operand : summands(op)) {
      Operation *def = operand.getDefiningOp();
      bool leads = operand == carried || (def && def->getBlock() == loop.getBody() &&
                                          kindOf(def) == kind && operand.hasOneUse());
      if (operand == carried || (leads && !next))
        next = operand;
    }
    if (!next)
      return std::nullopt;
    value = next;
  }
  return carried.hasOneUse() ? kind : std::nullopt;
}

bool writes(Operation *op) {
  WalkResult found = op->walk([](Operation *inner) {
    bool harmless = isMemoryEffectFree(inner) || isa<LoadOp, ScalarOp, AssertOp, PrintOp>(inner) ||
                    inner->getNumRegions() != 0;
    return harmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

/// The loop of a kernel that is split, with what is known about it.
struct Contraction {
  scf::ForOp loop;
  TileLoop tiles;
  ReduceKind kind;
  RankedTensorType sum;
};

/// Why a loop can't be the one; "" when it can.
std::string whyNot(scf::ForOp loop, Contraction &found) {
  std::optional<TileLoop> tiles = matchTileLoop(loop);
  if (!tiles)
    return "doesn't walk over the tiles of a view that it loads";
  auto sum = loop.getNumResults() == 1 ? dyn_cast<RankedTensorType>(loop.getResult(0).getType())
                                       : RankedTensorType();
  if (!sum)
    return "has " + std::to_string(loop.getNumResults()) + " results, not one tile";
  if (sum.getRank() > 4 || isNarrowFloat(sum.getElementType()) || sum.getElementType().isInteger(1))
    return "sums up a tile of " + shapeText(sum);
  std::optional<ReduceKind> kind = sumKind(loop);
  if (!kind)
    return "doesn't only add to what it carries (or multiply it, or take a maximum …)";
  if (writes(loop))
    return "writes to memory";
  found = {loop, *tiles, *kind, sum};
  return "";
}

/// The loop that is split: the only one that can be, or the only one of them that makes a product.
/// Other loops before it run in every part, those behind it where the parts are summed up.
FailureOr<Contraction> findContraction(KernelOp kernel, int64_t parts) {
  SmallVector<Contraction> found;
  scf::ForOp refused;
  std::string reason = "the kernel has no loop outside of branches and loops";
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>()) {
    Contraction contraction;
    std::string obstacle = whyNot(loop, contraction);
    if (obstacle.empty()) {
      found.push_back(contraction);
    } else if (!refused) {
      refused = loop;
      reason = "the loop " + obstacle;
    }
  }
  auto makesProduct = [](Contraction &c) {
    return c.loop.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  if (found.size() > 1 && llvm::count_if(found, makesProduct) == 1)
    found = {*llvm::find_if(found, makesProduct)};
  auto writesBefore = [](scf::ForOp loop) {
    return llvm::any_of(llvm::make_range(loop->getBlock()->begin(), loop->getIterator()),
                        [](Operation &op) { return writes(&op); });
  };
  Location loc = refused ? refused.getLoc() : kernel.getLoc();
  if (found.size() > 1) {
    loc = found[1].loop.getLoc();
    reason = "the kernel has " + std::to_string(found.size()) + " loops that could be split";
  } else if (found.size() == 1 && writesBefore(found[0].loop)) {
    loc = found[0].loop.getLoc();
    reason = "the kernel writes to memory before its loop";
  } else if (found.size() == 1) {
    return found[0];
  }
  return emitError(loc) << "split_k = " << parts << ": " << reason
                        << "; split_k = 1 is legal here [tile.schedule.c6]";
}

//===--- The rewrite ---===//

class Splitter {
public:
  Splitter(KernelOp kernel, FuncOp grid, const Contraction &what, int64_t parts)
      : kernel(kernel), grid(grid), what(what), parts(parts), loop(what.loop), builder(loop),
        loc(loop.getLoc()) {}
  void run();

private:
  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }

  void addArguments();
  void placeWorkgroup();
  Value initial();
  SmallVector<Value> cloneBody(OpBuilder &at, Value index, Value carried);
  Value sumOwnPart();
  Value addRest(Value sum);
  Value partOf(Value index);
  Value reload(Value index);
  void finish(Value own);

  KernelOp kernel;
  FuncOp grid;
  const Contraction &what;
  int64_t parts;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  RankedTensorType record; ///< the sum as it is stored: at least one dimension
  Value counters, partials;
  Value part, tile; ///< which part of which tile this workgroup has
};

} // namespace

static ViewType workspaceView(RankedTensorType record, bool isCounter) {
  SmallVector<int64_t> shape = {kMostRecords}, strides;
  if (!isCounter)
    shape.append(record.getShape().begin(), record.getShape().end());
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(shape)) {
    strides.insert(strides.begin(), stride);
    stride *= extent;
  }
  Type element = record.getElementType();
  int64_t bytes = ViewType::naturalAlign(element), align = 16;
  // Views state what holds for every stride but the unit one.
  for (int64_t s : ArrayRef(strides).drop_back())
    while (s * bytes % align != 0)
      align /= 2;
  return ViewType::get(record.getContext(), shape, element, {}, strides, std::max(align, bytes));
}

void Splitter::addArguments() {
  Builder b(kernel.getContext());
  auto i32Tile = RankedTensorType::get({1}, b.getI32Type());
  auto add = [&](ViewType type, int64_t share, bool zeroed) {
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr(kArgWorkspaceAttr, b.getI32IntegerAttr(share)),
        b.getNamedAttr(kArgAliasAttr, b.getI32IntegerAttr(nextAliasSet(kernel)))};
    if (zeroed)
      attributes.push_back(b.getNamedAttr(kArgZeroedAttr, b.getUnitAttr()));
    unsigned index = kernel.getNumArguments();
    (void)kernel.insertArgument(index, type, b.getDictionaryAttr(attributes), loc);
    (void)grid.insertArgument(index, type, DictionaryAttr(), loc);
    return Value(kernel.getArgument(index));
  };
  counters = add(workspaceView(i32Tile, /*isCounter=*/true), parts, /*zeroed=*/true);
  partials = add(workspaceView(record, /*isCounter=*/false), 1, /*zeroed=*/false);
}

/// The grid's first axis holds all tiles for the first part, then all for the second …, so that
/// workgroups that run at the same time work on neighbouring tiles.
void Splitter::placeWorkgroup() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  SmallVector<Value> counts = cloneGrid(builder, kernel, grid);
  Value position = ProgramIdOp::create(builder, loc, 0);
  part = make<arith::DivUIOp>(position, counts.front());
  Value place = make<arith::RemUIOp>(position, counts.front());
  tile = place;
  Value stride = counts.front();
  for (unsigned axis = 1; axis < counts.size(); ++axis) {
    Value id = ProgramIdOp::create(builder, loc, axis);
    tile = make<arith::AddIOp>(tile, make<arith::MulIOp>(id, stride));
    stride = make<arith::MulIOp>(stride, counts[axis]);
  }
  SmallVector<Operation *> ids;
  kernel.walk([&](ProgramIdOp id) {
    if (id.getAxis() == 0 && id != position.getDefiningOp())
      ids.push_back(id);
  });
  for (Operation *id : ids) {
    id->getResult(0).replaceAllUsesWith(place);
    id->erase();
  }
  kernel.walk([&](TileIdOp id) { id.getAtMutable().assign(place); });
  // The grid function returns as many workgroups for every part.
  Operation *end = grid.getBody().front().getTerminator();
  OpBuilder atEnd(end);
  Value count = arith::ConstantIntOp::create(atEnd, loc, parts, 32);
  end->setOperand(0, arith::MulIOp::create(atEnd, loc, end->getOperand(0), count));
}

/// The kernel's own initial value belongs to one part only.
Value Splitter::initial() {
  Value given = loop.getInitArgs().front();
  TypedAttr neutral = neutralElement(what.kind, what.sum.getElementType());
  auto splat = SplatElementsAttr::get(what.sum, Attribute(neutral));
  DenseElementsAttr known;
  if (matchPattern(given, m_Constant(&known)) && known == splat)
    return given;
  Value none = arith::ConstantOp::create(builder, loc, splat);
  auto yield = [](Value value) {
    return [value](OpBuilder &b, Location at) { scf::YieldOp::create(b, at, value); };
  };
  return scf::IfOp::create(builder, loc, isEqual(part, constant(0)), yield(given), yield(none))
      .getResult(0);
}

SmallVector<Value> Splitter::cloneBody(OpBuilder &at, Value index, Value carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  map.map(loop.getRegionIterArgs().front(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    at.clone(op, map);
  return {map.lookupOrDefault(loop.getYieldedValues().front())};
}

Value Splitter::sumOwnPart() {
  const TileLoop &tiles = what.tiles;
  Value full = tiles.extent.constant
                   ? constant(*tiles.extent.constant / tiles.tile)
                   : make<arith::DivUIOp>(tiles.extentValue, constant(tiles.tile));
  Value share = make<arith::CeilDivUIOp>(full, constant(parts));
  Value first = make<arith::MinUIOp>(make<arith::MulIOp>(part, share), full);
  Value end = make<arith::MinUIOp>(make<arith::AddIOp>(first, share), full);
  Value count = arith::SubIOp::create(builder, loc, end, first);
  auto body = [&](OpBuilder &b, Location at, Value index, ValueRange carried) {
    Value tileIndex = arith::AddIOp::create(b, at, first, index);
    scf::YieldOp::create(b, at, cloneBody(b, tileIndex, carried.front()));
  };
  Value sum = scf::ForOp::create(builder, loc, constant(0), count, constant(1), initial(), body)
                  .getResult(0);
  if (tiles.extent.constant && *tiles.extent.constant % tiles.tile == 0)
    return sum;
  // What is left over is less than a tile, and the last part's.
  Value hasRest = isEqual(part, constant(parts - 1));
  if (!tiles.extent.constant) {
    Value rest = make<arith::RemUIOp>(tiles.extentValue, constant(tiles.tile));
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, constant(0));
    hasRest = make<arith::AndIOp>(hasRest, some);
  }
  auto add = [&](OpBuilder &b, Location at) {
    scf::YieldOp::create(b, at, cloneBody(b, full, sum));
  };
  auto skip = [&](OpBuilder &b, Location at) { scf::YieldOp::create(b, at, sum); };
  return scf::IfOp::create(builder, loc, hasRest, add, skip).getResult(0);
}

/// The view of one partial sum.
Value Splitter::partOf(Value index) { return IndexOp::create(builder, loc, partials, 0, index); }

Value Splitter::reload(Value index) {
  SmallVector<Value> origin(record.getRank(), constant(0));
  auto zero = cast<TypedAttr>(builder.getZeroAttr(record.getElementType()));
  Value loaded = LoadOp::create(builder, loc, record, partOf(index), origin, zero);
  return record == what.sum ? loaded
                            : ReshapeOp::create(builder, loc, what.sum, loaded).getResult();
}

/// Writes the part, and goes on behind the loop in the workgroup that comes last.
void Splitter::finish(Value own) {
  Value firstPart = make<arith::MulIOp>(tile, constant(parts));
  if (record != what.sum)
    own = ReshapeOp::create(builder, loc, record, own);
  SmallVector<Value> origin(record.getRank(), constant(0));
  StoreOp::create(builder, loc, own, partOf(make<arith::AddIOp>(firstPart, part)), origin);
  Value last = ArriveOp::create(builder, loc, builder.getI1Type(), counters, tile,
                                builder.getI64IntegerAttr(parts));
  SmallVector<Operation *> after;
  for (Operation *op = loop->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode())
    after.push_back(op);
  auto branch = scf::IfOp::create(builder, loc, last);
  Operation *end = branch.thenBlock()->getTerminator();
  builder.setInsertionPoint(end);
  auto add = [&](OpBuilder &b, Location at, Value index, ValueRange carried) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
    Value next = reload(make<arith::AddIOp>(firstPart, index));
    scf::YieldOp::create(builder, at, combine(builder, at, what.kind, carried.front(), next));
  };
  Value sum = scf::ForOp::create(builder, loc, constant(1), constant(parts), constant(1),
                                 reload(firstPart), add)
                  .getResult(0);
  loop.getResult(0).replaceAllUsesWith(sum);
  for (Operation *op : after)
    if (op != branch)
      op->moveBefore(end);
}

void Splitter::run() {
  record =
      what.sum.getRank() == 0 ? RankedTensorType::get({1}, what.sum.getElementType()) : what.sum;
  placeWorkgroup();
  addArguments();
  finish(sumOwnPart());
  loop.erase();
}

namespace {
struct SplitContraction : tegula::tile::impl::SplitContractionPassBase<SplitContraction> {
  // The grid changes with its kernel, so this is a pass on both.
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(split(kernel)))
        return signalPassFailure();
  }

  LogicalResult split(KernelOp kernel) {
    ScheduleAttr schedule = kernel.getScheduleAttr();
    int64_t parts = schedule ? schedule.getSplitK().value_or(1) : 1;
    if (parts == 1)
      return success();
    FuncOp grid = gridOf(kernel);
    bool walks = false;
    kernel.walk([&](ResidentOp) { walks = true; });
    if (!grid || walks)
      return kernel.emitOpError() << "split_k = " << parts
                                  << (walks ? " of a kernel that walks over tiles"
                                            : " needs a grid function")
                                  << "; split_k = 1 is legal here [tile.schedule.c6]";
    FailureOr<Contraction> found = findContraction(kernel, parts);
    if (failed(found))
      return failure();
    Splitter(kernel, grid, *found, parts).run();
    return success();
  }
};
} // namespace
