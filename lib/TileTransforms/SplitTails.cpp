// tile-split-tails: loops over full tiles and one masked rest; see Passes.td.
#include "dialects/tile/TileBounds.h"
#include "dialects/tile/TileNormalForms.h"
#include "mlir/IR/IRMapping.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_SPLITTAILSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

// One copy of the loop's body for iteration `index`, starting from the loop's results. Returns what
// it yields.
SmallVector<Value> cloneBody(OpBuilder &builder, scf::ForOp loop, Value index) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(loop.getRegionIterArgs(), loop.getResults());
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

void replaceUsesAfter(scf::ForOp loop, ValueRange values,
                      const SmallPtrSetImpl<Operation *> &keep) {
  for (auto [old, value] : llvm::zip(loop.getResults(), values))
    old.replaceUsesWithIf(value, [&](OpOperand &use) {
      for (Operation *user = use.getOwner(); user; user = user->getParentOp())
        if (keep.contains(user))
          return false;
      return true;
    });
}

// A static extent has a rest for certain: the copy stands behind the loop without a condition.
void splitStatic(scf::ForOp loop, const TileLoop &match) {
  OpBuilder builder(loop);
  Value full = constant(builder, loop.getLoc(), *match.extent.constant / match.tile);
  loop.setUpperBound(full);
  Operation *last = loop;
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> results = cloneBody(builder, loop, full);
  SmallPtrSet<Operation *, 16> copies;
  for (Operation *op = last->getNextNode(); op && op != &*builder.getInsertionPoint();
       op = op->getNextNode())
    copies.insert(op);
  replaceUsesAfter(loop, results, copies);
}

void splitDynamic(scf::ForOp loop, const TileLoop &match) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value tile = constant(builder, loc, match.tile), zero = constant(builder, loc, 0);
  Value full = arith::DivUIOp::create(builder, loc, match.extentValue, tile);
  loop.setUpperBound(full);
  builder.setInsertionPointAfter(loop);
  Value rest = arith::RemUIOp::create(builder, loc, match.extentValue, tile);
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero);
  auto copy = [&](OpBuilder &inner, Location at) {
    scf::YieldOp::create(inner, at, cloneBody(inner, loop, full));
  };
  auto skip = [&](OpBuilder &inner, Location at) {
    scf::YieldOp::create(inner, at, loop.getResults());
  };
  auto branch = scf::IfOp::create(builder, loc, some, copy, skip);
  SmallPtrSet<Operation *, 1> keep{branch};
  replaceUsesAfter(loop, branch.getResults(), keep);
}

struct SplitTails : tegula::tile::impl::SplitTailsPassBase<SplitTails> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<scf::ForOp> loops; // inner ones first: copies of outer bodies then hold split loops
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<TileLoop> match = matchPartialTileLoop(loop);
      if (match)
        match->extent.constant ? splitStatic(loop, *match) : splitDynamic(loop, *match);
    }
    if (failed(verifyTailsSplit(kernel)))
      return signalPassFailure();
    kernel->setAttr(kTailsSplitAttr, UnitAttr::get(&getContext()));
  }
};

} // namespace
