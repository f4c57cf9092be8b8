// tegula-opt: runs single passes on IR text. The tool of the lit tests.
#include "mlir/Conversion/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#ifdef TEGULA_WITH_TILE
#include "dialects/tile/Tile.h"
#endif
#ifdef TEGULA_WITH_CDNA
#include "dialects/cdna/Cdna.h"
#endif
#ifdef TEGULA_WITH_TILE_TRANSFORMS
#include "tegula/TileTransforms/Passes.h"
#endif
#ifdef TEGULA_WITH_TILE_TO_CDNA
#include "tegula/TileToCdna/Passes.h"
#endif
#ifdef TEGULA_WITH_CDNA_TRANSFORMS
#include "tegula/CdnaTransforms/Passes.h"
#endif
#ifdef TEGULA_WITH_CDNA_TO_ROCDL
#include "tegula/CdnaToROCDL/Passes.h"
#endif

// Registration functions live in tegula::tile or tegula::cdna, as their component chose.
namespace tegula::tile {}
namespace tegula::cdna {}
using namespace tegula;
using namespace tegula::tile;
using namespace tegula::cdna;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
              mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect, mlir::ROCDL::ROCDLDialect>();
#ifdef TEGULA_WITH_TILE
  registry.insert<tegula::tile::TileDialect>();
#endif
#ifdef TEGULA_WITH_CDNA
  registry.insert<tegula::cdna::CdnaDialect>();
#endif
  mlir::registerTransformsPasses();
  mlir::registerConversionPasses();
#ifdef TEGULA_WITH_TILE_TRANSFORMS
  registerTileTransformsPasses();
#endif
#ifdef TEGULA_WITH_TILE_TO_CDNA
  registerTileToCdnaPasses();
#endif
#ifdef TEGULA_WITH_CDNA_TRANSFORMS
  registerCdnaTransformsPasses();
  registerWaitProof(registry);
#endif
#ifdef TEGULA_WITH_CDNA_TO_ROCDL
  registerCdnaToROCDLPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tegula pass driver\n", registry));
}
