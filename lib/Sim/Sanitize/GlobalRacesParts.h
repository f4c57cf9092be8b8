// Shared by the two sides of the check for races in global memory.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/GlobalRaces.h"
#include <algorithm>

namespace tegula::sim::races {

constexpr Touch kAllTouches[] = {Touch::Read, Touch::Write, Touch::SyncRead, Touch::SyncWrite};

constexpr bool isWrite(Touch t) { return t == Touch::Write || t == Touch::SyncWrite; }
constexpr bool isSync(Touch t) { return t == Touch::SyncRead || t == Touch::SyncWrite; }
/// Whether two unordered accesses of these kinds are a race.
constexpr bool conflicting(Touch a, Touch b) {
  return (isWrite(a) || isWrite(b)) && !(isSync(a) && isSync(b));
}

/// Those that are with `t`, as bits.
constexpr uint8_t conflictsOf(Touch t) {
  uint8_t bits = 0;
  for (Touch other : kAllTouches)
    bits |= conflicting(t, other) ? bitOf(other) : 0;
  return bits;
}

/// How many bytes at the start are the same.
inline unsigned equalBytes(const std::byte *a, const std::byte *b, unsigned bytes) {
  return unsigned(std::mismatch(a, a + bytes, b).first - a);
}

/// New numbers, in the old order, for those that `mark(keep)` calls keep(number) for, and for who
/// stands beside them. 0 stays.
template <class Whos, class F> std::vector<uint32_t> renumbered(const Whos &whos, F mark) {
  std::vector<uint32_t> to(whos.size());
  mark([&](uint32_t who) {
    for (; who != kNobody && !to[who]; who = whos[who].also)
      to[who] = 1;
  });
  uint32_t next = 1;
  for (size_t i = 1; i < to.size(); ++i)
    to[i] = to[i] ? next++ : 0;
  return to;
}

Actor actorOf(const Launch &, uint64_t workgroup, unsigned wave);
std::string groupText(const Dims &);
std::string waveText(unsigned wave);
/// "4 bytes at 0x…, 16 bytes inside device allocation #1 […), are read here and were written".
std::string describeRace(const Launch &, Touch, Touch earlier, uint64_t address, unsigned bytes);

} // namespace tegula::sim::races
