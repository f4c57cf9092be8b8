// Bank conflicts of accesses to LDS by their addresses, for rows of any pitch.
#ifndef TEGULA_LIB_CDNATRANSFORMS_LDSCONFLICTS_H
#define TEGULA_LIB_CDNATRANSFORMS_LDSCONFLICTS_H

#include "dialects/cdna/Cdna.h"

namespace tegula::cdna {

/// Clocks of LDS that accesses take.
struct LdsClocks {
  int64_t needed = 0; ///< without conflicts
  int64_t lost = 0;   ///< by conflicts

  LdsClocks &operator+=(const LdsClocks &other) {
    needed += other.needed;
    lost += other.lost;
    return *this;
  }
};

/// Which instruction an LDS access of this width is.
LdsOp ldsOpOfWidth(int64_t bytes, bool write);

/// Of all waves' instructions for an lds_store or lds_load, as they are emitted, if the buffer it
/// accesses had this type.
LdsClocks ldsClocks(mlir::Operation *access, LdsType buffer, const Target &target);

} // namespace tegula::cdna

#endif // TEGULA_LIB_CDNATRANSFORMS_LDSCONFLICTS_H
