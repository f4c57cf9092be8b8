// Views and memory: result types and verifiers. Folds are in TileViewFolds.cpp.
#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace tegula::tile;

// `[%lo:%hi, :, 0:32]`
static ParseResult parseBound(OpAsmParser &parser,
                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                              SmallVectorImpl<int64_t> &literals, int64_t missing) {
  OpAsmParser::UnresolvedOperand value;
  OptionalParseResult operand = parser.parseOptionalOperand(value);
  if (operand.has_value()) {
    values.push_back(value);
    literals.push_back(ShapedType::kDynamic);
    return *operand;
  }
  int64_t literal = missing;
  OptionalParseResult number = parser.parseOptionalInteger(literal);
  literals.push_back(literal);
  return number.has_value() ? *number : success();
}

static ParseResult parseRanges(OpAsmParser &parser,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &lo,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &hi,
                               DenseI64ArrayAttr &staticLo, DenseI64ArrayAttr &staticHi) {
  SmallVector<int64_t> los, his;
  auto parseRange = [&]() -> ParseResult {
    if (parseBound(parser, lo, los, 0) || parser.parseColon() || parseBound(parser, hi, his, -1))
      return failure();
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  staticLo = parser.getBuilder().getDenseI64ArrayAttr(los);
  staticHi = parser.getBuilder().getDenseI64ArrayAttr(his);
  return success();
}

static void printRanges(OpAsmPrinter &printer, Operation *, OperandRange lo, OperandRange hi,
                        ArrayRef<int64_t> staticLo, ArrayRef<int64_t> staticHi) {
  auto nextLo = lo.begin(), nextHi = hi.begin();
  auto printBound = [&](int64_t literal, int64_t missing, auto &next) {
    if (ShapedType::isDynamic(literal))
      printer << *next++;
    else if (literal != missing)
      printer << literal;
  };
  printer << '[';
  llvm::interleaveComma(llvm::zip(staticLo, staticHi), printer, [&](auto range) {
    printBound(std::get<0>(range), 0, nextLo);
    printer << ':';
    printBound(std::get<1>(range), -1, nextHi);
  });
  printer << ']';
}

// A pad is written without its type (`pad(0.0)`, `pad(-inf)`): it is the view's element type.
namespace {
struct PadNumber {
  double real = 0;
  int64_t integer = 0; ///< exact where a double is not
};
} // namespace

static ParseResult parsePadNumber(OpAsmParser &parser, PadNumber &pad) {
  bool negative = succeeded(parser.parseOptionalMinus());
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"inf", "nan"}))) {
    pad.real = word == "inf" ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
  } else {
    APInt whole;
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult parsed = parser.parseOptionalInteger(whole);
    if (parsed.has_value() ? failed(*parsed) : failed(parser.parseFloat(pad.real)))
      return failure();
    if (parsed.has_value()) {
      if (negative) // before it is cut to 64 bits: -2^63 is a number of them, 2^63 is none
        whole.negate();
      if (whole.getSignificantBits() > 64)
        return parser.emitError(loc, "pad is beyond 64 bits");
      pad.integer = whole.getSExtValue();
      pad.real = double(pad.integer);
      return success();
    }
  }
  if (negative)
    pad.real = -pad.real;
  return success();
}

// The pad as a constant of the element type, rounded; null when the type has nothing near it (an
// infinity of f8E4M3FN, a zero of f8E8M0FNU, 300 of i8).
static TypedAttr makePad(Type element, PadNumber pad) {
  if (auto real = dyn_cast<FloatType>(element)) {
    APFloat number(pad.real), wide(pad.real);
    bool loses = false;
    number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    bool isNaN = wide.isNaN() && number.isNaN();
    bool isNear = wide.getCategory() == number.getCategory() &&
                  (wide.isNegative() == number.isNegative() || wide.isZero());
    bool hasSign = !isa<Float8E8M0FNUType>(real); // APFloat would keep a sign that is not there
    return isNaN || (isNear && (hasSign || !wide.isNegative())) ? FloatAttr::get(real, number)
                                                                : FloatAttr();
  }
  unsigned width = cast<IntegerType>(element).getWidth();
  bool fits = pad.real == double(pad.integer) && (width == 1 ? pad.integer == 0 || pad.integer == 1
                                                             : llvm::isIntN(width, pad.integer));
  if (!fits)
    return {};
  return IntegerAttr::get(element, APInt(width, pad.integer, /*isSigned=*/width != 1));
}

ParseResult tegula::tile::parsePadded(OpAsmParser &parser, TypedAttr &pad, Type &viewType,
                                      SmallVectorImpl<Type> *indices, Type &resultType) {
  PadNumber number;
  if (parser.parseKeyword("pad") || parser.parseLParen() || parsePadNumber(parser, number) ||
      parser.parseRParen() || parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(viewType))
    return failure();
  while (indices && succeeded(parser.parseOptionalComma()))
    if (parser.parseType(indices->emplace_back()))
      return failure();
  if (parser.parseArrow() || parser.parseType(resultType))
    return failure();
  auto view = dyn_cast<ViewType>(viewType);
  if (!view)
    return parser.emitError(loc) << "expected a !tile.view, found " << viewType;
  pad = makePad(view.getElementType(), number);
  if (!pad)
    return parser.emitError(loc) << "pad is no value of " << view.getElementType()
                                 << (indices ? " [tile.gather.c3]" : " [tile.load.c4]");
  return success();
}

static ParseResult parsePadAndTypes(OpAsmParser &parser, TypedAttr &pad, Type &viewType,
                                    Type &resultType) {
  return parsePadded(parser, pad, viewType, nullptr, resultType);
}

void tegula::tile::printPadded(OpAsmPrinter &printer, TypedAttr pad, Type viewType,
                               TypeRange indices, Type resultType) {
  printer << "pad(";
  if (auto real = dyn_cast<FloatAttr>(pad)) {
    APFloat value = real.getValue();
    bool loses = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    SmallString<24> text;
    value.toString(text);
    if (!value.isFinite())
      text = value.isNaN() ? "nan" : value.isNegative() ? "-inf" : "inf";
    else if (!StringRef(text).contains('.'))
      text += ".0";
    printer << text;
  } else {
    APInt value = cast<IntegerAttr>(pad).getValue();
    value.print(printer.getStream(), /*isSigned=*/value.getBitWidth() != 1);
  }
  printer << ") : " << viewType;
  for (Type index : indices)
    printer << ", " << index;
  printer << " -> " << resultType;
}

static void printPadAndTypes(OpAsmPrinter &printer, Operation *, TypedAttr pad, Type viewType,
                             Type resultType) {
  printPadded(printer, pad, viewType, TypeRange(), resultType);
}

#define GET_OP_CLASSES
#include "dialects/tile/TileViewOps.cpp.inc"

// extents and strides

// The label is built from the op's name so that one check serves the ops that share a rule.
static LogicalResult verifyDim(Operation *op, ViewType view, unsigned d) {
  if (int64_t(d) < view.getRank())
    return success();
  return op->emitOpError() << "dimension " << d << " of a view of rank " << view.getRank() << " ["
                           << op->getName() << ".c1]";
}

LogicalResult DimOp::verify() { return verifyDim(*this, getView().getType(), getD()); }
LogicalResult StrideOp::verify() { return verifyDim(*this, getView().getType(), getD()); }

// derived views

namespace {
/// The parts of a view type while a derived one is put together.
struct ViewParts {
  SmallVector<int64_t> shape, strides;
  SmallVector<StringAttr> names;
  int64_t align;
  MLIRContext *context;

  explicit ViewParts(ViewType view)
      : shape(view.getShape()), strides(view.getStrides()), names(view.getNames()),
        align(view.getAlign()), context(view.getContext()) {
    if (names.empty())
      names.assign(shape.size(), StringAttr::get(context, ""));
  }
  void erase(unsigned d) {
    shape.erase(shape.begin() + d);
    strides.erase(strides.begin() + d);
    names.erase(names.begin() + d);
  }
  /// Moves the base by `offset` elements (nothing = unknown) along dimension d.
  void move(unsigned d, std::optional<int64_t> offset, int64_t elementBytes) {
    // A stride that is not 1 is a multiple of align by tile.view.c5, so any offset along it keeps
    // the alignment.
    if (strides[d] != 1)
      return;
    int64_t bytes = offset ? *offset * elementBytes : elementBytes;
    if (bytes != 0)
      align = std::min(align, bytes & -bytes);
  }
  ViewType get(Type element) {
    if (llvm::all_of(names, [](StringAttr name) { return name.empty(); }))
      names.clear();
    return ViewType::get(context, shape, element, names, strides, align);
  }
};
} // namespace

// A result type may know less than could be inferred (a dynamic extent, a smaller alignment, no
// name), never more.
static bool knowsNoMore(ViewType inferred, ViewType actual) {
  auto weaker = [](ArrayRef<int64_t> known, ArrayRef<int64_t> stated) {
    return known.size() == stated.size() && llvm::all_of(llvm::zip(known, stated), [](auto pair) {
             return std::get<0>(pair) == std::get<1>(pair) ||
                    ShapedType::isDynamic(std::get<1>(pair));
           });
  };
  if (inferred.getElementType() != actual.getElementType() ||
      !weaker(inferred.getShape(), actual.getShape()) ||
      !weaker(inferred.getStrides(), actual.getStrides()) ||
      actual.getAlign() > inferred.getAlign())
    return false;
  for (unsigned d = 0; d < actual.getRank(); ++d)
    if (!actual.getDimName(d).empty() && actual.getDimName(d) != inferred.getDimName(d))
      return false;
  return true;
}

static LogicalResult verifyDerived(Operation *op, ViewType inferred, ViewType actual,
                                   StringRef label) {
  if (knowsNoMore(inferred, actual))
    return success();
  return op->emitOpError() << "gives " << inferred << ", not " << actual << " [" << label << "]";
}

ViewType SliceOp::inferType(ViewType view, ArrayRef<int64_t> lo, ArrayRef<int64_t> hi) {
  ViewParts parts(view);
  for (unsigned d = 0; d < lo.size(); ++d) {
    if (lo[d] == 0 && hi[d] == -1)
      continue;
    int64_t end = hi[d] == -1 ? view.getShape()[d] : hi[d];
    bool isStatic = !ShapedType::isDynamic(lo[d]) && !ShapedType::isDynamic(end);
    parts.shape[d] = isStatic ? end - lo[d] : ShapedType::kDynamic;
    parts.names[d] = StringAttr::get(view.getContext(), "");
    parts.move(d, ShapedType::isDynamic(lo[d]) ? std::nullopt : std::optional(lo[d]),
               view.getElementBytes());
  }
  return parts.get(view.getElementType());
}

LogicalResult SliceOp::verify() {
  ViewType view = getView().getType();
  ArrayRef<int64_t> lo = getStaticLo(), hi = getStaticHi();
  if (int64_t(lo.size()) != view.getRank() || lo.size() != hi.size() ||
      llvm::count(lo, ShapedType::kDynamic) != int64_t(getLo().size()) ||
      llvm::count(hi, ShapedType::kDynamic) != int64_t(getHi().size()))
    return emitOpError() << lo.size() << " ranges for a view of rank " << view.getRank()
                         << " [tile.slice.c1]";
  for (auto [d, extent] : llvm::enumerate(view.getShape())) {
    bool knownLo = !ShapedType::isDynamic(lo[d]),
         knownHi = !ShapedType::isDynamic(hi[d]) && hi[d] != -1;
    int64_t end = knownHi ? hi[d] : extent; // dynamic extents compare as "unknown"
    bool bad = (knownLo && lo[d] < 0) || (knownHi && hi[d] < 1) ||
               (knownHi && knownLo && lo[d] >= hi[d]) ||
               (!ShapedType::isDynamic(extent) &&
                ((knownHi && hi[d] > extent) || (knownLo && lo[d] >= end)));
    if (bad)
      return emitOpError() << "range " << d << " is empty or outside an extent of "
                           << shapeText(view) << " [tile.slice.c2]";
  }
  return verifyDerived(*this, inferType(view, lo, hi), getResult().getType(), "tile.slice.c3");
}

static OpFoldResult boundOf(ArrayRef<int64_t> literals, OperandRange values, unsigned d,
                            Builder builder) {
  if (!ShapedType::isDynamic(literals[d]))
    return builder.getI32IntegerAttr(literals[d]);
  return values[llvm::count(literals.take_front(d), ShapedType::kDynamic)];
}

OpFoldResult SliceOp::getLoBound(unsigned d) {
  return boundOf(getStaticLo(), getLo(), d, Builder(getContext()));
}

OpFoldResult SliceOp::getHiBound(unsigned d) {
  if (getStaticHi()[d] == -1)
    return {};
  return boundOf(getStaticHi(), getHi(), d, Builder(getContext()));
}

ViewType IndexOp::inferType(ViewType view, unsigned d, std::optional<int64_t> index) {
  ViewParts parts(view);
  parts.move(d, index, view.getElementBytes());
  parts.erase(d);
  return parts.get(view.getElementType());
}

LogicalResult IndexOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyDim(*this, view, getD())))
    return failure();
  if (view.getRank() == 1)
    return emitOpError("of a view of rank 1 leaves no dimension; use tile.scalar [tile.index.c1]");
  APInt value;
  std::optional<int64_t> constant;
  if (matchPattern(getIndex(), m_ConstantInt(&value)))
    constant = value.getSExtValue();
  if (constant &&
      (*constant < 0 || (!view.isDynamicDim(getD()) && *constant >= view.getShape()[getD()])))
    return emitOpError() << "index " << *constant << " is outside dimension " << getD() << " of "
                         << shapeText(view) << " [tile.index.c2]";
  return verifyDerived(*this, inferType(view, getD(), constant), getResult().getType(),
                       "tile.index.c3");
}

ViewType ExpandOp::inferType(ViewType view, unsigned d) {
  ViewParts parts(view);
  parts.shape.insert(parts.shape.begin() + d, 1);
  parts.strides.insert(parts.strides.begin() + d, 0);
  parts.names.insert(parts.names.begin() + d, StringAttr::get(view.getContext(), ""));
  return parts.get(view.getElementType());
}

LogicalResult ExpandOp::verify() {
  ViewType view = getView().getType();
  if (view.getRank() >= 5 || int64_t(getD()) > view.getRank())
    return emitOpError() << "at dimension " << getD() << " of a view of rank " << view.getRank()
                         << "; a view has at most 5 dimensions [tile.expand.c1]";
  return verifyDerived(*this, inferType(view, getD()), getResult().getType(), "tile.expand.c2");
}

ViewType PermuteViewOp::inferType(ViewType view, ArrayRef<int64_t> perm) {
  ViewParts from(view), to(view);
  for (auto [to_d, from_d] : llvm::enumerate(perm)) {
    to.shape[to_d] = from.shape[from_d];
    to.strides[to_d] = from.strides[from_d];
    to.names[to_d] = from.names[from_d];
  }
  return to.get(view.getElementType());
}

LogicalResult PermuteViewOp::verify() {
  ViewType view = getView().getType();
  if (!isPermutation(getPerm(), view.getRank()))
    return emitOpError() << listText(getPerm()) << " is no permutation of the " << view.getRank()
                         << " dimensions [tile.permute_view.c1]";
  return verifyDerived(*this, inferType(view, getPerm()), getResult().getType(),
                       "tile.permute_view.c2");
}

// memory

// Rules that load, store and valid share: c1 an index a dimension, c3 equal ranks, c6 extents.
static LogicalResult verifyTileAccess(Operation *op, ViewType view, RankedTensorType tile,
                                      unsigned indices) {
  StringRef name = op->getName().getStringRef();
  if (int64_t(indices) != view.getRank())
    return op->emitOpError() << indices << " indices for a view of rank " << view.getRank()
                             << "; give one tile index a dimension [" << name << ".c1]";
  if (tile.getRank() != view.getRank())
    return op->emitOpError() << "a tile of " << shapeText(tile) << " of a view of rank "
                             << view.getRank() << " [" << name << ".c3]";
  return success();
}

LogicalResult LoadOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getResult().getType();
  if (failed(verifyTileAccess(*this, view, tile, getIndices().size())))
    return failure();
  if (tile.getElementType() != view.getElementType())
    return emitOpError() << "a tile of " << tile.getElementType() << " from a view of "
                         << view.getElementType() << "; a load does not convert [tile.load.c2]";
  if (getPad().getType() != view.getElementType())
    return emitOpError() << "pad is a " << getPad().getType() << ", the view holds "
                         << view.getElementType() << " [tile.load.c4]";
  if (llvm::any_of(tile.getShape(), [](int64_t extent) { return extent < 1; }))
    return emitOpError() << "a tile of " << shapeText(tile)
                         << "; extents are static and at least 1 [tile.load.c6]";
  return success();
}

LogicalResult StoreOp::verify() {
  ViewType view = getView().getType();
  RankedTensorType tile = getValue().getType();
  if (failed(verifyTileAccess(*this, view, tile, getIndices().size())))
    return failure();
  if (tile.getElementType() != view.getElementType())
    return emitOpError() << "a tile of " << tile.getElementType() << " into a view of "
                         << view.getElementType()
                         << "; a store does not convert, use tile.cast [tile.store.c4]";
  return success();
}

LogicalResult ScalarOp::verify() {
  ViewType view = getView().getType();
  if (int64_t(getIndices().size()) != view.getRank())
    return emitOpError() << getIndices().size() << " indices for a view of rank " << view.getRank()
                         << " [tile.scalar.c1]";
  if (getResult().getType() != view.getElementType() || view.getElementType().isInteger(1))
    return emitOpError()
           << "reads a " << getResult().getType() << " from a view of " << view.getElementType()
           << "; elements have at least 8 bits and are not converted [tile.scalar.c2]";
  return success();
}

LogicalResult ArriveOp::verify() {
  ViewType view = getView().getType();
  if (view.getRank() != 1 || !view.getElementType().isInteger(32) || getCount() < 1)
    return emitOpError() << "counts up to " << getCount() << " in a view of " << shapeText(view)
                         << "; counters are one i32 each, a count is at least 1 "
                         << "[tile.arrive.c1]";
  return success();
}

LogicalResult ValidOp::verify() {
  RankedTensorType tile = getResult().getType();
  if (failed(verifyTileAccess(*this, getView().getType(), tile, getIndices().size())))
    return failure();
  if (!tile.getElementType().isInteger(1))
    return emitOpError() << "gives i1 elements, not " << tile.getElementType()
                         << " [tile.valid.c2]";
  return success();
}
