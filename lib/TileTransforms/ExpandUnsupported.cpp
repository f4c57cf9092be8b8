// tile-expand-unsupported: the gate before lowering; see Passes.td.
#include "dialects/tile/TileNormalForms.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDUNSUPPORTEDPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
struct ExpandUnsupported : tegula::tile::impl::ExpandUnsupportedPassBase<ExpandUnsupported> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(verifyLegalForTarget(kernel)))
      return signalPassFailure();
    kernel->setAttr(kLegalForTargetAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
