// Address arithmetic.
#include "Address.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::cdna;

//===--- i32 arithmetic ---===//

std::optional<int64_t> Int::asConstant(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value Int::constant(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value Int::add(Value x, Value y) {
  if (isZero(x))
    return y;
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value Int::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }

Value Int::mul(Value x, Value y) {
  if (isZero(x) || isZero(y))
    return constant(0);
  if (asConstant(x) == 1)
    return y;
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}

Value Int::mul(Value x, int64_t y) {
  if (y == 1)
    return x;
  if (y > 1 && llvm::isPowerOf2_64(y) && !asConstant(x))
    return arith::ShLIOp::create(b, loc, x, constant(llvm::Log2_64(y)));
  return mul(x, constant(y));
}

Value Int::exclusiveOr(Value x, Value y) {
  if (isZero(x))
    return y;
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}

Value Int::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value Int::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value Int::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

Value Int::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

Value Int::linear(Value bits, ArrayRef<int64_t> images) {
  std::map<int, int64_t> masks; // by distance: the source bits that go that far
  for (auto [i, image] : llvm::enumerate(images))
    for (int j = 0; j < 31; ++j)
      if (image >> j & 1)
        masks[j - static_cast<int>(i)] |= int64_t(1) << i;
  Value sum = constant(0);
  for (auto [distance, mask] : masks) {
    Value term = b.createOrFold<arith::AndIOp>(loc, bits, constant(mask));
    if (distance > 0)
      term = b.createOrFold<arith::ShLIOp>(loc, term, constant(distance));
    else if (distance < 0)
      term = b.createOrFold<arith::ShRUIOp>(loc, term, constant(-distance));
    sum = exclusiveOr(sum, term);
  }
  return sum;
}

//===--- coordinates ---===//

static SmallVector<int64_t> component(const tegula::Bases &bases, unsigned dim) {
  SmallVector<int64_t> images;
  for (const tegula::Basis &basis : bases)
    images.push_back(basis[dim]);
  return images;
}

Coordinates::Coordinates(const Layout &layout, const KernelContext &kernel, Int &ints)
    : layout(layout), kernel(kernel), ints(ints), varying(layout.rank(), 0) {
  for (const Bases *bases : {&layout.lane, &layout.wave})
    for (const Basis &basis : *bases)
      for (unsigned d = 0; d < layout.rank(); ++d)
        varying[d] |= basis[d];
}

/// The lane's and wave's part of a coordinate, with the register bits `flipped` that lanes or waves
/// switch as well.
Value Coordinates::base(unsigned dim, int64_t flipped) {
  Value &known = bases[{dim, flipped}];
  if (known)
    return known;
  Value sum = ints.linear(kernel.lane, component(layout.lane, dim));
  // Lanes and waves share coordinate bits only in swizzled fetches; XOR is right in every case.
  sum = ints.exclusiveOr(sum, ints.linear(kernel.wave, component(layout.wave, dim)));
  if (flipped)
    sum = ints.exclusiveOr(sum, ints.constant(flipped));
  for (auto [i, digit] : llvm::enumerate(layout.waveRepeats))
    if (digit.dim == int(dim))
      sum = ints.add(sum, ints.mul(waveDigit(layout, i, kernel, ints), layout.baseExtents()[dim]));
  return known = sum;
}

Value tegula::cdna::waveDigit(const Layout &layout, unsigned index, const KernelContext &kernel,
                              Int &ints) {
  Value number =
      ints.b.createOrFold<arith::ShRUIOp>(ints.loc, kernel.wave, ints.constant(layout.wave.size()));
  int64_t below = 1;
  for (unsigned i = index + 1; i < layout.waveRepeats.size(); ++i)
    below *= layout.waveRepeats[i].count;
  if (below > 1)
    number = ints.b.createOrFold<arith::DivUIOp>(ints.loc, number, ints.constant(below));
  if (index > 0)
    number = ints.b.createOrFold<arith::RemUIOp>(ints.loc, number,
                                                 ints.constant(layout.waveRepeats[index].count));
  return number;
}

Coordinates::Place Coordinates::at(unsigned dim, int64_t reg) {
  int64_t offset = layout.apply(reg, 0, 0)[dim], flipped = offset & varying[dim];
  return {base(dim, flipped), offset - flipped};
}

int64_t Coordinates::largest(unsigned dim, int64_t reg) const {
  return (layout.apply(reg, 0, 0)[dim] | varying[dim]) +
         layout.baseExtents()[dim] * (layout.waveRepeat(dim) - 1);
}

Value tegula::cdna::ownerCondition(const Layout &layout, const KernelContext &kernel, Int &ints) {
  Value condition;
  auto demandZero = [&](Value value) {
    Value isZero = ints.b.createOrFold<arith::CmpIOp>(ints.loc, arith::CmpIPredicate::eq, value,
                                                      ints.constant(0));
    condition = ints.both(condition, isZero);
  };
  for (auto [bits, mask] : {std::pair(kernel.lane, layout.zeroLaneBits()),
                            std::pair(kernel.wave, layout.zeroWaveBits())}) {
    if (!mask)
      continue;
    demandZero(ints.b.createOrFold<arith::AndIOp>(ints.loc, bits, ints.constant(mask)));
  }
  for (auto [i, digit] : llvm::enumerate(layout.waveRepeats))
    if (digit.dim == kCopies)
      demandZero(waveDigit(layout, i, kernel, ints));
  return condition;
}
