// tile-expand-quantize: the scale of each block by integer arithmetic on the bits of its largest
// magnitude; see Passes.td.
#include "dialects/tile/TileQuantize.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDQUANTIZEPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

/// Arithmetic on tiles of i32 and f32.
class Tiles {
public:
  Tiles(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(Value like, int64_t value) const {
    auto type = cast<RankedTensorType>(like.getType());
    return arith::ConstantOp::create(
        b, loc, SplatElementsAttr::get(type, b.getI32IntegerAttr(int32_t(value))));
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) const {
    Type element = cast<RankedTensorType>(x.getType()).getElementType();
    return ReshapeOp::create(b, loc, RankedTensorType::get(shape, element), x);
  }
  Value bits(Value x, Type element) const {
    Type type = cast<RankedTensorType>(x.getType()).clone(element);
    return BitcastOp::create(b, loc, type, x);
  }
  Value asInts(Value x) const { return bits(x, b.getI32Type()); }
  Value asFloats(Value x) const { return bits(x, b.getF32Type()); }
  Value add(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value add(Value x, int64_t y) const { return add(x, constant(x, y)); }
  Value both(Value x, int64_t mask) const {
    return arith::AndIOp::create(b, loc, x, constant(x, mask));
  }
  Value right(Value x, int64_t by) const {
    return arith::ShRUIOp::create(b, loc, x, constant(x, by));
  }
  Value left(Value x, int64_t by) const {
    return arith::ShLIOp::create(b, loc, x, constant(x, by));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(x, y));
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value select(Value condition, int64_t x, Value y) const {
    return select(condition, constant(y, x), y);
  }
  Value oneIf(Value condition) const {
    Type type = cast<RankedTensorType>(condition.getType()).clone(b.getI32Type());
    return arith::ExtUIOp::create(b, loc, type, condition);
  }

  OpBuilder &b;
  Location loc;
};

constexpr int64_t kInfinity = 0x7F800000, kMantissa = 0x7FFFFF, kNaNScale = 255;

/// The scale bytes of blocks, from the bits of their largest magnitudes as f32.
class ScaleBytes {
public:
  ScaleBytes(const Tiles &t, FloatType codes)
      : t(t), largest(APFloat::getLargest(codes.getFloatSemantics()).convertToDouble()),
        mantissa(codes.getFPMantissaWidth() - 1) {}

  Value of(Value magnitude, ScaleMode mode) const {
    if (mode == ScaleMode::Rceil)
      return withNaN(magnitude, rceil(magnitude));
    if (mode == ScaleMode::Even) // rounded to the precision of the codes, which may carry
      magnitude = t.both(t.add(magnitude, int64_t(1) << (22 - mantissa)), ~kMantissa);
    Value exponent = t.right(magnitude, 23);
    if (mode == ScaleMode::Ceil)
      exponent = t.add(exponent, t.oneIf(hasFraction(magnitude)));
    Value byte = t.add(exponent, -std::ilogb(largest));
    Value bounded = arith::MaxSIOp::create(t.b, t.loc, byte, t.constant(byte, 0));
    return withNaN(magnitude, bounded);
  }

private:
  Value hasFraction(Value bits) const {
    return t.compare(arith::CmpIPredicate::ne, t.both(bits, kMantissa), 0);
  }
  /// Infinity and NaN, or what has carried there.
  Value withNaN(Value magnitude, Value byte) const {
    return t.select(t.compare(arith::CmpIPredicate::uge, magnitude, kInfinity), kNaNScale, byte);
  }
  /// The power of two at or above the magnitude over the largest code. Byte 0 stands for 2^-127,
  /// whose bits as f32 are 0x400000.
  Value rceil(Value magnitude) const {
    Value floats = t.asFloats(magnitude);
    auto type = cast<RankedTensorType>(floats.getType());
    Value factor = arith::ConstantOp::create(
        t.b, t.loc, SplatElementsAttr::get(type, t.b.getF32FloatAttr(float(1.0 / largest))));
    Value bits = t.asInts(arith::MulFOp::create(t.b, t.loc, floats, factor));
    Value exponent = t.right(bits, 23);
    Value above = t.select(t.compare(arith::CmpIPredicate::eq, exponent, 0),
                           t.oneIf(t.compare(arith::CmpIPredicate::ugt, bits, 0x400000)),
                           t.oneIf(hasFraction(bits)));
    return t.add(exponent, above);
  }

  const Tiles &t;
  double largest;
  unsigned mantissa;
};

/// 2^-e of scale bytes: that of byte 254 - s, where 2^-127 is a denormal.
Value reciprocal(const Tiles &t, Value bytes) {
  Value other = arith::SubIOp::create(t.b, t.loc, t.constant(bytes, 254), bytes);
  Value bits =
      t.select(t.compare(arith::CmpIPredicate::eq, bytes, 254), 0x400000, t.left(other, 23));
  bits = t.select(t.compare(arith::CmpIPredicate::eq, bytes, kNaNScale), 0x7FC00000, bits);
  return t.asFloats(bits);
}

/// Shapes of the blocked tile: each blocked axis as the number of blocks and their elements.
struct BlockedShape {
  explicit BlockedShape(QuantizeOp op) {
    ArrayRef<int64_t> axis = op.getAxis();
    for (auto [d, extent] : llvm::enumerate(op.getInput().getType().getShape())) {
      auto found = llvm::find(axis, int64_t(d));
      if (found == axis.end()) {
        whole.push_back(extent);
        continue;
      }
      int64_t size = op.getBlock()[found - axis.begin()];
      inside.push_back(whole.size() + 1);
      whole.append({extent / size, size});
    }
  }
  SmallVector<int64_t> whole;
  SmallVector<int64_t> inside; ///< axes that run within a block
};

void expand(QuantizeOp op) {
  OpBuilder b(op);
  Tiles t(b, op.getLoc());
  auto element = cast<FloatType>(op.getCodes().getType().getElementType());
  BlockedShape shape(op);
  Value x = t.reshape(op.getInput(), shape.whole);
  auto wide = cast<RankedTensorType>(x.getType()).clone(b.getF32Type());
  if (x.getType() != wide)
    x = arith::ExtFOp::create(b, t.loc, wide, x);
  Value magnitude = t.both(t.asInts(x), 0x7FFFFFFF);
  for (int64_t axis : shape.inside) {
    auto type = cast<RankedTensorType>(magnitude.getType());
    SmallVector<int64_t> extents(type.getShape());
    extents[axis] = 1;
    magnitude = ReduceOp::create(b, t.loc, type.clone(extents), ReduceKind::Max, magnitude, axis);
  }
  ScaleMode mode = op.getMode();
  Value bytes = ScaleBytes(t, element).of(magnitude, mode);
  Value factor = BroadcastOp::create(b, t.loc, wide, reciprocal(t, bytes));
  Value scaled = arith::MulFOp::create(b, t.loc, x, factor);
  bool saturate = mode != ScaleMode::Rceil || element.getWidth() < 8; // it never exceeds
  Value codes =
      CastOp::create(b, t.loc, wide.clone(element), scaled, Rounding::Rne, Value(), saturate);
  Type byteType = cast<RankedTensorType>(bytes.getType()).clone(b.getI8Type());
  Value scales = t.bits(arith::TruncIOp::create(b, t.loc, byteType, bytes),
                        op.getScales().getType().getElementType());
  op.getCodes().replaceAllUsesWith(t.reshape(codes, op.getCodes().getType().getShape()));
  op.getScales().replaceAllUsesWith(t.reshape(scales, op.getScales().getType().getShape()));
  op.erase();
}

struct ExpandQuantize : tegula::tile::impl::ExpandQuantizePassBase<ExpandQuantize> {
  void runOnOperation() override { getOperation().walk(expand); }
};

} // namespace
