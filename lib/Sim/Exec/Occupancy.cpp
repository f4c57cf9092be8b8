#include "Sim/Exec/Occupancy.h"
#include "Sim/State/Op.h"
#include <algorithm>

namespace tegula::sim {

unsigned workgroupsPerCu(const Kernel &kernel, Arch arch, uint64_t workItems, uint64_t ldsBytes) {
  DeviceLimits limits = limitsOf(arch);
  auto rounded = [](uint64_t n, uint64_t granule) { return (n + granule - 1) / granule * granule; };
  uint64_t waves = std::max<uint64_t>(1, (workItems + kLanes - 1) / kLanes);
  uint64_t rows = std::max<uint64_t>(kRowGranule, rounded(kernel.vgprs, kRowGranule));
  uint64_t byRows = std::min<uint64_t>(kWavesPerSimd, kRowsPerSimd / rows) * kSimdsPerCu / waves;
  uint64_t lds = rounded(ldsBytes, limits.ldsGranule);
  return unsigned(lds ? std::min(byRows, limits.ldsBytes / lds) : byRows);
}

} // namespace tegula::sim
