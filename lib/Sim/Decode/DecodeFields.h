// Helpers shared by the per-encoding extractors. Private to the decoder.
#pragma once

#include "Sim/Decode/Decoder.h"
#include <cstring>
#include <utility>

namespace tegula::sim::decoding {

/// The bytes at one position; words beyond the end read as 0 and make the instruction truncated.
struct Words {
  const std::byte *text;
  size_t size;
  uint32_t operator[](unsigned i) const {
    uint32_t w = 0;
    if ((i + 1) * size_t(4) <= size)
      std::memcpy(&w, text + 4 * i, 4);
    return w;
  }
};

constexpr uint32_t bits(uint32_t w, unsigned hi, unsigned lo) {
  return (w >> lo) & ((1u << (hi - lo + 1)) - 1);
}
constexpr bool bit(uint32_t w, unsigned n) { return (w >> n) & 1; }
constexpr int32_t signExtend(uint32_t v, unsigned width) {
  return int32_t(v << (32 - width)) >> (32 - width);
}

/// Keeps the first reason: it is nearest to the cause.
inline void refuse(Instruction &i, const char *reason) {
  if (!i.refusal)
    i.refusal = reason;
}

Operand vgpr(Instruction &, unsigned index, unsigned width);
Operand sgpr(Instruction &, unsigned index, unsigned width);
/// 9-bit source code (8-bit codes are the same without VGPRs).
Operand source(Instruction &, unsigned code, unsigned width);
inline Operand immediate() { return {File::Imm, 1, 0}; }

/// Sets row and numOperands; false when the opcode is unknown on this arch.
bool setRow(Instruction &, Arch, Encoding, unsigned opcode);
void takeLiteral(Instruction &, uint32_t word);

// Extractors by family.
void decodeVop(Instruction &, Arch, Words);
void decodeVop3(Instruction &, Arch, Words);
void decodeVop3p(Instruction &, Arch, Words);
void decodeSmem(Instruction &, Arch, Words);
void decodeDs(Instruction &, Arch, Words);
void decodeFlat(Instruction &, Arch, Words);
void decodeMubuf(Instruction &, Arch, Words);
void decodeMtbuf(Instruction &, Arch, Words);

} // namespace tegula::sim::decoding
