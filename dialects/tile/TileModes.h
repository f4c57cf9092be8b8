// Modes of the machine that a kernel may ask for, as attributes of the kernel in both dialects.
#ifndef TEGULA_DIALECTS_TILE_TILEMODES_H
#define TEGULA_DIALECTS_TILE_TILEMODES_H

#include "llvm/ADT/StringRef.h"

namespace tegula::tile {

/// "preserve" (the default), or "flush": f32 arithmetic takes denormals for zeros.
constexpr llvm::StringLiteral kDenormalsAttr = "denormals";
/// Unit attribute of a kernel whose results depend on the order in which atomic updates arrive; the
/// manifest says so.
constexpr llvm::StringLiteral kOrderDependentAttr = "tile.order_dependent";
constexpr llvm::StringLiteral kFlushDenormals = "flush";

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILEMODES_H
