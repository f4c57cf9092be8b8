// Copies of a grid function's ops.
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
