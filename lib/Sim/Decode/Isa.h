// The instruction table: one row for each mnemonic × encoding of the two targets. Rows are
// generated at build time from isa/*.isa by gen.py; this header only gives them a shape. Plain
// data: everyone in lib/Sim may include it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegula::sim {

enum class Arch : uint8_t { gfx942, gfx950 };
constexpr const char *archName(Arch arch) { return arch == Arch::gfx942 ? "gfx942" : "gfx950"; }
constexpr uint8_t archBit(Arch a) { return uint8_t(1u << unsigned(a)); }

/// Encoding families. MAIX2 is the 16-byte scaled MFMA; MAI is VOP3P with a matrix opcode.
enum class Encoding : uint8_t {
  SOP2,
  SOPK,
  SOP1,
  SOPC,
  SOPP,
  SMEM,
  VOP2,
  VOP1,
  VOPC,
  VOP3,
  VOP3P,
  MAI,
  MAIX2,
  DS,
  FLAT,
  GLOBAL,
  SCRATCH,
  MUBUF,
  MUBUF_LDS,
  MTBUF
};
constexpr unsigned kNumEncodings = unsigned(Encoding::MTBUF) + 1;

/// What an operand is for. At most one operand of a row has a given role, so
/// `Instruction::get(Role)` is unambiguous.
enum class Role : uint8_t {
  d,  ///< destination (for stores of memory instructions see `data`)
  d2, ///< second destination: carry-out / mask of VOP3B and VOP2 carry ops
  a,
  b,
  c,     ///< sources 0, 1, 2
  mask,  ///< lane mask read: carry-in, v_cndmask's selector (VCC in VOP2, an SGPR pair in VOP3)
  addr,  ///< VGPR address
  data,  ///< store/atomic data; with `d` present the atomic returns into `d`
  data2, ///< second data operand of DS
  base,  ///< scalar base: SMEM sbase, FLAT-family saddr, buffer descriptor (4 SGPRs)
  soff,  ///< scalar offset of SMEM and buffers
  imm,   ///< the immediate of SOPK / SOPP / s_getreg; branch distance in dwords (signed)
  k,     ///< the 32-bit literal of v_fmaak / v_fmamk / s_setreg_imm32
  scaleA,
  scaleB, ///< scale operands of v_mfma_scale_*
  index,  ///< index VGPR of v_smfmac_*
};

/// Which codes an operand field accepts, and how it prints.
enum class Kind : uint8_t {
  V,    ///< VGPR tuple
  A,    ///< accumulation tuple
  VA,   ///< V or A, chosen by an acc bit of the encoding
  VAC,  ///< as VA, or an inline constant (MFMA src2)
  Src,  ///< 9-bit source: SGPR, constant, literal or VGPR
  SrcS, ///< 9-bit source without VGPR (v_readlane's lane select): SGPR or inline constant
  S,    ///< 7-bit scalar register (also VCC, EXEC, M0, TTMP)
  SSrc, ///< 8-bit scalar source
  SOff, ///< SGPR, M0 or inline constant used as an offset
  Mask, ///< 64-bit lane mask: SGPR pair (VOP3) or implied VCC (VOPC, VOP2)
  Base, ///< SGPR tuple counted in units: sbase (×2), srsrc (×4), saddr (0x7f = off)
  Imm,  ///< immediate, printed in the row's own way
};

/// Element type. Decides the value of inline constants and literals (see inlineConstant()).
enum class Type : uint8_t {
  none,
  b16,
  i16,
  u16,
  f16,
  bf16,
  b32,
  i32,
  u32,
  f32,
  b64,
  i64,
  u64,
  f64,
  v2i16,
  v2u16,
  v2f16,
  v2bf16,
  v2f32,
  raw
};

struct OperandSpec {
  Role role;
  Kind kind;
  Type type;
  uint8_t width; ///< dwords; 0 = depends on the instruction's modifiers (f8f6f4: by cbsz/blgp)
};

/// Implicit reads and writes, and traits that decoding or checking needs.
enum RowFlag : uint32_t {
  kReadsVcc = 1u << 0,
  kWritesVcc = 1u << 1,
  kReadsExec = 1u << 2,
  kWritesExec = 1u << 3,
  kReadsScc = 1u << 4,
  kWritesScc = 1u << 5,
  kReadsM0 = 1u << 6,
  kWritesM0 = 1u << 7,
  kWritesMode = 1u << 8,
  kReadsDst = 1u << 9, ///< the destination is also a source (fmac, dot2c, swap, smfmac, writelane)
  kVmcnt = 1u << 10,   ///< counts in vmcnt
  kLgkmcnt = 1u << 11, ///< counts in lgkmcnt
  kBranch = 1u << 12,  ///< imm is a branch distance in dwords from the next instruction
  kEndsBlock = 1u << 13, ///< control never falls through (s_endpgm, s_branch, s_setpc)
  kLoad = 1u << 14,
  kStore = 1u << 15,
  kAtomic = 1u << 16,
  kDma = 1u << 17,       ///< loads to LDS at M0
  kReturns = 1u << 18,   ///< DS atomics that return; FLAT/MUBUF atomics return when sc0 is set
  kTwoAddr = 1u << 19,   ///< DS with offset0/offset1 separate (read2, write2)
  kKeepsHigh = 1u << 20, ///< writes 16 bits and keeps the other half (D16 loads; see the row's sem)
  kWritesByte = 1u << 22, ///< with kKeepsHigh: writes 8 bits, op_sel[3:2] says which
  kOddTuple = 1u << 21,   ///< its tuples of vector registers may start at an odd one
};

/// Modifiers that the row accepts.
enum RowModifier : uint32_t {
  kAbs = 1u << 0,
  kNeg = 1u << 1,
  kClamp = 1u << 2,
  kOmod = 1u << 3,
  kOpSel = 1u << 4,
  kOpSelHi = 1u << 5,
  kNegLoHi = 1u << 6,
  kSdwa = 1u << 7,
  kDpp = 1u << 8,
  kOffset = 1u << 9,
  kCache = 1u << 10,
  kMfmaBits = 1u << 12,
  kSuffix = 1u << 13,        ///< printed with _e32 / _e64
  kOpSelByte = 1u << 14,     ///< op_sel[3:2] names a byte of the destination, also with two sources
  kSdwaSourceOnly = 1u << 15 ///< SDWA selects the source only (conversions from 8-bit floats)
};

/// Timing class; only a name here, costs belong to the timing model.
enum class Class : uint8_t {
  salu,
  branch,
  program,
  smem,
  valu32,
  valu16,
  valu64,
  trans,
  lane,
  mfma,
  lds,
  vmemLoad,
  vmemStore,
  vmemAtomic,
  dma,
  cache
};

/// Consumer group of the software wait-state table.
enum class Hazard : uint8_t { none, valu, lane, divFmas, mfma, vmem, lds, m0, setreg, salu };

/// One semantic per base mnemonic: Sem::v_add_f32 serves VOP2, VOP3, SDWA and DPP.
enum class Sem : uint16_t {
#define TEGULA_SEM(name) name,
#include "Sim/Decode/Sem.inc"
#undef TEGULA_SEM
};

constexpr unsigned kMaxOperands = 6;

struct IsaRow {
  const char *mnemonic; ///< without _e32/_e64/_sdwa/_dpp
  uint16_t opcode;
  Encoding encoding;
  uint8_t archs; ///< archBit() set
  Sem sem;
  Class cls;
  Hazard hazard;
  uint8_t numOperands;
  OperandSpec operands[kMaxOperands]; ///< in printing order
  uint32_t flags;                     ///< RowFlag
  uint32_t modifiers;                 ///< RowModifier
  bool has(RowFlag f) const { return flags & f; }
  bool has(RowModifier m) const { return modifiers & m; }
};

/// All rows, ordered by encoding, then opcode, then arch. The position is `Op::row`.
extern const IsaRow kIsaRows[];
extern const unsigned kNumIsaRows;
inline uint16_t rowIndex(const IsaRow *row) { return uint16_t(row - kIsaRows); }

/// The row of an opcode, or nullptr.
const IsaRow *findRow(Arch, Encoding, unsigned opcode);
std::string_view encodingName(Encoding);
std::string_view semName(Sem);

} // namespace tegula::sim
