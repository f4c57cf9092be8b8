// Every wait and every barrier of the golden kernels is needed, and the proof knows it: with any
// one removed, or any count raised, it refuses the kernel.
#include "dialects/cdna/Cdna.h"
#include "mlir/Parser/Parser.h"
#include "tegula/CdnaTransforms/Passes.h"
#include "tegula/CdnaTransforms/WaitProof.h"
#include "test/support/TestSupport.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tegula::cdna;

namespace {

class WaitMutation : public testing::TestWithParam<const char *> {
protected:
  WaitMutation() {
    context.loadDialect<CdnaDialect, tegula::tile::TileDialect, arith::ArithDialect,
                        scf::SCFDialect>();
    context.disableMultithreading();
  }

  OwningOpRef<ModuleOp> compiled() {
    std::string path = std::string(TEGULA_KERNELS) + "/" + GetParam() + ".mlir";
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
    PassManager passes(&context);
    OpPassManager &kernel = passes.nest<KernelOp>();
    kernel.addPass(createStageOperandsPass());
    kernel.addPass(createSolveSwizzlesPass());
    kernel.addPass(createPipelineLoopsPass());
    kernel.addPass(createAllocateLdsPass());
    kernel.addPass(createInsertWaitsPass());
    EXPECT_TRUE(module && succeeded(passes.run(*module)));
    return module;
  }

  static KernelOp kernelOf(ModuleOp module) { return *module.getOps<KernelOp>().begin(); }

  /// Applies mutation `index`; false when there is no such mutation.
  bool mutate(ModuleOp module, int64_t index) {
    PassManager passes(&context);
    passes.addNestedPass<KernelOp>(tegula::test::createMutateWaitsPass(index));
    return succeeded(passes.run(module));
  }

  MLIRContext context;
};

TEST_P(WaitMutation, EachIsRefusedWithALabel) {
  OwningOpRef<ModuleOp> module = compiled();
  ASSERT_TRUE(succeeded(proveWaits(kernelOf(*module))));
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) { message += d.str(); });
  int64_t count = 0;
  while (true) {
    OwningOpRef<ModuleOp> broken = module->clone();
    if (!mutate(*broken, count))
      break;
    message.clear();
    EXPECT_TRUE(failed(proveWaits(kernelOf(*broken)))) << "mutation " << count << " was accepted";
    EXPECT_NE(message.find("[cdna.proof.c"), std::string::npos) << message;
    ++count;
  }
  // Prologue, loop and tail have a wait and a barrier each, and a wait has at least two mutations.
  EXPECT_GE(count, 9);
}

INSTANTIATE_TEST_SUITE_P(Kernels, WaitMutation,
                         testing::Values("gemm_nt_gfx950", "gemm_nn_gfx950", "gemm_ring4_gfx950",
                                         "gemm_nt_gfx942", "gemm_nn_gfx942"));

} // namespace
