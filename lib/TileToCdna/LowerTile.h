// The families of cdna-lower-tile. Each function replaces one op, or reports why it cannot.
#ifndef TEGULA_LIB_TILETOCDNA_LOWERTILE_H
#define TEGULA_LIB_TILETOCDNA_LOWERTILE_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Puts a value in the place of an op of one result; the op stays where that is its own result.
inline mlir::LogicalResult replaceOp(mlir::Operation *op, mlir::FailureOr<mlir::Value> value) {
  if (failed(value))
    return mlir::failure();
  if (*value != op->getResult(0)) {
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
  }
  return mlir::success();
}

/// Loads, stores, scalars and masks of the body: windows with tails (LowerMemory.cpp). Runs first,
/// while proofs about tile indices still see the ops they are written for.
mlir::LogicalResult lowerMemory(mlir::Region &body);

/// A counter of workgroups (LowerArrive.cpp).
mlir::LogicalResult lowerArrive(tile::ArriveOp op);

/// Alias sets that the kernel updates atomically, records apart; written by noteUpdatedSets.
constexpr llvm::StringLiteral kUpdatedSetsAttr = "tile.updated_sets";
void noteUpdatedSets(tile::KernelOp kernel);

/// A scalar that came from memory, the same in all waves: control flow depends on it, and waves
/// that disagree would wait for one another forever. Where the kernel updates its alias set (none
/// given: any) atomically, one wave's value goes round through LDS; else nobody may change it
/// meanwhile.
mlir::FailureOr<mlir::Value> handRound(mlir::OpBuilder &builder, mlir::Operation *op,
                                       mlir::Value scalar, std::optional<int64_t> set);

/// A gather, a scatter or an atomic update (LowerIndexed.cpp). Success also for other ops.
mlir::LogicalResult lowerIndexed(mlir::Operation *op);

/// Ops whose elements change lanes by their place, and scans (LowerExchange.cpp). Success also for
/// other ops.
mlir::LogicalResult lowerExchange(mlir::Operation *op);

/// Shape ops, iota, casts, functions, products and scalars (LowerShape.cpp). Success also for ops
/// that need nothing.
mlir::LogicalResult lowerValueOp(mlir::Operation *op);

/// A reduction: registers, lanes, waves (LowerReduce.cpp).
mlir::LogicalResult lowerReduce(tile::ReduceOp op);

} // namespace tegula::cdna

#endif // TEGULA_LIB_TILETOCDNA_LOWERTILE_H
