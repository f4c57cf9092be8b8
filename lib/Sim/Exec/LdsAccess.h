// Shared by everything that touches LDS: LDS instructions, atomics, loads to LDS.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Waits.h"

namespace tegula::sim {

struct LdsAddresses {
  alignas(64) uint32_t lane[kLanes];
};
/// The lanes whose `bytes` lie inside the workgroup's LDS; the others are reported.
uint64_t ldsInBounds(Wave &, const Op &, const uint32_t *address, uint64_t lanes, unsigned bytes);
/// Sanitized runs: enters a read into lgkmcnt's ring and the shadow. `rows` = destination rows from
/// Op::d; a second part lies `distance` bytes behind the first.
void recordLdsRead(Wave &, const Op &, const LdsAddresses &, uint64_t lanes, unsigned bytes,
                   unsigned rows, unsigned parts = 1, unsigned distance = 0);

} // namespace tegula::sim
