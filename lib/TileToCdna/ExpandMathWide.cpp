// tile.math by way of f64: the functions whose f32 form would need twice the digits somewhere (a
// large argument reduced, a product in an exponent, a sum that cancels).
//
// f64 multiply-adds run at the rate of f32 ones here. Every recipe has a relative error below 2^-30
// before its one rounding to f32, so results are correctly rounded but for about one in a hundred
// and then within 0.51 ulp; denormal results are rounded once like the others. The coefficients are
// interpolations at Chebyshev nodes, relative errors are given beside them.
#include "ExpandMath.h"

#include "Emitter.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

constexpr double kLog2e = 0x1.71547652b82fep+0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Arithmetic on f64, on i64 (for exponents) and on i32, for operands of one shape and layout.
class WideEmitter : public Emitter {
public:
  WideEmitter(OpBuilder &builder, Location loc, Type f32)
      : Emitter(builder, loc, Emitter(builder, loc, f32).withElement(builder.getF64Type())),
        f32(f32), i32(withElement(builder.getI32Type())), i64(withElement(builder.getI64Type())) {}

  Value erf(Value x) const;
  Value gelu(Value x) const;
  Value logistic(Value x, bool timesX) const;
  Value trigonometric(Value x, bool cosine) const;
  Value pow(Value x, Value y) const;

  Value widen(Value x) const { return arith::ExtFOp::create(b, loc, type, x); }
  Value narrow(Value x) const { return arith::TruncFOp::create(b, loc, f32, x); }
  /// x where it is a NaN, else the value.
  Value keepNaN(Value x, Value value) const {
    return select(cmp(arith::CmpFPredicate::ORD, x, x), value, x);
  }

private:
  /// What exp2 leaves far out is 2^-1000 and not 0: no factor that is an f32 but −∞ brings it back.
  Value zeroAtMinusInfinity(Value x, Value value) const {
    return select(cmp(arith::CmpFPredicate::OEQ, x, constant(-kInfinity)), constant(0.0), value);
  }
  Value integer(int64_t value, Type ofType) const {
    return constantOf(b.getIntegerAttr(getElementTypeOrSelf(ofType), value), ofType);
  }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }
  Value round(Value x) const { return math::RoundEvenOp::create(b, loc, x); }
  Value limit(Value x, double low, double high) const {
    Value below = arith::MinNumFOp::create(b, loc, x, constant(high));
    return arith::MaxNumFOp::create(b, loc, below, constant(low));
  }
  /// A quotient within some units of the last place, for operands far from overflow.
  Value quotient(Value x, Value y) const {
    return arith::DivFOp::create(b, loc, x, y, arith::FastMathFlags::afn);
  }
  /// Coefficients from the highest power down.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value sum = constant(coefficients.front());
    for (double c : coefficients.drop_front())
      sum = fma(sum, x, constant(c));
    return sum;
  }

  Value exp2(Value t) const;
  Value log2(Value x) const;
  Value erfcOfPositive(Value u) const;
  std::pair<Value, Value> reduceTurns(Value magnitude) const;
  Value isOddInteger(Value y, Value &isInteger) const;

  Type f32, i32, i64;
};

} // namespace

//===--- Exponentials and logarithms ---===//

/// 2^t; beyond ±1000, where every f32 is infinite or 0, the result of ±1000. A NaN gives anything.
Value WideEmitter::exp2(Value t) const {
  t = limit(t, -1000, 1000);
  Value whole = round(t);
  Value fraction = sub(t, whole);
  // (2^f − 1) / f, |f| ≤ 1/2: 2^-33.
  Value p = polynomial(fraction, {0x1.00a581594758ep-16, 0x1.443fffc90db59p-13,
                                  0x1.5d879ead06a82p-10, 0x1.3b2a1b7152befp-7, 0x1.c6b08d883dca1p-5,
                                  0x1.ebfbe045f4d3cp-3, 0x1.62e42fefa39efp-1});
  p = fma(p, fraction, constant(1.0));
  // The scale as the bits of a power of two.
  Value exponent = arith::FPToSIOp::create(b, loc, i32, whole);
  exponent = arith::AddIOp::create(b, loc, exponent, integer(1023, i32));
  Value bits = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, exponent),
                                     integer(52, i64));
  return mul(p, arith::BitcastOp::create(b, loc, type, bits));
}

/// log2 of a positive normal number: x = m · 2^e with m from √½ to √2, and log2(m) as a series in
/// z = (m − 1) / (m + 1), which keeps its relative precision next to 1.
Value WideEmitter::log2(Value x) const {
  Value bits = arith::BitcastOp::create(b, loc, i64, x);
  // Rounding by the distance of √½ from a power of two makes the exponent field that of x / m.
  constexpr int64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd;
  Value moved = arith::AddIOp::create(b, loc, bits, integer(one - root, i64));
  Value field = arith::ShRUIOp::create(b, loc, moved, integer(52, i64));
  Value scale = arith::ShLIOp::create(b, loc, field, integer(52, i64));
  Value m = arith::BitcastOp::create(
      b, loc, type,
      arith::AddIOp::create(b, loc, arith::SubIOp::create(b, loc, bits, scale), integer(one, i64)));
  Value e = arith::SIToFPOp::create(b, loc, type, arith::TruncIOp::create(b, loc, i32, field));
  e = sub(e, constant(1023));
  Value z = quotient(sub(m, constant(1.0)), add(m, constant(1.0)));
  // log2((1 + z) / (1 − z)) / z in z²: 2^-45.
  Value p =
      polynomial(mul(z, z), {0x1.21ad2d776d25ap-2, 0x1.47959c992a71fp-2, 0x1.a61a2cf9f9e38p-2,
                             0x1.2776c295ae0c7p-1, 0x1.ec709dc53a1cap-1, 0x1.71547652b8252p+1});
  return fma(z, p, e);
}

/// 1 / (1 + exp(−x)), times x for silu, whose value at −∞ is NaN as x / (1 + exp(−x)) has it.
Value WideEmitter::logistic(Value x, bool timesX) const {
  Value wide = widen(x);
  Value e = exp2(mul(wide, constant(-kLog2e)));
  Value result = quotient(constant(1.0), add(e, constant(1.0)));
  if (timesX)
    result = mul(wide, zeroAtMinusInfinity(wide, result));
  return keepNaN(x, narrow(result));
}

//===--- The error function ---===//

/// erfc(u) for u ≥ 0: exp(−u²) · g, with g a polynomial in w = (u − 5/2) / (u + 5/2) good to 2^-34
/// up to u = 10.4; beyond, the exponential is 0 for an f32.
Value WideEmitter::erfcOfPositive(Value u) const {
  Value near = limit(u, 0, 10.4);
  Value w = quotient(sub(near, constant(2.5)), add(near, constant(2.5)));
  Value g = polynomial(w, {0x1.8f92c8a5de4cfp-18, 0x1.fd23c2b0255dfp-17, -0x1.1bfec39398f9bp-15,
                           -0x1.09d13b7f59d43p-13, 0x1.df35da74de099p-13, 0x1.cae1d319ee53dp-11,
                           -0x1.5a5912e9482f9p-9, -0x1.05b961313776cp-8, 0x1.470ba5d0e459ep-5,
                           -0x1.00115544ce685p-3, 0x1.01c11a6f93af1p-2, -0x1.7ca88de936fcdp-2,
                           0x1.afbb3f3b748d7p-3});
  return mul(g, exp2(mul(mul(u, u), constant(-kLog2e))));
}

/// 1 − erfc(|x|), and a series below 1/2, where that would cancel.
Value WideEmitter::erf(Value x) const {
  Value wide = widen(x);
  Value magnitude = abs(wide);
  Value large = sub(constant(1.0), erfcOfPositive(magnitude));
  // erf(x) / x in x², |x| ≤ 1/2: 2^-36.
  Value p = polynomial(mul(wide, wide),
                       {-0x1.936a4a7830bd8p-11, 0x1.54d076df271bdp-8, -0x1.b8203032a45abp-6,
                        0x1.ce2ef239ee029p-4, -0x1.8127466f5b8a1p-2, 0x1.20dd75041b4eap+0});
  Value small = mul(magnitude, p);
  Value result = narrow(select(less(magnitude, constant(0.5)), small, large));
  return keepNaN(x, math::CopySignOp::create(b, loc, result, x));
}

/// x · Φ(x), Φ(x) = erfc(−x / √2) / 2: taken from erfc on the negative side, where 1 + erf cancels.
/// −∞ gives NaN, the product of −∞ and 0, as the definition by erf does.
Value WideEmitter::gelu(Value x) const {
  Value wide = widen(x);
  Value tail = mul(constant(0.5), erfcOfPositive(mul(abs(wide), constant(0x1.6a09e667f3bcdp-1))));
  Value phi = select(less(wide, constant(0.0)), tail, sub(constant(1.0), tail));
  return keepNaN(x, narrow(mul(wide, zeroAtMinusInfinity(wide, phi))));
}

//===--- Sine and cosine ---===//

/// |x| as quadrant (i32, its two low bits count) and rest (f64, |rest| ≤ π/4). Payne and Hanek:
/// only the bits of 1/2π around the binary point of the product matter, so the product of the
/// 24-bit significand with 96 of them, modulo one turn, is exact to 2^-62 of a turn for every f32;
/// the nearest that an f32 comes to a multiple of π/2 is about 2^-33 of a turn.
std::pair<Value, Value> WideEmitter::reduceTurns(Value magnitude) const {
  // Bits of 1/2π, behind one word of zeros for the smallest exponents.
  static constexpr int64_t words[] = {0,          0x28be60db, 0x9391054a, 0x7f09d5f4,
                                      0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea};
  auto word = [&](unsigned i) { return integer(int32_t(words[i]), i32); };
  Value bits = arith::BitcastOp::create(b, loc, i32, magnitude);
  // |x| = significand / 2^32 · 2^exponent.
  Value significand = arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, bits, integer(8, i32)), integer(INT32_MIN, i32));
  Value exponent = arith::SubIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, integer(23, i32)), integer(126, i32));
  auto bitSet = [&](int64_t mask) {
    Value masked = arith::AndIOp::create(b, loc, exponent, integer(mask, i32));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked, integer(0, i32))
        .getResult();
  };
  Value by1 = bitSet(32), by2 = bitSet(64), by4 = bitSet(128);
  // 96 bits from bit `exponent` on: whole words by selection, the rest by a shift of two words.
  auto window = [&](unsigned i) {
    Value low = select(by1, word(i + 1), word(i));
    Value high = select(by1, word(i + 3), word(i + 2));
    return select(by4, word(i + 4), select(by2, high, low));
  };
  Value shift = arith::AndIOp::create(b, loc, exponent, integer(31, i32));
  auto wide = [&](Value x) { return arith::ExtUIOp::create(b, loc, i64, x).getResult(); };
  Value wideShift = wide(shift);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < 4; ++i)
    parts.push_back(window(i));
  auto shifted = [&](unsigned i) {
    Value pair = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, wide(parts[i]), integer(32, i64)),
        wide(parts[i + 1]));
    Value moved = arith::ShLIOp::create(b, loc, pair, wideShift);
    return arith::ShRUIOp::create(b, loc, moved, integer(32, i64)).getResult();
  };
  Value factor = wide(significand);
  auto product = [&](unsigned i) {
    return arith::MulIOp::create(b, loc, factor, shifted(i)).getResult();
  };
  // Turns in 64 bits; what exceeds them is whole turns.
  Value turns = arith::ShLIOp::create(b, loc, product(0), integer(32, i64));
  turns = arith::AddIOp::create(b, loc, turns, product(1));
  turns = arith::AddIOp::create(b, loc, turns,
                                arith::ShRUIOp::create(b, loc, product(2), integer(32, i64)));
  Value quadrant = arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, turns, integer(int64_t(1) << 61, i64)),
      integer(62, i64));
  Value rest = arith::SubIOp::create(b, loc, turns,
                                     arith::ShLIOp::create(b, loc, quadrant, integer(62, i64)));
  rest = mul(arith::SIToFPOp::create(b, loc, type, rest), constant(0x1.921fb54442d18p-62));
  return {arith::TruncIOp::create(b, loc, i32, quadrant), rest};
}

Value WideEmitter::trigonometric(Value x, bool cosine) const {
  Value magnitude = abs(x);
  auto [quadrant, rest] = reduceTurns(magnitude);
  // Small arguments are their own rest, with all their bits.
  Emitter narrowEmit(b, loc, f32);
  Value small = less(magnitude, narrowEmit.constant(0.78125));
  rest = select(small, widen(magnitude), rest);
  quadrant = select(small, integer(0, i32), quadrant);
  if (cosine)
    quadrant = arith::AddIOp::create(b, loc, quadrant, integer(1, i32));
  Value square = mul(rest, rest);
  // sin(r) = r + r³·p: 2^-45. cos(r) = 1 + r²·q: 2^-41.
  Value p =
      polynomial(square, {-0x1.aa283bea75579p-26, 0x1.71d9a9b87993fp-19, -0x1.a019fd9ae7168p-13,
                          0x1.1111110fd3b3cp-7, -0x1.555555555516bp-3});
  Value sine = fma(mul(rest, square), p, rest);
  Value q =
      polynomial(square, {-0x1.2474cb416294ep-22, 0x1.a0129877a1cfcp-16, -0x1.6c16bae56f7d8p-10,
                          0x1.555555514f0e0p-5, -0x1.fffffffffe694p-2});
  Value cosineOfRest = fma(square, q, constant(1.0));
  auto bitSet = [&, quadrant = quadrant](int64_t mask) {
    Value masked = arith::AndIOp::create(b, loc, quadrant, integer(mask, i32));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked, integer(0, i32))
        .getResult();
  };
  Value result = select(bitSet(1), cosineOfRest, sine);
  result = narrow(select(bitSet(2), neg(result), result));
  if (!cosine) { // odd: the sign of x, that of −0 too, changes the result's
    Value sign = arith::AndIOp::create(b, loc, arith::BitcastOp::create(b, loc, i32, x),
                                       integer(INT32_MIN, i32));
    Value bits = arith::BitcastOp::create(b, loc, i32, result);
    result = arith::BitcastOp::create(b, loc, f32, arith::XOrIOp::create(b, loc, bits, sign));
  }
  Value finite = narrowEmit.less(magnitude, narrowEmit.constant(kInfinity));
  return select(finite, result, narrowEmit.constant(std::numeric_limits<double>::quiet_NaN()));
}

//===--- Powers ---===//

/// Whether y is an odd integer, and whether it is an integer at all (infinities are, and even).
Value WideEmitter::isOddInteger(Value y, Value &isInteger) const {
  auto floor = [&](Value v) { return math::FloorOp::create(b, loc, v).getResult(); };
  isInteger = cmp(arith::CmpFPredicate::OEQ, floor(y), y);
  Value half = mul(y, constant(0.5));
  Value isEven = cmp(arith::CmpFPredicate::OEQ, floor(half), half);
  Value notEven =
      arith::XOrIOp::create(b, loc, isEven, constantOf(b.getBoolAttr(true), isEven.getType()));
  return arith::AndIOp::create(b, loc, isInteger, notEven);
}

/// 2^(y · log2|x|) with the special values of C's pow (NumPy's, too).
Value WideEmitter::pow(Value x, Value y) const {
  Emitter narrowEmit(b, loc, f32);
  Value wideX = widen(x), wideY = widen(y), magnitude = abs(wideX);
  Value logarithm = log2(magnitude);
  logarithm = select(cmp(arith::CmpFPredicate::OEQ, magnitude, constant(kInfinity)),
                     constant(kInfinity), logarithm);
  logarithm = select(cmp(arith::CmpFPredicate::OEQ, magnitude, constant(0.0)), constant(-kInfinity),
                     logarithm);
  Value result = narrow(exp2(mul(wideY, logarithm)));

  Value isInteger;
  Value isOdd = isOddInteger(wideY, isInteger);
  Value signs = arith::BitcastOp::create(b, loc, i32, x);
  Value hasSign = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, signs, integer(0, i32));
  result = select(arith::AndIOp::create(b, loc, hasSign, isOdd), narrowEmit.neg(result), result);
  // A finite negative base has no power that is not whole.
  Value isFiniteNegative = arith::AndIOp::create(b, loc, less(wideX, constant(0.0)),
                                                 less(magnitude, constant(kInfinity)));
  Value isNaN = arith::AndIOp::create(
      b, loc, isFiniteNegative,
      arith::XOrIOp::create(b, loc, isInteger,
                            constantOf(b.getBoolAttr(true), isInteger.getType())));
  result = select(isNaN, narrowEmit.constant(std::numeric_limits<double>::quiet_NaN()), result);
  result = keepNaN(x, keepNaN(y, result));
  // x^0 and 1^y are 1 for every other operand, NaN included, and (−1)^±∞ is.
  Value isOne = cmp(arith::CmpFPredicate::OEQ, wideX, constant(1.0));
  isOne = arith::OrIOp::create(b, loc, isOne, cmp(arith::CmpFPredicate::OEQ, wideY, constant(0.0)));
  Value isUnit =
      arith::AndIOp::create(b, loc, cmp(arith::CmpFPredicate::OEQ, wideX, constant(-1.0)),
                            cmp(arith::CmpFPredicate::OEQ, abs(wideY), constant(kInfinity)));
  isOne = arith::OrIOp::create(b, loc, isOne, isUnit);
  return select(isOne, narrowEmit.constant(1.0), result);
}

Value expandWide(OpBuilder &builder, Location loc, tile::MathKind kind, ValueRange operands) {
  Value x = operands.front();
  WideEmitter emit(builder, loc, x.getType());
  switch (kind) {
  case tile::MathKind::Sin:
    return emit.trigonometric(x, /*cosine=*/false);
  case tile::MathKind::Cos:
    return emit.trigonometric(x, /*cosine=*/true);
  case tile::MathKind::Erf:
    return emit.erf(x);
  case tile::MathKind::Gelu:
    return emit.gelu(x);
  case tile::MathKind::Sigmoid:
    return emit.logistic(x, /*timesX=*/false);
  case tile::MathKind::Silu:
    return emit.logistic(x, /*timesX=*/true);
  case tile::MathKind::Pow:
    return emit.pow(x, operands[1]);
  default:
    return {};
  }
}

} // namespace tegula::cdna
