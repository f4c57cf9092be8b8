// State of one lowering run, shared by its parts.
#pragma once

#include "Sim/Exec/Handlers.h"
#include "Sim/Exec/Lower.h"
#include <map>

namespace tegula::sim {

class Lowering {
public:
  Lowering(const LowerOptions &options, Program &program) : options(options), program(program) {}

  /// Appends the ops of one instruction.
  void lowerInstruction(const Instruction &);
  void emit(uint32_t pc, const Op &, const Uses &);
  /// Distances in dwords → distances in ops, once all ops exist.
  void resolveBranches();
  /// An op that reports why it is not executed.
  Op refusing(Refusal);

private:
  // Each returns false after setting `refusal`.
  bool lowerByShape(const Instruction &, const Entry &, Op &);
  bool lowerVector(const Instruction &, const Entry &, Op &);
  bool lowerLane(const Instruction &, Op &);
  bool lowerScalar(const Instruction &, Op &);
  bool lowerSmem(const Instruction &, Op &);
  bool lowerLds(const Instruction &, Op &);
  bool lowerVmem(const Instruction &, Op &);
  bool lowerMfma(const Instruction &, const Entry &, Op &);
  // Parts of lowerVector. What an op needs around the plain handler goes into the Extra.
  bool lowerDestinations(const Instruction &, Op &);
  bool lowerSources(const Instruction &, const Entry &, Op &, Extra &);
  bool lowerResult(const Instruction &, const Entry &, Op &, ResultPost &);
  bool lowerDpp(const Instruction &, Extra &);

  /// Row of a vector register tuple.
  bool registerRow(const Operand &, uint32_t &row);
  /// Row of any vector source; SGPRs go through the broadcast row and `slot`.
  bool sourceRow(const Instruction &, unsigned operand, uint32_t &row, uint16_t &slot);
  bool scalarIndex(const Instruction &, unsigned operand, Op &, uint32_t &index);
  uint32_t constantRow(uint32_t value);
  uint32_t constantRows(uint64_t value); ///< two rows
  /// The row of a role's vector register; false if the role is absent or not a vector register.
  bool roleRow(const Instruction &, Role, uint32_t &row);
  Uses usesOf(const Instruction &) const;
  void emit(const Instruction &, const Op &);
  bool refuse(const std::string &why) {
    refusal = {why, false};
    return false;
  }
  /// What no device executes either.
  bool refuseIllegal(const std::string &why) {
    refusal = {why, true};
    return false;
  }

  const LowerOptions &options;
  Program &program;
  std::map<uint64_t, uint32_t> singleConstants, pairConstants;
  Refusal refusal;
  bool needsSpecials = false; ///< the op reads VCCZ, EXECZ or SCC as data
};

/// The test that a sanitized run makes before an op.
OpCheck checkOf(const Uses &);
/// DPP source lanes of a control, and which of them exist.
bool dppLanes(unsigned control, uint8_t *lane, uint64_t &valid);

} // namespace tegula::sim
