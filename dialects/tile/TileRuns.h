// How integer tiles depend on the coordinates of their elements: which gathers are loads, and which
// neighbours in registers are neighbours in memory.
#ifndef TEGULA_DIALECTS_TILE_TILERUNS_H
#define TEGULA_DIALECTS_TILE_TILERUNS_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// Along one axis: element c is element 0 plus `step` times c, and element 0 is a multiple of
/// `divisor`, a power of two. In the integers' own arithmetic, which wraps.
struct Run {
  int64_t step, divisor;
};
/// Nothing when the elements are not known to be so.
std::optional<Run> getRun(mlir::Value tile, unsigned axis);

/// A power of two that divides an integer scalar.
int64_t getDivisor(mlir::Value scalar);

/// scalar + constant + the coordinates along some axes; a null scalar is 0.
struct Count {
  mlir::Value scalar;
  int64_t constant = 0;
  llvm::SmallVector<bool> axes; ///< by axis of the tile: whether it is counted, in steps of 1
};
/// Nothing when the tile is not known to be such a sum.
std::optional<Count> getCount(mlir::Value tile);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILERUNS_H
