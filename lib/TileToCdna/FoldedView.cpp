// Folding of slice, index, expand and permute_view into offsets and limits of the argument.
#include "FoldedView.h"

using namespace mlir;

namespace tegula::cdna {

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

Value endOf(OpBuilder &builder, Location loc, const FoldedView &view, unsigned dim) {
  if (view.limits[dim])
    return view.limits[dim];
  if (!view.type().isDynamicDim(dim))
    return constantI32(builder, loc, view.type().getShape()[dim]);
  return tile::DimOp::create(builder, loc, view.argument, dim);
}

namespace {

/// Applies view ops one by one, from the argument outwards.
class ViewFolder {
public:
  ViewFolder(OpBuilder &builder, FoldedView &view) : builder(builder), view(view) {}
  void apply(Operation *op) {
    loc = op->getLoc();
    if (auto slice = dyn_cast<tile::SliceOp>(op))
      applySlice(slice);
    else if (auto index = dyn_cast<tile::IndexOp>(op))
      applyIndex(index);
    else if (auto expand = dyn_cast<tile::ExpandOp>(op))
      view.dims.insert(view.dims.begin() + expand.getD(), std::nullopt);
    else if (auto permute = dyn_cast<tile::PermuteViewOp>(op))
      applyPermutation(permute.getPerm());
  }

private:
  Value materialize(OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      return value;
    return constantI32(builder, loc, cast<IntegerAttr>(cast<Attribute>(bound)).getInt());
  }
  Value shifted(Value offset, Value amount) {
    return offset ? builder.createOrFold<arith::AddIOp>(loc, offset, amount) : amount;
  }

  void applySlice(tile::SliceOp slice) {
    for (unsigned d = 0; d < view.dims.size(); ++d) {
      if (slice.isFullRange(d) || !view.dims[d])
        continue;
      unsigned dim = *view.dims[d];
      Value begin = view.offsets[dim];
      if (OpFoldResult high = slice.getHiBound(d))
        view.limits[dim] = shifted(begin, materialize(high));
      view.offsets[dim] = shifted(begin, materialize(slice.getLoBound(d)));
    }
  }
  void applyIndex(tile::IndexOp index) {
    if (std::optional<unsigned> dim = view.dims[index.getD()])
      view.offsets[*dim] = shifted(view.offsets[*dim], index.getIndex());
    view.dims.erase(view.dims.begin() + index.getD());
  }
  void applyPermutation(ArrayRef<int64_t> perm) {
    SmallVector<std::optional<unsigned>> permuted;
    for (int64_t from : perm)
      permuted.push_back(view.dims[from]);
    view.dims = permuted;
  }

  OpBuilder &builder;
  FoldedView &view;
  Location loc = builder.getUnknownLoc();
};

} // namespace

FailureOr<FoldedView> foldView(OpBuilder &builder, Value value) {
  SmallVector<Operation *> chain;
  Value base = value;
  while (auto derived = base.getDefiningOp<ViewLikeOpInterface>()) {
    chain.push_back(derived);
    base = derived.getViewSource();
  }
  if (Operation *op = base.getDefiningOp())
    return op->emitError(
        "a view must be made from a kernel argument by view ops [tile.kernel.c16]");
  FoldedView view;
  view.argument = base;
  unsigned rank = view.type().getRank();
  view.offsets.resize(rank);
  view.limits.resize(rank);
  for (unsigned d = 0; d < rank; ++d)
    view.dims.push_back(d);
  ViewFolder folder(builder, view);
  for (Operation *op : llvm::reverse(chain))
    folder.apply(op);
  return view;
}

} // namespace tegula::cdna
