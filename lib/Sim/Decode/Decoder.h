// Bytes → Instruction. Every field is resolved (registers by file and number, A apart from V), so
// that neither the printer nor the lowering looks at encodings again.
#pragma once

#include "Sim/Decode/Isa.h"
#include <cstddef>
#include <string>

namespace tegula::sim {

/// Where an operand's value lives.
enum class File : uint8_t {
  None, ///< absent (saddr "off", vaddr not used)
  V,
  A,       ///< vector register `index`, `width` of them
  S,       ///< scalar register by hardware number 0…127 (106 VCC, 124 M0, 126 EXEC)
  Inline,  ///< source code `index` 128…254: constants and special reads (235–238 apertures, 251
           ///< VCCZ, 252 EXECZ, 253 SCC)
  Literal, ///< Instruction::literal
  Imm,     ///< Instruction::imm
};

struct Operand {
  File file = File::None;
  uint8_t width = 1; ///< dwords
  uint16_t index = 0;
  bool abs = false, neg = false;
  bool negHi = false; ///< VOP3P: `neg` is neg_lo
  bool sext = false;  ///< SDWA
  uint8_t sel = 6;    ///< SDWA select: 0–3 byte, 4–5 word, 6 dword
};

enum class Form : uint8_t { Plain, Sdwa, Dpp };

struct Instruction {
  const IsaRow *row = nullptr; ///< nullptr: unknown opcode, see `refusal`
  const char *refusal =
      nullptr;      ///< why it must not execute; static text. Text and size are still valid.
  uint32_t pc = 0;  ///< byte offset in .text
  uint8_t size = 4; ///< bytes: 4, 8, 12 or 16
  Form form = Form::Plain;
  uint8_t numOperands = 0;
  Operand operands[kMaxOperands]; ///< parallel to row->operands

  bool hasLiteral = false;
  uint32_t literal = 0;
  int32_t imm =
      0; ///< SOPK/SOPP simm16 (sign-extended), branch distance in dwords, s_waitcnt's raw 16 bits
  int32_t offset = 0;  ///< memory offset in bytes, signed where the encoding is (DS: 16 bits;
                       ///< two-address DS: offset0)
  uint8_t offset1 = 0; ///< two-address DS

  bool clamp = false;
  uint8_t omod = 0;    ///< 0, 1 = ×2, 2 = ×4, 3 = ÷2
  uint8_t opSel = 0;   ///< bit i = source i; bit 3 = destination
  uint8_t opSelHi = 0; ///< bit i = source i
  uint8_t bitop3 = 0;  ///< truth table of v_bitop3

  uint16_t dppCtrl = 0; ///< 9 bits
  uint8_t rowMask = 15, bankMask = 15;
  bool boundCtrl = false; ///< for permlane swaps too; `fi` is theirs only
  bool fi = false;
  uint8_t dstSel = 6, dstUnused = 0; ///< SDWA

  uint8_t cbsz = 0, abid = 0, blgp = 0; ///< MAI

  bool sc0 = false, sc1 = false, nt = false; ///< SMEM's glc is sc0
  bool lds = false, idxen = false, offen = false;
  bool immOffset = false; ///< SMEM: `offset` is present
  uint8_t dfmt = 0, nfmt = 0;

  /// The operand of a role, or nullptr.
  const Operand *get(Role role) const {
    for (unsigned i = 0; i < numOperands; ++i)
      if (row->operands[i].role == role)
        return &operands[i];
    return nullptr;
  }
  bool ok() const { return row && !refusal; }
};

/// Decodes the instruction at `offset` of a code section. Never reads past `size`; a truncated or
/// unknown word gives a 4-byte Instruction with `refusal` set, so a caller can always advance by
/// `Instruction::size`.
Instruction decode(Arch, const std::byte *text, size_t size, size_t offset);

/// Value of an inline constant (source code 128…248) for an operand type: 64-bit types fill both
/// dwords, 16-bit ones the low half. Special reads (apertures, VCCZ…) are not constants and give 0.
uint64_t inlineConstant(unsigned code, Type);
/// Value of a literal for an operand type (f64: literal is the high dword; i64 sign-extends,
/// u64/b64 zero-extend).
uint64_t literalValue(uint32_t literal, Type);
constexpr bool isInlineConstant(unsigned code) {
  return (code >= 128 && code <= 208) || (code >= 240 && code <= 248);
}

} // namespace tegula::sim
