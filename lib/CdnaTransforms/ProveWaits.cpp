// cdna-prove-waits: the proof as a pass, and its registration with the dialect.
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/CdnaTransforms/WaitProof.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_PROVEWAITSPASS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

namespace {
struct WaitProof : WaitProofInterface {
  using WaitProofInterface::WaitProofInterface;
  LogicalResult prove(KernelOp kernel) const final { return proveWaits(kernel); }
};

struct ProveWaitsPass : tegula::cdna::impl::ProveWaitsPassBase<ProveWaitsPass> {
  void runOnOperation() final {
    if (failed(proveWaits(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

void tegula::cdna::registerWaitProof(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, CdnaDialect *dialect) { dialect->addInterfaces<WaitProof>(); });
}
