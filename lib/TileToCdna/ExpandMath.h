// Expansion of tile.math and tile.cast into arithmetic that the hardware has.
#ifndef TEGULA_LIB_TILETOCDNA_EXPANDMATH_H
#define TEGULA_LIB_TILETOCDNA_EXPANDMATH_H

#include "dialects/tile/Tile.h"

namespace tegula::cdna {

/// The value of a tile.math op, or failure (with a diagnostic) for a kind that has no expansion.
mlir::FailureOr<mlir::Value> expandMath(mlir::OpBuilder &builder, tile::MathOp op,
                                        mlir::ValueRange operands);

/// The value of a tile.cast op, or failure (with a diagnostic) for a pair of types that has no
/// expansion.
mlir::FailureOr<mlir::Value> expandCast(mlir::OpBuilder &builder, tile::CastOp op,
                                        mlir::Value input);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_EXPANDMATH_H
