// Shape and types of each matrix instruction, but for the f8f6f4 forms.
#pragma once

#include "Sim/Decode/Isa.h"

namespace tegula::sim {

enum class MfmaType : uint8_t { F32, Xf32, F16, Bf16, Fp8, Bf8, I8, F64 };

/// Elements of an operand in a register of a lane; of f64, half a one.
constexpr unsigned itemsPerRegister(MfmaType t) {
  return t == MfmaType::Bf16 || t == MfmaType::F16                       ? 2
         : t == MfmaType::I8 || t == MfmaType::Fp8 || t == MfmaType::Bf8 ? 4
                                                                         : 1;
}

struct MfmaShape {
  Sem sem;
  uint8_t m, k, blocks; ///< N = M
  MfmaType aType, bType;

  /// Registers of a lane that hold B, and those of 32-bit results.
  constexpr unsigned bRegs() const { return m * k * blocks / 64 / itemsPerRegister(bType); }
  constexpr unsigned dRegs() const { return m * m * blocks / 64; }
};

// Op::aux of matrix ops: cbsz [2:0], abid [6:3], blgp [9:7], and
constexpr uint16_t kMfmaScaled = 1u << 14, kMfmaConstC = 1u << 15;

constexpr MfmaShape kMfmaShapes[] = {
    {Sem::v_mfma_f32_16x16x16_bf16, 16, 16, 1, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_16x16x16_f16, 16, 16, 1, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_16x16x1_4b_f32, 16, 1, 4, MfmaType::F32, MfmaType::F32},
    {Sem::v_mfma_f32_16x16x32_bf16, 16, 32, 1, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_16x16x32_bf8_bf8, 16, 32, 1, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_mfma_f32_16x16x32_bf8_fp8, 16, 32, 1, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_mfma_f32_16x16x32_f16, 16, 32, 1, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_16x16x32_fp8_bf8, 16, 32, 1, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_mfma_f32_16x16x32_fp8_fp8, 16, 32, 1, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_mfma_f32_16x16x4_4b_bf16, 16, 4, 4, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_16x16x4_4b_f16, 16, 4, 4, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_16x16x4_f32, 16, 4, 1, MfmaType::F32, MfmaType::F32},
    {Sem::v_mfma_f32_16x16x8_xf32, 16, 8, 1, MfmaType::Xf32, MfmaType::Xf32},
    {Sem::v_mfma_f32_32x32x16_bf16, 32, 16, 1, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_32x32x16_bf8_bf8, 32, 16, 1, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_mfma_f32_32x32x16_bf8_fp8, 32, 16, 1, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_mfma_f32_32x32x16_f16, 32, 16, 1, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_32x32x16_fp8_bf8, 32, 16, 1, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_mfma_f32_32x32x16_fp8_fp8, 32, 16, 1, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_mfma_f32_32x32x1_2b_f32, 32, 1, 2, MfmaType::F32, MfmaType::F32},
    {Sem::v_mfma_f32_32x32x2_f32, 32, 2, 1, MfmaType::F32, MfmaType::F32},
    {Sem::v_mfma_f32_32x32x4_2b_bf16, 32, 4, 2, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_32x32x4_2b_f16, 32, 4, 2, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_32x32x4_xf32, 32, 4, 1, MfmaType::Xf32, MfmaType::Xf32},
    {Sem::v_mfma_f32_32x32x8_bf16, 32, 8, 1, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_32x32x8_f16, 32, 8, 1, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f32_4x4x1_16b_f32, 4, 1, 16, MfmaType::F32, MfmaType::F32},
    {Sem::v_mfma_f32_4x4x4_16b_bf16, 4, 4, 16, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_mfma_f32_4x4x4_16b_f16, 4, 4, 16, MfmaType::F16, MfmaType::F16},
    {Sem::v_mfma_f64_16x16x4_f64, 16, 4, 1, MfmaType::F64, MfmaType::F64},
    {Sem::v_mfma_f64_4x4x4_4b_f64, 4, 4, 4, MfmaType::F64, MfmaType::F64},
    {Sem::v_mfma_i32_16x16x32_i8, 16, 32, 1, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_16x16x4_4b_i8, 16, 4, 4, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_16x16x64_i8, 16, 64, 1, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_32x32x16_i8, 32, 16, 1, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_32x32x32_i8, 32, 32, 1, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_32x32x4_2b_i8, 32, 4, 2, MfmaType::I8, MfmaType::I8},
    {Sem::v_mfma_i32_4x4x4_16b_i8, 4, 4, 16, MfmaType::I8, MfmaType::I8},
};
constexpr unsigned kNumMfmaShapes = sizeof kMfmaShapes / sizeof kMfmaShapes[0];

/// Two of every four k of A are stored; an index register says which.
struct SparseShape {
  Sem sem;
  uint8_t m, k; ///< N = M; k of the dense B
  MfmaType aType, bType;
};
constexpr SparseShape kSparseShapes[] = {
    {Sem::v_smfmac_f32_16x16x128_bf8_bf8, 16, 128, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_16x16x128_bf8_fp8, 16, 128, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_16x16x128_fp8_bf8, 16, 128, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_16x16x128_fp8_fp8, 16, 128, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_16x16x32_bf16, 16, 32, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_smfmac_f32_16x16x32_f16, 16, 32, MfmaType::F16, MfmaType::F16},
    {Sem::v_smfmac_f32_16x16x64_bf16, 16, 64, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_smfmac_f32_16x16x64_bf8_bf8, 16, 64, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_16x16x64_bf8_fp8, 16, 64, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_16x16x64_f16, 16, 64, MfmaType::F16, MfmaType::F16},
    {Sem::v_smfmac_f32_16x16x64_fp8_bf8, 16, 64, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_16x16x64_fp8_fp8, 16, 64, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_32x32x16_bf16, 32, 16, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_smfmac_f32_32x32x16_f16, 32, 16, MfmaType::F16, MfmaType::F16},
    {Sem::v_smfmac_f32_32x32x32_bf16, 32, 32, MfmaType::Bf16, MfmaType::Bf16},
    {Sem::v_smfmac_f32_32x32x32_bf8_bf8, 32, 32, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_32x32x32_bf8_fp8, 32, 32, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_32x32x32_f16, 32, 32, MfmaType::F16, MfmaType::F16},
    {Sem::v_smfmac_f32_32x32x32_fp8_bf8, 32, 32, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_32x32x32_fp8_fp8, 32, 32, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_32x32x64_bf8_bf8, 32, 64, MfmaType::Bf8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_32x32x64_bf8_fp8, 32, 64, MfmaType::Bf8, MfmaType::Fp8},
    {Sem::v_smfmac_f32_32x32x64_fp8_bf8, 32, 64, MfmaType::Fp8, MfmaType::Bf8},
    {Sem::v_smfmac_f32_32x32x64_fp8_fp8, 32, 64, MfmaType::Fp8, MfmaType::Fp8},
    {Sem::v_smfmac_i32_16x16x128_i8, 16, 128, MfmaType::I8, MfmaType::I8},
    {Sem::v_smfmac_i32_16x16x64_i8, 16, 64, MfmaType::I8, MfmaType::I8},
    {Sem::v_smfmac_i32_32x32x32_i8, 32, 32, MfmaType::I8, MfmaType::I8},
    {Sem::v_smfmac_i32_32x32x64_i8, 32, 64, MfmaType::I8, MfmaType::I8},
};
constexpr unsigned kNumSparseShapes = sizeof kSparseShapes / sizeof kSparseShapes[0];

} // namespace tegula::sim
