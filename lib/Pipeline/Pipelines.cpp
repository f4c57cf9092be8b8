// The stages of a compile, in order, and nothing else.
#include "tegula/Pipeline/Pipelines.h"

#include "dialects/cdna/Cdna.h"
#include "dialects/tile/Tile.h"
#include "tegula/CdnaToROCDL/Passes.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/Object/Object.h"
#include "tegula/TileToCdna/Passes.h"
#include "tegula/TileTransforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tegula;

std::optional<Stage> tegula::parseStage(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("tile", Stage::Tile)
      .Case("cdna", Stage::Cdna)
      .Case("rocdl", Stage::Rocdl)
      .Case("llvm", Stage::LLVM)
      .Case("asm", Stage::Asm)
      .Case("object", Stage::Object)
      .Default(std::nullopt);
}

void tegula::buildTilePipeline(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &kernel = pm.nest<tile::KernelOp>();
  kernel.addPass(tile::createFoldCastsPass());
  kernel.addPass(tile::createFoldViewsPass());
  kernel.addPass(tile::createExpandQuantizePass());
  kernel.addPass(tile::createUnrollBatchesPass());
  kernel.addPass(tile::createPadProductsPass());
  kernel.addPass(tile::createPickSchedulePass());
  kernel.addPass(tile::createCheckLoweringsPass());
  pm.addPass(tile::createApplyPersistentPass());
  pm.addPass(tile::createSplitContractionPass());
  pm.nest<tile::KernelOp>().addPass(tile::createApplyRasterPass());
  pm.addPass(tile::createLowerRecordsPass());
  OpPassManager &placed = pm.nest<tile::KernelOp>();
  placed.addPass(tile::createRaiseRanksPass());
  placed.addPass(tile::createSplitTailsPass());
  placed.addPass(tile::createHoistLoadsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tegula::buildCdnaPipeline(OpPassManager &pm) {
  pm.nest<tile::KernelOp>().addPass(cdna::createAssignLayoutsPass());
  pm.addPass(cdna::createLowerTilePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &kernel = pm.nest<cdna::KernelOp>();
  kernel.addPass(cdna::createOrderMemoryPass());
  kernel.addPass(cdna::createStageOperandsPass());
  kernel.addPass(cdna::createSolveSwizzlesPass());
  kernel.addPass(cdna::createPipelineLoopsPass());
  kernel.addPass(cdna::createAllocateLdsPass());
  kernel.addPass(cdna::createInsertWaitsPass());
  kernel.addPass(cdna::createGroupSchedulePass());
  kernel.addPass(cdna::createCheckBudgetsPass());
}

void tegula::buildRocdlPipeline(OpPassManager &pm) {
  pm.addPass(cdna::createCdnaToROCDLValuesPass());
  // Addresses were built where they are used: what does not depend on the loop leaves it.
  OpPassManager &kernel = pm.nest<cdna::KernelOp>();
  kernel.addPass(createCSEPass());
  kernel.addPass(createLoopInvariantCodeMotionPass());
  kernel.addPass(createCSEPass());
  pm.addPass(cdna::createCdnaToROCDLCarryAddressesPass());
  pm.addPass(cdna::createCdnaToROCDLAttachScopesPass());
  pm.addPass(cdna::createCdnaToROCDLAbiPass());
  pm.addPass(cdna::createCdnaToROCDLSettleProductsPass());
  pm.addPass(cdna::createCdnaToROCDLControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cdna::createCdnaToROCDLOrderArithmeticPass());
  pm.addPass(cdna::createCdnaToROCDLAttributesPass());
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

void tegula::registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
                  LLVM::LLVMDialect, ROCDL::ROCDLDialect, tile::TileDialect, cdna::CdnaDialect>();
  cdna::registerWaitProof(registry);
  cdna::registerScopeCheck(registry);
  registerObjectTranslations(registry);
}

void tegula::registerPasses() {
  registerTransformsPasses();
  registerConversionPasses();
  tile::registerTileTransformsPasses();
  cdna::registerTileToCdnaPasses();
  cdna::registerCdnaTransformsPasses();
  cdna::registerCdnaToROCDLPasses();
  PassPipelineRegistration<>("tegula-tile", "tile IR to tile IR with a schedule",
                             buildTilePipeline);
  PassPipelineRegistration<>("tegula-cdna", "tile IR to cdna IR with explicit waits",
                             buildCdnaPipeline);
  PassPipelineRegistration<>("tegula-rocdl", "cdna IR to the llvm dialect", buildRocdlPipeline);
}
