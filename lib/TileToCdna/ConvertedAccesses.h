// Loads and stores that have a layout of their own, with a conversion between it and the layout of
// their class.
#ifndef TEGULA_LIB_TILETOCDNA_CONVERTEDACCESSES_H
#define TEGULA_LIB_TILETOCDNA_CONVERTEDACCESSES_H

#include "LayoutChoice.h"

namespace tegula::cdna {

/// Prices the accesses of classes where some may convert. Candidates of an access are made once.
class ConvertedAccesses {
public:
  explicit ConvertedAccesses(const KernelFacts &facts) : facts(facts) {}

  /// A load or store in units of LDS accesses, judged by all lanes.
  static double costAlone(mlir::Operation *access, const Layout &layout);
  struct Choice {
    double cost;
    std::optional<Layout> own; ///< none: the class's layout
  };
  /// The cheapest for an access whose class has layout `layout`.
  Choice choose(mlir::Operation *access, const Layout &layout);
  /// What it costs at least, whatever the class's layout is.
  double leastCost(mlir::Operation *access);

  /// Layouts of a class that conversions go well with.
  std::vector<Layout> candidatesOf(const LayoutClass &c);

private:
  struct Candidate {
    Layout layout;
    double cost; ///< of the access alone
  };
  const std::vector<Candidate> &candidatesOf(mlir::Operation *access);

  const KernelFacts &facts;
  llvm::DenseMap<mlir::Operation *, std::vector<Candidate>> candidates;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_CONVERTEDACCESSES_H
