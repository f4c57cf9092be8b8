// Layouts for scans along an axis.
#ifndef TEGULA_LIB_TILETOCDNA_SCANLAYOUT_H
#define TEGULA_LIB_TILETOCDNA_SCANLAYOUT_H

#include "mlir/IR/BuiltinTypes.h"
#include "tegula/Layout/LinearLayout.h"

namespace tegula::cdna {

/// A layout that lanes can scan along `axis`: waves are dealt over the other dimensions, or hold
/// copies; then lanes over the other dimensions, and over the axis only where those are used up.
Layout scanLayout(mlir::RankedTensorType type, unsigned axis, unsigned waves);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_SCANLAYOUT_H
