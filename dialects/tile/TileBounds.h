// Proofs about tile indices: which tiles lie wholly inside a view, and which loops walk a dimension
// tile by tile.
#ifndef TEGULA_DIALECTS_TILE_TILEBOUNDS_H
#define TEGULA_DIALECTS_TILE_TILEBOUNDS_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// True when tile `index` of `tile` elements along dimension `d` of `view` is provably inside,
/// whatever the arguments. Knows constants, loops over full tiles, and grid positions.
bool isTileInside(mlir::Value view, unsigned d, int64_t tile, mlir::Value index);

/// True when an i32 is provably not negative, as long as no arithmetic overflows. Knows constants,
/// extents, grid positions, loops that count from 0 up, and arithmetic on those.
bool isNonNegative(mlir::Value value);

/// An extent that two views may share: a constant, a name, or one dimension of one argument.
struct Extent {
  std::optional<int64_t> constant;
  llvm::StringRef name;
  mlir::Value base;
  unsigned dim = 0;
  bool operator==(const Extent &other) const;
};
/// The extent of dimension `d`, followed through view ops to the argument where it is unchanged.
Extent getExtent(mlir::Value view, unsigned d);

/// ceildiv(extent, tile) of one dimension as i32: a constant, or tile.dim and arith.ceildivui.
mlir::Value createTileCount(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value view,
                            unsigned d, int64_t tile);

/// A loop `for i = 0 to ceildiv(extent, tile)` whose body loads tiles of a dimension by `i`.
struct TileLoop {
  Extent extent;
  int64_t tile = 0;
  mlir::Value extentValue; ///< null when the extent is constant
};
/// Matches any such loop, also over full tiles only.
std::optional<TileLoop> matchTileLoop(mlir::scf::ForOp loop);
/// Matches loops that carry a product or a reduction; nothing when every tile is full already.
std::optional<TileLoop> matchPartialTileLoop(mlir::scf::ForOp loop);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILEBOUNDS_H
