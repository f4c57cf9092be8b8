// Encoded tensor types as the plain C++ layouts of lib/Layout.
#ifndef TEGULA_LIB_CDNATRANSFORMS_LAYOUTS_H
#define TEGULA_LIB_CDNATRANSFORMS_LAYOUTS_H

#include "dialects/cdna/Cdna.h"
#include "tegula/Layout/LinearLayout.h"

namespace tegula::cdna {

inline Layout tileLayout(mlir::Type type) { return getLayout(type).toLayout(); }

/// A tile of this shape and layout, with the elements of `type`.
inline mlir::RankedTensorType retile(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                                     const Layout &layout) {
  return mlir::RankedTensorType::get(shape, type.getElementType(),
                                     LayoutAttr::get(type.getContext(), layout));
}
inline mlir::RankedTensorType retile(mlir::RankedTensorType type, const Layout &layout) {
  return retile(type, type.getShape(), layout);
}

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_LAYOUTS_H
