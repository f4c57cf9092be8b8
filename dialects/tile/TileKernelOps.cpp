// Kernels, grid functions, grid positions: text form and the rules that can be checked on the op
// itself.
#include "dialects/tile/Tile.h"
#include "dialects/tile/TileBounds.h"
#include "dialects/tile/TileNormalForms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "tegula/Target/Target.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileKernelOps.cpp.inc"

// text

static ParseResult parseFunction(OpAsmParser &parser, OperationState &result, StringAttr typeName,
                                 StringAttr argAttrs, StringAttr resAttrs) {
  auto build = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false, typeName,
                                                  build, argAttrs, resAttrs);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction(parser, result, getFunctionTypeAttrName(result.name),
                       getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction(parser, result, getFunctionTypeAttrName(result.name),
                       getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

// tile.kernel

// c2: views and scalars; c6: a name stands for one static extent.
static LogicalResult verifyArguments(KernelOp kernel) {
  llvm::StringMap<std::pair<int64_t, unsigned>> extents;
  llvm::StringMap<unsigned> names;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (auto name = kernel.getArgAttrOfType<StringAttr>(i, kArgNameAttr))
      if (!names.try_emplace(name.getValue(), i).second)
        return kernel.emitOpError()
               << "two arguments are called \"" << name.getValue() << "\" [tile.kernel.c8]";
    auto view = dyn_cast<ViewType>(type);
    if (!view && (!isElementType(type) || isNarrowFloat(type)))
      return kernel.emitOpError()
             << argumentName(kernel, i) << " is a " << type
             << "; an argument is a !tile.view or a scalar i1 i8 i16 i32 i64 f64 f32 f16 bf16 "
                "[tile.kernel.c2]";
    for (unsigned d = 0; view && d < view.getRank(); ++d) {
      StringRef name = view.getDimName(d);
      if (name.empty() || view.isDynamicDim(d))
        continue;
      auto [known, isNew] = extents.try_emplace(name, view.getShape()[d], i);
      if (!isNew && known->second.first != view.getShape()[d])
        return kernel.emitOpError()
               << "extent " << name << " is " << known->second.first << " in "
               << argumentName(kernel, known->second.second) << " and " << view.getShape()[d]
               << " in " << argumentName(kernel, i) << " [tile.kernel.c6]";
    }
  }
  return success();
}

static LogicalResult verifyTarget(KernelOp kernel) {
  TargetAttr target = kernel.getTargetAttr();
  if (!target || tegula::lookupTarget(target.getName()))
    return success();
  InFlightDiagnostic diag = kernel.emitOpError()
                            << "unknown target \"" << target.getName() << "\"; known are";
  for (std::string_view name : tegula::targetNames())
    diag << ' ' << StringRef(name);
  return diag << " [tile.kernel.c7]";
}

LogicalResult KernelOp::verify() {
  if (!getBody().hasOneBlock())
    return emitOpError("has a body of exactly one block [tile.kernel.c1]");
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("returns nothing: outputs are arguments [tile.kernel.c1]");
  if (failed(verifyArguments(*this)) || failed(verifyTarget(*this)))
    return failure();
  return getScheduleAttr() ? verifyScheduleValues(*this, getScheduleAttr()) : success();
}

// program_id.c1, tile_id.c3 and resident.c1 compare the body with the grid function's results.
static LogicalResult verifyGridPositions(KernelOp kernel, FuncOp grid) {
  unsigned axes = grid.getFunctionType().getNumResults();
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op); id && id.getAxis() >= axes) {
      id.emitOpError() << "axis " << id.getAxis() << " of a grid with " << axes
                       << " [tile.program_id.c1]";
      return WalkResult::interrupt();
    }
    if (isa<ResidentOp>(op) && axes != 1) {
      op->emitOpError() << "walks over a linear grid (one result), " << grid.getSymName() << " has "
                        << axes << " [tile.resident.c1]";
      return WalkResult::interrupt();
    }
    if (isa<TileIdOp>(op) && axes != 1) {
      op->emitOpError() << "needs a linear grid (one result, the product of tile.num_tiles), "
                        << grid.getSymName() << " has " << axes << " [tile.tile_id.c3]";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getGridAttr())
    return success();
  auto grid = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getGridAttr());
  if (!grid)
    return emitOpError() << "grid = " << getGridAttr()
                         << " names no tile.func of this module [tile.kernel.c3]";
  if (grid.getArgumentTypes() != getArgumentTypes())
    return emitOpError() << "and its grid function " << getGridAttr()
                         << " take different arguments: " << getFunctionType().getInputs()
                         << " and " << grid.getFunctionType().getInputs() << " [tile.kernel.c4]";
  ArrayRef<Type> results = grid.getResultTypes();
  if (results.empty() || results.size() > 3 ||
      !llvm::all_of(results, [](Type t) { return t.isInteger(32); }))
    return emitOpError() << "grid function " << getGridAttr() << " returns "
                         << grid.getFunctionType().getResults()
                         << "; a grid is one to three i32 [tile.kernel.c5]";
  return verifyGridPositions(*this, grid);
}

// tile.func, tile.return

LogicalResult FuncOp::verify() {
  if (!getBody().hasOneBlock())
    return emitOpError("has a body of exactly one block [tile.func.c3]");
  if (!isPrivate())
    return emitOpError("is private: only kernels are visible outside [tile.func.c3]");
  return success();
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(function.getResultTypes()) != TypeRange(getOperandTypes()))
    return emitOpError() << "returns (" << getOperandTypes() << "), the function's results are ("
                         << function.getResultTypes() << ") [tile.return.c1]";
  return success();
}

// grid positions

LogicalResult ProgramIdOp::verify() {
  // A grid has at most three axes, also where no grid function is named yet.
  if (getAxis() >= 3)
    return emitOpError() << "axis " << getAxis()
                         << "; a grid has at most three [tile.program_id.c1]";
  return success();
}

static LogicalResult verifyTiling(Operation *op, ViewType view, ArrayRef<int64_t> shape) {
  if (int64_t(shape.size()) != view.getRank() || op->getNumResults() != shape.size())
    return op->emitOpError() << "a tile of " << listText(shape) << " and " << op->getNumResults()
                             << " results for a view of rank " << view.getRank() << " ["
                             << op->getName() << ".c1]";
  for (int64_t extent : shape)
    if (extent < 1 || extent > (1 << 24))
      return op->emitOpError() << "tile extents are from 1 to 2^24, found " << listText(shape)
                               << " [" << op->getName() << ".c1]";
  return success();
}

LogicalResult TileIdOp::verify() { return verifyTiling(*this, getView().getType(), getShape()); }

LogicalResult NumTilesOp::verify() { return verifyTiling(*this, getView().getType(), getShape()); }

LogicalResult NumTilesOp::canonicalize(NumTilesOp op, PatternRewriter &rewriter) {
  SmallVector<Value> counts;
  for (auto [d, tile] : llvm::enumerate(op.getShape()))
    counts.push_back(createTileCount(rewriter, op.getLoc(), op.getView(), d, tile));
  rewriter.replaceOp(op, counts);
  return success();
}
