// Checks that several families of ops share. Not for users of the dialect.
#ifndef TEGULA_DIALECTS_CDNA_CDNAVERIFY_H
#define TEGULA_DIALECTS_CDNA_CDNAVERIFY_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// What an access moves through a window.
struct AccessShape {
  llvm::ArrayRef<int64_t> shape;
  mlir::Type element;
  size_t numIndices;
  llvm::ArrayRef<int32_t> tail, scalar;
};
/// c1 to c4 of loads, stores and copies; `name` is the op's in the labels.
mlir::LogicalResult verifyAccess(mlir::Operation *op, llvm::StringRef name, mlir::Value window,
                                 const AccessShape &access);

/// The type of an LDS buffer has fewer bytes [cdna.lds.c2]; no target has as many.
constexpr int64_t kLdsTypeBytes = int64_t(1) << 18;

/// Whether a buffer has a tile's element type and at least its extents. It may be larger: layouts
/// write their phantoms too.
bool holds(LdsType lds, mlir::RankedTensorType tile);

/// The types of all values that an op brings into being: its results and its blocks' arguments.
llvm::SmallVector<mlir::Type> typesMadeBy(mlir::Operation *op);

} // namespace tegula::cdna

#endif // TEGULA_DIALECTS_CDNA_CDNAVERIFY_H
