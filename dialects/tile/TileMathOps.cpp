// Conversions, functions, reductions, products: verifiers and the few folds that are exact.
#include "dialects/tile/Tile.h"
#include "dialects/tile/TileNormalForms.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_OP_CLASSES
#include "dialects/tile/TileMathOps.cpp.inc"

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

// Scalars agree with scalars, tiles with tiles of the same extents; encodings are the business of
// later stages.
static bool sameShape(Type a, Type b) {
  auto tileA = dyn_cast<RankedTensorType>(a), tileB = dyn_cast<RankedTensorType>(b);
  return tileA && tileB ? tileA.getShape() == tileB.getShape() : !tileA && !tileB;
}

// cast, bitcast

LogicalResult CastOp::verify() {
  Type from = elementOf(getInput()), to = elementOf(getResult());
  if (!sameShape(getInput().getType(), getType()))
    return emitOpError() << shapeText(getInput().getType()) << " to " << shapeText(getType())
                         << " changes the shape [tile.cast.c1]";
  if (isa<Float8E8M0FNUType>(from) || isa<Float8E8M0FNUType>(to))
    return emitOpError(
        "to or from f8E8M0FNU: a scale has no sign and no zero; use tile.bitcast [tile.cast.c2]");
  if ((from.isInteger(1) && isa<FloatType>(to)) || (isa<FloatType>(from) && to.isInteger(1)))
    return emitOpError() << from << " to " << to
                         << ": an i1 converts from and to integers only [tile.cast.c5]";
  auto real = dyn_cast<FloatType>(to);
  if (real && !APFloat::semanticsHasNaN(real.getFloatSemantics()) && !getSaturate())
    return emitOpError() << "to " << to
                         << ", which has neither infinity nor NaN, saturates [tile.cast.c3]";
  bool isPlain = getRounding() == Rounding::Rne && !getSaturate() && !isNarrowFloat(to);
  if (isa<IntegerType>(from) && real && !isPlain)
    return emitOpError() << from << " to " << to
                         << ": integers become floats of 16 bits and more, to nearest, without "
                            "saturation; cast to f32 or f64 first [tile.cast.c6]";
  bool isRandom = getRounding() == Rounding::Stochastic;
  if (isRandom != bool(getSeed()) || (isRandom && (!real || real.getWidth() > 16)))
    return emitOpError() << stringifyRounding(getRounding()) << " to " << to
                         << (getSeed() ? " with" : " without")
                         << " a seed; stochastic rounding, and it alone, takes a seed and gives "
                            "floats of 16 bits or fewer [tile.cast.c4]";
  return success();
}

// A constant converts here only where no rounding is needed: rounding is the device's, and our own
// code's.
static Attribute castExactly(Attribute input, Type element) {
  auto value = dyn_cast_or_null<FloatAttr>(input);
  auto real = dyn_cast<FloatType>(element);
  if (!value || !real || !value.getValue().isFinite() || isNarrowFloat(real) ||
      isNarrowFloat(value.getType()))
    return {};
  APFloat number = value.getValue();
  bool loses = false;
  number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return loses ? Attribute() : FloatAttr::get(real, number);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput())) {
    Attribute element = castExactly(splat.getSplatValue<Attribute>(), elementOf(getResult()));
    return element ? SplatElementsAttr::get(cast<RankedTensorType>(getType()), element)
                   : Attribute();
  }
  return castExactly(adaptor.getInput(), getType());
}

LogicalResult BitcastOp::verify() {
  Type from = elementOf(getInput()), to = elementOf(getResult());
  if (!from.isIntOrFloat() || !to.isIntOrFloat() ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << from << " to " << to << ": widths differ [tile.bitcast.c1]";
  if (!sameShape(getInput().getType(), getType()))
    return emitOpError() << shapeText(getInput().getType()) << " to " << shapeText(getType())
                         << " changes the shape [tile.bitcast.c2]";
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<BitcastOp>();
  return inner && inner.getInput().getType() == getType() ? inner.getInput() : Value();
}

// math

LogicalResult MathOp::verify() {
  auto real = dyn_cast<FloatType>(elementOf(getResult()));
  if (!real || real.getWidth() < 16)
    return emitOpError() << stringifyMathKind(getKind()) << " of " << elementOf(getResult())
                         << "; f64, f32, f16 and bf16 have functions [tile.math.c1]";
  unsigned want = getKind() == MathKind::Pow ? 2 : 1;
  if (getOperands().size() != want)
    return emitOpError() << stringifyMathKind(getKind()) << " takes " << want << " operands, found "
                         << getOperands().size() << " [tile.math.c2]";
  return success();
}

// f(x) = y exactly: the only constants that fold. Everything else is computed by the device's own
// expansion.
static std::optional<double> exactValue(MathKind kind, double x) {
  switch (kind) {
  case MathKind::Exp:
  case MathKind::Exp2:
    return x == 0 ? std::optional(1.0) : std::nullopt;
  case MathKind::Log:
  case MathKind::Log2:
    return x == 1 ? std::optional(0.0) : std::nullopt;
  case MathKind::Sqrt:
  case MathKind::Rsqrt:
  case MathKind::Rcp:
    return x == 1 ? std::optional(1.0) : std::nullopt;
  default:
    return std::nullopt;
  }
}

OpFoldResult MathOp::fold(FoldAdaptor adaptor) {
  Attribute input = adaptor.getOperands().front();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(input))
    input = splat.getSplatValue<Attribute>();
  auto value = dyn_cast_or_null<FloatAttr>(input);
  if (!value)
    return {};
  std::optional<double> result = exactValue(getKind(), value.getValueAsDouble());
  if (!result)
    return {};
  auto element = FloatAttr::get(elementOf(getResult()), *result);
  if (auto tile = dyn_cast<RankedTensorType>(getType()))
    return SplatElementsAttr::get(tile, Attribute(element));
  return element;
}

// reduce

TypedAttr tegula::tile::neutralElement(ReduceKind kind, Type element) {
  Builder b(element.getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool isBound = kind == ReduceKind::Max || kind == ReduceKind::Min;
    APFloat value = isBound ? APFloat::getInf(semantics, kind == ReduceKind::Max)
                            : APFloat(semantics, kind == ReduceKind::Mul ? 1 : 0);
    return b.getFloatAttr(type, value);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Mul:
    return b.getIntegerAttr(element, APInt(width, 1));
  case ReduceKind::Max:
    return b.getIntegerAttr(element, APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return b.getIntegerAttr(element, APInt::getSignedMaxValue(width));
  case ReduceKind::And:
    return b.getIntegerAttr(element, APInt::getAllOnes(width));
  default:
    return b.getIntegerAttr(element, APInt(width, 0));
  }
}

LogicalResult ReduceOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  if (int64_t(getAxis()) >= from.getRank())
    return emitOpError() << "axis " << getAxis() << " of a " << shapeText(from)
                         << " [tile.reduce.c1]";
  Type element = from.getElementType();
  StringRef kind = stringifyReduceKind(getKind());
  bool isBitwise = getKind() >= ReduceKind::And;
  if (isNarrowFloat(element) || (isBitwise && !isa<IntegerType>(element)) ||
      (!isBitwise && element.isInteger(1)))
    return emitOpError()
           << kind << " of " << element
           << (isBitwise ? "; and, or, xor take integers"
                         : "; add, mul, max, min take integers and floats of 16 bits or more")
           << " [tile.reduce.c2]";
  bool isSum = getKind() == ReduceKind::Add || getKind() == ReduceKind::Mul;
  if (isSum && isa<Float16Type, BFloat16Type>(element))
    return emitOpError() << kind << " of " << element
                         << " would lose bits; cast to f32 first [tile.reduce.c3]";
  SmallVector<int64_t> want(from.getShape());
  want[getAxis()] = 1;
  if (to.getShape() != ArrayRef(want) || to.getElementType() != element)
    return emitOpError() << "of " << shapeText(from) << " along axis " << getAxis() << " is not a "
                         << shapeText(to) << "; the axis stays with extent 1 [tile.reduce.c4]";
  return success();
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput());
  bool idempotent = llvm::is_contained(
      {ReduceKind::Max, ReduceKind::Min, ReduceKind::And, ReduceKind::Or}, getKind());
  if (!splat || !idempotent)
    return {};
  return SplatElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
}

// mma

/// Equal types, or E4M3 and E5M2 of one flavour.
static bool isOperandPair(Type a, Type b) {
  auto isOcp = llvm::IsaPred<Float8E4M3FNType, Float8E5M2Type>;
  auto isFnuz = llvm::IsaPred<Float8E4M3FNUZType, Float8E5M2FNUZType>;
  if ((isOcp(a) && isOcp(b)) || (isFnuz(a) && isFnuz(b)))
    return true;
  return a == b && (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(a) || a.isInteger(8));
}

static Type accumulatorFor(Type operand) {
  MLIRContext *context = operand.getContext();
  if (operand.isInteger(8))
    return IntegerType::get(context, 32);
  return operand.isF64() ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
}

LogicalResult MmaOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  int64_t rank = a.getRank();
  if (rank != b.getRank() || rank != acc.getRank() || (rank != 2 && rank != 3))
    return emitOpError() << "operands have ranks " << rank << ", " << b.getRank() << ", "
                         << acc.getRank()
                         << "; all are 2, or 3 with a batch dimension in front [tile.mma.c1]";
  if (a.getDimSize(rank - 1) != b.getDimSize(rank - 2))
    return emitOpError() << "the contracted extents differ: (M, K) = " << shapeText(a)
                         << ", (K, N) = " << shapeText(b) << " [tile.mma.c2]";
  bool fits = a.getDimSize(rank - 2) == acc.getDimSize(rank - 2) &&
              b.getDimSize(rank - 1) == acc.getDimSize(rank - 1);
  if (rank == 3)
    fits &= a.getDimSize(0) == acc.getDimSize(0) && b.getDimSize(0) == acc.getDimSize(0);
  if (!fits)
    return emitOpError() << shapeText(a) << " x " << shapeText(b) << " does not accumulate into "
                         << shapeText(acc) << " [tile.mma.c3]";
  if (!isOperandPair(a.getElementType(), b.getElementType()))
    return emitOpError()
           << "of " << a.getElementType() << " and " << b.getElementType()
           << "; both operands are f16, bf16, i8, f32, f64, or f8 of one flavour [tile.mma.c4]";
  if (acc.getElementType() != accumulatorFor(a.getElementType()))
    return emitOpError() << "of " << a.getElementType() << " accumulates in "
                         << accumulatorFor(a.getElementType()) << ", not " << acc.getElementType()
                         << " [tile.mma.c5]";
  return success();
}
