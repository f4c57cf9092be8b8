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
      signBits(p, o, type);
      return p;
    }
    p.lo = lo;
    p.hi = hi;
    if (elem == Elem::Pk16F)
      p.flipLo = (o.neg ? 0x8000u : 0) | (o.negHi ? 0x80000000u : 0);
    if (lo || !hi || p.flipLo)
      p.kind = SourcePrep::Packed16;
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
/// An instruction whose integer result already saturates, so that clamp adds nothing.
bool saturatesAnyway(const Instruction &inst) {
  return std::string(inst.row->mnemonic).compare(0, 6, "v_cvt_") == 0;
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
  return wrap(inst, entry, op);
}

bool Lowering::wrap(const Instruction &inst, const Entry &entry, Op &op) {
  Extra e;
  bool wrapped = false;
  uint32_t *places[] = {&op.a, &op.b, &op.c};
  uint16_t slots[3] = {0, 0, 0}, plainSlot = 0;
  Type resultType = Type::none;
  op.a = op.b = op.c = program.tempOffset(kDiscardRow); // absent sources still need readable rows
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    Type type = inst.row->operands[i].type;
    int source = -1;
    switch (inst.row->operands[i].role) {
    case Role::d:
      resultType = type;
      if (o.file == File::S)
        op.x |= o.index;
      else if (!registerRow(o, op.d))
        return false;
      continue;
    case Role::d2:
      op.x |= o.index;
      continue;
    case Role::mask:
      op.x |= uint32_t(o.index) << 16;
      continue;
    case Role::a:
      source = 0;
      break;
    case Role::b:
      source = 1;
      break;
    case Role::c:
    case Role::k:
      source = 2;
      break;
    default:
      continue;
    }
    SourcePrep p = prepOf(inst, entry.elem, unsigned(source), o, type);
    if (inst.form == Form::Dpp && source == 0) {
      p.kind = SourcePrep::Plain;
      p.dpp = true;
    }
    uint16_t &slot = p.kind == SourcePrep::None ? plainSlot : slots[source];
    if (!sourceRow(inst, i, *places[source], slot))
      return false;
    if (p.kind == SourcePrep::None)
      continue;
    wrapped = true;
    p.source = *places[source];
    p.scalar = slot;
    p.target = *places[source] = program.tempOffset(kSourceRows + 2 * unsigned(source));
    e.source[source] = p;
  }
  if (inst.row->has(kReadsDst) && !inst.get(Role::c) && !inst.get(Role::k))
    op.c = op.d;
  op.slot = plainSlot;

  ResultPost &post = e.post;
  bool partial =
      !writesMask(inst) && (entry.keepHigh || (entry.elem == Elem::F16 && inst.opSel & 8));
  if (partial) {
    bool high = entry.elem == Elem::Mix ? entry.arg == 1 : inst.opSel & 8;
    post.sel = high ? 5 : 4;
    post.unused = 2;
  }
  if (inst.form == Form::Sdwa && !writesMask(inst) && inst.dstSel != 6) {
    post.sel = inst.dstSel;
    post.unused = inst.dstUnused;
  }
  bool finish = (inst.clamp || inst.omod) && !writesMask(inst);
  if (finish) {
    post.clampAs = clampKind(resultType);
    post.clamp = inst.clamp;
    post.omod = inst.omod;
    if (post.clampAs == ResultPost::None && !saturatesAnyway(inst)) {
      op.fn = entry.saturated;
      if (!op.fn)
        return refuse(std::string("integer clamp of ") + inst.row->mnemonic);
    }
  }
  if (post.sel != 6 || post.clampAs != ResultPost::None) {
    post.active = wrapped = true;
    const Operand *d = inst.get(Role::d);
    post.rows = uint8_t(d && d->width == 2 ? 2 : 1);
    post.target = op.d;
    op.d = post.from = program.tempOffset(kResultRows);
  }
  if (inst.form == Form::Dpp) {
    wrapped = e.dpp = true;
    e.boundCtrl = inst.boundCtrl;
    if (!dppLanes(inst.dppCtrl, e.lane, e.laneValid))
      return refuse("unknown DPP control " + std::to_string(inst.dppCtrl));
    for (unsigned i = 0; i < kLanes; ++i)
      if (!(inst.rowMask >> (i / 16) & 1) || !(inst.bankMask >> (i % 16 / 4) & 1))
        e.writeMask &= ~(1ull << i);
  }
  if (!wrapped)
    return true;
  e.inner = op;
  op = Op{};
  op.fn = wrapperHandler();
  op.x = uint32_t(program.extra.size());
  program.extra.push_back(e);
  return true;
}

} // namespace tegula::sim
