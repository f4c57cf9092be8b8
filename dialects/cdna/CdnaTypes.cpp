// !cdna.buffer, !cdna.lds, !cdna.slot, !cdna.token: text form and verifiers.
#include "dialects/cdna/CdnaVerify.h"
#include "tegula/Layout/BitMatrix.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::BitMatrix;

#define GET_TYPEDEF_CLASSES
#include "dialects/cdna/CdnaTypes.cpp.inc"

void CdnaDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/cdna/CdnaTypes.cpp.inc"
      >();
}

template <typename T>
static ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<T> &values, bool dynamic) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (dynamic && succeeded(parser.parseOptionalQuestion())) {
      values.push_back(static_cast<T>(ShapedType::kDynamic));
      return success();
    }
    return parser.parseInteger(values.emplace_back());
  });
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  for (int64_t extent : shape)
    (ShapedType::isDynamic(extent) ? printer << '?' : printer << extent) << 'x';
  printer << element;
}

template <typename T>
static void printList(AsmPrinter &printer, StringRef name, ArrayRef<T> values) {
  printer << ", " << name << " = [";
  llvm::interleaveComma(values, printer, [&](T value) {
    ShapedType::isDynamic(value) ? printer << '?' : printer << value;
  });
  printer << "]";
}

//===--- !cdna.buffer ---===//

int64_t BufferType::getElementBytes() const { return elementBytes(getElementType()); }

std::optional<unsigned> BufferType::getUnitStrideDim() const {
  for (unsigned d = getRank(); d-- > 0;)
    if (getStrides()[d] == 1)
      return d;
  return std::nullopt;
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element) ||
      parser.parseComma() || parser.parseKeyword("strides") || parser.parseEqual() ||
      parseIntegers(parser, strides, /*dynamic=*/true))
    return {};
  int64_t align = element.isIntOrFloat() ? elementBytes(element) : 1;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("align") || parser.parseEqual() || parser.parseInteger(align)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape, element, strides, align);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  printList(printer, "strides", getStrides());
  if (getAlign() != getElementBytes())
    printer << ", align = " << getAlign();
  printer << ">";
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element, ArrayRef<int64_t> strides,
                                 int64_t align) {
  if (shape.empty() || shape.size() != strides.size())
    return emitError() << "a window has one stride a dimension, found " << strides.size()
                       << " for rank " << shape.size() << " [cdna.buffer.c1]";
  if (!tile::isElementType(element))
    return emitError() << "a window of " << element << " [cdna.buffer.c2]";
  if (align < 1 || !llvm::isPowerOf2_64(align) || align > 256)
    return emitError() << "alignment " << align
                       << " is not a power of two up to 256 [cdna.buffer.c1]";
  return success();
}

//===--- !cdna.lds ---===//

int64_t LdsType::getElementBytes() const { return elementBytes(getElementType()); }

int64_t LdsType::numRows() const {
  int64_t rows = 1;
  for (int32_t d : getOrder().drop_front())
    rows *= getShape()[d];
  return rows;
}

int64_t LdsType::rowMask(int64_t row) const {
  int64_t mask = 0;
  for (auto [bit, value] : llvm::enumerate(getSwizzle()))
    if (row >> bit & 1)
      mask ^= value;
  return mask;
}

/// Row bits → row bits of the place, for rows whose masks flip row bits. `group` is the type's.
static BitMatrix rowMap(int64_t group, ArrayRef<int32_t> swizzle) {
  unsigned bits = 0;
  for (auto [bit, mask] : llvm::enumerate(swizzle))
    if (int64_t flips = mask * int64_t(16) / group)
      bits = std::max({bits, unsigned(bit) + 1, llvm::Log2_64(flips) + 1});
  BitMatrix map = BitMatrix::identity(bits);
  for (auto [bit, mask] : llvm::enumerate(swizzle.take_front(bits)))
    map.columns[bit] ^= uint64_t(mask) * 16 / group;
  return map;
}

int64_t LdsType::rowAt(int64_t place) const {
  BitMatrix map = rowMap(swizzleGroup(), getSwizzle());
  int64_t low = (int64_t(1) << map.rows) - 1;
  return (place & ~low) | int64_t(invert(map)->apply(place & low));
}

LdsType::Place LdsType::placeOf(ArrayRef<int64_t> coordinates) const {
  int64_t row = 0, weight = 1;
  for (int32_t d : getOrder().drop_front()) {
    row += coordinates[d] * weight;
    weight *= getShape()[d];
  }
  int64_t byte = coordinates[fastestDim()] * getElementBytes(), group = swizzleGroup();
  return {byte / group, (row * group + byte % group) ^ rowMask(row) << 4};
}

int64_t LdsType::bytesOf(Place place) const {
  int64_t group = swizzleGroup();
  return place.rowAndByte / group * getPitch() + place.group * group + place.rowAndByte % group;
}

int64_t LdsType::byteOffset(ArrayRef<int64_t> coordinates) const {
  return bytesOf(placeOf(coordinates));
}

int64_t LdsType::rowsOf(unsigned d) const {
  int64_t rows = 1;
  for (int32_t inner : getOrder().drop_front()) {
    if (inner == int32_t(d))
      break;
    rows *= getShape()[inner];
  }
  return rows;
}

/// Where d repeats, coordinates are sums and not XORs of bits. Bytes then add up, too, if nothing
/// that a swizzle looks at or changes lies above the base.
static bool staysAboveSwizzle(LdsType type, const tegula::Layout &layout, unsigned d) {
  int64_t base = layout.baseExtents()[d], changed = 0;
  for (int32_t mask : type.getSwizzle())
    changed |= int64_t(mask) << 4;
  if (d == type.fastestDim())
    return changed < base * type.getElementBytes();
  int64_t rows = base * type.rowsOf(d);
  return int64_t(1) << type.getSwizzle().size() <= rows && changed < rows * type.swizzleGroup();
}

bool LdsType::isLinear(const tegula::Layout &layout, ArrayRef<int64_t> origin) const {
  bool linear = true;
  for (unsigned i = 1; i + 1 < getOrder().size(); ++i)
    linear &= llvm::isPowerOf2_64(getShape()[getOrder()[i]]);
  for (const tegula::WaveRepeat &digit : layout.waveRepeats)
    linear &= digit.dim == tegula::kCopies || staysAboveSwizzle(*this, layout, digit.dim);
  // The origin must not carry into the bits of the view.
  for (unsigned d = 0; d < layout.rank(); ++d)
    linear &= origin[d] == 0 || origin[d] % layout.baseExtents()[d] == 0;
  return linear;
}

Type LdsType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  SmallVector<int32_t> order, swizzle;
  Type element;
  int64_t stages = 1, pitch = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    ParseResult result = key == "order"    ? parseIntegers(parser, order, /*dynamic=*/false)
                         : key == "xor"    ? parseIntegers(parser, swizzle, /*dynamic=*/false)
                         : key == "stages" ? parser.parseInteger(stages)
                         : key == "pitch"
                             ? parser.parseInteger(pitch)
                             : parser.emitError(keyLoc, "known are order, stages, pitch and xor");
    if (result)
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (pitch == 0 && !order.empty() && order[0] >= 0 && order[0] < (int64_t)shape.size() &&
      element.isIntOrFloat())
    pitch = std::min(shape[order[0]], kLdsTypeBytes) * elementBytes(element);
  return parser.getChecked<LdsType>(loc, parser.getContext(), shape, element, order, stages, pitch,
                                    swizzle);
}

void LdsType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  printList(printer, "order", getOrder());
  if (getStages() != 1)
    printer << ", stages = " << getStages();
  if (getPitch() != naturalPitch())
    printer << ", pitch = " << getPitch();
  if (!getSwizzle().empty())
    printList(printer, "xor", getSwizzle());
  printer << ">";
}

LogicalResult LdsType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                              Type element, ArrayRef<int32_t> order, int64_t stages, int64_t pitch,
                              ArrayRef<int32_t> swizzle) {
  if (shape.empty() || !tile::isPermutation(order, shape.size()))
    return emitError() << "order is not a permutation of the dimensions [cdna.lds.c1]";
  if (!tile::isElementType(element))
    return emitError() << "LDS with elements of " << element << " [cdna.lds.c6]";
  if (stages < 1 || stages > 5)
    return emitError() << "stages = " << stages << ", 1 to 5 are possible [cdna.lds.c3]";
  // Products of what somebody wrote stop at the limit.
  auto upToLimit = [](int64_t extent) { return std::clamp<int64_t>(extent, 0, kLdsTypeBytes); };
  int64_t rows = 1, rowBytes = upToLimit(shape[order[0]]) * elementBytes(element);
  for (int32_t d : order.drop_front())
    rows = upToLimit(rows * upToLimit(shape[d]));
  if (rows < 1 || rowBytes < 1 || pitch < rowBytes || pitch > kLdsTypeBytes ||
      rows * pitch * stages >= kLdsTypeBytes)
    return emitError() << rows << " rows of " << pitch << " bytes (" << rowBytes << " used), "
                       << stages << " stages, are not 1 to 262,143 bytes [cdna.lds.c2]";
  if (swizzle.empty())
    return success();
  int64_t group = pitch & -pitch;
  if (group < 16)
    return emitError() << "xor needs a pitch that is a multiple of 16, found " << pitch
                       << " [cdna.lds.c4]";
  int64_t highest = *llvm::max_element(swizzle), chunks = rows * group / 16;
  if (*llvm::min_element(swizzle) < 0 || highest >= chunks)
    return emitError() << "xor mask " << highest << " is not inside the " << chunks
                       << " chunks of the buffer [cdna.lds.c4]";
  if (highest * 16 < group)
    return success();
  BitMatrix map = rowMap(group, swizzle);
  if (!invert(map) || rows % (int64_t(1) << map.rows))
    return emitError() << "xor masks do not leave a place of its own to each of " << rows
                       << " rows [cdna.lds.c4]";
  return success();
}
