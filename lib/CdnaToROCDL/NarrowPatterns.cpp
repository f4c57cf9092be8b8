// Conversions of floats of 8 bits and fewer by the target's instructions, which take two elements
// and fill half a register.
#include "Lowering.h"

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
  if (elements.size() < 4)
    word = LLVM::TruncOp::create(b, loc, b.getIntegerType(8 * elements.size()), word);
  return elements.size() == 1
             ? word
             : LLVM::BitcastOp::create(b, loc, chunkType(b.getI8Type(), elements.size()), word);
}

/// One, two or four bytes as f32.
Value unpackBytes(OpBuilder &b, Location loc, Value bytes, bool bf8) {
  int64_t count = chunkCount(bytes.getType());
  Value word = bytes;
  if (count > 1)
    word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(8 * count), bytes);
  if (count < 4)
    word = LLVM::ZExtOp::create(b, loc, b.getI32Type(), word);
  Type pair = VectorType::get({2}, b.getF32Type());
  SmallVector<Value> pairs;
  for (bool high = false; pairs.size() < size_t(count + 1) / 2; high = true)
    pairs.push_back(bf8 ? ROCDL::CvtPkF32Bf8Op::create(b, loc, pair, word, high).getResult()
                        : ROCDL::CvtPkF32Fp8Op::create(b, loc, pair, word, high).getResult());
  if (count > 1)
    return concat(b, loc, pairs);
  return LLVM::ExtractElementOp::create(b, loc, pairs.front(), constant(b, loc, 0));
}

struct Cvt : CdnaPattern<CvtOp> {
  using CdnaPattern::CdnaPattern;

  Value narrowed(OpBuilder &b, CvtOp op, Value piece) const {
    auto format = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    SmallVector<Value> elements = toRegisters(b, op.getLoc(), piece);
    if (op.getSaturate())
      llvm::transform(elements, elements.begin(), Clamp(b, op.getLoc(), format, *kernel.target));
    return packBytes(b, op.getLoc(), elements, isBf8(format, *kernel.target));
  }
  Value widened(OpBuilder &b, CvtOp op, Value piece) const {
    auto format = cast<FloatType>(getElementTypeOrSelf(op.getValue().getType()));
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
    int64_t step = std::min<int64_t>(4, int64_t(1) << layout.numRegBits());
    SmallVector<Value> parts = rechunk(rewriter, loc, adaptor.getValue(), step);
    llvm::transform(parts, parts.begin(), converted);
    SmallVector<Value> chunks =
        rechunk(rewriter, loc, parts, chunkSize(layout, tile.getElementType()));
    rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{chunks});
    return success();
  }
};

} // namespace

void tegula::cdna::populateNarrowPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const KernelContext &context) {
  patterns.add<Cvt>(converter, context);
}
