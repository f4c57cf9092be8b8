// The ways to make tile IR smaller.
#ifndef TEGULA_TOOLS_TEGULA_REDUCE_STEPS_H
#define TEGULA_TOOLS_TEGULA_REDUCE_STEPS_H

#include "mlir/IR/PatternMatch.h"

namespace tegula {

/// Changes the IR at an op; false where it has nothing to do there, and then changes nothing.
using Step = bool (*)(mlir::Operation *op, mlir::IRRewriter &rewriter);

/// All of them, those that take most away first.
llvm::ArrayRef<Step> reductionSteps();

} // namespace tegula

#endif // TEGULA_TOOLS_TEGULA_REDUCE_STEPS_H
