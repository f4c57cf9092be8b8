// What a reduction does with two elements, as ops of arith.
#ifndef TEGULA_DIALECTS_TILE_TILECOMBINE_H
#define TEGULA_DIALECTS_TILE_TILECOMBINE_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// x and y, scalars or tiles of one type, combined by `kind`. In a maximum or minimum a NaN wins.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, ReduceKind kind, mlir::Value x,
                    mlir::Value y);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILECOMBINE_H
