// tile.cast: one rounding, spelled with the conversions that arith has for types of 16 bits and
// more.
#include "Emitter.h"
#include "ExpandMath.h"

using namespace mlir;

namespace tegula::cdna {

/// Float to integer truncates and saturates, NaN gives 0; arith.fptosi is only defined inside the
/// range.
static Value floatToInt(const Emitter &emit, Value x, IntegerType to) {
  // The nearest floats inside the range: the upper end itself need not be one.
  auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  unsigned bits = to.getWidth(), precision = element.getFPMantissaWidth();
  double bound = std::ldexp(1.0, bits - 1);
  double top = bits - 1 > precision ? bound - std::ldexp(1.0, bits - 1 - precision) : bound - 1;
  Value isNumber = emit.cmp(arith::CmpFPredicate::ORD, x, x);
  Value inside = arith::MinNumFOp::create(emit.b, emit.loc, x, emit.constant(top));
  inside = arith::MaxNumFOp::create(emit.b, emit.loc, inside, emit.constant(-bound));
  inside = emit.select(isNumber, inside, emit.constant(0.0));
  Type result = emit.withElement(to);
  Value converted = arith::FPToSIOp::create(emit.b, emit.loc, result, inside);
  if (bits - 1 <= precision)
    return converted;
  // A float at or above 2^(bits−1) saturates to the integer maximum, which lies above every float
  // inside.
  Value above = emit.cmp(arith::CmpFPredicate::OGE, x, emit.constant(bound));
  Value maximum = emit.constantOf(IntegerAttr::get(to, APInt::getSignedMaxValue(bits)), result);
  return emit.select(above, maximum, converted);
}

static Value intToInt(OpBuilder &b, Location loc, Value x, Type result) {
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
  if (to == 1) {
    Emitter emit(b, loc, x.getType());
    auto element = cast<IntegerType>(getElementTypeOrSelf(x.getType()));
    Value zero = emit.constantOf(IntegerAttr::get(element, 0), x.getType());
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
  }
  if (from == to)
    return x;
  if (from > to)
    return arith::TruncIOp::create(b, loc, result, x);
  if (from == 1)
    return arith::ExtUIOp::create(b, loc, result, x);
  return arith::ExtSIOp::create(b, loc, result, x);
}

/// f64 as the f32 next to it whose last bit is set, where it is none itself: rounding that again
/// rounds once.
static Value roundToOdd(const Emitter &emit, Value x) {
  OpBuilder &b = emit.b;
  Type narrow = emit.withElement(b.getF32Type()), words = emit.withElement(b.getI32Type());
  auto word = [&](int64_t value) { return emit.constantOf(b.getI32IntegerAttr(value), words); };
  Value near = arith::TruncFOp::create(b, emit.loc, narrow, x);
  Value back = arith::ExtFOp::create(b, emit.loc, emit.type, near);
  Value inexact = emit.cmp(arith::CmpFPredicate::ONE, back, x);
  Value above =
      emit.cmp(arith::CmpFPredicate::OGT, math::AbsFOp::create(b, emit.loc, back).getResult(),
               math::AbsFOp::create(b, emit.loc, x).getResult());
  Value bits = arith::BitcastOp::create(b, emit.loc, words, near);
  Value below = arith::SubIOp::create(b, emit.loc, bits, word(1));
  Value odd = arith::OrIOp::create(b, emit.loc, emit.select(above, below, bits), word(1));
  return arith::BitcastOp::create(b, emit.loc, narrow, emit.select(inexact, odd, bits));
}

Value expandFloatToFloat(OpBuilder &b, Location loc, Value x, Type result) {
  Type from = getElementTypeOrSelf(x.getType()), to = getElementTypeOrSelf(result);
  if (from == to)
    return x;
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, result, x);
  // LLVM goes from f64 to bf16 through f32, rounding both times.
  if (from.isF64() && to.isBF16())
    x = roundToOdd(Emitter(b, loc, x.getType()), x);
  // f16 and bf16: neither holds the other, f32 holds both.
  else if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
    x = arith::ExtFOp::create(b, loc, Emitter(b, loc, result).withElement(b.getF32Type()), x);
  return arith::TruncFOp::create(b, loc, result, x);
}

/// An integer that converts to a float of `precision` bits exactly and lies on the same side of
/// every narrower float, ties included, as `x` does: bits below the precision become one.
static Value mergeLowBits(const Emitter &emit, Value x, unsigned precision, bool isSigned) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(x.getType()));
  unsigned width = element.getWidth(), dropped = width - precision + (isSigned ? 0 : 1);
  auto constant = [&](const APInt &value) {
    return emit.constantOf(IntegerAttr::get(element, value), emit.type);
  };
  auto power = [&](unsigned bit) { return constant(APInt::getOneBitSet(width, bit)); };
  Value zero = constant(APInt(width, 0));
  Value low =
      arith::AndIOp::create(emit.b, emit.loc, x, constant(APInt::getLowBitsSet(width, dropped)));
  Value high = arith::SubIOp::create(emit.b, emit.loc, x, low);
  Value some = emit.cmp(arith::CmpIPredicate::ne, low, zero);
  Value merged =
      arith::OrIOp::create(emit.b, emit.loc, high, emit.select(some, power(dropped - 1), zero));
  // Smaller numbers are exact as they are, and need their low bits.
  Value distance =
      isSigned ? arith::AddIOp::create(emit.b, emit.loc, x, power(precision)).getResult() : x;
  Value small =
      emit.cmp(arith::CmpIPredicate::ult, distance, power(isSigned ? precision + 1 : precision));
  return emit.select(small, x, merged);
}

Value expandIntToFloat(OpBuilder &b, Location loc, Value x, Type result, bool isSigned) {
  auto convert = [&](Type to) {
    return isSigned ? arith::SIToFPOp::create(b, loc, to, x).getResult()
                    : arith::UIToFPOp::create(b, loc, to, x).getResult();
  };
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  // LLVM goes to bf16 through f32. (To f16 as well, where what f32 rounds is infinite anyway.)
  if (!getElementTypeOrSelf(result).isBF16() || width <= 24)
    return convert(result);
  Emitter emit(b, loc, x.getType());
  FloatType via = width <= 32 ? FloatType(b.getF32Type()) : FloatType(b.getF64Type());
  x = mergeLowBits(emit, x, via.getFPMantissaWidth(), isSigned);
  return expandFloatToFloat(b, loc, convert(emit.withElement(via)), result);
}

Value expandCast(OpBuilder &b, tile::CastOp op, Value input) {
  Location loc = op.getLoc();
  Type result = op.getResult().getType();
  Type from = getElementTypeOrSelf(input.getType()), to = getElementTypeOrSelf(result);
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return intToInt(b, loc, input, result);
  if (isa<IntegerType>(from))
    return expandIntToFloat(b, loc, input, result, /*isSigned=*/!from.isInteger(1));
  if (auto integer = dyn_cast<IntegerType>(to)) {
    // Bounds of wide integers are no f16: compare in f32.
    Type wide = Emitter(b, loc, result).withElement(b.getF32Type());
    if (from.getIntOrFloatBitWidth() < 32)
      input = arith::ExtFOp::create(b, loc, wide, input);
    return floatToInt(Emitter(b, loc, input.getType()), input, integer);
  }
  return expandFloatToFloat(b, loc, input, result);
}

} // namespace tegula::cdna
