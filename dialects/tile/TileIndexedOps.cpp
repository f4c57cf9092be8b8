// Gathers, scatters and atomic updates.
#include "dialects/tile/TileRuns.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tegula::tile;

//===--- Text ---===//

static ParseResult parseGatherTypes(OpAsmParser &parser, TypedAttr &pad, Type &view,
                                    SmallVectorImpl<Type> &indices, Type &result) {
  return parsePadded(parser, pad, view, &indices, result);
}

static void printGatherTypes(OpAsmPrinter &printer, Operation *, TypedAttr pad, Type view,
                             TypeRange indices, Type result) {
  printPadded(printer, pad, view, indices, result);
}

using Unresolved = OpAsmParser::UnresolvedOperand;

/// `value, view, index types…`, then the mask's type if there is a mask.
static ParseResult parseScatterTypes(OpAsmParser &parser, const std::optional<Unresolved> &mask,
                                     Type &value, Type &view, SmallVectorImpl<Type> &indices,
                                     Type &maskType) {
  if (parser.parseType(value) || parser.parseComma() || parser.parseType(view))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(indices.emplace_back()))
      return failure();
  if (!mask)
    return success();
  if (indices.empty())
    return parser.emitError(parser.getCurrentLocation(), "expected the type of the mask");
  maskType = indices.pop_back_val();
  return success();
}

static void printScatterTypes(OpAsmPrinter &printer, Operation *, Value mask, Type value, Type view,
                              TypeRange indices, Type maskType) {
  printer << value << ", " << view;
  for (Type index : indices)
    printer << ", " << index;
  if (mask)
    printer << ", " << maskType;
}

/// A keyword of an enum; one that is none is refused under the rule's label, with the list.
template <typename Enum, typename Attr>
static ParseResult parseWord(OpAsmParser &parser, Attr &attr, StringRef what, StringRef legal,
                             std::optional<Enum> (*symbolize)(StringRef), StringRef label) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> value = symbolize(word);
  if (!value)
    return parser.emitError(loc) << "no " << what << " '" << word << "'; there are " << legal
                                 << " [" << label << "]";
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

static ParseResult parseOrderAndScope(OpAsmParser &parser, MemoryOrderAttr &order,
                                      MemoryScopeAttr &scope) {
  return failure(parseWord<MemoryOrder>(parser, order, "order", "relaxed acquire release acq_rel",
                                        symbolizeMemoryOrder, "tile.atomic_rmw.c2") ||
                 parseWord<MemoryScope>(parser, scope, "scope", "workgroup agent system",
                                        symbolizeMemoryScope, "tile.atomic_rmw.c3"));
}

static void printOrderAndScope(OpAsmPrinter &printer, Operation *, MemoryOrderAttr order,
                               MemoryScopeAttr scope) {
  printer << stringifyMemoryOrder(order.getValue()) << " "
          << stringifyMemoryScope(scope.getValue());
}

/// `value, view`, and the types of element indices; a tile index is i32 without saying so.
static ParseResult parseCasTypes(OpAsmParser &parser, ArrayRef<Unresolved> indices, Type &value,
                                 Type &view, SmallVectorImpl<Type> &indexTypes) {
  if (parser.parseType(value) || parser.parseComma() || parser.parseType(view))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(indexTypes.emplace_back()))
      return failure();
  if (indexTypes.empty())
    indexTypes.assign(indices.size(), parser.getBuilder().getI32Type());
  return success();
}

static void printCasTypes(OpAsmPrinter &printer, Operation *, OperandRange, Type value, Type view,
                          TypeRange indexTypes) {
  printer << value << ", " << view;
  if (llvm::all_of(indexTypes, [](Type type) { return type.isInteger(32); }))
    return;
  for (Type index : indexTypes)
    printer << ", " << index;
}

static ParseResult parseAtomicTypes(OpAsmParser &parser, ArrayRef<Unresolved> indices, Type &value,
                                    Type &view, SmallVectorImpl<Type> &indexTypes, Type &old) {
  if (parseCasTypes(parser, indices, value, view, indexTypes))
    return failure();
  return succeeded(parser.parseOptionalArrow()) ? parser.parseType(old) : success();
}

static void printAtomicTypes(OpAsmPrinter &printer, Operation *op, OperandRange indices, Type value,
                             Type view, TypeRange indexTypes, Type old) {
  printCasTypes(printer, op, indices, value, view, indexTypes);
  if (old)
    printer << " -> " << old;
}

#define GET_OP_CLASSES
#include "dialects/tile/TileIndexedOps.cpp.inc"

//===--- Rules that the ops share ---===//

static bool isIndexTile(Type type, ArrayRef<int64_t> shape) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getShape() == shape &&
         (tile.getElementType().isInteger(32) || tile.getElementType().isInteger(64));
}

/// One tile of i32 or i64 a dimension of the view, of the value's shape.
static LogicalResult verifyElementIndices(Operation *op, ViewType view, TypeRange indices,
                                          RankedTensorType value, StringRef countLabel,
                                          StringRef shapeLabel) {
  if (int64_t(indices.size()) != view.getRank())
    return op->emitOpError() << indices.size() << " indices for a view of rank " << view.getRank()
                             << "; give a tile of indices for every dimension [" << countLabel
                             << "]";
  for (Type index : indices)
    if (!isIndexTile(index, value.getShape()))
      return op->emitOpError() << "indices of " << shapeText(index) << " for a tile of "
                               << shapeText(value) << "; they are i32 or i64 and of one shape ["
                               << shapeLabel << "]";
  return success();
}

LogicalResult GatherOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getResult().getType();
  if (failed(verifyElementIndices(*this, view, getIndices().getTypes(), tile, "tile.gather.c1",
                                  "tile.gather.c2")))
    return failure();
  if (tile.getElementType() != view.getElementType() || getPad().getType() != view.getElementType())
    return emitOpError() << "a tile of " << tile.getElementType() << " with a pad of "
                         << getPad().getType() << " from a view of " << view.getElementType()
                         << "; a gather does not convert [tile.gather.c3]";
  return success();
}

/// A factor of the scalar that is the extent of what is counted.
static Value multipleOf(Value scalar, int64_t extent) {
  auto product = scalar.getDefiningOp<arith::MulIOp>();
  APInt factor;
  bool isMultiple = product && matchPattern(product.getRhs(), m_ConstantInt(&factor)) &&
                    factor.getSExtValue() == extent;
  return isMultiple ? product.getLhs() : Value();
}

/// Whether elements that are counted so are a tile of a view's dimension.
static bool isTileOf(const Count &count, int64_t extent) {
  if (!count.scalar)
    return count.constant % extent == 0;
  if (!count.scalar.getType().isInteger(32))
    return false;
  return extent == 1 || (count.constant == 0 && multipleOf(count.scalar, extent));
}

static Value tileIndexOf(const Count &count, int64_t extent, OpBuilder &builder, Location loc) {
  Value constant = arith::ConstantIntOp::create(builder, loc, count.constant / extent, 32);
  if (!count.scalar)
    return constant;
  if (extent != 1)
    return multipleOf(count.scalar, extent);
  return builder.createOrFold<arith::AddIOp>(loc, count.scalar, constant);
}

/// The extents of the tile that a gather loads, one a dimension of the view: each axis that is
/// longer than 1 is counted along by one dimension, in order. Empty when it is no such tile.
static SmallVector<int64_t> countedShape(ArrayRef<Count> counts, RankedTensorType type) {
  SmallVector<int64_t> shape;
  int64_t next = 0;
  auto skipOnes = [&] {
    while (next < type.getRank() && type.getDimSize(next) == 1)
      ++next;
  };
  for (const Count &count : counts) {
    skipOnes();
    bool isCounted = next < type.getRank() && count.axes[next];
    if (llvm::count(count.axes, true) != (isCounted ? 1 : 0))
      return {};
    int64_t extent = isCounted ? type.getDimSize(next++) : 1;
    if (!isTileOf(count, extent))
      return {};
    shape.push_back(extent);
  }
  skipOnes();
  return next == type.getRank() ? shape : SmallVector<int64_t>();
}

LogicalResult GatherOp::canonicalize(GatherOp op, PatternRewriter &rewriter) {
  RankedTensorType type = op.getType();
  SmallVector<Count> counts;
  for (Value index : op.getIndices())
    if (std::optional<Count> count = getCount(index))
      counts.push_back(*count);
  if (counts.size() != op.getIndices().size())
    return failure();
  SmallVector<int64_t> shape = countedShape(counts, type);
  if (shape.empty())
    return failure();
  SmallVector<Value> index;
  for (auto [count, extent] : llvm::zip_equal(counts, shape))
    index.push_back(tileIndexOf(count, extent, rewriter, op.getLoc()));
  auto loaded = RankedTensorType::get(shape, type.getElementType());
  Value tile = LoadOp::create(rewriter, op.getLoc(), loaded, op.getView(), index, op.getPad());
  if (loaded != type)
    tile = ReshapeOp::create(rewriter, op.getLoc(), type, tile);
  rewriter.replaceOp(op, tile);
  return success();
}

LogicalResult ScatterOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getValue().getType();
  if (failed(verifyElementIndices(*this, view, getIndices().getTypes(), tile, "tile.scatter.c1",
                                  "tile.scatter.c2")))
    return failure();
  if (tile.getElementType() != view.getElementType())
    return emitOpError() << "a tile of " << tile.getElementType() << " into a view of "
                         << view.getElementType()
                         << "; a scatter does not convert [tile.scatter.c3]";
  if (getMask() && getMask().getType() != tile.clone(IntegerType::get(getContext(), 1)))
    return emitOpError() << "a mask of " << shapeText(getMask().getType()) << " for a tile of "
                         << shapeText(tile) << "; it is i1 and of one shape [tile.scatter.c4]";
  return success();
}

LogicalResult ScatterOp::canonicalize(ScatterOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (matchPattern(op.getMask(), m_Zero())) {
    rewriter.eraseOp(op);
    return success();
  }
  if (!matchPattern(op.getMask(), m_One()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

/// A tile index as stores have, or element indices as scatters have (c5).
template <typename Op> static LogicalResult verifyPlace(Op op, RankedTensorType tile) {
  ViewType view = op.getView().getType();
  if (op.isByElement())
    return verifyElementIndices(op, view, op.getIndices().getTypes(), tile, "tile.atomic_rmw.c5",
                                "tile.atomic_rmw.c5");
  bool scalars = llvm::all_of(op.getIndices().getTypes(), [](Type t) { return t.isInteger(32); });
  if (!scalars || int64_t(op.getIndices().size()) != view.getRank() ||
      tile.getRank() != view.getRank())
    return op.emitOpError() << op.getIndices().size() << " indices and a tile of rank "
                            << tile.getRank() << " for a view of rank " << view.getRank()
                            << "; give one i32 tile index, or a tile of element indices, a "
                               "dimension [tile.atomic_rmw.c5]";
  return success();
}

// Memory updates dwords: smaller integers have no instruction.
static constexpr StringLiteral kIntegerKinds = "add max min umax umin and or xor xchg";
static constexpr StringLiteral kFloatKinds = "add max min xchg";

static StringRef kindsOf(Type element) {
  if (isa<IntegerType>(element))
    return element.getIntOrFloatBitWidth() < 32 ? StringRef() : StringRef(kIntegerKinds);
  return isNarrowFloat(element) ? StringRef() : StringRef(kFloatKinds);
}

LogicalResult AtomicRmwOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getValue().getType();
  Type element = view.getElementType();
  if (tile.getElementType() != element || (getOld() && getOld().getType() != tile))
    return emitOpError() << "a tile of " << tile.getElementType() << " on a view of " << element
                         << "; an atomic update does not convert [tile.atomic_rmw.c4]";
  SmallVector<StringRef> kinds;
  kindsOf(element).split(kinds, ' ');
  if (!llvm::is_contained(kinds, stringifyAtomicKind(getKind())))
    return emitOpError() << stringifyAtomicKind(getKind()) << " of " << element
                         << " does not exist; i32 and i64 have " << kIntegerKinds
                         << ", f16 bf16 f32 and f64 " << kFloatKinds << " [tile.atomic_rmw.c1]";
  return verifyPlace(*this, tile);
}

LogicalResult AtomicRmwOp::canonicalize(AtomicRmwOp op, PatternRewriter &rewriter) {
  if (!op.getOld() || !op.getOld().use_empty())
    return failure();
  rewriter.replaceOpWithNewOp<AtomicRmwOp>(op, Type(), op.getKind(), op.getValue(), op.getView(),
                                           op.getIndices(), op.getOrder(), op.getScope());
  return success();
}

/// Sums of floats round by order; whoever reads or replaces the old value sees the order itself.
bool AtomicRmwOp::dependsOnOrder() {
  bool rounds = getKind() == AtomicKind::Add && isa<FloatType>(getElementTypeOrSelf(getValue()));
  return rounds || getOld() || getKind() == AtomicKind::Xchg;
}

LogicalResult AtomicCasOp::verify() {
  Type element = getView().getType().getElementType();
  if (getDesired().getType().getElementType() != element)
    return emitOpError() << "tiles of " << getDesired().getType().getElementType()
                         << " on a view of " << element
                         << "; an atomic update does not convert [tile.atomic_cas.c4]";
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 32 && bits != 64)
    return emitOpError() << "compares elements of 32 and 64 bits (i32 i64 f32 f64), not " << element
                         << " [tile.atomic_cas.c1]";
  return verifyPlace(*this, getDesired().getType());
}
