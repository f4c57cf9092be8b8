// Windows, loads and stores.
#include "dialects/cdna/CdnaVerify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaMemoryOps.cpp.inc"

//===--- text: {tail = [records, none], scalar = [1]} ---===//

static ParseResult parseTails(OpAsmParser &parser, SmallVectorImpl<int32_t> &tails) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<Tail> tail = symbolizeTail(word);
    if (!tail)
      return parser.emitError(loc, "a tail is none, records, compare or whole");
    tails.push_back(static_cast<int32_t>(*tail));
    return success();
  });
}

namespace {
/// What stands in the braces of an access.
struct AccessText {
  SmallVector<int32_t> tail, scalar;
  LayoutAttr fetch;
  int64_t width = 0;
};
} // namespace

static ParseResult parseAccessField(OpAsmParser &parser, AccessText &text) {
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&key) || parser.parseEqual())
    return failure();
  if (key == "tail")
    return parseTails(parser, text.tail);
  if (key == "scalar")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(text.scalar.emplace_back());
    });
  if (key == "fetch")
    return parser.parseAttribute(text.fetch);
  if (key == "width")
    return parser.parseInteger(text.width);
  return parser.emitError(loc, "an access has tail and scalar, a copy also fetch and width");
}

static ParseResult parseAccessText(OpAsmParser &parser, AccessText &text) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                        [&] { return parseAccessField(parser, text); });
}

static void printAccessText(OpAsmPrinter &printer, ArrayRef<int32_t> tail,
                            ArrayRef<int32_t> scalar) {
  printer << "tail = [";
  llvm::interleaveComma(tail, printer,
                        [&](int32_t t) { printer << stringifyTail(static_cast<Tail>(t)); });
  printer << "]";
  if (scalar.empty())
    return;
  printer << ", scalar = [";
  llvm::interleaveComma(scalar, printer);
  printer << "]";
}

ParseResult tegula::cdna::parseAccess(OpAsmParser &parser, DenseI32ArrayAttr &tail,
                                      DenseI32ArrayAttr &scalar) {
  AccessText text;
  if (parseAccessText(parser, text))
    return failure();
  tail = parser.getBuilder().getDenseI32ArrayAttr(text.tail);
  scalar = parser.getBuilder().getDenseI32ArrayAttr(text.scalar);
  return success();
}

void tegula::cdna::printAccess(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr tail,
                               DenseI32ArrayAttr scalar) {
  printer << " {";
  printAccessText(printer, tail, scalar);
  printer << "}";
}

ParseResult tegula::cdna::parseFetch(OpAsmParser &parser, LayoutAttr &fetch, IntegerAttr &width,
                                     DenseI32ArrayAttr &tail, DenseI32ArrayAttr &scalar) {
  AccessText text;
  SMLoc loc = parser.getCurrentLocation();
  if (parseAccessText(parser, text))
    return failure();
  if (!text.fetch)
    return parser.emitError(loc, "a copy needs fetch = #cdna.layout<...>");
  fetch = text.fetch;
  width = parser.getBuilder().getI64IntegerAttr(text.width);
  tail = parser.getBuilder().getDenseI32ArrayAttr(text.tail);
  scalar = parser.getBuilder().getDenseI32ArrayAttr(text.scalar);
  return success();
}

void tegula::cdna::printFetch(OpAsmPrinter &printer, Operation *, LayoutAttr fetch,
                              IntegerAttr width, DenseI32ArrayAttr tail, DenseI32ArrayAttr scalar) {
  printer << " {fetch = ";
  printer.printAttribute(fetch); // through the printer, so that an alias is used
  printer << ", width = " << width.getInt() << ", ";
  printAccessText(printer, tail, scalar);
  printer << "}";
}

//===--- cdna.buffer ---===//

// The deepest arithmetic that is looked through.
static constexpr unsigned kDeepest = 8;
// No type states a larger alignment.
static constexpr int64_t kMaxAlign = 256;

static int64_t powerOfTwoIn(int64_t number) {
  return number == 0 ? kMaxAlign : std::min(kMaxAlign, number & -number);
}

static int64_t divisorOf(Value offset, unsigned depth) {
  APInt number;
  if (matchPattern(offset, m_ConstantInt(&number)))
    return powerOfTwoIn(number.getSExtValue());
  Operation *op = offset.getDefiningOp();
  if (!op || depth == 0)
    return 1;
  auto of = [&](unsigned i) { return divisorOf(op->getOperand(i), depth - 1); };
  if (isa<arith::MulIOp>(op))
    return std::min(kMaxAlign, of(0) * of(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp>(op))
    return std::min(of(0), of(1));
  if (isa<arith::SelectOp>(op))
    return std::min(of(1), of(2));
  if (isa<arith::ShLIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&number)))
    return std::min<int64_t>(kMaxAlign, of(0) << std::min<int64_t>(8, number.getZExtValue()));
  return 1;
}

int64_t tegula::cdna::knownDivisor(Value offset) { return divisorOf(offset, kDeepest); }

/// Alignment of a window's first element. Any offset along a stride other than 1 keeps the view's,
/// because tile.view.c5 makes that stride a multiple of it.
static int64_t alignAt(tile::ViewType view, ValueRange offsets) {
  int64_t align = view.getAlign();
  for (auto [offset, stride] : llvm::zip(offsets, view.getStrides()))
    if (stride == 1)
      align = std::min(align, knownDivisor(offset) * view.getElementBytes());
  return align;
}

BufferType BufferOp::inferType(tile::ViewType view, ValueRange offsets, bool hasLimits,
                               ArrayRef<int32_t> dims) {
  SmallVector<int32_t> all = llvm::to_vector(llvm::seq<int32_t>(0, view.getRank()));
  if (dims.empty())
    dims = all;
  SmallVector<int64_t> shape, strides;
  for (int32_t d : dims) {
    APInt offset;
    bool isStatic =
        !hasLimits && !view.isDynamicDim(d) && matchPattern(offsets[d], m_ConstantInt(&offset));
    shape.push_back(isStatic ? std::max<int64_t>(0, view.getShape()[d] - offset.getSExtValue())
                             : ShapedType::kDynamic);
    strides.push_back(view.getStrides()[d]);
  }
  return BufferType::get(view.getContext(), shape, view.getElementType(), strides,
                         alignAt(view, offsets));
}

void BufferOp::build(OpBuilder &builder, OperationState &state, Value view, ValueRange offsets,
                     ValueRange limits, ArrayRef<int32_t> dims, ArrayRef<int64_t> tile) {
  BufferType type = inferType(cast<tile::ViewType>(view.getType()), offsets, !limits.empty(), dims);
  build(builder, state, type, view, offsets, limits,
        dims.empty() ? DenseI32ArrayAttr() : builder.getDenseI32ArrayAttr(dims),
        builder.getDenseI64ArrayAttr(tile));
}

static LogicalResult verifySpan(BufferOp op) {
  int64_t span = 0;
  for (auto [extent, stride] : llvm::zip(op.getTile(), op.getType().getStrides())) {
    if (extent < 1)
      return op.emitOpError() << "the tile has an extent of " << extent << " [cdna.buffer.c1]";
    if (ShapedType::isDynamic(stride))
      continue;
    span += std::min<int64_t>(extent - 1, 1 << 24) *
            std::min<int64_t>(std::abs(stride), int64_t(1) << 32);
  }
  if (span * op.getType().getElementBytes() >= int64_t(1) << 31)
    return op.emitOpError() << "the tile spans 2^31 bytes or more [cdna.buffer.c3]";
  return success();
}

LogicalResult BufferOp::verify() {
  tile::ViewType view = getView().getType();
  unsigned rank = view.getRank();
  if (getOffsets().size() != rank || (!getLimits().empty() && getLimits().size() != rank))
    return emitOpError() << "one offset (and limit) a dimension of the argument, which has rank "
                         << rank << " [cdna.buffer.c1]";
  SmallVector<int32_t> dims(getDims().value_or(ArrayRef<int32_t>()));
  for (int32_t d : dims)
    if (d < 0 || d >= (int64_t)rank || llvm::count(dims, d) != 1)
      return emitOpError() << "dims are different dimensions of the argument [cdna.buffer.c1]";
  // The result may know less or more than the operands say now: folding makes offsets constant
  // after the type was chosen, and other rewrites hide what divides them.
  BufferType inferred = inferType(view, getOffsets(), !getLimits().empty(), dims);
  BufferType type = getType();
  bool fits = type.getRank() == inferred.getRank() &&
              type.getElementType() == inferred.getElementType() &&
              type.getStrides() == inferred.getStrides() && type.getAlign() <= view.getAlign();
  for (unsigned d = 0; fits && d < type.getRank(); ++d)
    fits =
        ShapedType::isDynamic(type.getShape()[d]) || type.getShape()[d] == inferred.getShape()[d];
  if (!fits)
    return emitOpError() << "the window has type " << inferred << " [cdna.buffer.c1]";
  if (getTile().size() != type.getRank())
    return emitOpError() << "one tile extent a dimension of the window [cdna.buffer.c1]";
  return verifySpan(*this);
}

//===--- accesses ---===//

LogicalResult tegula::cdna::verifyAccess(Operation *op, StringRef name, Value window,
                                         const AccessShape &access) {
  auto buffer = cast<BufferType>(window.getType());
  int64_t rank = buffer.getRank();
  if ((int64_t)access.shape.size() != rank || (int64_t)access.numIndices != rank)
    return op->emitOpError() << "one index and one tile dimension a dimension of the window [cdna."
                             << name << ".c1]";
  if (access.element != buffer.getElementType())
    return op->emitOpError() << "moves " << access.element << " through a window of "
                             << buffer.getElementType() << " [cdna." << name << ".c2]";
  if ((int64_t)access.tail.size() != rank ||
      llvm::count(access.tail, static_cast<int32_t>(Tail::Records)) > 1)
    return op->emitOpError() << "one tail a dimension, records at most once [cdna." << name
                             << ".c3]";
  for (int32_t d : access.scalar)
    if (d < 0 || d >= rank || access.tail[d] != static_cast<int32_t>(Tail::None))
      return op->emitOpError() << "dimension " << d
                               << " is in scalar, so its tail is none: nothing checks the scalar "
                               << "offset [cdna." << name << ".c4]";
  if (auto defining = window.getDefiningOp<BufferOp>())
    if (defining.getTile() != access.shape)
      return op->emitOpError() << "moves a tile of another shape than its window's [cdna." << name
                               << ".c1]";
  return success();
}

static LogicalResult verifyTensorAccess(Operation *op, StringRef name, Value buffer,
                                        RankedTensorType tile, AccessShape access) {
  if (!getLayout(tile))
    return op->emitOpError() << "needs a tile with a layout [cdna." << name << ".c1]";
  access.shape = tile.getShape();
  access.element = tile.getElementType();
  return verifyAccess(op, name, buffer, access);
}

LogicalResult LoadOp::verify() {
  return verifyTensorAccess(*this, "load", getBuffer(), getType(),
                            {{}, {}, getIndices().size(), getTail(), getScalar()});
}

LogicalResult StoreOp::verify() {
  return verifyTensorAccess(*this, "store", getBuffer(), getValue().getType(),
                            {{}, {}, getIndices().size(), getTail(), getScalar()});
}

LogicalResult LoadScalarOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (getIndices().size() != buffer.getRank() || getType() != buffer.getElementType())
    return emitOpError()
           << "one index a dimension, the window's element type [cdna.load_scalar.c1]";
  return success();
}

int64_t tegula::cdna::getAliasSet(Value buffer) {
  auto window = buffer.getDefiningOp<BufferOp>();
  return window ? tile::getAliasSet(window.getView()).value_or(0) : 0;
}
