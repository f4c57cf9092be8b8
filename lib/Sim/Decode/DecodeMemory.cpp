// SMEM, DS, FLAT/GLOBAL/SCRATCH, MUBUF and MTBUF.
#include "DecodeFields.h"

namespace tegula::sim::decoding {

namespace {

constexpr unsigned kNoBase = 0x7f; // saddr "off"
constexpr unsigned kExec = 126;

/// Data registers of vector memory: V or A by the acc bit of the encoding.
Operand dataRegister(Instruction &i, unsigned index, unsigned width, bool acc) {
  Operand o = vgpr(i, index, width);
  if (acc)
    o.file = File::A;
  return o;
}

} // namespace

void decodeSmem(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  if (!setRow(i, arch, Encoding::SMEM, bits(w[0], 25, 18)))
    return;
  unsigned sdata = bits(w[0], 12, 6);
  bool imm = bit(w[0], 17), soe = bit(w[0], 14), addressed = i.get(Role::base);
  i.sc0 = bit(w[0], 16);
  i.imm = int32_t(sdata); // the operation code of s_atc_probe
  if (imm && addressed) {
    i.immOffset = true;
    i.offset = signExtend(bits(w[1], 20, 0), 21);
  }
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    switch (spec.role) {
    case Role::base:
      i.operands[n] = sgpr(i, bits(w[0], 5, 0) * 2, spec.width);
      break;
    case Role::soff:
      if (soe || !imm)
        i.operands[n] = sgpr(i, soe ? bits(w[1], 31, 25) : bits(w[1], 6, 0), 1);
      break;
    case Role::imm:
      i.operands[n] = immediate();
      break;
    default:
      i.operands[n] = sgpr(i, sdata, spec.width);
      if (sdata >= 124)
        refuse(i, "M0 and EXEC cannot be data of a scalar memory instruction");
    }
  }
  if (bit(w[0], 15) || bit(w[0], 13) || (i.sc0 && !i.row->has(kCache)))
    refuse(i, "reserved bits are set");
  if (!addressed && (w[1] || bits(w[0], 17, 13) || bits(w[0], 5, 0)))
    refuse(i, "reserved bits are set");
}

void decodeDs(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  if (!setRow(i, arch, Encoding::DS, bits(w[0], 24, 17)))
    return;
  bool acc = bit(w[0], 25), two = i.row->has(kTwoAddr);
  i.offset = int32_t(two ? bits(w[0], 7, 0) : bits(w[0], 15, 0));
  i.offset1 = uint8_t(two ? bits(w[0], 15, 8) : 0);
  unsigned fields[4] = {bits(w[1], 31, 24), bits(w[1], 7, 0), bits(w[1], 15, 8),
                        bits(w[1], 23, 16)};
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    unsigned which = spec.role == Role::d      ? 0
                     : spec.role == Role::addr ? 1
                     : spec.role == Role::data ? 2
                                               : 3;
    i.operands[n] = dataRegister(i, fields[which], spec.width, acc && spec.kind == Kind::VA);
    fields[which] = 0;
  }
  if (fields[0] | fields[1] | fields[2] | fields[3] |
      bits(w[0], 16, 16)) // these targets have no GDS
    refuse(i, "reserved bits are set");
  if (i.offset && !i.row->has(kOffset))
    refuse(i, "a modifier is set that the instruction does not have");
}

namespace {

/// Address and base of the three segments.
void flatAddress(Instruction &i, Operand &o, const OperandSpec &spec, Words w) {
  unsigned saddr = bits(w[1], 22, 16);
  bool scratch = i.row->encoding == Encoding::SCRATCH,
       based = saddr != kNoBase && i.row->encoding != Encoding::FLAT;
  if (spec.role == Role::base) {
    if (based)
      o = sgpr(i, saddr, spec.width);
    if (based && saddr >= kExec && !scratch)
      refuse(i, "EXEC cannot be the base of an address");
    return;
  }
  if (scratch && !bit(w[0], 13)) { // no VGPR offset
    if (bits(w[1], 7, 0))
      refuse(i, "reserved bits are set");
    return;
  }
  o = vgpr(i, bits(w[1], 7, 0), based ? 1 : spec.width);
}

} // namespace

void decodeFlat(Instruction &i, Arch arch, Words w) {
  constexpr Encoding kSegments[] = {Encoding::FLAT, Encoding::SCRATCH, Encoding::GLOBAL};
  i.size = 8;
  unsigned segment = bits(w[0], 15, 14);
  if (segment == 3)
    return refuse(i, "reserved memory segment");
  if (!setRow(i, arch, kSegments[segment], bits(w[0], 24, 18)))
    return;
  bool flat = segment == 0, acc = bit(w[1], 23);
  i.sc0 = bit(w[0], 16);
  i.nt = bit(w[0], 17);
  i.sc1 = bit(w[0], 25);
  i.offset = flat ? int32_t(bits(w[0], 12, 0)) : signExtend(bits(w[0], 12, 0), 13);
  unsigned vdst = bits(w[1], 31, 24), vdata = bits(w[1], 15, 8);
  for (unsigned n = 0; n < i.numOperands; ++n) {
    const OperandSpec &spec = i.row->operands[n];
    if (spec.role == Role::d && i.row->has(kAtomic) && !i.sc0)
      continue; // the atomic returns nothing
    if (spec.role == Role::d)
      i.operands[n] = dataRegister(i, std::exchange(vdst, 0), spec.width, acc);
    else if (spec.role == Role::data)
      i.operands[n] = dataRegister(i, std::exchange(vdata, 0), spec.width, acc);
    else
      flatAddress(i, i.operands[n], spec, w);
  }
  bool noData = !i.get(Role::d) && !i.get(Role::data);
  if (vdst || vdata || (noData && acc) || (segment != 1 && bit(w[0], 13)) ||
      (flat && (bit(w[0], 12) || bits(w[1], 22, 16))))
    refuse(i, "reserved bits are set");
}

namespace {

void bufferOperand(Instruction &i, Operand &o, const OperandSpec &spec, Words w) {
  switch (spec.role) {
  case Role::addr:
    if (i.offen || i.idxen)
      o = vgpr(i, bits(w[1], 7, 0), i.offen && i.idxen ? 2 : 1);
    return;
  case Role::base:
    o = sgpr(i, bits(w[1], 20, 16) * 4, spec.width);
    return;
  case Role::soff:
    o = source(i, bits(w[1], 31, 24), 1);
    if (o.file == File::Literal || (o.file == File::Inline && !isInlineConstant(o.index)))
      refuse(i, "the scalar offset must be a register or a constant");
    return;
  default:
    o = dataRegister(i, bits(w[1], 15, 8), spec.width, bit(w[1], 23));
  }
}

void decodeBuffer(Instruction &i, Words w) {
  i.offset = int32_t(bits(w[0], 11, 0));
  i.offen = bit(w[0], 12);
  i.idxen = bit(w[0], 13);
  i.sc0 = bit(w[0], 14);
  for (unsigned n = 0; n < i.numOperands; ++n)
    bufferOperand(i, i.operands[n], i.row->operands[n], w);
}

} // namespace

void decodeMubuf(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  i.lds = bit(w[0], 16);
  if (!setRow(i, arch, i.lds ? Encoding::MUBUF_LDS : Encoding::MUBUF, bits(w[0], 24, 18)))
    return;
  i.sc1 = bit(w[0], 15);
  i.nt = bit(w[0], 17);
  decodeBuffer(i, w);
  bool absent = !i.offen && !i.idxen && bits(w[1], 7, 0);
  if (bit(w[0], 25) || bits(w[1], 22, 21) || (i.row->numOperands && absent) ||
      (!i.row->numOperands && (w[1] || i.nt)))
    refuse(i, "reserved bits are set");
  if (i.lds && (bits(w[1], 15, 8) || bit(w[1], 23)))
    refuse(i, "reserved bits are set");
}

void decodeMtbuf(Instruction &i, Arch arch, Words w) {
  i.size = 8;
  if (!setRow(i, arch, Encoding::MTBUF, bits(w[0], 18, 15)))
    return;
  i.dfmt = uint8_t(bits(w[0], 22, 19));
  i.nfmt = uint8_t(bits(w[0], 25, 23));
  i.nt = bit(w[1], 22);
  i.sc1 = bit(w[1], 21);
  decodeBuffer(i, w);
}

} // namespace tegula::sim::decoding
