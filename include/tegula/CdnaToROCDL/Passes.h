// The passes from the cdna dialect to the LLVM and ROCDL dialects.
#ifndef TEGULA_CDNATOROCDL_PASSES_H
#define TEGULA_CDNATOROCDL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace tegula::cdna {

#define GEN_PASS_DECL
#include "tegula/CdnaToROCDL/Passes.h.inc"

/// Makes the passes known to the pass manager's text form.
void registerCdnaToROCDLPasses();

/// Makes `cdna.rocdl_only` check alias scopes.
void registerScopeCheck(mlir::DialectRegistry &registry);

/// Appends everything from `cdna.kernel` with explicit waits to `llvm.func` with `cdna.rocdl_only`:
/// the passes of this library and the upstream ones between them. `pm` runs on a module.
void buildCdnaToROCDLPipeline(mlir::OpPassManager &pm);

/// The attribute of the kernel's `llvm.func` from which the manifest is written (see README.md for
/// its fields).
constexpr llvm::StringLiteral kAbiAttr = "tegula.abi";
/// Waves that a SIMD is to hold, where a schedule asks for more than one workgroup a compute unit.
constexpr llvm::StringLiteral kWavesPerSimdAttr = "tegula.waves_per_simd";

} // namespace tegula::cdna

#endif // TEGULA_CDNATOROCDL_PASSES_H
