// What the normal-form attributes of a kernel promise, as checks: the dialect's verifier runs them
// on each kernel that carries the attribute; the pass that sets it runs the same function.
#ifndef TEGULA_DIALECTS_TILE_TILENORMALFORMS_H
#define TEGULA_DIALECTS_TILE_TILENORMALFORMS_H

#include "dialects/tile/Tile.h"

namespace tegula {
struct Target;
}

namespace tegula::tile {

/// The target row a kernel names, or null.
const Target *lookupTarget(KernelOpInterface kernel);

/// A product is of two axes: every target multiplies all types of operands that the op takes.
mlir::LogicalResult verifyProduct(MmaOp mma);
/// Every op of the kernel is one that the passes to cdna and to LLVM lower (TileLowerings.cpp has
/// the list); the error says what is lowered instead.
mlir::LogicalResult verifyLowerings(KernelOp kernel);
/// Values of schedule fields that are illegal for every kernel (tile.schedule.c1 to c8).
mlir::LogicalResult verifyScheduleValues(KernelOp kernel, ScheduleAttr schedule);

/// `tile.legal_for_target`: target known, schedule complete, every op has a lowering.
mlir::LogicalResult verifyLegalForTarget(KernelOp kernel);
/// `tile.tails_split`: no tile loop with a product or a reduction may run past its dimension.
mlir::LogicalResult verifyTailsSplit(KernelOp kernel);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILENORMALFORMS_H
