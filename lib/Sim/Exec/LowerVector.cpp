// Vector ALU instructions: operands to rows, and modifiers to an Extra around the plain handler.
#include "Sim/Exec/Lowering.h"

namespace tegula::sim {

bool dppLanes(unsigned control, uint8_t *lane, uint64_t &valid) {
  valid = ~0ull;
  for (unsigned i = 0; i < kLanes; ++i) {
    unsigned row = i & ~15u, in = i & 15;
    int from = int(i);
    if (control <= 0xff) { // quad_perm
      from = int((i & ~3u) + (control >> (2 * (i & 3)) & 3));
    } else if (control >= 0x101 && control <= 0x10f) { // row_shl: reads i + n
      unsigned n = control & 15;
      from = in + n > 15 ? -1 : int(i + n);
    } else if (control >= 0x111 && control <= 0x11f) { // row_shr: reads i − n
      unsigned n = control & 15;
      from = in < n ? -1 : int(i - n);
    } else if (control >= 0x121 && control <= 0x12f) { // row_ror
      from = int(row + ((in - (control & 15)) & 15));
    } else if (control == 0x130) { // wave_shl1
      from = i == 63 ? -1 : int(i + 1);
    } else if (control == 0x134) { // wave_rol1
      from = int((i + 1) & 63);
    } else if (control == 0x138) { // wave_shr1
      from = i == 0 ? -1 : int(i - 1);
    } else if (control == 0x13c) { // wave_ror1
      from = int((i - 1) & 63);
    } else if (control == 0x140) { // row_mirror
      from = int(row + 15 - in);
    } else if (control == 0x141) { // row_half_mirror
      from = int((i & ~7u) + 7 - (i & 7));
    } else if (control == 0x142) { // row_bcast15
      from = row == 0 ? -1 : int(row - 1);
    } else if (control == 0x143) { // row_bcast31
      from = i < 32 ? -1 : 31;
    } else if (control >= 0x150 && control <= 0x15f) { // row_newbcast
      from = int(row + (control & 15));
    } else {
      return false;
    }
    lane[i] = uint8_t(from < 0 ? i : unsigned(from));
    if (from < 0)
      valid &= ~(1ull << i);
  }
  return true;
}

namespace {
bool is16(Type t) {
  return t == Type::b16 || t == Type::i16 || t == Type::u16 || t == Type::f16 || t == Type::bf16;
}
bool isPacked16(Type t) {
  return t == Type::v2i16 || t == Type::v2u16 || t == Type::v2f16 || t == Type::v2bf16;
}

/// abs and neg of one source as bits to clear and to flip.
void signBits(SourcePrep &p, const Operand &o, Type type) {
  bool wide = type == Type::f64;
  uint32_t bit = is16(type) ? 0x8000u : 0x80000000u;
  (wide ? p.clearHi : p.clearLo) = o.abs ? bit : 0;
  (wide ? p.flipHi : p.flipLo) = o.neg ? bit : 0;
  if (o.abs || o.neg)
    p.kind = SourcePrep::Plain;
}

/// VOP3P picks and negates halves one by one. VOP2 and VOP3 forms (dot2c) have them in place, and
/// abs negates the high one.
void packedHalves(SourcePrep &p, const Instruction &inst, const Operand &o, bool lo, bool hi,
                  bool isFloat) {
  bool packed = inst.row->encoding == Encoding::VOP3P;
  p.lo = packed && lo;
  p.hi = !packed || hi;
  if (isFloat)
    p.flipLo = (o.neg ? 0x8000u : 0) | ((packed ? o.negHi : o.abs) ? 0x80000000u : 0);
  if (p.lo || !p.hi || p.flipLo)
    p.kind = SourcePrep::Packed16;
}

/// What source `i` needs; kind None if it can be read as it is.
SourcePrep prepOf(const Instruction &inst, Elem elem, unsigned source, const Operand &o,
                  Type type) {
  SourcePrep p;
  p.rows = uint8_t(o.width > 2 ? 1 : o.width);
  bool lo = inst.opSel >> source & 1, hi = inst.opSelHi >> source & 1;
  switch (elem) {
  case Elem::Pk16:
  case Elem::Pk16F:
    if (!isPacked16(type)) {
      if (inst.row->sem != Sem::v_dot2_f32_bf16) // its addend has no modifiers
        signBits(p, o, type);
      return p;
    }
    packedHalves(p, inst, o, lo, hi, elem == Elem::Pk16F);
    return p;
  case Elem::Pk32:
    p.lo = lo;
    p.hi = inst.row->sem == Sem::v_pk_mov_b32 ? !lo : hi; // pk_mov looks only at op_sel
    p.flipLo = o.neg ? 0x80000000u : 0;
    p.flipHi = o.negHi ? 0x80000000u : 0;
    if (p.lo || !p.hi || p.flipLo || p.flipHi)
      p.kind = SourcePrep::Packed32;
    return p;
  case Elem::Mix:
    signBits(p, o, Type::f32);
    p.lo = lo;
    p.hi = hi;
    if (hi || p.kind != SourcePrep::None)
      p.kind = SourcePrep::Mix;
    return p;
  default:
    break;
  }
  signBits(p, o, type);
  if (inst.form == Form::Sdwa && o.sel != 6) {
    p.sel = o.sel;
    p.sext = o.sext;
    p.kind = SourcePrep::Plain;
    // Sign edits apply to the selected part.
    if (o.sel >= 4 && !is16(type) && type != Type::f32)
      p.clearLo = p.clearLo ? 0x8000u : 0, p.flipLo = p.flipLo ? 0x8000u : 0;
  } else if (elem == Elem::F16 && is16(type) && lo && inst.form == Form::Plain) {
    p.sel = 5;
    p.kind = SourcePrep::Plain;
  }
  return p;
}

ResultPost::Kind clampKind(Type type) {
  switch (type) {
  case Type::f32:
    return ResultPost::F32;
  case Type::f64:
    return ResultPost::F64;
  case Type::f16:
    return ResultPost::F16;
  case Type::v2f16:
    return ResultPost::PackedF16;
  case Type::v2f32:
    return ResultPost::PackedF32;
  default:
    return ResultPost::None;
  }
}
bool isFloat(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64; }
/// Conversions from floats saturate anyway, so that clamp adds nothing.
bool convertsFloat(const Instruction &inst, Type result) {
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (inst.row->operands[i].role == Role::a)
      return isFloat(inst.row->operands[i].type) && !isFloat(result);
  return false;
}
Type resultType(const Instruction &inst) {
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (inst.row->operands[i].role == Role::d)
      return inst.row->operands[i].type;
  return Type::none;
}
/// Number of a source role, or −1.
int sourceOf(Role role) {
  switch (role) {
  case Role::a:
    return 0;
  case Role::b:
    return 1;
  case Role::c:
  case Role::k:
    return 2;
  default:
    return -1;
  }
}
bool writesMask(const Instruction &inst) {
  const Operand *d = inst.get(Role::d);
  return d && d->file == File::S;
}
} // namespace

bool Lowering::lowerVector(const Instruction &inst, const Entry &entry, Op &op) {
  if (entry.elem == Elem::Raw)
    op.aux = uint16_t(inst.opSel | inst.bitop3 << 8);
  if (inst.row->sem == Sem::v_permlane16_swap_b32 || inst.row->sem == Sem::v_permlane32_swap_b32)
    op.aux = uint16_t(inst.fi | inst.boundCtrl << 1);
  Extra e;
  if (!lowerDestinations(inst, op) || !lowerSources(inst, entry, op, e) ||
      !lowerResult(inst, entry, op, e.post) || !lowerDpp(inst, e))
    return false;
  bool wrapped = e.dpp || e.post.active;
  for (const SourcePrep &p : e.source)
    wrapped |= p.kind != SourcePrep::None;
  if (!wrapped)
    return true;
  e.inner = op;
  op = Op{};
  op.fn = wrapperHandler();
  op.x = uint32_t(program.extra.size());
  program.extra.push_back(e);
  return true;
}

bool Lowering::lowerDestinations(const Instruction &inst, Op &op) {
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    switch (inst.row->operands[i].role) {
    case Role::d:
      if (o.file == File::S)
        op.x |= o.index;
      else if (!registerRow(o, op.d))
        return false;
      break;
    case Role::d2:
      op.x |= o.index;
      break;
    case Role::mask:
      op.x |= uint32_t(o.index) << 16;
      break;
    default:
      break;
    }
  }
  return true;
}

bool Lowering::lowerSources(const Instruction &inst, const Entry &entry, Op &op, Extra &e) {
  uint32_t *places[] = {&op.a, &op.b, &op.c};
  op.a = op.b = op.c = program.tempOffset(kDiscardRow); // absent sources still need readable rows
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    int source = sourceOf(inst.row->operands[i].role);
    if (source < 0)
      continue;
    if (entry.elem == Elem::Raw && isPacked16(inst.row->operands[i].type) &&
        (inst.operands[i].neg || inst.operands[i].abs))
      return refuse(std::string("neg or abs of a pair, in ") + inst.row->mnemonic);
    SourcePrep p =
        prepOf(inst, entry.elem, unsigned(source), inst.operands[i], inst.row->operands[i].type);
    if (inst.form == Form::Dpp && source == 0) {
      p.kind = SourcePrep::Plain;
      p.dpp = true;
    }
    bool prepared = p.kind != SourcePrep::None;
    if (!sourceRow(inst, i, *places[source], prepared ? p.scalar : op.slot))
      return false;
    if (!prepared)
      continue;
    p.source = *places[source];
    p.target = *places[source] = program.tempOffset(kSourceRows + 2 * unsigned(source));
    e.source[source] = p;
  }
  if (inst.row->has(kReadsDst) && !inst.get(Role::c) && !inst.get(Role::k))
    op.c = op.d;
  return true;
}

bool Lowering::lowerResult(const Instruction &inst, const Entry &entry, Op &op, ResultPost &post) {
  if (writesMask(inst))
    return true;
  if (entry.keepHigh || (entry.elem == Elem::F16 && inst.opSel & 8)) {
    post.sel = (entry.elem == Elem::Mix ? entry.arg == 1 : inst.opSel & 8) ? 5 : 4;
    post.unused = 2;
  }
  if (inst.form == Form::Sdwa && inst.dstSel != 6) {
    post.sel = inst.dstSel;
    post.unused = inst.dstUnused;
  }
  Type type = resultType(inst);
  if (options.transcendentalError && inst.row->cls == Class::trans) {
    post.clampAs = clampKind(type);
    post.error = type == Type::f64 ? 30 : 1; // f64 ones are only seeds: 2^29 ulp
  }
  if (inst.clamp || inst.omod) {
    post.clampAs = clampKind(type);
    post.clamp = inst.clamp;
    post.omod = inst.omod;
    if (post.clampAs == ResultPost::None && !convertsFloat(inst, type)) {
      op.fn = entry.saturated;
      if (!op.fn)
        return refuse(std::string("integer clamp of ") + inst.row->mnemonic);
    }
  }
  if (post.sel == 6 && post.clampAs == ResultPost::None)
    return true;
  post.active = true;
  const Operand *d = inst.get(Role::d);
  post.rows = uint8_t(d && d->width == 2 ? 2 : 1);
  post.target = op.d;
  op.d = post.from = program.tempOffset(kResultRows);
  return true;
}

bool Lowering::lowerDpp(const Instruction &inst, Extra &e) {
  if (inst.form != Form::Dpp)
    return true;
  e.dpp = true;
  e.boundCtrl = inst.boundCtrl;
  if (!dppLanes(inst.dppCtrl, e.lane, e.laneValid))
    return refuse("unknown DPP control " + std::to_string(inst.dppCtrl));
  for (unsigned i = 0; i < kLanes; ++i)
    if (!(inst.rowMask >> (i / 16) & 1) || !(inst.bankMask >> (i % 16 / 4) & 1))
      e.writeMask &= ~(1ull << i);
  return true;
}

} // namespace tegula::sim
