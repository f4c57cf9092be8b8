// The counts of one launch, for readers: instructions with their text, allocations with the
// argument that points to them.
#pragma once

#include "Sim/Counters/Counters.h"
#include "Sim/Exec/Context.h"

namespace tegula::sim {

struct InstructionRow {
  uint64_t pc = 0;
  std::string instruction, file;
  unsigned line = 0;
  const char *space = ""; ///< "lds", "global", "flat", "scratch", "scalar"
  const char *use = "";   ///< "read", "write", "atomic", "copy" (to LDS)
  unsigned width = 0;     ///< bytes of a lane; of the wave for "scalar"
  AccessCount count;
  std::string json() const;
};

struct AllocationRow {
  uint64_t address = 0, size = 0;
  const char *kind = ""; ///< "device", "host", "kernarg", "code", "scratch"
  /// The first argument that points into it, as an offset in the kernarg segment; −1: none does.
  int64_t kernargOffset = -1;
  AllocationTraffic traffic;
  std::string json() const;
};

struct AccessReport {
  std::vector<InstructionRow> instructions; ///< memory instructions that were executed, by PC
  std::vector<AllocationRow> allocations;   ///< those that were touched, by address
};

AccessReport reportAccesses(const Launch &, const AccessCounters &, const void *kernarg,
                            size_t bytes);

} // namespace tegula::sim
