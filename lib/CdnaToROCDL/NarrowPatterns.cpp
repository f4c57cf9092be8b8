// Conversions of floats of 8 bits and fewer by the target's instructions, which take two elements
// and fill half a register or a byte.
#include "Lowering.h"

#include "dialects/cdna/CdnaNarrow.h"

using namespace mlir;
using namespace tegula::cdna;

namespace {

/// Within the largest numbers of a format; NaN stays.
class Clamp {
public:
  Clamp(OpBuilder &b, Location loc, FloatType format, const tegula::Target &target)
      : b(b), loc(loc), target(target),
        largest(llvm::APFloat::getLargest(format.getFloatSemantics()).convertToDouble()) {}

  Value operator()(Value x) const {
    Value high = bound(largest), low = bound(-largest);
    if (target.hasMinimum3)
      return LLVM::MaximumOp::create(b, loc, LLVM::MinimumOp::create(b, loc, x, high), low);
    Value isNaN = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, x, x);
    Value inside = ROCDL::FMed3Op::create(b, loc, x.getType(), x, low, high);
    return LLVM::SelectOp::create(b, loc, isNaN, x, inside);
  }

private:
  Value bound(double value) const {
    return LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(float(value)));
  }
  OpBuilder &b;
  Location loc;
  const tegula::Target &target;
  double largest;
};

/// Whether the type is the one that the target's bf8 instructions convert, not its fp8 ones.
bool isBf8(FloatType type, const tegula::Target &target) {
  return tegula::tile::dtypeName(type) == target.bf8Type;
}

Value constant(OpBuilder &b, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}

/// The low bytes of a register, and back: one, two or four.
Value lowBytes(OpBuilder &b, Location loc, Value word, int64_t count) {
  if (count < 4)
    word = LLVM::TruncOp::create(b, loc, b.getIntegerType(8 * count), word);
  return count == 1 ? word : LLVM::BitcastOp::create(b, loc, chunkType(b.getI8Type(), count), word);
}
Value asWord(OpBuilder &b, Location loc, Value bytes) {
  int64_t count = chunkCount(bytes.getType());
  Value word = bytes;
  if (count > 1)
    word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(8 * count), bytes);
  return count < 4 ? LLVM::ZExtOp::create(b, loc, b.getI32Type(), word) : word;
}

/// Up to four f32 as bytes of a register.
Value packBytes(OpBuilder &b, Location loc, ArrayRef<Value> elements, bool bf8) {
  Value word = LLVM::PoisonOp::create(b, loc, b.getI32Type());
  for (unsigned first = 0; first < elements.size(); first += 2) {
    Value x = elements[first], y = elements[std::min<size_t>(first + 1, elements.size() - 1)];
    word = bf8 ? ROCDL::CvtPkBf8F32Op::create(b, loc, b.getI32Type(), x, y, word, first > 0)
                     .getResult()
               : ROCDL::CvtPkFp8F32Op::create(b, loc, b.getI32Type(), x, y, word, first > 0)
                     .getResult();
  }
  return lowBytes(b, loc, word, elements.size());
}

/// One, two or four bytes as f32.
Value unpackBytes(OpBuilder &b, Location loc, Value bytes, bool bf8) {
  int64_t count = chunkCount(bytes.getType());
  Value word = asWord(b, loc, bytes);
  Type pair = VectorType::get({2}, b.getF32Type());
  SmallVector<Value> pairs;
  for (bool high = false; pairs.size() < size_t(count + 1) / 2; high = true)
    pairs.push_back(bf8 ? ROCDL::CvtPkF32Bf8Op::create(b, loc, pair, word, high).getResult()
                        : ROCDL::CvtPkF32Fp8Op::create(b, loc, pair, word, high).getResult());
  if (count > 1)
    return concat(b, loc, pairs);
  return LLVM::ExtractElementOp::create(b, loc, pairs.front(), constant(b, loc, 0));
}

/// NaN becomes zero: floats of fewer than 8 bits have none.
Value orZero(OpBuilder &b, Location loc, Value x) {
  Value isNumber = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::ord, x, x);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  return LLVM::SelectOp::create(b, loc, isNumber, x, zero);
}

/// Four-bit floats in the low halves of bytes; instructions take two from one byte.
class Fours {
public:
  Fours(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// Up to four f32 as bytes of a register. NaN becomes zero.
  Value pack(ArrayRef<Value> elements) const {
    SmallVector<Value, 4> x(elements);
    for (Value &element : x)
      element = orZero(b, loc, element);
    Value word = constant(b, loc, 0);
    for (unsigned first = 0; first < x.size(); first += 2) {
      Value second = first + 1 < x.size() ? x[first + 1] : x[first];
      word = ROCDL::CvtScaleF32PkFp4F32Op::create(b, loc, b.getI32Type(), word, x[first], second,
                                                  one(), /*dstSelIndex=*/first);
    }
    Value spread = LLVM::OrOp::create(b, loc, word, shifted<LLVM::ShlOp>(word));
    Value halves = LLVM::AndOp::create(b, loc, spread, constant(b, loc, 0x0F0F0F0F));
    return lowBytes(b, loc, halves, x.size());
  }
  /// One, two or four bytes as f32.
  Value unpack(Value bytes) const {
    Value word = asWord(b, loc, bytes);
    Value joined = LLVM::OrOp::create(b, loc, word, shifted<LLVM::LShrOp>(word));
    Type pair = VectorType::get({2}, b.getF32Type());
    SmallVector<Value> pairs;
    for (int64_t first = 0; first < chunkCount(bytes.getType()); first += 2)
      pairs.push_back(ROCDL::CvtScaleF32PkF32Fp4Op::create(b, loc, pair, joined, one(),
                                                           /*srcSelIndex=*/int32_t(first)));
    return chunkCount(bytes.getType()) > 1 ? concat(b, loc, pairs)
                                           : toRegisters(b, loc, pairs.front()).front();
  }

private:
  Value one() const { return LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(1)); }
  template <typename Shift> Value shifted(Value word) const {
    return Shift::create(b, loc, word, constant(b, loc, 4));
  }
  OpBuilder &b;
  Location loc;
};

/// Six-bit floats in the low bits of bytes; instructions take 32 of them from six registers without
/// gaps, four from 24 bits.
class Sixes {
public:
  static constexpr unsigned kCount = 32, kWords = 6;
  Sixes(OpBuilder &b, Location loc, bool bf6) : b(b), loc(loc), bf6(bf6) {}

  /// Up to 32 f32 as bytes.
  Value pack(ArrayRef<Value> elements) const {
    // The instruction takes elements from the two operands in turn.
    Value halves[2] = {poison(kCount / 2, b.getF32Type()), poison(kCount / 2, b.getF32Type())};
    for (unsigned i = 0; i < kCount; ++i) {
      Value x = i < elements.size() ? orZero(b, loc, elements[i]) : zero();
      halves[i % 2] = insert(halves[i % 2], x, i / 2);
    }
    Type type = VectorType::get({kWords}, b.getI32Type());
    Value dense =
        bf6 ? ROCDL::CvtScaleF322xPk16Bf6F32Op::create(b, loc, type, halves[0], halves[1], one())
                  .getResult()
            : ROCDL::CvtScaleF322xPk16Fp6F32Op::create(b, loc, type, halves[0], halves[1], one())
                  .getResult();
    SmallVector<Value> bytes;
    for (unsigned first = 0; first < elements.size(); first += 4)
      bytes.push_back(lowBytes(b, loc, spread(bitsOf(dense, first / 4)),
                               std::min<int64_t>(4, elements.size() - first)));
    return bytes.size() == 1 ? bytes.front() : concat(b, loc, bytes);
  }
  /// Up to 32 bytes as f32.
  Value unpack(Value bytes) const {
    int64_t count = chunkCount(bytes.getType());
    SmallVector<Value> quads = {bytes};
    if (count > 4)
      quads = rechunk(b, loc, bytes, 4);
    Value dense = poison(kWords, b.getI32Type());
    SmallVector<Value> words(kWords, constant(b, loc, 0));
    for (auto [i, quad] : llvm::enumerate(quads)) {
      Value bits = gathered(asWord(b, loc, quad));
      unsigned at = 24 * i, word = at / 32, shift = at % 32;
      words[word] = LLVM::OrOp::create(b, loc, words[word], moved<LLVM::ShlOp>(bits, shift));
      if (shift > 8)
        words[word + 1] =
            LLVM::OrOp::create(b, loc, words[word + 1], moved<LLVM::LShrOp>(bits, 32 - shift));
    }
    for (auto [i, word] : llvm::enumerate(words))
      dense = insert(dense, word, i);
    Type type = VectorType::get({kCount}, b.getF32Type());
    Value all =
        bf6 ? ROCDL::CvtScaleF32Pk32F32Bf6Op::create(b, loc, type, dense, one()).getResult()
            : ROCDL::CvtScaleF32Pk32F32Fp6Op::create(b, loc, type, dense, one()).getResult();
    SmallVector<Value> elements = toRegisters(b, loc, all);
    elements.resize(count);
    return count == 1 ? elements.front() : concat(b, loc, elements);
  }

private:
  Value one() const { return LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(1)); }
  Value zero() const { return LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(0)); }
  Value poison(int64_t count, Type element) const {
    return LLVM::PoisonOp::create(b, loc, VectorType::get({count}, element));
  }
  Value insert(Value vector, Value x, unsigned at) const {
    return LLVM::InsertElementOp::create(b, loc, vector, x, constant(b, loc, int32_t(at)));
  }
  template <typename Shift> Value moved(Value x, unsigned by) const {
    return by ? Shift::create(b, loc, x, constant(b, loc, int32_t(by))).getResult() : x;
  }
  /// 24 bits for four elements, and what follows them.
  Value bitsOf(Value dense, unsigned quad) const {
    unsigned at = 24 * quad, word = at / 32, shift = at % 32;
    auto get = [&](unsigned i) {
      return LLVM::ExtractElementOp::create(b, loc, dense, constant(b, loc, int32_t(i)));
    };
    Value low = moved<LLVM::LShrOp>(get(word), shift);
    return shift <= 8
               ? low
               : LLVM::OrOp::create(b, loc, low, moved<LLVM::ShlOp>(get(word + 1), 32 - shift))
                     .getResult();
  }
  /// Fields of six bits to bytes, and back.
  Value spread(Value bits) const {
    return fields([&](unsigned i) { return moved<LLVM::ShlOp>(bits, 2 * i); }, 8);
  }
  Value gathered(Value bytes) const {
    return fields([&](unsigned i) { return moved<LLVM::LShrOp>(bytes, 2 * i); }, 6);
  }
  Value fields(function_ref<Value(unsigned)> movedBy, unsigned step) const {
    Value all;
    for (unsigned i = 0; i < 4; ++i) {
      Value mask = constant(b, loc, int32_t(0x3Fu << (step * i)));
      Value field = LLVM::AndOp::create(b, loc, movedBy(i), mask);
      all = all ? LLVM::OrOp::create(b, loc, all, field).getResult() : field;
    }
    return all;
  }
  OpBuilder &b;
  Location loc;
  bool bf6;
};

struct Cvt : CdnaPattern<CvtOp> {
  using CdnaPattern::CdnaPattern;

  Value narrowed(OpBuilder &b, CvtOp op, Value piece) const {
    auto format = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    SmallVector<Value> elements = toRegisters(b, op.getLoc(), piece);
    if (format.getWidth() == 4)
      return Fours(b, op.getLoc()).pack(elements);
    if (format.getWidth() == 6)
      return Sixes(b, op.getLoc(), isa<Float6E3M2FNType>(format)).pack(elements);
    if (op.getSaturate())
      llvm::transform(elements, elements.begin(), Clamp(b, op.getLoc(), format, *kernel.target));
    return packBytes(b, op.getLoc(), elements, isBf8(format, *kernel.target));
  }
  Value widened(OpBuilder &b, CvtOp op, Value piece) const {
    auto format = cast<FloatType>(getElementTypeOrSelf(op.getValue().getType()));
    if (format.getWidth() == 4)
      return Fours(b, op.getLoc()).unpack(piece);
    if (format.getWidth() == 6)
      return Sixes(b, op.getLoc(), isa<Float6E3M2FNType>(format)).unpack(piece);
    return unpackBytes(b, op.getLoc(), piece, isBf8(format, *kernel.target));
  }

  LogicalResult matchAndRewrite(CvtOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    bool narrows = getElementTypeOrSelf(op.getValue().getType()).isF32();
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto converted = [&](Value piece) {
      return narrows ? narrowed(rewriter, op, piece) : widened(rewriter, op, piece);
    };
    if (!tile) {
      rewriter.replaceOp(op, converted(adaptor.getValue().front()));
      return success();
    }
    LayoutAttr layout = getLayout(tile);
    Type narrow = getElementTypeOrSelf(narrows ? op.getType() : op.getValue().getType());
    int64_t most = narrow.getIntOrFloatBitWidth() == 6 ? Sixes::kCount : 4;
    int64_t step = std::min<int64_t>(most, int64_t(1) << layout.numRegBits());
    SmallVector<Value> parts = rechunk(rewriter, loc, adaptor.getValue(), step);
    llvm::transform(parts, parts.begin(), converted);
    SmallVector<Value> chunks =
        rechunk(rewriter, loc, parts, chunkSize(layout, tile.getElementType()));
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

/// Registers hold codes as bytes.
struct Codes : CdnaPattern<CodesOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(CodesOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    replaceWithValues(rewriter, op, adaptor.getValue());
    return success();
  }
};

/// Arithmetic on bytes, a dword at a time where a chunk is made of them: LLVM would take vectors of
/// bytes apart.
class Nibbles {
public:
  Nibbles(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  Value low(Value bytes) const {
    return onWords(bytes, [&](Value x) { return arith::AndIOp::create(b, loc, x, all(x, 0x0F)); });
  }
  Value high(Value bytes) const {
    return onWords(bytes, [&](Value x) {
      Value moved = arith::ShRUIOp::create(b, loc, x, all(x, 4, /*eachByte=*/false));
      return arith::AndIOp::create(b, loc, moved, all(x, 0x0F));
    });
  }
  /// Halves of bytes, both below 16.
  Value join(Value low, Value high) const {
    Type type = low.getType();
    Value x = words(low), y = words(high);
    Value moved = arith::ShLIOp::create(b, loc, y, all(y, 4, /*eachByte=*/false));
    return back(arith::OrIOp::create(b, loc, x, moved), type);
  }

private:
  static bool isWords(Type type) { return chunkCount(type) % 4 == 0; }
  Value words(Value bytes) const {
    int64_t count = chunkCount(bytes.getType());
    return isWords(bytes.getType())
               ? LLVM::BitcastOp::create(b, loc, chunkType(b.getI32Type(), count / 4), bytes)
               : bytes;
  }
  Value back(Value words, Type type) const {
    return words.getType() == type ? words : LLVM::BitcastOp::create(b, loc, type, words);
  }
  Value onWords(Value bytes, function_ref<Value(Value)> change) const {
    return back(change(words(bytes)), bytes.getType());
  }
  /// `byte` in every byte of an element, or the number itself in every element.
  Value all(Value like, int64_t byte, bool eachByte = true) const {
    Type element = getElementTypeOrSelf(like.getType());
    APInt value(element.getIntOrFloatBitWidth(), byte);
    if (eachByte)
      value = APInt::getSplat(value.getBitWidth(), value.trunc(8));
    return splatConstant(b, loc, like.getType(), b.getIntegerAttr(element, value));
  }
  OpBuilder &b;
  Location loc;
};

/// The registers of pairs whose coordinate along the axis is `half`, in the order of their bytes.
SmallVector<int64_t> halvesOf(RankedTensorType pairs, RankedTensorType bytes, int64_t axis,
                              int64_t half) {
  auto halves =
      RankedTensorType::get(bytes.getShape(), pairs.getElementType(), bytes.getEncoding());
  SmallVector<int64_t> origin(pairs.getRank(), 0);
  origin[axis] = half;
  return partRegisters(pairs, halves, origin);
}

struct Pack : CdnaPattern<PackOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(PackOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    RankedTensorType pairs = op.getValue().getType(), bytes = op.getType();
    auto half = [&](int64_t which) {
      return gatherRegisters(rewriter, loc, adaptor.getValue(),
                             halvesOf(pairs, bytes, op.getAxis(), which), bytes);
    };
    SmallVector<Value> chunks;
    for (auto [low, high] : llvm::zip_equal(half(0), half(1)))
      chunks.push_back(Nibbles(rewriter, loc).join(low, high));
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

struct Unpack : CdnaPattern<UnpackOp> {
  using CdnaPattern::CdnaPattern;
  LogicalResult matchAndRewrite(UnpackOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    RankedTensorType pairs = op.getType(), bytes = op.getValue().getType();
    Nibbles nibbles(rewriter, op.getLoc());
    // All low halves, then all high ones, as one tile of twice the registers.
    SmallVector<Value> halves;
    for (Value chunk : adaptor.getValue())
      halves.push_back(nibbles.low(chunk));
    for (Value chunk : adaptor.getValue())
      halves.push_back(nibbles.high(chunk));
    int64_t count = getLayout(bytes).numRegisters();
    SmallVector<int64_t> sources(2 * count, 0);
    for (int64_t which : {0, 1})
      for (auto [byte, reg] : llvm::enumerate(halvesOf(pairs, bytes, op.getAxis(), which)))
        sources[reg] = which * count + byte;
    SmallVector<Value> chunks = gatherRegisters(rewriter, op.getLoc(), halves, sources, pairs);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

} // namespace

namespace {

/// Codes of 8 bits as f16: two at a time, each in the upper byte of a half of a register. LLVM
/// would take vectors of halves apart, so that what needs no carry between bits is done on whole
/// words.
class Halves {
public:
  Halves(OpBuilder &b, Location loc, FloatType format)
      : b(b), loc(loc), format(format), pairs(VectorType::get({2}, b.getI16Type())),
        floats(VectorType::get({2}, b.getF16Type())) {}

  /// `word` has a code in the upper byte of each half, and anything below it.
  Value convert(Value word) const {
    Value code = both(word, 0xFF00);
    if (isa<Float8E5M2Type>(format)) // the upper half of an f16
      return asFloats(code);
    Value sign = both(code, 0x8000), size = both(right(code, 1), 0x3F80);
    if (isa<Float8E4M3FNType>(format))
      return asFloats(either(withNaN(scaled(size, 256)), sign));
    bool isE4 = isa<Float8E4M3FNUZType>(format);
    Value numbers = isE4 ? scaled(size, 128) : unscaled(code, size);
    return asFloats(either(numbers, either(sign, negativeZero(size, sign))));
  }

private:
  /// E4M3 at the place of an f16's exponent and mantissa: an exponent that is too low.
  Value scaled(Value size, double factor) const {
    Value power = splatConstant(b, loc, floats, b.getFloatAttr(b.getF16Type(), factor));
    return asWord(arith::MulFOp::create(b, loc, asFloats(size), power));
  }
  /// E5M2 whose exponent is one too high; the least two exponents are denormals of f16.
  Value unscaled(Value code, Value size) const {
    Value lower = arith::SubIOp::create(b, loc, asPairs(both(code, 0x7F00)), pair(0x0400));
    return asWord(arith::MaxSIOp::create(b, loc, asPairs(size), lower));
  }
  /// The code above 448, which has become 480, as a NaN: the exponent's bit that it lacks.
  Value withNaN(Value numbers) const {
    Value above = LLVM::USubSat::create(b, loc, pairs, asPairs(numbers), pair(0x5F00));
    Value bit = arith::ShLIOp::create(b, loc, asWord(above), word(6));
    return either(numbers, bit);
  }
  /// The bits of a NaN where a sign stands without a number.
  Value negativeZero(Value size, Value sign) const {
    Value below = arith::SubIOp::create(b, loc, asPairs(size), pair(0x0080));
    Value top = arith::AndIOp::create(b, loc, asWord(below), sign);
    return asWord(arith::ShRSIOp::create(b, loc, asPairs(top), pair(6)));
  }

  Value word(int32_t value) const { return constant(b, loc, value); }
  Value pair(int64_t value) const {
    return splatConstant(b, loc, pairs, b.getI16IntegerAttr(int16_t(value)));
  }
  Value asWord(Value x) const { return LLVM::BitcastOp::create(b, loc, b.getI32Type(), x); }
  Value asPairs(Value x) const { return LLVM::BitcastOp::create(b, loc, pairs, x); }
  Value asFloats(Value x) const { return LLVM::BitcastOp::create(b, loc, floats, x); }
  Value both(Value x, uint32_t half) const {
    return arith::AndIOp::create(b, loc, x, word(int32_t(half << 16 | half)));
  }
  Value either(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  Value right(Value x, int32_t by) const { return arith::ShRUIOp::create(b, loc, x, word(by)); }

  OpBuilder &b;
  Location loc;
  FloatType format;
  Type pairs, floats;
};

} // namespace

Value tegula::cdna::codesToHalves(OpBuilder &b, Location loc, ValueRange words, FloatType format) {
  Halves halves(b, loc, format);
  SmallVector<Value> found;
  for (Value word : words) {
    found.push_back(halves.convert(LLVM::ShlOp::create(b, loc, word, constant(b, loc, 8))));
    found.push_back(halves.convert(word));
  }
  return concat(b, loc, found);
}

void tegula::cdna::populateNarrowPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Cvt, Codes, Pack, Unpack>(converter, context);
}
