// The passes of lib/CdnaTransforms; Passes.td describes them.
#ifndef TEGULA_CDNATRANSFORMS_PASSES_H
#define TEGULA_CDNATRANSFORMS_PASSES_H

#include "dialects/cdna/Cdna.h"
#include "mlir/Pass/Pass.h"

namespace tegula::cdna {

/// Hands the proof of WaitProof.h to the dialect, whose verifier of `cdna.waits_inserted` then runs
/// it.
void registerWaitProof(mlir::DialectRegistry &registry);

#define GEN_PASS_DECL
#include "tegula/CdnaTransforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/CdnaTransforms/Passes.h.inc"

} // namespace tegula::cdna

#endif // TEGULA_CDNATRANSFORMS_PASSES_H
