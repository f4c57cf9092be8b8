// Facts that passes leave on a kernel for those behind them. They belong to no dialect, because
// they stand on its `llvm.func` too, where lib/Object reads them.
#ifndef TEGULA_SUPPORT_KERNELRECORD_H
#define TEGULA_SUPPORT_KERNELRECORD_H

#include "llvm/ADT/StringRef.h"

namespace tegula {

/// Arguments and launch, from which the manifest is written: a dictionary in its shape, a unit
/// attribute standing for null (lib/CdnaToROCDL/README.md has the fields).
constexpr llvm::StringLiteral kAbiAttr = "tegula.abi";
/// What tiles hold where most registers are live: `registers` of `limit`, and the largest `tiles`,
/// each with its `registers` and where it is made (`at`).
constexpr llvm::StringLiteral kPressureAttr = "tegula.pressure";
/// One array a kernel argument (empty for scalars): for each dimension of a view the elements that
/// an offset of 32 bits may span, unit when it is all of them.
constexpr llvm::StringLiteral kReachAttr = "tegula.reach";

} // namespace tegula

#endif // TEGULA_SUPPORT_KERNELRECORD_H
