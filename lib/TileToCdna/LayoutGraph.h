// The graph over which layouts spread: classes of values that must have one layout, and shape ops
// that relate classes.
#ifndef TEGULA_LIB_TILETOCDNA_LAYOUTGRAPH_H
#define TEGULA_LIB_TILETOCDNA_LAYOUTGRAPH_H

#include "dialects/tile/Tile.h"
#include "tegula/Layout/LinearLayout.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tegula::cdna {

/// What a shape op does to a layout. `whole` has every coordinate, `part` is its image; for a
/// transpose or a reshape either side determines the other. Pairs lie in registers of one lane.
struct ShapeRelation {
  enum Kind { Collapse, Permute, Reshape, Pair } kind;
  mlir::Value whole, part;
  llvm::SmallVector<unsigned>
      axes; ///< Collapse, Pair: the axes that have extent 1 in `part`; Permute: the permutation

  /// The relation between an op's operand and its result, if it is a shape op (broadcast, reduce,
  /// transpose, reshape, pack, unpack).
  static std::optional<ShapeRelation> of(mlir::Operation *op);
  std::optional<Layout> partFrom(const Layout &whole) const;
  std::optional<Layout> wholeFrom(const Layout &part) const;
};

/// Element-wise in the sense of layouts: operands and results that are tiles have one shape and
/// share one layout.
bool isElementwise(mlir::Operation *op);

/// Of an op whose tiles, operands and result, share one layout without being element-wise (gathers,
/// scatters, atomic updates, scans …): the tile whose layout that is. Null for other ops.
mlir::Value sharedAnchor(mlir::Operation *op);
/// The operands that have it, too.
llvm::SmallVector<mlir::OpOperand *> sharedOperands(mlir::Operation *op);

/// A value that costs nothing to make again in another layout: a splat, an iota, the broadcast of a
/// scalar.
bool isRematerializable(mlir::Value value);

/// Extents of a tile.
Extents shapeOf(mlir::Value tile);

struct LayoutClass {
  llvm::SmallVector<mlir::Value> values;         ///< in program order
  llvm::SmallVector<unsigned> relations;         ///< indices into LayoutGraph::relations
  llvm::SmallVector<mlir::Operation *> accesses; ///< loads, stores and atomic updates of its values
  std::optional<Layout> layout;

  int64_t elements() const;
};

class LayoutGraph {
public:
  /// Builds the classes of a kernel body.
  explicit LayoutGraph(mlir::Region &body);

  std::vector<LayoutClass> classes;
  std::vector<ShapeRelation> relations;
  /// Layouts of loads and stores that differ from their class's.
  llvm::DenseMap<mlir::Operation *, Layout> own;
  unsigned classOf(mlir::Value value) const { return classIndex.lookup(value); }

private:
  void addOperation(mlir::Operation *op);
  void unite(mlir::Value a, mlir::Value b);
  void uniteRanges(mlir::ValueRange a, mlir::ValueRange b);
  void numberClasses(mlir::Region &body);
  void attachRelations();

  llvm::EquivalenceClasses<void *> sets;
  llvm::DenseMap<mlir::Value, unsigned> classIndex;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LAYOUTGRAPH_H
