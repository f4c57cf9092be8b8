// Gathers, scatters and atomic updates: element indices into a kernel argument.
#include "FoldedView.h"
#include "LdsScratch.h"
#include "LowerTile.h"

#include "dialects/tile/TileBounds.h"
#include "dialects/tile/TileRuns.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

/// The place operands of one access.
class IndexedLowering {
public:
  IndexedLowering(Operation *op, Value view, ValueRange indices, RankedTensorType type)
      : op(op), builder(op), loc(op->getLoc()), view(view), given(indices), type(type) {}

  LogicalResult prepare();
  Value createLoad(Attribute pad);
  void createStore(Value value, Value mask);
  Value createAtomic(tile::AtomicKind kind, Value value, tile::MemoryScope scope, bool fetch);
  Value createCas(Value expected, Value desired, tile::MemoryScope scope);
  void createFence(FenceKind kind, tile::MemoryScope scope) {
    OrderOp::create(builder, loc, kind, scope);
  }

private:
  bool isTileIndex() const {
    return !given.empty() && !isa<RankedTensorType>(given.front().getType());
  }
  void addDimension(unsigned d);
  Value elementsOfTile(unsigned d, bool inside);
  bool canPair(tile::AtomicKind kind) const;
  bool runsAlong(unsigned axis, int64_t width) const;
  int64_t width() const;

  Operation *op;
  OpBuilder builder;
  Location loc;
  Value view;
  ValueRange given;
  RankedTensorType type;

  FoldedView folded;
  SmallVector<Value> origin, limits, indices;
  SmallVector<int32_t> dims, check;
};

} // namespace

/// The indices of a tile's elements along d. An index that could be negative becomes one past every
/// end: its tile lies before the view as a whole.
Value IndexedLowering::elementsOfTile(unsigned d, bool inside) {
  Value index = given[d];
  int64_t extent = type.getDimSize(d);
  if (!inside && !tile::isNonNegative(index))
    index = builder.createOrFold<arith::MinUIOp>(loc, index,
                                                 constantI32(builder, loc, INT32_MAX / extent));
  Value first = builder.createOrFold<arith::MulIOp>(loc, index, constantI32(builder, loc, extent));
  RankedTensorType coordinates = type.clone(builder.getI32Type());
  Value within = IotaOp::create(builder, loc, coordinates, builder.getI64IntegerAttr(d));
  return arith::AddIOp::create(builder, loc, within,
                               SplatOp::create(builder, loc, coordinates, first));
}

void IndexedLowering::addDimension(unsigned d) {
  bool inside = isTileIndex() && tile::isTileInside(view, d, type.getDimSize(d), given[d]);
  Value index = isTileIndex() ? elementsOfTile(d, inside) : given[d];
  if (!inside)
    check.push_back(dims.size());
  dims.push_back(*folded.dims[d]);
  indices.push_back(index);
}

LogicalResult IndexedLowering::prepare() {
  FailureOr<FoldedView> found = foldView(builder, view);
  if (failed(found))
    return failure();
  folded = *found;
  for (unsigned d = 0; d < given.size(); ++d) {
    if (folded.dims[d])
      addDimension(d);
    else if (!isTileIndex() || type.getDimSize(d) != 1)
      return op->emitError("a dimension that was added to a view has only index 0; leave it out "
                           "where elements are addressed [tile.expand.c1]");
  }
  Value zero = constantI32(builder, loc, 0);
  for (unsigned a = 0; a < folded.type().getRank(); ++a) {
    origin.push_back(folded.offsets[a] ? folded.offsets[a] : zero);
    if (folded.hasLimits())
      limits.push_back(endOf(builder, loc, folded, a));
  }
  return success();
}

/// Two neighbours are a dword when the tile starts at an even element of aligned memory and a lane
/// holds them side by side.
bool IndexedLowering::canPair(tile::AtomicKind kind) const {
  auto viewType = cast<tile::ViewType>(view.getType());
  std::optional<unsigned> unit = viewType.getUnitStrideDim();
  bool is16BitSum = kind == tile::AtomicKind::Add && isa<FloatType>(type.getElementType()) &&
                    type.getElementTypeBitWidth() == 16;
  if (!is16BitSum || !isTileIndex() || !unit || !folded.dims[*unit] || viewType.getAlign() < 4)
    return false;
  bool even = type.getDimSize(*unit) % 2 == 0 && !folded.offsets[*folded.dims[*unit]];
  return even && vectorWidth(layoutOf(type), *unit, /*elementBits=*/16, /*maxBytes=*/4) == 2;
}

/// Whether `width` elements in a row along a tile's axis are neighbours in memory, the first at a
/// multiple of them.
bool IndexedLowering::runsAlong(unsigned axis, int64_t width) const {
  unsigned unit = *folded.type().getUnitStrideDim();
  if (type.getDimSize(axis) % width != 0 || tile::getDivisor(origin[unit]) < width)
    return false;
  bool runs = false;
  for (auto [index, dim] : llvm::zip_equal(indices, dims)) {
    std::optional<tile::Run> run = tile::getRun(index, axis);
    if (!run || run->step != (unsigned(dim) == unit) || (run->step && run->divisor < width))
      return false;
    runs |= run->step == 1;
  }
  return runs;
}

/// Registers in a row that one access moves.
int64_t IndexedLowering::width() const {
  tile::ViewType view = folded.type();
  if (isTileIndex() || !view.getUnitStrideDim())
    return 1;
  int64_t widest = 1, bytes = std::min<int64_t>(16, view.getAlign());
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    int64_t width = vectorWidth(layoutOf(type), axis, view.getElementBytes() * 8, bytes);
    while (width > widest && !runsAlong(axis, width))
      width /= 2;
    widest = std::max(widest, width);
  }
  return widest;
}

Value IndexedLowering::createLoad(Attribute pad) {
  return LoadIndexedOp::create(builder, loc, type, folded.argument, origin, limits, indices, dims,
                               check, width(), cast<TypedAttr>(pad));
}

void IndexedLowering::createStore(Value value, Value mask) {
  StoreIndexedOp::create(builder, loc, value, folded.argument, origin, limits, indices, mask, dims,
                         check, mask ? 1 : width());
}

Value IndexedLowering::createAtomic(tile::AtomicKind kind, Value value, tile::MemoryScope scope,
                                    bool fetch) {
  auto atomic =
      AtomicRmwOp::create(builder, loc, fetch ? Type(type) : Type(), kind, value, folded.argument,
                          origin, limits, indices, scope, dims, check, canPair(kind));
  return atomic.getOld();
}

Value IndexedLowering::createCas(Value expected, Value desired, tile::MemoryScope scope) {
  return AtomicCasOp::create(builder, loc, type, expected, desired, folded.argument, origin, limits,
                             indices, scope, dims, check);
}

//===--- The ops ---===//

static LogicalResult lowerGather(tile::GatherOp op) {
  IndexedLowering access(op, op.getView(), op.getIndices(), op.getResult().getType());
  if (failed(access.prepare()))
    return failure();
  op.getResult().replaceAllUsesWith(access.createLoad(op.getPad()));
  op.erase();
  return success();
}

static LogicalResult lowerScatter(tile::ScatterOp op) {
  IndexedLowering access(op, op.getView(), op.getIndices(), op.getValue().getType());
  if (failed(access.prepare()))
    return failure();
  access.createStore(op.getValue(), op.getMask());
  op.erase();
  return success();
}

static bool orders(tile::MemoryOrder order, tile::MemoryOrder side) {
  return order == side || order == tile::MemoryOrder::AcqRel;
}

/// Relaxed updates between at most one fence before and one after the whole tile.
template <typename Op>
static LogicalResult lowerAtomic(Op op, RankedTensorType type,
                                 function_ref<Value(IndexedLowering &)> create) {
  IndexedLowering access(op, op.getView(), op.getIndices(), type);
  if (failed(access.prepare()))
    return failure();
  if (orders(op.getOrder(), tile::MemoryOrder::Release))
    access.createFence(FenceKind::Release, op.getScope());
  // Who has made the update knows the old value.
  OpBuilder builder(op);
  Value owners = create(access);
  FailureOr<Value> old = owners;
  if (owners)
    old = toldByOwners(builder, op, owners);
  if (failed(old))
    return failure();
  if (orders(op.getOrder(), tile::MemoryOrder::Acquire))
    access.createFence(FenceKind::Acquire, op.getScope());
  if (*old)
    op.getOld().replaceAllUsesWith(*old);
  op.erase();
  return success();
}

LogicalResult lowerIndexed(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](tile::GatherOp gather) { return lowerGather(gather); })
      .Case([](tile::ScatterOp scatter) { return lowerScatter(scatter); })
      .Case([](tile::AtomicRmwOp rmw) {
        return lowerAtomic(rmw, rmw.getValue().getType(), [&](IndexedLowering &access) {
          return access.createAtomic(rmw.getKind(), rmw.getValue(), rmw.getScope(),
                                     bool(rmw.getOld()));
        });
      })
      .Case([](tile::AtomicCasOp cas) {
        return lowerAtomic(cas, cas.getDesired().getType(), [&](IndexedLowering &access) {
          return access.createCas(cas.getExpected(), cas.getDesired(), cas.getScope());
        });
      })
      .Default([](Operation *) { return success(); });
}

} // namespace tegula::cdna
