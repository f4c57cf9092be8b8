// The grid of a launch as a formula over extents, strides and scalar arguments.
#ifndef TEGULA_LIB_CDNATOROCDL_GRIDEXPRESSION_H
#define TEGULA_LIB_CDNATOROCDL_GRIDEXPRESSION_H

#include "dialects/tile/Tile.h"

namespace tegula::cdna {

/// One expression a grid axis, in the manifest's form: an integer, or a list that starts with
/// "dim", "stride", "arg" or an operator. Reports an op that has no such form.
mlir::FailureOr<mlir::ArrayAttr> gridExpressions(tegula::tile::FuncOp grid);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_GRIDEXPRESSION_H
