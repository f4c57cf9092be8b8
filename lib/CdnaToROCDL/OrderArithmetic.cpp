// cdna-to-rocdl-order-arithmetic: arithmetic stands where its results are used.
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLORDERARITHMETICPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;

static bool isProduct(Operation &op) {
  return op.getName().getStringRef().starts_with("rocdl.mfma");
}

namespace {
/// The ops of one block in their new order: those with effects as they were, each preceded by the
/// arithmetic that it needs and that is not there yet, operand by operand.
class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) {
    for (Operation &op : block)
      if (stays(op))
        append(&op);
      else if (op.isUsedOutsideOfBlock(&block))
        leaving.push_back(&op);
  }
  /// What other blocks use is there before the block ends.
  void apply() {
    Operation *end = block.getTerminator();
    for (Operation *op : order)
      if (op != end)
        op->moveBefore(end);
  }

private:
  bool stays(Operation &op) const {
    return op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() != 0 || !isPure(&op);
  }
  void append(Operation *root) {
    if (root == block.getTerminator())
      for (Operation *op : leaving)
        appendWithOperands(op);
    appendWithOperands(root);
  }
  /// Not by recursion: a chain may be thousands of ops long.
  void appendWithOperands(Operation *root) {
    SmallVector<std::pair<Operation *, unsigned>> path;
    auto enter = [&](Operation *op) {
      if (op && op->getBlock() == &block && placed.insert(op).second)
        path.emplace_back(op, 0);
    };
    enter(root);
    while (!path.empty()) {
      auto &[op, next] = path.back();
      if (next < op->getNumOperands()) {
        enter(op->getOperand(next++).getDefiningOp());
        continue;
      }
      order.push_back(op);
      path.pop_back();
    }
  }

  Block &block;
  llvm::DenseSet<Operation *> placed;
  SmallVector<Operation *> leaving, order;
};

struct OrderArithmeticPass
    : tegula::cdna::impl::CdnaToROCDLOrderArithmeticPassBase<OrderArithmeticPass> {
  void runOnOperation() final {
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      for (Block &block : function.getBody())
        if (llvm::none_of(block, isProduct))
          BlockOrder(block).apply();
    });
  }
};
} // namespace
