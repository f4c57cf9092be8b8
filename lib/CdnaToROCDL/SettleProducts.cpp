// cdna-to-rocdl-settle-products: wait states that LLVM misses where control flow of a loop meets.
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLSETTLEPRODUCTSPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;

/// What the slowest matrix instruction, of 16 passes, takes until a vector instruction may read its
/// result: 20 wait states. An s_nop gives one more than its operand, 16 at most.
static constexpr int16_t kWaits[] = {15, 3};

static bool hasProduct(Region &region) {
  WalkResult found = region.walk([](Operation *op) {
    return op->getName().getStringRef().starts_with("rocdl.mfma") ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// The fence keeps the products in front of the waits.
static void settle(Region &region) {
  if (region.empty() || !hasProduct(region))
    return;
  OpBuilder b(region.back().getTerminator());
  Location loc = region.back().getTerminator()->getLoc();
  ROCDL::SchedBarrier::create(b, loc, 0);
  for (int16_t states : kWaits) {
    Value count = LLVM::ConstantOp::create(b, loc, b.getI16IntegerAttr(states));
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.amdgcn.s.nop"), count);
  }
}

/// Control flow meets at the end of such a body not from its own beginning alone.
static bool holdsControlFlow(LoopLikeOpInterface loop) {
  WalkResult found = loop->walk([&](Operation *op) {
    return op != loop && isa<LoopLikeOpInterface, scf::IfOp>(op) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
  });
  return found.wasInterrupted();
}

namespace {
struct SettleProductsPass
    : tegula::cdna::impl::CdnaToROCDLSettleProductsPassBase<SettleProductsPass> {
  void runOnOperation() final {
    getOperation().walk([](LoopLikeOpInterface loop) {
      if (isa<scf::WhileOp>(loop) || holdsControlFlow(loop))
        for (Region &region : loop->getRegions())
          settle(region);
    });
    getOperation().walk([](scf::IfOp branch) {
      if (!branch->getParentOfType<LoopLikeOpInterface>())
        return;
      settle(branch.getThenRegion());
      settle(branch.getElseRegion());
    });
  }
};
} // namespace
