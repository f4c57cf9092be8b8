// cdna-prove-waits: the proof as a pass, and its registration with the dialect.
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/CdnaTransforms/WaitProof.h"

using namespace mlir;
using namespace tegula::cdna;

namespace tegula::cdna {
#define GEN_PASS_DEF_CDNAPROVEWAITS
#include "tegula/CdnaTransforms/Passes.h.inc"
} // namespace tegula::cdna

void tegula::cdna::registerWaitProof(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, CdnaDialect *dialect) {
    dialect->setWaitProof([](KernelOp kernel) { return proveWaits(kernel); });
  });
}

namespace {
struct ProveWaitsPass : tegula::cdna::impl::CdnaProveWaitsBase<ProveWaitsPass> {
  void runOnOperation() final {
    if (failed(proveWaits(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
