// Instruction → text. The operand list of the row gives the order; families add their modifiers
// behind it.
#include "Sim/Decode/Print.h"
#include "PrintParts.h"
#include <cstdio>

namespace tegula::sim {

using namespace printing;

namespace {

std::string range(const char *prefix, unsigned first, unsigned width) {
  if (width == 1)
    return prefix + number(first);
  return std::string(prefix) + "[" + number(first) + ":" + number(first + width - 1) + "]";
}

/// Scalar registers by hardware number; pairs of special registers have names without _lo/_hi.
std::string scalarRegister(unsigned index, unsigned width) {
  constexpr unsigned kTrapFirst = 108, kTrapLast = 123;
  if (index < 102)
    return range("s", index, width);
  if (index >= kTrapFirst && index <= kTrapLast)
    return range("ttmp", index - kTrapFirst, width);
  if (index == 124)
    return "m0";
  if (index == 125)
    return "null";
  const char *name = index < 104   ? "flat_scratch"
                     : index < 106 ? "xnack_mask"
                     : index < 108 ? "vcc"
                                   : "exec";
  return width == 1 ? std::string(name) + (index & 1 ? "_hi" : "_lo") : name;
}

bool is16BitInteger(Type t) { return t == Type::b16 || t == Type::i16 || t == Type::u16; }
bool is64Bit(Type t) {
  return t == Type::b64 || t == Type::i64 || t == Type::u64 || t == Type::f64;
}

std::string sourceCode(unsigned code, Type type) {
  constexpr const char *kFloats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  if (code >= 128 && code <= 192)
    return number(int(code) - 128);
  if (code >= 193 && code <= 208)
    return number(192 - int(code));
  if (code >= 240 && code <= 248 &&
      is16BitInteger(type)) // an integer operand shows the bits it gets
    return hex(inlineConstant(code, type));
  if (code >= 240 && code <= 247)
    return kFloats[code - 240];
  switch (code) {
  case 235:
    return "src_shared_base";
  case 236:
    return "src_shared_limit";
  case 237:
    return "src_private_base";
  case 238:
    return "src_private_limit";
  case 239:
    return "src_pops_exiting_wave_id";
  case 248:
    return is64Bit(type) ? "0.15915494309189532" : "0.15915494";
  case 251:
    return "src_vccz";
  case 252:
    return "src_execz";
  case 253:
    return "src_scc";
  case 254:
    return "src_lds_direct";
  default:
    return "<reserved " + number(code) + ">";
  }
}

/// The source code of the inline constant with this value, or 0.
unsigned inlineCode(uint64_t value, Type type) {
  for (unsigned code = 128; code <= 248; ++code)
    if (isInlineConstant(code) && inlineConstant(code, type) == value)
      return code;
  return 0;
}

/// lit(…) tells a literal apart from the inline constant of the same value.
std::string literalText(const Instruction &i, const OperandSpec &spec) {
  bool narrow = (is16BitInteger(spec.type) || spec.type == Type::f16) && spec.role != Role::k;
  Type type =
      spec.type == Type::i64 ? Type::b64 : spec.type; // LLVM shows it without its sign extension
  unsigned code = inlineCode(literalValue(i.literal, type), type);
  if (code >= 240 && is16BitInteger(type)) // no float is inline for a 16-bit integer
    code = 0;
  if (code && (i.row->sem == Sem::s_setreg_imm32_b32 || type == Type::f64))
    return sourceCode(code, type);
  if (code && spec.role != Role::k)
    return "lit(" + hex(i.literal) + ")";
  return hex(narrow ? i.literal & 0xffff : i.literal);
}

std::string plainOperand(const Instruction &i, unsigned n) {
  const Operand &o = i.operands[n];
  const OperandSpec &spec = i.row->operands[n];
  switch (o.file) {
  case File::V:
    return range("v", o.index, o.width);
  case File::A:
    return range("a", o.index, o.width);
  case File::S:
    return scalarRegister(o.index, o.width);
  case File::Inline: {
    // The exponent and the mask of classes are integers, but LLVM shows their constants as halves.
    Sem sem = i.row->sem;
    bool exponent = sem == Sem::v_ldexp_f16;
    bool classes = sem == Sem::v_cmp_class_f16 || sem == Sem::v_cmpx_class_f16;
    bool shown = spec.role == Role::b && (exponent || classes);
    return sourceCode(o.index, shown ? Type::f16 : spec.type);
  }
  case File::Literal:
    return literalText(i, spec);
  case File::Imm:
    return scalarImmediate(i);
  case File::None:
    return "off";
  }
  return "";
}

/// Source modifiers. "neg(…)" rather than "-" before constants, since -1 is another constant.
std::string operandText(const Instruction &i, unsigned n) {
  const Operand &o = i.operands[n];
  std::string text = plainOperand(i, n);
  if (o.sext)
    return "sext(" + text + ")";
  if (i.row->encoding == Encoding::VOP3P && !i.row->has(kAbs)) // neg_lo, neg_hi behind the operands
    return text;
  if (o.abs)
    text = "|" + text + "|";
  bool constant = o.file == File::Literal || (o.file == File::Inline && isInlineConstant(o.index));
  if (o.neg)
    text = constant && !o.abs ? "neg(" + text + ")" : "-" + text;
  return text;
}

std::string mnemonic(const Instruction &i) {
  std::string name = i.row->mnemonic;
  if (i.form == Form::Sdwa)
    return name + "_sdwa";
  if (i.form == Form::Dpp)
    return name + "_dpp";
  if (i.row->has(kSuffix))
    name += i.row->encoding == Encoding::VOP3 ? "_e64" : "_e32";
  return name;
}

unsigned sourceCount(const Instruction &i) {
  unsigned count = 0;
  for (unsigned n = 0; n < i.numOperands; ++n) {
    Role role = i.row->operands[n].role;
    count += role == Role::a || role == Role::b || role == Role::c;
  }
  return count;
}

std::string clampAndOmod(const Instruction &i) {
  constexpr const char *kOmod[] = {"", " mul:2", " mul:4", " div:2"};
  return std::string(i.clamp ? " clamp" : "") + kOmod[i.omod & 3];
}

std::string vop3Modifiers(const Instruction &i) {
  std::string text;
  if (i.row->sem == Sem::v_bitop3_b16 || i.row->sem == Sem::v_bitop3_b32)
    if (i.bitop3)
      text += " bitop3:" + (i.bitop3 <= 10 ? number(i.bitop3) : hex(i.bitop3));
  unsigned sources = sourceCount(i);
  if (i.opSel && i.row->has(kOpSelByte))
    text += bitList("op_sel", i.opSel, 4);
  else if (i.opSel) // sources, then the destination as the last element
    text += bitList("op_sel", (i.opSel & ((1u << sources) - 1)) | (i.opSel >> 3) << sources,
                    sources + 1);
  if (i.boundCtrl)
    text += " bound_ctrl:1";
  if (i.fi)
    text += " fi:1";
  return text + clampAndOmod(i);
}

std::string packedModifiers(const Instruction &i) {
  unsigned count = sourceCount(i), all = (1u << count) - 1, negLo = 0, negHi = 0, slot = 0;
  for (unsigned n = 0; n < i.numOperands; ++n) {
    Role role = i.row->operands[n].role;
    if (role != Role::a && role != Role::b && role != Role::c)
      continue;
    negLo |= unsigned(i.operands[n].neg) << slot;
    negHi |= unsigned(i.operands[n].negHi) << slot++;
  }
  bool mixed = i.row->has(kAbs), halves = i.row->has(kOpSel);
  std::string text;
  if (halves && i.opSel & all)
    text += bitList("op_sel", i.opSel, count);
  if (halves && (i.opSelHi & all) != (mixed ? 0 : all)) // fma_mix: 0 = f32 is the default
    text += bitList("op_sel_hi", i.opSelHi, count);
  if (!mixed && negLo)
    text += bitList("neg_lo", negLo, count);
  if (!mixed && negHi)
    text += bitList("neg_hi", negHi, count);
  return text + (i.clamp ? " clamp" : "");
}

std::string matrixModifiers(const Instruction &i) {
  std::string text;
  if (i.row->encoding == Encoding::MAIX2) {
    if (i.opSel)
      text += bitList("op_sel", i.opSel, 3);
    text += bitList("op_sel_hi", i.opSelHi, 3);
  }
  bool f64 = i.get(Role::c) && i.row->operands[3].type == Type::f64;
  if (i.cbsz)
    text += " cbsz:" + number(i.cbsz);
  if (i.abid && i.row->encoding != Encoding::MAIX2) // the scaled pair's marker, not a field
    text += " abid:" + number(i.abid);
  if (i.blgp)
    text += f64 ? bitList("neg", i.blgp, 3) : " blgp:" + number(i.blgp);
  return text;
}

std::string cachePolicy(const Instruction &i) {
  return std::string(i.sc0 ? " sc0" : "") + (i.nt ? " nt" : "") + (i.sc1 ? " sc1" : "");
}

std::string dsModifiers(const Instruction &i) {
  std::string text;
  if (i.row->sem == Sem::ds_swizzle_b32)
    return swizzle(unsigned(i.offset));
  if (i.row->has(kTwoAddr)) {
    text += i.offset ? " offset0:" + number(i.offset) : "";
    text += i.offset1 ? " offset1:" + number(i.offset1) : "";
  } else if (i.offset) {
    text += " offset:" + number(i.offset);
  }
  return text;
}

std::string bufferModifiers(const Instruction &i) {
  std::string text = i.row->encoding == Encoding::MTBUF ? bufferFormat(i.dfmt, i.nfmt) : "";
  text += i.idxen ? " idxen" : "";
  text += i.offen ? " offen" : "";
  text += i.offset ? " offset:" + number(i.offset) : "";
  return text + cachePolicy(i) + (i.lds ? " lds" : "");
}

std::string smemModifiers(const Instruction &i) {
  std::string text;
  const Operand *soff = i.get(Role::soff);
  if (soff && soff->file != File::None && i.immOffset)
    text = " offset:" + std::string(i.offset < 0 ? "-" : "") +
           hex(uint64_t(i.offset < 0 ? -i.offset : i.offset));
  return text + (i.sc0 ? " glc" : "");
}

std::string modifiers(const Instruction &i) {
  if (i.form == Form::Sdwa)
    return clampAndOmod(i) + sdwa(i);
  if (i.form == Form::Dpp)
    return dpp(i);
  switch (i.row->encoding) {
  case Encoding::VOP3:
    return vop3Modifiers(i);
  case Encoding::VOP3P:
    return packedModifiers(i);
  case Encoding::MAI:
  case Encoding::MAIX2:
    return matrixModifiers(i);
  case Encoding::DS:
    return dsModifiers(i);
  case Encoding::SMEM:
    return smemModifiers(i);
  case Encoding::MUBUF:
  case Encoding::MUBUF_LDS:
  case Encoding::MTBUF:
    return bufferModifiers(i);
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH:
    return (i.offset ? " offset:" + number(i.offset) : "") + cachePolicy(i);
  default:
    return "";
  }
}

/// Operands that exist in the row but do not appear in the text.
bool hidden(const Instruction &i, unsigned n) {
  Role role = i.row->operands[n].role;
  if (role == Role::d && i.operands[n].file == File::None)
    return true; // an atomic that returns nothing
  return i.row->sem == Sem::s_endpgm && i.imm == 0;
}

std::string operandList(const Instruction &i) {
  std::string text;
  for (unsigned n = 0; n < i.numOperands; ++n) {
    if (hidden(i, n))
      continue;
    bool noScalarOffset = i.row->encoding == Encoding::SMEM && i.operands[n].file == File::None;
    std::string part = operandText(i, n);
    if (noScalarOffset)
      part =
          std::string(i.offset < 0 ? "-" : "") + hex(uint64_t(i.offset < 0 ? -i.offset : i.offset));
    text += (text.empty() ? " " : ", ") + part;
  }
  return text;
}

} // namespace

std::string print(const Instruction &i) {
  if (!i.row)
    return ".long " + hex(i.literal);
  return mnemonic(i) + operandList(i) + modifiers(i);
}

std::string disassemble(Arch arch, const std::byte *text, size_t size, uint64_t firstPc) {
  std::string out;
  for (size_t at = 0; at < size;) {
    Instruction i = decode(arch, text, size, at);
    char pc[24];
    std::snprintf(pc, sizeof pc, "%08llx: ", static_cast<unsigned long long>(firstPc + at));
    out += pc + print(i) + (i.refusal ? std::string("  // refused: ") + i.refusal : "") + "\n";
    at += i.size;
  }
  return out;
}

} // namespace tegula::sim
