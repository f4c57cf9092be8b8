// The path of a layout conversion: registers, or through LDS.
#include "ConvertPaths.h"
#include "LdsFacts.h"

#include "tegula/Layout/LdsConversion.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace {

/// A conversion through LDS, part by part where the tile is too large for it.
class LdsPath {
public:
  LdsPath(ConvertLayoutOp convert, LdsConversion plan)
      : convert(convert), from(convert.getValue().getType()), to(convert.getType()),
        plan(std::move(plan)), builder(convert) {}
  LogicalResult emit();

private:
  LogicalResult allocate();
  Extents roomOf(ArrayRef<int64_t> extents, const Layout &writer) const;
  Value move(ArrayRef<int64_t> origin);
  Value renamed(Value value, const Layout &layout);
  RankedTensorType partType(RankedTensorType whole, ArrayRef<int64_t> origin);

  ConvertLayoutOp convert;
  RankedTensorType from, to;
  LdsConversion plan;
  OpBuilder builder;
  LdsAllocOp scratch;
};

} // namespace

static Extents shapeOf(RankedTensorType type) {
  return Extents(type.getShape().begin(), type.getShape().end());
}

/// Room for the elements, and along the fastest dimension up to a whole access, as far as the
/// writer has something to put there.
Extents LdsPath::roomOf(ArrayRef<int64_t> extents, const Layout &writer) const {
  Extents room(extents.begin(), extents.end());
  int64_t perAccess = std::max<int64_t>(1, 16 / elementBytes(from.getElementType()));
  int64_t &row = room[plan.order.front()];
  row = std::min<int64_t>(llvm::alignTo(row, perAccess), writer.cover()[plan.order.front()]);
  return room;
}

LogicalResult LdsPath::allocate() {
  auto kernel = convert->getParentOfType<KernelOp>();
  SmallVector<int64_t> extents;
  for (auto [extent, block] : llvm::zip_equal(from.getShape(), plan.block))
    extents.push_back(std::min(extent, block));
  auto tile = RankedTensorType::get(roomOf(extents, layoutOf(from)), from.getElementType());
  SmallVector<int32_t> order(plan.order.begin(), plan.order.end());
  FailureOr<LdsType> type = makeLdsType(convert.getLoc(), kernel.getTargetInfo(), tile, order);
  if (failed(type))
    return failure();
  scratch = allocateLds(kernel, convert.getLoc(), *type, /*swizzle=*/true);
  return success();
}

/// Another order of the registers.
Value LdsPath::renamed(Value value, const Layout &layout) {
  auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
  if (type == value.getType())
    return value;
  return ConvertLayoutOp::create(
      builder, convert.getLoc(), type, value,
      ConvertPathAttr::get(builder.getContext(), tegula::cdna::ConvertPath::None));
}

RankedTensorType LdsPath::partType(RankedTensorType whole, ArrayRef<int64_t> origin) {
  SmallVector<int64_t> shape;
  for (auto [extent, first, block] : llvm::zip_equal(whole.getShape(), origin, plan.block))
    shape.push_back(std::min(block, extent - first));
  Extents start(origin.begin(), origin.end());
  return withLayout(whole, shape, *part(layoutOf(whole), shapeOf(whole), start, plan.block));
}

/// Stores the part that begins at `origin` and reads it back.
Value LdsPath::move(ArrayRef<int64_t> origin) {
  Location loc = convert.getLoc();
  RankedTensorType stored = partType(from, origin), read = partType(to, origin);
  Value value = convert.getValue(), lds = scratch;
  if (stored != from)
    value = PartOp::create(builder, loc, stored, value, builder.getDenseI64ArrayAttr(origin));
  unsigned fast = plan.order.front();
  value = renamed(value, runFirst(layoutOf(stored), fast));
  Extents room = roomOf(stored.getShape(), layoutOf(stored));
  if (ArrayRef(room) != scratch.getType().getShape())
    lds = LdsViewOp::create(builder, loc, lds, Value(), SmallVector<int64_t>(room.size(), 0), room);
  LdsStoreOp::create(builder, loc, value, lds);
  Layout natural = layoutOf(read);
  RankedTensorType fetched = plan.transposeRead ? read : withLayout(read, runFirst(natural, fast));
  Value result = LdsLoadOp::create(builder, loc, fetched, lds,
                                   plan.transposeRead ? builder.getUnitAttr() : UnitAttr());
  return renamed(result, natural);
}

LogicalResult LdsPath::emit() {
  if (failed(allocate()))
    return failure();
  SmallVector<Value> parts;
  SmallVector<int64_t> origins, origin(from.getRank(), 0);
  for (bool more = true; more;) {
    parts.push_back(move(origin));
    llvm::append_range(origins, origin);
    more = false;
    for (unsigned d = from.getRank(); d-- > 0 && !more;) {
      more = (origin[d] += plan.block[d]) < from.getDimSize(d);
      if (!more)
        origin[d] = 0;
    }
  }
  std::string type = tile::shapeText(RankedTensorType::get(from.getShape(), from.getElementType()));
  convert.emitRemark("layout conversion of a ")
      << type << " tile: through LDS" << (plan.transposeRead ? ", by transposing reads" : "")
      << (parts.size() > 1 ? ", in " + std::to_string(parts.size()) + " parts" : std::string());
  Value result = parts.front();
  if (result.getType() != to)
    result =
        JoinOp::create(builder, convert.getLoc(), to, parts, builder.getDenseI64ArrayAttr(origins));
  convert.getResult().replaceAllUsesWith(result);
  convert.erase();
  return success();
}

/// The order of the elements in memory, for either shape.
static SmallVector<int32_t> rowMajor(RankedTensorType type) {
  return llvm::to_vector(llvm::reverse(llvm::seq<int32_t>(0, type.getRank())));
}

LogicalResult tegula::cdna::expandReshape(ReshapeOp reshape) {
  RankedTensorType from = reshape.getValue().getType(), to = reshape.getType();
  auto kernel = reshape->getParentOfType<KernelOp>();
  const Target &target = kernel.getTargetInfo();
  auto without = [](RankedTensorType type) {
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  Location loc = reshape.getLoc();
  FailureOr<LdsType> written = makeLdsType(loc, target, without(from), rowMajor(from)),
                     read = makeLdsType(loc, target, without(to), rowMajor(to));
  if (failed(written) || failed(read))
    return failure();
  LdsAllocOp scratch = allocateLds(kernel, loc, *written);
  OpBuilder builder(reshape);
  LdsStoreOp::create(builder, loc, reshape.getValue(), scratch);
  Value other = LdsReshapeOp::create(builder, loc, *read, scratch);
  Value result = LdsLoadOp::create(builder, loc, to, other, /*transpose=*/UnitAttr());
  reshape.emitRemark("reshape of a ") << tile::shapeText(without(from)) << " tile: through LDS";
  reshape.getResult().replaceAllUsesWith(result);
  reshape.erase();
  return success();
}

/// How a conversion stays in registers, if that is the cheapest way.
static std::optional<tegula::cdna::ConvertPath> pathInRegisters(ConvertLayoutOp convert,
                                                                const Target &target) {
  RankedTensorType from = convert.getValue().getType(), to = convert.getType();
  Conversion found =
      classifyConversion(layoutOf(from), layoutOf(to), elementBits(from.getElementType()), target);
  auto remark = [&](const char *how) {
    convert.emitRemark("layout conversion of a ")
        << tile::shapeText(RankedTensorType::get(from.getShape(), from.getElementType()))
        << " tile: " << how;
  };
  if (!renameRegisters(from, to).empty()) {
    if (found.path == tegula::ConvertPath::Register)
      remark("inside the registers of each lane");
    return tegula::cdna::ConvertPath::None;
  }
  if (from.getElementType().isInteger(1)) // lane masks have no registers of their own
    return std::nullopt;
  if (found.path == tegula::ConvertPath::Lane) {
    remark("each register between lanes");
    return tegula::cdna::ConvertPath::Lane;
  }
  if (found.path == tegula::ConvertPath::Exchange) {
    remark("registers exchanged between lanes");
    return tegula::cdna::ConvertPath::Exchange;
  }
  return std::nullopt;
}

LogicalResult tegula::cdna::planConversion(ConvertLayoutOp convert) {
  RankedTensorType from = convert.getValue().getType(), to = convert.getType();
  auto kernel = convert->getParentOfType<KernelOp>();
  const Target &target = kernel.getTargetInfo();
  if (std::optional<tegula::cdna::ConvertPath> path = pathInRegisters(convert, target)) {
    convert.setPath(*path);
    return success();
  }
  int64_t lds = target.ldsPerWorkgroup(kernel.getOccupancy()), rings = ringBytesAround(convert);
  unsigned bits = elementBits(from.getElementType());
  Layout source = layoutOf(from), result = layoutOf(to);
  std::optional<LdsConversion> plan;
  // In parts, so that two workgroups share a compute unit; else all that there is.
  for (int64_t share : {2, 1})
    if (int64_t room = lds / share - rings; room > 0 && !plan)
      plan = planLdsConversion(source, result, shapeOf(from), bits, room, target);
  if (!plan)
    plan = planLdsConversion(source, result, shapeOf(from), bits,
                             std::numeric_limits<int64_t>::max(), target);
  return LdsPath(convert, *plan).emit();
}
