// Family by prefix, the scalar families, and the helpers that resolve operand codes.
#include "DecodeFields.h"

namespace tegula::sim {
namespace decoding {

bool setRow(Instruction &i, Arch arch, Encoding encoding, unsigned opcode) {
  i.row = findRow(arch, encoding, opcode);
  if (!i.row) {
    refuse(i, "unknown opcode");
    return false;
  }
  i.numOperands = i.row->numOperands;
  return true;
}

void takeLiteral(Instruction &i, uint32_t word) {
  i.hasLiteral = true;
  i.literal = word;
}

Operand vgpr(Instruction &i, unsigned index, unsigned width) {
  if (width > 1 && index % 2 && !(i.row->flags & kOddTuple))
    refuse(i, "a tuple of vector registers must start at an even register");
  if (index + width > 256)
    refuse(i, "a tuple of vector registers runs past v255");
  return {File::V, uint8_t(width), uint16_t(index)};
}

Operand sgpr(Instruction &i, unsigned index, unsigned width) {
  if (index > 127) { // a constant's code where a register is meant
    refuse(i, "the operand must be a scalar register");
    return {File::Inline, uint8_t(width), uint16_t(index)};
  }
  unsigned align = width >= 4 ? 4 : width >= 2 ? 2 : 1;
  // Trap temporaries start at 108, a multiple of 4, so one rule serves both ranges.
  if (index % align)
    refuse(i, "a tuple of scalar registers is not aligned");
  bool general = index <= 101, trap = index >= 108 && index <= 123;
  if (width > 2 && !(general && index + width <= 102) && !(trap && index + width <= 124))
    refuse(i, "a tuple of scalar registers runs past the last one");
  if (index == 125 || (index == 124 && width > 1)) // 124 is M0, which has no partner
    refuse(i, "reserved scalar register");
  return {File::S, uint8_t(width), uint16_t(index)};
}

Operand source(Instruction &i, unsigned code, unsigned width) {
  if (code >= 256)
    return vgpr(i, code - 256, width);
  if (code < 128)
    return sgpr(i, code, width);
  if (code == 255)
    return {File::Literal, uint8_t(width), 255};
  bool special = (code >= 235 && code <= 238) || (code >= 251 && code <= 253);
  if (!isInlineConstant(code) && !special)
    refuse(i, "reserved source operand code");
  return {File::Inline, uint8_t(width), uint16_t(code)};
}

namespace {

Encoding scalarEncoding(uint32_t w) {
  switch (w >> 23) {
  case 0x17d:
    return Encoding::SOP1;
  case 0x17e:
    return Encoding::SOPC;
  case 0x17f:
    return Encoding::SOPP;
  default:
    return w >> 28 == 0xb ? Encoding::SOPK : Encoding::SOP2;
  }
}

struct ScalarFields {
  unsigned opcode, sdst = 0, ssrc0 = 0, ssrc1 = 0;
};

ScalarFields scalarFields(Encoding e, uint32_t w) {
  switch (e) {
  case Encoding::SOP2:
    return {bits(w, 29, 23), bits(w, 22, 16), bits(w, 7, 0), bits(w, 15, 8)};
  case Encoding::SOPK:
    return {bits(w, 27, 23), bits(w, 22, 16), bits(w, 22, 16), 0};
  case Encoding::SOP1:
    return {bits(w, 15, 8), bits(w, 22, 16), bits(w, 7, 0), 0};
  case Encoding::SOPC:
    return {bits(w, 22, 16), 0, bits(w, 7, 0), bits(w, 15, 8)};
  default:
    return {bits(w, 22, 16), 0, 0, 0};
  }
}

void decodeScalar(Instruction &i, Arch arch, Words w) {
  Encoding e = scalarEncoding(w[0]);
  ScalarFields f = scalarFields(e, w[0]);
  if (!setRow(i, arch, e, f.opcode))
    return;
  bool shortImmediate = e == Encoding::SOPK || e == Encoding::SOPP;
  i.imm = shortImmediate ? signExtend(bits(w[0], 15, 0), 16) : int32_t(f.ssrc1);
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    switch (spec.role) {
    case Role::d:
      i.operands[n] = sgpr(i, f.sdst, spec.width);
      break;
    case Role::a:
      i.operands[n] =
          spec.kind == Kind::S ? sgpr(i, f.ssrc0, spec.width) : source(i, f.ssrc0, spec.width);
      break;
    case Role::b:
      i.operands[n] = source(i, f.ssrc1, spec.width);
      break;
    default: // imm, and the literal of s_setreg_imm32
      i.operands[n] = spec.role == Role::k ? Operand{File::Literal, 1, 255} : immediate();
    }
    if (i.operands[n].file == File::Literal && !i.hasLiteral) {
      takeLiteral(i, w[1]);
      i.size = 8;
    }
  }
  if (e == Encoding::SOPP && !i.numOperands && i.imm)
    refuse(i, "reserved bits are set");
  // Fields without an operand (sdst of s_setpc, ssrc0 of s_getpc) must be zero.
  if ((e == Encoding::SOP1 || e == Encoding::SOP2) && f.sdst && !i.get(Role::d))
    refuse(i, "reserved bits are set");
  if (e == Encoding::SOP1 && f.ssrc0 && !i.get(Role::a))
    refuse(i, "reserved bits are set");
}

using Extractor = void (*)(Instruction &, Arch, Words);

Extractor familyOf(uint32_t w) {
  if (w >> 31 == 0)
    return decodeVop;
  if (w >> 30 == 2)
    return decodeScalar;
  if (w >> 23 == 0x1a7) // before VOP3, whose prefix it shares
    return decodeVop3p;
  switch (w >> 26) {
  case 0x30:
    return decodeSmem;
  case 0x34:
    return decodeVop3;
  case 0x36:
    return decodeDs;
  case 0x37:
    return decodeFlat;
  case 0x38:
    return decodeMubuf;
  case 0x3a:
    return decodeMtbuf;
  default:
    return nullptr;
  }
}

Instruction unknown(uint32_t word, size_t offset, const char *reason) {
  Instruction i;
  i.pc = uint32_t(offset);
  i.refusal = reason;
  i.literal = word;
  return i;
}

} // namespace
} // namespace decoding

Instruction decode(Arch arch, const std::byte *text, size_t size, size_t offset) {
  using namespace decoding;
  if (offset >= size || size - offset < 4)
    return unknown(0, offset, "truncated instruction");
  Words words{text + offset, size - offset};
  Extractor extract = familyOf(words[0]);
  if (!extract)
    return unknown(words[0], offset, "unknown encoding");
  Instruction i;
  i.pc = uint32_t(offset);
  extract(i, arch, words);
  if (!i.row)
    return unknown(words[0], offset, i.refusal);
  if (i.size > size - offset)
    return unknown(words[0], offset, "truncated instruction");
  return i;
}

} // namespace tegula::sim
