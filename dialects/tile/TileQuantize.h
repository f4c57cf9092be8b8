// Block quantization, and floats of four bits in pairs.
#ifndef TEGULA_DIALECTS_TILE_TILEQUANTIZE_H
#define TEGULA_DIALECTS_TILE_TILEQUANTIZE_H

#include "dialects/tile/Tile.h"

#define GET_OP_CLASSES
#include "dialects/tile/TileQuantizeOps.h.inc"

namespace tegula::tile {

/// How the scale of a block follows from its largest magnitude.
enum class ScaleMode { Floor, Ceil, Even, Rceil };
std::optional<ScaleMode> scaleModeOf(llvm::StringRef name);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILEQUANTIZE_H
