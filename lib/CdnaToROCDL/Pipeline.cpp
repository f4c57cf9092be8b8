// The order of the passes from cdna to LLVM and ROCDL, and their registration.
#include "dialects/cdna/Cdna.h"
#include "tegula/CdnaToROCDL/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

namespace tegula::cdna {
namespace {
#define GEN_PASS_REGISTRATION
#include "tegula/CdnaToROCDL/Passes.h.inc"
} // namespace

void buildCdnaToROCDLPipeline(mlir::OpPassManager &pm) {
  pm.addPass(createCdnaToROCDLValuesPass());
  // Addresses were built where they are used: what does not depend on the loop leaves it.
  mlir::OpPassManager &kernel = pm.nest<KernelOp>();
  kernel.addPass(mlir::createCSEPass());
  kernel.addPass(mlir::createLoopInvariantCodeMotionPass());
  kernel.addPass(mlir::createCSEPass());
  pm.addPass(createCdnaToROCDLCarryAddressesPass());
  pm.addPass(createCdnaToROCDLAttachScopesPass());
  pm.addPass(createCdnaToROCDLAbiPass());
  pm.addPass(createCdnaToROCDLSettleProductsPass());
  pm.addPass(createCdnaToROCDLControlFlowPass());
  pm.addPass(mlir::createConvertMathToLLVMPass());
  pm.addPass(mlir::createArithToLLVMConversionPass());
  pm.addPass(mlir::createConvertControlFlowToLLVMPass());
  pm.addPass(mlir::createReconcileUnrealizedCastsPass());
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createCdnaToROCDLOrderArithmeticPass());
  pm.addPass(createCdnaToROCDLAttributesPass());
  pm.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
}

void registerCdnaToROCDLPasses() {
  registerTegulaCdnaToROCDLPasses();
  mlir::PassPipelineRegistration<>("cdna-to-rocdl", "cdna.kernel with explicit waits to llvm.func",
                                   [](mlir::OpPassManager &pm) { buildCdnaToROCDLPipeline(pm); });
}
} // namespace tegula::cdna
