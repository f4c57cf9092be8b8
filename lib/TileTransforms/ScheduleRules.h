// Which schedules are legal: the rules tile.schedule.c1 to c8 that need the kernel and the target.
#ifndef TEGULA_TILETRANSFORMS_SCHEDULERULES_H
#define TEGULA_TILETRANSFORMS_SCHEDULERULES_H

#include "KernelFacts.h"

namespace tegula {
struct MfmaInst;
struct Target;
} // namespace tegula

namespace tegula::tile {

/// The matrix instructions a product may use (their K divides the tile's), smallest K first.
std::vector<const MfmaInst *> legalMma(const KernelFacts &facts, const Target &target);
/// The wave grids a kernel may use; `mma` is null for kernels without a product.
std::vector<std::pair<int64_t, int64_t>> legalWaves(const KernelFacts &facts, const MfmaInst *mma);
/// Why an operand cannot be copied directly to LDS, "" when it can. `width` is the bytes a lane
/// copies.
std::string whyNotDirect(const OperandFacts &operand, const Target &target, int64_t width);
/// LDS bytes of the staged operands.
int64_t ldsBytes(const KernelFacts &facts, int64_t stages);

/// Refuses a complete schedule that breaks a rule, with what would be legal, at the kernel.
mlir::LogicalResult checkSchedule(KernelOp kernel, ScheduleAttr schedule, const KernelFacts &facts,
                                  const Target &target);

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_SCHEDULERULES_H
