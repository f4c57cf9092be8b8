// How far accesses go from the base of a window.
#ifndef TEGULA_LIB_CDNATOROCDL_REACH_H
#define TEGULA_LIB_CDNATOROCDL_REACH_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Computes `tegula.reach` from the windows of a kernel.
mlir::ArrayAttr computeReach(KernelOp kernel);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_REACH_H
