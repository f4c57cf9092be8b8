// Registration of the passes of this library.
#include "tegula/TileToCdna/Passes.h"

namespace tegula::cdna {
namespace {
#define GEN_PASS_REGISTRATION
#include "tegula/TileToCdna/Passes.h.inc"
} // namespace

void registerTileToCdnaPasses() { registerTegulaTileToCdnaPasses(); }
} // namespace tegula::cdna
