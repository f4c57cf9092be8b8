// reduce_waves in terms of LDS accesses, so that waits and proof see one kind of traffic only.
#ifndef TEGULA_LIB_CDNATRANSFORMS_EXPANDREDUCTIONS_H
#define TEGULA_LIB_CDNATRANSFORMS_EXPANDREDUCTIONS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Replaces every `reduce_waves` by a store, a load in which each lane gets the parts of all waves,
/// and a reduction in registers.
mlir::LogicalResult expandWaveReductions(KernelOp kernel);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_EXPANDREDUCTIONS_H
