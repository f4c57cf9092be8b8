// The passes between the tile and the cdna dialect: `cdna-assign-layouts`, then `cdna-lower-tile`.
#ifndef TEGULA_TILETOCDNA_PASSES_H
#define TEGULA_TILETOCDNA_PASSES_H

#include "dialects/cdna/Cdna.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tegula::cdna {

#define GEN_PASS_DECL
#include "tegula/TileToCdna/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/TileToCdna/Passes.h.inc"

} // namespace tegula::cdna

#endif // TEGULA_TILETOCDNA_PASSES_H
