// Wait states of instructions that only gfx950 has, and the distances that differ from gfx942.
.include "kernel.inc"
.macro matrix_registers
  .irp r, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  v_mov_b32 v\r, 0
  .endr
  s_nop 1
.endm
kernel one_state_more
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_nop 6
  v_add_f32 v12, v11, v0 // FAULT wait-states
  s_endpgm
kernel eight_passes
  matrix_registers
  v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[2:9], v[10:17], 0 // EARLIER
  s_nop 10
  v_add_f32 v1, v23, v0 // FAULT wait-states
  s_endpgm
kernel four_passes
  matrix_registers
  v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[2:5], v[10:13], 0 cbsz:4 blgp:4
  s_nop 7
  v_add_f32 v1, v23, v0
  s_endpgm
kernel scale_too_early
  matrix_registers
  v_mov_b32 v1, 127
  s_nop 0
  v_mov_b32 v18, 127 // EARLIER
  v_mfma_scale_f32_16x16x128_f8f6f4 v[20:23], v[2:5], v[10:13], 0, v1, v18 op_sel_hi:[0,0,0] cbsz:4 blgp:4 // FAULT wait-states
  s_endpgm
kernel lane_swap_too_early
  v_mov_b32 v2, v0
  v_mov_b32 v1, v0 // EARLIER
  s_nop 0
  v_permlane32_swap_b32 v1, v2 // FAULT wait-states
  s_endpgm
kernel lane_swap_right
  v_mov_b32 v2, v0
  v_mov_b32 v1, v0
  s_nop 1
  v_permlane32_swap_b32 v1, v2
  s_endpgm
kernel fp4_high_byte_too_early
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1.0
  v_cvt_scalef32_pk_fp4_f32 v1, v2, v2, v2 op_sel:[0,0,1,0] // EARLIER
  v_add_u32 v3, v1, v0 // FAULT wait-states
  s_endpgm
kernel fp4_low_byte
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1.0
  v_cvt_scalef32_pk_fp4_f32 v1, v2, v2, v2
  v_add_u32 v3, v1, v0
  s_endpgm
kernel fp4_stochastic_too_early
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, 1.0
  v_cvt_scalef32_sr_pk_fp4_f32 v1, v[2:3], v2, v2 // EARLIER
  v_add_u32 v3, v1, v0 // FAULT wait-states
  s_endpgm
