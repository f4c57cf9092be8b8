// tile-hoist-loads: loop-invariant loads move in front of their loop; see Passes.td.
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_HOISTLOADSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

bool acquires(Operation *op) {
  auto isAcquire = [](MemoryOrder order) {
    return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel;
  };
  auto rmw = dyn_cast<AtomicRmwOp>(op);
  auto cas = dyn_cast<AtomicCasOp>(op);
  return isa<ArriveOp>(op) || (rmw && isAcquire(rmw.getOrder())) ||
         (cas && isAcquire(cas.getOrder()));
}

// Alias sets the loop writes; nothing when it writes a view of unknown origin.
std::optional<SmallVector<int64_t>> writtenSets(scf::ForOp loop) {
  SmallVector<int64_t> sets;
  WalkResult walk = loop.walk([&](Operation *op) {
    if (acquires(op)) // others may have written anything
      return WalkResult::interrupt();
    Value view = writtenView(op);
    if (!view)
      return WalkResult::advance();
    std::optional<int64_t> set = getAliasSet(view);
    if (!set)
      return WalkResult::interrupt();
    sets.push_back(*set);
    return WalkResult::advance();
  });
  return walk.wasInterrupted() ? std::nullopt : std::optional(sets);
}

// Outside its view a load reads the pad, so any tile index is safe; a slice or an index may rely on
// a guard.
bool isSafeAnywhere(Value view) {
  while (Operation *def = view.getDefiningOp()) {
    if (!isa<PermuteViewOp, ExpandOp>(def))
      return false;
    view = def->getOperand(0);
  }
  return true;
}

bool canHoist(LoadOp load, scf::ForOp loop, ArrayRef<int64_t> written) {
  std::optional<int64_t> set = getAliasSet(load.getView());
  bool invariant =
      llvm::all_of(load->getOperands(), [&](Value v) { return loop.isDefinedOutsideOfLoop(v); });
  return set && invariant && !llvm::is_contained(written, *set) && isSafeAnywhere(load.getView());
}

void hoistFrom(scf::ForOp loop) {
  std::optional<SmallVector<int64_t>> written = writtenSets(loop);
  if (!written)
    return;
  // Invariant view ops first: LICM of upstream moves pure ops, but may not have run.
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    bool isView = isa<PermuteViewOp, ExpandOp>(op) && loop.isDefinedOutsideOfLoop(op.getOperand(0));
    auto load = dyn_cast<LoadOp>(op);
    if (isView || (load && canHoist(load, loop, *written)))
      op.moveBefore(loop);
  }
}

struct HoistLoads : tegula::tile::impl::HoistLoadsPassBase<HoistLoads> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) { hoistFrom(loop); });
  }
};

} // namespace
