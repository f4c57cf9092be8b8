// tile.cast: one rounding, spelled with the conversions that arith has for types of 16 bits and
// more, and those of ExpandNarrow.cpp.
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

namespace {

/// The f32 that is nearest to an f64, as bits, and how it lies.
struct Nearest {
  Nearest(const Emitter &emit, Value x) : emit(emit) {
    OpBuilder &b = emit.b;
    Type narrow = emit.withElement(b.getF32Type());
    words = emit.withElement(b.getI32Type());
    Value near = arith::TruncFOp::create(b, emit.loc, narrow, x);
    Value back = arith::ExtFOp::create(b, emit.loc, emit.type, near);
    isInexact = emit.cmp(arith::CmpFPredicate::ONE, back, x);
    Value isAbove =
        emit.cmp(arith::CmpFPredicate::OGT, math::AbsFOp::create(b, emit.loc, back).getResult(),
                 math::AbsFOp::create(b, emit.loc, x).getResult());
    bits = arith::BitcastOp::create(b, emit.loc, words, near);
    towardsZero = emit.select(isAbove, arith::SubIOp::create(b, emit.loc, bits, one()), bits);
  }
  Value one() const { return emit.constantOf(emit.b.getI32IntegerAttr(1), words); }
  Value asFloat(Value word) const {
    return arith::BitcastOp::create(emit.b, emit.loc, emit.withElement(emit.b.getF32Type()), word);
  }

  const Emitter &emit;
  Type words;
  Value bits, isInexact, towardsZero;
};

} // namespace

/// f64 as the f32 next to it whose last bit is set, where it is none itself: rounding that again
/// rounds once.
static Value roundToOdd(const Emitter &emit, Value x) {
  Nearest near(emit, x);
  Value odd = arith::OrIOp::create(emit.b, emit.loc, near.towardsZero, near.one());
  return near.asFloat(emit.select(near.isInexact, odd, near.bits));
}

/// A float of 16 bits or more as f32 that lies on the same side of every number of few bits.
static Value asSingle(OpBuilder &b, Location loc, Value x) {
  Emitter emit(b, loc, x.getType());
  Type from = getElementTypeOrSelf(x.getType()), single = emit.withElement(b.getF32Type());
  if (from.isF64())
    return roundToOdd(emit, x);
  return from.isF32() ? x : arith::ExtFOp::create(b, loc, single, x).getResult();
}

/// Within the numbers of a float type; NaN stays.
static Value clamped(OpBuilder &b, Location loc, Value x, FloatType to) {
  Emitter emit(b, loc, x.getType());
  double largest = APFloat::getLargest(to.getFloatSemantics()).convertToDouble();
  x = arith::MinimumFOp::create(b, loc, x, emit.constant(largest));
  return arith::MaximumFOp::create(b, loc, x, emit.constant(-largest));
}

Value expandFloatToFloat(OpBuilder &b, Location loc, Value x, Type result,
                         const CastRounding &how) {
  auto from = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  auto to = cast<FloatType>(getElementTypeOrSelf(result));
  if (from == to)
    return x;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, result, x);
  if (how.rounding != tile::Rounding::Rne && to.getWidth() <= 16)
    return expandToNarrow(b, loc, asSingle(b, loc, x), result, how);
  // f16 and bf16: neither holds the other, f32 holds both.
  if (from.getWidth() == to.getWidth())
    x = asSingle(b, loc, x);
  if (how.saturate)
    x = clamped(b, loc, x, to);
  Emitter emit(b, loc, x.getType());
  if (how.rounding == tile::Rounding::Rtz) {
    Nearest near(emit, x);
    return near.asFloat(near.towardsZero);
  }
  // LLVM goes from f64 to bf16 through f32, rounding both times.
  if (from.isF64() && to.isBF16())
    x = roundToOdd(emit, x);
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

static CastRounding roundingOf(tile::CastOp op) {
  return {op.getRounding(), op.getSaturate(), op.getSeed()};
}

Value expandCast(OpBuilder &b, tile::CastOp op) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Type result = op.getResult().getType();
  Type from = getElementTypeOrSelf(input.getType()), to = getElementTypeOrSelf(result);
  if (tile::isNarrowFloat(from)) {
    input = expandFromNarrow(b, loc, input);
    from = b.getF32Type();
  }
  if (tile::isNarrowFloat(to))
    return expandToNarrow(b, loc, asSingle(b, loc, input), result, roundingOf(op));
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
  return expandFloatToFloat(b, loc, input, result, roundingOf(op));
}

} // namespace tegula::cdna
