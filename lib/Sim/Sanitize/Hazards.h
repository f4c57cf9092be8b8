// Software wait states: distances that the hardware leaves to the program (hazards.tbl). Most are
// decided once, at lowering: within straight-line code the instructions before one are always the
// same. Only the first instructions after a taken branch look at what really ran before.
#pragma once

#include "Sim/State/Wave.h"
#include <string_view>

namespace tegula::sim {

/// Passes (of 4 cycles) that a matrix instruction takes; cbsz and blgp tell the formats of f8f6f4.
unsigned matrixPasses(Arch, std::string_view mnemonic, unsigned cbsz, unsigned blgp);

/// Fills in OpCheck::flags and reach.
void analyseWaitStates(Program &);

/// The last straight-line stretches that a wave ran, newest last.
struct Trail {
  static constexpr unsigned kKept = 32; ///< each holds at least one instruction; 20 states at most
  struct Block {
    uint32_t first, last; ///< ops, both included
  };
  Block block[kKept];
  /// An op that broke no rule in a stretch from `start` on, behind this one: a loop asks once.
  struct Clean {
    uint32_t op = ~0u, start = 0;
    Block before{};
  };
  static constexpr unsigned kCleanOps = 64;
  Clean clean[kCleanOps];
  unsigned count = 0;
  unsigned reach = 0; ///< wait states of the current stretch that must look back across its start
  void clear() {
    count = reach = 0;
    for (Clean &c : clean)
      c.op = ~0u;
  }
};

/// A wave leaves a stretch: `last` was its last op.
void leaveBlock(Wave &, const Op *last);
/// Reports what `o` uses too early.
void checkWaitStates(Wave &, const Op &o);

} // namespace tegula::sim
