// Short spellings for element-wise arithmetic on one type, so that a numerical recipe reads like
// its formula.
#ifndef TEGULA_LIB_TILETOCDNA_EMITTER_H
#define TEGULA_LIB_TILETOCDNA_EMITTER_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Emits arithmetic on scalars or tiles (with any layout): `type` is the type of every value
/// but conditions.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : b(builder), loc(loc), type(type) {}

  mlir::Value constant(double value) const {
    return constantOf(b.getFloatAttr(mlir::getElementTypeOrSelf(type), value), type);
  }
  /// A constant of any type: a splat when the type is a tile.
  mlir::Value constantOf(mlir::TypedAttr value, mlir::Type ofType) const {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(ofType))
      value = mlir::SplatElementsAttr::get(tensor, mlir::Attribute(value));
    return mlir::arith::ConstantOp::create(b, loc, value);
  }
  /// The same shape and layout with another element type.
  mlir::Type withElement(mlir::Type element) const {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor ? mlir::Type(tensor.clone(element)) : element;
  }

  mlir::Value add(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) const {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) const {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) const {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  mlir::Value neg(mlir::Value x) const { return mlir::arith::NegFOp::create(b, loc, x); }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  mlir::Value cmp(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) const {
    return cmp(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_EMITTER_H
