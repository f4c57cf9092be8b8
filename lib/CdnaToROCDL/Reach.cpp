// How far accesses go from the base of a window: the base is 64 bits wide, what is added to it is
// not, so a launch compares reach and strides with 2^31 bytes.
#include "Reach.h"
#include "Address.h"

using namespace mlir;
using namespace tegula::cdna;

static constexpr int64_t kAll = ShapedType::kDynamic;

/// Whether a user of the window adds something to dimension d that is not bounded by the tile.
static bool goesBeyondTile(BufferOp window, unsigned d) {
  return llvm::any_of(window.getResult().getUsers(), [&](Operation *user) {
    auto leaves = [&](auto access) { return !Int::isZero(access.getIndices()[d]); };
    return llvm::TypeSwitch<Operation *, bool>(user)
        .Case<LoadOp, StoreOp, AsyncCopyOp, LoadScalarOp>(leaves)
        .Default([](Operation *) { return true; });
  });
}

ArrayAttr tegula::cdna::computeReach(KernelOp kernel) {
  Builder b(kernel.getContext());
  SmallVector<SmallVector<int64_t>> reach;
  for (Type type : kernel.getArgumentTypes()) {
    auto view = dyn_cast<tile::ViewType>(type);
    reach.emplace_back(view ? view.getRank() : 0, 1);
  }
  kernel.walk([&](BufferOp window) {
    auto argument = cast<BlockArgument>(window.getView());
    for (auto [d, extent] : llvm::enumerate(window.getTile())) {
      int64_t &known = reach[argument.getArgNumber()][window.argumentDim(d)];
      known = known == kAll || goesBeyondTile(window, d) ? kAll : std::max(known, extent);
    }
  });
  return b.getArrayAttr(llvm::map_to_vector(reach, [&](ArrayRef<int64_t> dims) -> Attribute {
    return b.getArrayAttr(llvm::map_to_vector(dims, [&](int64_t extent) -> Attribute {
      return extent == kAll ? Attribute(b.getUnitAttr()) : b.getI64IntegerAttr(extent);
    }));
  }));
}
