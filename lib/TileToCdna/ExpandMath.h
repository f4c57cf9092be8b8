// Expansion of functions and conversions into arithmetic that the hardware has.
#ifndef TEGULA_LIB_TILETOCDNA_EXPANDMATH_H
#define TEGULA_LIB_TILETOCDNA_EXPANDMATH_H

#include "dialects/tile/Tile.h"

namespace tegula::cdna {

/// The value of a tile.math op: one of the functions on the list of lowerings.
mlir::Value expandMath(mlir::OpBuilder &builder, tile::MathOp op);

/// A function of f32 operands computed by way of f64 (ExpandMathWide.cpp); null for the kinds that
/// have a form in f32.
mlir::Value expandWide(mlir::OpBuilder &builder, mlir::Location loc, tile::MathKind kind,
                       mlir::ValueRange operands);

/// The value of a tile.cast op: one of the conversions on the list of lowerings.
mlir::Value expandCast(mlir::OpBuilder &builder, tile::CastOp op);

/// How a cast rounds, and what it makes of numbers beyond the largest.
struct CastRounding {
  tile::Rounding rounding = tile::Rounding::Rne;
  bool saturate = false;
  mlir::Value seed; ///< of stochastic rounding
};

/// A float of 16 bits or more as another one, rounded once.
mlir::Value expandFloatToFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                               mlir::Type result, const CastRounding &how = {});

/// An f32 as a float of 16 bits or fewer; one of 8 bits or fewer as f32, which is exact.
mlir::Value expandToNarrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                           mlir::Type result, const CastRounding &how);
mlir::Value expandFromNarrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// An integer as a float, rounded once to nearest even; `isSigned` is how it is read.
mlir::Value expandIntToFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                             mlir::Type result, bool isSigned);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_EXPANDMATH_H
