// A view as a part of the kernel argument it was made from.
#ifndef TEGULA_LIB_TILETOCDNA_FOLDEDVIEW_H
#define TEGULA_LIB_TILETOCDNA_FOLDEDVIEW_H

#include "dialects/tile/Tile.h"

namespace tegula::cdna {

/// All view ops between an argument and a view, in coordinates of the argument.
struct FoldedView {
  mlir::Value argument;
  llvm::SmallVector<mlir::Value>
      offsets; ///< first element, one a dimension of the argument; null is 0
  llvm::SmallVector<mlir::Value> limits; ///< end of a slice; null is the argument's own extent
  llvm::SmallVector<std::optional<unsigned>>
      dims; ///< the argument's dimension of each view dimension; none if expanded

  tile::ViewType type() const { return mlir::cast<tile::ViewType>(argument.getType()); }
  bool hasLimits() const {
    return llvm::any_of(limits, [](mlir::Value limit) { return limit != nullptr; });
  }
};

/// Creates the additions it needs at the builder's place. Fails when the view is not derived from
/// an argument.
mlir::FailureOr<FoldedView> foldView(mlir::OpBuilder &builder, mlir::Value view);

/// An i32 constant.
mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);
/// Where dimension `dim` of the argument ends for this view: the slice's limit or the extent.
mlir::Value endOf(mlir::OpBuilder &builder, mlir::Location loc, const FoldedView &view,
                  unsigned dim);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_FOLDEDVIEW_H
