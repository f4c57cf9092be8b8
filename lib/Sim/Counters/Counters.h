// Counts of memory accesses as they were executed: by instruction and by allocation. Kept by each
// host thread, summed at the end of a launch, so they don't depend on the number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tegula::sim {

/// Of one static memory instruction.
struct AccessCount {
  uint64_t executions = 0; ///< by waves, EXEC = 0 included
  uint64_t lanes = 0;      ///< lane accesses that touched memory
  uint64_t bytes = 0;
  uint64_t phases = 0, conflicts = 0;       ///< LDS: cycles without conflicts, and lost by them
  uint64_t segments64 = 0, segments128 = 0; ///< aligned segments that an execution touched, summed
};

/// Widths of lane accesses that are told apart, in bytes. The last two are scalar loads.
constexpr std::array<unsigned, 8> kAccessWidths = {1, 2, 4, 8, 12, 16, 32, 64};

/// What one allocation was read or written with.
struct Traffic {
  uint64_t executions = 0; ///< wave-instructions that touched it
  uint64_t bytes = 0;
  std::array<uint64_t, kAccessWidths.size()> lanes{}; ///< lane accesses by width
  uint64_t segments64 = 0, segments128 = 0;
};
enum class TrafficKind : uint8_t { Read, Write, Atomic };
using AllocationTraffic = std::array<Traffic, 3>; ///< by TrafficKind

struct AccessCounters {
  std::vector<AccessCount> instructions; ///< as Counting::accesses
  /// As the launch's snapshot of allocations; the last one is scratch.
  std::vector<AllocationTraffic> allocations;
  void add(const AccessCounters &);
};

} // namespace tegula::sim
