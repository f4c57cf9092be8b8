// The chips Tegula compiles for, as plain tables. Everything that differs between them is a field
// here and is asked for by name: no other component compares architecture strings.
#ifndef TEGULA_TARGET_TARGET_H
#define TEGULA_TARGET_TARGET_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// One basis vector of a linear layout: a value per coordinate, whose bits are bits of that
/// coordinate.
using Basis = std::vector<int32_t>;
using Bases = std::vector<Basis>;

/// Where the elements of one operand of a matrix instruction live. `item[i]` is the coordinate that
/// bit i of the item number contributes (items are elements, counted from bit 0 of a lane's first
/// register), `lane[i]` that of bit i of the lane. Contributions combine with XOR. Coordinates of A
/// are (m, k), of B (k, n), of D (m, n); an instruction of several blocks has the block number in
/// front.
struct OperandLayout {
  Bases item;
  Bases lane;
};

/// One dense matrix instruction with one pair of element types.
struct MfmaInst {
  std::string mnemonic; ///< as the assembler spells it
  std::string
      rocdl; ///< the op of the rocdl dialect; f8f6f4 has one (scaled) op for every format pair
  std::string shape; ///< "16x16x32": M x N x K of one block
  int M, N, K, blocks;
  std::string aType, bType, cType; ///< dtype names, f8 flavour included
  int aRegs, bRegs, cRegs;         ///< 32-bit registers per lane
  int cycles;                      ///< clocks during which the matrix unit of a SIMD is busy
  bool formats; ///< an f8f6f4 row: operand formats are fields of the instruction, scales allowed
  OperandLayout a, b, d;
};

/// The LDS instructions whose bank phases differ.
enum class LdsOp {
  ReadB32,
  ReadB64,
  ReadB96,
  ReadB128,
  ReadTrB64,
  WriteB32,
  WriteB64,
  WriteB96,
  WriteB128,
};

/// How one LDS instruction is served: lanes whose phase numbers agree compete for banks. Bit i of a
/// lane's phase is the parity of `lane & masks[i]`, so a phase is a coset of a subspace of the lane
/// bits.
struct LdsPhases {
  std::vector<uint8_t> masks;
  int banks; ///< 4-byte banks
  int bytes; ///< per lane
};

struct Target {
  // The same on every CDNA chip; layouts rely on them without asking for a target.
  static constexpr int waveSize = 64;
  static constexpr int maxWavesPerWorkgroup = 16;
  static constexpr int cacheLineBytes = 128;
  static constexpr int vgprsPerSimdLane =
      512; ///< architectural and accumulation registers together

  std::string name; ///< as LLVM's -mcpu
  std::string product;
  int elfMach; ///< low byte of e_flags
  int waveSlotsPerSimd = 8;
  int simdsPerCu = 4;
  int barriersPerCu = 16; ///< workgroups of several waves
  int vgprGranule = 8;    ///< registers are given to a wave in blocks
  int maxArchVgprs = 256; ///< of one wave; as many accumulation registers again
  int ldsBytes;           ///< of a compute unit, and the limit of a workgroup
  int ldsGranule;
  std::vector<int> dmaWidths; ///< bytes per lane of a direct global-to-LDS copy
  int xcds;
  int cus;
  int clockMHz;
  double hbmTBs;
  std::string fp8Type, bf8Type; ///< the flavour of the plain fp8 and bf8 instructions
  bool hasDsReadTranspose;      ///< ds_read_b64_tr_*
  bool hasPermlaneSwap;         ///< v_permlane16_swap, v_permlane32_swap
  bool hasBf16Cvt;              ///< v_cvt_pk_bf16_f32
  bool hasMinimum3;             ///< v_minimum3_f32, v_maximum3_f32: of NaN they give NaN
  bool hasScaledMfma;
  std::vector<MfmaInst> mfma;

  /// The dtype in which the matrix unit takes elements of one: f16, which holds all their numbers,
  /// for the f8 flavour that it lacks.
  std::string_view multipliedAs(std::string_view dtype) const;
  /// The one-block or multi-block row of this shape ("16x16x32") that multiplies such elements, or
  /// null.
  const MfmaInst *findMfma(std::string_view shape, std::string_view aType,
                           std::string_view bType) const;
  /// All one-block rows that multiply a pair of element types, in table order.
  std::vector<const MfmaInst *> mfmaFor(std::string_view aType, std::string_view bType) const;
  /// Waves of a SIMD when `workgroups` of so many waves share a compute unit.
  int64_t wavesPerSimd(int64_t wavesPerWorkgroup, int64_t workgroups) const;
  /// Registers a lane may use when `workgroups` of so many waves are to share a compute unit; 0
  /// when there are no slots for as many waves.
  int vgprsPerWave(int64_t wavesPerWorkgroup, int64_t workgroups) const;
  /// Bytes of LDS that each may have when `workgroups` are to share a compute unit.
  int64_t ldsPerWorkgroup(int64_t workgroups) const;
  /// Workgroups of so many waves, each with that many registers a lane, that a compute unit holds
  /// at once; at least 1.
  int64_t workgroupsPerCu(int64_t waves, int64_t vgprs, int64_t ldsBytes) const;
  LdsPhases phases(LdsOp op) const;
  bool hasDmaWidth(int bytes) const;
  /// Whether an instruction converts f32 to and from this dtype (of at most 8 bits).
  bool convertsNarrow(std::string_view dtype) const;

  std::vector<LdsPhases> phaseTable; ///< indexed by LdsOp
};

/// The table row of a target, or null when there is none of that name.
const Target *lookupTarget(std::string_view name);
std::vector<std::string_view> targetNames();

/// Bits of one element of a dtype name ("bf16" → 16), 0 when unknown.
int dtypeBits(std::string_view dtype);

} // namespace tegula

#endif // TEGULA_TARGET_TARGET_H
