// VOP1, VOP2, VOPC with their SDWA and DPP forms; VOP3; VOP3P with the matrix instructions and
// their scaled pair.
#include "DecodeFields.h"

namespace tegula::sim::decoding {

namespace {

constexpr unsigned kSdwaCode = 249, kDppCode = 250, kLiteralCode = 255;
constexpr unsigned kVcc = 106, kM0 = 124;

/// At most one scalar value may feed a VALU operation (a pair counts once; a literal counts).
void checkScalarSources(Instruction &i) {
  int used = -1;
  auto use = [&](int what) {
    if (used >= 0 && used != what)
      refuse(i, "more than one scalar source in a vector instruction");
    used = what;
  };
  bool writelane = i.row->sem == Sem::v_writelane_b32;
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const Operand &o = i.operands[n];
    Role role = i.row->operands[n].role;
    if (role == Role::d || role == Role::d2)
      continue;
    if (o.file == File::S && !(writelane && o.index == kM0))
      use(o.index & (o.width == 2 ? ~1 : ~0));
    else if (o.file == File::Literal)
      use(256);
    else if (o.file == File::Inline && !isInlineConstant(o.index))
      use(o.index);
  }
  if (i.row->has(kReadsVcc) && !i.get(Role::mask))
    use(kVcc);
}

/// Kinds that exclude part of the source codes.
void checkKind(Instruction &i, const OperandSpec &spec, const Operand &o) {
  if (spec.kind == Kind::V && o.file != File::V)
    refuse(i, "the operand must be a vector register");
  if (spec.kind == Kind::SrcS && o.file == File::V)
    refuse(i, "the operand must be scalar");
  if (spec.kind == Kind::SrcS && o.file == File::Inline && !isInlineConstant(o.index))
    refuse(i, "the operand must be a scalar register or a constant");
}

struct VopFields {
  unsigned opcode, vdst, src0, vsrc1;
};

void applySdwa(Instruction &i, uint32_t word, VopFields &f, bool compare) {
  i.form = Form::Sdwa;
  i.size = 8;
  f.src0 = bits(word, 7, 0) | (bit(word, 23) ? 0 : 256);
  f.vsrc1 |= bit(word, 31) ? 0 : 256;
  if (!i.row->has(kSdwa))
    refuse(i, "the instruction has no SDWA form");
  i.clamp = bit(word, 13);
  if (!compare) {
    i.dstSel = uint8_t(bits(word, 10, 8));
    i.dstUnused = uint8_t(bits(word, 12, 11));
    i.omod = uint8_t(bits(word, 15, 14));
  } else {
    i.clamp = false; // the bit belongs to sdst
  }
  bool fixedDst = i.row->has(kSdwaSourceOnly) && (i.dstSel != 6 || i.dstUnused);
  if ((!i.get(Role::b) && bits(word, 31, 24)) || fixedDst)
    refuse(i, "reserved bits are set");
  if (i.dstSel == 7 || i.dstUnused == 3 || bits(word, 18, 16) == 7 || bits(word, 26, 24) == 7)
    refuse(i, "reserved SDWA selection");
}

void sdwaModifiers(Operand &a, Operand *b, uint32_t word) {
  a.sel = uint8_t(bits(word, 18, 16));
  a.sext = bit(word, 19);
  a.neg = bit(word, 20);
  a.abs = bit(word, 21);
  if (!b)
    return;
  b->sel = uint8_t(bits(word, 26, 24));
  b->sext = bit(word, 27);
  b->neg = bit(word, 28);
  b->abs = bit(word, 29);
}

void applyDpp(Instruction &i, uint32_t word, VopFields &f) {
  i.form = Form::Dpp;
  i.size = 8;
  f.src0 = bits(word, 7, 0) | 256;
  i.dppCtrl = uint16_t(bits(word, 16, 8));
  i.boundCtrl = bit(word, 19);
  i.bankMask = uint8_t(bits(word, 27, 24));
  i.rowMask = uint8_t(bits(word, 31, 28));
  if (!i.row->has(kDpp))
    refuse(i, "the instruction has no DPP form");
  if (bits(word, 18, 17) || (!i.get(Role::b) && bits(word, 23, 22)))
    refuse(i, "reserved bits are set");
  unsigned c = i.dppCtrl;
  bool valid = c <= 0xff || (c >= 0x101 && c <= 0x10f) || (c >= 0x111 && c <= 0x11f) ||
               (c >= 0x121 && c <= 0x12f) || c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c ||
               (c >= 0x140 && c <= 0x143) || (c >= 0x150 && c <= 0x15f);
  if (!valid)
    refuse(i, "reserved DPP control");
}

void dppModifiers(Operand &a, Operand *b, uint32_t word) {
  a.neg = bit(word, 20);
  a.abs = bit(word, 21);
  if (!b)
    return;
  b->neg = bit(word, 22);
  b->abs = bit(word, 23);
}

Operand vopOperand(Instruction &i, const OperandSpec &spec, const VopFields &f) {
  switch (spec.role) {
  case Role::d:
    if (spec.kind == Kind::Mask)
      return sgpr(i, kVcc, 2);
    if (spec.kind == Kind::S)
      return sgpr(i, f.vdst, spec.width);
    return vgpr(i, f.vdst, spec.width);
  case Role::d2:
  case Role::mask:
    return sgpr(i, kVcc, 2);
  case Role::a:
    return source(i, f.src0, spec.width);
  case Role::b:
    return source(i, f.vsrc1, spec.width);
  default:
    return {File::Literal, 1, uint16_t(kLiteralCode)}; // k
  }
}

bool isFloat(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 ||
         t == Type::v2f16 || t == Type::v2bf16 || t == Type::v2f32;
}

/// Floats have abs and neg, integers sign extension; 64-bit lanes can only be broadcast.
void checkModifiedOperands(Instruction &i) {
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const Operand &o = i.operands[n];
    bool fp = isFloat(i.row->operands[n].type);
    if (((o.abs || o.neg) && !fp) || (o.sext && fp))
      refuse(i, "a modifier is set that the instruction does not have");
    if (i.form == Form::Dpp && o.width == 2 && o.file == File::V && i.dppCtrl >> 4 != 0x15)
      refuse(i, "64-bit DPP can only broadcast within a row");
  }
  if (i.omod && !i.row->has(kOmod))
    refuse(i, "a modifier is set that the instruction does not have");
}

void operandModifiers(Instruction &i, uint32_t word) {
  Operand *a = const_cast<Operand *>(i.get(Role::a)), *b = const_cast<Operand *>(i.get(Role::b));
  if (!a)
    return;
  if (i.form == Form::Sdwa)
    sdwaModifiers(*a, b, word);
  else if (i.form == Form::Dpp)
    dppModifiers(*a, b, word);
}

} // namespace

void decodeVop(Instruction &i, Arch arch, Words w) {
  bool vop1 = w[0] >> 25 == 0x3f, vopc = w[0] >> 25 == 0x3e;
  VopFields f{vop1   ? bits(w[0], 16, 9)
              : vopc ? bits(w[0], 24, 17)
                     : bits(w[0], 30, 25),
              bits(w[0], 24, 17), bits(w[0], 8, 0), bits(w[0], 16, 9)};
  if (!setRow(i, arch, vop1 ? Encoding::VOP1 : vopc ? Encoding::VOPC : Encoding::VOP2, f.opcode))
    return;
  if (f.src0 == kSdwaCode)
    applySdwa(i, w[1], f, vopc);
  else if (f.src0 == kDppCode)
    applyDpp(i, w[1], f);
  if (i.form != Form::Sdwa)
    f.vsrc1 |= 256;
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    Operand &o = i.operands[n];
    o = vopOperand(i, spec, f);
    if (spec.kind == Kind::V || spec.kind == Kind::A)
      if (spec.role != Role::b || i.form != Form::Sdwa) // SDWA lets src1 be scalar
        checkKind(
            i, spec.kind == Kind::A ? OperandSpec{spec.role, Kind::V, spec.type, spec.width} : spec,
            o);
    if (spec.kind == Kind::A)
      o.file = File::A;
    if (o.file == File::Literal && i.form != Form::Plain) {
      refuse(i, "SDWA and DPP cannot take a literal"); // their word sits in its place
    } else if (o.file == File::Literal) {
      takeLiteral(i, w[1]);
      i.size = 8;
    }
  }
  if (i.form == Form::Sdwa && vopc && bit(w[1], 15))
    i.operands[0] = sgpr(i, bits(w[1], 14, 8), 2);
  operandModifiers(i, w[1]);
  checkModifiedOperands(i);
  if (!i.numOperands && bits(w[0], 24, 17) | f.src0)
    refuse(i, "reserved bits are set");
  checkScalarSources(i);
}

namespace {

struct Vop3Fields {
  unsigned vdst, sdst, src[3];
};

Operand vop3Operand(Instruction &i, const OperandSpec &spec, const Vop3Fields &f) {
  switch (spec.role) {
  case Role::d:
    return spec.kind == Kind::V ? vgpr(i, f.vdst, spec.width) : sgpr(i, f.vdst, spec.width);
  case Role::d2:
    return sgpr(i, f.sdst, 2);
  case Role::mask: { // an SGPR pair in the field of src2
    Operand o = source(i, f.src[2], 2);
    if (o.file != File::S)
      refuse(i, "the lane mask must be a scalar register pair");
    return o;
  }
  default: {
    unsigned slot = spec.role == Role::a ? 0 : spec.role == Role::b ? 1 : 2;
    Operand o = source(i, f.src[slot], spec.width);
    if (o.file == File::Literal)
      refuse(i, "VOP3 cannot take a literal");
    checkKind(i, spec, o);
    if (spec.type == Type::v2f32 && i.row->encoding == Encoding::VOP3 && o.file == File::Inline)
      refuse(i, "a constant cannot be a pair of floats");
    return o;
  }
  }
}

bool isBitop3(const Instruction &i) {
  return i.row->sem == Sem::v_bitop3_b16 || i.row->sem == Sem::v_bitop3_b32;
}
bool isPermlaneSwap(const Instruction &i) {
  return i.row->sem == Sem::v_permlane16_swap_b32 || i.row->sem == Sem::v_permlane32_swap_b32;
}

/// op_sel bits of sources that the instruction does not have.
bool unusedOpSel(const Instruction &i) {
  unsigned used =
      8 | (i.get(Role::a) ? 1 : 0) | (i.get(Role::b) ? 2 : 0) | (i.get(Role::c) ? 4 : 0);
  return i.opSel & ~used && !i.row->has(kOpSelByte);
}

/// Modifier bits of VOP3A. Bits that the row has no modifier for must be zero.
void vop3Modifiers(Instruction &i, Words w) {
  unsigned abs = bits(w[0], 10, 8), opSel = bits(w[0], 14, 11), omod = bits(w[1], 28, 27),
           neg = bits(w[1], 31, 29);
  const IsaRow &r = *i.row;
  if (i.get(Role::d2)) { // VOP3B: sdst sits in the place of abs and op_sel
    abs = 0;
    opSel = 0;
  }
  if (isBitop3(i)) { // omod, abs and neg hold the truth table
    i.bitop3 = uint8_t(omod << 6 | abs << 3 | neg);
    abs = omod = neg = 0;
  }
  if (isPermlaneSwap(i)) {
    i.fi = opSel & 1;
    i.boundCtrl = opSel & 2;
    opSel &= ~3u;
  }
  i.clamp = bit(w[0], 15);
  i.omod = uint8_t(omod);
  i.opSel = uint8_t(opSel);
  unsigned signs = 0; // bits that found an operand
  for (unsigned n = 0; n < i.numOperands; ++n) {
    Role role = i.row->operands[n].role;
    if (role != Role::a && role != Role::b && role != Role::c)
      continue;
    unsigned slot = role == Role::a ? 0 : role == Role::b ? 1 : 2;
    bool fp = isFloat(i.row->operands[n].type); // integers have neither
    i.operands[n].abs = fp && (abs >> slot & 1);
    i.operands[n].neg = fp && (neg >> slot & 1);
    signs |= unsigned(i.operands[n].abs) << slot | unsigned(i.operands[n].neg) << (slot + 3);
  }
  if ((abs | neg << 3) != signs || (abs && !r.has(kAbs)) || (neg && !r.has(kNeg)) ||
      (i.clamp && !r.has(kClamp)) || (omod && !r.has(kOmod)) || (opSel && !r.has(kOpSel)) ||
      unusedOpSel(i))
    refuse(i, "a modifier is set that the instruction does not have");
}

} // namespace

void decodeVop3(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  if (!setRow(i, arch, Encoding::VOP3, bits(w[0], 25, 16)))
    return;
  Vop3Fields f{bits(w[0], 7, 0),
               bits(w[0], 14, 8),
               {bits(w[1], 8, 0), bits(w[1], 17, 9), bits(w[1], 26, 18)}};
  bool used[3] = {false, false, false};
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    i.operands[n] = vop3Operand(i, spec, f);
    if (spec.role == Role::a || spec.role == Role::b)
      used[spec.role == Role::b] = true;
    if (spec.role == Role::c || spec.role == Role::mask)
      used[2] = true;
  }
  for (unsigned s = 0; s < 3; ++s)
    if (!used[s] && f.src[s])
      refuse(i, "reserved bits are set");
  vop3Modifiers(i, w);
  checkScalarSources(i);
}

namespace {

/// Registers of an f8f6f4 operand: 8 for bytes, 6 for 6-bit, 4 for 4-bit elements.
unsigned f8f6f4Width(Instruction &i, unsigned format) {
  if (format > 4)
    refuse(i, "reserved matrix element format");
  return format < 2 || format > 4 ? 8 : format < 4 ? 6 : 4;
}

Operand maiOperand(Instruction &i, const OperandSpec &spec, Words w) {
  bool accCd = bit(w[0], 15), accA = bit(w[1], 27), accB = bit(w[1], 28), acc = false;
  unsigned code = 0, width = spec.width;
  switch (spec.role) {
  case Role::d:
    code = bits(w[0], 7, 0) + 256;
    acc = accCd;
    break;
  case Role::a:
    code = bits(w[1], 8, 0);
    acc = accA;
    width = width ? width : f8f6f4Width(i, i.cbsz);
    break;
  case Role::b:
    code = bits(w[1], 17, 9);
    acc = accB;
    width = width ? width : f8f6f4Width(i, i.blgp);
    break;
  default: // c and index
    code = bits(w[1], 26, 18);
    acc = accCd && spec.kind == Kind::VAC;
  }
  Operand o = source(i, code, width);
  bool constant = spec.kind == Kind::VAC || spec.kind == Kind::Src;
  if (o.file == File::S && spec.kind == Kind::Src)
    return o; // v_accvgpr_write
  if (o.file == File::Inline && constant && isInlineConstant(o.index))
    return o;
  if (o.file != File::V)
    refuse(i, "the operand must be a vector or accumulation register");
  else if (spec.kind == Kind::A || (acc && (spec.kind == Kind::VA || spec.kind == Kind::VAC)))
    o.file = File::A; // the acc bits of v_accvgpr_read/write say nothing
  return o;
}

void decodeMai(Instruction &i, Words w) {
  i.cbsz = uint8_t(bits(w[0], 10, 8));
  i.abid = uint8_t(bits(w[0], 14, 11));
  i.blgp = uint8_t(bits(w[1], 31, 29));
  if (!i.row->has(kMfmaBits)) // accvgpr moves: bit 14 is op_sel_hi[2], which LLVM sets by default
    i.abid &= 7;
  bool formats = !i.row->operands[1].width, sparse = i.get(Role::index); // f8f6f4; smfmac
  if ((!i.row->has(kMfmaBits) && (i.cbsz || i.abid || i.blgp)) || (sparse && i.blgp) ||
      (formats && i.abid && i.row->encoding == Encoding::MAI))
    refuse(i, "reserved bits are set");
  for (unsigned n = 0; n < i.numOperands; ++n)
    if (i.row->operands[n].role != Role::scaleA && i.row->operands[n].role != Role::scaleB)
      i.operands[n] = maiOperand(i, i.row->operands[n], w);
}

Operand scaleOperand(Instruction &i, unsigned code) {
  Operand o = source(i, code, 1);
  if (o.file != File::V)
    refuse(i, "a scale must be a vector register");
  return o;
}

/// Two 8-byte halves: scales first, then the ordinary matrix word with abid bit 0 set.
void decodeScaled(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  if (bits(w[2], 31, 23) != 0x1a7 || !setRow(i, arch, Encoding::MAIX2, bits(w[2], 22, 16)))
    return refuse(i, "matrix scales without a matrix instruction");
  i.size = 16;
  decodeMai(i, Words{w.text + 8, w.size >= 8 ? w.size - 8 : 0});
  if (i.abid != 1)
    refuse(i, "matrix scales before an unscaled matrix instruction");
  i.opSel = uint8_t(bits(w[0], 13, 11));
  i.opSelHi = uint8_t(bits(w[1], 28, 27) | bits(w[0], 14, 14) << 2);
  for (unsigned n = 0; n < i.numOperands; ++n) {
    if (i.row->operands[n].role == Role::scaleA)
      i.operands[n] = scaleOperand(i, bits(w[1], 8, 0));
    if (i.row->operands[n].role == Role::scaleB)
      i.operands[n] = scaleOperand(i, bits(w[1], 17, 9));
  }
}

void decodePacked(Instruction &i, Words w) {
  unsigned negHi = bits(w[0], 10, 8), neg = bits(w[1], 31, 29);
  i.clamp = bit(w[0], 15);
  i.opSel = uint8_t(bits(w[0], 13, 11));
  i.opSelHi = uint8_t(bits(w[1], 28, 27) | bits(w[0], 14, 14) << 2);
  const IsaRow &r = *i.row;
  bool mixed = r.has(kAbs); // fma_mix: neg_hi is abs
  Vop3Fields f{bits(w[0], 7, 0), 0, {bits(w[1], 8, 0), bits(w[1], 17, 9), bits(w[1], 26, 18)}};
  for (unsigned n = 0; n < i.numOperands; ++n) {
    Operand &o = i.operands[n];
    o = vop3Operand(i, r.operands[n], f);
    Role role = r.operands[n].role;
    if (role == Role::d)
      continue;
    unsigned slot = role == Role::a ? 0 : role == Role::b ? 1 : 2;
    o.neg = neg >> slot & 1;
    (mixed ? o.abs : o.negHi) = negHi >> slot & 1;
    // A constant has no high dword to select. (v_pk_mov_b32 looks only at op_sel.)
    unsigned selected = r.sem == Sem::v_pk_mov_b32 ? i.opSel : i.opSel | i.opSelHi;
    if (r.operands[n].type == Type::v2f32 && o.file == File::Inline && (selected >> slot & 1))
      refuse(i, "a constant cannot be a pair of floats");
  }
  unsigned halves = r.has(kOpSel) ? (i.get(Role::c) ? 7 : 3) : 0, sources = i.get(Role::c) ? 7 : 3;
  if ((!i.get(Role::c) && f.src[2]) || (i.opSel & ~halves) || ((neg | negHi) & ~sources))
    refuse(i, "reserved bits are set");
  if ((i.clamp && !r.has(kClamp)) || ((neg || negHi) && !r.has(kNegLoHi) && !mixed))
    refuse(i, "a modifier is set that the instruction does not have");
  checkScalarSources(i);
}

} // namespace

void decodeVop3p(Instruction &i, Arch arch, Words w) {
  constexpr unsigned kScalePrefix = 0x2c;
  unsigned opcode = bits(w[0], 22, 16);
  if (opcode == kScalePrefix && findRow(arch, Encoding::MAIX2, 0x2d))
    return decodeScaled(i, arch, w);
  i.size = 8;
  if (findRow(arch, Encoding::VOP3P, opcode)) {
    setRow(i, arch, Encoding::VOP3P, opcode);
    decodePacked(i, w);
  } else if (setRow(i, arch, Encoding::MAI, opcode)) {
    decodeMai(i, w);
  }
}

} // namespace tegula::sim::decoding
