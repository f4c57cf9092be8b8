// The link between mnemonics and code: each family of handlers exports one table, and lowering
// picks from their union.
#pragma once

#include "Sim/Decode/Isa.h"
#include "Sim/State/Op.h"
#include "Sim/State/Wave.h"
#include <vector>

namespace tegula::sim {

/// How lowering lays out the operands of an op.
enum class Shape : uint8_t {
  Vector, ///< d, a, b, c rows; x = mask out | mask in << 16 (scalar indices)
  Lane,   ///< as Vector, but scalar operands stay scalar indices (readlane, writelane)
  Scalar, ///< d, a, b scalar indices; x = literal or immediate, c = its high dword
  Smem,
  Lds,
  Vmem,
  Mfma,
  Branch,  ///< x = distance in ops
  Program, ///< x = immediate
};

/// What abs, neg, clamp and op_sel mean for the sources and the result of a vector op.
enum class Elem : uint8_t {
  None, ///< integers: no float modifiers; op_sel picks halves when the operands are 16-bit
  F32,
  F64,
  F16,   ///< one half, by op_sel
  Pk16,  ///< two halves: op_sel / op_sel_hi
  Pk16F, ///< the same with float negation
  Pk32,  ///< two dwords: op_sel / op_sel_hi
  Mix,   ///< fma_mix: each source f32 or a half
  Raw,   ///< the handler looks at the modifiers itself (in Op::aux = opSel | bitop3 << 8)
};

/// Ones that the compiler cannot fold (Lanes-inl.h: canonical()).
extern const float kOneF32;
extern const double kOneF64;

struct Entry {
  Sem sem;
  Handler fn;
  Shape shape;
  Elem elem = Elem::None;
  uint16_t arg = 0;            ///< handler's own constant, copied to Op::aux
  bool keepHigh = false;       ///< a 16-bit result that leaves bits 31:16 alone
  Handler saturated = nullptr; ///< the form of an integer operation with clamp
};
using HandlerTable = std::vector<Entry>;

const HandlerTable &tableValuF32();
const HandlerTable &tableValuF64();
const HandlerTable &tableValu16();
const HandlerTable &tableValuInt();
const HandlerTable &tableCompare();
const HandlerTable &tableConvert();
const HandlerTable &tableConvertScale();
const HandlerTable &tablePacked();
const HandlerTable &tableCrossLane();
const HandlerTable &tableMfma();
const HandlerTable &tableMfmaSparse();
// Those of Numerics::Cdna3Fused that differ; they replace the others.
const HandlerTable &tableMfmaFused();
const HandlerTable &tableMfmaSparseFused();
const HandlerTable &tableSalu();
const HandlerTable &tableSaluUnary();
const HandlerTable &tableSaluCompare();
const HandlerTable &tableRegisters();
const HandlerTable &tableSmem();
const HandlerTable &tableSmemStore();
const HandlerTable &tableLds();
const HandlerTable &tableVmem();
const HandlerTable &tableVmemFormat();
const HandlerTable &tableAtomic();
const HandlerTable &tableLdsAtomic();
const HandlerTable &tableProgram();

/// The handler of a mnemonic, or nullptr: not implemented.
const Entry *findEntry(Sem, Numerics = Numerics::FmaChain);

/// Op::aux of scalar memory: dwords | flags.
constexpr uint16_t kSmemReturn = 1 << 8;

// Handlers that lowering names directly.
Handler wrapperHandler(); ///< runs Extra::inner between source preparation and result merging
void runWrapped(Wave &, const Extra &); ///< what the wrapper does
Handler materialiseHandler(); ///< VCCZ, EXECZ, SCC → scalar storage, before an op that reads them
Handler refuseHandler();      ///< x = index into Program::refusals

} // namespace tegula::sim
