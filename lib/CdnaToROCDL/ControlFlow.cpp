// cdna-to-rocdl-control-flow: scf to branches, with loops tested at the bottom.
#include "Lowering.h"
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATOROCDLCONTROLFLOWPASS
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace tegula::cdna

using namespace mlir;
using namespace tegula::cdna;

/// Whether `condition` says a < b.
static bool saysLess(Value condition, Value a, Value b) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  if (compare.getPredicate() == arith::CmpIPredicate::slt)
    return compare.getLhs() == a && compare.getRhs() == b;
  return compare.getPredicate() == arith::CmpIPredicate::sgt && compare.getLhs() == b &&
         compare.getRhs() == a;
}

/// Whether the first iteration surely runs: constant bounds, or an enclosing branch that says so.
static bool surelyRuns(scf::ForOp loop) {
  APInt lower, upper;
  if (matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return lower.slt(upper);
  for (Operation *op = loop; op; op = op->getParentOp())
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op->getParentOp()))
      if (op->getParentRegion() == &branch.getThenRegion() &&
          saysLess(branch.getCondition(), loop.getLowerBound(), loop.getUpperBound()))
        return true;
  return false;
}

namespace {

/// One block a loop instead of two: what the backend schedules and pipelines is then the whole
/// iteration. Upstream tests at the top, and no IR optimiser runs later that would rotate the loop.
struct BottomTested : OpRewritePattern<scf::ForOp> {
  BottomTested(MLIRContext *context, const llvm::DenseSet<Operation *> &running)
      : OpRewritePattern(context, /*benefit=*/10), running(running) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const final {
    Location loc = loop.getLoc();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    for (Type type : loop.getResultTypes())
      after->addArgument(type, loc);

    Block *body = loop.getBody(), *last = &loop.getRegion().back();
    SmallVector<Value> first = {loop.getLowerBound()};
    llvm::append_range(first, loop.getInitArgs());
    rewriter.inlineRegionBefore(loop.getRegion(), after);
    rewriter.setInsertionPointToEnd(before);
    if (running.contains(loop)) {
      cf::BranchOp::create(rewriter, loc, body, first);
    } else {
      Value enters = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                           loop.getLowerBound(), loop.getUpperBound());
      cf::CondBranchOp::create(rewriter, loc, enters, body, first, after, loop.getInitArgs());
    }

    Operation *yield = last->getTerminator();
    rewriter.setInsertionPointToEnd(last);
    Value next = arith::AddIOp::create(rewriter, loc, body->getArgument(0), loop.getStep());
    Value again =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    SmallVector<Value> carried = {next};
    llvm::append_range(carried, yield->getOperands());
    cf::CondBranchOp::create(rewriter, loc, again, body, carried, after, yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.replaceOp(loop, after->getArguments());
    return success();
  }

  const llvm::DenseSet<Operation *> &running;
};

/// Nothing comes after the end of the program: LLVM takes the call for a terminator, and allocates
/// registers badly where it is none.
void endBlock(Block *block) {
  auto isEnd = [](Operation &op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return call && call.getIntrin() == kEndProgram;
  };
  auto end = llvm::find_if(*block, isEnd);
  if (end == block->end())
    return;
  while (&block->back() != &*end)
    block->back().erase();
  auto b = OpBuilder::atBlockEnd(block);
  LLVM::UnreachableOp::create(b, end->getLoc());
}

struct ControlFlowPass : tegula::cdna::impl::CdnaToROCDLControlFlowPassBase<ControlFlowPass> {
  void runOnOperation() final {
    llvm::DenseSet<Operation *> running; // asked before branches lose their structure
    getOperation().walk([&](scf::ForOp loop) {
      if (surelyRuns(loop))
        running.insert(loop);
    });
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    patterns.add<BottomTested>(&getContext(), running);
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([](Block *block) { endBlock(block); });
  }
};

} // namespace
