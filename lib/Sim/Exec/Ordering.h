// What a program's text says about the order of workgroups: where its results may depend on it, and
// which loops wait for another workgroup.
#pragma once

#include "Sim/Loader/CodeObject.h"
#include "Sim/State/Program.h"

namespace tegula::sim {

/// Fills Program::orderSites, polling, polls, compared, flags, jumps and ldsWaits.
void findOrder(Program &);

/// Why results of this kernel may depend on the order of its workgroups ("global_atomic_add_f32 at
/// 0x120"); empty if they don't. A kernel that calls or jumps through a register may reach all of
/// the text.
std::string orderDependence(const Program &, const CodeObject &, const Kernel &);

} // namespace tegula::sim
