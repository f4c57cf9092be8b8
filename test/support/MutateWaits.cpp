// cdna-test-mutate-waits: a kernel with one wait or barrier broken. The proof must refuse each, and
// the simulated device must find it.
//
// Mutation number `index`, counted in program order: each `wait_count` has three (removed; vm
// raised by one; lgkm raised to 15) as far as they change something, each `barrier` one (removed).
// An index beyond the last is an error that names their number. `cdna.waits_inserted` is dropped,
// so that the verifier lets the result pass; with `keep-form` it stays, so that the result can be
// compiled and run, without verification.
#include "TestSupport.h"
#include "dialects/cdna/Cdna.h"

using namespace mlir;
using namespace tegula::cdna;

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

struct MutateWaits : PassWrapper<MutateWaits, OperationPass<KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MutateWaits)

  MutateWaits() = default;
  MutateWaits(const MutateWaits &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "cdna-test-mutate-waits"; }
  StringRef getDescription() const final { return "break one wait or barrier"; }

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

  Option<int64_t> index{*this, "index", llvm::cl::desc("which mutation to apply"),
                        llvm::cl::init(0)};
  Option<bool> keepForm{*this, "keep-form", llvm::cl::desc("leave `cdna.waits_inserted` there"),
                        llvm::cl::init(false)};
};

} // namespace

std::unique_ptr<Pass> tegula::test::createMutateWaitsPass(int64_t index) {
  auto pass = std::make_unique<MutateWaits>();
  pass->index = index;
  return pass;
}

void tegula::test::registerPasses() { PassRegistration<MutateWaits>(); }
