// What each op reads and writes, and the fast test that sanitized runs make before it.
#include "Sim/Exec/Lowering.h"
#include "Sim/Sanitize/Hazards.h"
#include "Sim/Sanitize/Rules.h"
#include <cstring>
#include <string_view>

namespace tegula::sim {

namespace {
void addRun(Uses &u, unsigned first, unsigned count, unsigned role,
            unsigned operand = Uses::kImplied) {
  if (u.count < u.runs.size())
    u.runs[u.count++] = {uint16_t(first), uint8_t(count), uint8_t(operand), uint16_t(role)};
}
bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool isSwap(Sem sem) {
  return sem == Sem::v_swap_b32 || sem == Sem::v_permlane16_swap_b32 ||
         sem == Sem::v_permlane32_swap_b32;
}
bool isVectorAlu(const IsaRow &row) {
  return row.cls == Class::valu32 || row.cls == Class::valu16 || row.cls == Class::valu64 ||
         row.cls == Class::trans || row.cls == Class::lane;
}
bool isVmem(const IsaRow &row) {
  return row.cls == Class::vmemLoad || row.cls == Class::vmemStore ||
         row.cls == Class::vmemAtomic || row.cls == Class::dma;
}

unsigned destinationRole(const Instruction &inst) {
  const IsaRow &row = *inst.row;
  // A D16 load leaves zeros in the other half (parts with SRAM-ECC), so it replaces the register.
  bool alsoRead = row.has(kReadsDst) && !row.has(kLoad);
  // A result merged into the register reads it; so does a DPP lane without a source.
  alsoRead |= row.has(kKeepsHigh) && !row.has(kLoad);
  alsoRead |= inst.form == Form::Sdwa && inst.dstSel != 6 && inst.dstUnused == 2;
  return kUseWrite | (alsoRead ? kUseRead : 0);
}

unsigned roleOf(const Instruction &inst, Role role, bool scalar) {
  const IsaRow &row = *inst.row;
  bool vector = isVectorAlu(row) || row.cls == Class::mfma;
  switch (role) {
  case Role::d:
    return destinationRole(inst);
  case Role::d2:
    return kUseWrite;
  case Role::addr:
    return kUseRead | kUseAddress;
  case Role::base:
  case Role::soff:
    return kUseRead | kUseBase;
  case Role::data:
  case Role::data2:
    return kUseRead | kUseData |
           (row.has(kAtomic) && inst.sc0 && row.encoding == Encoding::MUBUF ? kUseWrite : 0);
  case Role::mask:
    return kUseRead | kUseMask;
  case Role::a:
  case Role::b:
    if (row.cls == Class::lane && role == Role::b)
      return kUseRead | kUseSelect | (scalar ? kUseConst : 0);
    return kUseRead | (vector ? kUseSource | (scalar ? kUseConst : 0) : 0) |
           (role == Role::a && inst.form == Form::Dpp ? kUsePermuted : 0) |
           (role == Role::a && isSwap(row.sem) ? kUseWrite : 0);
  case Role::c:
  case Role::k:
    return kUseRead | (vector ? kUseAddend | (scalar ? kUseConst : 0) : 0);
  case Role::scaleA:
  case Role::scaleB:
  case Role::index:
    return kUseRead | kUseSource;
  case Role::imm:
    return 0;
  }
  return 0;
}

bool setsIndex(Sem sem) { return sem == Sem::s_set_gpr_idx_on || sem == Sem::s_set_gpr_idx_idx; }

constexpr unsigned kModeRegister = 1, kVskipBit = 28;
/// s_setreg of bits of MODE with VSKIP among them.
bool setsVskip(const Instruction &inst) {
  unsigned id = unsigned(inst.imm) & 63, first = unsigned(inst.imm) >> 6 & 31,
           count = (unsigned(inst.imm) >> 11 & 31) + 1;
  bool sets = inst.row->sem == Sem::s_setreg_b32 || inst.row->sem == Sem::s_setreg_imm32_b32;
  return sets && id == kModeRegister && first <= kVskipBit && kVskipBit < first + count;
}

void addSpecial(Uses &u, const Operand &o, unsigned role) {
  if (o.index == kVccz)
    addRun(u, kScalarReg + kVcc, 2, (role | kUseZero) & ~unsigned(kUseConst));
  else if (o.index == kExecz)
    addRun(u, kScalarReg + kExec, 2, (role | kUseZero) & ~unsigned(kUseConst));
  else if (o.index == kSccSource)
    addRun(u, kSccReg, 1, kUseRead);
}

void addImplicit(const Instruction &inst, Uses &u) {
  const IsaRow &row = *inst.row;
  auto covers = [&](unsigned reg, unsigned role) {
    for (const Uses::Run &r : u)
      if (r.contains(reg) && r.has(role))
        return true;
    return false;
  };
  unsigned decides = row.cls == Class::branch ? kUseDecides : 0;
  if (row.has(kReadsVcc) && !covers(kScalarReg + kVcc, kUseRead))
    addRun(u, kScalarReg + kVcc, 2, kUseRead | (decides ? decides : unsigned(kUseMask)));
  if (row.has(kWritesVcc) && !covers(kScalarReg + kVcc, kUseWrite))
    addRun(u, kScalarReg + kVcc, 2, kUseWrite);
  if (row.has(kReadsScc))
    addRun(u, kSccReg, 1, kUseRead | decides);
  if (row.has(kWritesScc))
    addRun(u, kSccReg, 1, kUseWrite);
  if (row.has(kReadsM0))
    addRun(u, kScalarReg + kM0, 1, kUseRead | kUseBase | kUseM0);
  if (row.has(kWritesM0))
    addRun(u, kScalarReg + kM0, 1, kUseWrite);
  if (row.has(kWritesExec) && !covers(kScalarReg + kExec, kUseWrite))
    addRun(u, kScalarReg + kExec, 2, kUseWrite);
  if (row.sem == Sem::s_setvskip)
    addRun(u, kHardwareReg + kModeRegister, 1, kUseWrite);
  if (inst.form == Form::Dpp || row.cls == Class::lane || row.cls == Class::mfma)
    addRun(u, kScalarReg + kExec, 2, kUseLanes);
  unsigned hardware = unsigned(inst.imm) & 63;
  if (row.sem == Sem::s_getreg_b32)
    addRun(u, kHardwareReg + hardware, 1, kUseRead);
  if (row.sem == Sem::s_setreg_b32 || row.sem == Sem::s_setreg_imm32_b32)
    addRun(u, kHardwareReg + hardware, 1, kUseRead | kUseWrite);
}

bool isPartialWrite(const Instruction &inst) {
  std::string_view name = inst.row->mnemonic;
  if (inst.form == Form::Sdwa)
    return inst.get(Role::d) && inst.get(Role::d)->file != File::S && inst.dstSel != 6;
  if (inst.row->has(kWritesByte)) // LLVM inserts a state for the stochastic fp4, whichever byte
    return name.find("sr_pk_fp4") != name.npos || inst.opSel & 12;
  return (inst.row->encoding == Encoding::VOP3 || inst.row->encoding == Encoding::VOP3P) &&
         inst.opSel & 8;
}

/// A store of three dwords or more reads its last ones late, unless a scalar offset delays it.
bool isWideStore(const Instruction &inst) {
  const IsaRow &row = *inst.row;
  const Operand *data = inst.get(Role::data), *soff = inst.get(Role::soff);
  return isVmem(row) && (row.has(kStore) || row.has(kAtomic)) && data && data->width > 2 &&
         !(soff && soff->file == File::S);
}

uint32_t matrixTraits(const Instruction &inst) {
  std::string_view name = inst.row->mnemonic;
  if (startsWith(name, "v_mfma_f64"))
    return kIsMfma | (name.find("4x4x4") != name.npos ? kIsDgemm4 : kIsDgemm16);
  bool single = name.size() > 4 && name.substr(name.size() - 4) == "_f32";
  return kIsMfma | (single ? kIsSgemm : kIsXdl);
}

uint32_t traitsOf(const Instruction &inst) {
  const IsaRow &row = *inst.row;
  uint32_t t = 0;
  if (row.cls == Class::mfma)
    t |= matrixTraits(inst);
  else if (isVectorAlu(row))
    t |= kIsValu;
  else if (row.cls == Class::salu)
    t |= kIsSalu;
  else if (isVmem(row))
    t |= kIsVmem;
  else if (row.cls == Class::lds)
    t |= kIsLds;
  else if (row.cls == Class::smem)
    t |= kIsSmem;
  if (isSwap(row.sem) && row.sem != Sem::v_swap_b32)
    t |= kIsPermlane;
  else if (row.cls == Class::lane)
    t |= kIsLane;
  t |= row.cls == Class::trans ? kIsTrans : 0;
  t |= (t & kIsValu) && isPartialWrite(inst) ? kIsPartial : 0;
  t |= startsWith(row.mnemonic, "v_dot") ? kIsDot : 0;
  t |= inst.form == Form::Dpp ? kIsDpp : 0;
  t |= row.hazard == Hazard::divFmas ? kIsDivFmas : 0;
  t |= isWideStore(inst) ? kIsWideStore : 0;
  t |= row.cls == Class::dma ? kIsDma : 0;
  t |= row.has(kAtomic) ? kIsAtomic : 0;
  t |= row.encoding == Encoding::FLAT ? kIsFlat : 0;
  t |= isVmem(row) && inst.sc1 ? kIsCoherent : 0;
  t |= row.cls == Class::smem && inst.sc0 ? kIsGlc : 0;
  t |= row.hazard == Hazard::m0 ? kIsM0User : 0;
  t |= row.sem == Sem::s_getreg_b32 ? kIsGetreg : 0;
  t |= row.hazard == Hazard::setreg && row.sem != Sem::s_getreg_b32 ? kIsSetreg : 0;
  t |= setsVskip(inst) ? kSetsVskip : 0;
  t |= row.sem == Sem::s_setvskip ? kIsSetvskip : 0;
  t |= row.sem == Sem::s_cbranch_vccz || row.sem == Sem::s_cbranch_vccnz ? kIsVccBranch : 0;
  if (const Operand *d = inst.get(Role::d); (t & kIsSalu) && d && d->file == File::S)
    t |= d->width == 1 && (d->index == kVcc || d->index == kVcc + 1) ? kIsHalfVcc : 0;
  return t;
}

std::array<Type, 4> typesOf(const IsaRow &row) {
  std::array<Type, 4> types{};
  for (unsigned i = 0; i < row.numOperands; ++i)
    switch (row.operands[i].role) {
    case Role::d:
      types[0] = row.operands[i].type;
      break;
    case Role::a:
      types[1] = row.operands[i].type;
      break;
    case Role::b:
      types[2] = row.operands[i].type;
      break;
    case Role::c:
    case Role::k:
      types[3] = row.operands[i].type;
      break;
    default:
      break;
    }
  return types;
}
} // namespace

Uses Lowering::usesOf(const Instruction &inst) const {
  Uses u;
  const IsaRow &row = *inst.row;
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    const Operand &o = inst.operands[i];
    bool scalar = o.file == File::S || o.file == File::Inline;
    unsigned role = roleOf(inst, row.operands[i].role, scalar);
    if (o.file == File::V || o.file == File::A) {
      unsigned first = o.index + (o.file == File::A ? options.accumOffset : 0);
      if (first + o.width <= options.vgprs)
        addRun(u, first, o.width, role, i);
    } else if (o.file == File::S) {
      if (row.sem == Sem::s_setreg_b32 || row.sem == Sem::s_setvskip ||
          row.sem == Sem::s_setpc_b64 || row.sem == Sem::s_swappc_b64 || setsIndex(row.sem))
        role |= role & kUseRead ? kUseDecides : 0;
      addRun(u, kScalarReg + o.index, o.width, role, i);
    } else if (o.file == File::Inline) {
      addSpecial(u, o, role);
    }
  }
  addImplicit(inst, u);
  if (row.has(kVmcnt))
    u.counter |= Uses::kVm;
  if (row.has(kLgkmcnt) && row.cls != Class::smem)
    u.counter |= Uses::kLds;
  u.sem = uint16_t(row.sem);
  ShadowPlan plan = shadowPlan(inst);
  u.shadow = uint8_t(plan.rule);
  u.shadowArg = plan.arg;
  u.types = typesOf(row);
  u.traits = traitsOf(inst);
  if (row.sem == Sem::s_nop)
    u.states = uint8_t((inst.imm & 15) + 1);
  if (u.traits & kIsMfma)
    u.passes = uint8_t(matrixPasses(options.arch, row.mnemonic, inst.cbsz, inst.blgp));
  return u;
}

OpCheck checkOf(const Uses &u) {
  OpCheck c;
  unsigned group = 0;
  for (const Uses::Run &r : u) {
    if (!r.has(kUseRead | kUseWrite) || r.first >= kHardwareReg)
      continue;
    for (unsigned done = 0; done < r.count; done += 4) {
      if (group == 4) {
        c.flags |= OpCheck::kWide;
        return c;
      }
      unsigned n = r.count - done < 4 ? r.count - done : 4u;
      c.at[group] = uint16_t(r.first + done);
      c.mask[group++] = n == 4 ? ~0u : (1u << 8 * n) - 1;
    }
  }
  return c;
}

} // namespace tegula::sim
