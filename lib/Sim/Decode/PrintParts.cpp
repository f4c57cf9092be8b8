// See PrintParts.h. Names and forms follow LLVM's assembler for these two targets.
#include "PrintParts.h"
#include <cstdio>

namespace tegula::sim::printing {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string number(int64_t value) { return std::to_string(value); }

std::string bitList(const char *name, unsigned bits, unsigned count) {
  std::string text = std::string(" ") + name + ":[";
  for (unsigned i = 0; i < count; ++i)
    text += std::string(i ? "," : "") + (bits >> i & 1 ? "1" : "0");
  return text + "]";
}

namespace {

struct Named {
  unsigned id;
  const char *name;
};

constexpr Named kHardwareRegisters[] = {{1, "HW_REG_MODE"},
                                        {2, "HW_REG_STATUS"},
                                        {3, "HW_REG_TRAPSTS"},
                                        {4, "HW_REG_HW_ID"},
                                        {5, "HW_REG_GPR_ALLOC"},
                                        {6, "HW_REG_LDS_ALLOC"},
                                        {7, "HW_REG_IB_STS"},
                                        {15, "HW_REG_SH_MEM_BASES"},
                                        {16, "HW_REG_TBA_LO"},
                                        {17, "HW_REG_TBA_HI"},
                                        {18, "HW_REG_TMA_LO"},
                                        {19, "HW_REG_TMA_HI"},
                                        {20, "HW_REG_XCC_ID"},
                                        {21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"},
                                        {22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"},
                                        {23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"},
                                        {24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"}};

/// simm16 = {size − 1 [15:11], offset [10:6], id [5:0]}.
std::string hardwareRegister(unsigned imm) {
  unsigned id = imm & 63, offset = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
  std::string name = number(id);
  for (const Named &n : kHardwareRegisters)
    if (n.id == id)
      name = n.name;
  bool whole = offset == 0 && size == 32;
  return "hwreg(" + name + (whole ? "" : ", " + number(offset) + ", " + number(size)) + ")";
}

constexpr Named kMessages[] = {{1, "MSG_INTERRUPT"},       {4, "MSG_SAVEWAVE"},
                               {5, "MSG_STALL_WAVE_GEN"},  {6, "MSG_HALT_WAVES"},
                               {7, "MSG_ORDERED_PS_DONE"}, {8, "MSG_EARLY_PRIM_DEALLOC"},
                               {9, "MSG_GS_ALLOC_REQ"},    {10, "MSG_GET_DOORBELL"}};
constexpr const char *kGsOps[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
constexpr Named kSystemOps[] = {
    {1, "SYSMSG_OP_ECC_ERR_INTERRUPT"}, {2, "SYSMSG_OP_REG_RD"}, {4, "SYSMSG_OP_TTRACE_PC"}};

/// simm16 = {stream [9:8], operation [6:4], message [3:0]}; combinations without a name print as
/// numbers.
std::string message(unsigned imm) {
  unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
  for (const Named &m : kMessages)
    if (m.id == id && !op && !stream)
      return std::string("sendmsg(") + m.name + ")";
  bool gs = id == 2, done = id == 3;
  if ((gs && op >= 1 && op <= 3) || (done && op <= 3 && (op || !stream))) {
    std::string text =
        std::string("sendmsg(") + (gs ? "MSG_GS" : "MSG_GS_DONE") + ", " + kGsOps[op];
    return text + (op ? ", " + number(stream) : "") + ")";
  }
  for (const Named &s : kSystemOps)
    if (id == 15 && s.id == op && !stream)
      return std::string("sendmsg(MSG_SYSMSG, ") + s.name + ")";
  if (imm & ~0x37fu)
    return number(imm);
  return "sendmsg(" + number(id) + ", " + number(op) + ", " + number(stream) + ")";
}

/// vmcnt {[15:14], [3:0]}, expcnt [6:4], lgkmcnt [11:8]; counters at their maximum are left out
/// unless all are.
std::string waitCounters(unsigned imm) {
  unsigned vm = (imm & 15) | (imm >> 14 & 3) << 4, exp = imm >> 4 & 7, lgkm = imm >> 8 & 15;
  bool all = vm == 63 && exp == 7 && lgkm == 15;
  std::string text;
  auto add = [&](const char *name, unsigned value, unsigned max) {
    if (all || value != max)
      text += std::string(text.empty() ? "" : " ") + name + "(" + number(value) + ")";
  };
  add("vmcnt", vm, 63);
  add("expcnt", exp, 7);
  add("lgkmcnt", lgkm, 15);
  return text;
}

} // namespace

std::string gprIndexMask(unsigned mask) {
  constexpr const char *kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (mask > 15)
    return hex(mask);
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if (mask >> i & 1)
      text += std::string(text.empty() ? "" : ",") + kNames[i];
  return "gpr_idx(" + text + ")";
}

std::string scalarImmediate(const Instruction &i) {
  unsigned imm = uint32_t(i.imm) & 0xffff;
  if (i.row->has(kBranch))
    return number(imm);
  switch (i.row->sem) {
  case Sem::s_getreg_b32:
  case Sem::s_setreg_b32:
  case Sem::s_setreg_imm32_b32:
    return hardwareRegister(imm);
  case Sem::s_waitcnt:
    return waitCounters(imm);
  case Sem::s_sendmsg:
  case Sem::s_sendmsghalt:
    return message(imm);
  case Sem::s_set_gpr_idx_mode:
  case Sem::s_set_gpr_idx_on:
    return gprIndexMask(imm);
  case Sem::s_endpgm:
    return number(imm);
  default:
    // What could be an inline constant prints in decimal; SOPK is always hexadecimal.
    return i.row->encoding != Encoding::SOPK && imm <= 64 ? number(imm) : hex(imm);
  }
}

namespace {

/// Mask mode: lane' = ((lane & and) | or) ^ xor within 32 lanes; LLVM names the common patterns.
std::string swizzleMask(unsigned offset) {
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
  auto isPower = [](unsigned v) { return v && !(v & (v - 1)); };
  if (andMask == 31 && orMask == 0 && isPower(xorMask))
    return "SWAP," + number(xorMask);
  if (andMask == 31 && orMask == 0 && xorMask && isPower(xorMask + 1))
    return "REVERSE," + number(xorMask + 1);
  unsigned group =
      32 - andMask; // BROADCAST keeps the high bits of the lane and forces the low ones
  if (group > 1 && isPower(group) && orMask < group && xorMask == 0)
    return "BROADCAST," + number(group) + "," + number(orMask);
  std::string bits;
  for (int b = 4; b >= 0; --b) {
    unsigned zero = ((0u >> b & andMask >> b & 1) | (orMask >> b & 1)) ^ (xorMask >> b & 1);
    unsigned one = ((andMask >> b & 1) | (orMask >> b & 1)) ^ (xorMask >> b & 1);
    bits += zero == one ? (zero ? '1' : '0') : (one ? 'p' : 'i');
  }
  return "BITMASK_PERM,\"" + bits + "\"";
}

} // namespace

std::string swizzle(unsigned offset) {
  if (!offset)
    return "";
  auto wrap = [](const std::string &inner) { return " offset:swizzle(" + inner + ")"; };
  if (offset >= 0xe000)
    return wrap("FFT," + number(offset & 31));
  if (offset >= 0xc000)
    return wrap("ROTATE," + number(offset >> 10 & 1) + "," + number(offset >> 5 & 31));
  if (!(offset & 0x8000))
    return wrap(swizzleMask(offset));
  if (offset & 0x7f00)
    return " offset:" + number(offset);
  std::string lanes;
  for (unsigned lane = 0; lane < 4; ++lane)
    lanes += "," + number(offset >> 2 * lane & 3);
  return wrap("QUAD_PERM" + lanes);
}

namespace {

std::string dppControl(unsigned c) {
  if (c <= 0xff) {
    std::string text = "quad_perm:[";
    for (unsigned lane = 0; lane < 4; ++lane)
      text += (lane ? "," : "") + number(c >> 2 * lane & 3);
    return text + "]";
  }
  unsigned n = c & 15;
  switch (c >> 4) {
  case 0x10:
    return n ? "row_shl:" + number(n) : "/* Invalid dpp_ctrl value */";
  case 0x11:
    return n ? "row_shr:" + number(n) : "/* Invalid dpp_ctrl value */";
  case 0x12:
    return n ? "row_ror:" + number(n) : "/* Invalid dpp_ctrl value */";
  case 0x15:
    return "row_newbcast:" + number(n);
  default:
    break;
  }
  constexpr Named kOthers[] = {{0x130, "wave_shl:1"},   {0x134, "wave_rol:1"},
                               {0x138, "wave_shr:1"},   {0x13c, "wave_ror:1"},
                               {0x140, "row_mirror"},   {0x141, "row_half_mirror"},
                               {0x142, "row_bcast:15"}, {0x143, "row_bcast:31"}};
  for (const Named &o : kOthers)
    if (o.id == c)
      return o.name;
  return "/* Invalid dpp_ctrl value */";
}

} // namespace

std::string dpp(const Instruction &i) {
  return " " + dppControl(i.dppCtrl) + " row_mask:" + hex(i.rowMask) +
         " bank_mask:" + hex(i.bankMask) + (i.boundCtrl ? " bound_ctrl:1" : "");
}

std::string sdwa(const Instruction &i) {
  constexpr const char *kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                      "WORD_0", "WORD_1", "DWORD",  "RESERVED"};
  constexpr const char *kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "RESERVED"};
  std::string text;
  if (i.row->encoding != Encoding::VOPC && !i.row->has(kSdwaSourceOnly))
    text = std::string(" dst_sel:") + kSelects[i.dstSel & 7] +
           " dst_unused:" + kUnused[i.dstUnused & 3];
  if (const Operand *a = i.get(Role::a))
    text += std::string(" src0_sel:") + kSelects[a->sel & 7];
  if (const Operand *b = i.get(Role::b))
    text += std::string(" src1_sel:") + kSelects[b->sel & 7];
  return text;
}

std::string bufferFormat(unsigned dfmt, unsigned nfmt) {
  constexpr const char *kData[] = {"INVALID",     "8",          "16",          "8_8",
                                   "32",          "16_16",      "10_11_11",    "11_11_10",
                                   "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                   "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
  constexpr const char *kNumber[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                     "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  constexpr unsigned kDefaultData = 1, kDefaultNumber = 0;
  std::string text;
  if (dfmt != kDefaultData)
    text += std::string("BUF_DATA_FORMAT_") + kData[dfmt & 15];
  if (nfmt != kDefaultNumber)
    text += std::string(text.empty() ? "" : ",") + "BUF_NUM_FORMAT_" + kNumber[nfmt & 7];
  return text.empty() ? "" : " format:[" + text + "]";
}

} // namespace tegula::sim::printing
