// What several passes ask about LDS buffers.
#ifndef TEGULA_LIB_CDNATRANSFORMS_LDSFACTS_H
#define TEGULA_LIB_CDNATRANSFORMS_LDSFACTS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// All accesses of an LDS buffer, through its views: lds_load, lds_store, async_copy, reduce_waves.
llvm::SmallVector<mlir::Operation *> ldsAccesses(LdsAllocOp alloc);

/// Bytes of the rings that are in use all through a loop around `op`.
int64_t ringBytesAround(mlir::Operation *op);

/// The layout in which lanes fetch when one instruction takes `width` bytes a lane and puts lane l
/// at base + width·l: LDS is filled in address order, with the type's swizzle undone on the global
/// side. Nothing when rows or pitch are no powers of two, or when the tile has fewer bytes than one
/// instruction writes. Where waves don't share the rows evenly, some have phantoms: such a lane
/// copies again what it copies first.
std::optional<Layout> linearFetch(LdsType type, int64_t waves, int64_t width);

/// The same type with other stages, pitch and swizzle.
LdsType withPitchAndSwizzle(LdsType type, int64_t pitch, llvm::ArrayRef<int32_t> swizzle);

/// Recomputes the types of all views of a buffer from the buffer's own.
void refreshViews(LdsAllocOp alloc);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_LDSFACTS_H
