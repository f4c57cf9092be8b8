// What stands in the phantoms of a tile: places of its layout that lie past its extents.
#ifndef TEGULA_LIB_TILETOCDNA_PHANTOMVALUE_H
#define TEGULA_LIB_TILETOCDNA_PHANTOMVALUE_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// The constant that every phantom of a tile holds along `axis`, or null when nothing is known.
/// Looks through element-wise ops with their own folders, so that e.g. a sum of squares of a load
/// needs no mask.
mlir::Attribute phantomValue(mlir::Value tile, unsigned axis);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_PHANTOMVALUE_H
