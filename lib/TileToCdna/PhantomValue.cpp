// Constant propagation for phantoms, on demand from the op that needs it.
#include "PhantomValue.h"

#include "LayoutGraph.h"

using namespace mlir;

namespace tegula::cdna {

namespace {

class PhantomAnalysis {
public:
  explicit PhantomAnalysis(unsigned axis) : axis(axis) {}

  /// Null is "anything". Loop-carried values and changes of layout stay unknown: asking further
  /// would rarely pay.
  Attribute valueOf(Value tile) {
    auto [it, isNew] = known.try_emplace(tile);
    if (!isNew)
      return it->second;
    Attribute value = compute(tile);
    known[tile] = value;
    return value;
  }

private:
  Attribute compute(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op)
      return {};
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      return splat ? splat.getSplatValue<Attribute>() : Attribute();
    }
    if (auto load = dyn_cast<LoadOp>(op))
      return load.tailOf(axis) == Tail::None ? Attribute() : zeroOf(tile);
    if (auto mask = dyn_cast<MaskOp>(op))
      return mask.getFill();
    if (isElementwise(op) && op->getNumResults() == 1)
      return fold(op);
    return {};
  }

  static Attribute zeroOf(Value tile) {
    return Builder(tile.getContext()).getZeroAttr(getElementTypeOrSelf(tile.getType()));
  }

  /// Folds the op as if each operand were the splat of its phantoms' value.
  Attribute fold(Operation *op) {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      Attribute value = type ? valueOf(operand) : Attribute();
      operands.push_back(value ? SplatElementsAttr::get(type, value) : Attribute());
    }
    // Folders may reorder operands in place; the values given are true of phantoms only, so that
    // must not reach the op itself.
    SmallVector<OpFoldResult> results;
    Operation *copy = op->clone();
    LogicalResult folded = copy->fold(operands, results);
    copy->destroy();
    if (failed(folded) || results.size() != 1)
      return {};
    if (auto value = dyn_cast<Value>(results.front()))
      return isa<RankedTensorType>(value.getType()) ? valueOf(value) : Attribute();
    auto splat = dyn_cast<SplatElementsAttr>(cast<Attribute>(results.front()));
    return splat ? splat.getSplatValue<Attribute>() : Attribute();
  }

  unsigned axis;
  DenseMap<Value, Attribute> known;
};

} // namespace

Attribute phantomValue(Value tile, unsigned axis) { return PhantomAnalysis(axis).valueOf(tile); }

} // namespace tegula::cdna
