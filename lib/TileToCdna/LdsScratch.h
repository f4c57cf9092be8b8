// LDS buffers of ops that move elements between lanes by index.
#ifndef TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H
#define TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// An LDS buffer at the head of `op`'s kernel, for a tile in any of the layouts of `types` (all of
/// one shape), phantoms included. Which buffers share bytes is cdna-allocate-lds's affair.
mlir::FailureOr<mlir::Value> allocateFor(mlir::Operation *op,
                                         llvm::ArrayRef<mlir::RankedTensorType> types);

/// The coordinates of a tile's elements: one i32 tile a dimension, in its layout.
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::OpBuilder &builder, mlir::Location loc,
                                             mlir::RankedTensorType type);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H
