// Byte addresses in LDS: linear in the bits of lane and wave where the buffer is.
#include "LdsAddresses.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tegula::cdna;
using tegula::Bases;
using tegula::Basis;
using tegula::Extents;
using tegula::Layout;

/// All waves hold what lies beyond `shape`, as copies.
static Layout foldedBack(Layout layout, ArrayRef<int64_t> shape) {
  Extents cover = layout.cover();
  for (auto [d, extent] : llvm::enumerate(shape))
    if (cover[d] > extent)
      layout = tegula::copyWaves(std::move(layout), d);
  return layout;
}

LdsAddresses::LdsAddresses(LdsPlace place, Value slotOffset, const Layout &layout,
                           const KernelContext &kernel, Int &ints, ArrayRef<int64_t> shape)
    : type(place.type), origin(place.origin), start(*place.alloc.getOffset()),
      slotOffset(slotOffset), layout(foldedBack(layout, shape)), kernel(kernel), ints(ints),
      coordinates(this->layout, kernel, ints), kept(layout.rank(), -1) {
  for (auto [d, extent] : llvm::enumerate(shape))
    if (layout.cover()[d] > extent)
      kept[d] = llvm::bit_floor(uint64_t(extent)) - 1;
}

Value LdsAddresses::element(Value pointer, LLVM::GEPArg offset) {
  return LLVM::GEPOp::create(ints.b, ints.loc, pointer.getType(), ints.b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value LdsAddresses::pointer(int64_t r, bool uniform) {
  auto [base, constant] = isLinear() ? linearAddress(r, uniform) : generalAddress(r);
  if (slotOffset)
    base = ints.add(slotOffset, base);
  constant += start;
  return element(element(kernel.lds, LLVM::GEPArg(base)),
                 LLVM::GEPArg(static_cast<int32_t>(constant)));
}

Value LdsAddresses::first() {
  Value offset = slotOffset ? slotOffset : ints.constant(0);
  return element(kernel.lds, LLVM::GEPArg(ints.add(offset, start + type.byteOffset(origin))));
}

SmallVector<int64_t> LdsAddresses::byBase(int64_t width) const {
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

Value LdsAddresses::inside(int64_t r, ArrayRef<int64_t> shape) {
  Value condition;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (coordinates.largest(d, r) >= shape[d]) {
      Coordinates::Place at = coordinates.at(d, r);
      condition = ints.both(condition, ints.less(at.base, ints.constant(shape[d] - at.offset)));
    }
  return condition;
}

/// Bytes between two neighbours along d, swizzles aside.
int64_t LdsAddresses::stepOf(unsigned d) const {
  return d == type.fastestDim() ? type.getElementBytes() : type.rowsOf(d) * type.getPitch();
}

//===--- Linear ---===//

LdsAddresses::Place LdsAddresses::folded(Extents coordinates) const {
  for (auto [coordinate, mask] : llvm::zip_equal(coordinates, kept))
    coordinate &= mask;
  return type.placeOf(coordinates);
}

SmallVector<LdsAddresses::Place> LdsAddresses::images(const Bases &vectors) const {
  return llvm::map_to_vector(vectors,
                             [&](const Basis &v) { return folded(Extents(v.begin(), v.end())); });
}

static SmallVector<int64_t> groups(ArrayRef<LdsType::Place> places) {
  return llvm::map_to_vector(places, [](const LdsType::Place &p) { return p.group; });
}

static SmallVector<int64_t> rest(ArrayRef<LdsType::Place> places) {
  return llvm::map_to_vector(places, [](const LdsType::Place &p) { return p.rowAndByte; });
}

LdsAddresses::Place LdsAddresses::constantOf(int64_t r) const {
  Extents corner = layout.apply(r, 0, 0);
  for (unsigned d = 0; d < corner.size(); ++d)
    corner[d] = (corner[d] & kept[d]) + origin[d];
  return type.placeOf(corner);
}

/// Of the register's own place: bits that lanes or waves switch too. Where there are some, the base
/// takes what is below 256 bytes as well: LLVM pairs stores that are multiples of it apart.
LdsAddresses::Place LdsAddresses::flippedBits(int64_t r, bool uniform) const {
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

std::pair<Value, int64_t> LdsAddresses::linearAddress(int64_t r, bool uniform) {
  SmallVector<Place> lanes = images(layout.lane), waves = images(layout.wave);
  if (uniform)
    lanes.clear();
  Place constant = constantOf(r), flipped = flippedBits(r, uniform);
  Value &base = bases[{flipped.group, flipped.rowAndByte, uniform}];
  if (!base) {
    auto part = [&](ArrayRef<int64_t> wave, ArrayRef<int64_t> lane, int64_t flips) {
      Value sum = ints.exclusiveOr(ints.linear(kernel.wave, wave), ints.linear(kernel.lane, lane));
      return ints.exclusiveOr(sum, ints.constant(flips));
    };
    base = multipliedOut(part(groups(waves), groups(lanes), flipped.group),
                         part(rest(waves), rest(lanes), flipped.rowAndByte));
    for (auto [i, digit] : llvm::enumerate(layout.waveRepeats))
      if (digit.dim != tegula::kCopies)
        base = ints.add(base, ints.mul(waveDigit(layout, i, kernel, ints),
                                       layout.baseExtents()[digit.dim] * stepOf(digit.dim)));
  }
  return {base,
          type.bytesOf({constant.group - flipped.group, constant.rowAndByte - flipped.rowAndByte})};
}

/// `LdsType::bytesOf` of values.
Value LdsAddresses::multipliedOut(Value group, Value rowAndByte) {
  int64_t bytes = type.swizzleGroup();
  if (bytes == type.getPitch())
    return rowAndByte;
  Value row = ints.b.createOrFold<arith::ShRUIOp>(ints.loc, rowAndByte,
                                                  ints.constant(llvm::Log2_64(bytes)));
  Value byte = ints.b.createOrFold<arith::AndIOp>(ints.loc, rowAndByte, ints.constant(bytes - 1));
  return ints.add(ints.add(ints.mul(row, type.getPitch()), byte), ints.mul(group, bytes));
}

//===--- Any pitch, any extents: row and column as values ---===//

std::pair<Value, int64_t> LdsAddresses::generalAddress(int64_t r) {
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
