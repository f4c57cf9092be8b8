// Proof that every LDS access of a kernel is ordered by the waits and barriers that are really
// there.
//
// The proof is an abstract interpretation of one symbolic wave over the final IR: it trusts no
// token and shares no code with `cdna-insert-waits`. The verifier of the normal form
// `cdna.waits_inserted` runs it.
#ifndef TEGULA_CDNATRANSFORMS_WAITPROOF_H
#define TEGULA_CDNATRANSFORMS_WAITPROOF_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
}

namespace tegula::cdna {

/// Succeeds when each demand below holds at every point of `kernel`; otherwise emits an error with
/// the label of the demand at the access that is not covered.
///
///   cdna.proof.c1  an LDS read: the bytes were written on every path, and waited for and published
///   by a
///                  barrier since
///   cdna.proof.c2  an LDS overwrite: every read of the old bytes has returned, in every wave
///   cdna.proof.c3  an LDS overwrite: the write before it has landed, in every wave
///   cdna.proof.c4  counts are within 0..63 (vm) and 0..15 (lgkm)
///   cdna.proof.c5  at return no copy into LDS is in flight
///   cdna.proof.c6  every slot is a known distance from the slot its loop carries
/// In a workgroup of one wave "every wave" is this one: a wait is enough, and LDS instructions (but
/// not copies) are in order by themselves.
mlir::LogicalResult proveWaits(mlir::Operation *kernel);

} // namespace tegula::cdna

#endif // TEGULA_CDNATRANSFORMS_WAITPROOF_H
