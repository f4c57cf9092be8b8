// What a scalar load reads.
#pragma once

#include "Sim/State/Wave.h"

namespace tegula::sim {

struct ScalarRange {
  uint64_t address;
  unsigned dwords; ///< from `address` on; what is behind them reads zero
};
/// s_load_*.
ScalarRange scalarRange(const Wave &, const Op &);
/// s_buffer_load_*: the dwords inside the buffer.
ScalarRange scalarBufferRange(const Wave &, const Op &);

} // namespace tegula::sim
