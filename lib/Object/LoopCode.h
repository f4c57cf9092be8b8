// What the loops of a kernel's machine code hold besides its work.
#ifndef TEGULA_LIB_OBJECT_LOOPCODE_H
#define TEGULA_LIB_OBJECT_LOOPCODE_H

#include "mlir/IR/Diagnostics.h"
#include "tegula/Target/Target.h"

namespace tegula {

struct LoopCode {
  int64_t scratch = 0;          ///< accesses of scratch memory
  int64_t accumulatorMoves = 0; ///< copies between vector and accumulation registers
};

/// Counts the instructions between the targets of backward branches and those branches. An
/// instruction in two loops counts once.
mlir::FailureOr<LoopCode> readLoops(llvm::StringRef elf, const Target &target, mlir::Location loc);

} // namespace tegula

#endif // TEGULA_LIB_OBJECT_LOOPCODE_H
