// tile-unroll-batches: a product of batches becomes one product a batch; see Passes.td.
//
// Whatever hangs together with such a product along the batch axis is taken apart with it: loads,
// stores, element-wise work, what loops and branches carry. Where something else looks at a whole
// tile, it is put together again.
#include "tegula/TileTransforms/Passes.h"

#include "dialects/tile/TileNormalForms.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::tile {
#define GEN_PASS_DEF_UNROLLBATCHESPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool isElementwise(Operation *op) {
  return isa<CastOp, BitcastOp, MathOp>(op) || op->hasTrait<OpTrait::Elementwise>();
}

/// The type of one batch.
RankedTensorType batchType(RankedTensorType whole) {
  return RankedTensorType::get(whole.getShape().drop_front(), whole.getElementType());
}

//===--- What is taken apart ---===//

/// The tiles that are taken apart along their first axis: the operands of products of batches, and
/// what is tied to them.
class Batched {
public:
  explicit Batched(KernelOp kernel) {
    kernel.walk([&](MmaOp product) {
      if (product.getType().getRank() == 3)
        for (Value value : {product.getA(), product.getB(), product.getAcc(), product.getResult()})
          values.insert(value);
    });
    for (unsigned i = 0; i < values.size(); ++i) { // grows meanwhile
      Value value = values[i];
      if (Operation *op = value.getDefiningOp())
        tie(op);
      else
        tieCarried(value.getParentBlock()->getParentOp());
      for (Operation *user : value.getUsers()) {
        tie(user);
        if (isa<scf::YieldOp>(user))
          tieCarried(user->getParentOp());
      }
    }
  }

  bool contains(Value value) const { return values.contains(value); }
  bool empty() const { return values.empty(); }

private:
  /// All of these or none.
  void tieTogether(ArrayRef<Value> group) {
    if (llvm::any_of(group, [&](Value value) { return values.contains(value); }))
      values.insert(group.begin(), group.end());
  }
  void tie(Operation *op) {
    SmallVector<Value> group;
    auto addTiles = [&](ValueRange range) {
      for (Value value : range)
        if (RankedTensorType type = tileType(value); type && type.getRank() > 1)
          group.push_back(value);
    };
    auto transpose = dyn_cast<TransposeOp>(op);
    auto reduce = dyn_cast<ReduceOp>(op);
    bool keepsBatches = isElementwise(op) || (transpose && transpose.getPerm()[0] == 0) ||
                        (reduce && reduce.getAxis() != 0);
    if (!keepsBatches)
      return tieCarried(op);
    addTiles(op->getOperands());
    addTiles(op->getResults());
    tieTogether(group);
  }
  void tieCarried(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto [init, arg, yielded, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                           loop.getResults()))
        tieTogether({init, arg, yielded, result});
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults() > 0)
      for (auto [then, other, result] :
           llvm::zip_equal(branch.thenYield().getResults(), branch.elseYield().getResults(),
                           branch.getResults()))
        tieTogether({then, other, result});
  }

  llvm::SetVector<Value> values;
};

//===--- Views of one batch ---===//

/// Extents of one name are equal: the first argument that has it speaks for all, so that limits of
/// different arrays are one value.
Value extentOf(OpBuilder &b, Location loc, Value view, unsigned d) {
  auto type = cast<ViewType>(view.getType());
  StringRef name = type.getDimName(d);
  auto kernel = view.getParentRegion()->getParentOfType<KernelOp>();
  if (isa<BlockArgument>(view) && !name.empty())
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (auto other = dyn_cast<ViewType>(argument.getType()))
        for (unsigned e = 0; e < other.getRank(); ++e)
          if (other.getDimName(e) == name)
            return b.createOrFold<DimOp>(loc, argument, e);
  return b.createOrFold<DimOp>(loc, view, d);
}

/// The matrix of batch `index` of a view. Beyond the last batch it is empty: its dimension `cut`
/// ends at 0.
Value batchOf(OpBuilder &b, Location loc, Value view, Value index, unsigned cut) {
  auto type = cast<ViewType>(view.getType());
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, extentOf(b, loc, view, 0));
  Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value end = arith::SelectOp::create(b, loc, inside, extentOf(b, loc, view, cut), none);
  SmallVector<int64_t> lo(type.getRank(), 0), hi(type.getRank(), -1);
  hi[cut] = ShapedType::kDynamic;
  Value sliced = SliceOp::create(b, loc, view, ValueRange(), ValueRange(end), lo, hi);
  return IndexOp::create(b, loc, sliced, 0, index);
}

//===--- The rewrite ---===//

class Unroller {
public:
  Unroller(KernelOp kernel, const Batched &batched) : kernel(kernel), batched(batched) {}
  void run() {
    unrollBlock(kernel.getBody().front());
    for (Operation *op : dead) // they use each other
      op->dropAllReferences();
    for (Operation *op : dead)
      op->erase();
  }

private:
  void unrollBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      unroll(&op);
  }
  void unroll(Operation *op);
  void unrollLoop(scf::ForOp loop);
  void unrollBranch(scf::IfOp branch);
  void unrollLoad(LoadOp load);
  void unrollStore(StoreOp store);
  void unrollEach(Operation *op);
  void unrollBroadcast(BroadcastOp broadcast);

  /// The batches of a tile, taken apart here where it isn't already.
  SmallVector<Value> batchesOf(OpBuilder &b, Value whole);
  /// Operands with the tiles that are taken apart replaced by their batches.
  SmallVector<Value> flattened(OpBuilder &b, ValueRange operands, ValueRange like);
  void replace(Value whole, SmallVector<Value> parts);
  SmallVector<Value> takeFlattened(ValueRange flat, ValueRange like);

  KernelOp kernel;
  const Batched &batched;
  llvm::DenseMap<Value, SmallVector<Value>> batches;
  SmallVector<Operation *> dead;
};

} // namespace

SmallVector<Value> Unroller::batchesOf(OpBuilder &b, Value whole) {
  if (auto known = batches.find(whole); known != batches.end())
    return known->second;
  RankedTensorType type = tileType(whole);
  SmallVector<int64_t> part(type.getShape());
  part[0] = 1;
  DenseElementsAttr constant;
  bool isSplat = matchPattern(whole, m_Constant(&constant)) && constant.isSplat();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    if (isSplat) {
      parts.push_back(
          arith::ConstantOp::create(b, whole.getLoc(), constant.resizeSplat(batchType(type))));
      continue;
    }
    SmallVector<int64_t> offsets(type.getRank(), 0);
    offsets[0] = i;
    Value slab = ExtractOp::create(
        b, whole.getLoc(), RankedTensorType::get(part, type.getElementType()), whole, offsets);
    parts.push_back(ReshapeOp::create(b, whole.getLoc(), batchType(type), slab));
  }
  return parts;
}

/// Remembers the batches of a tile, and puts them together for whoever looks at the whole.
void Unroller::replace(Value whole, SmallVector<Value> parts) {
  auto needsWhole = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isCarried = isa<scf::ForOp>(user) ||
                     (isa<scf::YieldOp>(user) && isa<scf::ForOp, scf::IfOp>(user->getParentOp()));
    if (isa<StoreOp, MmaOp>(user) || isCarried)
      return false; // those of a batched tile are taken apart as well
    return llvm::none_of(user->getResults(),
                         [&](Value result) { return batched.contains(result); });
  };
  if (llvm::any_of(whole.getUses(), needsWhole)) {
    OpBuilder b(whole.getContext());
    b.setInsertionPointAfterValue(parts.back());
    RankedTensorType type = tileType(whole);
    SmallVector<int64_t> slab(type.getShape());
    slab[0] = 1;
    SmallVector<Value> slabs;
    for (Value part : parts)
      slabs.push_back(ReshapeOp::create(b, whole.getLoc(),
                                        RankedTensorType::get(slab, type.getElementType()), part));
    Value joined = ConcatOp::create(b, whole.getLoc(), type, slabs, 0);
    whole.replaceUsesWithIf(joined, needsWhole);
  }
  batches[whole] = std::move(parts);
}

SmallVector<Value> Unroller::flattened(OpBuilder &b, ValueRange operands, ValueRange like) {
  SmallVector<Value> flat;
  for (auto [operand, carrier] : llvm::zip_equal(operands, like)) {
    if (batched.contains(carrier))
      llvm::append_range(flat, batchesOf(b, operand));
    else
      flat.push_back(operand);
  }
  return flat;
}

SmallVector<Value> Unroller::takeFlattened(ValueRange flat, ValueRange like) {
  SmallVector<Value> rest; // of `like`, in order, null where taken apart
  for (Value carrier : like) {
    size_t count = batched.contains(carrier) ? tileType(carrier).getDimSize(0) : 1;
    if (batched.contains(carrier)) {
      replace(carrier, llvm::to_vector(flat.take_front(count)));
      rest.push_back(Value());
    } else {
      rest.push_back(flat.front());
    }
    flat = flat.drop_front(count);
  }
  return rest;
}

//===--- Control flow ---===//

void Unroller::unrollLoop(scf::ForOp loop) {
  OpBuilder b(loop);
  SmallVector<Value> inits = flattened(b, loop.getInitArgs(), loop.getRegionIterArgs());
  auto unrolled = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                     loop.getStep(), inits);
  unrolled->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = unrolled.getBody();
  if (inits.empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  loop.getInductionVar().replaceAllUsesWith(unrolled.getInductionVar());
  SmallVector<Value> args = takeFlattened(unrolled.getRegionIterArgs(), loop.getRegionIterArgs());
  for (auto [old, arg] : llvm::zip_equal(loop.getRegionIterArgs(), args))
    if (arg)
      old.replaceAllUsesWith(arg);
  Operation *yield = body->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
    unroll(&op);
  b.setInsertionPoint(yield);
  SmallVector<Value> yielded = flattened(b, yield->getOperands(), loop.getResults());
  yield->setOperands(yielded);
  SmallVector<Value> results = takeFlattened(unrolled.getResults(), loop.getResults());
  for (auto [old, result] : llvm::zip_equal(loop.getResults(), results))
    if (result)
      old.replaceAllUsesWith(result);
  dead.push_back(loop);
}

void Unroller::unrollBranch(scf::IfOp branch) {
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty())
      for (Operation &op : llvm::make_early_inc_range(region->front().without_terminator()))
        unroll(&op);
  bool carries =
      llvm::any_of(branch.getResults(), [&](Value result) { return batched.contains(result); });
  if (!carries)
    return;
  OpBuilder b(branch);
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.append(batched.contains(result) ? tileType(result).getDimSize(0) : 1,
                 batched.contains(result) ? Type(batchType(tileType(result))) : result.getType());
  auto unrolled = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  unrolled.getThenRegion().takeBody(branch.getThenRegion());
  unrolled.getElseRegion().takeBody(branch.getElseRegion());
  for (scf::YieldOp yield : {unrolled.thenYield(), unrolled.elseYield()}) {
    b.setInsertionPoint(yield);
    yield->setOperands(flattened(b, yield->getOperands(), branch.getResults()));
  }
  SmallVector<Value> results = takeFlattened(unrolled.getResults(), branch.getResults());
  for (auto [old, result] : llvm::zip_equal(branch.getResults(), results))
    if (result)
      old.replaceAllUsesWith(result);
  dead.push_back(branch);
}

//===--- Ops ---===//

/// The element index of batch i of the tile at `index`.
static Value batchIndex(OpBuilder &b, Location loc, Value index, int64_t batches, int64_t i) {
  auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); };
  Value first = b.createOrFold<arith::MulIOp>(loc, index, constant(batches));
  return b.createOrFold<arith::AddIOp>(loc, first, constant(i));
}

/// The dimension of a loaded tile that no product contracts; tails of the other one are split off.
static unsigned freeDim(LoadOp load) {
  for (OpOperand &use : load.getResult().getUses())
    if (isa<MmaOp>(use.getOwner()))
      return use.getOperandNumber() == 1 ? 2 : 1;
  return 1;
}

void Unroller::unrollLoad(LoadOp load) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  RankedTensorType type = load.getType();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value index = batchIndex(b, loc, load.getIndices()[0], type.getDimSize(0), i);
    Value view = batchOf(b, loc, load.getView(), index, freeDim(load));
    parts.push_back(LoadOp::create(b, loc, batchType(type), view, load.getIndices().drop_front(),
                                   load.getPad()));
  }
  replace(load.getResult(), std::move(parts));
  dead.push_back(load);
}

void Unroller::unrollStore(StoreOp store) {
  OpBuilder b(store);
  Location loc = store.getLoc();
  SmallVector<Value> parts = batchesOf(b, store.getValue());
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value index = batchIndex(b, loc, store.getIndices()[0], parts.size(), i);
    // Along m, as loads of the left operand are cut.
    Value view = batchOf(b, loc, store.getView(), index, 1);
    StoreOp::create(b, loc, part, view, store.getIndices().drop_front());
  }
  dead.push_back(store);
}

/// Element-wise ops, transposes, reductions and products: once a batch.
void Unroller::unrollEach(Operation *op) {
  OpBuilder b(op);
  Value result = op->getResult(0);
  RankedTensorType type = tileType(result);
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tileType(operand) ? batchesOf(b, operand) : SmallVector<Value>());
  SmallVector<Value> parts;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    IRMapping map;
    for (auto [operand, pieces] : llvm::zip_equal(op->getOperands(), operands))
      if (!pieces.empty())
        map.map(operand, pieces[i]);
    Operation *part = b.clone(*op, map);
    part->getResult(0).setType(batchType(type));
    if (auto transpose = dyn_cast<TransposeOp>(part)) {
      SmallVector<int64_t> perm(transpose.getPerm().drop_front());
      for (int64_t &d : perm)
        --d;
      transpose.setPerm(perm);
    }
    if (auto reduce = dyn_cast<ReduceOp>(part))
      reduce.setAxis(reduce.getAxis() - 1);
    parts.push_back(part->getResult(0));
  }
  replace(result, std::move(parts));
  dead.push_back(op);
}

/// Of a scalar or one batch, each batch by itself.
void Unroller::unrollBroadcast(BroadcastOp broadcast) {
  OpBuilder b(broadcast);
  Location loc = broadcast.getLoc();
  RankedTensorType type = tileType(broadcast.getResult()), from = tileType(broadcast.getInput());
  SmallVector<Value> inputs(type.getDimSize(0), broadcast.getInput());
  if (from && from.getDimSize(0) == 1)
    inputs.assign(inputs.size(), ReshapeOp::create(b, loc, batchType(from), broadcast.getInput()));
  else if (from)
    inputs = batchesOf(b, broadcast.getInput());
  SmallVector<Value> parts;
  for (Value input : inputs)
    parts.push_back(BroadcastOp::create(b, loc, batchType(type), input));
  replace(broadcast.getResult(), std::move(parts));
  dead.push_back(broadcast);
}

void Unroller::unroll(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool carries =
        llvm::any_of(loop.getRegionIterArgs(), [&](Value arg) { return batched.contains(arg); });
    return carries ? unrollLoop(loop) : unrollBlock(*loop.getBody());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return unrollBranch(branch);
  if (auto store = dyn_cast<StoreOp>(op); store && batched.contains(store.getValue()))
    return unrollStore(store);
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        unrollBlock(block);
    return;
  }
  if (op->getNumResults() != 1 || !batched.contains(op->getResult(0)))
    return;
  if (auto load = dyn_cast<LoadOp>(op))
    return unrollLoad(load);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return unrollBroadcast(broadcast);
  if (isa<MmaOp, TransposeOp, ReduceOp>(op) || isElementwise(op))
    return unrollEach(op);
  // Made whole, and taken apart right behind.
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  batches[op->getResult(0)] = batchesOf(b, op->getResult(0));
}

namespace {
struct UnrollBatches : tegula::tile::impl::UnrollBatchesPassBase<UnrollBatches> {
  void runOnOperation() override {
    Batched batched(getOperation());
    if (!batched.empty())
      Unroller(getOperation(), batched).run();
  }
};
} // namespace
