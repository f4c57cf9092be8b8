// Shared by everything that touches LDS: LDS instructions, atomics, loads to LDS.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/Waits.h"

namespace tegula::sim {

struct LdsAddresses {
  alignas(64) uint32_t lane[kLanes];
};
/// Where a copy from memory to LDS writes, `slot` bytes apart: lds_byte = M0[17:2]·4 + inst_offset
/// + lane · slot. The lane number is the position, so inactive lanes leave holes.
inline void copyAddresses(const Wave &w, const Op &o, unsigned slot, LdsAddresses &at) {
  uint32_t base = ((w.s[kM0] & 0x3fffc) + o.x) & ~3u; // whole dwords are written
  for (unsigned l = 0; l < kLanes; ++l)
    at.lane[l] = base + l * slot;
}
/// Bytes between two lanes of such a copy: a dword up to a dword, 16 for x3 and x4.
constexpr unsigned copySlot(unsigned bytes) { return bytes > 4 ? 16 : 4; }
/// The second half of such a copy: `written` bytes of each lane of `exec`, `slot` apart in `image`.
void copyToLds(Wave &, const Op &, uint64_t exec, const uint32_t *image, unsigned slot,
               unsigned written);
/// The lanes whose `bytes` lie inside the workgroup's LDS; the others are reported.
uint64_t ldsInBounds(Wave &, const Op &, const uint32_t *address, uint64_t lanes, unsigned bytes);
/// Sanitized runs, before a read of `lanes`: races, and bytes that nobody wrote.
void beforeLdsRead(Wave &, const Op &, const LdsAddresses &, uint64_t lanes, unsigned bytes);
/// Sanitized runs: enters a read into lgkmcnt's ring. `rows` = destination rows from
/// Op::d; a second part lies `distance` bytes behind the first.
void recordLdsRead(Wave &, const Op &, const LdsAddresses &, uint64_t lanes, unsigned bytes,
                   unsigned rows, unsigned parts = 1, unsigned distance = 0);

} // namespace tegula::sim
