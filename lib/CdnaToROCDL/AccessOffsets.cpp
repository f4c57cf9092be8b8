// Where the registers of an access are in memory, and which of them are outside.
#include "BufferPatterns.h"

using namespace mlir;
using namespace tegula::cdna;

// Beyond any num_records (spans are below 2^31), and 16-byte aligned.
static constexpr int64_t kOutside = INT32_MIN;

AccessOffsets::AccessOffsets(const Access &access, const Layout &layout,
                             const KernelContext &kernel, Int &ints)
    : window(access.buffer, access.window, ints), access(access), ints(ints),
      coordinates(layout, kernel, ints) {}

/// Phantoms end where the tile ends. A bound of the descriptor that is clamped to the tile keeps
/// them out too.
bool AccessOffsets::comparesTile(unsigned d) const {
  if (!access.writes || comparesLeft(d) || !coordinates.hasPhantoms(d, access.shape[d]))
    return false;
  return access.tail[d] == static_cast<int32_t>(Tail::None) || !Int::isZero(index(d));
}

/// Coordinate in the window; the part of an index that goes to the scalar offset is not in it.
Value AccessOffsets::coordinate(unsigned d, int64_t r) {
  Coordinates::Place place = coordinates.at(d, r);
  Value base = isScalar(d) ? place.base : ints.add(index(d), place.base);
  return ints.add(base, place.offset);
}

Value AccessOffsets::bound(unsigned d) {
  Value end = ints.constant(access.shape[d]);
  if (!isScalar(d))
    end = ints.add(index(d), end);
  return comparesLeft(d) ? ints.min(window.left[d], end) : end;
}

Value AccessOffsets::offset(int64_t r) {
  // Lane-dependent part, then uniform part, then constant: LLVM moves the last one into the
  // instruction.
  Value varying = ints.constant(0), uniform = ints.constant(0);
  int64_t constant = 0;
  for (unsigned d = 0; d < access.shape.size(); ++d) {
    Coordinates::Place place = coordinates.at(d, r);
    Value base = isScalar(d) ? place.base : ints.add(index(d), place.base);
    if (access.buffer.isMirrored(d)) {
      // From the tile's last element, where the window begins, so that nothing is below 0.
      Value back = ints.sub(ints.constant(access.shape[d] - 1 - place.offset), base);
      varying = ints.add(varying, ints.mul(back, -*Int::asConstant(window.strideBytes[d])));
    } else if (std::optional<int64_t> stride = Int::asConstant(window.strideBytes[d])) {
      varying = ints.add(varying, ints.mul(base, *stride));
      constant += place.offset * *stride;
    } else {
      varying = ints.add(varying, ints.mul(base, window.strideBytes[d]));
      uniform = ints.add(uniform, ints.mul(window.strideBytes[d], place.offset));
    }
  }
  return ints.add(ints.add(uniform, varying), constant);
}

Value AccessOffsets::inside(int64_t r) {
  Value condition;
  for (unsigned d = 0; d < access.shape.size(); ++d)
    if (comparesLeft(d) || comparesTile(d))
      condition = ints.both(condition, ints.less(coordinate(d, r), bound(d)));
  return condition;
}

Value AccessOffsets::offsetIf(Value condition, int64_t r) {
  return condition ? ints.select(condition, offset(r), ints.constant(kOutside)) : offset(r);
}

Value AccessOffsets::descriptor() {
  if (!access.where)
    return window.descriptor;
  auto made = window.descriptor.getDefiningOp<ROCDL::MakeBufferRsrcOp>();
  // Right behind the condition: what is between them would have to keep the condition code.
  OpBuilder::InsertionGuard guard(ints.b);
  ints.b.setInsertionPointAfterValue(access.where);
  Block::iterator next = ints.b.getInsertionPoint();
  if (made->getBlock() == next->getBlock() && !made->isBeforeInBlock(&*next))
    ints.b.setInsertionPointAfter(made);
  Value none = arith::ConstantOp::create(ints.b, ints.loc, ints.b.getI64IntegerAttr(0));
  return ROCDL::MakeBufferRsrcOp::create(
      ints.b, ints.loc, made.getType(), made.getBase(), made.getStride(),
      ints.select(access.where, made.getNumRecords(), none), made.getFlags());
}

Value AccessOffsets::scalarOffset() {
  Value sum = ints.constant(0);
  for (unsigned d = 0; d < access.shape.size(); ++d)
    if (isScalar(d))
      sum = ints.add(sum, ints.mul(index(d), window.strideBytes[d]));
  return sum;
}

Value AccessOffsets::nothingStraddles(unsigned d, int64_t count) {
  if (count == 1 || !(comparesLeft(d) || comparesTile(d)))
    return {};
  Value end = ints.constant(access.shape[d]);
  if (comparesLeft(d))
    end = ints.min(isScalar(d) || Int::isZero(index(d)) ? window.left[d]
                                                        : ints.sub(window.left[d], index(d)),
                   end);
  Value rest = ints.b.createOrFold<arith::AndIOp>(ints.loc, end, ints.constant(count - 1));
  if (Int::isZero(rest))
    return {};
  return ints.b.createOrFold<arith::CmpIOp>(ints.loc, arith::CmpIPredicate::eq, rest,
                                            ints.constant(0));
}
