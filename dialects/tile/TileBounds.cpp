// Proofs about tile indices. All are syntactic and cheap; what they cannot see keeps its masks.
#include "dialects/tile/TileBounds.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::tile;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue())
                                                     : std::nullopt;
}

bool Extent::operator==(const Extent &other) const {
  if (constant || other.constant)
    return constant == other.constant;
  if (!name.empty() || !other.name.empty())
    return name == other.name;
  return base == other.base && dim == other.dim;
}

Extent tegula::tile::getExtent(Value view, unsigned d) {
  auto type = cast<ViewType>(view.getType());
  if (d >= type.getRank()) // asked before the op that names the axis is verified
    return {std::nullopt, {}, view, d};
  if (!type.isDynamicDim(d))
    return {type.getShape()[d], {}, {}, 0};
  if (!type.getDimName(d).empty())
    return {std::nullopt, type.getDimName(d), view, d};
  Operation *def = view.getDefiningOp();
  if (auto permute = dyn_cast_or_null<PermuteViewOp>(def))
    return getExtent(permute.getView(), permute.getPerm()[d]);
  if (auto index = dyn_cast_or_null<IndexOp>(def))
    return getExtent(index.getView(), d < index.getD() ? d : d + 1);
  if (auto expand = dyn_cast_or_null<ExpandOp>(def))
    return getExtent(expand.getView(), d < expand.getD() ? d : d - 1);
  if (auto slice = dyn_cast_or_null<SliceOp>(def); slice && slice.isFullRange(d))
    return getExtent(slice.getView(), d);
  return {std::nullopt, {}, view, d};
}

// The extent that an i32 value is: a constant or a tile.dim.
static std::optional<Extent> extentOfValue(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return Extent{constant, {}, {}, 0};
  if (auto dim = value.getDefiningOp<DimOp>())
    return getExtent(dim.getView(), dim.getD());
  return std::nullopt;
}

// A grid function's extents are those of the kernel's arguments.
static Extent toKernelArguments(Extent extent, KernelOpInterface kernel) {
  if (auto argument = dyn_cast_if_present<BlockArgument>(extent.base))
    extent.base = kernel->getRegion(0).getArgument(argument.getArgNumber());
  return extent;
}

// program_id < grid result: inside when that result is the number of whole tiles of this extent.
static bool isGridInside(ProgramIdOp id, const Extent &extent, int64_t tile) {
  auto kernel = id->getParentOfType<KernelOpInterface>();
  FlatSymbolRefAttr name = kernel ? kernel.getGridAttr() : FlatSymbolRefAttr();
  auto grid = name ? SymbolTable::lookupNearestSymbolFrom<FuncOp>(kernel, name) : FuncOp();
  if (!grid || id.getAxis() >= grid.getBody().front().getTerminator()->getNumOperands())
    return false;
  Value count = grid.getBody().front().getTerminator()->getOperand(id.getAxis());
  std::optional<Extent> counted = extentOfValue(count);
  if (!counted)
    return false;
  if (counted->constant && extent.constant)
    return *counted->constant * tile <= *extent.constant;
  return tile == 1 && toKernelArguments(*counted, kernel) == extent;
}

// A loop variable is below the loop's bound: inside when bound * tile <= extent.
static bool isLoopInside(scf::ForOp loop, const Extent &extent, int64_t tile) {
  std::optional<int64_t> lower = constantOf(loop.getLowerBound());
  if (!lower || *lower < 0)
    return false;
  Value upper = loop.getUpperBound();
  if (std::optional<int64_t> bound = constantOf(upper))
    return extent.constant && *bound * tile <= *extent.constant;
  Operation *division = upper.getDefiningOp();
  if (!isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(division)) {
    std::optional<Extent> whole = extentOfValue(upper);
    return tile == 1 && whole && *whole == extent;
  }
  std::optional<Extent> divided = extentOfValue(division->getOperand(0));
  std::optional<int64_t> size = constantOf(division->getOperand(1));
  return divided && *divided == extent && size && *size >= tile;
}

// Whether value * tile <= extent, for a number of full tiles or the smaller of it and another.
static bool isWithinFullTiles(Value value, const Extent &extent, int64_t tile) {
  if (auto least = value.getDefiningOp<arith::MinUIOp>())
    return isWithinFullTiles(least.getLhs(), extent, tile) ||
           isWithinFullTiles(least.getRhs(), extent, tile);
  if (std::optional<int64_t> number = constantOf(value))
    return extent.constant && *number >= 0 && *number * tile <= *extent.constant;
  auto division = value.getDefiningOp<arith::DivUIOp>();
  std::optional<Extent> divided =
      division ? extentOfValue(division.getLhs()) : std::optional<Extent>();
  std::optional<int64_t> size = division ? constantOf(division.getRhs()) : std::nullopt;
  return divided && *divided == extent && size && *size >= tile;
}

static bool countsTiles(scf::ForOp loop) {
  return isConstantIntValue(getAsOpFoldResult(loop.getLowerBound()), 0) &&
         isConstantIntValue(getAsOpFoldResult(loop.getStep()), 1);
}

// first + i with i below last - first, both numbers of tiles: a part of a loop over tiles.
static bool isPartInside(arith::AddIOp index, const Extent &extent, int64_t tile) {
  for (auto [first, counter] :
       {std::pair(index.getLhs(), index.getRhs()), std::pair(index.getRhs(), index.getLhs())}) {
    auto argument = dyn_cast<BlockArgument>(counter);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || argument != loop.getInductionVar() || !countsTiles(loop))
      continue;
    auto count = loop.getUpperBound().getDefiningOp<arith::SubIOp>();
    if (count && count.getRhs() == first && isNonNegative(first) &&
        isWithinFullTiles(count.getLhs(), extent, tile))
      return true;
  }
  return false;
}

bool tegula::tile::isTileInside(Value view, unsigned d, int64_t tile, Value index) {
  Extent extent = getExtent(view, d);
  if (std::optional<int64_t> position = constantOf(index))
    return extent.constant && *position >= 0 && (*position + 1) * tile <= *extent.constant;
  if (auto id = index.getDefiningOp<ProgramIdOp>())
    return isGridInside(id, extent, tile);
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return isPartInside(sum, extent, tile);
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && argument == loop.getInductionVar() && isLoopInside(loop, extent, tile);
}

// signs

// The deepest arithmetic that is looked through.
static constexpr unsigned kDeepest = 12;

static bool isNonNegativeTo(Value value, unsigned depth) {
  if (std::optional<int64_t> number = constantOf(value))
    return *number >= 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && depth > 0 &&
           isNonNegativeTo(loop.getLowerBound(), depth - 1);
  }
  Operation *op = value.getDefiningOp();
  if (isa<DimOp, ProgramIdOp, TileIdOp, ResidentOp>(op))
    return true;
  if (depth == 0)
    return false;
  auto known = [&](Value operand) { return isNonNegativeTo(operand, depth - 1); };
  // Unsigned results are never above the first operand, or (minima, masks) above the smaller one.
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemSIOp>(op))
    return known(op->getOperand(0));
  if (isa<arith::MinUIOp, arith::AndIOp, arith::RemUIOp, arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), known);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp>(op))
    return llvm::all_of(op->getOperands(), known);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return known(select.getTrueValue()) && known(select.getFalseValue());
  return false;
}

bool tegula::tile::isNonNegative(Value value) { return isNonNegativeTo(value, kDeepest); }

// loops over tiles

Value tegula::tile::createTileCount(OpBuilder &builder, Location loc, Value view, unsigned d,
                                    int64_t tile) {
  Value extent = builder.createOrFold<DimOp>(loc, view, d);
  Value size = arith::ConstantIntOp::create(builder, loc, tile, 32);
  return builder.createOrFold<arith::CeilDivUIOp>(loc, extent, size);
}

// ub = ceildiv(extent, tile)
static std::optional<TileLoop> matchCeilDiv(Value bound) {
  Operation *division = bound.getDefiningOp();
  if (!isa_and_nonnull<arith::CeilDivUIOp, arith::CeilDivSIOp>(division))
    return std::nullopt;
  std::optional<Extent> extent = extentOfValue(division->getOperand(0));
  std::optional<int64_t> tile = constantOf(division->getOperand(1));
  if (!extent || !tile || *tile < 1)
    return std::nullopt;
  return TileLoop{*extent, *tile, extent->constant ? Value() : division->getOperand(0)};
}

// The dimensions that loads of the body walk by the induction variable itself.
static SmallVector<std::pair<Extent, int64_t>> walkedDims(scf::ForOp loop) {
  SmallVector<std::pair<Extent, int64_t>> dims;
  loop.getBody()->walk([&](LoadOp load) {
    for (auto [d, index] : llvm::enumerate(load.getIndices()))
      if (index == loop.getInductionVar())
        dims.push_back({getExtent(load.getView(), d), load.getType().getDimSize(d)});
  });
  return dims;
}

// A constant bound: some load of static extent has its last tile partly outside.
static std::optional<TileLoop> matchConstantBound(int64_t bound,
                                                  ArrayRef<std::pair<Extent, int64_t>> dims) {
  for (auto &[extent, tile] : dims)
    if (extent.constant && (bound - 1) * tile < *extent.constant && bound * tile > *extent.constant)
      return TileLoop{extent, tile, {}};
  return std::nullopt;
}

std::optional<TileLoop> tegula::tile::matchTileLoop(scf::ForOp loop) {
  if (!countsTiles(loop))
    return std::nullopt;
  SmallVector<std::pair<Extent, int64_t>> dims = walkedDims(loop);
  auto walks = [&](const Extent &extent, int64_t tile) {
    return llvm::any_of(dims, [&](auto &d) { return d.first == extent && d.second == tile; });
  };
  if (std::optional<int64_t> bound = constantOf(loop.getUpperBound())) {
    for (auto &[extent, tile] : dims)
      if (extent.constant && llvm::divideCeil(*extent.constant, tile) == uint64_t(*bound))
        return TileLoop{extent, tile, {}};
    return std::nullopt;
  }
  std::optional<TileLoop> match = matchCeilDiv(loop.getUpperBound());
  return match && walks(match->extent, match->tile) ? match : std::nullopt;
}

std::optional<TileLoop> tegula::tile::matchPartialTileLoop(scf::ForOp loop) {
  if (!countsTiles(loop))
    return std::nullopt;
  WalkResult carries = loop.getBody()->walk([](Operation *op) {
    return isa<MmaOp, ReduceOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!carries.wasInterrupted())
    return std::nullopt;
  SmallVector<std::pair<Extent, int64_t>> dims = walkedDims(loop);
  if (std::optional<int64_t> bound = constantOf(loop.getUpperBound()))
    return matchConstantBound(*bound, dims);
  std::optional<TileLoop> match = matchCeilDiv(loop.getUpperBound());
  if (!match || match->tile == 1 ||
      (match->extent.constant && *match->extent.constant % match->tile == 0))
    return std::nullopt;
  bool walked = llvm::any_of(
      dims, [&](auto &dim) { return dim.first == match->extent && dim.second == match->tile; });
  return walked ? match : std::nullopt;
}
