// Dialect registration, attributes of kernel arguments, and helpers that all families share.
#include "dialects/tile/Tile.h"
#include "dialects/tile/TileNormalForms.h"
#include "dialects/tile/TileQuantize.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tegula::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"
#include "dialects/tile/TileInterfaces.cpp.inc"

void TileDialect::initialize() {
  registerOps();
  registerTypesAndAttributes();
}

void TileDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileKernelOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileIndexedOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileMathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileRecordOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileScanOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileQuantizeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileShapeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile/TileViewOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Facts about a kernel, before or after lowering to cdna, that no pass has to keep true.
static LogicalResult verifyKernelAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool isList = name == kRecordSitesAttr;
  Attribute value = attribute.getValue();
  if (isa<KernelOpInterface>(op) && (isList ? isa<ArrayAttr>(value) : isa<UnitAttr>(value)))
    return success();
  return op->emitOpError() << name << " is " << (isList ? "a list" : "a unit attribute")
                           << " of a kernel, found " << value << " [tile.form.c1]";
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kAssertsAttr || name == kOrderDependentAttr || name == kRecordSitesAttr)
    return verifyKernelAttribute(op, attribute);
  auto kernel = dyn_cast<KernelOp>(op);
  if (kernel && name == kLegalForTargetAttr)
    return verifyLegalForTarget(kernel);
  if (kernel && name == kTailsSplitAttr)
    return verifyTailsSplit(kernel);
  return op->emitOpError() << "has an attribute " << name << "; kernels may have " << kAssertsAttr
                           << ", " << kOrderDependentAttr << " and " << kRecordSitesAttr
                           << ", those of the dialect " << kLegalForTargetAttr << " and "
                           << kTailsSplitAttr << " [tile.form.c1]";
}

/// What the ABI makes a region of the workspace from: records of one size, as many as the grid
/// asks.
static LogicalResult verifyWorkspace(Operation *op, unsigned index, Attribute attribute) {
  auto error = [&]() {
    return op->emitOpError() << "argument " << index << ": tile.workspace is ";
  };
  auto share = dyn_cast<IntegerAttr>(attribute);
  if (!share || !share.getType().isInteger(32) || share.getInt() < 1)
    return error() << "a number of workgroups of type i32, found " << attribute
                   << " [tile.kernel.c9]";
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto view = function ? dyn_cast<ViewType>(function.getArgumentTypes()[index]) : ViewType();
  if (!view || llvm::any_of(view.getShape().drop_front(), ShapedType::isDynamic))
    return error() << "for a view whose records, all but the first extent, are static "
                      "[tile.kernel.c9]";
  auto kernel = dyn_cast<KernelOpInterface>(op);
  if (!kernel || !kernel.getGridAttr())
    return error() << "for a kernel with a grid [tile.kernel.c9]";
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kArgNameAttr) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (!text || text.empty())
      return op->emitOpError()
             << "argument " << index
             << ": tile.name is the argument's name, a non-empty string [tile.kernel.c8]";
    return success();
  }
  if (name == kArgAliasAttr) {
    auto set = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!set || !set.getType().isInteger(32) || set.getInt() < 0)
      return op->emitOpError() << "argument " << index
                               << ": tile.alias is a set number >= 0 of type i32, found "
                               << attribute.getValue() << " [tile.kernel.c9]";
    return success();
  }
  if (name == kArgWorkspaceAttr)
    return verifyWorkspace(op, index, attribute.getValue());
  if (name == kArgZeroedAttr || name == kArgLargeAttr || name == kArgRecordsAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || !isa<ViewType>(function.getArgumentTypes()[index]))
      return op->emitOpError() << "argument " << index << ": " << name
                               << " is for a view [tile.kernel.c9]";
    if (name == kArgZeroedAttr && !function.getArgAttr(index, kArgWorkspaceAttr))
      return op->emitOpError() << "argument " << index
                               << ": tile.zeroed stands beside tile.workspace [tile.kernel.c9]";
    return success();
  }
  return op->emitOpError() << "argument " << index << ": unknown attribute " << name
                           << "; known are tile.name, tile.alias, tile.large, tile.workspace, "
                              "tile.zeroed and tile.records [tile.kernel.c9]";
}

bool tegula::tile::isNarrowFloat(Type type) {
  auto real = dyn_cast<FloatType>(type);
  return real && real.getWidth() <= 8;
}

bool tegula::tile::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type,
             Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E8M0FNUType, Float6E2M3FNType,
             Float6E3M2FNType, Float4E2M1FNType>(type);
}

std::string tegula::tile::dtypeName(Type element) {
  return llvm::TypeSwitch<Type, std::string>(element)
      .Case([](IntegerType t) { return "i" + std::to_string(t.getWidth()); })
      .Case([](Float8E4M3FNType) { return "f8e4m3fn"; })
      .Case([](Float8E5M2Type) { return "f8e5m2"; })
      .Case([](Float8E4M3FNUZType) { return "f8e4m3fnuz"; })
      .Case([](Float8E5M2FNUZType) { return "f8e5m2fnuz"; })
      .Case([](Float8E8M0FNUType) { return "e8m0"; })
      .Case([](Float6E2M3FNType) { return "f6e2m3"; })
      .Case([](Float6E3M2FNType) { return "f6e3m2"; })
      .Case([](Float4E2M1FNType) { return "f4e2m1"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float64Type) { return "f64"; })
      .Default([](Type) { return ""; });
}

std::string tegula::tile::argumentName(FunctionOpInterface kernel, unsigned i) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(i, kArgNameAttr))
    return name.str();
  return "argument " + std::to_string(i);
}

std::string tegula::tile::shapeText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ArrayRef<int64_t> shape;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape = tensor.getShape();
    element = tensor.getElementType();
  } else if (auto view = dyn_cast<ViewType>(type)) {
    shape = view.getShape();
    element = view.getElementType();
  }
  for (int64_t extent : shape)
    (ShapedType::isDynamic(extent) ? os << "?" : os << extent) << "x";
  os << element;
  return text;
}

std::string tegula::tile::listText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os,
                        [&](int64_t v) { ShapedType::isDynamic(v) ? os << '?' : os << v; });
  os << ']';
  return text;
}

Value tegula::tile::getBaseView(Value view) {
  while (auto derived = view.getDefiningOp<ViewLikeOpInterface>())
    view = derived.getViewSource();
  return view;
}

Value tegula::tile::writtenView(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<StoreOp, ScatterOp, AtomicRmwOp, AtomicCasOp>(
          [](auto write) { return write.getView(); })
      .Default([](Operation *) { return Value(); });
}

/// The function that an argument is of; null when it is none of a function.
static FunctionOpInterface ownerOf(BlockArgument argument) {
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  return dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

Attribute tegula::tile::getArgAttr(Value view, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(getBaseView(view));
  FunctionOpInterface function = ownerOf(argument);
  return function ? function.getArgAttr(argument.getArgNumber(), name) : Attribute();
}

std::optional<int64_t> tegula::tile::getAliasSet(Value view) {
  if (!ownerOf(dyn_cast<BlockArgument>(getBaseView(view))))
    return std::nullopt;
  auto set = cast_if_present<IntegerAttr>(getArgAttr(view, kArgAliasAttr));
  return set ? set.getInt() : 0;
}

ParseResult tegula::tile::parsePlainInt(OpAsmParser &parser, IntegerAttr &value) {
  int32_t number = 0;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI32IntegerAttr(number);
  return success();
}

void tegula::tile::printPlainInt(OpAsmPrinter &printer, Operation *, IntegerAttr value) {
  printer << value.getInt();
}
