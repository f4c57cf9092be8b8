// From the llvm dialect to a code object: LLVM IR, AMDGPU code, an ELF that LLD linked, and the
// manifest that tells a runtime how to launch it. Errors are MLIR diagnostics with a label.
#ifndef TEGULA_OBJECT_OBJECT_H
#define TEGULA_OBJECT_OBJECT_H

#include "tegula/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace tegula {

/// What the code generator reports in the object's metadata note.
struct Resources {
  int64_t vgprs = 0; ///< vector registers in all; `agprs` of them are accumulation registers
  int64_t agprs = 0;
  int64_t sgprs = 0;
  int64_t vgprSpills = 0;
  int64_t sgprSpills = 0;
  int64_t scratchBytes = 0;
  int64_t ldsBytes = 0;
  int64_t kernargBytes = 0;
};

struct CodeObject {
  std::string elf;
  llvm::json::Object manifest;
};

/// Makes the dialects on the way to LLVM IR translatable. Call once per registry.
void registerObjectTranslations(mlir::DialectRegistry &registry);

/// LLVM IR as code generation sees it.
mlir::FailureOr<std::string> emitLLVMIR(mlir::ModuleOp module, const Target &target);
mlir::FailureOr<std::string> emitAssembly(mlir::ModuleOp module, const Target &target);
/// The module's one kernel, linked. Spills, and copies between vector and accumulation registers in
/// a loop, are warnings at the kernel's location; notes name the tiles that take the registers.
mlir::FailureOr<CodeObject> emitCodeObject(mlir::ModuleOp module, const Target &target,
                                           llvm::StringRef compilerId);

//===--- The steps, for tests ---===//

/// Links one relocatable object; undefined symbols are errors.
mlir::FailureOr<std::string> linkObject(llvm::StringRef object, mlir::Location loc);
/// Reads the metadata note of a code object.
mlir::FailureOr<Resources> readResources(llvm::StringRef elf, llvm::StringRef kernel,
                                         mlir::Location loc);

} // namespace tegula

#endif // TEGULA_OBJECT_OBJECT_H
