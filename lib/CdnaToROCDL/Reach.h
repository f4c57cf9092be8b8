// How far accesses go from the base of a window.
#ifndef TEGULA_LIB_CDNATOROCDL_REACH_H
#define TEGULA_LIB_CDNATOROCDL_REACH_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// The kernel's attribute with one array a kernel argument (empty for scalars): for each dimension
/// of a view the elements that an offset of 32 bits may span, unit when it is all of them.
constexpr llvm::StringLiteral kReachAttr = "tegula.reach";

/// Computes that attribute from the windows of a kernel.
mlir::ArrayAttr computeReach(KernelOp kernel);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_REACH_H
