// The region verifiers of kernels and grid functions: rules on upstream ops, which have no hook for
// ours.
#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace tegula::tile;

static constexpr int64_t kMaxElements = int64_t(1) << 24;
static constexpr int64_t kMaxOps = 20000;
static constexpr int kMaxDepth = 16;

static LogicalResult verifyAllowedOp(Operation *op, bool allowCdna) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (llvm::is_contained({"arith", "math", "scf", "tile"}, dialect) ||
      (allowCdna && dialect == "cdna"))
    return success();
  return op->emitOpError(
      "is not allowed in a kernel; arith, math, scf and tile ops are [tile.kernel.c10]");
}

static LogicalResult verifyType(Operation *op, Type type, bool allowCdna) {
  auto fail = [&](StringRef what) -> LogicalResult {
    return op->emitOpError() << "has a value of type " << type << ": " << what
                             << " [tile.kernel.c11]";
  };
  if (type.isIndex())
    return fail("extents and indices are i32 in a kernel");
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor && (allowCdna || isa<ViewType>(type) || isElementType(type)))
    return success();
  if (!tensor)
    return fail("values are tiles, views and scalars");
  if (!tensor.hasStaticShape())
    return fail("a tile has a static shape");
  if (!allowCdna && cast<RankedTensorType>(tensor).getEncoding())
    return fail("a tile has no encoding before layouts are assigned");
  if (tensor.getRank() > 5)
    return fail("a tile has at most 5 dimensions");
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent < 1)
      return fail("tile extents are at least 1");
    elements *= extent;
    if (elements > kMaxElements)
      return fail("a tile has at most 2^24 elements; use a smaller tile");
  }
  if (!isElementType(tensor.getElementType()))
    return fail("elements are i1 i8 i16 i32 i64 f64 f32 f16 bf16 or an f8 type");
  return success();
}

static LogicalResult verifyTypes(Operation *op, bool allowCdna) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyType(op, type, allowCdna)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type, allowCdna)))
      return failure();
  return success();
}

// c12, c13: upstream folders and semantics are not safe there (README, "What is ours").
static LogicalResult verifyUpstreamMath(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "math" && !isa<math::AbsFOp, math::CopySignOp, math::FloorOp, math::CeilOp,
                                math::TruncOp, math::RoundEvenOp, math::FmaOp, math::CtPopOp>(op))
    return op->emitOpError(
        "folds with the host's libm; use tile.math for functions with a promised error bound "
        "[tile.kernel.c13]");
  if (auto trunc = dyn_cast<arith::TruncFOp>(op);
      trunc && isNarrowFloat(getElementTypeOrSelf(trunc.getType())))
    return op->emitOpError() << "to " << getElementTypeOrSelf(trunc.getType())
                             << " states no saturation; use tile.cast [tile.kernel.c13]";
  if ((dialect != "arith" && dialect != "math") || isa<arith::ConstantOp, arith::SelectOp>(op))
    return success();
  auto narrow = [](Type type) { return isNarrowFloat(getElementTypeOrSelf(type)); };
  if (llvm::any_of(op->getOperandTypes(), narrow) || llvm::any_of(op->getResultTypes(), narrow))
    return op->emitOpError("on floats of 8 bits or fewer; tile.cast them first [tile.kernel.c12]");
  return success();
}

static LogicalResult verifyLoop(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isInteger(32))
    return loop.emitOpError() << "counts in " << loop.getInductionVar().getType()
                              << "; loops of a kernel count in i32 [tile.kernel.c14]";
  std::optional<APInt> step = loop.getConstantStep();
  if (!step || !step->isStrictlyPositive())
    return loop.emitOpError("has a step that is no positive constant [tile.kernel.c14]");
  return success();
}

// A view must be re-derived inside: its descriptor has to stay scalar.
static LogicalResult verifyNoCarriedView(Operation *op) {
  if (op->getName().getDialectNamespace() != "scf")
    return success();
  auto isView = [](Type type) { return isa<ViewType>(type); };
  if (llvm::any_of(op->getResultTypes(), isView))
    return op->emitOpError(
        "carries or yields a view; slice or index it inside instead [tile.kernel.c16]");
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isView))
        return op->emitOpError(
            "carries or yields a view; slice or index it inside instead [tile.kernel.c16]");
  return success();
}

static int nestingDepth(Operation *op, Operation *root) {
  int depth = 0;
  for (; op != root; op = op->getParentOp())
    ++depth;
  return depth;
}

static LogicalResult verifyOp(Operation *op, KernelOp kernel, bool allowCdna) {
  if (failed(verifyAllowedOp(op, allowCdna)) || failed(verifyTypes(op, allowCdna)) ||
      failed(verifyUpstreamMath(op)) || failed(verifyNoCarriedView(op)))
    return failure();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (failed(verifyLoop(loop)))
      return failure();
  if (op->getNumRegions() && nestingDepth(op, kernel) > kMaxDepth)
    return op->emitOpError() << "is nested deeper than " << kMaxDepth << " [tile.kernel.c15]";
  return success();
}

// tile_id.c2, program_id.c2
static LogicalResult verifyTileIds(KernelOp kernel) {
  TileIdOp tileId;
  WalkResult walk = kernel.walk([&](TileIdOp op) {
    if (tileId) {
      op.emitOpError("a kernel has at most one tile.tile_id [tile.tile_id.c2]");
      return WalkResult::interrupt();
    }
    tileId = op;
    return WalkResult::advance();
  });
  if (!walk.wasInterrupted() && tileId && !tileId.getAt())
    walk = kernel.walk([&](ProgramIdOp op) {
      op.emitOpError("beside tile.tile_id, whose raster owns the grid [tile.program_id.c2]");
      return WalkResult::interrupt();
    });
  return failure(walk.wasInterrupted());
}

LogicalResult KernelOp::verifyRegions() {
  if (!isa<ReturnOp>(getBody().front().getTerminator()))
    return emitOpError("ends in tile.return [tile.kernel.c1]");
  bool allowCdna = (*this)->hasAttr("cdna.layouts_assigned");
  int64_t count = 0;
  WalkResult walk = getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (++count > kMaxOps) {
      emitOpError() << "has more than " << kMaxOps
                    << " ops, unrolled copies counted [tile.kernel.c15]";
      return WalkResult::interrupt();
    }
    return failed(verifyOp(op, *this, allowCdna)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() ? failure() : verifyTileIds(*this);
}

// The manifest's grid expressions are read off these ops.
LogicalResult FuncOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    bool known =
        isa<DimOp, StrideOp, NumTilesOp, ResidentOp, ReturnOp, arith::ConstantOp, arith::AddIOp,
            arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivUIOp,
            arith::CeilDivUIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
            arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
    bool integers = llvm::all_of(op.getResultTypes(),
                                 [](Type t) { return t.isInteger(32) || t.isInteger(64); });
    if (!known || !integers)
      return op.emitOpError(
          "is not allowed in a grid function: tile.dim, tile.stride, tile.num_tiles, "
          "tile.resident, "
          "constants and i32/i64 + - * min max and rounded divisions are [tile.func.c2]");
  }
  return success();
}
