// Expansion of reduce_waves.
#include "ExpandReductions.h"
#include "dialects/cdna/Cdna.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

/// The dimension that the waves reduce: the one that shrinks to 1. Nothing when a single wave holds
/// all.
static std::optional<unsigned> reducedDim(ReduceWavesOp reduce) {
  auto from = cast<RankedTensorType>(reduce.getValue().getType()),
       to = cast<RankedTensorType>(reduce.getResult().getType());
  for (unsigned d = 0; d < from.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      return d;
  return std::nullopt;
}

/// The result's layout, with the parts of all waves in additional registers. They come first, so
/// that a read takes several at once.
static Layout gatherLayout(const Layout &parts, const Layout &result, unsigned axis) {
  Layout gather = result;
  gather.reg.clear();
  for (const Basis &vector : parts.wave)
    if (vector[axis] != 0)
      gather.reg.push_back(vector);
  gather.reg.insert(gather.reg.end(), result.reg.begin(), result.reg.end());
  gather.repeat[axis] = parts.waveRepeat(axis);
  return gather;
}

static LogicalResult expand(ReduceWavesOp reduce) {
  std::optional<unsigned> axis = reducedDim(reduce);
  if (!axis)
    return reduce.emitError("reduces no dimension [cdna.reduce_waves.c1]");
  auto from = cast<RankedTensorType>(reduce.getValue().getType());
  Layout gather = gatherLayout(layoutOf(from), layoutOf(reduce.getResult().getType()), *axis);
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  LdsStoreOp::create(builder, loc, reduce.getValue(), reduce.getLds());
  auto parts = LdsLoadOp::create(builder, loc, withLayout(from, gather), reduce.getLds(),
                                 /*transpose=*/UnitAttr());
  auto sum =
      ReduceRegistersOp::create(builder, loc, reduce.getResult().getType(), reduce.getKindAttr(),
                                parts.getResult(), builder.getI64IntegerAttr(*axis));
  reduce.getResult().replaceAllUsesWith(sum.getResult());
  reduce.erase();
  return success();
}

LogicalResult tegula::cdna::expandWaveReductions(KernelOp kernel) {
  SmallVector<ReduceWavesOp> reductions;
  kernel.walk([&](ReduceWavesOp reduce) { reductions.push_back(reduce); });
  for (ReduceWavesOp reduce : reductions)
    if (failed(expand(reduce)))
      return failure();
  return success();
}
