// LDS: addresses, slots, loads, stores and copies.
#include "BufferPatterns.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Bases;
using tegula::Basis;
using tegula::Extents;
using tegula::Layout;

namespace {

/// Byte addresses of the registers of one LDS access. Where the buffer is linear in coordinate bits
/// (inner extents are powers of two) a place is one XOR of lane and wave bits, shared by all
/// registers up to a constant that fits the instruction's offset field; a register whose constant
/// touches switched bits has another base.
class LdsAddresses {
public:
  /// Coordinates beyond `shape`, where that is given, are folded back into it: onto the place whose
  /// low bits agree, so that what is read there collides with nothing that the others read.
  LdsAddresses(LdsPlace place, Value slotOffset, const tegula::Layout &layout,
               const KernelContext &kernel, Int &ints, ArrayRef<int64_t> shape = {})
      : type(place.type), origin(place.origin), start(*place.alloc.getOffset()),
        slotOffset(slotOffset), layout(folded(layout, shape)), kernel(kernel), ints(ints),
        coordinates(this->layout, kernel, ints), kept(layout.rank(), -1) {
    for (auto [d, extent] : llvm::enumerate(shape))
      if (layout.cover()[d] > extent)
        kept[d] = llvm::bit_floor(uint64_t(extent)) - 1;
  }

  /// Pointer to register r. `uniform` leaves the lane out: the hardware adds it.
  Value pointer(int64_t r, bool uniform = false) {
    auto [base, constant] = isLinear() ? linearAddress(r, uniform) : generalAddress(r);
    if (slotOffset)
      base = ints.add(slotOffset, base);
    constant += start;
    return element(element(kernel.lds, LLVM::GEPArg(base)),
                   LLVM::GEPArg(static_cast<int32_t>(constant)));
  }

  /// Every `width`-th register, those that share a base together: LLVM pairs neighbours.
  SmallVector<int64_t> byBase(int64_t width) {
    SmallVector<int64_t> registers;
    for (int64_t r = 0; r < layout.registersPerLane(); r += width)
      registers.push_back(r);
    if (isLinear())
      llvm::sort(registers, [&](int64_t a, int64_t b) {
        auto key = [&](int64_t r) {
          Place flipped = flippedBits(r);
          return std::tuple(flipped.rowAndByte, flipped.group, r);
        };
        return key(a) < key(b);
      });
    return registers;
  }

  /// Whether register r lies in a tile of this shape; null when it does in all lanes and waves.
  Value inside(int64_t r, ArrayRef<int64_t> shape) {
    Value condition;
    for (unsigned d = 0; d < shape.size(); ++d)
      if (coordinates.largest(d, r) >= shape[d]) {
        Coordinates::Place at = coordinates.at(d, r);
        condition = ints.both(condition, ints.less(at.base, ints.constant(shape[d] - at.offset)));
      }
    return condition;
  }

  /// Pointer to the tile's first element.
  Value first() {
    Value offset = slotOffset ? slotOffset : ints.constant(0);
    return element(kernel.lds, LLVM::GEPArg(ints.add(offset, start + type.byteOffset(origin))));
  }

  bool isLinear() const {
    ArrayRef<int32_t> order = type.getOrder();
    bool linear = true;
    for (unsigned i = 1; i + 1 < order.size(); ++i)
      linear &= llvm::isPowerOf2_64(type.getShape()[order[i]]);
    for (const tegula::WaveRepeat &digit : layout.waveRepeats)
      linear &= digit.dim == tegula::kCopies || staysAboveSwizzle(digit.dim);
    // The origin must not carry into the bits of the view.
    for (unsigned d = 0; d < layout.rank(); ++d)
      linear &= origin[d] == 0 || origin[d] % layout.baseExtents()[d] == 0;
    return linear;
  }

private:
  /// Where d repeats, coordinates are sums and not XORs of bits. Bytes then add up, too, if nothing
  /// that a swizzle looks at or changes lies above the base.
  bool staysAboveSwizzle(unsigned d) const {
    int64_t base = layout.baseExtents()[d], changed = 0;
    for (int32_t mask : type.getSwizzle())
      changed |= int64_t(mask) << 4;
    if (d == type.fastestDim())
      return changed < base * type.getElementBytes();
    int64_t rows = base * rowsOf(d);
    return int64_t(1) << type.getSwizzle().size() <= rows && changed < rows * type.swizzleGroup();
  }
  /// Rows between two neighbours along d, which is not the fastest dimension.
  int64_t rowsOf(unsigned d) const {
    int64_t rows = 1;
    for (int32_t inner : type.getOrder().drop_front()) {
      if (inner == int32_t(d))
        break;
      rows *= type.getShape()[inner];
    }
    return rows;
  }
  /// Bytes between two neighbours along d, swizzles aside.
  int64_t stepOf(unsigned d) const {
    return d == type.fastestDim() ? type.getElementBytes() : rowsOf(d) * type.getPitch();
  }

  static Layout folded(Layout layout, ArrayRef<int64_t> shape) {
    Extents cover = layout.cover();
    for (auto [d, extent] : llvm::enumerate(shape))
      if (cover[d] > extent)
        layout = tegula::copyWaves(std::move(layout), d);
    return layout;
  }

  Value element(Value pointer, LLVM::GEPArg offset) {
    return LLVM::GEPOp::create(ints.b, ints.loc, pointer.getType(), ints.b.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  using Place = LdsType::Place;

  Place folded(Extents coordinates) const {
    for (auto [coordinate, mask] : llvm::zip_equal(coordinates, kept))
      coordinate &= mask;
    return type.placeOf(coordinates);
  }
  SmallVector<Place> images(const Bases &vectors) const {
    return llvm::map_to_vector(vectors,
                               [&](const Basis &v) { return folded(Extents(v.begin(), v.end())); });
  }
  static SmallVector<int64_t> groups(ArrayRef<Place> places) {
    return llvm::map_to_vector(places, [](const Place &p) { return p.group; });
  }
  static SmallVector<int64_t> rest(ArrayRef<Place> places) {
    return llvm::map_to_vector(places, [](const Place &p) { return p.rowAndByte; });
  }

  /// Of the register's own place: bits that lanes or waves switch too. Where there are some, the
  /// base takes what is below 256 bytes as well: LLVM pairs stores that are multiples of it apart.
  Place flippedBits(int64_t r, bool uniform = false) const {
    Place switched{0, 0};
    auto add = [&](const Bases &vectors) {
      for (const Place &image : images(vectors)) {
        switched.group |= image.group;
        switched.rowAndByte |= image.rowAndByte;
      }
    };
    add(layout.wave);
    if (!uniform)
      add(layout.lane);
    Place constant = constantOf(r);
    Place flipped{constant.group & switched.group, constant.rowAndByte & switched.rowAndByte};
    if (flipped.rowAndByte)
      flipped.rowAndByte |= constant.rowAndByte & 255;
    return flipped;
  }
  Place constantOf(int64_t r) const {
    Extents corner = layout.apply(r, 0, 0);
    for (unsigned d = 0; d < corner.size(); ++d)
      corner[d] = (corner[d] & kept[d]) + origin[d];
    return type.placeOf(corner);
  }

  std::pair<Value, int64_t> linearAddress(int64_t r, bool uniform) {
    SmallVector<Place> lanes = images(layout.lane), waves = images(layout.wave);
    if (uniform)
      lanes.clear();
    Place constant = constantOf(r), flipped = flippedBits(r, uniform);
    Value &base = bases[{flipped.group, flipped.rowAndByte, uniform}];
    if (!base) {
      auto part = [&](ArrayRef<int64_t> wave, ArrayRef<int64_t> lane, int64_t flips) {
        Value sum =
            ints.exclusiveOr(ints.linear(kernel.wave, wave), ints.linear(kernel.lane, lane));
        return ints.exclusiveOr(sum, ints.constant(flips));
      };
      base = multipliedOut(part(groups(waves), groups(lanes), flipped.group),
                           part(rest(waves), rest(lanes), flipped.rowAndByte));
      for (auto [i, digit] : llvm::enumerate(layout.waveRepeats))
        if (digit.dim != tegula::kCopies)
          base = ints.add(base, ints.mul(tegula::cdna::waveDigit(layout, i, kernel, ints),
                                         layout.baseExtents()[digit.dim] * stepOf(digit.dim)));
    }
    return {base, type.bytesOf(
                      {constant.group - flipped.group, constant.rowAndByte - flipped.rowAndByte})};
  }

  /// `LdsType::bytesOf` of values.
  Value multipliedOut(Value group, Value rowAndByte) {
    int64_t bytes = type.swizzleGroup();
    if (bytes == type.getPitch())
      return rowAndByte;
    Value row = ints.b.createOrFold<arith::ShRUIOp>(ints.loc, rowAndByte,
                                                    ints.constant(llvm::Log2_64(bytes)));
    Value byte = ints.b.createOrFold<arith::AndIOp>(ints.loc, rowAndByte, ints.constant(bytes - 1));
    return ints.add(ints.add(ints.mul(row, type.getPitch()), byte), ints.mul(group, bytes));
  }

  /// Any pitch, any extents: row and column as values.
  std::pair<Value, int64_t> generalAddress(int64_t r) {
    auto coordinate = [&](unsigned d) {
      Coordinates::Place at = coordinates.at(d, r);
      return std::pair(at.base, at.offset + origin[d]);
    };
    auto [column, columnOffset] = coordinate(type.fastestDim());
    Value row = ints.constant(0);
    int64_t rowOffset = 0, weight = 1;
    for (int32_t d : type.getOrder().drop_front()) {
      auto [base, offset] = coordinate(d);
      row = ints.add(row, ints.mul(base, weight));
      rowOffset += offset * weight;
      weight *= type.getShape()[d];
    }
    if (type.getSwizzle().empty())
      return {ints.add(ints.mul(row, type.getPitch()), ints.mul(column, type.getElementBytes())),
              rowOffset * type.getPitch() + columnOffset * type.getElementBytes()};
    row = ints.add(row, rowOffset);
    SmallVector<int64_t> masks =
        llvm::map_to_vector(type.getSwizzle(), [](int32_t mask) { return int64_t(mask) << 4; });
    int64_t bytes = type.swizzleGroup();
    Value byte = ints.mul(ints.add(column, columnOffset), type.getElementBytes());
    Value group =
        ints.b.createOrFold<arith::ShRUIOp>(ints.loc, byte, ints.constant(llvm::Log2_64(bytes)));
    byte = ints.b.createOrFold<arith::AndIOp>(ints.loc, byte, ints.constant(bytes - 1));
    byte = ints.exclusiveOr(ints.add(ints.mul(row, bytes), byte), ints.linear(row, masks));
    return {multipliedOut(group, byte), 0};
  }

  LdsType type; ///< of the allocation
  SmallVector<int64_t> origin;
  int64_t start;
  Value slotOffset;
  const tegula::Layout layout;
  const KernelContext &kernel;
  Int &ints;
  Coordinates coordinates;
  SmallVector<int64_t> kept; ///< bits of each coordinate that are not folded away
  std::map<std::tuple<int64_t, int64_t, bool>, Value> bases;
};

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

struct Alloc : CdnaPattern<LdsAllocOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LdsAllocOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{ValueRange()});
    return success();
  }
};

struct View : CdnaPattern<LdsViewOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LdsViewOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{ValueRange()});
    return success();
  }
};

struct Reshape : CdnaPattern<LdsReshapeOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(LdsReshapeOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{ValueRange()});
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

struct Load : CdnaPattern<LdsLoadOp> {
  using CdnaPattern::CdnaPattern;
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
    LdsAddresses addresses(*place, slot, source, kernel, ints),
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
    rewriter.replaceOpWithMultiple(op,
                                   SmallVector<ValueRange>{rechunk(rewriter, loc, pieces, size)});
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
    auto offsetsOf = [&](const Layout &layout) {
      return AccessOffsets({op.getBuffer().getType(), adaptor.getBuffer(), indices, op.getTail(),
                            op.getScalar(), lds.getShape(), /*writes=*/false},
                           layout, kernel, ints);
    };
    AccessOffsets offsets = offsetsOf(fetch);
    LdsAddresses addresses(*place, slot, fetch, kernel, ints);
    if (!addresses.isLinear())
      return op.emitOpError() << "copies to a buffer that is not linear in the bits of its "
                                 "coordinates [cdna.rocdl.c1]";
    int64_t perLane = op.getWidth() / lds.getElementBytes();
    Value scalar = offsets.scalarOffset(), zero = ints.constant(0);
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
      ROCDL::RawPtrBufferLoadLdsOp::create(rewriter, loc, offsets.window.descriptor, pointer,
                                           ints.constant(op.getWidth()), offset, scalar, zero, zero,
                                           ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{ValueRange()});
    return success();
  }
};

} // namespace

void tegula::cdna::populateLdsPatterns(RewritePatternSet &patterns, const TypeConverter &converter,
                                       const KernelContext &context) {
  patterns.add<Alloc, View, Reshape, Slot, NextSlot, Store, Load, Copy>(converter, context);
}
