// Execution of one wave's LDS traffic along enumerated paths, used by `cdna-insert-waits` to find
// out which wait or barrier is missing and which is redundant.
//
// It works on concrete paths (every loop run 0, 1, 2 and a few more times, every branch both ways,
// and in a loop by turns) with concrete slots, because that is easy to minimise against. The proof
// (WaitProof.h) is the opposite method and judges the result; the two share nothing on purpose.
#ifndef TEGULA_LIB_CDNATRANSFORMS_SYNCTRACE_H
#define TEGULA_LIB_CDNATRANSFORMS_SYNCTRACE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tegula::cdna {

/// What is missing, found first in execution order.
struct SyncViolation {
  mlir::Operation *op = nullptr;    ///< the access, return or exit that comes too early
  mlir::Operation *cause = nullptr; ///< the older access that it collides with
  bool needsBarrier = false;        ///< else a wait alone cures it
  bool atExit = false;              ///< `op` is the return or an exit
};

class SyncTrace {
public:
  /// Collects the buffers of the kernel, and the loops and branches with accesses, waits or
  /// barriers in them. Waits and barriers may come and go between checks, but into no other branch.
  explicit SyncTrace(mlir::Operation *kernel);

  /// The first violation on any enumerated path; `op` is null when there is none. Waits and
  /// barriers in `disabled` count as absent.
  SyncViolation check(const llvm::DenseSet<mlir::Operation *> &disabled) const;

private:
  struct Buffer {
    int64_t offset = -1, stageBytes = 0, stageStride = 0, stages = 1;
  };
  struct Choice {
    mlir::Operation *op;
    llvm::SmallVector<int, 4> options; ///< trip counts of a loop, 0/1 of a branch
  };
  class Wave;

  void collect(mlir::Operation *kernel);
  bool overlap(unsigned a, int64_t slotA, unsigned b, int64_t slotB) const;
  SyncViolation checkAlternating(llvm::DenseMap<mlir::Operation *, int> path,
                                 const llvm::DenseSet<mlir::Operation *> &disabled) const;
  SyncViolation runPath(const llvm::DenseMap<mlir::Operation *, int> &path,
                        const llvm::DenseSet<mlir::Operation *> &disabled) const;

  mlir::Operation *kernel;
  /// A single wave has nobody to tell, and its LDS instructions (but not its copies) are in order.
  bool oneWave = false;
  llvm::DenseMap<mlir::Value, unsigned> bufferIds;
  llvm::SmallVector<Buffer> buffers;
  llvm::SmallVector<Choice> choices;
};

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_SYNCTRACE_H
