// The passes from the cdna dialect to the LLVM and ROCDL dialects.
#ifndef TEGULA_CDNATOROCDL_PASSES_H
#define TEGULA_CDNATOROCDL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tegula::cdna {

#define GEN_PASS_DECL
#include "tegula/CdnaToROCDL/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/CdnaToROCDL/Passes.h.inc"

/// Makes `cdna.rocdl_only` check alias scopes.
void registerScopeCheck(mlir::DialectRegistry &registry);

} // namespace tegula::cdna

#endif // TEGULA_CDNATOROCDL_PASSES_H
