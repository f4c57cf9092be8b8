// Software wait states. A line with `FAULT kind` must be reported, with the line marked EARLIER as
// the other instruction; nothing else may be. Kernels without marks are right.
.include "kernel.inc"

// --- Scalar registers written by vector instructions
kernel readfirstlane_to_descriptor
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s4
  v_mov_b32 v4, 0
  s_nop 0
  v_readfirstlane_b32 s8, v1 // EARLIER
  s_mov_b32 s9, s5
  s_nop 2
  global_load_dword v2, v4, s[8:9] // FAULT wait-states
  s_endpgm
kernel readfirstlane_to_descriptor_right
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s4
  v_mov_b32 v4, 0
  s_nop 0
  v_readfirstlane_b32 s8, v1
  s_mov_b32 s9, s5
  s_nop 3
  global_load_dword v2, v4, s[8:9]
  s_endpgm
kernel readfirstlane_to_offset
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v4, 0
  s_mov_b32 s6, 256
  s_mov_b32 s7, 0x27000
  s_waitcnt lgkmcnt(0)
  s_and_b32 s5, s5, 0xffff
  v_readfirstlane_b32 s8, v1 // EARLIER
  buffer_load_dword v2, v4, s[4:7], s8 offen // FAULT wait-states
  s_endpgm
kernel lane_select
  v_mov_b32 v1, 3
  v_mov_b32 v2, v0
  v_readfirstlane_b32 s4, v1 // EARLIER
  s_nop 2
  v_readlane_b32 s5, v2, s4 // FAULT wait-states
  s_endpgm
kernel lane_select_right
  v_mov_b32 v1, 3
  v_mov_b32 v2, v0
  v_readfirstlane_b32 s4, v1
  s_nop 3
  v_readlane_b32 s5, v2, s4
  s_endpgm
kernel constant_too_early
  v_mov_b32 v1, 3
  s_nop 0
  v_readfirstlane_b32 s4, v1 // EARLIER
  s_nop 0
  v_add_u32 v2, s4, v1 // FAULT wait-states
  s_endpgm
kernel mask_is_no_constant
  v_cmp_gt_u32 vcc, 4, v0
  v_cndmask_b32 v1, 0, v0, vcc
  v_cmp_gt_u32 s[4:5], 4, v0
  v_cndmask_b32 v1, 0, v0, s[4:5]
  v_add_co_u32 v2, vcc, v0, v0
  v_addc_co_u32 v3, vcc, v0, v0, vcc
  s_endpgm
kernel div_fmas_too_early
  v_mov_b32 v1, 1.0
  v_mov_b32 v2, 2.0
  v_div_scale_f32 v3, vcc, v1, v1, v2 // EARLIER
  v_mov_b32 v4, v1
  v_mov_b32 v5, v1
  v_div_fmas_f32 v6, v1, v2, v4 // FAULT wait-states
  s_endpgm
kernel div_fmas_right
  v_mov_b32 v1, 1.0
  v_mov_b32 v2, 2.0
  v_div_scale_f32 v3, vcc, v1, v1, v2
  v_mov_b32 v4, v1
  v_mov_b32 v5, v1
  s_nop 1
  v_div_fmas_f32 v6, v1, v2, v4
  s_endpgm
kernel execz_as_data
  v_cmpx_gt_u32 vcc, 4, v0 // EARLIER
  s_nop 3
  v_mov_b32 v1, src_execz // FAULT wait-states
  s_endpgm

// --- EXEC written by v_cmpx
kernel cmpx_then_dpp
  v_mov_b32 v1, v0
  v_mov_b32 v2, v0
  v_cmpx_gt_u32 vcc, 32, v0 // EARLIER
  s_nop 3
  v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf // FAULT wait-states
  s_endpgm
kernel cmpx_then_dpp_right
  v_mov_b32 v1, v0
  v_mov_b32 v2, v0
  v_cmpx_gt_u32 vcc, 32, v0
  s_nop 4
  v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  s_endpgm
kernel cmpx_then_readfirstlane
  v_mov_b32 v1, v0
  v_cmpx_gt_u32 vcc, 32, v0 // EARLIER
  s_nop 2
  v_readfirstlane_b32 s4, v1 // FAULT wait-states
  s_endpgm
kernel exec_by_scalar_then_readfirstlane
  v_mov_b32 v1, v0
  s_nop 0
  s_mov_b64 exec, 3
  v_readfirstlane_b32 s4, v1
  s_mov_b64 exec, -1
  s_endpgm

// --- Vector registers
kernel written_then_dpp
  v_mov_b32 v2, v0
  v_mov_b32 v1, v0 // EARLIER
  s_nop 0
  v_add_u32_dpp v2, v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf // FAULT wait-states
  s_endpgm
kernel dpp_second_source_is_free
  v_mov_b32 v2, v0
  v_mov_b32 v1, v0
  v_add_u32_dpp v2, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf
  s_endpgm
kernel written_then_lane_read
  v_mov_b32 v1, v0 // EARLIER
  v_readlane_b32 s4, v1, 5 // FAULT wait-states
  s_endpgm
kernel transcendental_too_early
  v_cvt_f32_u32 v1, v0
  v_rcp_f32 v2, v1 // EARLIER
  v_add_f32 v3, v2, v1 // FAULT wait-states
  s_endpgm
kernel transcendental_right
  v_cvt_f32_u32 v1, v0
  v_rcp_f32 v2, v1
  v_sqrt_f32 v2, v2
  s_nop 0
  v_add_f32 v3, v2, v1
  s_endpgm
kernel sdwa_part_too_early
  v_mov_b32 v1, v0
  v_mov_b32 v2, v0
  v_add_u16_sdwa v1, v0, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD // EARLIER
  v_add_u32 v2, v1, v0 // FAULT wait-states
  s_endpgm
kernel high_half_overwritten_too_early
  v_mov_b32 v1, v0
  v_fma_f16 v1, v0, v0, v0 op_sel:[0,0,0,1] // EARLIER
  v_mov_b32 v1, 0 // FAULT wait-states
  s_endpgm
kernel dot_then_other
  v_mov_b32 v1, v0
  v_dot2_f32_f16 v2, v0, v1, v0 // EARLIER
  s_nop 1
  v_add_f32 v3, v2, v0 // FAULT wait-states
  s_endpgm
kernel dot_chain
  v_mov_b32 v1, v0
  v_dot2_f32_f16 v2, v0, v1, v0
  v_dot2_f32_f16 v2, v0, v1, v2
  s_nop 2
  v_add_f32 v3, v2, v0
  s_endpgm
kernel store_data_overwritten
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  v_mov_b32 v6, v0
  v_mov_b32 v7, v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v1, v[4:7], s[6:7] // EARLIER
  s_nop 0
  v_mov_b32 v7, 0 // FAULT wait-states
  s_endpgm
kernel narrow_store_data_overwritten
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 3, v0
  v_mov_b32 v4, v0
  v_mov_b32 v5, v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx2 v1, v[4:5], s[6:7]
  v_mov_b32 v5, 0
  s_endpgm

// --- Scalar instructions
kernel setreg_vskip_then_vector
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1 // EARLIER
  s_nop 0
  v_mov_b32 v1, 0 // FAULT wait-states
  s_setvskip 0, 0
  s_endpgm
kernel setreg_vskip_then_load
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 20, 12), 0 // EARLIER
  global_load_dword v2, v1, s[4:5] // FAULT wait-states
  s_endpgm
kernel setreg_vskip_then_lds, 256
  v_mov_b32 v1, 0
  s_movk_i32 s4, 0
  s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s4 // EARLIER
  ds_write_b32 v1, v1 // FAULT wait-states
  s_endpgm
kernel setreg_vskip_right
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
  s_nop 1
  v_mov_b32 v1, 0
  s_setvskip 0, 0
  v_mov_b32 v1, 0
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3
  v_mov_b32 v1, 0
  s_endpgm
kernel setvskip_then_getreg
  s_setvskip 0, 0 // EARLIER
  s_nop 0
  s_getreg_b32 s4, hwreg(HW_REG_MODE) // FAULT wait-states
  s_setvskip 0, 0
  s_nop 1
  s_getreg_b32 s4, hwreg(HW_REG_MODE)
  s_endpgm
kernel mode_read_too_early
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3 // EARLIER
  s_nop 0
  s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4) // FAULT wait-states
  s_endpgm
kernel m0_then_load_to_lds, 1024 // a note: production kernels do it
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0 // EARLIER
  global_load_lds_dword v1, s[4:5] // FAULT wait-states note
  s_waitcnt vmcnt(0)
  s_endpgm
kernel vcc_half_then_vccz
  s_mov_b64 vcc, 0
  s_mov_b32 vcc_lo, 1 // EARLIER
  s_cbranch_vccz 1f // FAULT wait-states warning
1:
  s_endpgm
kernel whole_vcc_then_vccz
  s_mov_b64 vcc, 0
  s_cbranch_vccz 1f
  s_nop 0
1:
  s_endpgm

// --- Matrix instructions
.macro matrix_registers
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_nop 1
.endm
kernel source_written_too_early
  matrix_registers
  v_mov_b32 v2, 0 // EARLIER
  s_nop 0
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11] // FAULT wait-states
  s_endpgm
kernel accumulator_written_too_early
  matrix_registers
  v_mov_b32 v9, 0 // EARLIER
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11] // FAULT wait-states
  s_endpgm
kernel result_read_too_early
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_nop 5
  v_add_f32 v12, v11, v0 // FAULT wait-states
  s_endpgm
kernel result_stored_too_early
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  matrix_registers
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_nop 4
  global_store_dwordx4 v1, v[8:11], s[6:7] // FAULT wait-states
  s_endpgm
kernel result_overwritten_too_early
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_nop 2
  v_mov_b32 v8, 0 // FAULT wait-states
  s_endpgm
kernel result_multiplied_too_early
  matrix_registers
  v_mfma_f32_32x32x8_f16 v[16:31], v[2:3], v[4:5], 0 // EARLIER
  s_nop 9
  v_mfma_f32_16x16x16_f16 v[8:11], v[16:17], v[4:5], 0 // FAULT wait-states
  s_endpgm
kernel chain_on_one_accumulator
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]
  v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], 0
  v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]
  s_nop 15
  s_nop 3
  v_accvgpr_read_b32 v12, a15
  s_endpgm
kernel small_chain_too_fast
  matrix_registers
  v_mfma_f32_4x4x4_16b_f16 v[8:11], v[2:3], v[4:5], v[8:11] // EARLIER
  s_nop 0
  v_mfma_f32_4x4x4_16b_f16 v[8:11], v[2:3], v[4:5], v[8:11] // FAULT wait-states
  s_endpgm
kernel overlapping_accumulators
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_nop 3
  v_mfma_f32_32x32x8_f16 v[24:39], v[2:3], v[4:5], v[8:23] // FAULT wait-states
  s_endpgm
kernel accumulators_that_move
  matrix_registers
  v_mfma_f32_16x16x4_f32 v[8:11], v2, v4, 0
  v_mfma_f32_16x16x4_f32 v[6:9], v2, v4, v[8:11]
  v_mfma_f32_16x16x4_f32 v[6:9], v2, v4, v[6:9]
  s_endpgm
kernel part_of_a_moved_accumulator
  matrix_registers
  v_mfma_f32_16x16x4_f32 v[8:11], v2, v4, 0 // EARLIER
  v_mfma_f32_16x16x4_f32 v[6:9], v2, v4, v[8:11]
  v_mfma_f32_16x16x4_f32 v[10:13], v2, v4, v[10:13] // FAULT wait-states
  s_endpgm
kernel addend_overwritten_too_early
  matrix_registers
  v_mfma_f32_16x16x16_f16 v[12:15], v[2:3], v[4:5], v[8:11] // EARLIER
  s_nop 1
  v_mov_b32 v8, 0 // FAULT wait-states
  s_endpgm
kernel f32_result_read_too_early
  matrix_registers
  v_mfma_f32_16x16x4_f32 v[8:11], v2, v4, 0 // EARLIER
  s_nop 8
  v_add_f32 v12, v11, v0 // FAULT wait-states
  s_endpgm
kernel f32_result_right
  matrix_registers
  v_mfma_f32_16x16x4_f32 v[8:11], v2, v4, 0
  s_nop 9
  v_add_f32 v12, v11, v0
  s_endpgm
kernel f64_result_read_too_early
  matrix_registers
  v_mfma_f64_16x16x4_f64 v[16:23], v[2:3], v[4:5], 0 // EARLIER
  s_nop 8
  v_mov_b32 v12, v23 // FAULT wait-states
  s_endpgm
kernel exec_then_matrix
  matrix_registers
  v_cmpx_gt_u32 vcc, 64, v0 // EARLIER
  s_nop 2
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11] // FAULT wait-states
  s_endpgm

// --- Across branches: what really ran before counts, and nothing else
kernel across_a_branch
  matrix_registers
  s_mov_b32 s4, 2
1:
  v_add_f32 v12, v11, v0 // FAULT wait-states
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 // EARLIER
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 1b
  s_endpgm
kernel jumped_over
  matrix_registers
  s_branch 1f
  v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0
1:
  v_add_f32 v12, v11, v0
  s_endpgm
kernel many_short_blocks
  matrix_registers
  v_mfma_f32_32x32x8_f16 v[16:31], v[2:3], v[4:5], 0 // EARLIER
  s_branch 1f
1:
  s_branch 2f
2:
  s_branch 3f
3:
  s_branch 4f
4:
  v_add_f32 v12, v31, v0 // FAULT wait-states
  s_endpgm

// --- Right: an offset of a load to LDS is not M0; a load brings its data later than an addend is read
kernel offset_then_load_to_lds, 1024
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 m0, 0
  s_mov_b32 s6, 4096
  s_mov_b32 s7, 0x27000
  s_waitcnt lgkmcnt(0)
  s_and_b32 s5, s5, 0xffff
  s_mov_b32 s8, 64
  buffer_load_dword v1, s[4:7], s8 offen lds
  s_endpgm
kernel load_over_an_addend
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  .irp r, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  v_mov_b32 v\r, 0
  .endr
  s_waitcnt lgkmcnt(0)
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[12:15], v[4:5], v[6:7], v[8:11]
  global_load_dwordx4 v[8:11], v1, s[4:5]
  s_endpgm
