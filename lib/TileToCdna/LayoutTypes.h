// Tensor types by their layout.
#ifndef TEGULA_LIB_TILETOCDNA_LAYOUTTYPES_H
#define TEGULA_LIB_TILETOCDNA_LAYOUTTYPES_H

#include "dialects/cdna/Cdna.h"
#include "tegula/Layout/LinearLayout.h"

namespace tegula::cdna {

/// The layout of an encoded tensor type.
inline Layout layoutOf(mlir::Type type) { return getLayout(type).toLayout(); }
/// The tensor type with another encoding.
mlir::RankedTensorType withLayout(mlir::Type type, const Layout &layout);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LAYOUTTYPES_H
