// Block quantization, and floats of four bits in pairs.
#ifndef TEGULA_DIALECTS_TILE_TILEQUANTIZE_H
#define TEGULA_DIALECTS_TILE_TILEQUANTIZE_H

#include "dialects/tile/Tile.h"

#define GET_OP_CLASSES
#include "dialects/tile/TileQuantizeOps.h.inc"

#endif // TEGULA_DIALECTS_TILE_TILEQUANTIZE_H
