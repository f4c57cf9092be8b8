// What accesses need to know of a lowered window.
#ifndef TEGULA_LIB_CDNATOROCDL_BUFFERPATTERNS_H
#define TEGULA_LIB_CDNATOROCDL_BUFFERPATTERNS_H

#include "Address.h"

namespace tegula::cdna {

/// The values a window was converted to, and its constants, by dimension.
struct WindowValues {
  WindowValues(BufferType type, mlir::ValueRange values, Int &ints);
  mlir::Value descriptor;
  llvm::SmallVector<mlir::Value> strideBytes; ///< i32
  llvm::SmallVector<mlir::Value> left;        ///< elements up to the end, i32
};

/// One access through a window, loads, stores and copies alike.
struct Access {
  BufferType buffer;
  mlir::ValueRange window, indices; ///< converted
  mlir::Value where;                ///< converted; null: always
  llvm::ArrayRef<int32_t> tail, scalar;
  llvm::ArrayRef<int64_t> shape;
  bool writes; ///< phantoms must be kept out
};

/// Byte offsets of the registers of an access: what goes to voffset, and the scalar offset they
/// share.
class AccessOffsets {
public:
  AccessOffsets(const Access &access, const Layout &layout, const KernelContext &kernel, Int &ints);

  /// Where register r is.
  mlir::Value offset(int64_t r);
  /// That register r is inside, as far as it has to be compared; null when nothing has to.
  mlir::Value inside(int64_t r);
  /// offset(r) if `condition` (null: always), else past every bound.
  mlir::Value offsetIf(mlir::Value condition, int64_t r);
  /// Of the window; it covers nothing where the access does not happen.
  mlir::Value descriptor();
  /// soffset.
  mlir::Value scalarOffset();
  /// A uniform condition under which no `count` neighbours along d begin inside and end outside:
  /// what is left is a multiple of count. Null when that is known.
  mlir::Value nothingStraddles(unsigned d, int64_t count);

private:
  bool isScalar(unsigned d) const {
    return llvm::is_contained(access.scalar, static_cast<int32_t>(d));
  }
  bool comparesLeft(unsigned d) const {
    return access.tail[d] == static_cast<int32_t>(Tail::Compare);
  }
  bool comparesTile(unsigned d) const;
  mlir::Value index(unsigned d) const { return access.indices[d]; }
  mlir::Value bound(unsigned d);
  mlir::Value coordinate(unsigned d, int64_t r);

  const WindowValues window;
  const Access access;
  Int &ints;
  Coordinates coordinates;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_BUFFERPATTERNS_H
