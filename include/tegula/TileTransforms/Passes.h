// The passes on the tile dialect. All run on tile.kernel; their order is that of Passes.td.
#ifndef TEGULA_TILETRANSFORMS_PASSES_H
#define TEGULA_TILETRANSFORMS_PASSES_H

#include "dialects/tile/Tile.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tegula::tile {

#define GEN_PASS_DECL
#include "tegula/TileTransforms/Passes.h.inc"

/// Makes the passes known to the pass manager's text form.
void registerTileTransformsPasses();

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_PASSES_H
