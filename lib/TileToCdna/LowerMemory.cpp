// Memory ops of a kernel: a tile access becomes an access through a window of its argument.
#include "FoldedView.h"
#include "LowerTile.h"

#include "dialects/tile/TileBounds.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

/// One load or store, in dimensions of the window (view dimensions without expanded ones).
class AccessLowering {
public:
  AccessLowering(Operation *op, Value view, ValueRange indices, RankedTensorType type)
      : op(op), builder(op), loc(op->getLoc()), view(view), indices(indices), type(type) {}

  LogicalResult prepare();
  Value createLoad(Attribute pad);
  void createStore(Value value);
  /// Which elements lie inside the view; null when all do.
  Value createMask();

private:
  bool hasPhantoms(unsigned d) const { return covered[d] > shape()[d]; }
  ArrayRef<int64_t> shape() const { return windowType.getShape(); }
  unsigned argumentDim(unsigned d) const { return *folded.dims[windowDims[d]]; }
  int64_t strideOf(unsigned d) const { return folded.type().getStrides()[argumentDim(d)]; }
  /// Some dimension runs backwards: no bound of a descriptor is where it ends, and no scalar offset
  /// goes there.
  bool isMirrored() const {
    return llvm::any_of(llvm::seq<unsigned>(0, windowDims.size()), [&](unsigned d) {
      return !ShapedType::isDynamic(strideOf(d)) && strideOf(d) < 0;
    });
  }

  std::optional<unsigned> rowDim() const;
  bool rowsEndInOrder(unsigned row) const;
  bool mayStraddleDword(unsigned d) const;
  void chooseTails();
  bool isLarge() const;
  void chooseScalars();
  Value elementOffset(unsigned d);
  Value firstElement(unsigned d);
  Value createWindow();
  BufferType alignedWithScalars(BufferType type);
  SmallVector<Value> accessIndices();

  Operation *op;
  OpBuilder builder;
  Location loc;
  Value view;
  SmallVector<Value> indices;
  RankedTensorType type;

  FoldedView folded;
  SmallVector<unsigned> windowDims; ///< view dimension of each window dimension
  RankedTensorType windowType;      ///< `type` without expanded dimensions
  Extents covered;                  ///< extents of the layout, phantoms included
  SmallVector<bool> inside;         ///< per window dimension: no element can lie outside
  SmallVector<int32_t> tails, scalars;
};

} // namespace

LogicalResult AccessLowering::prepare() {
  FailureOr<FoldedView> view = foldView(builder, this->view);
  if (failed(view))
    return failure();
  folded = *view;
  SmallVector<int64_t> windowShape;
  Layout windowLayout = layoutOf(type);
  for (unsigned d = 0; d < indices.size(); ++d) {
    if (folded.dims[d]) {
      windowDims.push_back(d);
      windowShape.push_back(type.getDimSize(d));
      inside.push_back(tile::isTileInside(this->view, d, type.getDimSize(d), indices[d]));
    } else if (type.getDimSize(d) != 1) {
      return op->emitError("a tile of an expanded dimension has extent 1 [tile.expand.c1]");
    }
  }
  for (unsigned d = indices.size(); d-- > 0;)
    if (!folded.dims[d]) {
      std::optional<Layout> sliced = slice(windowLayout, d);
      if (!sliced)
        return op->emitError("no layout without the expanded dimension [cdna.layout.c3]");
      windowLayout = *sliced;
    }
  covered = windowLayout.cover();
  windowType = RankedTensorType::get(windowShape, type.getElementType(),
                                     LayoutAttr::get(type.getContext(), windowLayout));
  chooseTails();
  chooseScalars();
  return success();
}

//===--- Tails ---===//

/// Whether every element of rows past the end lies behind every element before it, which is what a
/// descriptor's bound can tell apart. Rows that repeat or overlap do not. A launch sees to it that
/// a view with a stride unknown here has none of them.
bool AccessLowering::rowsEndInOrder(unsigned row) const {
  int64_t reach = 0;
  bool unitOnly = true;
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    if (d == row || covered[d] == 1)
      continue;
    int64_t extent = folded.type().getShape()[argumentDim(d)];
    int64_t width = ShapedType::isDynamic(extent) ? shape()[d] : std::min(shape()[d], extent);
    reach += (width - 1) * strideOf(d);
    unitOnly &= strideOf(d) <= 1;
  }
  return ShapedType::isDynamic(strideOf(row)) ? unitOnly : strideOf(row) > reach;
}

/// The dimension of greatest stride among those longer than 1; none when strides unknown before
/// launch could compete.
std::optional<unsigned> AccessLowering::rowDim() const {
  if (isMirrored())
    return std::nullopt;
  SmallVector<unsigned> dynamic;
  std::optional<unsigned> longest;
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    if (covered[d] == 1)
      continue;
    if (ShapedType::isDynamic(strideOf(d)))
      dynamic.push_back(d);
    else if (!longest || strideOf(d) > strideOf(*longest))
      longest = d;
  }
  if (dynamic.size() > 1)
    return std::nullopt;
  std::optional<unsigned> row = dynamic.empty() ? longest : dynamic.front();
  return row && rowsEndInOrder(*row) ? row : std::nullopt;
}

/// The descriptor's bound works on dwords: with vectors of narrow elements the last one could lie
/// half outside.
bool AccessLowering::mayStraddleDword(unsigned d) const {
  int64_t size = elementBytes(type.getElementType());
  int64_t align = cast<tile::ViewType>(view.getType()).getAlign();
  if (size >= 4 || strideOf(d) != 1)
    return false;
  int64_t width = vectorWidth(layoutOf(windowType), d, size * 8, align);
  int64_t granule = std::min<int64_t>(width, 4 / size);
  int64_t extent = folded.type().getShape()[argumentDim(d)];
  bool sliced = folded.offsets[argumentDim(d)] || folded.limits[argumentDim(d)];
  bool known = !sliced && !ShapedType::isDynamic(extent);
  return granule > 1 && !(known && extent % granule == 0 && shape()[d] % granule == 0);
}

static bool feedsProductsOnly(Operation *access) {
  return isa<tile::LoadOp>(access) && llvm::all_of(access->getUsers(), [](Operation *user) {
           if (isa<ConvertLayoutOp>(user))
             return llvm::all_of(user->getUsers(), llvm::IsaPred<tile::MmaOp>);
           return isa<tile::MmaOp>(user);
         });
}

void AccessLowering::chooseTails() {
  std::optional<unsigned> row = rowDim();
  // What an operand holds beyond its tile reaches no sum, and only tiles that are inside are
  // prefetched.
  bool isOperand = feedsProductsOnly(op);
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    // Of a single element the window's own emptiness is the test.
    bool needed = (hasPhantoms(d) && !isOperand) || (!inside[d] && shape()[d] > 1);
    Tail tail = !needed                            ? Tail::None
                : row == d && !mayStraddleDword(d) ? Tail::Records
                                                   : Tail::Compare;
    tails.push_back(static_cast<int32_t>(tail));
  }
}

bool AccessLowering::isLarge() const {
  return bool(tile::getArgAttr(folded.argument, tile::kArgLargeAttr));
}

/// In a loop over full tiles the window stands still and the loop's offset is scalar. That needs
/// every index which the loop changes to be proved inside, because scalar offsets escape the
/// descriptor's bound.
void AccessLowering::chooseScalars() {
  auto loop = op->getParentOfType<scf::ForOp>();
  // A scalar offset has 32 bits. Windows that move with the loop are rebased in 64.
  if (!loop || isLarge() || isMirrored())
    return;
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    if (loop.isDefinedOutsideOfLoop(indices[windowDims[d]]))
      continue;
    if (tails[d] != static_cast<int32_t>(Tail::None) || !inside[d])
      return scalars.clear();
    scalars.push_back(d);
  }
}

//===--- Windows ---===//

/// Tile index times tile extent. A negative index becomes one past every end: its tile lies before
/// the view as a whole, and the one test for emptiness, at the end, serves both sides.
Value AccessLowering::elementOffset(unsigned d) {
  Value index = indices[windowDims[d]];
  if (!inside[d] && !tile::isNonNegative(index)) {
    Value last = constantI32(builder, loc, INT32_MAX / shape()[d]);
    index = builder.createOrFold<arith::MinUIOp>(loc, index, last);
  }
  Value extent = constantI32(builder, loc, shape()[d]);
  return builder.createOrFold<arith::MulIOp>(loc, index, extent);
}

/// The first element of the tile, in coordinates of the argument.
Value AccessLowering::firstElement(unsigned d) {
  Value begin = folded.offsets[argumentDim(d)];
  Value offset = elementOffset(d);
  return begin ? builder.createOrFold<arith::AddIOp>(loc, begin, offset) : offset;
}

Value AccessLowering::createWindow() {
  unsigned rank = folded.type().getRank();
  SmallVector<Value> offsets(rank), limits;
  SmallVector<int32_t> dims;
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    dims.push_back(argumentDim(d));
    if (!llvm::is_contained(scalars, static_cast<int32_t>(d)))
      offsets[argumentDim(d)] = firstElement(d);
  }
  for (unsigned a = 0; a < rank; ++a) {
    if (!offsets[a])
      offsets[a] = folded.offsets[a] ? folded.offsets[a] : constantI32(builder, loc, 0);
    if (folded.hasLimits())
      limits.push_back(endOf(builder, loc, folded, a));
  }
  bool all = dims.size() == rank && llvm::is_sorted(dims);
  auto window = BufferOp::create(builder, loc, folded.argument, offsets, limits,
                                 all ? ArrayRef<int32_t>() : dims, shape());
  window.getResult().setType(alignedWithScalars(window.getType()));
  return window;
}

/// The window's type for accesses at its scalar offsets, which may be aligned to less than its
/// first element is.
BufferType AccessLowering::alignedWithScalars(BufferType type) {
  int64_t align = type.getAlign();
  for (int32_t d : scalars)
    if (type.getUnitStrideDim() == d)
      align = std::min(align, knownDivisor(elementOffset(d)) * type.getElementBytes());
  return BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                         type.getStrides(), align);
}

SmallVector<Value> AccessLowering::accessIndices() {
  SmallVector<Value> result;
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    bool scalar = llvm::is_contained(scalars, static_cast<int32_t>(d));
    result.push_back(scalar ? elementOffset(d) : constantI32(builder, loc, 0));
  }
  return result;
}

//===--- The ops ---===//

Value AccessLowering::createMask() {
  Value mask;
  RankedTensorType coordinates = windowType.clone(builder.getI32Type());
  for (unsigned d = 0; d < windowDims.size(); ++d) {
    if (inside[d])
      continue;
    Value end = endOf(builder, loc, folded, argumentDim(d));
    Value left = builder.createOrFold<arith::SubIOp>(loc, end, firstElement(d));
    Value coordinate = IotaOp::create(builder, loc, coordinates, builder.getI64IntegerAttr(d));
    Value within = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, coordinate,
                                         SplatOp::create(builder, loc, coordinates, left));
    mask = mask ? arith::AndIOp::create(builder, loc, mask, within) : within;
  }
  if (mask && windowType != type)
    mask =
        RenameOp::create(builder, loc, type.clone(builder.getI1Type()), mask, DenseI32ArrayAttr());
  return mask;
}

static bool isZero(Attribute pad) {
  if (auto number = dyn_cast<FloatAttr>(pad))
    return number.getValue().isPosZero();
  return cast<IntegerAttr>(pad).getValue().isZero();
}

Value AccessLowering::createLoad(Attribute pad) {
  Value window = createWindow();
  Value loaded = LoadOp::create(builder, loc, windowType, window, accessIndices(),
                                /*where=*/Value(), tails, scalars);
  if (windowType != type)
    loaded = RenameOp::create(builder, loc, type, loaded, DenseI32ArrayAttr());
  Value mask = isZero(pad) ? Value() : createMask();
  if (!mask)
    return loaded;
  Value fill = arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(type, pad));
  return arith::SelectOp::create(builder, loc, mask, loaded, fill);
}

void AccessLowering::createStore(Value value) {
  Value window = createWindow();
  if (windowType != type)
    value = RenameOp::create(builder, loc, windowType, value, DenseI32ArrayAttr());
  StoreOp::create(builder, loc, value, window, accessIndices(), tails, scalars);
}

//===--- Families ---===//

static LogicalResult lowerLoad(tile::LoadOp op) {
  AccessLowering access(op, op.getView(), op.getIndices(), op.getResult().getType());
  if (failed(access.prepare()))
    return failure();
  op.getResult().replaceAllUsesWith(access.createLoad(op.getPad()));
  op.erase();
  return success();
}

static LogicalResult lowerStore(tile::StoreOp op) {
  AccessLowering access(op, op.getView(), op.getIndices(), op.getValue().getType());
  if (failed(access.prepare()))
    return failure();
  access.createStore(op.getValue());
  op.erase();
  return success();
}

static LogicalResult lowerValid(tile::ValidOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  AccessLowering access(op, op.getView(), op.getIndices(), type);
  if (failed(access.prepare()))
    return failure();
  Value mask = access.createMask();
  if (!mask) {
    OpBuilder builder(op);
    mask = arith::ConstantOp::create(builder, op.getLoc(),
                                     SplatElementsAttr::get(type, builder.getBoolAttr(true)));
  }
  op.getResult().replaceAllUsesWith(mask);
  op.erase();
  return success();
}

static LogicalResult lowerScalar(tile::ScalarOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  FailureOr<FoldedView> folded = foldView(builder, op.getView());
  if (failed(folded))
    return failure();
  SmallVector<Value> offsets = folded->offsets;
  for (auto [d, index] : llvm::enumerate(op.getIndices()))
    if (std::optional<unsigned> a = folded->dims[d])
      offsets[*a] =
          offsets[*a] ? builder.createOrFold<arith::AddIOp>(loc, offsets[*a], index) : index;
  Value zero = constantI32(builder, loc, 0);
  for (Value &offset : offsets)
    offset = offset ? offset : zero;
  SmallVector<int64_t> one(offsets.size(), 1);
  Value window = BufferOp::create(builder, loc, folded->argument, offsets, ValueRange(),
                                  ArrayRef<int32_t>(), one);
  SmallVector<Value> origin(offsets.size(), zero);
  Value loaded = LoadScalarOp::create(builder, loc, op.getResult().getType(), window, origin);
  loaded = UniformOp::create(builder, loc, loaded.getType(), loaded);
  FailureOr<Value> same =
      handRound(builder, op, loaded, tile::getAliasSet(op.getView()).value_or(0));
  if (failed(same))
    return failure();
  op.getResult().replaceAllUsesWith(*same);
  op.erase();
  return success();
}

LogicalResult lowerMemory(Region &body) {
  WalkResult result = body.walk([](Operation *op) {
    LogicalResult lowered = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                                .Case([](tile::LoadOp load) { return lowerLoad(load); })
                                .Case([](tile::StoreOp store) { return lowerStore(store); })
                                .Case([](tile::ArriveOp arrive) { return lowerArrive(arrive); })
                                .Case([](tile::ValidOp valid) { return lowerValid(valid); })
                                .Case([](tile::ScalarOp scalar) { return lowerScalar(scalar); })
                                .Default([](Operation *other) { return lowerIndexed(other); });
    return failed(lowered) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tegula::cdna
