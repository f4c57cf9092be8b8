// Floats of few bits from f32 and back: the target's instruction where it has the format and the
// rounding, else integer arithmetic on the bits, with the same results.
#include "Emitter.h"
#include "ExpandMath.h"
#include "NarrowFormat.h"

#include "dialects/cdna/CdnaNarrow.h"
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

/// Arithmetic on the bits of an f32, as i32 of its shape.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type f32Like)
      : b(b), loc(loc), floats(b, loc, f32Like), type(floats.withElement(b.getI32Type())) {}

  Value word(int64_t value) const {
    return floats.constantOf(b.getI32IntegerAttr(int32_t(value)), type);
  }
  Value of(Value x) const { return arith::BitcastOp::create(b, loc, type, x); }
  Value asFloat(Value x) const { return arith::BitcastOp::create(b, loc, floats.type, x); }
  Value add(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  Value right(Value x, unsigned by) const { return arith::ShRUIOp::create(b, loc, x, word(by)); }
  Value left(Value x, unsigned by) const { return arith::ShLIOp::create(b, loc, x, word(by)); }
  Value smaller(Value x, Value y) const { return arith::MinUIOp::create(b, loc, x, y); }
  Value select(Value c, Value x, Value y) const { return floats.select(c, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) const {
    return floats.cmp(predicate, x, word(y));
  }

  OpBuilder &b;
  Location loc;
  Emitter floats;
  Type type;
};

/// f32 to a narrow float.
class Encoder {
public:
  /// `noise` is a number of 32 random bits for stochastic rounding.
  Encoder(const Bits &bits, const NarrowFormat &format, tile::Rounding rounding, Value noise)
      : bits(bits), format(format), rounding(rounding), noise(noise) {}

  Value encode(Value x, bool saturate) const {
    Value pattern = bits.of(x), size = bits.both(pattern, bits.word(0x7FFFFFFF));
    Value code = limited(rounded(size), size, saturate);
    Value sign = bits.both(bits.right(pattern, 32 - format.bits), bits.word(format.signBit()));
    Value isNaN = bits.compare(arith::CmpIPredicate::ugt, size, 0x7F800000);
    Value nan = bits.word(format.nan.value_or(0));
    if (!format.isUnsignedZero())
      return bits.either(bits.select(isNaN, nan, code), sign);
    Value isZero = bits.compare(arith::CmpIPredicate::eq, code, 0);
    return bits.select(isNaN, nan, bits.select(isZero, code, bits.either(code, sign)));
  }

private:
  Value rounded(Value size) const {
    if (format.least == -126) // denormals are those of f32
      return normal(size);
    return bits.select(
        bits.compare(arith::CmpIPredicate::uge, size, int64_t(format.least + 127) << 23),
        normal(size), subnormal(bits.asFloat(size)));
  }
  /// A code with the bits below it that are to be cut off, towards zero or after random ones were
  /// added.
  Value cutOff(Value code) const {
    unsigned cut = format.dropped();
    if (noise)
      code = bits.add(code, bits.right(noise, 32 - cut));
    return bits.right(code, cut);
  }
  /// The exponent of f32 becomes the narrow one, and the mantissa loses its low bits.
  Value normal(Value size) const {
    unsigned cut = format.dropped();
    int64_t rebase = int64_t(format.least + 126) << 23;
    if (rounding != tile::Rounding::Rne)
      return cutOff(bits.sub(size, bits.word(rebase)));
    Value odd = bits.both(bits.right(size, cut), bits.word(1));
    int64_t belowHalf = (int64_t(1) << (cut - 1)) - 1;
    return bits.right(bits.add(bits.add(size, odd), bits.word(belowHalf - rebase)), cut);
  }
  /// The code counts steps of the smallest number. Added to a number whose last bit is such a
  /// step, the sum is rounded there.
  Value subnormal(Value size) const {
    const Emitter &f = bits.floats;
    int step = format.least - int(format.mantissa);
    if (rounding != tile::Rounding::Rne) {
      Value scaled = f.mul(size, f.constant(std::ldexp(1.0, int(format.dropped()) - step)));
      return cutOff(arith::FPToUIOp::create(bits.b, bits.loc, bits.type, scaled));
    }
    Value anchor = f.constant(std::ldexp(1.0, step + 23));
    return bits.sub(bits.of(f.add(size, anchor)), bits.of(anchor));
  }
  /// What exceeds the largest number, infinity included.
  Value limited(Value code, Value size, bool saturate) const {
    Value largest = bits.word(format.largest);
    if (saturate)
      return bits.smaller(code, largest);
    Value beyond = bits.word(format.infinity ? *format.infinity : *format.nan);
    if (rounding != tile::Rounding::Rtz)
      return bits.select(bits.compare(arith::CmpIPredicate::ugt, code, format.largest), beyond,
                         code);
    Value isInfinite = bits.compare(arith::CmpIPredicate::uge, size, 0x7F800000);
    return bits.select(isInfinite, beyond, bits.smaller(code, largest));
  }

  const Bits &bits;
  const NarrowFormat &format;
  tile::Rounding rounding;
  Value noise;
};

/// The value of each code, as f32: exact.
Value decode(const Bits &bits, const NarrowFormat &format, Value code) {
  const Emitter &f = bits.floats;
  Value size = bits.both(code, bits.word(format.signBit() - 1));
  Value raised = bits.left(size, format.dropped());
  Value normal = bits.add(raised, bits.word(int64_t(format.least + 126) << 23));
  Value count = arith::UIToFPOp::create(bits.b, bits.loc, f.type, size);
  Value small = f.mul(count, f.constant(std::ldexp(1.0, format.least - int(format.mantissa))));
  Value isSmall = bits.compare(arith::CmpIPredicate::ult, size, int64_t(1) << format.mantissa);
  Value value = bits.select(isSmall, bits.of(small), normal);
  if (format.infinity) {
    Value beyond = bits.compare(arith::CmpIPredicate::uge, size, *format.infinity);
    value = bits.select(beyond, bits.either(raised, bits.word(0x7F800000)), value);
  } else if (format.nan) {
    Value isNaN =
        bits.compare(arith::CmpIPredicate::eq, format.isUnsignedZero() ? code : size, *format.nan);
    value = bits.select(isNaN, bits.word(0x7FC00000), value);
  }
  Value sign = bits.left(bits.both(code, bits.word(format.signBit())), 32 - format.bits);
  return bits.asFloat(bits.either(value, sign));
}

/// The target's conversions know this format.
bool hasInstruction(OpBuilder &b, FloatType type) {
  Operation *parent = b.getBlock()->getParentOp();
  auto kernel = dyn_cast<tile::KernelOpInterface>(parent);
  if (!kernel)
    kernel = parent->getParentOfType<tile::KernelOpInterface>();
  const Target *target = tile::lookupTarget(kernel); // there is one: verifyLowerings
  return target->convertsNarrow(tile::dtypeName(type));
}

/// Integers as the floats that they are the codes of, or back. Those of fewer than 8 bits are
/// bytes.
Value fromCodes(OpBuilder &b, Location loc, Value x, Type result) {
  unsigned width = std::min(getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth(),
                            getElementTypeOrSelf(result).getIntOrFloatBitWidth());
  if (width < 8)
    return CodesOp::create(b, loc, result, x);
  return arith::BitcastOp::create(b, loc, result, x);
}

} // namespace

Value expandToNarrow(OpBuilder &b, Location loc, Value x, Type result, const CastRounding &how) {
  auto type = cast<FloatType>(getElementTypeOrSelf(result));
  if (how.rounding == tile::Rounding::Rne && hasInstruction(b, type))
    return CvtOp::create(b, loc, result, x, how.saturate);
  Bits bits(b, loc, x.getType());
  Value noise;
  if (how.seed)
    noise = RandomOp::create(b, loc, bits.type, how.seed);
  Value code = Encoder(bits, NarrowFormat(type), how.rounding, noise).encode(x, how.saturate);
  Type codes = bits.floats.withElement(b.getIntegerType(std::max(8u, type.getWidth())));
  return fromCodes(b, loc, arith::TruncIOp::create(b, loc, codes, code), result);
}

Value expandFromNarrow(OpBuilder &b, Location loc, Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  Type wide = Emitter(b, loc, x.getType()).withElement(b.getF32Type());
  if (hasInstruction(b, type))
    return CvtOp::create(b, loc, wide, x, /*saturate=*/false);
  Bits bits(b, loc, wide);
  Value codes = fromCodes(b, loc, x, bits.floats.withElement(b.getI8Type()));
  Value code = arith::ExtUIOp::create(b, loc, bits.type, codes);
  return decode(bits, NarrowFormat(type), code);
}

} // namespace tegula::cdna
