// How undefined bits of an instruction's sources reach its result.
#pragma once

#include "Sim/Decode/Decoder.h"
#include "Sim/State/Uses.h"

namespace tegula::sim {

enum class ShadowRule : uint8_t {
  Whole,    ///< any undefined bit of an element makes the result's element undefined
  Smear,    ///< integer sums and products: from the lowest undefined bit upwards
  Bitwise,  ///< arg = truth table of {s0, s1, s2}: defined where the defined bits decide
  Run,      ///< the instruction moves bits: it runs on the shadows
  RunData,  ///< the same, but the sources in arg (bit 0 = a…) control it and must be defined
  ShiftSum, ///< v_lshl_add, v_add_lshl: Smear with one source shifted; arg = which way
  Select,   ///< v_cndmask: by the mask
  Compare,  ///< arg = a Comparison; the result is a lane mask
  ReadLane,
  ReadFirst,
  WriteLane,
  Matrix,
  Scalar, ///< scalar instruction: by mnemonic
  None,   ///< no result, or one that memory provides
};
enum Comparison : uint8_t { kAnyBit, kSigned, kUnsigned, kEqual };

struct ShadowPlan {
  ShadowRule rule = ShadowRule::None;
  uint8_t arg = 0;
};
ShadowPlan shadowPlan(const Instruction &);

} // namespace tegula::sim
