// How LDS serves one access of a wave: which lanes form a phase, and what bank conflicts cost. The
// numbers are this component's own; a test compares them with the compiler's.
#pragma once

#include "Sim/Decode/Isa.h"
#include <vector>

namespace tegula::sim {

enum class LdsUse : uint8_t { Read, TransposedRead, Write, Atomic };

/// Lanes of one phase compete for banks; phases follow each other.
struct LdsService {
  unsigned banks = 32; ///< of one dword
  std::vector<uint64_t> phases;
};

/// `bytes` of a lane. Below a dword: as a dword.
const LdsService &ldsService(Arch, LdsUse, unsigned bytes);

struct LdsCost {
  uint64_t phases = 0;    ///< that have an active lane: cycles without any conflict
  uint64_t conflicts = 0; ///< cycles on top
};

/// A phase takes as many cycles as its busiest bank has distinct dwords; equal ones are broadcast.
/// Atomics have no broadcast: lanes of one bank take turns. `address` is read for `lanes` only.
LdsCost ldsCost(Arch, LdsUse, const uint32_t *address, uint64_t lanes, unsigned bytes);

} // namespace tegula::sim
