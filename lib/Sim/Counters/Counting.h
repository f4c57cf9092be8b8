// Counting programs: each memory instruction runs a handler that counts and then calls the
// instruction's own. A program that doesn't count has none of this.
#pragma once

#include "Sim/Counters/Banks.h"
#include "Sim/Counters/Counters.h"
#include "Sim/Decode/Decoder.h"
#include "Sim/Exec/VmemAddress.h"
#include <optional>

namespace tegula::sim {

/// One memory instruction.
struct CountedAccess {
  enum class Where : uint8_t { Lds, Vector, Scalar, ScalarBuffer } where = Where::Lds;
  Space space = Space::Global; ///< Vector
  LdsUse use = LdsUse::Read;   ///< what memory sees; Read for copies to LDS
  bool toLds = false;          ///< Vector: the data goes to LDS
  bool addTid = false;         ///< Lds: the lane number is the address
  bool typed = false;          ///< Vector: an element of a format, all of it or nothing
  /// Of a lane (Scalar: of the wave) and part. Typed: of an element, 0 if the descriptor tells.
  uint8_t bytes = 4;
  uint8_t parts = 1; ///< Lds: two-address forms have 2,
  uint32_t unit = 0; ///< whose offsets are in units of so many bytes
  Handler fn = nullptr;
};

struct Counting {
  std::vector<CountedAccess> accesses;
  std::vector<uint32_t> pcs;        ///< parallel to `accesses`
  std::vector<uint32_t> accessOfOp; ///< index into `accesses`, or kNoAccess
};
constexpr uint32_t kNoAccess = ~0u;

/// What an instruction does with memory, or nothing.
std::optional<CountedAccess> describeAccess(const Instruction &);
/// Turns a lowered program into one that counts.
void addCounting(Program &);
/// The instruction's own handler, whether the program counts or not.
Handler plainHandler(const Program &, const Op &);

} // namespace tegula::sim
