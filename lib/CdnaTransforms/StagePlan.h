// How an operand of a product gets from global memory to the registers of its lanes.
#ifndef TEGULA_LIB_CDNATRANSFORMS_STAGEPLAN_H
#define TEGULA_LIB_CDNATRANSFORMS_STAGEPLAN_H

#include "LdsFacts.h"

namespace tegula::cdna {

enum class StageWay { Direct, Register, None };

/// The way of one operand of one product.
struct StagePlan {
  LoadOp load;
  unsigned kDim = 0; ///< the contracted dimension of the tile
  StageWay way = StageWay::None;
  LdsType buffer;                  ///< not for None
  llvm::SmallVector<int32_t> tail; ///< of the access that fills it
  int64_t dmaWidth = 0;            ///< Direct: bytes a lane and instruction
  bool transposeRead = false;      ///< memory order in LDS, the reader transposes
  /// The layout to load in, where it isn't the load's own: lanes hold neighbours along the
  /// dimension that is contiguous in LDS, so that they store 8 bytes at a time.
  std::optional<Layout> loadLayout;
};

/// Decides for the operand of `product` that `load` feeds. Fails with `tile.schedule.c4` when the
/// schedule wants a direct copy that can't be done, with `cdna.kernel.c3` when no LDS holds the
/// tile.
mlir::FailureOr<StagePlan> planStage(MfmaOp product, LoadOp load, unsigned kDim);

/// How a product is cut along k.
struct StepPlan {
  int64_t step = 0;   ///< extent of one fragment along k
  unsigned group = 1; ///< matrix instructions along k that one fragment feeds
};
StepPlan planSteps(MfmaOp product, const StagePlan &a, const StagePlan &b);

/// The layout of one fragment of an operand whose whole tile has layout `whole`.
Layout fragmentLayout(const Layout &whole, unsigned kDim, const MfmaInst &inst,
                      const StepPlan &steps);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_STAGEPLAN_H
