// What tests add to the compiler's tools.
#ifndef TEGULA_TEST_SUPPORT_TESTSUPPORT_H
#define TEGULA_TEST_SUPPORT_TESTSUPPORT_H

#include "mlir/Pass/Pass.h"

namespace tegula::test {

/// Breaks one wait or barrier of a `cdna.kernel`; see MutateWaits.cpp.
std::unique_ptr<mlir::Pass> createMutateWaitsPass(int64_t index);
/// Makes the passes of this folder known to the pass pipeline's parser.
void registerPasses();

} // namespace tegula::test

#endif // TEGULA_TEST_SUPPORT_TESTSUPPORT_H
