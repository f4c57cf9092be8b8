// LDS buffers of ops that move elements between lanes by index.
#ifndef TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H
#define TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// An LDS buffer at the head of `op`'s kernel for a tile of this type, phantoms included,
/// contiguous along `fastest`. Which buffers share bytes is cdna-allocate-lds's affair.
mlir::FailureOr<mlir::Value> allocateFor(mlir::Operation *op, mlir::RankedTensorType type,
                                         unsigned fastest);
/// The same, contiguous along the last dimension.
mlir::FailureOr<mlir::Value> allocateFor(mlir::Operation *op, mlir::RankedTensorType type);

/// A tile of which only owners know the elements, as told to the lanes and waves that hold copies:
/// through LDS where there are some.
mlir::FailureOr<mlir::Value> toldByOwners(mlir::OpBuilder &builder, mlir::Operation *op,
                                          mlir::Value tile);

/// The coordinates of a tile's elements: one i32 tile a dimension, in its layout.
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::OpBuilder &builder, mlir::Location loc,
                                             mlir::RankedTensorType type);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LDSSCRATCH_H
