// tile-check-lowerings: the gate before lowering; see Passes.td.
#include "dialects/tile/TileNormalForms.h"
#include "tegula/TileTransforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_CHECKLOWERINGSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
struct CheckLowerings : tegula::tile::impl::CheckLoweringsPassBase<CheckLowerings> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(verifyLegalForTarget(kernel)))
      return signalPassFailure();
    kernel->setAttr(kLegalForTargetAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
