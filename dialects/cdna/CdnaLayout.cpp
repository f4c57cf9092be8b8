// #cdna.layout: text, and the way to and from lib/Layout, which knows everything else.
#include "dialects/cdna/Cdna.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::cdna;

#define GET_ATTRDEF_CLASSES
#include "dialects/cdna/CdnaAttrs.cpp.inc"

void CdnaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/cdna/CdnaAttrs.cpp.inc"
      >();
}

//===--- text ---===//

namespace {
/// The lists of a layout as they are read; `rank` is fixed by the first vector.
struct LayoutText {
  unsigned rank = 0;
  SmallVector<int32_t> reg, lane, wave, repeat;
  SmallVector<int32_t> waveRepeats; ///< pairs (dimension, count)
};
} // namespace

static ParseResult parseList(AsmParser &parser, SmallVector<int32_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static ParseResult parseVectors(AsmParser &parser, LayoutText &text, SmallVector<int32_t> &flat) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int32_t> vector;
    if (parseList(parser, vector))
      return failure();
    if (text.rank == 0)
      text.rank = vector.size();
    if (vector.empty() || vector.size() != text.rank)
      return parser.emitError(
          loc, "basis vectors of a layout have one number a dimension, all equally many "
               "[cdna.layout.c1]");
    llvm::append_range(flat, vector);
    return success();
  });
}

static ParseResult parsePairs(AsmParser &parser, SmallVector<int32_t> &flat) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int32_t> pair;
    if (parseList(parser, pair))
      return failure();
    if (pair.size() != 2)
      return parser.emitError(loc, "a wave repeat is [dimension, count] [cdna.layout.c1]");
    llvm::append_range(flat, pair);
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LayoutText text;
  SMLoc loc = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "reg")
      return parseVectors(parser, text, text.reg);
    if (key == "lane")
      return parseVectors(parser, text, text.lane);
    if (key == "wave")
      return parseVectors(parser, text, text.wave);
    if (key == "repeat")
      return parseList(parser, text.repeat);
    if (key == "wave_repeat")
      return parsePairs(parser, text.waveRepeats);
    return parser.emitError(keyLoc, "a layout has reg, lane, wave, repeat and wave_repeat");
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return {};
  if (text.repeat.empty())
    text.repeat.assign(text.rank, 1);
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), text.rank, text.reg, text.lane,
                                       text.wave, text.repeat, text.waveRepeats);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<" << tegula::print(toLayout()) << ">";
}

//===--- invariants ---===//

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                 ArrayRef<int32_t> reg, ArrayRef<int32_t> lane,
                                 ArrayRef<int32_t> wave, ArrayRef<int32_t> repeat,
                                 ArrayRef<int32_t> waveRepeats) {
  // The rest needs the tile's extents: verifyEncoding.
  if (rank == 0 || reg.size() % rank || wave.size() % rank || lane.size() != 6 * rank)
    return emitError() << "a layout has exactly 6 lane vectors, found "
                       << (rank ? lane.size() / rank : 0) << " [cdna.layout.c1]";
  if (repeat.size() != rank || waveRepeats.size() % 2)
    return emitError() << "repeat has one count a dimension, wave_repeat pairs [cdna.layout.c1]";
  auto isCount = [](int32_t count) { return count >= 1 && count <= (1 << 16); };
  bool areCounts = llvm::all_of(repeat, isCount);
  for (unsigned i = 1; i < waveRepeats.size(); i += 2)
    areCounts &= isCount(waveRepeats[i]);
  if (!areCounts)
    return emitError() << "a repeat is not in [1, 65536] [cdna.layout.c1]";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  // None where its own text could not be read.
  if (!elementType || !elementType.isIntOrFloat() || ShapedType::isDynamicShape(shape))
    return emitError()
           << "a tile with a layout is static and holds integers or floats [cdna.layout.c1]";
  if (auto error =
          tegula::verify(toLayout(), Extents(shape.begin(), shape.end()), elementBits(elementType)))
    return emitError() << error->message << " [" << error->label << "]";
  return success();
}

//===--- the algebra's form ---===//

static tegula::Bases unflatten(ArrayRef<int32_t> flat, unsigned rank) {
  tegula::Bases bases;
  for (unsigned i = 0; i < flat.size(); i += rank)
    bases.emplace_back(flat.begin() + i, flat.begin() + i + rank);
  return bases;
}

static SmallVector<int32_t> flatten(const tegula::Bases &bases) {
  SmallVector<int32_t> flat;
  for (const tegula::Basis &basis : bases)
    flat.append(basis.begin(), basis.end());
  return flat;
}

tegula::Layout LayoutAttr::toLayout() const {
  tegula::Layout layout;
  layout.reg = unflatten(getReg(), getRank());
  layout.lane = unflatten(getLane(), getRank());
  layout.wave = unflatten(getWave(), getRank());
  layout.repeat.assign(getRepeat().begin(), getRepeat().end());
  ArrayRef<int32_t> pairs = getWaveRepeats();
  for (unsigned i = 0; i < pairs.size(); i += 2)
    layout.waveRepeats.push_back({pairs[i], pairs[i + 1]});
  return layout;
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const tegula::Layout &layout) {
  SmallVector<int32_t> repeat(layout.repeat.begin(), layout.repeat.end());
  SmallVector<int32_t> pairs;
  for (const tegula::WaveRepeat &digit : layout.waveRepeats)
    pairs.append({digit.dim, static_cast<int32_t>(digit.count)});
  return get(context, layout.rank(), flatten(layout.reg), flatten(layout.lane),
             flatten(layout.wave), repeat, pairs);
}

tegula::Layout tegula::cdna::layoutOf(Type type) { return getLayout(type).toLayout(); }

RankedTensorType tegula::cdna::withLayout(RankedTensorType type, ArrayRef<int64_t> shape,
                                          const tegula::Layout &layout) {
  return RankedTensorType::get(shape, type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

RankedTensorType tegula::cdna::withLayout(RankedTensorType type, const tegula::Layout &layout) {
  return withLayout(type, type.getShape(), layout);
}

int64_t LayoutAttr::numRegisters() const { return toLayout().registersPerLane(); }
int64_t LayoutAttr::numWaves() const { return toLayout().waves(); }
