// Instructions → ops: every operand is resolved to a place, every mnemonic to a handler.
#pragma once

#include "Sim/State/Config.h"
#include "Sim/State/Program.h"

namespace tegula::sim {

struct LowerOptions {
  Arch arch = Arch::gfx950;
  unsigned vgprs = 256;       ///< total rows
  unsigned accumOffset = 256; ///< first A register
  bool sanitized = false;
  bool counted = false; ///< memory accesses are counted
  Numerics numerics = Numerics::FmaChain;
  bool transcendentalError = false;
};

/// Lowers a whole .text section. What cannot be executed becomes a refusing op, an error only when
/// reached: data in .text is legal. `text` is the guest copy, whose addresses s_getpc returns.
std::shared_ptr<const Program> lower(const LowerOptions &, const std::byte *text, size_t size);

} // namespace tegula::sim
