// cdna-test-mutate-waits: kernels with one wait or barrier broken. Each of them must be refused by
// the proof, and found by the simulated device when it runs.
#include "tegula/CdnaTransforms/Passes.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNATESTMUTATEWAITS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {

struct Mutation {
  enum Kind { Remove, RaiseVm, DropLgkm } kind;
  Operation *op;

  void apply() const {
    auto wait = dyn_cast<WaitCountOp>(op);
    if (kind == Remove)
      op->erase();
    else if (kind == RaiseVm)
      wait.setVm(wait.getVm() + 1);
    else
      wait.setLgkm(kAnyLgkm);
  }
};

struct TestMutateWaitsPass : tegula::cdna::impl::CdnaTestMutateWaitsBase<TestMutateWaitsPass> {
  using CdnaTestMutateWaitsBase::CdnaTestMutateWaitsBase;

  void runOnOperation() final {
    SmallVector<Mutation> mutations;
    getOperation().walk([&](Operation *op) {
      if (auto wait = dyn_cast<WaitCountOp>(op)) {
        mutations.push_back({Mutation::Remove, op});
        if (wait.getVm() < uint64_t(kAnyVm))
          mutations.push_back({Mutation::RaiseVm, op});
        if (wait.getLgkm() < uint64_t(kAnyLgkm))
          mutations.push_back({Mutation::DropLgkm, op});
      } else if (isa<BarrierOp>(op)) {
        mutations.push_back({Mutation::Remove, op});
      }
    });
    if (index < 0 || index >= int64_t(mutations.size())) {
      getOperation().emitError("kernel has ")
          << mutations.size() << " mutations, there is no number " << index.getValue();
      return signalPassFailure();
    }
    if (!keepForm)
      getOperation()->removeAttr(kWaitsInsertedAttr);
    mutations[index].apply();
  }
};

} // namespace
