// cdna-insert-waits: places waits and barriers by running the kernel's LDS traffic (SyncTrace.h),
// then takes away what turns out not to be needed.
#include "ExpandReductions.h"
#include "SyncTrace.h"
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaTransforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_INSERTWAITSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

class WaitInserter {
public:
  explicit WaitInserter(KernelOp kernel) : kernel(kernel), trace(withFullWaits(kernel)) {}
  LogicalResult run();

private:
  static KernelOp withFullWaits(KernelOp kernel);
  LogicalResult cover();
  void removeBarriers();
  void removeWaits();
  void relaxCounts();
  void relax(WaitCountOp wait);
  bool accepted() const { return !trace.check(disabled).op; }

  KernelOp kernel;
  const SyncTrace trace; ///< buffers and branches stay; it reads waits and barriers as they are
  llvm::DenseSet<Operation *> disabled;
};

} // namespace

static void fullWaitBefore(Operation *op) {
  OpBuilder builder(op);
  WaitCountOp::create(builder, op->getLoc(), 0, 0);
}

/// The kernel with full waits at its barriers, in place of those that were declared.
KernelOp WaitInserter::withFullWaits(KernelOp kernel) {
  SmallVector<Operation *> declared;
  SmallVector<BarrierOp> barriers;
  kernel.walk([&](WaitOp wait) { declared.push_back(wait); });
  kernel.walk([&](BarrierOp barrier) { barriers.push_back(barrier); });
  for (Operation *wait : declared)
    wait->erase();
  for (BarrierOp barrier : barriers)
    fullWaitBefore(barrier);
  return kernel;
}

/// Where a wait for a copy that is still in flight at the end belongs: before an exit, but before
/// the return behind the loop that issued it, for by the end of the kernel the wait would take the
/// kernel's own stores along.
static Operation *lateWaitPlace(Operation *copy, Operation *returnOp) {
  if (isa<ExitOp>(returnOp))
    return returnOp;
  Operation *loop = copy->getParentOfType<LoopLikeOpInterface>();
  for (; loop && loop->getParentOfType<LoopLikeOpInterface>();)
    loop = loop->getParentOfType<LoopLikeOpInterface>();
  if (loop)
    return loop->getNextNode();
  if (copy->getBlock() == returnOp->getBlock())
    return returnOp;
  return copy->getBlock()->getTerminator();
}

LogicalResult WaitInserter::cover() {
  // Each round covers one access, or all copies of one loop; more rounds than accesses mean no
  // progress.
  unsigned rounds = 0, limit = 2;
  kernel.walk([&](Operation *) { ++limit; });
  while (true) {
    SyncViolation violation = trace.check(disabled);
    if (!violation.op)
      return success();
    if (++rounds > limit)
      return violation.op->emitError("found no wait that orders this LDS access [cdna.proof.c1]");
    Operation *place =
        violation.atExit ? lateWaitPlace(violation.cause, violation.op) : violation.op;
    fullWaitBefore(place);
    if (violation.needsBarrier) {
      OpBuilder builder(place);
      BarrierOp::create(builder, place->getLoc());
    }
  }
}

/// Between cdna.stagger and cdna.align barriers hand the SIMD over, whatever they order.
static bool takesTurns(BarrierOp barrier) {
  for (Operation *op = barrier; !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
      if (isa<StaggerOp>(before))
        return true;
      if (isa<AlignOp>(before))
        return false;
    }
  return false;
}

void WaitInserter::removeBarriers() {
  SmallVector<BarrierOp> barriers;
  kernel.walk([&](BarrierOp barrier) {
    if (!takesTurns(barrier))
      barriers.push_back(barrier);
  });
  for (BarrierOp barrier : barriers) {
    disabled.insert(barrier);
    if (accepted())
      barrier.erase();
    disabled.clear();
  }
}

/// Latest first: a wait behind a loop that its copies need anyway also does for what follows. Not
/// inside of loops, where a wait that does for two comes too early for one of them.
void WaitInserter::removeWaits() {
  SmallVector<WaitCountOp> waits;
  kernel.walk([&](WaitCountOp wait) {
    if (!wait->getParentOfType<LoopLikeOpInterface>())
      waits.push_back(wait);
  });
  for (WaitCountOp wait : llvm::reverse(waits)) {
    disabled.insert(wait);
    if (accepted())
      wait.erase();
    disabled.clear();
  }
}

void WaitInserter::relax(WaitCountOp wait) {
  wait.setLgkm(kAnyLgkm);
  if (!accepted())
    wait.setLgkm(0);
  // Accepting is monotone in the count, so the largest accepted one is found by halving.
  int64_t good = 0, bad = kAnyVm + 1;
  while (bad - good > 1) {
    int64_t middle = (good + bad) / 2;
    wait.setVm(middle);
    (accepted() ? good : bad) = middle;
  }
  wait.setVm(good);
  if (good == kAnyVm && wait.getLgkm() == kAnyLgkm)
    wait.erase();
}

/// In program order: what an early wait needn't do is left to a later one, which waits for less.
void WaitInserter::relaxCounts() {
  SmallVector<WaitCountOp> waits;
  kernel.walk([&](WaitCountOp wait) { waits.push_back(wait); });
  for (WaitCountOp wait : waits)
    relax(wait);
}

LogicalResult WaitInserter::run() {
  if (failed(cover()))
    return failure();
  removeBarriers();
  removeWaits();
  relaxCounts();
  return success();
}

namespace {
struct InsertWaitsPass : tegula::cdna::impl::InsertWaitsPassBase<InsertWaitsPass> {
  void runOnOperation() final {
    KernelOp kernel = getOperation();
    if (failed(expandWaveReductions(kernel)) || failed(WaitInserter(kernel).run()))
      return signalPassFailure();
    kernel->setAttr(kWaitsInsertedAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
