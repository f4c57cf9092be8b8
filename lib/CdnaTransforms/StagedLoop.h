// A loop whose operands are staged through LDS, taken apart for pipelining.
#ifndef TEGULA_LIB_CDNATRANSFORMS_STAGEDLOOP_H
#define TEGULA_LIB_CDNATRANSFORMS_STAGEDLOOP_H

#include "dialects/cdna/Cdna.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::cdna {

/// What stands between two products of the body, and the fragments it needs.
struct ConsumerStep {
  llvm::SmallVector<LdsLoadOp> fragments;
  llvm::SmallVector<mlir::Operation *>
      body; ///< ends with the product, the last one with the rest of the loop
};

struct StagedLoop {
  mlir::scf::ForOp loop;
  int64_t stages = 1;
  LdsAllocOp ring;                             ///< any buffer of the ring
  llvm::SmallVector<AsyncCopyOp> copies;       ///< direct: global memory to LDS
  llvm::SmallVector<LoadOp> loads;             ///< through registers: global memory to registers …
  llvm::SmallVector<unsigned> kept;            ///< … of these, those that consumers look at, too …
  llvm::SmallVector<mlir::Operation *> stores; ///< … renamings and stores to LDS
  llvm::SmallVector<mlir::Operation *>
      addresses; ///< scalars that copies and loads are computed from
  llvm::SmallVector<ConsumerStep> steps;

  /// Nothing when the loop stages nothing. `obstacle` says why a loop that does can't be pipelined.
  static std::optional<StagedLoop> find(mlir::scf::ForOp loop, std::string &obstacle);
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_STAGEDLOOP_H
