// Internal to lib/Object: one LLVM module on its way through the AMDGPU backend.
#ifndef TEGULA_LIB_OBJECT_BACKEND_H
#define TEGULA_LIB_OBJECT_BACKEND_H

#include "tegula/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tegula {

/// The one llvm.func that is a kernel, or an error.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp> findKernel(mlir::ModuleOp module);

class Backend {
public:
  static constexpr llvm::StringLiteral triple = "amdgcn-amd-amdhsa";

  /// Translates the module and runs the passes that code generation relies on.
  static mlir::FailureOr<std::unique_ptr<Backend>> create(mlir::ModuleOp module,
                                                          const Target &target);

  std::string ir() const;
  /// Generates code; consumes the IR.
  mlir::FailureOr<std::string> generate(llvm::CodeGenFileType kind);

private:
  explicit Backend(mlir::Location loc) : loc(loc) {}
  mlir::LogicalResult createMachine(const Target &target);
  void runAttributor();

  mlir::Location loc;
  bool failed = false; ///< LLVM reported an error, whatever its return values say
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace tegula

#endif // TEGULA_LIB_OBJECT_BACKEND_H
