// A forward walk from a load: where do the elements beyond the end of one dimension go?
//
// The walk follows one dimension of each value. It goes on as long as element i of the result
// depends on element i of the operand only, through workspace too, and ends well at stores that cut
// the same dimension at the same place. Whatever mixes elements along it (a sum, a contraction, a
// reshape) or is not known ends it badly.
#include "OperandTails.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

namespace {

class TailWalk {
public:
  explicit TailWalk(LoadOp load, unsigned d) : load(load), tailDim(d) {
    reached.insert({load.getResult(), d});
  }
  bool run();

private:
  bool follow(OpOperand &use, unsigned d);
  bool followCarry(OpOperand &use, unsigned d);
  bool followProduct(MfmaOp product, unsigned operand, unsigned d);
  bool followRename(RenameOp rename, unsigned d);
  bool cutsAlike(StoreOp store, unsigned d);
  bool followWorkspace(StoreOp store, unsigned d);
  bool to(Value value, unsigned d) {
    reached.insert({value, d});
    return true;
  }

  LoadOp load;
  unsigned tailDim;
  llvm::SetVector<std::pair<Value, unsigned>> reached;
};

} // namespace

//===--- Stores ---===//

/// The extents are equal in every call: equal constants, or equal names.
static bool haveEqualExtents(BufferOp a, unsigned dimA, BufferOp b, unsigned dimB) {
  auto viewA = cast<tile::ViewType>(a.getView().getType()),
       viewB = cast<tile::ViewType>(b.getView().getType());
  if (a.getView() == b.getView() && dimA == dimB)
    return true;
  int64_t extentA = viewA.getShape()[dimA], extentB = viewB.getShape()[dimB];
  if (!ShapedType::isDynamic(extentA) || !ShapedType::isDynamic(extentB))
    return extentA == extentB;
  return !viewA.getDimName(dimA).empty() && viewA.getDimName(dimA) == viewB.getDimName(dimB);
}

/// Constants and products of ids are one value each: canonicalize and cse come before.
bool TailWalk::cutsAlike(StoreOp store, unsigned d) {
  auto from = load.getBuffer().getDefiningOp<BufferOp>(),
       to = store.getBuffer().getDefiningOp<BufferOp>();
  if (!from || !to || store.tailOf(d) == Tail::None)
    return false;
  unsigned dimFrom = from.argumentDim(tailDim), dimTo = to.argumentDim(d);
  bool sameOrigin = from.getOffsets()[dimFrom] == to.getOffsets()[dimTo] &&
                    load.getIndices()[tailDim] == store.getIndices()[d];
  bool sameLimits =
      from.getLimits().empty() == to.getLimits().empty() &&
      (from.getLimits().empty() || from.getLimits()[dimFrom] == to.getLimits()[dimTo]);
  return sameOrigin && sameLimits && haveEqualExtents(from, dimFrom, to, dimTo);
}

/// Whether a window's argument is workspace: memory that only this kernel's own loads look at.
static bool isWorkspace(BufferOp window) {
  return bool(tile::getArgAttr(window.getView(), tile::kArgWorkspaceAttr));
}

/// What is stored to workspace goes on where the kernel loads it: a partial sum is loaded for the
/// tile that it was stored for (tile-split-contraction), so element i of the dimension stays so.
bool TailWalk::followWorkspace(StoreOp store, unsigned d) {
  auto stored = store.getBuffer().getDefiningOp<BufferOp>();
  if (!stored || !isWorkspace(stored))
    return false;
  unsigned dim = stored.argumentDim(d);
  for (Operation *user : stored.getView().getUsers()) {
    auto window = dyn_cast<BufferOp>(user);
    if (!window)
      return false;
    for (Operation *access : window->getUsers()) {
      if (isa<StoreOp>(access))
        continue;
      auto reload = dyn_cast<LoadOp>(access);
      unsigned e = 0;
      while (reload && e < reload.getIndices().size() && window.argumentDim(e) != dim)
        ++e;
      bool isSamePlace = reload && e < reload.getIndices().size() &&
                         window.getOffsets()[dim] == stored.getOffsets()[dim] &&
                         reload.getIndices()[e] == store.getIndices()[d];
      if (!isSamePlace || !to(reload.getResult(), e))
        return false;
    }
  }
  return true;
}

//===--- The walk ---===//

bool TailWalk::followCarry(OpOperand &use, unsigned d) {
  Operation *op = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BlockArgument arg = loop.getTiedLoopRegionIterArg(&use);
    return arg && to(arg, d) && to(loop.getTiedLoopResult(&use), d);
  }
  unsigned number = use.getOperandNumber();
  auto yield = dyn_cast<scf::YieldOp>(op);
  if (!yield)
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
    return to(loop.getRegionIterArg(number), d) && to(loop.getResult(number), d);
  if (auto branch = dyn_cast<scf::IfOp>(yield->getParentOp()))
    return to(branch.getResult(number), d);
  return false;
}

/// m goes from a to the sum, n from b; along k everything is mixed.
bool TailWalk::followProduct(MfmaOp product, unsigned operand, unsigned d) {
  bool keeps = operand == 2 || operand == d;
  return keeps && to(product.getResult(), d);
}

/// A broadcast along other dimensions and a transpose keep the dimension. A reshape is taken for
/// one that mixes it unless the tile has two dimensions and so stays what it was.
bool TailWalk::followRename(RenameOp rename, unsigned d) {
  auto from = cast<RankedTensorType>(rename.getValue().getType()),
       into = cast<RankedTensorType>(rename.getResult().getType());
  if (std::optional<ArrayRef<int32_t>> perm = rename.getPerm())
    return to(rename.getResult(), llvm::find(*perm, int32_t(d)) - perm->begin());
  bool keeps =
      from.getRank() == 2 && into.getRank() == 2 && from.getDimSize(d) == into.getDimSize(d);
  return keeps && to(rename.getResult(), d);
}

bool TailWalk::follow(OpOperand &use, unsigned d) {
  Operation *op = use.getOwner();
  if (auto product = dyn_cast<MfmaOp>(op))
    return followProduct(product, use.getOperandNumber(), d);
  if (auto rename = dyn_cast<RenameOp>(op))
    return followRename(rename, d);
  if (auto store = dyn_cast<StoreOp>(op))
    return cutsAlike(store, d) || followWorkspace(store, d);
  if (auto reduce = dyn_cast<ReduceRegistersOp>(op))
    return reduce.getAxis() != d && to(reduce.getResult(), d);
  if (auto reduce = dyn_cast<ReduceLanesOp>(op))
    return !llvm::is_contained(reduce.getDims(), int32_t(d)) && to(reduce.getResult(), d);
  if (auto reduce = dyn_cast<ReduceWavesOp>(op)) {
    auto from = cast<RankedTensorType>(reduce.getValue().getType()),
         into = cast<RankedTensorType>(reduce.getResult().getType());
    return from.getDimSize(d) == into.getDimSize(d) && to(reduce.getResult(), d);
  }
  if (op->hasTrait<OpTrait::Elementwise>() || isa<HwOp, MaskOp, ConvertLayoutOp>(op))
    return to(op->getResult(0), d);
  return followCarry(use, d);
}

bool TailWalk::run() {
  for (unsigned i = 0; i < reached.size(); ++i) { // grows meanwhile
    auto [value, d] = reached[i];
    for (OpOperand &use : value.getUses())
      if (!follow(use, d))
        return false;
  }
  return true;
}

bool tegula::cdna::isBeyondEndUnseen(LoadOp load, unsigned d) { return TailWalk(load, d).run(); }
