// cdna-lower-tile: no tile op is left, and the kernel is a cdna.kernel. The families are in
// Lower*.cpp and Expand*.cpp.
#include "LowerTile.h"

#include "dialects/tile/TileNormalForms.h"
#include "tegula/TileToCdna/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_LOWERTILEPASS
#include "tegula/TileToCdna/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;

namespace tegula::cdna {

/// Ops in program order; views go last, when nothing uses them any more.
static LogicalResult lowerBody(Region &body) {
  if (failed(lowerMemory(body)))
    return failure();
  SmallVector<Operation *> ops;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  SmallVector<Operation *> views;
  for (Operation *op : ops) {
    if (isa<ViewLikeOpInterface>(op))
      views.push_back(op);
    else if (failed(lowerValueOp(op)))
      return failure();
  }
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
  return success();
}

/// Windows and the scalars they need leave loops. Tiles stay: moved out they would only occupy
/// registers longer.
static void hoistScalars(Region &body) {
  body.walk([](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
        [](Operation *op, Region *) {
          bool hasTile = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
          return !hasTile && isMemoryEffectFree(op) && isSpeculatable(op);
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

/// Whether atomic updates make results depend on the order in which workgroups arrive. Where a
/// record lies among the others is no result.
static bool dependsOnOrder(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
    bool depends =
        rmw && rmw.dependsOnOrder() && !tile::getArgAttr(rmw.getView(), tile::kArgRecordsAttr);
    return isa<tile::AtomicCasOp>(op) || depends ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Moves body and attributes to a cdna.kernel of the same name.
static void replaceKernel(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  ArrayAttr waves = builder.getI64ArrayAttr(kernel.getScheduleAttr().getWaves());
  auto lowered = KernelOp::create(builder, kernel.getLoc(), kernel.getSymNameAttr(),
                                  kernel.getFunctionTypeAttr(), kernel.getArgAttrsAttr(),
                                  kernel.getResAttrsAttr(), kernel.getSymVisibilityAttr(),
                                  kernel.getGridAttr(), kernel.getTargetAttr(),
                                  kernel.getScheduleAttr(), kernel.getDenormalsAttr(), waves,
                                  /*lds_bytes=*/IntegerAttr());
  for (StringRef kept : {tile::kOrderDependentAttr, tile::kRecordSitesAttr})
    if (Attribute value = kernel->getAttr(kept))
      lowered->setAttr(kept, value);
  lowered->setAttr(kLayoutsAssignedAttr, builder.getUnitAttr());
  lowered->setAttr(kNoTileOpsAttr, builder.getUnitAttr());
  lowered.getBody().takeBody(kernel.getBody());
  Operation *end = lowered.getBody().front().getTerminator();
  OpBuilder atEnd(end);
  ReturnOp::create(atEnd, end->getLoc());
  end->erase();
  kernel.erase();
}

namespace {

struct LowerTilePass : impl::LowerTilePassBase<LowerTilePass> {
  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels(getOperation().getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      if (!kernel->hasAttr(kLayoutsAssignedAttr)) {
        kernel.emitError("cdna-assign-layouts has not run [cdna.layouts_assigned]");
        return signalPassFailure();
      }
      if (failed(tile::verifyLowerings(kernel)))
        return signalPassFailure();
      if (dependsOnOrder(kernel))
        kernel->setAttr(tile::kOrderDependentAttr, UnitAttr::get(&getContext()));
      noteUpdatedSets(kernel);
      if (failed(lowerBody(kernel.getBody())))
        return signalPassFailure();
      hoistScalars(kernel.getBody());
      replaceKernel(kernel);
    }
  }
};

} // namespace

} // namespace tegula::cdna
