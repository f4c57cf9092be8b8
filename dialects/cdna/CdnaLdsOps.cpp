// LDS: allocations, views, slots, accesses, copies.
#include "dialects/cdna/CdnaVerify.h"
#include "tegula/Layout/LdsConversion.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tegula::cdna;

#define GET_OP_CLASSES
#include "dialects/cdna/CdnaLdsOps.cpp.inc"

//===--- types of buffers ---===//

std::string tegula::cdna::withCommas(int64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t i = int64_t(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
  return digits;
}

/// The tile with its longest extents halved until it has at most so many elements.
static std::string fittingTile(RankedTensorType tile, int64_t elements) {
  SmallVector<int64_t> shape(tile.getShape());
  while (ShapedType::getNumElements(shape) > elements) {
    int64_t &longest = *llvm::max_element(shape);
    longest = (longest + 1) / 2;
  }
  return tegula::tile::shapeText(RankedTensorType::get(shape, tile.getElementType()));
}

FailureOr<LdsType> tegula::cdna::makeLdsType(Location loc, const Target &target,
                                             RankedTensorType tile, ArrayRef<int32_t> order,
                                             int64_t stages) {
  Type element = tile.getElementType();
  int64_t stageBytes = tile.getNumElements() * elementBytes(element);
  if (stageBytes * stages >= kLdsTypeBytes) {
    InFlightDiagnostic error = emitError(loc, "LDS: ")
                               << withCommas(stageBytes * stages) << " bytes needed for a "
                               << tile::shapeText(RankedTensorType::get(tile.getShape(), element))
                               << " tile";
    if (stages > 1)
      error << " x " << stages << " stages";
    return error << ", " << target.name << " has " << withCommas(target.ldsBytes)
                 << " per workgroup; alone, "
                 << fittingTile(tile, target.ldsBytes / elementBytes(element) / stages)
                 << " fits [cdna.kernel.c3]";
  }
  int64_t pitch = tile.getDimSize(order.front()) * elementBytes(element);
  auto type =
      LdsType::getChecked([&] { return emitError(loc); }, tile.getContext(), tile.getShape(),
                          element, order, stages, pitch, ArrayRef<int32_t>());
  return type ? FailureOr<LdsType>(type) : FailureOr<LdsType>(failure());
}

//===--- allocation and views ---===//

LdsAllocOp tegula::cdna::allocateLds(FunctionOpInterface kernel, Location loc, LdsType type,
                                     bool swizzle) {
  Block &body = kernel.getFunctionBody().front();
  auto at = llvm::find_if_not(body, llvm::IsaPred<LdsAllocOp>);
  OpBuilder builder(&body, at);
  auto alloc = LdsAllocOp::create(builder, loc, type, IntegerAttr(), IntegerAttr(), UnitAttr());
  alloc.setSwizzle(swizzle);
  return alloc;
}

LogicalResult LdsAllocOp::verify() {
  if (!isa_and_nonnull<FunctionOpInterface>((*this)->getParentOp()))
    return emitOpError() << "stands inside a loop or a branch [cdna.lds_alloc.c1]";
  bool byCopy =
      llvm::any_of(getResult().getUsers(), [](Operation *user) { return isa<AsyncCopyOp>(user); });
  int64_t align = byCopy ? kCopyAlign : kLdsAlign;
  if (getOffset() && (*getOffset() % align || (int32_t)*getOffset() < 0))
    return emitOpError() << "offset " << *getOffset() << " is not a multiple of " << align
                         << " [cdna.lds_alloc.c2]";
  if (getStageStride() && (*getStageStride() % align || *getStageStride() < getType().stageBytes()))
    return emitOpError() << "stage stride " << *getStageStride() << " is not a multiple of "
                         << align << " that holds a stage of " << getType().stageBytes()
                         << " bytes [cdna.lds_alloc.c2]";
  return success();
}

static LdsType viewType(LdsType from, ArrayRef<int64_t> shape) {
  return LdsType::get(from.getContext(), shape, from.getElementType(), from.getOrder(), 1,
                      from.getPitch(), from.getSwizzle());
}

void LdsViewOp::build(OpBuilder &builder, OperationState &state, Value lds, Value slot,
                      ArrayRef<int64_t> origin, ArrayRef<int64_t> shape) {
  build(builder, state, viewType(cast<LdsType>(lds.getType()), shape), lds, slot,
        builder.getDenseI64ArrayAttr(origin), builder.getDenseI64ArrayAttr(shape));
}

ParseResult tegula::cdna::parsePlace(OpAsmParser &parser,
                                     std::optional<OpAsmParser::UnresolvedOperand> &slot,
                                     DenseI64ArrayAttr &origin, DenseI64ArrayAttr &shape) {
  auto parseIntegers = [&](SmallVectorImpl<int64_t> &values) -> ParseResult {
    do
      if (parser.parseInteger(values.emplace_back()))
        return failure();
    while (succeeded(parser.parseOptionalComma()));
    return parser.parseRSquare();
  };
  SmallVector<int64_t> from, extents;
  if (parser.parseLSquare())
    return failure();
  OpAsmParser::UnresolvedOperand operand;
  if (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value()) {
    if (failed(*found) || parser.parseRSquare() || parser.parseLSquare())
      return failure();
    slot = operand;
  }
  if (parseIntegers(from) || parser.parseLSquare() || parseIntegers(extents))
    return failure();
  origin = parser.getBuilder().getDenseI64ArrayAttr(from);
  shape = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

void tegula::cdna::printPlace(OpAsmPrinter &printer, Operation *, Value slot,
                              DenseI64ArrayAttr origin, DenseI64ArrayAttr shape) {
  if (slot)
    printer << "[" << slot << "] ";
  printer << tile::listText(origin.asArrayRef()) << " " << tile::listText(shape.asArrayRef());
}

LogicalResult LdsViewOp::verify() {
  LdsType from = getLds().getType();
  if (getOrigin().size() != from.getRank() || getShape().size() != from.getRank())
    return emitOpError() << "one origin and extent a dimension [cdna.lds_view.c1]";
  for (auto [origin, extent, whole] : llvm::zip(getOrigin(), getShape(), from.getShape()))
    if (origin < 0 || extent < 1 || origin > whole || extent > whole - origin)
      return emitOpError() << "part [" << origin << ", " << origin + extent
                           << ") is not inside an extent of " << whole << " [cdna.lds_view.c1]";
  if ((from.getStages() > 1) != !!getSlot())
    return emitOpError()
           << "a slot is given if and only if there are several stages [cdna.lds_view.c2]";
  if (getOrigin()[from.fastestDim()] * from.getElementBytes() % 16)
    return emitOpError() << "the origin splits a 16-byte chunk [cdna.lds_view.c3]";
  if (getType() != viewType(from, getShape()))
    return emitOpError() << "the view has type " << viewType(from, getShape())
                         << " [cdna.lds_view.c4]";
  return success();
}

/// Rows lie one behind the other, without gaps, the last dimension's elements next to each other.
static bool isRowMajor(LdsType type) {
  for (auto [i, d] : llvm::enumerate(type.getOrder()))
    if (d != int32_t(type.getRank()) - 1 - int32_t(i))
      return false;
  return type.getStages() == 1 && type.getSwizzle().empty() &&
         type.getPitch() == type.naturalPitch();
}

LogicalResult LdsReshapeOp::verify() {
  LdsType from = getLds().getType(), to = getType();
  if (from.getElementType() != to.getElementType() ||
      ShapedType::getNumElements(from.getShape()) != ShapedType::getNumElements(to.getShape()))
    return emitOpError() << to << " has other elements than " << from << " [cdna.lds_reshape.c1]";
  auto alloc = getLds().getDefiningOp<LdsAllocOp>();
  if (getLds().getDefiningOp<LdsViewOp>() || getLds().getDefiningOp<LdsReshapeOp>())
    return emitOpError() << "the operand is no whole buffer [cdna.lds_reshape.c3]";
  if (!isRowMajor(from) || !isRowMajor(to) || (alloc && alloc.getSwizzle()))
    return emitOpError() << "both have to lie row-major without gaps, swizzle or stages "
                         << "[cdna.lds_reshape.c2]";
  return success();
}

std::optional<LdsPlace> tegula::cdna::getLdsPlace(Value lds) {
  LdsPlace place;
  place.origin.assign(cast<LdsType>(lds.getType()).getRank(), 0);
  while (auto view = lds.getDefiningOp<LdsViewOp>()) {
    for (auto [sum, origin] : llvm::zip(place.origin, view.getOrigin()))
      sum += origin;
    if (view.getSlot())
      place.slot = view.getSlot();
    lds = view.getLds();
  }
  place.type = cast<LdsType>(lds.getType());
  if (auto reshape = lds.getDefiningOp<LdsReshapeOp>())
    lds = reshape.getLds();
  place.alloc = lds.getDefiningOp<LdsAllocOp>();
  return place.alloc ? std::optional<LdsPlace>(place) : std::nullopt;
}

//===--- slots ---===//

/// The values a slot may come from, one step back. False when they are not known.
static bool slotSources(Value slot, SmallVectorImpl<Value> &sources) {
  if (auto next = slot.getDefiningOp<NextSlotOp>()) {
    sources.push_back(next.getSlot());
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(slot))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
      sources.push_back(loop.getTiedLoopInit(argument)->get());
      sources.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      return true;
    }
  if (auto loop = slot.getDefiningOp<scf::ForOp>()) {
    unsigned i = cast<OpResult>(slot).getResultNumber();
    sources.push_back(loop.getInitArgs()[i]);
    sources.push_back(loop.getYieldedValues()[i]);
    return true;
  }
  if (auto branch = slot.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(slot).getResultNumber();
    sources.push_back(branch.thenYield().getOperand(i));
    sources.push_back(branch.elseYield().getOperand(i));
    return true;
  }
  return false;
}

LdsAllocOp tegula::cdna::getSlotRing(Value slot) {
  SmallVector<Value> pending = {slot};
  llvm::SmallPtrSet<Value, 8> seen;
  LdsAllocOp ring;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto first = value.getDefiningOp<SlotOp>()) {
      auto alloc = first.getLds().getDefiningOp<LdsAllocOp>();
      if (!alloc || (ring && (ring.getType().getStages() != alloc.getType().getStages() ||
                              ring.stageStride() != alloc.stageStride())))
        return {};
      ring = alloc;
    } else if (!slotSources(value, pending)) {
      return {};
    }
  }
  return ring;
}

LogicalResult SlotOp::verify() {
  if ((int64_t)getStage() < 0 || (int64_t)getStage() >= getLds().getType().getStages())
    return emitOpError() << "stage " << getStage() << " of " << getLds().getType().getStages()
                         << " [cdna.slot.c1]";
  return success();
}

LogicalResult NextSlotOp::verify() {
  LdsAllocOp ring = getSlotRing(getSlot());
  if (!ring)
    return emitOpError() << "the slot is not one of a single ring [cdna.next_slot.c1]";
  if ((int64_t)getBy() < 1 || (int64_t)getBy() >= ring.getType().getStages())
    return emitOpError() << "by = " << getBy() << " is not between 0 and "
                         << ring.getType().getStages() << " stages [cdna.next_slot.c1]";
  return success();
}

//===--- accesses ---===//

bool tegula::cdna::holds(LdsType lds, RankedTensorType tile) {
  return lds.getShape().size() == tile.getShape().size() &&
         lds.getElementType() == tile.getElementType() &&
         llvm::all_of(llvm::zip(lds.getShape(), tile.getShape()),
                      [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

static LogicalResult verifyLdsAccess(Operation *op, StringRef name, RankedTensorType tile,
                                     LdsType lds) {
  if (!getLayout(tile) || !holds(lds, tile))
    return op->emitOpError() << "moves " << tile << " to or from " << lds << " [cdna." << name
                             << ".c1]";
  if (lds.getStages() != 1)
    return op->emitOpError() << "needs one stage, by cdna.lds_view [cdna." << name << ".c2]";
  return success();
}

LogicalResult LdsStoreOp::verify() {
  return verifyLdsAccess(*this, "lds_store", getValue().getType(), getLds().getType());
}

LogicalResult LdsLoadOp::verify() {
  if (failed(verifyLdsAccess(*this, "lds_load", getType(), getLds().getType())))
    return failure();
  if (!getTranspose())
    return success();
  // A lane fetches 8 aligned bytes of a row, all inside the tile or all outside.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  LdsType lds = getLds().getType();
  unsigned fast = lds.fastestDim(), bits = elementBits(getType().getElementType());
  bool possible = (!kernel || kernel.getTargetInfo().hasDsReadTranspose) &&
                  isTransposingRead(getLayout(getType()).toLayout(), fast, bits);
  if (!possible || lds.getPitch() % 8 != 0 || lds.getShape()[fast] * bits % 64 != 0)
    return emitOpError()
           << "no transposing read of the target gives this layout [cdna.lds_load.c3]";
  return success();
}

//===--- copies ---===//

int64_t AsyncCopyOp::numInstructions() {
  int64_t bytes = getFetch().numRegisters() * getBuffer().getType().getElementBytes();
  return std::max<int64_t>(1, bytes / (int64_t)getWidth());
}

/// c2: in every instruction of every wave lane l lands at the first lane's address plus width * l.
static bool landsLinearly(AsyncCopyOp op) {
  LdsType lds = op.getLds().getType();
  tegula::Layout fetch = op.getFetch().toLayout();
  int64_t perLane = std::max<int64_t>(1, op.getWidth() / lds.getElementBytes());
  auto address = [&](int64_t reg, int64_t lane, int64_t wave) {
    return lds.byteOffset(fetch.apply(reg, lane, wave));
  };
  for (int64_t wave = 0; wave < fetch.waves(); ++wave)
    for (int64_t reg = 0; reg < fetch.registersPerLane(); reg += perLane)
      for (int64_t bit = 0; bit < 6; ++bit)
        if (address(reg, 1 << bit, wave) != address(reg, 0, wave) + ((int64_t)op.getWidth() << bit))
          return false;
  return true;
}

LogicalResult AsyncCopyOp::verify() {
  LdsType lds = getLds().getType();
  BufferType buffer = getBuffer().getType();
  if (auto kernel = (*this)->getParentOfType<KernelOp>())
    if (!kernel.getTargetInfo().hasDmaWidth(getWidth()))
      return emitOpError() << "width " << getWidth()
                           << " is no DMA width of the target [cdna.async_copy.c1]";
  if (failed(verifyAccess(
          *this, "async_copy", getBuffer(),
          {lds.getShape(), lds.getElementType(), getIndices().size(), getTail(), getScalar()})))
    return failure();
  if (failed(getFetch().verifyEncoding(lds.getShape(), lds.getElementType(),
                                       [&] { return emitOpError(); })))
    return failure();
  unsigned fast = lds.fastestDim();
  if (buffer.getStrides()[fast] != 1 || buffer.getAlign() < (int64_t)getWidth() ||
      tegula::vectorWidth(getFetch().toLayout(), fast, lds.getElementBytes() * 8, getWidth()) *
              lds.getElementBytes() !=
          (int64_t)getWidth())
    return emitOpError() << "a lane's " << getWidth()
                         << " bytes are not contiguous and aligned in memory "
                         << "[cdna.async_copy.c7]";
  if (!landsLinearly(*this))
    return emitOpError() << "the fetch layout does not land lane l at base + " << getWidth()
                         << " * l "
                         << "[cdna.async_copy.c5]";
  if ((lds.getStages() > 1) != !!getSlot())
    return emitOpError()
           << "a slot is given if and only if there are several stages [cdna.async_copy.c6]";
  return success();
}
