#include "Sim/Exec/Lower.h"
#include "Sim/Counters/Counting.h"
#include "Sim/Exec/Lowering.h"
#include "Sim/Exec/MfmaShapes.h"
#include "Sim/Exec/Ordering.h"
#include "Sim/Exec/VmemAddress.h"
#include "Sim/Sanitize/Hazards.h"

namespace tegula::sim {

const float kOneF32 = 1;
const double kOneF64 = 1;

namespace {
using Entries = std::vector<const Entry *>; ///< by Sem
void addTables(Entries &all, std::initializer_list<const HandlerTable *> tables) {
  for (const HandlerTable *t : tables)
    for (const Entry &e : *t) {
      if (all.size() <= size_t(e.sem))
        all.resize(size_t(e.sem) + 1);
      all[size_t(e.sem)] = &e;
    }
}
} // namespace

const Entry *findEntry(Sem sem, Numerics numerics) {
  static const Entries chain = [] {
    Entries all;
    addTables(all, {&tableValuF32(),    &tableValuF64(),   &tableValu16(),       &tableValuInt(),
                    &tableCompare(),    &tableConvert(),   &tableConvertScale(), &tablePacked(),
                    &tableCrossLane(),  &tableMfma(),      &tableMfmaSparse(),   &tableSalu(),
                    &tableSaluUnary(),  &tableRegisters(), &tableSaluCompare(),  &tableSmem(),
                    &tableSmemStore(),  &tableLds(),       &tableLdsAtomic(),    &tableVmem(),
                    &tableVmemFormat(), &tableAtomic(),    &tableProgram()});
    return all;
  }();
  static const Entries fused = [] {
    Entries all = chain;
    addTables(all, {&tableMfmaFused(), &tableMfmaSparseFused()});
    return all;
  }();
  const Entries &entries = numerics == Numerics::Cdna3Fused ? fused : chain;
  return size_t(sem) < entries.size() ? entries[size_t(sem)] : nullptr;
}

namespace {
StatClass statClass(const IsaRow *row) {
  if (!row)
    return StatClass::Other;
  switch (row->cls) {
  case Class::salu:
  case Class::branch:
    return StatClass::Salu;
  case Class::program:
    return StatClass::Other;
  case Class::smem:
    return StatClass::Smem;
  case Class::valu32:
  case Class::valu16:
  case Class::valu64:
  case Class::trans:
  case Class::lane:
    return StatClass::Valu;
  case Class::mfma:
    return StatClass::Mfma;
  case Class::lds:
    return StatClass::Lds;
  case Class::vmemLoad:
  case Class::vmemStore:
  case Class::vmemAtomic:
  case Class::dma:
  case Class::cache:
    return StatClass::Vmem;
  }
  return StatClass::Other;
}
} // namespace

uint32_t Lowering::constantRow(uint32_t value) {
  auto [it, isNew] = singleConstants.try_emplace(value, 0);
  if (isNew) {
    it->second = program.constantOffset(program.constants.size());
    program.constants.emplace_back();
    program.constants.back().fill(value);
  }
  return it->second;
}

uint32_t Lowering::constantRows(uint64_t value) {
  auto [it, isNew] = pairConstants.try_emplace(value, 0);
  if (isNew) {
    it->second = program.constantOffset(program.constants.size());
    for (unsigned half = 0; half < 2; ++half) {
      program.constants.emplace_back();
      program.constants.back().fill(uint32_t(value >> (32 * half)));
    }
  }
  return it->second;
}

bool Lowering::registerRow(const Operand &o, uint32_t &row) {
  unsigned first = o.index, limit = options.accumOffset;
  if (o.file == File::A) {
    first += options.accumOffset;
    limit = options.vgprs;
  }
  if (first + o.width > limit || first + o.width > options.vgprs)
    return refuseIllegal(std::string(o.file == File::A ? "a" : "v") + std::to_string(o.index) +
                         " is outside the wave's registers");
  row = first * kRowBytes;
  return true;
}

bool Lowering::sourceRow(const Instruction &inst, unsigned i, uint32_t &row, uint16_t &slot) {
  const Operand &o = inst.operands[i];
  Type type = inst.row->operands[i].type;
  bool wide = o.width == 2;
  switch (o.file) {
  case File::V:
  case File::A:
    return registerRow(o, row);
  case File::Imm: // the literal of fmaak and fmamk
  case File::Literal: {
    uint64_t v = literalValue(inst.literal, type);
    row = wide ? constantRows(v) : constantRow(uint32_t(v));
    return true;
  }
  case File::Inline:
    if (isInlineConstant(o.index)) {
      uint64_t v = inlineConstant(o.index, type);
      if (type == Type::v2f32) // its high dword is not documented, and never selected
        v = uint32_t(v);
      row = wide ? constantRows(v) : constantRow(uint32_t(v));
      return true;
    }
    if (o.index >= kSharedBase && o.index < kPrivateBase + 2) {
      uint64_t v = o.index < kPrivateBase ? kLdsAperture : kScratchAperture;
      row = wide ? constantRows(v) : constantRow(0);
      return true;
    }
    needsSpecials = true;
    [[fallthrough]];
  case File::S: {
    uint16_t wanted = uint16_t((o.index + 1u) | (wide ? kBroadcast64 : 0));
    if (slot != 0 && slot != wanted)
      return refuse("two different scalar sources in one vector instruction");
    slot = wanted;
    row = program.tempOffset(kBroadcastRow);
    return true;
  }
  case File::None:
    break;
  }
  return refuse("an operand that the lowering does not know");
}

bool Lowering::scalarIndex(const Instruction &inst, unsigned i, Op &op, uint32_t &index) {
  const Operand &o = inst.operands[i];
  switch (o.file) {
  case File::S:
    index = o.index;
    return true;
  case File::Inline:
    if (o.index >= kVccz)
      needsSpecials = true;
    index = o.width == 2 ? kInline64 + 2 * (o.index - 128u) : o.index;
    if (o.index >= kVccz && o.width == 2)
      return refuse("a 64-bit read of VCCZ, EXECZ or SCC");
    return true;
  case File::Literal: {
    uint64_t v = literalValue(inst.literal, inst.row->operands[i].type);
    op.x = uint32_t(v);
    op.c = uint32_t(v >> 32);
    index = kLiteral;
    return true;
  }
  case File::Imm:
    op.x = uint32_t(inst.imm);
    op.c = inst.imm < 0 ? ~0u : 0u;
    index = kLiteral;
    return true;
  default:
    return refuse("a scalar operand that the lowering does not know");
  }
}

bool Lowering::roleRow(const Instruction &inst, Role role, uint32_t &row) {
  const Operand *o = inst.get(role);
  return o && (o->file == File::V || o->file == File::A) && registerRow(*o, row);
}

bool Lowering::lowerLane(const Instruction &inst, Op &op) {
  uint32_t *places[] = {&op.d, &op.a, &op.b};
  Role roles[] = {Role::d, Role::a, Role::b};
  for (unsigned k = 0; k < 3; ++k) {
    for (unsigned i = 0; i < inst.numOperands; ++i) {
      if (inst.row->operands[i].role != roles[k])
        continue;
      const Operand &o = inst.operands[i];
      bool ok = o.file == File::V || o.file == File::A ? registerRow(o, *places[k])
                                                       : scalarIndex(inst, i, op, *places[k]);
      if (!ok)
        return false;
    }
  }
  return true;
}

bool Lowering::lowerScalar(const Instruction &inst, Op &op) {
  Sem sem = inst.row->sem;
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    uint32_t *place = nullptr;
    switch (inst.row->operands[i].role) {
    case Role::d:
      place = &op.d;
      break;
    case Role::a:
      place = &op.a;
      break;
    case Role::b:
      place = &op.b;
      break;
    case Role::imm: // SOPK: the second source where there is a first, else the only one
      place = inst.row->has(kReadsDst) || inst.get(Role::a) ? &op.b : &op.a;
      break;
    default:
      break;
    }
    if (place && !scalarIndex(inst, i, op, *place))
      return false;
  }
  if (inst.row->has(kReadsDst) &&
      inst.get(Role::imm)) // s_addk, s_mulk; cmovk keeps its immediate as source a
    op.a = sem == Sem::s_cmovk_i32 ? uint32_t(kLiteral) : op.d;
  if (sem == Sem::s_set_gpr_idx_on) { // beside its mask there may be a literal
    op.x = inst.literal;
    op.c = uint32_t(inst.imm);
  }
  if (sem == Sem::s_setreg_b32 || sem == Sem::s_setreg_imm32_b32 || sem == Sem::s_getreg_b32)
    op.x = uint32_t(inst.imm);
  if (sem == Sem::s_setreg_imm32_b32)
    op.c = inst.literal;
  return true;
}

bool Lowering::lowerSmem(const Instruction &inst, Op &op) {
  op.c = kNoOperand;
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    if (o.file != File::S && o.file != File::Inline)
      continue;
    switch (inst.row->operands[i].role) {
    case Role::d:
    case Role::data:
      op.d = o.index;
      break;
    case Role::base:
      op.b = o.index;
      break;
    case Role::soff:
      op.c = o.index;
      break;
    default:
      break;
    }
  }
  op.x = uint32_t(inst.offset);
  op.slot = uint16_t(program.memorySlots++);
  if (op.d + op.aux > 128)
    return refuse("scalar memory data past the last scalar register");
  if (inst.row->has(kAtomic) && inst.sc0)
    op.aux |= kSmemReturn;
  return true;
}

bool Lowering::lowerLds(const Instruction &inst, Op &op) {
  bool store = inst.row->has(kStore);
  op.d = op.b = op.c = kNoOperand;
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    uint32_t *place = nullptr;
    switch (inst.row->operands[i].role) {
    case Role::d:
      place = &op.d;
      break;
    case Role::addr:
      place = &op.a;
      break;
    case Role::data:
      place = store ? &op.d : &op.b;
      break;
    case Role::data2:
      place = store ? &op.b : &op.c;
      break;
    default:
      break;
    }
    if (place && !registerRow(inst.operands[i], *place))
      return false;
  }
  op.x = uint32_t(inst.offset);
  if (inst.row->has(kTwoAddr))
    op.x |= uint32_t(inst.offset1) << 8;
  return true;
}

bool Lowering::lowerVmem(const Instruction &inst, Op &op) {
  const IsaRow &row = *inst.row;
  bool buffer = row.encoding == Encoding::MUBUF || row.encoding == Encoding::MTBUF || inst.lds;
  bool atomic = row.cls == Class::vmemAtomic;
  if (row.cls == Class::cache)
    return true;
  op.a = op.b = op.c = kNoOperand;
  op.d = program.tempOffset(kDiscardRow);
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    if (o.file == File::None)
      continue;
    switch (row.operands[i].role) {
    case Role::d:
      if (!registerRow(o, op.d))
        return false;
      break;
    case Role::data:
      if (!registerRow(o, atomic && !buffer ? op.c : op.d))
        return false;
      break;
    case Role::addr:
      if (!registerRow(o, op.a))
        return false;
      op.aux |= !buffer && o.width == 2 ? kVmemAddr64 : 0;
      break;
    case Role::base:
      op.b = o.index;
      break;
    case Role::soff:
      op.c = o.file == File::Inline && o.index == 128 ? kNoOperand : o.index;
      break;
    default:
      break;
    }
  }
  op.aux |= (inst.idxen ? kVmemIdxen : 0) | (inst.offen ? kVmemOffen : 0) |
            (atomic && inst.sc0 ? kVmemReturn : 0);
  if (row.encoding == Encoding::MTBUF)
    op.aux |= kVmemTyped | uint16_t(inst.dfmt | inst.nfmt << 4);
  op.x = uint32_t(inst.offset);
  op.slot = uint16_t(program.memorySlots++);
  return true;
}

bool Lowering::lowerMfma(const Instruction &inst, const Entry &entry, Op &op) {
  if (!roleRow(inst, Role::d, op.d) || !roleRow(inst, Role::a, op.a) ||
      !roleRow(inst, Role::b, op.b))
    return refuse("matrix operands must be vector registers");
  op.aux = uint16_t(inst.cbsz | inst.abid << 3 | inst.blgp << 7);
  op.x = entry.arg;
  if (inst.get(Role::index) && !roleRow(inst, Role::index, op.c))
    return refuse("the index of a sparse matrix must be a vector register");
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    if (inst.row->operands[i].role != Role::c)
      continue;
    const Operand &o = inst.operands[i];
    if (o.file == File::V || o.file == File::A) {
      if (!registerRow(o, op.c))
        return false;
    } else if (o.file == File::Inline && isInlineConstant(o.index)) {
      uint64_t v = inlineConstant(o.index, inst.row->operands[i].type);
      op.c = inst.row->operands[i].type == Type::f64 ? constantRows(v) : constantRow(uint32_t(v));
      op.aux |= kMfmaConstC;
    } else {
      return refuse("a scalar register as matrix operand C");
    }
  }
  if (inst.row->encoding != Encoding::MAIX2)
    return true;
  Extra scale;
  if (!roleRow(inst, Role::scaleA, scale.inner.a) || !roleRow(inst, Role::scaleB, scale.inner.b))
    return refuse("matrix scales must be vector registers");
  scale.inner.x = (inst.opSel & 1) | (inst.opSelHi & 1) << 1 | (inst.opSel >> 1 & 1) << 2 |
                  (inst.opSelHi >> 1 & 1) << 3;
  op.x = uint32_t(program.extra.size());
  op.aux |= kMfmaScaled;
  program.extra.push_back(scale);
  return true;
}

bool Lowering::lowerByShape(const Instruction &inst, const Entry &entry, Op &op) {
  switch (entry.shape) {
  case Shape::Vector:
    return lowerVector(inst, entry, op);
  case Shape::Lane:
    return lowerLane(inst, op);
  case Shape::Scalar:
    return lowerScalar(inst, op);
  case Shape::Smem:
    return lowerSmem(inst, op);
  case Shape::Lds:
    return lowerLds(inst, op);
  case Shape::Vmem:
    return lowerVmem(inst, op);
  case Shape::Mfma:
    return lowerMfma(inst, entry, op);
  case Shape::Branch:
    if (const Operand *d = inst.get(Role::d))
      op.d = d->index;
    op.x = uint32_t(inst.imm);
    return true;
  case Shape::Program:
    op.x = uint32_t(inst.imm);
    return true;
  }
  return refuse("an unknown shape");
}

void Lowering::emit(uint32_t pc, const Op &op, const Uses &uses) {
  program.ops.push_back(op);
  program.pcOf.push_back(pc);
  if (options.sanitized) {
    program.uses.push_back(uses);
    program.checks.push_back(checkOf(uses));
  }
}

void Lowering::emit(const Instruction &inst, const Op &op) {
  // What is refused never touches its registers, which may lie outside the wave's.
  bool used = inst.row && options.sanitized && op.fn != refuseHandler();
  emit(inst.pc, op, used ? usesOf(inst) : Uses{});
  auto counts = program.prefix.back();
  ++counts[unsigned(statClass(inst.row))];
  // A loop of atomics that return may be a lock's: what it writes is not counted as progress. LDS
  // and scratch are part of a workgroup's state.
  bool own = inst.row && (inst.row->cls == Class::lds || inst.row->encoding == Encoding::SCRATCH);
  bool writes =
      inst.row && !own &&
      (inst.row->has(kStore) || (inst.row->has(kAtomic) && !inst.row->has(kReturns) && !inst.sc0));
  counts[kWritesSlot] += writes;
  program.prefix.push_back(counts);
}

Op Lowering::refusing(Refusal r) {
  Op op;
  op.fn = refuseHandler();
  op.x = uint32_t(program.refusals.size());
  program.refusals.push_back(std::move(r));
  return op;
}

void Lowering::lowerInstruction(const Instruction &inst) {
  program.opOf[inst.pc / 4] = int32_t(program.ops.size());
  needsSpecials = false;
  Op op;
  const Entry *entry = inst.ok() ? findEntry(inst.row->sem, options.numerics) : nullptr;
  if (!inst.ok())
    refuse(inst.refusal ? inst.refusal : "unknown opcode");
  else if (!entry)
    refuse(std::string(inst.row->mnemonic) + " is not implemented");
  if (entry) {
    op.fn = entry->fn;
    op.aux = entry->arg;
    if (!lowerByShape(inst, *entry, op))
      entry = nullptr;
  }
  if (!entry) {
    op = refusing(refusal);
  } else if (needsSpecials) {
    // Not an instruction of its own: it is counted as nothing.
    Op before;
    before.fn = materialiseHandler();
    Uses nothing;
    nothing.states = 0;
    emit(inst.pc, before, nothing);
    program.prefix.push_back(program.prefix.back());
  }
  emit(inst, op);
}

void Lowering::resolveBranches() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    Op &op = program.ops[i];
    Instruction inst = decode(options.arch, program.text, program.textSize, program.pcOf[i]);
    if (!inst.ok() || !inst.row->has(kBranch) || op.fn == refuseHandler())
      continue;
    int64_t target = int64_t(program.pcOf[i]) + 4 + 4 * int64_t(int32_t(op.x));
    bool inside = target >= 0 && size_t(target) / 4 < program.opOf.size() &&
                  program.opOf[size_t(target) / 4] >= 0;
    if (inside) {
      op.x = uint32_t(program.opOf[size_t(target) / 4] - int64_t(i));
    } else {
      op = refusing({"branch to a place that is no instruction", true});
    }
  }
}

std::shared_ptr<const Program> lower(const LowerOptions &options, const std::byte *text,
                                     size_t size) {
  auto program = std::make_shared<Program>();
  program->arch = options.arch;
  program->vgprs = options.vgprs;
  program->sanitized = options.sanitized;
  program->text = text;
  program->textSize = size;
  program->opOf.assign(size / 4, -1);
  program->prefix.emplace_back();
  program->prefix.back().fill(0);
  Lowering lowering(options, *program);
  for (size_t at = 0; at + 4 <= size;) {
    Instruction inst = decode(options.arch, text, size, at);
    lowering.lowerInstruction(inst);
    at += inst.size;
  }
  // Running off the end of the section is an error, not a wild pointer.
  Op end = lowering.refusing({"execution ran past the end of .text", true});
  lowering.emit(uint32_t(size), end, {});
  program->prefix.push_back(program->prefix.back());
  lowering.resolveBranches();
  findOrder(*program);
  if (options.sanitized)
    analyseWaitStates(*program);
  if (options.counted)
    addCounting(*program);
  return program;
}

} // namespace tegula::sim
