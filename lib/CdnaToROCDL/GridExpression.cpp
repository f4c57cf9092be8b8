// Reads the manifest's grid expressions off the ops of a grid function.
#include "GridExpression.h"

using namespace mlir;
using namespace tegula::cdna;
namespace tile = tegula::tile;

namespace {
class Reader {
public:
  explicit Reader(MLIRContext *context) : b(context) {}

  /// The expression of a value; null after an error.
  Attribute read(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return list("arg", {number(argument.getArgNumber())});
    return llvm::TypeSwitch<Operation *, Attribute>(value.getDefiningOp())
        .Case([&](arith::ConstantOp op) { return constant(op); })
        .Case([&](tile::DimOp op) { return ofView("dim", op.getView(), op.getD()); })
        .Case([&](tile::StrideOp op) { return ofView("stride", op.getView(), op.getD()); })
        .Case([&](tile::ResidentOp) { return list("resident", {}); })
        .Case([&](tile::NumTilesOp op) {
          unsigned d = cast<OpResult>(value).getResultNumber();
          return list("ceildiv", {ofView("dim", op.getView(), d), number(op.getShape()[d])});
        })
        .Case([&](arith::ExtSIOp op) { return read(op.getIn()); })
        .Case([&](arith::ExtUIOp op) { return read(op.getIn()); })
        .Case([&](arith::TruncIOp op) { return read(op.getIn()); })
        .Case([&](arith::AddIOp op) { return binary("add", op); })
        .Case([&](arith::SubIOp op) { return binary("sub", op); })
        .Case([&](arith::MulIOp op) { return binary("mul", op); })
        .Case([&](arith::FloorDivSIOp op) { return binary("floordiv", op); })
        .Case([&](arith::DivUIOp op) { return binary("floordiv", op); }) // extents are not negative
        .Case([&](arith::CeilDivSIOp op) { return binary("ceildiv", op); })
        .Case([&](arith::CeilDivUIOp op) { return binary("ceildiv", op); })
        .Case([&](arith::MinSIOp op) { return binary("min", op); })
        .Case([&](arith::MinUIOp op) { return binary("min", op); })
        .Case([&](arith::MaxSIOp op) { return binary("max", op); })
        .Case([&](arith::MaxUIOp op) { return binary("max", op); })
        .Default([](Operation *op) -> Attribute {
          op->emitOpError()
              << "has no grid expression: a grid is made of extents, strides, arguments, + - * // "
                 "ceil-division, min and max [cdna.abi.c1]";
          return {};
        });
  }

private:
  Attribute number(int64_t value) { return b.getI64IntegerAttr(value); }

  Attribute list(StringRef head, ArrayRef<Attribute> tail) {
    SmallVector<Attribute> items = {b.getStringAttr(head)};
    for (Attribute item : tail) {
      if (!item)
        return {};
      items.push_back(item);
    }
    return b.getArrayAttr(items);
  }

  Attribute constant(arith::ConstantOp op) {
    return number(cast<IntegerAttr>(op.getValue()).getInt());
  }

  /// A static extent or stride is a number, so that the manifest does not depend on how the view
  /// was spelled.
  Attribute ofView(StringRef what, Value view, unsigned d) {
    auto type = cast<tile::ViewType>(view.getType());
    int64_t known = what == "dim" ? type.getShape()[d] : type.getStrides()[d];
    if (!ShapedType::isDynamic(known))
      return number(known);
    return list(what, {number(cast<BlockArgument>(view).getArgNumber()), number(d)});
  }

  Attribute binary(StringRef name, Operation *op) {
    return list(name, {read(op->getOperand(0)), read(op->getOperand(1))});
  }

  Builder b;
};
} // namespace

FailureOr<ArrayAttr> tegula::cdna::gridExpressions(tile::FuncOp grid) {
  Reader reader(grid.getContext());
  SmallVector<Attribute> axes;
  for (Value axis : grid.getBody().front().getTerminator()->getOperands()) {
    axes.push_back(reader.read(axis));
    if (!axes.back())
      return failure();
  }
  Builder b(grid.getContext());
  while (axes.size() < 3)
    axes.push_back(b.getI64IntegerAttr(1));
  return b.getArrayAttr(axes);
}
