// Registration of the passes of this library.
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
namespace {
#define GEN_PASS_REGISTRATION
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace

void registerTileTransformsPasses() { registerTegulaTileTransformsPasses(); }
} // namespace tegula::tile
