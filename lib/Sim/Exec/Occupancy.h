// How many workgroups of a kernel a compute unit holds at a time.
#pragma once

#include "Sim/Loader/CodeObject.h"
#include "Sim/State/Config.h"

namespace tegula::sim {

/// Limited by registers, LDS (`ldsBytes`: static + dynamic) and wave slots; 0 = not even one fits.
unsigned workgroupsPerCu(const Kernel &, Arch, uint64_t workItems, uint64_t ldsBytes);

} // namespace tegula::sim
