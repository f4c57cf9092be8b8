// Where the registers of an access by element indices are in memory.
#ifndef TEGULA_LIB_CDNATOROCDL_INDEXEDACCESS_H
#define TEGULA_LIB_CDNATOROCDL_INDEXEDACCESS_H

#include "Address.h"

namespace tegula::cdna {

/// The place operands of an access, converted.
struct IndexedPlace {
  mlir::Value view; ///< the kernel argument
  llvm::SmallVector<mlir::Value> origin, limits;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> indices; ///< registers of each index tile
  llvm::ArrayRef<int32_t> dims, check;
};

/// Addresses are 64 bits wide, so the view may be of any size.
class IndexedAccess {
public:
  /// `writes`: phantoms and all copies of an element but one are kept out.
  IndexedAccess(IndexedPlace place, mlir::RankedTensorType type, bool writes,
                const KernelContext &kernel, Int &ints);

  /// That register r is an element of the tile inside the view, to be accessed here; null when
  /// that is known.
  mlir::Value inside(int64_t r);
  /// That every end along the unit stride is at a multiple of `width` elements, so that runs of
  /// them are inside or outside as a whole; null when that is known. Uniform.
  mlir::Value endsAtRuns(int64_t width);
  /// Address of register r. `b` may be in a branch.
  mlir::Value pointer(mlir::OpBuilder &b, int64_t r);

private:
  tile::ViewType viewType() const { return llvm::cast<tile::ViewType>(place.view.getType()); }
  mlir::Value left(unsigned j);
  mlir::Value strideBytes(unsigned a);
  mlir::Value wide(mlir::OpBuilder &b, mlir::Value x);

  IndexedPlace place;
  mlir::RankedTensorType type;
  bool writes;
  const KernelContext &kernel;
  Int &ints;
  Coordinates coordinates;
  mlir::Value base;
  llvm::SmallVector<mlir::Value> lefts, strides; ///< by index
};

/// The place of one of the ops of CdnaIndexedOps.td.
template <typename Op, typename Adaptor>
IndexedPlace placeOf(Op op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter) {
  IndexedPlace place;
  place.view = op.getView();
  for (mlir::Value value : op.getOrigin())
    place.origin.push_back(rewriter.getRemappedValue(value));
  for (mlir::Value value : op.getLimits())
    place.limits.push_back(rewriter.getRemappedValue(value));
  for (mlir::ValueRange chunks : adaptor.getIndices())
    place.indices.push_back(toRegisters(rewriter, op.getLoc(), chunks));
  place.dims = op.getDims();
  place.check = op.getCheck();
  return place;
}

/// That register r is an element of the tile, and with `owned` in a lane and wave that own it; null
/// when that is known.
mlir::Value isElement(mlir::RankedTensorType tile, int64_t r, bool owned, Coordinates &coordinates,
                      const KernelContext &kernel, Int &ints);

/// `body` in a branch that lanes enter by themselves, or right here when there is no condition.
/// Elsewhere the results are `otherwise`.
llvm::SmallVector<mlir::Value>
guarded(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition, mlir::ValueRange otherwise,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> body);

/// LLVM's kind of an atomic update; extrema of floats are those that a NaN wins.
mlir::LLVM::AtomicBinOp binOp(tile::AtomicKind kind, bool isFloat);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATOROCDL_INDEXEDACCESS_H
