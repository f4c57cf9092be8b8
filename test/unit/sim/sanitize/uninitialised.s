// Undefined data. See wait-states.s for the marks: EARLIER is the load that brought it, if any.
.include "kernel.inc"
// s[4:5] in, s[6:7] out, s[8:9] undefined memory.
.macro pointers
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
.endm
.macro store register
  global_store_dword v1, \register, s[6:7]
.endm

// --- Registers
kernel register_stored
  pointers
  global_store_dword v1, v5, s[6:7] // FAULT uninitialised
  s_endpgm
kernel register_as_address
  pointers
  global_load_dword v2, v5, s[4:5] // FAULT uninitialised
  s_endpgm
kernel scalar_register_in_descriptor
  pointers
  s_mov_b32 s6, 1024
  s_mov_b32 s7, s20
  s_and_b32 s5, s5, 0xffff
  buffer_load_dword v2, v1, s[4:7], 0 offen // FAULT descriptor FAULT uninitialised
  s_endpgm
kernel scalar_register_decides_a_branch
  s_cmp_eq_u32 s20, 0
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  s_endpgm
kernel condition_code_decides_a_branch
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  s_endpgm
kernel vcc_decides_a_branch
  s_cbranch_vccz 1f // FAULT uninitialised
1:
  s_endpgm
kernel register_decides_exec
  v_cmp_lt_u32 vcc, v5, v0
  s_and_saveexec_b64 s[4:5], vcc // FAULT uninitialised
  s_endpgm
kernel register_decides_exec_by_cmpx
  v_cmpx_lt_u32 vcc, v5, v0 // FAULT uninitialised
  s_endpgm
kernel lane_number_is_undefined
  s_nop 3
  v_readlane_b32 s4, v0, s20 // FAULT uninitialised
  s_endpgm
kernel what_is_skipped_is_undefined
  s_setvskip s20, 0 // FAULT uninitialised
  s_setvskip 0, 0
  s_endpgm
kernel bit_that_skips_is_undefined
  s_setvskip 0, s20 // FAULT uninitialised
  s_setvskip 0, 0
  s_endpgm
kernel mode_is_undefined
  s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s20 // FAULT uninitialised
  s_endpgm
kernel m0_is_undefined, 1024
  pointers
  global_load_lds_dword v1, s[4:5] // FAULT uninitialised
  s_waitcnt vmcnt(0)
  s_endpgm
kernel half_of_a_register
  pointers
  v_cvt_f16_u16_sdwa v5, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0
  s_nop 0
  v_lshlrev_b32 v6, 16, v5
  v_lshrrev_b32 v7, 16, v5
  global_store_dword v1, v7, s[6:7]
  global_store_dword v1, v6, s[6:7] // FAULT uninitialised
  s_endpgm
kernel some_lanes
  pointers
  v_cmp_gt_u32 vcc, 32, v0
  s_and_saveexec_b64 s[10:11], vcc
  v_mov_b32 v5, 1
  s_mov_b64 exec, s[10:11]
  global_store_dword v1, v5, s[6:7] // FAULT uninitialised
  s_endpgm
kernel one_lane_through_scalars
  pointers
  v_writelane_b32 v5, s4, 3
  s_nop 0
  v_readlane_b32 s10, v5, 3
  v_readlane_b32 s11, v5, 4
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc1 1f
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  s_endpgm
kernel through_arithmetic
  pointers
  v_add_u32 v6, v5, v0
  v_mul_lo_u32 v6, v6, v0
  v_cvt_f32_u32 v6, v6
  v_fma_f32 v6, v6, v6, 1.0
  store v6 // FAULT uninitialised
  s_endpgm
kernel through_a_permutation
  pointers
  v_mov_b32 v6, 0
  v_mov_b32 v6, v0
  s_mov_b32 s10, 0x07060100
  v_perm_b32 v7, v5, v6, s10
  v_and_b32 v8, 0xffff, v7
  store v8
  store v7 // FAULT uninitialised
  s_endpgm
kernel carry_is_undefined
  pointers
  v_add_co_u32 v6, vcc, v5, v0
  v_addc_co_u32 v7, vcc, v0, v0, vcc
  store v7 // FAULT uninitialised
  s_endpgm
kernel selector_is_undefined
  pointers
  v_cmp_eq_u32 vcc, 0, v5
  v_cndmask_b32 v6, 1, v0, vcc
  store v6 // FAULT uninitialised
  s_endpgm
kernel dpp_of_undefined
  pointers
  v_mov_b32 v6, 0
  s_nop 1
  v_mov_b32_dpp v6, v5 row_shr:1 row_mask:0xf bank_mask:0xf
  store v6 // FAULT uninitialised
  s_endpgm
kernel matrix_row
  pointers
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  v_mov_b32 v12, 0
  v_cmp_ne_u32 vcc, 3, v0
  s_and_saveexec_b64 s[10:11], vcc
  v_mov_b32 v13, 0
  s_mov_b64 exec, s[10:11]
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[14:17], v[10:11], v[12:13], 0
  s_nop 15
  v_cmp_eq_u32 vcc, 4, v0
  s_and_saveexec_b64 s[10:11], vcc
  store v14
  s_mov_b64 exec, s[10:11]
  store v14 // FAULT uninitialised
  s_endpgm
kernel addend
  pointers
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  v_mov_b32 v14, 0
  v_mov_b32 v15, 0
  v_mov_b32 v16, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[14:17], v[10:11], v[10:11], v[14:17]
  s_nop 15
  store v16
  store v17 // FAULT uninitialised
  s_endpgm
kernel atomic_operand
  pointers
  global_atomic_add v1, v5, s[6:7] // FAULT uninitialised
  s_endpgm

// --- LDS
kernel lds_never_written, 1024
  pointers
  ds_read_b32 v5, v1 // EARLIER
  s_waitcnt lgkmcnt(0)
  store v5 // FAULT uninitialised
  s_endpgm
kernel lds_half_written, 1024
  pointers
  ds_write_b16 v1, v0
  ds_read_b32 v5, v1 // EARLIER
  s_waitcnt lgkmcnt(0)
  v_and_b32 v6, 0xffff, v5
  store v6
  store v5 // FAULT uninitialised
  s_endpgm
kernel register_through_lds, 1024
  pointers
  ds_write_b32 v1, v5
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  store v6 // FAULT uninitialised
  s_endpgm
kernel lds_read_without_use, 1024
  pointers
  ds_read_b32 v5, v1
  ds_read2_b32 v[6:7], v1 offset1:1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v6
  v_cmp_eq_u32 vcc, 0, v5
  v_mov_b32 v5, 0
  store v5
  s_endpgm
kernel permuted_lanes
  pointers
  v_cmp_gt_u32 vcc, 32, v0
  s_and_saveexec_b64 s[10:11], vcc
  v_mov_b32 v5, 1
  s_mov_b64 exec, s[10:11]
  v_and_b32 v6, 31, v0
  v_lshlrev_b32 v6, 2, v6
  ds_bpermute_b32 v7, v6, v5
  ds_bpermute_b32 v8, v1, v5
  s_waitcnt lgkmcnt(0)
  store v7
  store v8 // FAULT uninitialised
  s_endpgm
kernel load_to_lds_of_undefined, 1024
  pointers
  s_mov_b32 m0, 0
  s_nop 0
  global_load_lds_dword v1, s[8:9] // EARLIER
  s_waitcnt vmcnt(0)
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  store v5 // a copy
  global_load_dword v6, v5, s[4:5] // FAULT uninitialised
  s_endpgm

// --- Scratch
kernel scratch_never_written, 0, 64
  pointers
  scratch_store_dword off, v0, off offset:4
  s_waitcnt vmcnt(0)
  scratch_load_dword v5, off, off offset:4
  scratch_load_dword v6, off, off offset:8 // EARLIER
  s_waitcnt vmcnt(0)
  store v5
  store v6 // FAULT uninitialised
  s_endpgm

// --- Global memory
kernel memory_decides_a_branch
  pointers
  s_load_dword s10, s[8:9], 0x0 // EARLIER
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  s_endpgm
kernel memory_decides_an_address
  pointers
  global_load_dword v5, v1, s[8:9] // EARLIER
  s_waitcnt vmcnt(0)
  global_load_dword v6, v5, s[4:5] // FAULT uninitialised
  s_endpgm
kernel copied_and_then_used
  pointers
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v5, s[6:7]
  s_waitcnt vmcnt(0)
  global_load_dword v6, v1, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_and_saveexec_b64 s[10:11], vcc // FAULT uninitialised
  s_endpgm
kernel memory_written_first
  pointers
  global_store_dword v1, v0, s[8:9]
  s_waitcnt vmcnt(0)
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  store v5
  s_endpgm
kernel part_of_memory_written
  pointers
  global_store_byte v1, v0, s[8:9]
  s_waitcnt vmcnt(0)
  global_load_ubyte v5, v1, s[8:9]
  global_load_ushort v6, v1, s[8:9] // EARLIER
  s_waitcnt vmcnt(0)
  v_cmp_eq_u32 vcc, 0, v5
  s_and_b64 vcc, vcc, exec
  s_cbranch_vccz 1f
1:
  v_cmp_eq_u32 vcc, 200, v6
  s_and_b64 vcc, vcc, exec
  s_cbranch_vccz 2f
2:
  global_load_dword v7, v6, s[4:5] // FAULT uninitialised
  s_endpgm
kernel kernarg_padding
  s_load_dwordx8 s[12:19], s[0:1], 0x0 // EARLIER
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s18, 0
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  s_endpgm

// --- By lanes: what is named is where the lane's bits come from, whichever operand that is
.macro split_lanes // v5: lanes 0-31 never written, 32-63 of undefined memory
  pointers
  s_mov_b64 s[10:11], exec
  s_mov_b32 exec_lo, 0
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, s[10:11]
.endm
kernel copied_lanes_are_no_fault_but_others_are
  split_lanes
  v_mov_b32 v6, v5
  s_mov_b32 exec_lo, 0
  store v6
  s_mov_b64 exec, s[10:11]
  store v6 // FAULT uninitialised
  s_endpgm
kernel sum_of_undefined_memory_in_either_order
  pointers
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  v_add_u32 v6, v5, v0
  v_add_u32 v7, v0, v5
  v_add_f32 v8, v5, v5
  store v6
  store v7
  store v8
  s_endpgm
kernel sum_with_a_register_first
  pointers
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  v_add_u32 v6, v20, v5
  store v6 // FAULT uninitialised
  s_endpgm
kernel sum_with_a_register_second
  pointers
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  v_add_u32 v6, v5, v20
  store v6 // FAULT uninitialised
  s_endpgm
kernel sum_by_lanes
  split_lanes
  v_add_u32 v6, v5, v0
  s_mov_b32 exec_lo, 0
  store v6
  s_endpgm
kernel memory_decides_in_some_lanes // the register's lanes are defined by then
  split_lanes
  s_mov_b32 exec_hi, 0
  v_mov_b32 v5, 0
  s_mov_b64 exec, s[10:11]
  v_add_u32 v6, v5, v0
  store v6
  v_mov_b32 v7, v20
  s_mov_b32 exec_lo, 0
  v_mov_b32 v7, v5
  store v7
  s_mov_b64 exec, s[10:11]
  s_endpgm
kernel selected_side_is_named
  pointers
  global_load_dword v5, v1, s[8:9]
  s_waitcnt vmcnt(0)
  v_cmp_gt_u32 vcc, 64, v0
  v_cndmask_b32 v6, v20, v5, vcc
  store v6
  s_endpgm
kernel permuted_lanes_by_dpp
  split_lanes
  s_nop 1
  v_mov_b32_dpp v6, v5 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:0
  s_mov_b32 exec_lo, 0
  store v6
  s_endpgm
kernel permuted_lanes_by_crossbar
  split_lanes
  v_xor_b32 v7, 32, v0
  v_lshlrev_b32 v7, 2, v7
  ds_bpermute_b32 v6, v7, v5
  s_waitcnt lgkmcnt(0)
  s_mov_b32 exec_hi, 0
  store v6
  s_endpgm
kernel lanes_through_lds, 256
  split_lanes
  ds_write_b32 v1, v5
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 exec_lo, 0
  store v6
  s_endpgm
kernel lanes_through_scratch, 0, 64
  split_lanes
  scratch_store_dword off, v5, off offset:4
  s_waitcnt vmcnt(0)
  scratch_load_dword v6, off, off offset:4
  s_waitcnt vmcnt(0)
  s_mov_b32 exec_lo, 0
  store v6
  s_endpgm
kernel one_lane_of_two_kinds
  split_lanes
  s_nop 3
  v_readlane_b32 s20, v5, 40
  s_nop 1
  v_mov_b32 v6, s20
  store v6
  v_readlane_b32 s21, v5, 4
  s_nop 1
  v_mov_b32 v7, s21
  store v7 // FAULT uninitialised
  s_endpgm

// --- Right: what looks undefined and is not, or decides nothing
kernel kernarg_loaded_past_its_end
  s_load_dwordx8 s[12:19], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[14:15]
  s_endpgm
kernel whole_wave_mode
  // EXEC = −1 over lanes that the program has not given values
  pointers
  s_mov_b64 exec, 0xff
  v_mov_b32 v5, v0
  s_or_saveexec_b64 s[10:11], -1
  v_mov_b32 v6, v5
  s_nop 1
  v_add_u32_dpp v6, v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf
  s_mov_b64 exec, s[10:11]
  s_mov_b64 exec, 0x7f
  store v5
  s_endpgm
kernel scalars_spilled_to_lanes
  pointers
  v_writelane_b32 v5, s6, 0
  v_writelane_b32 v5, s7, 1
  s_mov_b64 s[6:7], 0
  v_readlane_b32 s6, v5, 0
  v_readlane_b32 s7, v5, 1
  s_nop 4
  store v0
  s_endpgm
kernel register_with_itself
  pointers
  v_xor_b32 v6, v5, v5
  v_sub_u32 v7, v20, v20
  v_sub_co_u32 v8, vcc, v21, v21
  v_bfi_b32 v9, v22, v23, v23 // which is v23
  v_pk_sub_u16 v10, v24, v24
  v_cmp_lt_i32 s[22:23], v25, v25
  v_or_b32 v6, v6, v7
  v_or3_b32 v6, v6, v8, v10
  store v6
  s_and_saveexec_b64 s[10:11], vcc
  s_and_b64 exec, exec, s[22:23]
  s_mov_b64 exec, s[10:11]
  s_andn2_b32 s20, s24, s24
  s_cbranch_scc1 1f
1:
  s_andn2_b64 s[20:21], s[26:27], s[26:27]
  s_cbranch_scc1 2f
2:
  s_xor_b64 s[20:21], s[26:27], s[26:27]
  s_cbranch_scc1 3f
3:
  s_orn2_b64 s[28:29], s[26:27], s[26:27] // all ones
  s_and_saveexec_b64 s[30:31], s[28:29]
  s_sub_u32 s20, s24, s24
  s_subb_u32 s21, s25, s25
  s_cmp_eq_u64 s[20:21], 0
  s_cbranch_scc1 4f
4:
  s_cmp_le_u32 s24, s24
  s_cbranch_scc1 5f
5:
  s_endpgm
kernel register_with_another
  pointers
  s_andn2_b32 s20, s24, s25
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  v_xor_b32 v6, v5, v7
  store v6 // FAULT uninitialised
  s_endpgm
kernel register_or_itself
  pointers
  v_or_b32 v6, v5, v5
  store v6 // FAULT uninitialised
  s_and_b32 s20, s24, s24
  s_cbranch_scc1 1f // FAULT uninitialised
1:
  v_cmp_eq_f32 vcc, v20, v20 // may be a NaN
  s_and_saveexec_b64 s[10:11], vcc // FAULT uninitialised
  s_endpgm
kernel dpp_with_an_undefined_old_value
  pointers
  s_nop 1
  v_mov_b32_dpp v5, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  store v5
  s_endpgm
kernel dpp_whose_missing_lanes_are_zero
  pointers
  v_mov_b32_dpp v5, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
  store v5
  s_endpgm
kernel unselected_side_undefined
  pointers
  v_cmp_gt_u32 vcc, 64, v0
  v_cndmask_b32 v6, v5, v0, vcc
  store v6
  s_endpgm
kernel both_sides_equal
  pointers
  v_cmp_eq_u32 vcc, 0, v5
  v_cndmask_b32 v6, v0, v0, vcc
  store v6
  s_endpgm
kernel half_loads
  pointers
  global_load_short_d16 v5, v1, s[4:5]
  global_load_short_d16_hi v6, v1, s[4:5]
  s_waitcnt vmcnt(0)
  store v5
  store v6
  s_endpgm
kernel one_of_two_packed_bytes
  pointers
  v_mov_b32 v4, 0
  v_cvt_pk_fp8_f32 v5, v4, v6
  s_nop 0
  v_cvt_pk_fp8_f32 v5, v6, v4 op_sel:[0,0,1]
  s_nop 0
  v_and_b32 v7, 0xff0000ff, v5
  store v7
  v_and_b32 v7, 0xff00, v5
  store v7 // FAULT uninitialised
  v_and_b32 v7, 0xff0000, v5
  store v7 // FAULT uninitialised
  s_endpgm
kernel packed_tail
  pointers
  v_cvt_f32_u32 v4, v0
  v_cvt_pk_fp8_f32 v5, v4, v4
  s_nop 0
  v_and_b32 v6, 0xffff, v5
  store v6
  v_cvt_pk_fp8_f32 v5, v4, v4 op_sel:[0,0,1]
  s_nop 0
  store v5
  s_endpgm
kernel and_with_zero
  pointers
  v_and_b32 v6, 0, v5
  v_or_b32 v7, -1, v5
  store v6
  store v7
  s_endpgm
kernel readfirstlane_without_lanes
  pointers
  s_mov_b64 s[10:11], exec
  s_mov_b64 exec, 0
  v_readfirstlane_b32 s12, v5
  v_readfirstlane_b32 s13, v5
  s_nop 4
  global_load_dword v6, v1, s[12:13]
  s_mov_b64 exec, s[10:11]
  s_endpgm
kernel bits_shifted_out
  pointers
  v_lshlrev_b32 v6, 31, v5
  v_lshlrev_b32 v6, 1, v6
  store v6
  v_bfe_u32 v7, v0, 0, 8
  v_lshl_or_b32 v8, v0, 8, v7
  store v8
  s_endpgm
kernel comparison_decided_by_defined_bits
  pointers
  v_or_b32 v6, 0x80000000, v5
  v_cmp_gt_u32 vcc, v6, v0
  s_and_saveexec_b64 s[10:11], vcc
  v_cmp_eq_u32 vcc, v6, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_endpgm
kernel scalar_masks
  pointers
  s_and_b32 s20, s21, 0
  s_or_b32 s22, s23, -1
  s_cmp_eq_u32 s20, s22
  s_cbranch_scc1 1f
  s_bfe_u32 s24, s22, 0x80008
  s_lshl_b32 s25, s26, 16
  s_pack_ll_b32_b16 s25, s24, s25
  s_cmp_eq_u32 s25, 255
  s_cbranch_scc1 1f
1:
  s_endpgm
kernel matrix_accumulator_by_moves
  pointers
  .irp r, 0, 1, 2, 3
  v_accvgpr_write_b32 a\r, 0
  .endr
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_mov_b32 s10, 2
  s_nop 1
1:
  v_mfma_f32_16x16x16_f16 a[0:3], v[10:11], v[10:11], a[0:3]
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 1b
  s_nop 15
  global_store_dword v1, a2, s[6:7]
  s_endpgm
kernel lanes_outside_a_buffer
  pointers
  s_mov_b32 s10, 128
  s_mov_b32 s11, 0x27000
  s_and_b32 s9, s7, 0xffff
  s_mov_b32 s8, s6
  v_cmp_gt_u32 vcc, 32, v0
  s_and_saveexec_b64 s[12:13], vcc
  v_mov_b32 v5, 1
  s_mov_b64 exec, s[12:13]
  buffer_store_dword v5, v1, s[8:11], 0 offen
  s_endpgm
