// Shape changes: verifiers and folds.
#include "dialects/tile/TileRuns.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileShapeOps.cpp.inc"

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

// A constant operand of which all elements are equal, as the same constant in the result's shape.
static Attribute resizeSplat(Attribute input, RankedTensorType result) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(input))
    return SplatElementsAttr::get(result, splat.getSplatValue<Attribute>());
  if (isa_and_nonnull<FloatAttr, IntegerAttr>(input))
    return SplatElementsAttr::get(result, input);
  return {};
}

static LogicalResult verifySameElement(Operation *op, Value from, Value to, StringRef label) {
  if (elementOf(from) == elementOf(to))
    return success();
  return op->emitOpError() << "from " << elementOf(from) << " to " << elementOf(to)
                           << "; shape ops do not convert [" << label << "]";
}

// broadcast

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  if (isa<RankedTensorType>(getInput().getType()) && from.size() != to.size())
    return emitOpError() << shapeText(getInput().getType()) << " to " << shapeText(getType())
                         << ": ranks differ [tile.broadcast.c1]";
  for (auto [have, want] : llvm::zip(from, to))
    if (have != want && have != 1)
      return emitOpError() << shapeText(getInput().getType()) << " to " << shapeText(getType())
                           << ": an extent of " << have << " does not grow to " << want
                           << ", only 1 does [tile.broadcast.c2]";
  return verifySameElement(*this, getInput(), getResult(), "tile.broadcast.c3");
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return resizeSplat(adaptor.getInput(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getInput());
  return success();
}

// reshape

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      from.getNumElements() != to.getNumElements())
    return emitOpError() << shapeText(from) << " to " << shapeText(to)
                         << ": element counts differ [tile.reshape.c1]";
  return verifySameElement(*this, getInput(), getResult(), "tile.reshape.c2");
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return resizeSplat(adaptor.getInput(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
  return success();
}

// transpose

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  if (!isPermutation(getPerm(), from.getRank()))
    return emitOpError() << listText(getPerm()) << " is no permutation of the " << from.getRank()
                         << " dimensions [tile.transpose.c1]";
  SmallVector<int64_t> want =
      llvm::map_to_vector(getPerm(), [&](int64_t d) { return from.getDimSize(d); });
  if (to.getShape() != ArrayRef(want) || from.getElementType() != to.getElementType())
    return emitOpError() << shapeText(from) << " by " << listText(getPerm()) << " is not a "
                         << shapeText(to) << " [tile.transpose.c2]";
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() &&
      llvm::equal(getPerm(), llvm::seq<int64_t>(0, getPerm().size())))
    return getInput();
  return resizeSplat(adaptor.getInput(), getType());
}

LogicalResult TransposeOp::canonicalize(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> perm =
      llvm::map_to_vector(op.getPerm(), [&](int64_t d) { return inner.getPerm()[d]; });
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(),
                                           rewriter.getDenseI64ArrayAttr(perm));
  return success();
}

// iota

LogicalResult IotaOp::verify() {
  if (int64_t(getAxis()) >= getType().getRank())
    return emitOpError() << "axis " << getAxis() << " of a " << shapeText(getType())
                         << " [tile.iota.c1]";
  if (!getType().getElementType().isInteger(32))
    return emitOpError() << "counts in i32, not " << getType().getElementType()
                         << " [tile.iota.c2]";
  return success();
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  if (getType().getDimSize(getAxis()) != 1)
    return {};
  return SplatElementsAttr::get(getType(), IntegerAttr::get(getType().getElementType(), 0));
}

// extract, concat

LogicalResult ExtractOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  bool inside = from.getRank() == to.getRank() && int64_t(getOffsets().size()) == from.getRank();
  for (int64_t d = 0; inside && d < from.getRank(); ++d)
    inside = getOffsets()[d] >= 0 && getOffsets()[d] <= from.getDimSize(d) - to.getDimSize(d);
  if (!inside)
    return emitOpError() << shapeText(to) << " at " << listText(getOffsets()) << " is not inside "
                         << shapeText(from) << " [tile.extract.c1]";
  return verifySameElement(*this, getInput(), getResult(), "tile.extract.c2");
}

// The operand of a concat that an extract reads whole, or null.
static Value wholePart(ConcatOp concat, ArrayRef<int64_t> offsets, RankedTensorType part) {
  int64_t begin = 0;
  for (auto [d, offset] : llvm::enumerate(offsets))
    if (d != concat.getAxis() && offset != 0)
      return {};
  for (Value input : concat.getInputs()) {
    if (begin == offsets[concat.getAxis()] && input.getType() == part)
      return input;
    begin += cast<RankedTensorType>(input.getType()).getDimSize(concat.getAxis());
  }
  return {};
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto concat = getInput().getDefiningOp<ConcatOp>())
    if (Value part = wholePart(concat, getOffsets(), getType()))
      return part;
  return resizeSplat(adaptor.getInput(), getType());
}

LogicalResult ConcatOp::verify() {
  RankedTensorType to = getType();
  if (getInputs().empty() || int64_t(getAxis()) >= to.getRank())
    return emitOpError() << getInputs().size() << " tiles along axis " << getAxis() << " of a "
                         << shapeText(to) << " [tile.concat.c1]";
  int64_t total = 0;
  for (Value input : getInputs()) {
    auto from = cast<RankedTensorType>(input.getType());
    if (from.getElementType() != to.getElementType())
      return emitOpError() << "of " << from.getElementType() << " and " << to.getElementType()
                           << " elements [tile.concat.c2]";
    for (int64_t d = 0; d < to.getRank(); ++d)
      if (from.getRank() != to.getRank() ||
          (d != getAxis() && from.getDimSize(d) != to.getDimSize(d)))
        return emitOpError() << shapeText(from) << " does not fit into " << shapeText(to)
                             << " along axis " << getAxis() << " [tile.concat.c1]";
    total += from.getDimSize(getAxis());
  }
  if (total != to.getDimSize(getAxis()))
    return emitOpError() << "the parts have " << total << " elements along axis " << getAxis()
                         << ", the result " << to.getDimSize(getAxis()) << " [tile.concat.c1]";
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 && getInputs()[0].getType() == getType() ? getInputs()[0]
                                                                          : Value();
}

LogicalResult TakeOp::verify() {
  RankedTensorType input = getInput().getType(), indices = getIndices().getType(),
                   result = getResult().getType();
  unsigned axis = getAxis();
  if (int64_t(axis) >= input.getRank())
    return emitOpError() << "axis " << axis << " of a tile of rank " << input.getRank()
                         << " [tile.take.c1]";
  SmallVector<int64_t> shape(input.getShape());
  if (indices.getRank() == input.getRank())
    shape[axis] = indices.getDimSize(axis);
  if (indices.getShape() != ArrayRef(shape) || result.getShape() != ArrayRef(shape))
    return emitOpError() << shapeText(indices) << " indices into " << shapeText(input) << " give "
                         << shapeText(result) << "; all extents but the axis are equal "
                         << "[tile.take.c2]";
  if (!indices.getElementType().isInteger(32) || result.getElementType() != input.getElementType())
    return emitOpError() << "indices are i32, and the result has the input's type, not "
                         << indices.getElementType() << " and " << result.getElementType()
                         << " [tile.take.c3]";
  return success();
}

/// All indices are one number, or count up from one along the axis.
LogicalResult TakeOp::canonicalize(TakeOp op, PatternRewriter &rewriter) {
  RankedTensorType input = op.getInput().getType(), type = op.getType();
  std::optional<Count> count = getCount(op.getIndices());
  if (!count || count->scalar)
    return failure();
  unsigned axis = op.getAxis();
  bool counts = count->axes[axis];
  count->axes[axis] = false;
  int64_t first = count->constant, extent = counts ? type.getDimSize(axis) : 1;
  bool others = llvm::is_contained(count->axes, true);
  if (others || first < 0 || first > input.getDimSize(axis) - extent)
    return failure();
  SmallVector<int64_t> shape(input.getShape()), offsets(input.getRank(), 0);
  shape[axis] = extent;
  offsets[axis] = first;
  auto part = RankedTensorType::get(shape, type.getElementType());
  Value tile = ExtractOp::create(rewriter, op.getLoc(), part, op.getInput(),
                                 rewriter.getDenseI64ArrayAttr(offsets));
  if (part != type)
    tile = BroadcastOp::create(rewriter, op.getLoc(), type, tile);
  rewriter.replaceOp(op, tile);
  return success();
}
