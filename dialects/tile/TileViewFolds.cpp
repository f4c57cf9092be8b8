// Folds of views: extents and strides that the type knows or that a view op hands through.
#include "dialects/tile/Tile.h"
#include "dialects/tile/TileBounds.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tegula::tile;

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t extent = getView().getType().getShape()[getD()];
  return ShapedType::isDynamic(extent) ? OpFoldResult()
                                       : OpFoldResult(IntegerAttr::get(getType(), extent));
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t stride = getView().getType().getStrides()[getD()];
  return ShapedType::isDynamic(stride) ? OpFoldResult()
                                       : OpFoldResult(IntegerAttr::get(getType(), stride));
}

// The dimension of the operand that dimension `d` of a view op's result is, when its extent and
// stride are unchanged.
static std::optional<unsigned> sourceDim(Operation *viewOp, unsigned d) {
  if (auto permute = dyn_cast_or_null<PermuteViewOp>(viewOp))
    return permute.getPerm()[d];
  if (auto index = dyn_cast_or_null<IndexOp>(viewOp))
    return d < index.getD() ? d : d + 1;
  if (auto expand = dyn_cast_or_null<ExpandOp>(viewOp); expand && d != expand.getD())
    return d < expand.getD() ? d : d - 1;
  return std::nullopt;
}

LogicalResult DimOp::canonicalize(DimOp op, PatternRewriter &rewriter) {
  Operation *source = op.getView().getDefiningOp();
  if (std::optional<unsigned> d = sourceDim(source, op.getD())) {
    rewriter.replaceOpWithNewOp<DimOp>(op, op.getType(), source->getOperand(0),
                                       rewriter.getI32IntegerAttr(*d));
    return success();
  }
  if (auto expand = dyn_cast_or_null<ExpandOp>(source)) {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getI32IntegerAttr(1));
    return success();
  }
  auto slice = dyn_cast_or_null<SliceOp>(source);
  if (!slice)
    return failure();
  OpFoldResult lo = slice.getLoBound(op.getD()), hi = slice.getHiBound(op.getD());
  auto materialize = [&](OpFoldResult bound) -> Value {
    if (auto value = dyn_cast_if_present<Value>(bound))
      return value;
    if (!bound)
      return DimOp::create(rewriter, op.getLoc(), slice.getView(), op.getDAttr());
    return arith::ConstantOp::create(rewriter, op.getLoc(),
                                     cast<IntegerAttr>(cast<Attribute>(bound)));
  };
  Value extent = materialize(hi);
  if (!isConstantIntValue(lo, 0))
    extent = arith::SubIOp::create(rewriter, op.getLoc(), extent, materialize(lo));
  // A slice that ends before it begins is empty.
  if (!isNonNegative(extent))
    extent = arith::MaxSIOp::create(rewriter, op.getLoc(), extent,
                                    arith::ConstantIntOp::create(rewriter, op.getLoc(), 0, 32));
  rewriter.replaceOp(op, extent);
  return success();
}

LogicalResult StrideOp::canonicalize(StrideOp op, PatternRewriter &rewriter) {
  Operation *source = op.getView().getDefiningOp();
  std::optional<unsigned> d =
      isa_and_nonnull<SliceOp>(source) ? op.getD() : sourceDim(source, op.getD());
  if (!d)
    return failure();
  rewriter.replaceOpWithNewOp<StrideOp>(op, op.getType(), source->getOperand(0),
                                        rewriter.getI32IntegerAttr(*d));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  for (unsigned d = 0; d < getStaticLo().size(); ++d)
    if (!isFullRange(d))
      return {};
  return getView().getType() == getResult().getType() ? getView() : Value();
}

OpFoldResult PermuteViewOp::fold(FoldAdaptor) {
  bool identity = llvm::equal(getPerm(), llvm::seq<int64_t>(0, getPerm().size()));
  return identity && getView().getType() == getResult().getType() ? getView() : Value();
}

OpFoldResult ValidOp::fold(FoldAdaptor) {
  RankedTensorType tile = getResult().getType();
  for (auto [d, index] : llvm::enumerate(getIndices()))
    if (!isTileInside(getView(), d, tile.getDimSize(d), index))
      return {};
  return DenseElementsAttr::get(tile, true);
}
