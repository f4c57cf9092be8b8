// The path of a layout conversion: registers, or through LDS.
#include "ConvertPaths.h"
#include "LdsFacts.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::cdna;

/// The dimension along which the reader's lanes take the widest run: reads dominate, they have
/// latency.
static unsigned fastestDim(RankedTensorType to) {
  Layout layout = tileLayout(to);
  unsigned best = to.getRank() - 1;
  int64_t bestWidth = 0;
  for (unsigned d = to.getRank(); d-- > 0;) {
    int64_t width = vectorWidth(layout, d, elementBytes(to.getElementType()) * 8);
    if (width > bestWidth) {
      best = d;
      bestWidth = width;
    }
  }
  return best;
}

static SmallVector<int32_t> scratchOrder(RankedTensorType to) {
  unsigned fast = fastestDim(to);
  SmallVector<int32_t> order = {int32_t(fast)};
  for (int32_t d = to.getRank(); d-- > 0;)
    if (unsigned(d) != fast)
      order.push_back(d);
  return order;
}

/// Layouts write their phantoms too: room for all that either covers.
static RankedTensorType coveredBy(RankedTensorType from, RankedTensorType to) {
  Extents covered = tileLayout(from).cover(), read = tileLayout(to).cover();
  for (unsigned d = 0; d < covered.size(); ++d)
    covered[d] = std::max({covered[d], read[d], to.getDimSize(d)});
  return RankedTensorType::get(covered, to.getElementType());
}

LogicalResult tegula::cdna::planConversion(ConvertLayoutOp convert) {
  auto from = cast<RankedTensorType>(convert.getValue().getType());
  auto to = cast<RankedTensorType>(convert.getResult().getType());
  if (!renameRegisters(from, to).empty()) {
    convert.setPath(tegula::cdna::ConvertPath::None);
    return success();
  }
  auto kernel = convert->getParentOfType<KernelOp>();
  FailureOr<LdsType> type =
      makeLdsType(convert.getLoc(), kernel.getTargetInfo(), coveredBy(from, to), scratchOrder(to));
  if (failed(type))
    return failure();
  LdsAllocOp scratch = createLdsAlloc(kernel, convert.getLoc(), *type, /*swizzle=*/true);
  OpBuilder builder(convert);
  LdsStoreOp::create(builder, convert.getLoc(), convert.getValue(), scratch);
  auto load = LdsLoadOp::create(builder, convert.getLoc(), to, scratch, /*transpose=*/UnitAttr());
  convert.getResult().replaceAllUsesWith(load.getResult());
  convert.erase();
  return success();
}
