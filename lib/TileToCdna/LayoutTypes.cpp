// Conversions between #cdna.layout and tegula::Layout.
#include "LayoutTypes.h"

using namespace mlir;

namespace tegula::cdna {

static Bases basesFrom(ArrayRef<int32_t> flat, unsigned rank) {
  Bases bases;
  for (; !flat.empty(); flat = flat.drop_front(rank))
    bases.emplace_back(flat.begin(), flat.begin() + rank);
  return bases;
}

Layout layoutOf(Type type) {
  LayoutAttr attr = getLayout(type);
  unsigned rank = attr.getRank();
  return Layout(basesFrom(attr.getReg(), rank), basesFrom(attr.getLane(), rank), basesFrom(attr.getWave(), rank),
                Extents(attr.getRepeat().begin(), attr.getRepeat().end()),
                Extents(attr.getWaveRepeat().begin(), attr.getWaveRepeat().end()));
}

LayoutAttr layoutAttr(MLIRContext *context, const Layout &layout) {
  auto flatten = [](const Bases &bases) {
    SmallVector<int32_t> flat;
    for (const Basis &vector : bases)
      llvm::append_range(flat, vector);
    return flat;
  };
  SmallVector<int32_t> repeat(layout.repeat.begin(), layout.repeat.end());
  SmallVector<int32_t> waveRepeat(layout.waveRepeat.begin(), layout.waveRepeat.end());
  return LayoutAttr::get(context, layout.rank(), flatten(layout.reg), flatten(layout.lane), flatten(layout.wave), repeat,
                         waveRepeat);
}

RankedTensorType withLayout(Type type, const Layout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layoutAttr(type.getContext(), layout));
}

} // namespace tegula::cdna
