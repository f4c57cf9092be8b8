// cdna-order-memory: what a body writes, it reads: accesses of one argument keep program order
// across the waves.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaTransforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_ORDERMEMORYPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

/// What an op does to the memory of a kernel argument.
struct Access {
  Value argument; ///< null when unknown
  bool writes = false;

  static std::optional<Access> of(Operation *op);
};

class Orderer {
public:
  void visit(Block &block);

private:
  /// Accesses since the last fence, on any path.
  using Pending = llvm::SetVector<Operation *>;

  void visitOp(Operation *op);
  void visitLoop(LoopLikeOpInterface loop);
  void visitBranch(scf::IfOp branch);
  bool mayCollide(Operation *before, Operation *after) const;
  bool samePlace(Operation *a, Operation *b) const;

  Pending pending;
  /// Loops whose last iteration's accesses are pending.
  SmallVector<Operation *> comeBack;
};

} // namespace

static Value argumentOf(Value window) {
  auto buffer = window.getDefiningOp<BufferOp>();
  return buffer ? Value(buffer.getView()) : Value();
}

std::optional<Access> Access::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case<LoadOp, LoadScalarOp, AsyncCopyOp>(
          [](auto load) { return Access{argumentOf(load.getBuffer())}; })
      .Case([](StoreOp store) { return Access{argumentOf(store.getBuffer()), true}; })
      .Case([](LoadIndexedOp load) { return Access{load.getView()}; })
      .Case([](StoreIndexedOp store) { return Access{store.getView(), true}; })
      .Case<AtomicRmwOp, AtomicCasOp>([](auto atomic) { return Access{atomic.getView(), true}; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether the windows that a loop's iterations make of these offsets are one another or apart:
/// offsets that stand still, or count whole tiles.
static bool isOnGrid(BufferOp window, Operation *loop) {
  for (unsigned d = 0; d < window.getTile().size(); ++d) {
    Value offset = window.getOffsets()[window.argumentDim(d)];
    APInt factor;
    auto product = offset.getDefiningOp<arith::MulIOp>();
    bool counts = product && matchPattern(product.getRhs(), m_ConstantInt(&factor)) &&
                  factor.getSExtValue() % window.getTile()[d] == 0;
    bool still =
        !offset.getParentRegion() || !loop->isAncestor(offset.getParentRegion()->getParentOp());
    if (!counts && !still)
      return false;
  }
  return true;
}

/// Each lane comes back to what it touched itself, in order. Of copies in several waves one wave
/// stores, while all of them load.
bool Orderer::samePlace(Operation *a, Operation *b) const {
  auto place = [](Operation *op) -> std::tuple<Value, OperandRange, Type> {
    if (auto load = dyn_cast<LoadOp>(op))
      return {load.getBuffer(), load.getIndices(), load.getType()};
    auto store = cast<StoreOp>(op);
    return {store.getBuffer(), store.getIndices(), store.getValue().getType()};
  };
  if (!isa<LoadOp, StoreOp>(a) || !isa<LoadOp, StoreOp>(b))
    return false;
  auto [windowA, indicesA, typeA] = place(a);
  auto [windowB, indicesB, typeB] = place(b);
  if (windowA != windowB || typeA != typeB || !llvm::equal(indicesA, indicesB) ||
      layoutOf(typeA).hasWaveCopies())
    return false;
  auto window = windowA.getDefiningOp<BufferOp>();
  return window && llvm::all_of(comeBack, [&](Operation *loop) { return isOnGrid(window, loop); });
}

/// Updates whose order nobody can tell from what they leave behind.
static bool commute(Operation *a, Operation *b) {
  auto first = dyn_cast<AtomicRmwOp>(a), second = dyn_cast<AtomicRmwOp>(b);
  auto oldIsUsed = [](AtomicRmwOp update) {
    return update.getOld() && !update.getOld().use_empty();
  };
  return first && second && first.getKind() == second.getKind() &&
         first.getKind() != tegula::tile::AtomicKind::Xchg && !oldIsUsed(first) &&
         !oldIsUsed(second);
}

bool Orderer::mayCollide(Operation *before, Operation *after) const {
  std::optional<Access> a = Access::of(before), b = Access::of(after);
  // Different arguments may alias, too, but a body whose outputs are its inputs in other places
  // would race with other workgroups anyway.
  bool apart = a->argument && b->argument && a->argument != b->argument;
  if (apart || commute(before, after))
    return false;
  return (a->writes || b->writes) && !samePlace(before, after);
}

void Orderer::visitBranch(scf::IfOp branch) {
  Pending before = pending;
  visit(*branch.thenBlock());
  Pending afterThen = std::move(pending);
  pending = std::move(before);
  if (branch.elseBlock())
    visit(*branch.elseBlock());
  pending.insert(afterThen.begin(), afterThen.end());
}

/// Twice: the second time with what the iteration before has left. A loop inside of one that is
/// visited again has been ordered in itself, and is visited once.
void Orderer::visitLoop(LoopLikeOpInterface loop) {
  Pending before = pending;
  auto visitBody = [&] {
    for (Region *region : loop.getLoopRegions())
      for (Block &block : *region)
        visit(block);
  };
  if (comeBack.empty())
    visitBody();
  comeBack.push_back(loop);
  visitBody();
  comeBack.pop_back();
  pending.insert(before.begin(), before.end());
}

void Orderer::visitOp(Operation *op) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitBranch(branch);
  if (isa<OrderOp>(op))
    return pending.clear();
  if (!Access::of(op))
    return;
  if (llvm::any_of(pending, [&](Operation *before) { return mayCollide(before, op); })) {
    OpBuilder builder(op);
    OrderOp::create(builder, op->getLoc(), FenceKind::Release,
                    tegula::tile::MemoryScope::Workgroup);
    pending.clear();
  }
  pending.insert(op);
}

void Orderer::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    visitOp(&op);
}

namespace {
struct OrderMemoryPass : tegula::cdna::impl::OrderMemoryPassBase<OrderMemoryPass> {
  void runOnOperation() final { Orderer().visit(getOperation().getBody().front()); }
};
} // namespace
