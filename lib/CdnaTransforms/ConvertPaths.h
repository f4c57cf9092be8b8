// Layout conversions that are not part of a product's operand.
#ifndef TEGULA_LIB_CDNATRANSFORMS_CONVERTPATHS_H
#define TEGULA_LIB_CDNATRANSFORMS_CONVERTPATHS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Gives `convert` the path `none` when every lane holds what it needs; otherwise replaces it by a
/// buffer in LDS, a store and a load. Fails with `cdna.kernel.c3` when no LDS holds the tile.
mlir::LogicalResult planConversion(ConvertLayoutOp convert);

/// Expands a reshape that moves elements between lanes: a buffer, a store, and a load of the same
/// bytes in the other shape.
mlir::LogicalResult expandReshape(ReshapeOp reshape);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_CONVERTPATHS_H
