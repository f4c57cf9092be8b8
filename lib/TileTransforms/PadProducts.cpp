// tile-pad-products: products of any K become ones that instructions divide; see Passes.td.
#include "tegula/TileTransforms/Passes.h"

#include "dialects/tile/TileNormalForms.h"
#include "tegula/Target/Target.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::tile {
#define GEN_PASS_DEF_PADPRODUCTSPASS
#include "tegula/TileTransforms/Passes.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;
using tegula::MfmaInst;
using tegula::Target;

/// The least K from there on that the instruction of the schedule divides, or else any one; 0 if
/// there are none for these types.
static int64_t paddedExtent(MmaOp product, ScheduleAttr schedule, const Target &target) {
  int64_t extent = product.getA().getType().getShape().back(), least = 0;
  StringRef wanted = schedule && schedule.getMma() ? schedule.getMma().getValue() : "";
  std::vector<const MfmaInst *> instructions =
      target.mfmaFor(dtypeName(product.getA().getType().getElementType()),
                     dtypeName(product.getB().getType().getElementType()));
  if (llvm::any_of(instructions, [&](const MfmaInst *inst) { return extent % inst->K == 0; }))
    return extent;
  for (const MfmaInst *inst : instructions) {
    int64_t padded = llvm::alignTo(extent, inst->K);
    if (inst->shape == wanted)
      return padded;
    if (least == 0 || padded < least)
      least = padded;
  }
  return least;
}

/// The tile with zeros behind it along an axis.
static Value padded(OpBuilder &b, Location loc, Value tile, unsigned axis, int64_t extent) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto withExtent = [&](int64_t n) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = n;
    return RankedTensorType::get(shape, type.getElementType());
  };
  auto rest = withExtent(extent - type.getDimSize(axis));
  Value zeros = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(rest)));
  return ConcatOp::create(b, loc, withExtent(extent), ValueRange{tile, zeros}, axis);
}

static void pad(MmaOp product, int64_t extent, const Target &target) {
  RankedTensorType a = product.getA().getType(), b = product.getB().getType();
  product.emitRemark("K = ") << a.getShape().back() << " is padded to " << extent
                             << " with zeros: no instruction of " << target.name << " for "
                             << dtypeName(a.getElementType()) << " x "
                             << dtypeName(b.getElementType()) << " divides it";
  OpBuilder builder(product);
  Location loc = product.getLoc();
  product.getAMutable().assign(padded(builder, loc, product.getA(), a.getRank() - 1, extent));
  product.getBMutable().assign(padded(builder, loc, product.getB(), b.getRank() - 2, extent));
}

namespace {
struct PadProducts : tegula::tile::impl::PadProductsPassBase<PadProducts> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const Target *target = lookupTarget(kernel);
    if (!target)
      return; // tile-pick-schedule says so
    kernel.walk([&](MmaOp product) {
      int64_t extent = paddedExtent(product, kernel.getScheduleAttr(), *target);
      if (extent > product.getA().getType().getShape().back())
        pad(product, extent, *target);
    });
  }
};
} // namespace
