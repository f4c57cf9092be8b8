// tile-check-lowerings: the gate before lowering; see Passes.td.
#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"
#include "tegula/TileTransforms/Passes.h"

#include "llvm/ADT/DenseSet.h"

namespace tegula::tile {
#define GEN_PASS_DEF_CHECKLOWERINGSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

/// Says once for each product in the source that its operands are of a flavour which the matrix
/// unit lacks, and what happens to them.
static void remarkConversions(KernelOp kernel, const tegula::Target &target) {
  llvm::SmallDenseSet<Location> said; // products of batches have become several
  kernel.walk([&](MmaOp product) {
    std::string a = dtypeName(product.getA().getType().getElementType());
    std::string b = dtypeName(product.getB().getType().getElementType());
    std::string_view as = target.multipliedAs(a);
    if (as == a || !said.insert(product.getLoc()).second)
      return;
    product.emitRemark("a product of ")
        << a << " x " << b << " on " << target.name << ", which multiplies " << target.fp8Type
        << " and " << target.bf8Type << ": each lane converts its operands to " << as
        << ", exactly, in front of the instruction; in memory and LDS they stay bytes";
  });
}

namespace {
struct CheckLowerings : tegula::tile::impl::CheckLoweringsPassBase<CheckLowerings> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(verifyLegalForTarget(kernel)))
      return signalPassFailure();
    remarkConversions(kernel, *lookupTarget(kernel));
    kernel->setAttr(kLegalForTargetAttr, UnitAttr::get(&getContext()));
  }
};
} // namespace
