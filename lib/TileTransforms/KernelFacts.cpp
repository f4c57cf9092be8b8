// Collects what the choice of a schedule needs to know.
#include "KernelFacts.h"
#include "dialects/tile/TileNormalForms.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tegula::tile;

// Casts and shape changes lie between a load and a product; anything else makes the operand a
// computed one.
static OperandFacts followOperand(Value operand, unsigned kDim) {
  auto type = cast<RankedTensorType>(operand.getType());
  OperandFacts facts;
  facts.kDim = kDim;
  facts.bytes = type.getNumElements() * ViewType::naturalAlign(type.getElementType());
  while (Operation *def = operand.getDefiningOp()) {
    if (auto load = dyn_cast<LoadOp>(def)) {
      facts.load = load;
      break;
    }
    if (!isa<CastOp, BitcastOp, arith::ExtFOp, ReshapeOp, TransposeOp>(def))
      break;
    facts.converted = true;
    operand = def->getOperand(0);
  }
  return facts;
}

static int64_t productSize(MmaOp mma) {
  return mma.getA().getType().getNumElements() * mma.getB().getType().getShape().back();
}

static void collectProduct(KernelFacts &facts, MmaOp mma) {
  facts.mma = mma;
  RankedTensorType a = mma.getA().getType(), b = mma.getB().getType();
  facts.M = a.getShape().drop_back().back();
  facts.K = a.getShape().back();
  facts.N = b.getShape().back();
  facts.aType = dtypeName(a.getElementType());
  facts.bType = dtypeName(b.getElementType());
  facts.a = followOperand(mma.getA(), a.getRank() - 1);
  facts.b = followOperand(mma.getB(), b.getRank() - 2);
  auto loop = mma->getParentOfType<scf::ForOp>();
  auto inLoop = [&](const OperandFacts &operand) {
    return operand.load && loop->isProperAncestor(operand.load);
  };
  facts.inTileLoop = loop && inLoop(facts.a) && inLoop(facts.b);
  facts.stagedBytes = facts.a.bytes + facts.b.bytes;
  if (!facts.inTileLoop)
    return;
  // Other products of the loop keep their operands in LDS, too.
  llvm::SmallSetVector<Operation *, 4> loads;
  int64_t bytes = 0;
  loop.walk([&](MmaOp other) {
    for (const OperandFacts &operand :
         {followOperand(other.getA(), 1), followOperand(other.getB(), 0)})
      if (inLoop(operand) && loads.insert(operand.load))
        bytes += operand.bytes;
  });
  facts.stagedBytes = bytes;
}

static void collectTile(KernelFacts &facts, RankedTensorType tile) {
  if (tile.getNumElements() <= facts.maxElements)
    return;
  facts.maxElements = tile.getNumElements();
  facts.elementBytes = ViewType::naturalAlign(tile.getElementType());
  facts.widestIsLast = llvm::max_element(tile.getShape()) == tile.getShape().end() - 1 ||
                       *llvm::max_element(tile.getShape()) == tile.getShape().back();
}

/// A transpose, or a view that is contiguous along another dimension than its last: loads and
/// stores meet in LDS.
static bool transposes(Operation *op) {
  auto alongLast = [](ViewType view) {
    return view.getUnitStrideDim().value_or(view.getRank() - 1) == view.getRank() - 1;
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return !alongLast(load.getView().getType());
  if (auto store = dyn_cast<StoreOp>(op))
    return !alongLast(store.getView().getType());
  return isa<TransposeOp>(op);
}

KernelFacts tegula::tile::collectFacts(KernelOp kernel) {
  KernelFacts facts;
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<MmaOp>(op);
        mma && (!facts.mma || productSize(mma) > productSize(facts.mma)))
      collectProduct(facts, mma);
    facts.hasTileId |= isa<TileIdOp>(op);
    facts.walks |= isa<ResidentOp>(op);
    facts.hasReduce |= isa<ReduceOp>(op);
    if (auto load = dyn_cast<LoadOp>(op))
      collectTile(facts, load.getType());
    if (auto store = dyn_cast<StoreOp>(op))
      collectTile(facts, store.getValue().getType());
    facts.isTransposed |= transposes(op);
    if (isa<GatherOp, ScatterOp, AtomicRmwOp, AtomicCasOp, ScanOp, ReduceRegionOp, HistogramOp>(op))
      for (Type type : op->getOperandTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type))
          collectTile(facts, tile);
  });
  return facts;
}
