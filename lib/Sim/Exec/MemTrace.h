// Where the next instruction of a wave touches memory, from its registers before it runs.
#pragma once

#include "Sim/State/Wave.h"

namespace tegula::sim {

struct MemTrace {
  enum class Space : uint8_t { None, Global, Lds, Scratch } space = Space::None;
  bool reads = false, writes = false;
  uint8_t bytes = 0;  ///< of a lane access
  unsigned count = 0; ///< of `lane` and `address`; a scalar access is one, by lane 0
  uint8_t lane[2 * kLanes];
  uint64_t address[2 * kLanes]; ///< host address, LDS offset, or offset in the lane's scratch
  void add(unsigned l, uint64_t a) {
    lane[count] = uint8_t(l);
    address[count++] = a;
  }
};

/// False if the instruction touches no memory.
/// Lanes that a descriptor cuts off are left out; those outside allocations are not. A copy from
/// memory to LDS gives what it reads.
bool traceMemory(Wave &, const Op &, const Instruction &, MemTrace &);

} // namespace tegula::sim
