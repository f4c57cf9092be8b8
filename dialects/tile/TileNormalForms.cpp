// The checks behind `tile.legal_for_target` and `tile.tails_split`.
#include "dialects/tile/TileNormalForms.h"
#include "dialects/tile/TileBounds.h"
#include "tegula/Target/Target.h"

using namespace mlir;
using namespace tegula::tile;

const tegula::Target *tegula::tile::lookupTarget(KernelOpInterface kernel) {
  TargetAttr target = kernel.getTargetAttr();
  return target ? tegula::lookupTarget(target.getName()) : nullptr;
}

static LogicalResult verifyScheduleComplete(KernelOp kernel) {
  bool hasMma = false, hasTileId = false;
  kernel.walk([&](Operation *op) {
    hasMma |= isa<MmaOp>(op);
    hasTileId |= isa<TileIdOp>(op);
  });
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run tile-pick-schedule first [tile.target.c1]");
  SmallVector<StringRef> missing = schedule.missingFields(hasMma, hasTileId);
  if (missing.empty())
    return success();
  return kernel.emitOpError() << "has a schedule without " << llvm::join(missing, ", ")
                              << "; run tile-pick-schedule first [tile.target.c1]";
}

LogicalResult tegula::tile::verifyLegalForTarget(KernelOp kernel) {
  return success(succeeded(verifyScheduleComplete(kernel)) && succeeded(verifyLowerings(kernel)));
}

LogicalResult tegula::tile::verifyTailsSplit(KernelOp kernel) {
  WalkResult walk = kernel.walk([&](scf::ForOp loop) {
    std::optional<TileLoop> partial = matchPartialTileLoop(loop);
    if (!partial)
      return WalkResult::advance();
    loop.emitOpError() << "may run past its dimension in steps of " << partial->tile
                       << ", although the kernel says its tails are split [tile.tails_split]";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
