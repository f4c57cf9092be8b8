// The grid of a kernel, inside the kernel; arguments that passes add to both.
#ifndef TEGULA_TILETRANSFORMS_GRIDCOUNT_H
#define TEGULA_TILETRANSFORMS_GRIDCOUNT_H

#include "dialects/tile/Tile.h"

namespace tegula::tile {

/// The grid function of a kernel; null when it names none.
FuncOp gridOf(KernelOp kernel);
/// What it returns, computed in the kernel by copies of its ops.
llvm::SmallVector<mlir::Value> cloneGrid(mlir::OpBuilder &builder, KernelOp kernel, FuncOp grid);
/// An alias set that no argument of the kernel is in.
int32_t nextAliasSet(KernelOp kernel);

} // namespace tegula::tile

#endif // TEGULA_TILETRANSFORMS_GRIDCOUNT_H
