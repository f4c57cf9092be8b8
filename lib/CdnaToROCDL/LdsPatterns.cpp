// LDS: slots, loads, stores and copies.
#include "BufferPatterns.h"
#include "LdsAddresses.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Extents;
using tegula::Layout;

namespace {

/// Where an LDS operand lives; reports what has no address yet.
std::optional<LdsPlace> placeOf(Operation *op, Value lds, const KernelContext &kernel) {
  std::optional<LdsPlace> place = getLdsPlace(lds);
  if (place && place->alloc.getOffset() && kernel.lds)
    return place;
  op->emitOpError() << "LDS is not allocated yet [cdna.rocdl.c1]";
  return std::nullopt;
}

/// Elements that one LDS instruction moves.
int64_t accessWidth(const tegula::Layout &layout, LdsType type) {
  int64_t maxBytes = std::min<int64_t>(16, type.getPitch() & -type.getPitch());
  return tegula::vectorWidth(layout, type.fastestDim(), 8 * type.getElementBytes(), maxBytes);
}

/// The same, no vector half outside a tile of this shape.
int64_t accessWidthInside(const tegula::Layout &layout, LdsType type, ArrayRef<int64_t> shape) {
  int64_t width = accessWidth(layout, type), extent = shape[type.fastestDim()];
  return layout.cover()[type.fastestDim()] > extent ? std::gcd(width, extent) : width;
}

Type ldsElement(Type element) {
  Type type = registerType(element);
  return type.isInteger(1) ? Type(IntegerType::get(type.getContext(), 8)) : type;
}

/// Buffers and their views are places that accesses know.
template <typename Op> struct Vanishes : CdnaPattern<Op> {
  using CdnaPattern<Op>::CdnaPattern;
  LogicalResult matchAndRewrite(Op op, typename CdnaPattern<Op>::OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    replaceWithValues(rewriter, op, ValueRange());
    return success();
  }
};

struct Slot : CdnaPattern<SlotOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(SlotOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto alloc = op.getLds().getDefiningOp<LdsAllocOp>();
    if (!alloc)
      return op.emitOpError() << "is not of a whole buffer [cdna.rocdl.c1]";
    Int ints(rewriter, op.getLoc());
    rewriter.replaceOp(op, ints.constant(op.getStage() * alloc.stageStride()));
    return success();
  }
};

/// Offsets of stages: with two stages an XOR, else add and wrap.
struct NextSlot : CdnaPattern<NextSlotOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(NextSlotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto [stages, stride] = kernel.rings.lookup(op);
    Int ints(rewriter, op.getLoc());
    Value slot = adaptor.getSlot().front();
    if (stages == 2) {
      rewriter.replaceOp(op, ints.exclusiveOr(slot, ints.constant(stride)));
      return success();
    }
    Value next = ints.add(slot, op.getBy() * stride), wrapped = ints.add(next, -stages * stride);
    rewriter.replaceOp(op,
                       ints.select(ints.less(next, ints.constant(stages * stride)), next, wrapped));
    return success();
  }
};

struct Store : CdnaPattern<LdsStoreOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LdsStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    std::optional<LdsPlace> place = placeOf(op, op.getLds(), kernel);
    if (!place)
      return failure();
    Int ints(rewriter, loc);
    Layout layout = getLayout(op.getValue().getType()).toLayout();
    LdsType type = place->type;
    // Phantoms have room in the buffer, or they stay out: what is behind belongs to others.
    SmallVector<int64_t> room;
    for (auto [extent, origin] : llvm::zip_equal(type.getShape(), place->origin))
      room.push_back(extent - origin);
    int64_t width = accessWidthInside(layout, type, room);
    Value slot = place->slot ? rewriter.getRemappedValue(place->slot) : Value();
    LdsAddresses addresses(*place, slot, layout, kernel, ints);
    for (int64_t r : addresses.byBase(width)) {
      Value piece = extractRange(rewriter, loc, adaptor.getValue(), r, width);
      if (type.getElementType().isInteger(1))
        piece = arith::ExtUIOp::create(rewriter, loc,
                                       chunkType(ldsElement(type.getElementType()), width), piece);
      Value pointer = addresses.pointer(r);
      OpBuilder::InsertionGuard guard(rewriter);
      if (Value inside = addresses.inside(r, room)) {
        auto branch = scf::IfOp::create(rewriter, loc, inside, /*withElseRegion=*/false);
        rewriter.setInsertionPointToStart(branch.thenBlock());
      }
      LLVM::StoreOp::create(rewriter, loc, piece, pointer, width * type.getElementBytes());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// 64 bits of a lane, transposed between 16 lanes.
Value transposingRead(OpBuilder &b, Location loc, Type type, Value pointer) {
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 16)
    return ROCDL::ds_read_tr16_b64::create(b, loc, type, pointer);
  Type dwords = VectorType::get({2}, b.getI32Type());
  Value raw = ROCDL::ds_read_tr8_b64::create(b, loc, dwords, pointer);
  return LLVM::BitcastOp::create(b, loc, type, raw);
}

/// Bytes of a lane that it takes out of dwords.
constexpr int64_t kFewBytes = 4;

/// Reads of dwords in place of the single bytes in them: LLVM pairs dwords, and bytes go alone.
struct SharedDwords {
  Layout layout;              ///< of the first bytes
  SmallVector<int64_t> shift; ///< of a byte in its dword, by lane bits
};

/// Where lanes step along four bytes and nothing lies beside the tile; of few bytes a lane.
std::optional<SharedDwords> shareDwords(const Layout &layout, const LdsPlace &place,
                                        ArrayRef<int64_t> shape) {
  unsigned fast = place.type.fastestDim();
  auto isWhole = [&](int64_t value) { return value % 4 == 0; };
  if (place.type.getElementBytes() != 1 || layout.registersPerLane() > kFewBytes ||
      !isWhole(place.type.getPitch()) || !isWhole(place.origin[fast]) || !isWhole(shape[fast]) ||
      layout.baseExtents() != Extents(shape.begin(), shape.end()))
    return std::nullopt;
  SharedDwords found{layout, {}};
  int64_t steps = 0;
  for (tegula::Basis &vector : found.layout.lane) {
    int64_t step = vector[fast] & 3;
    vector[fast] -= step;
    steps += step;
    found.shift.push_back(8 * step);
  }
  bool others = llvm::any_of(llvm::concat<const tegula::Basis>(layout.reg, layout.wave),
                             [&](const tegula::Basis &vector) { return !isWhole(vector[fast]); });
  return steps == 3 && !others ? std::optional(found) : std::nullopt;
}

struct Load : CdnaPattern<LdsLoadOp> {
  using CdnaPattern::CdnaPattern;

  static Value byteOf(Value dword, Value shift, Int &ints) {
    Value shifted = arith::ShRUIOp::create(ints.b, ints.loc, dword, shift);
    return arith::TruncIOp::create(ints.b, ints.loc, ints.b.getI8Type(), shifted);
  }

  LogicalResult matchAndRewrite(LdsLoadOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    std::optional<LdsPlace> place = placeOf(op, op.getLds(), kernel);
    if (!place)
      return failure();
    Int ints(rewriter, loc);
    Layout layout = getLayout(op.getType()).toLayout();
    LdsType type = place->type;
    Value slot = place->slot ? rewriter.getRemappedValue(place->slot) : Value();
    unsigned bits = 8 * type.getElementBytes();
    // All of the buffer's (or view's) own shape is written, phantoms included.
    ArrayRef<int64_t> shape = op.getLds().getType().getShape();
    const Layout source = op.getTranspose() ? transposedSource(layout, bits) : layout;
    std::optional<SharedDwords> dwords;
    if (!op.getTranspose() && !type.getElementType().isInteger(1))
      dwords = shareDwords(layout, *place, shape);
    Value shift = dwords ? ints.linear(kernel.lane, dwords->shift) : Value();
    LdsAddresses addresses(*place, slot, dwords ? dwords->layout : source, kernel, ints),
        foldedBack(*place, slot, source, kernel, ints, shape);
    int64_t width = op.getTranspose() ? 64 / bits : accessWidthInside(layout, type, shape);
    Type memory = chunkType(ldsElement(type.getElementType()), width);
    SmallVector<Value> pieces;
    for (int64_t r = 0; r < layout.registersPerLane(); r += width) {
      Value pointer = addresses.pointer(r);
      // What is beyond the tile was perhaps never written.
      if (Value inside = addresses.inside(r, shape))
        pointer = ints.select(inside, pointer,
                              foldedBack.isLinear() ? foldedBack.pointer(r) : foldedBack.first());
      Value piece;
      if (op.getTranspose())
        piece = transposingRead(rewriter, loc, memory, pointer);
      else if (dwords)
        piece = byteOf(LLVM::LoadOp::create(rewriter, loc, ints.b.getI32Type(), pointer, 4), shift,
                       ints);
      else
        piece =
            LLVM::LoadOp::create(rewriter, loc, memory, pointer, width * type.getElementBytes());
      if (type.getElementType().isInteger(1)) {
        Value zero = splatConstant(rewriter, loc, memory, rewriter.getI8IntegerAttr(0));
        piece = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, piece, zero);
      }
      pieces.push_back(piece);
    }
    int64_t size = chunkSize(getLayout(op.getType()), op.getType().getElementType());
    replaceWithValues(rewriter, op, rechunk(rewriter, loc, pieces, size));
    return success();
  }
};

struct Copy : CdnaPattern<AsyncCopyOp> {
  using CdnaPattern::CdnaPattern;

  /// The layout of the first repeat, held by all waves, along dimensions that waves repeat beyond
  /// the tile.
  static Layout firstRepeat(Layout layout, ArrayRef<int64_t> shape) {
    Extents cover = layout.cover();
    for (auto [d, extent] : llvm::enumerate(shape))
      if (cover[d] > extent) {
        layout.repeat[d] = 1;
        layout = tegula::copyWaves(std::move(layout), d);
      }
    return layout;
  }

  /// Whether register r's repeat lies in the tile, the same in all lanes of a wave: bases divide
  /// the extents. Null when it does in all waves.
  Value repeatInside(const Layout &layout, int64_t r, ArrayRef<int64_t> shape, Int &ints) const {
    Value condition;
    for (auto [i, digit] : llvm::enumerate(layout.waveRepeats)) {
      if (digit.dim == tegula::kCopies)
        continue;
      int64_t base = layout.baseExtents()[digit.dim];
      int64_t left = shape[digit.dim] / base - layout.apply(r, 0, 0)[digit.dim] / base;
      if (left < digit.count)
        condition = ints.both(condition,
                              ints.less(waveDigit(layout, i, kernel, ints), ints.constant(left)));
    }
    return condition;
  }

  LogicalResult matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    std::optional<LdsPlace> place = placeOf(op, op.getLds(), kernel);
    if (!place)
      return failure();
    Int ints(rewriter, loc);
    Layout fetch = op.getFetch().toLayout();
    LdsType lds = op.getLds().getType();
    SmallVector<Value> indices(op.getIndices());
    for (Value &index : indices)
      index = rewriter.getRemappedValue(index);
    Value slot = op.getSlot() ? op.getSlot() : place->slot;
    if (slot)
      slot = rewriter.getRemappedValue(slot);
    Value where = op.getWhere() ? rewriter.getRemappedValue(op.getWhere()) : Value();
    auto offsetsOf = [&](const Layout &layout) {
      return AccessOffsets({op.getBuffer().getType(), adaptor.getBuffer(), indices, where,
                            op.getTail(), op.getScalar(), lds.getShape(), /*writes=*/false},
                           layout, kernel, ints);
    };
    AccessOffsets offsets = offsetsOf(fetch);
    LdsAddresses addresses(*place, slot, fetch, kernel, ints);
    if (!addresses.isLinear())
      return op.emitOpError() << "copies to a buffer that is not linear in the bits of its "
                                 "coordinates [cdna.rocdl.c1]";
    int64_t perLane = op.getWidth() / lds.getElementBytes();
    Value descriptor = offsets.descriptor(), scalar = offsets.scalarOffset(),
          zero = ints.constant(0);
    for (int64_t r = 0; r < fetch.registersPerLane(); r += perLane) {
      Value pointer = addresses.pointer(r, /*uniform=*/true);
      Value offset = offsets.offsetIf(offsets.inside(r), r);
      if (Value inside = repeatInside(fetch, r, lds.getShape(), ints)) {
        // Beyond the tile waves copy what they would if they were the first ones: the same bytes to
        // the same place.
        const Layout first = firstRepeat(fetch, lds.getShape());
        int64_t again = r % first.registersPerLane();
        AccessOffsets others = offsetsOf(first);
        LdsAddresses places(*place, slot, first, kernel, ints);
        pointer = ints.select(inside, pointer, places.pointer(again, /*uniform=*/true));
        offset = ints.select(inside, offset, others.offsetIf(others.inside(again), again));
      }
      ROCDL::RawPtrBufferLoadLdsOp::create(rewriter, loc, descriptor, pointer,
                                           ints.constant(op.getWidth()), offset, scalar, zero, zero,
                                           ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
    replaceWithValues(rewriter, op, ValueRange());
    return success();
  }
};

} // namespace

void tegula::cdna::populateLdsPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                       const KernelContext &context) {
  patterns.add<Vanishes<LdsAllocOp>, Vanishes<LdsViewOp>, Vanishes<LdsReshapeOp>, Slot, NextSlot,
               Store, Load, Copy>(converter, context);
}
