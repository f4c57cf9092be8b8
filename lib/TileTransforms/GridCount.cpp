// Copies of a grid function's ops; alias sets of kernels.
#include "GridCount.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tegula::tile;

FuncOp tegula::tile::gridOf(KernelOp kernel) {
  FlatSymbolRefAttr name = kernel.getGridAttr();
  return name ? SymbolTable::lookupNearestSymbolFrom<FuncOp>(kernel, name) : FuncOp();
}

SmallVector<Value> tegula::tile::cloneGrid(OpBuilder &builder, KernelOp kernel, FuncOp grid) {
  IRMapping map;
  map.map(grid.getBody().getArguments(), kernel.getBody().getArguments());
  Block &body = grid.getBody().front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, map);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value count) { return map.lookup(count); });
}

int32_t tegula::tile::nextAliasSet(KernelOp kernel) {
  int32_t last = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto set = kernel.getArgAttrOfType<IntegerAttr>(i, kArgAliasAttr))
      last = std::max<int32_t>(last, set.getInt());
  return last + 1;
}
