// tile.math: the functions with a promised error bound, built from the hardware's approximations.
//
// The hardware's exp2, log2 and rsq are good to about 1 ulp for normal numbers and flush denormals;
// each recipe below scales denormals into the normal range and back. Square roots, reciprocals and
// divisions are exact (math.sqrt and arith.divf have correctly rounded lowerings).
#include "ExpandMath.h"

#include "Emitter.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

/// The recipes on f32 values.
class MathEmitter : public Emitter {
public:
  using Emitter::Emitter;

  Value hw(HwKind kind, ValueRange operands) const {
    return HwOp::create(b, loc, type, kind, operands);
  }
  Value isFinite(Value x) const {
    return cmp(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, x),
               constant(std::numeric_limits<double>::infinity()));
  }

  Value exp2(Value x) const;
  Value exp(Value x) const;
  Value log(Value x, bool natural) const;
  Value rsqrt(Value x) const;
  Value tanh(Value x) const;
  Value approximation(tile::MathKind kind, Value x) const;
};

} // namespace

constexpr double kMinNormal = 0x1p-126;

/// Results below 2^-126 come out of the instruction as 0: raise the exponent by 64, and scale the
/// result back.
Value MathEmitter::exp2(Value x) const {
  Value tiny = less(x, constant(-126.0));
  Value r = hw(HwKind::Exp2, select(tiny, add(x, constant(64.0)), x));
  return mul(r, select(tiny, constant(0x1p-64), constant(1.0)));
}

/// exp(x) = 2^e · 2^(x·log2(e) − e) with e an integer, and the product carried to 48 bits.
Value MathEmitter::exp(Value x) const {
  Value high = constant(0x1.715476p+0), low = constant(0x1.4ae0bep-26);
  Value product = mul(x, high);
  Value rest = fma(x, low, fma(x, high, neg(product)));
  Value whole = math::RoundEvenOp::create(b, loc, product);
  Value fraction = add(sub(product, whole), rest);
  // Outside the range below the result is 0 or infinity, so clamping keeps the conversion to an
  // integer defined; a NaN (which minnum drops) stays in the fraction.
  Value bounded = arith::MaxNumFOp::create(
      b, loc, constant(-160.0), arith::MinNumFOp::create(b, loc, whole, constant(160.0)));
  Value exponent = arith::FPToSIOp::create(b, loc, withElement(b.getI32Type()), bounded);
  Value r = hw(HwKind::Ldexp, {hw(HwKind::Exp2, fraction), exponent});
  r = select(less(x, constant(-0x1.9d1da0p+6)), constant(0.0), r);
  return select(less(constant(0x1.62e430p+6), x), constant(std::numeric_limits<double>::infinity()),
                r);
}

/// Denormals are scaled by 2^32 first. The natural logarithm multiplies by ln 2 in two parts.
Value MathEmitter::log(Value x, bool natural) const {
  Value tiny = less(x, constant(kMinNormal));
  Value r = hw(HwKind::Log2, mul(x, select(tiny, constant(0x1p+32), constant(1.0))));
  if (!natural)
    return sub(r, select(tiny, constant(32.0), constant(0.0)));
  Value high = constant(0x1.62e42ep-1), low = constant(0x1.efa39ep-25);
  Value product = mul(r, high);
  Value sum = add(product, fma(r, low, fma(r, high, neg(product))));
  sum = select(isFinite(r), sum, r); // infinity times its own rounding error would be NaN
  return sub(sum, select(tiny, constant(0x1.62e430p+4), constant(0.0)));
}

/// One Newton step, with the product x·y carried in two parts, brings the approximation within a
/// rounding of exact.
Value MathEmitter::rsqrt(Value x) const {
  Value tiny = less(x, constant(kMinNormal));
  Value scaled = mul(x, select(tiny, constant(0x1p+24), constant(1.0)));
  Value y = hw(HwKind::Rsq, scaled);
  Value product = mul(scaled, y);
  Value productRest = fma(scaled, y, neg(product));
  Value error = fma(neg(productRest), y, fma(neg(product), y, constant(1.0)));
  Value refined = fma(mul(constant(0.5), y), error, y);
  // 0, infinity and negatives make the error NaN, and y is right as it is.
  refined = select(cmp(arith::CmpFPredicate::ORD, error, error), refined, y);
  return mul(refined, select(tiny, constant(0x1p+12), constant(1.0)));
}

/// A polynomial for small arguments, where 1 − 2/(e^2x + 1) would cancel (coefficients: Cephes,
/// tanhf).
Value MathEmitter::tanh(Value x) const {
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value large =
      sub(constant(1.0), div(constant(2.0), add(exp(add(magnitude, magnitude)), constant(1.0))));
  Value square = mul(x, x);
  Value p = constant(-5.70498872745e-3);
  for (double c : {2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1})
    p = fma(p, square, constant(c));
  Value small = fma(mul(p, square), x, x);
  // Taking the sign from x keeps that of zero, too.
  return math::CopySignOp::create(b, loc, select(less(magnitude, constant(0.625)), small, large),
                                  x);
}

/// What `afn` allows: the instruction itself. Null for functions that have none.
Value MathEmitter::approximation(tile::MathKind kind, Value x) const {
  switch (kind) {
  case tile::MathKind::Exp:
    return hw(HwKind::Exp2, mul(x, constant(0x1.715476p+0)));
  case tile::MathKind::Exp2:
    return hw(HwKind::Exp2, x);
  case tile::MathKind::Log:
    return mul(hw(HwKind::Log2, x), constant(0x1.62e430p-1));
  case tile::MathKind::Log2:
    return hw(HwKind::Log2, x);
  case tile::MathKind::Sqrt:
    return hw(HwKind::Sqrt, x);
  case tile::MathKind::Rsqrt:
    return hw(HwKind::Rsq, x);
  case tile::MathKind::Rcp:
    return hw(HwKind::Rcp, x);
  case tile::MathKind::Sin: // in revolutions
    return hw(HwKind::Sin, hw(HwKind::Fract, mul(x, constant(0x1.45f306p-3))));
  case tile::MathKind::Cos:
    return hw(HwKind::Cos, hw(HwKind::Fract, mul(x, constant(0x1.45f306p-3))));
  case tile::MathKind::Sigmoid:
  case tile::MathKind::Silu: {
    Value sum = add(hw(HwKind::Exp2, mul(x, constant(-0x1.715476p+0))), constant(1.0));
    Value sigmoid = hw(HwKind::Rcp, sum);
    return kind == tile::MathKind::Silu ? mul(x, sigmoid) : sigmoid;
  }
  default:
    return {};
  }
}

static Value expandF32(const MathEmitter &emit, tile::MathKind kind, ValueRange operands,
                       bool approximate) {
  Value x = operands.front();
  if (approximate)
    if (Value value = emit.approximation(kind, x))
      return value;
  switch (kind) {
  case tile::MathKind::Exp:
    return emit.exp(x);
  case tile::MathKind::Exp2:
    return emit.exp2(x);
  case tile::MathKind::Log:
    return emit.log(x, /*natural=*/true);
  case tile::MathKind::Log2:
    return emit.log(x, /*natural=*/false);
  case tile::MathKind::Sqrt:
    return math::SqrtOp::create(emit.b, emit.loc, x);
  case tile::MathKind::Rsqrt:
    return emit.rsqrt(x);
  case tile::MathKind::Rcp:
    return emit.div(emit.constant(1.0), x);
  case tile::MathKind::Tanh:
    return emit.tanh(x);
  default:
    return expandWide(emit.b, emit.loc, kind, operands);
  }
}

/// What LLVM has a correctly rounded f64 form of.
static Value expandF64(const Emitter &emit, tile::MathKind kind, Value x) {
  switch (kind) {
  case tile::MathKind::Sqrt:
    return math::SqrtOp::create(emit.b, emit.loc, x);
  case tile::MathKind::Rcp:
    return emit.div(emit.constant(1.0), x);
  default:
    llvm_unreachable("on the list of lowerings, and not here");
  }
}

Value expandMath(OpBuilder &builder, tile::MathOp op) {
  ValueRange operands = op->getOperands();
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  Type element = getElementTypeOrSelf(type);
  bool approximate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
  Emitter source(builder, loc, type);
  if (element.isF64())
    return expandF64(source, op.getKind(), operands.front());
  MathEmitter emit(builder, loc, source.withElement(builder.getF32Type()));
  bool narrow = element.getIntOrFloatBitWidth() < 32;
  SmallVector<Value> wide(operands);
  if (narrow)
    for (Value &operand : wide)
      operand = arith::ExtFOp::create(builder, loc, emit.type, operand);
  Value result = expandF32(emit, op.getKind(), wide, approximate);
  if (narrow)
    result = arith::TruncFOp::create(builder, loc, type, result);
  return result;
}

} // namespace tegula::cdna
