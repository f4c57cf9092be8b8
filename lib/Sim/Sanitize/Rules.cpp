#include "Sim/Sanitize/Rules.h"
#include <string_view>

namespace tegula::sim {

namespace {
struct Named {
  std::string_view prefix;
  ShadowPlan plan;
};
// First match wins. What is not named is Whole: floats, conversions, counts, minima, dot products.
constexpr Named kByName[] = {
    {"v_mov_b", {ShadowRule::Run}},
    {"v_accvgpr_", {ShadowRule::Run}},
    {"v_swap_b32", {ShadowRule::Run}},
    {"v_permlane", {ShadowRule::Run}},
    {"v_pk_mov_b32", {ShadowRule::Run}},
    {"v_bfrev_b32", {ShadowRule::Run}},
    {"v_pack_b32_f16", {ShadowRule::Run}},
    {"v_lshlrev_", {ShadowRule::RunData, 1}},
    {"v_lshrrev_", {ShadowRule::RunData, 1}},
    {"v_ashrrev_", {ShadowRule::RunData, 1}},
    {"v_pk_lshlrev_", {ShadowRule::RunData, 1}},
    {"v_pk_lshrrev_", {ShadowRule::RunData, 1}},
    {"v_pk_ashrrev_", {ShadowRule::RunData, 1}},
    {"v_lshl_or_b32", {ShadowRule::RunData, 2}},
    {"v_alignbit_b32", {ShadowRule::RunData, 4}},
    {"v_alignbyte_b32", {ShadowRule::RunData, 4}},
    {"v_perm_b32", {ShadowRule::RunData, 4}},
    {"v_bfe_", {ShadowRule::RunData, 6}},
    {"v_and_b", {ShadowRule::Bitwise, 0xc0}},
    {"v_or_b", {ShadowRule::Bitwise, 0xfc}},
    {"v_xor_b", {ShadowRule::Bitwise, 0x3c}},
    {"v_xnor_b", {ShadowRule::Bitwise, 0xc3}},
    {"v_not_b", {ShadowRule::Bitwise, 0x0f}},
    {"v_bfi_b32", {ShadowRule::Bitwise, 0xca}},
    {"v_and_or_b32", {ShadowRule::Bitwise, 0xea}},
    {"v_or3_b32", {ShadowRule::Bitwise, 0xfe}},
    {"v_lshl_add_u", {ShadowRule::ShiftSum, 0}},
    {"v_add_lshl_u32", {ShadowRule::ShiftSum, 1}},
    {"v_add", {ShadowRule::Smear}},
    {"v_sub", {ShadowRule::Smear}},
    {"v_xad_u32", {ShadowRule::Smear}},
    {"v_mul_lo_", {ShadowRule::Smear}},
    {"v_mul_u32_u24", {ShadowRule::Smear}},
    {"v_mul_i32_i24", {ShadowRule::Smear}},
    {"v_mad_u", {ShadowRule::Smear}},
    {"v_mad_i", {ShadowRule::Smear}},
    {"v_pk_add_", {ShadowRule::Smear}},
    {"v_pk_sub_", {ShadowRule::Smear}},
    {"v_pk_mul_lo_u16", {ShadowRule::Smear}},
    {"v_pk_mad_", {ShadowRule::Smear}},
    {"v_cndmask_b32", {ShadowRule::Select}},
    {"v_readlane_b32", {ShadowRule::ReadLane}},
    {"v_readfirstlane_b32", {ShadowRule::ReadFirst}},
    {"v_writelane_b32", {ShadowRule::WriteLane}},
};

bool isFloat(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 ||
         t == Type::v2f16 || t == Type::v2bf16 || t == Type::v2f32;
}

Comparison comparisonOf(std::string_view name, Type type) {
  if (isFloat(type) || name.find("_class_") != name.npos)
    return kAnyBit;
  if (name.find("_eq_") != name.npos || name.find("_ne_") != name.npos)
    return kEqual;
  return type == Type::i16 || type == Type::i32 || type == Type::i64 ? kSigned : kUnsigned;
}

Type typeOf(const Instruction &inst, Role role) {
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (inst.row->operands[i].role == role)
      return inst.row->operands[i].type;
  return Type::none;
}
} // namespace

ShadowPlan shadowPlan(const Instruction &inst) {
  const IsaRow &row = *inst.row;
  std::string_view name = row.mnemonic;
  switch (row.cls) {
  case Class::salu:
    return {ShadowRule::Scalar};
  case Class::mfma:
    return {ShadowRule::Matrix};
  case Class::valu32:
  case Class::valu16:
  case Class::valu64:
  case Class::trans:
  case Class::lane:
    break;
  default:
    return {ShadowRule::None};
  }
  if (name.substr(0, 5) == "v_cmp")
    return {ShadowRule::Compare, comparisonOf(name, typeOf(inst, Role::a))};
  if (name.substr(0, 9) == "v_bitop3_")
    return {ShadowRule::Bitwise, inst.bitop3};
  for (const Named &n : kByName) {
    if (name.substr(0, n.prefix.size()) != n.prefix)
      continue;
    bool arithmetic = n.plan.rule == ShadowRule::Smear;
    return arithmetic && isFloat(typeOf(inst, Role::d)) ? ShadowPlan{ShadowRule::Whole} : n.plan;
  }
  // Conversions to small floats write part of the register themselves; elsewhere the wrapper does.
  uint8_t part = 0;
  if (row.has(kKeepsHigh))
    part = row.has(kWritesByte) ? uint8_t(4 + (inst.opSel >> 2 & 3)) : inst.opSel & 8 ? 2 : 1;
  return {ShadowRule::Whole, part};
}

} // namespace tegula::sim
