// Runs a wave op by op where its MODE asks for what the fast loop doesn't know: VSKIP and VGPR
// indexing.
#pragma once

#include "Sim/Exec/Context.h"

namespace tegula::sim {

struct Instruction;

constexpr uint32_t kModeGprIndex = 1u << 27, kModeVskip = 1u << 28;
inline bool needsStepper(const Wave &w) { return w.mode & (kModeGprIndex | kModeVskip); }

/// The operands that VGPR indexing moves by M0[7:0], as M0[15:12] has them: sources 0 to 2, result.
unsigned indexedOperands(const Wave &, const Instruction &);

/// After an instruction that changed MODE: stays in the loop that runs, or leaves it for the
/// other.
const Op *modeChanged(Wave &, const Op &);

class Observer;
/// Runs the wave op by op until it gives up the thread, with `observer` looking on.
void runObserved(Wave &, Observer &observer);

/// Runs from `op` while MODE needs it. Returns the op to go on with in the fast loop, or nullptr:
/// the wave has stopped.
const Op *runStepped(Wave &, const Op *op);

} // namespace tegula::sim
