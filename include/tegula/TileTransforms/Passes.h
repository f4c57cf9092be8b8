// The passes on the tile dialect. All run on tile.kernel; their order is that of Passes.td.
#ifndef TEGULA_TILETRANSFORMS_PASSES_H
#define TEGULA_TILETRANSFORMS_PASSES_H

#include "dialects/tile/Tile.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tegula::tile {

#define GEN_PASS_DECL
#include "tegula/TileTransforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/TileTransforms/Passes.h.inc"

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_PASSES_H
