// Chooses a layout for every class of a LayoutGraph.
#ifndef TEGULA_LIB_TILETOCDNA_LAYOUTCHOICE_H
#define TEGULA_LIB_TILETOCDNA_LAYOUTCHOICE_H

#include "LayoutGraph.h"

namespace tegula::cdna {

/// The layouts that a product forces on its operands and result.
struct ProductLayouts {
  Layout a, b, acc;
  bool swapped; ///< the instruction takes B first
  const MfmaInst *instruction;
};

/// What the choice needs to know of the kernel.
struct KernelFacts {
  const Target *target;
  unsigned wavesM, wavesN;
  int64_t ldsShare; ///< bytes for one conversion, so that two workgroups share a compute unit
  unsigned waves() const { return wavesM * wavesN; }

  /// Reads target and schedule; a diagnostic when a field is missing or unknown.
  static mlir::FailureOr<KernelFacts> of(tile::KernelOp kernel);
};

/// Layouts of one product, or a diagnostic when its tile and the schedule's instruction or waves do
/// not go together.
mlir::FailureOr<ProductLayouts> layoutsOf(tile::MmaOp op, const KernelFacts &facts);

/// Elements that one access of a view may move at once: bounded by 16 bytes, the alignment, and
/// what divides the extent.
int64_t accessWidth(tile::ViewType view);

/// The view of a load or store.
tile::ViewType viewOf(mlir::Operation *access);
/// The dimension along which an access is contiguous; the last one if the view has no unit stride.
unsigned fastDim(mlir::Operation *access);
/// Instructions of a wave. An access that is not coalesced costs as many times more as it touches
/// memory in vain, judged by the first `lanes` lanes.
double accessCost(mlir::Operation *access, const Layout &layout, int64_t lanes = 16);

/// Sets `layout` of each class, and `own` of the graph. Products come first; then classes by size,
/// each taking the cheapest of the coalesced layouts of its loads and stores; shape ops hand the
/// choice on to smaller classes.
mlir::LogicalResult chooseLayouts(tile::KernelOp kernel, LayoutGraph &graph,
                                  const KernelFacts &facts);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LAYOUTCHOICE_H
