// The view type and the attributes of the dialect: text form and verifiers.
#include "dialects/tile/Tile.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

void TileDialect::registerTypesAndAttributes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
}

// !tile.view

int64_t ViewType::naturalAlign(Type elementType) {
  return std::max<int64_t>(1, elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() / 8
                                                         : 1);
}

int64_t ViewType::getElementBytes() const { return naturalAlign(getElementType()); }

std::optional<unsigned> ViewType::getUnitStrideDim() const {
  for (unsigned d = getRank(); d-- > 0;)
    if (getStrides()[d] == 1)
      return d;
  return std::nullopt;
}

// strides = [?, 1]
static ParseResult parseStrides(AsmParser &parser, SmallVectorImpl<int64_t> &strides) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  });
}

static ParseResult parseNames(AsmParser &parser, SmallVectorImpl<StringAttr> &names) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  });
}

// `, names = [...]`, `, strides = [...]`, `, align = n` in any order.
static ParseResult parseViewField(AsmParser &parser, SmallVectorImpl<StringAttr> &names,
                                  SmallVectorImpl<int64_t> &strides, int64_t &align) {
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&key) || parser.parseEqual())
    return failure();
  if (key == "names")
    return parseNames(parser, names);
  if (key == "strides")
    return parseStrides(parser, strides);
  if (key == "align")
    return parser.parseInteger(align);
  return parser.emitError(loc) << "unknown field '" << key
                               << "' of a view; known are names, strides and align";
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  SmallVector<StringAttr> names;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element))
    return {};
  int64_t align = naturalAlign(element);
  while (succeeded(parser.parseOptionalComma()))
    if (parseViewField(parser, names, strides, align))
      return {};
  if (parser.parseGreater())
    return {};
  if (llvm::all_of(names, [](StringAttr name) { return name.empty(); }))
    names.clear(); // one spelling for "all anonymous"
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape, element, names, strides,
                                     align);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    (ShapedType::isDynamic(extent) ? printer << '?' : printer << extent) << 'x';
  printer << getElementType();
  if (!getNames().empty()) {
    printer << ", names = [";
    llvm::interleaveComma(getNames(), printer,
                          [&](StringAttr name) { printer.printString(name.getValue()); });
    printer << ']';
  }
  printer << ", strides = " << listText(getStrides());
  if (getAlign() != naturalAlign(getElementType()))
    printer << ", align = " << getAlign();
  printer << '>';
}

static bool isIdentifier(StringRef text) {
  return !text.empty() && (llvm::isAlpha(text[0]) || text[0] == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static bool isPositiveInteger(StringRef text) {
  int64_t value = 0;
  return !text.getAsInteger(10, value) && value > 0;
}

// "", "M", "HK*4", "M/32", "2880"; a product of two names stays opaque but is still a name
// ("HK*G").
static bool isExtentName(StringRef text) {
  if (text.empty() || isIdentifier(text) || isPositiveInteger(text))
    return true;
  size_t at = text.find_first_of("*/");
  if (at == StringRef::npos || !isIdentifier(text.take_front(at)))
    return false;
  StringRef rest = text.drop_front(at + 1);
  return isPositiveInteger(rest) || (text[at] == '*' && isIdentifier(rest));
}

static LogicalResult verifyViewShape(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << "a view has 1 to 5 dimensions, found " << shape.size()
                       << " [tile.view.c1]";
  int64_t product = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      continue;
    if (extent <= 0)
      return emitError() << "a static extent is at least 1, found " << extent << " [tile.view.c1]";
    if (extent >= (int64_t(1) << 62) / product)
      return emitError() << "the product of the extents of " << listText(shape)
                         << " must be below 2^62 [tile.view.c1]";
    product *= extent;
  }
  return success();
}

static LogicalResult verifyViewNames(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> shape, ArrayRef<StringAttr> names) {
  if (!names.empty() && names.size() != shape.size())
    return emitError() << "names has " << names.size() << " entries for " << shape.size()
                       << " extents [tile.view.c3]";
  for (auto [name, extent] : llvm::zip(names, shape)) {
    if (!isExtentName(name.getValue()))
      return emitError()
             << "extent name \"" << name.getValue()
             << "\" is none of: a name, name*const, name/const, an integer [tile.view.c3]";
    int64_t literal = 0;
    if (!name.getValue().getAsInteger(10, literal) && !ShapedType::isDynamic(extent) &&
        literal != extent)
      return emitError() << "extent name \"" << name.getValue() << "\" on an extent of " << extent
                         << " [tile.view.c3]";
  }
  return success();
}

static LogicalResult verifyViewAlign(function_ref<InFlightDiagnostic()> emitError, Type element,
                                     ArrayRef<int64_t> strides, int64_t align) {
  if (align < 1 || align > 256 || !llvm::isPowerOf2_64(align))
    return emitError() << "align is a power of two from 1 to 256, found " << align
                       << " [tile.view.c5]";
  for (int64_t stride : strides)
    if (!ShapedType::isDynamic(stride) && stride != 1 &&
        stride * ViewType::naturalAlign(element) % align != 0)
      return emitError() << "stride " << stride << " of " << element
                         << " is not a multiple of align = " << align << " bytes [tile.view.c5]";
  return success();
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type element, ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> strides, int64_t align) {
  if (failed(verifyViewShape(emitError, shape)))
    return failure();
  if (!isElementType(element))
    return emitError()
           << "a view of " << element
           << "; element types are i1 i8 i16 i32 i64 f64 f32 f16 bf16 f8E4M3FN f8E5M2 f8E4M3FNUZ "
              "f8E5M2FNUZ f6E2M3FN f6E3M2FN f4E2M1FN f8E8M0FNU [tile.view.c2]";
  if (failed(verifyViewNames(emitError, shape, names)))
    return failure();
  if (strides.size() != shape.size())
    return emitError() << "strides has " << strides.size() << " entries for " << shape.size()
                       << " extents [tile.view.c4]";
  return verifyViewAlign(emitError, element, strides, align);
}

// #tile.schedule: text

namespace {
/// The fields while they are parsed, in the order of the attribute's parameters.
struct ScheduleFields {
  SmallVector<int64_t> waves;
  StringAttr mma;
  std::optional<int64_t> stages;
  std::optional<LdsPath> lds;
  std::optional<int64_t> rasterGroup;
  std::optional<bool> rasterXcd;
  std::optional<int64_t> splitK;
  std::optional<bool> persistent;
  std::optional<int64_t> occupancy;
  std::optional<bool> pingpong;
};
} // namespace

static ParseResult parseOptionalNumber(AsmParser &parser, std::optional<int64_t> &value) {
  return parser.parseInteger(value.emplace());
}

static ParseResult parseOptionalBool(AsmParser &parser, std::optional<bool> &value) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (word != "true" && word != "false")
    return parser.emitError(loc, "expected true or false");
  value = word == "true";
  return success();
}

static ParseResult parseLds(AsmParser &parser, std::optional<LdsPath> &lds) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  lds = symbolizeLdsPath(word);
  if (!lds)
    return parser.emitError(loc) << "lds is direct, register or none, found " << word
                                 << " [tile.schedule.c4]";
  return success();
}

static ParseResult parseRaster(AsmParser &parser, ScheduleFields &fields) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "group")
      return parseOptionalNumber(parser, fields.rasterGroup);
    if (key == "xcd")
      return parseOptionalBool(parser, fields.rasterXcd);
    return parser.emitError(loc) << "raster has the fields group and xcd, found " << key
                                 << " [tile.schedule.c5]";
  });
}

static ParseResult parseField(AsmParser &parser, ScheduleFields &fields) {
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&key) || parser.parseEqual())
    return failure();
  if (key == "waves")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(fields.waves.emplace_back());
    });
  if (key == "mma") {
    std::string text;
    if (parser.parseString(&text))
      return failure();
    fields.mma = parser.getBuilder().getStringAttr(text);
    return success();
  }
  if (key == "stages")
    return parseOptionalNumber(parser, fields.stages);
  if (key == "lds")
    return parseLds(parser, fields.lds);
  if (key == "raster")
    return parseRaster(parser, fields);
  if (key == "split_k")
    return parseOptionalNumber(parser, fields.splitK);
  if (key == "persistent")
    return parseOptionalBool(parser, fields.persistent);
  if (key == "occupancy")
    return parseOptionalNumber(parser, fields.occupancy);
  if (key == "pingpong")
    return parseOptionalBool(parser, fields.pingpong);
  return parser.emitError(loc) << "unknown field '" << key << "' of a schedule";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  ScheduleFields f;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseField(parser, f); }))
    return {};
  return get(parser.getContext(), f.waves, f.mma, f.stages, f.lds, f.rasterGroup, f.rasterXcd,
             f.splitK, f.persistent, f.occupancy, f.pingpong);
}

static void printRaster(AsmPrinter &printer, std::optional<int64_t> group,
                        std::optional<bool> xcd) {
  printer << "raster = {";
  if (group)
    printer << "group = " << *group << (xcd ? ", " : "");
  if (xcd)
    printer << "xcd = " << (*xcd ? "true" : "false");
  printer << '}';
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  const char *separator = "";
  auto next = [&]() -> AsmPrinter & {
    printer << separator;
    separator = ", ";
    return printer;
  };
  printer << '<';
  if (!getWaves().empty())
    next() << "waves = " << listText(getWaves());
  if (getMma())
    next() << "mma = " << getMma();
  if (getStages())
    next() << "stages = " << *getStages();
  if (getLds())
    next() << "lds = " << stringifyLdsPath(*getLds());
  if (getRasterGroup() || getRasterXcd())
    printRaster(next(), getRasterGroup(), getRasterXcd());
  if (getSplitK())
    next() << "split_k = " << *getSplitK();
  if (getPersistent())
    next() << "persistent = " << (*getPersistent() ? "true" : "false");
  if (getOccupancy())
    next() << "occupancy = " << *getOccupancy();
  if (getPingpong())
    next() << "pingpong = " << (*getPingpong() ? "true" : "false");
  printer << '>';
}

int64_t ScheduleAttr::getWaveCount() const {
  int64_t count = getWaves().empty() ? 0 : 1;
  for (int64_t waves : getWaves())
    count *= waves;
  return count;
}

SmallVector<StringRef> ScheduleAttr::missingFields(bool hasMma, bool hasTileId) const {
  SmallVector<StringRef> missing;
  auto need = [&](bool present, StringRef name) {
    if (!present)
      missing.push_back(name);
  };
  need(!getWaves().empty(), "waves");
  if (hasMma) {
    need(bool(getMma()), "mma");
    need(getStages().has_value(), "stages");
    need(getLds().has_value(), "lds");
  }
  if (hasTileId)
    need(getRasterGroup() && getRasterXcd(), "raster");
  need(getSplitK().has_value(), "split_k");
  need(getPersistent().has_value(), "persistent");
  need(getOccupancy().has_value(), "occupancy");
  return missing;
}
