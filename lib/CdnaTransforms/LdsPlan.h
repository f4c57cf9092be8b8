// Where LDS buffers go: the arithmetic of `cdna-allocate-lds`, free of IR.
#ifndef TEGULA_LIB_CDNATRANSFORMS_LDSPLAN_H
#define TEGULA_LIB_CDNATRANSFORMS_LDSPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tegula::cdna {

/// A run of bytes that is placed as one: a single buffer or the ring of a loop.
struct LdsItem {
  int64_t bytes = 0;
  int64_t alignment = 16;
  unsigned begin = 0, end = 0; ///< positions of first and last use, both inclusive
  int64_t offset = 0;          ///< the result
};

/// Gives every item an offset; items that are in use at the same time don't overlap. Returns the
/// bytes needed. Items of up to 1 KiB (reductions) get bytes of their own as long as all fit into
/// `budget`: a shared scratch word costs a barrier.
int64_t planLds(llvm::MutableArrayRef<LdsItem> items, int64_t budget);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_LDSPLAN_H
