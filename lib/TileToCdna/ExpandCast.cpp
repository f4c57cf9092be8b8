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

static Value floatToFloat(OpBuilder &b, Location loc, Value x, Type result) {
  Type from = getElementTypeOrSelf(x.getType()), to = getElementTypeOrSelf(result);
  if (from == to)
    return x;
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, result, x);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, result, x);
  // f16 and bf16: neither holds the other, f32 holds both.
  Value wide =
      arith::ExtFOp::create(b, loc, Emitter(b, loc, result).withElement(b.getF32Type()), x);
  return arith::TruncFOp::create(b, loc, result, wide);
}

FailureOr<Value> expandCast(OpBuilder &b, tile::CastOp op, Value input) {
  Location loc = op.getLoc();
  Type result = op.getResult().getType();
  Type from = getElementTypeOrSelf(input.getType()), to = getElementTypeOrSelf(result);
  bool narrow = tile::isNarrowFloat(from) || tile::isNarrowFloat(to);
  bool rounds = isa<FloatType>(to) && from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  bool unsupported =
      narrow || (rounds && (op.getRounding() != tile::Rounding::Rne || op.getSaturate()));
  if (unsupported)
    return op.emitError("tile.cast from ")
           << from << " to " << to << " has no lowering in this form [tile.cast.c2]";
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return intToInt(b, loc, input, result);
  if (isa<IntegerType>(from)) {
    if (from.isInteger(1))
      return Value(arith::UIToFPOp::create(b, loc, result, input));
    return Value(arith::SIToFPOp::create(b, loc, result, input));
  }
  if (auto integer = dyn_cast<IntegerType>(to)) {
    // Bounds of wide integers are no f16: compare in f32.
    Type wide = Emitter(b, loc, result).withElement(b.getF32Type());
    if (from.getIntOrFloatBitWidth() < 32)
      input = arith::ExtFOp::create(b, loc, wide, input);
    return floatToInt(Emitter(b, loc, input.getType()), input, integer);
  }
  return floatToFloat(b, loc, input, result);
}

} // namespace tegula::cdna
