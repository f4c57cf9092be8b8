// One dispatch: launch state of waves, workgroups on threads, waves between barriers.
#pragma once

#include "Sim/Counters/Counters.h"
#include "Sim/Exec/HostThreads.h"

namespace tegula::sim {

/// Runs every workgroup. Returns false if the launch was stopped by a fault (which is among the
/// findings). `counters` stay empty unless the program counts.
bool runLaunch(const Launch &, HostThreads &, Stats &, AccessCounters &counters);

/// Kernarg segment with hidden arguments filled in, and the dispatch packet behind it.
struct KernargImage {
  std::vector<std::byte> bytes;
  size_t argumentBytes = 0, packetOffset = 0;
};
KernargImage buildKernarg(const Launch &, const void *explicitArgs, size_t size);
/// Pointers inside the image are known once it has an address.
void finishKernarg(const Launch &, std::byte *image, size_t packetOffset);

/// Brings a wave to its entry: SGPRs, v0, EXEC, MODE, PC. `slot` = wave number in its workgroup.
void startWave(Wave &, const Launch &, Workgroup &, unsigned slot);
/// Runs until the wave gives up the thread (Wave::stop says why).
void runWave(Wave &, int64_t budget);

} // namespace tegula::sim
