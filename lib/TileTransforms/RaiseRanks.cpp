// tile-raise-ranks: tiles of rank 0 get a dimension; see Passes.td.
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_RAISERANKSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {

/// The type with a dimension of extent 1 where it had none.
Type raised(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() == 0 ? RankedTensorType::get({1}, tile.getElementType()) : type;
}

void raise(Operation *op) {
  for (Value result : op->getResults())
    result.setType(raised(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(raised(argument.getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (elements && elements.getType() != constant.getType())
      constant.setValueAttr(elements.resizeSplat(cast<ShapedType>(constant.getType())));
  }
  if (auto transpose = dyn_cast<TransposeOp>(op); transpose && transpose.getPerm().empty()) {
    transpose.getResult().replaceAllUsesWith(transpose.getInput());
    transpose.erase();
  }
}

struct RaiseRanks : tegula::tile::impl::RaiseRanksPassBase<RaiseRanks> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().getBody().walk([&](Operation *op) { ops.push_back(op); });
    llvm::for_each(ops, raise);
  }
};

} // namespace
