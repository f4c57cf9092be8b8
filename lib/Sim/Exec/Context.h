// What a host thread holds while it executes workgroups of one launch.
#pragma once

#include "Sim/Loader/CodeObject.h"
#include "Sim/Memory/Allocations.h"
#include "Sim/Sanitize/Report.h"
#include "Sim/State/Wave.h"
#include <atomic>
#include <chrono>

namespace tegula::sim {

/// Everything that all workgroups of a launch share; immutable while it runs, but for the findings.
struct Launch {
  const Config *config = nullptr;
  const Kernel *kernel = nullptr;
  const CodeObject *object = nullptr;
  const Program *program = nullptr;
  uintptr_t imageBase = 0; ///< guest address of image offset 0
  Dims grid, block;
  uint32_t ldsBytes = 0; ///< static + dynamic
  uintptr_t kernarg = 0, packet = 0;
  uint64_t dispatchId = 0;  ///< of the device's launches, from 0
  uintptr_t kernargEnd = 0; ///< end of the arguments; the segment is padded
  bool tracked = false;     ///< some memory is known to be undefined
  Snapshot memory;
  const std::vector<Allocation> *freed = nullptr;
  FindingSink *findings = nullptr;
  static inline const std::atomic<bool> never = false;
  const std::atomic<bool> *interrupted = &never; ///< stops the launch when it becomes true
  class Observer *observer = nullptr;            ///< if one looks on
  unsigned workgroupsPerCu = 1; ///< that the device holds at a time, in each compute unit
  std::string orderedBy;        ///< why results may depend on the order of workgroups, or empty
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// The last interval that a memory instruction hit: most instructions stay in one buffer for the
/// whole launch.
struct Interval {
  uintptr_t lo = 1, hi = 0;
  uint8_t rights = 0;
};

struct AccessCounters;
class GlobalRaces;

struct ThreadContext {
  const Launch *launch = nullptr;
  std::vector<Interval> cache;        ///< by Op::slot
  AccessCounters *counters = nullptr; ///< of programs that count
  GlobalRaces *races = nullptr;       ///< of launches that look for them
  bool atomicMemory =
      false; ///< other threads may touch the same memory: atomics use locked instructions
};

/// Checks [lo, hi) for `rights`, through the cache of `slot`.
inline bool accessible(ThreadContext &tc, unsigned slot, uintptr_t lo, uintptr_t hi,
                       uint8_t rights) {
  if (hi < lo) // around 2^64
    return false;
  Interval &i = tc.cache[slot];
  if (i.lo <= lo && hi <= i.hi && (i.rights & rights) == rights)
    return true;
  const Allocation *a = findAllocation(*tc.launch->memory, lo);
  if (!a || hi > a->hi || (a->rights & rights) != rights)
    return false;
  i = {a->lo, a->hi, a->rights};
  if (a->kind != Allocation::Kind::Code)
    return true;
  i.rights = kRead;
  for (auto [from, to] : a->writable)
    if (lo >= a->lo + from && hi <= a->lo + to)
      i = {a->lo + from, a->lo + to, a->rights};
  return (i.rights & rights) == rights;
}

/// Sanitized runs, before an instruction that takes no notice of EXEC.
void reportMasked(Wave &, const Op &);
inline void needsAllLanes(Wave &w, const Op &o) {
  if (w.exec() != ~0ull && w.sanitized) [[unlikely]]
    reportMasked(w, o);
}
/// Reports an access that may not be made: `what` ("a read of 4 bytes") at `address`.
void reportAccess(Wave &, const Op &, const std::string &what, uint64_t lanes, uint64_t address,
                  size_t bytes);
/// Reports an atomic in memory that is not naturally aligned.
void reportMisaligned(Wave &, const Op &, uint64_t lanes, uint64_t address, size_t bytes);
/// Adds the ops from Wave::blockStart up to and including `last` to the wave's counters.
void accountBlock(Wave &, const Op *last);
/// Ends the launch: the wave stops with a finding. Returns nullptr for `return fail(…)` in
/// handlers.
const Op *fail(Wave &, const Op &, FindingKind, const std::string &detail, uint64_t address = 0);
/// A wave of the launch, which may have ended.
struct Actor {
  const Launch *launch;
  uint64_t index;
  Dims workgroup;
  uint32_t wave;
};
/// The place of a workgroup in the grid.
inline Dims dimsOf(const Launch &l, uint64_t index) {
  return {uint32_t(index % l.grid.x), uint32_t(index / l.grid.x % l.grid.y),
          uint32_t(index / l.grid.x / l.grid.y)};
}
/// Records a finding; the wave goes on. `address` and `lanes` as in Finding. `earlier`: the other
/// access, `other`: who made it if not the same wave.
void report(Wave &, const Op &, FindingKind, Severity, uint64_t lanes, uint64_t address,
            const std::string &detail, const Op *earlier = nullptr, const Actor *other = nullptr);
void reportAs(const Actor &, const Op &, FindingKind, Severity, uint64_t lanes, uint64_t address,
              const std::string &detail, const Op *earlier, const Actor *other);

} // namespace tegula::sim
