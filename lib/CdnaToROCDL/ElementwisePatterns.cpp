// Element-wise ops: the same op on the smallest chunk of its operands and result.
#include "Lowering.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"

using namespace mlir;
using namespace tegula::cdna;

/// Makes the op of one piece.
using PieceBuilder = function_ref<Value(OpBuilder &, ValueRange pieces, Type type)>;

/// Cuts `operands` (tiles as chunks, scalars as they are) into the smallest chunk that occurs,
/// applies `build` to each piece, and joins the results to chunks of `tile`.
static SmallVector<Value> mapPieces(OpBuilder &b, Location loc, ArrayRef<ValueRange> operands,
                                    ArrayRef<bool> isTile, RankedTensorType tile,
                                    PieceBuilder build) {
  LayoutAttr layout = getLayout(tile);
  Type element = registerType(tile.getElementType());
  int64_t size = chunkSize(layout, tile.getElementType()), step = size;
  for (auto [values, cut] : llvm::zip(operands, isTile))
    if (cut)
      step = std::min(step, chunkCount(values.front().getType()));
  SmallVector<Value> pieces;
  for (int64_t first = 0; first < layout.numRegisters(); first += step) {
    SmallVector<Value> arguments;
    for (auto [values, cut] : llvm::zip(operands, isTile))
      arguments.push_back(cut ? extractRange(b, loc, values, first, step) : values.front());
    pieces.push_back(build(b, arguments, chunkType(element, step)));
  }
  return rechunk(b, loc, pieces, size);
}

static SmallVector<bool> tilesAmong(ValueRange operands) {
  return llvm::map_to_vector(operands, [](Value v) { return isa<RankedTensorType>(v.getType()); });
}

namespace {

/// A vector of f32 negated one by one. Of two at once LLVM makes a packed addition of the constant
/// -0, and how packed f32 instructions read constants is not documented.
Value negated(Operation *op, OpBuilder &b, Value vector) {
  SmallVector<Value> elements = toRegisters(b, op->getLoc(), vector);
  for (Value &element : elements)
    element = b.create(OperationState(op->getLoc(), op->getName(), element, element.getType(),
                                      op->getAttrs()))
                  ->getResult(0);
  return concat(b, op->getLoc(), elements);
}

/// Every element-wise op of arith and math: name, attributes (predicate, fast-math, rounding) and
/// all.
struct Elementwise : ConversionPattern {
  Elementwise(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        !op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (tile && !getLayout(tile))
      return failure();
    auto build = [&](OpBuilder &b, ValueRange pieces, Type type) -> Value {
      if (isa<arith::NegFOp>(op) && type == VectorType::get({chunkCount(type)}, b.getF32Type()))
        return negated(op, b, pieces.front());
      OperationState state(op->getLoc(), op->getName(), pieces, type, op->getAttrs());
      return b.create(state)->getResult(0);
    };
    if (!tile) { // a scalar of a type that registers hold as a byte
      SmallVector<Value> scalars =
          llvm::map_to_vector(operands, [](ValueRange r) { return r.front(); });
      rewriter.replaceOp(op, build(rewriter, scalars, registerType(op->getResult(0).getType())));
      return success();
    }
    SmallVector<Value> chunks =
        mapPieces(rewriter, op->getLoc(), operands, tilesAmong(op->getOperands()), tile, build);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

struct Constant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile) {
      rewriter.replaceOp(op, splatConstant(rewriter, op.getLoc(), registerType(op.getType()),
                                           cast<TypedAttr>(op.getValue())));
      return success();
    }
    if (!splat)
      return op.emitOpError() << "different elements in one constant tile [cdna.rocdl.c1]";
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(tile, types)))
      return failure();
    Value chunk = splatConstant(rewriter, op.getLoc(), types.front(),
                                cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    SmallVector<Value> chunks(types.size(), chunk);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

/// f32 → bf16 where the target has no instruction: round to nearest even in integers, 5 operations
/// a pair, plus 2 an element that keep a NaN one whose low payload would carry into the sign.
struct NarrowToBf16 : CdnaPattern<arith::TruncFOp> {
  NarrowToBf16(const TypeConverter &converter, const KernelContext &context)
      : CdnaPattern(converter, context, /*benefit=*/2) {}

  Value narrow(OpBuilder &b, Location loc, Value x, Type type, bool noNaNs) const {
    int64_t count = chunkCount(type);
    Type words = chunkType(b.getI32Type(), count);
    auto constant = [&](int64_t value) {
      return splatConstant(b, loc, words, b.getI32IntegerAttr(value));
    };
    Value bits = arith::BitcastOp::create(b, loc, words, x);
    Value odd = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, constant(16)),
                                      constant(1));
    Value rounded =
        arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, odd), constant(0x7FFF));
    if (!noNaNs) {
      Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
      Value quiet = arith::OrIOp::create(b, loc, bits, constant(0x400000));
      rounded = arith::SelectOp::create(b, loc, isNaN, quiet, rounded);
    }
    Value high = arith::ShRUIOp::create(b, loc, rounded, constant(16));
    Value halves = arith::TruncIOp::create(b, loc, chunkType(b.getI16Type(), count), high);
    return arith::BitcastOp::create(b, loc, type, halves);
  }

  LogicalResult matchAndRewrite(arith::TruncFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !tile.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32() || kernel.target->hasBf16Cvt)
      return failure();
    bool noNaNs = op.getFastmath() &&
                  arith::bitEnumContainsAll(*op.getFastmath(), arith::FastMathFlags::nnan);
    auto build = [&](OpBuilder &b, ValueRange pieces, Type type) {
      return narrow(b, op.getLoc(), pieces.front(), type, noNaNs);
    };
    SmallVector<Value> chunks =
        mapPieces(rewriter, op.getLoc(), {adaptor.getIn()}, {true}, tile, build);
    replaceWithValues(rewriter, op, chunks);
    return success();
  }
};

/// Hardware functions are scalar instructions: one a register.
struct Hardware : CdnaPattern<HwOp> {
  using CdnaPattern::CdnaPattern;

  /// Those that ROCDL has no op for go by the intrinsic's name.
  static Value intrinsic(OpBuilder &b, Location loc, StringRef name, ValueRange arguments,
                         Type type) {
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), arguments)
        .getResult(0);
  }

  static Value apply(OpBuilder &b, Location loc, HwKind kind, ValueRange x, Type type) {
    switch (kind) {
    case HwKind::Exp2:
      return ROCDL::ROCDLExp2::create(b, loc, type, x[0]);
    case HwKind::Log2:
      return ROCDL::ROCDLLog::create(b, loc, type, x[0]);
    case HwKind::Rcp:
      return ROCDL::ROCDLRcp::create(b, loc, type, x[0]);
    case HwKind::Rsq:
      return intrinsic(b, loc, "llvm.amdgcn.rsq.f32", x, type);
    case HwKind::Sqrt:
      return ROCDL::ROCDLSqrt::create(b, loc, type, x[0]);
    case HwKind::Sin:
      return ROCDL::ROCDLSin::create(b, loc, type, x[0]);
    case HwKind::Cos:
      return ROCDL::ROCDLCos::create(b, loc, type, x[0]);
    case HwKind::Fract:
      return intrinsic(b, loc, "llvm.amdgcn.fract.f32", x, type);
    case HwKind::FrexpMant:
      return intrinsic(b, loc, "llvm.amdgcn.frexp.mant.f32", x, type);
    case HwKind::FrexpExp:
      return intrinsic(b, loc, "llvm.amdgcn.frexp.exp.i32.f32", x, type);
    case HwKind::Ldexp:
      return intrinsic(b, loc, "llvm.ldexp.f32.i32", x, type);
    }
    llvm_unreachable("every kind is above");
  }

  LogicalResult matchAndRewrite(HwOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile) {
      SmallVector<Value> scalars =
          llvm::map_to_vector(adaptor.getArgs(), [](ValueRange r) { return r.front(); });
      rewriter.replaceOp(op, apply(rewriter, loc, op.getKind(), scalars, op.getType()));
      return success();
    }
    SmallVector<SmallVector<Value>> arguments = llvm::map_to_vector(
        adaptor.getArgs(), [&](ValueRange r) { return toRegisters(rewriter, loc, r); });
    SmallVector<Value> registers;
    for (unsigned r = 0; r < arguments.front().size(); ++r) {
      SmallVector<Value> pieces =
          llvm::map_to_vector(arguments, [&](const SmallVector<Value> &a) { return a[r]; });
      registers.push_back(apply(rewriter, loc, op.getKind(), pieces, tile.getElementType()));
    }
    replaceWithValues(rewriter, op, toChunks(rewriter, loc, registers, tile));
    return success();
  }
};

} // namespace

void tegula::cdna::populateElementwisePatterns(RewritePatternSet &patterns,
                                               const TypeConverter &converter,
                                               const KernelContext &context) {
  patterns.add<Elementwise, Constant>(converter, patterns.getContext());
  patterns.add<NarrowToBf16, Hardware>(converter, context);
  arith::populateCeilFloorDivExpandOpsPatterns(
      patterns); // scalars of window offsets and loop bounds
}
