// Shared by the two sides of the check for races in global memory.
#pragma once

#include "Sim/Exec/Context.h"
#include "Sim/Sanitize/GlobalRaces.h"

namespace tegula::sim::races {

constexpr Touch kAllTouches[] = {Touch::Read, Touch::Write, Touch::SyncRead, Touch::SyncWrite};

constexpr bool isWrite(Touch t) { return t == Touch::Write || t == Touch::SyncWrite; }
constexpr bool isSync(Touch t) { return t == Touch::SyncRead || t == Touch::SyncWrite; }
/// Whether two unordered accesses of these kinds are a race.
constexpr bool conflicting(Touch a, Touch b) {
  return (isWrite(a) || isWrite(b)) && !(isSync(a) && isSync(b));
}

Actor actorOf(const Launch &, uint64_t workgroup, unsigned wave);
std::string groupText(const Dims &);
std::string waveText(unsigned wave);
/// "4 bytes at 0x…, 16 bytes inside device allocation #1 […), are read here and were written".
std::string describeRace(const Launch &, Touch, Touch earlier, uint64_t address, unsigned bytes);

} // namespace tegula::sim::races
