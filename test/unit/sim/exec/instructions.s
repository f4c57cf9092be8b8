// One kernel a case. It loads v10–v21 (12 dwords a lane) and s20–s27, runs the case under the given
// MODE and EXEC, and stores v40–v47 (which start as v18–v21 and zeros), s40–s47 and SCC.
// s[0:1] kernargs: in, scalars, out, exec, mode.

.macro kernel name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 128
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 64
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 36
  .amdhsa_group_segment_fixed_size 8192
.end_amdhsa_kernel
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx8 s[8:15], s[0:1], 0x0
  s_load_dword s16, s[0:1], 0x20
  v_mov_b32 v1, 48
  v_mul_u32_u24 v1, v0, v1
  v_lshlrev_b32 v2, 5, v0
  v_lshlrev_b32 v3, 3, v0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx8 s[20:27], s[10:11], 0x0
  global_load_dwordx4 v[10:13], v1, s[8:9]
  global_load_dwordx4 v[14:17], v1, s[8:9] offset:16
  global_load_dwordx4 v[18:21], v1, s[8:9] offset:32
  s_mov_b64 s[40:41], 0
  s_mov_b64 s[42:43], 0
  s_mov_b64 s[44:45], 0
  s_mov_b64 s[46:47], 0
  s_mov_b64 vcc, 0
  v_mov_b32 v44, 0
  v_mov_b32 v45, 0
  v_mov_b32 v46, 0
  v_mov_b32 v47, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32 v40, v18
  v_mov_b32 v41, v19
  v_mov_b32 v42, v20
  v_mov_b32 v43, v21
  s_setreg_b32 hwreg(HW_REG_MODE, 0, 24), s16
  s_mov_b64 exec, s[14:15]
  s_cmp_eq_u32 s0, s0
.endm

.macro done
  s_cselect_b32 s48, 1, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b64 exec, -1
  s_nop 4
  global_store_dwordx4 v2, v[40:43], s[12:13]
  global_store_dwordx4 v2, v[44:47], s[12:13] offset:16
  v_mov_b32 v4, 0x800
  .irp i, 40, 41, 42, 43, 44, 45, 46, 47, 48
  v_mov_b32 v5, s\i
  global_store_dword v4, v5, s[12:13] offset:(\i-40)*4
  .endr
  s_endpgm
.endm

// --- Modes of execution
kernel vskip
  s_mov_b32 s30, 4
  v_mov_b32 v40, 1
  s_setvskip s30, 2              // bit 2 of s30 is set
  v_mov_b32 v40, 2
  v_readfirstlane_b32 s40, v40
  ds_write_b32 v3, v10
  global_store_dword v2, v10, s[12:13] offset:4 // neither done nor counted
  s_add_u32 s41, s30, 1          // scalars run
  s_mov_b32 s31, 3
1:
  v_add_u32 v41, v41, v41
  s_sub_u32 s31, s31, 1
  s_cmp_lg_u32 s31, 0
  s_cbranch_scc1 1b
  s_setvskip s30, 0
  v_mov_b32 v42, 5
  s_getreg_b32 s42, hwreg(HW_REG_MODE, 24, 8)
done

kernel gpr_index
  s_mov_b32 m0, 0xabc000ff
  s_mov_b32 s30, 2
  s_set_gpr_idx_on s30, gpr_idx(SRC0)
  v_mov_b32 v40, v10             // v12
  v_add_u32 v41, v10, v11        // v12 + v11
  s_set_gpr_idx_idx 3
  v_mov_b32 v42, v10             // v13
  v_mov_b32 v43, s30             // scalars are not indexed
  s_set_gpr_idx_mode gpr_idx(SRC1,DST)
  v_sub_u32 v41, v11, v12        // v44 = v11 - v15
  s_set_gpr_idx_mode gpr_idx(DST)
  v_fmac_f32 v42, v10, v11       // v45 += v10 * v11
  v_mov_b32_sdwa v43, v10 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 // v46
  s_getreg_b32 s40, hwreg(HW_REG_MODE, 24, 8)
  s_set_gpr_idx_off
  s_mov_b32 s41, m0
  v_mov_b32 v40, v40
done

kernel gpr_index_accumulation
  v_accvgpr_write_b32 a5, v10
  v_accvgpr_write_b32 a6, v11
  s_nop 2
  s_set_gpr_idx_on 1, gpr_idx(SRC0)
  v_accvgpr_read_b32 v40, a5     // a6
  s_set_gpr_idx_off
done

kernel gpr_index_outside
  s_set_gpr_idx_on 60, gpr_idx(SRC0)
  v_mov_b32 v40, v10             // v70: outside, reads v0
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32 v41, v10             // v101: not written
  s_set_gpr_idx_off
done

kernel gpr_index_matrix
  s_set_gpr_idx_on 0, gpr_idx(SRC0)
  v_mfma_f32_4x4x1_16b_f32 v[40:43], v10, v11, 0
  s_set_gpr_idx_off
done

kernel movrel
  s_mov_b32 m0, 2
  s_movrels_b32 s40, s20         // s22
  s_movreld_b32 s39, s21         // s41
  s_movrels_b64 s[42:43], s[24:25] // s[26:27]
  s_movreld_b64 s[42:43], s[22:23] // s[44:45]
done
kernel movrel_outside
  s_mov_b32 m0, 90
  s_movrels_b32 s40, s20
done

// --- Scalar operations
kernel scalar_extremes
  s_max_i32 s40, s20, s20
  s_cselect_b32 s41, 1, 0
  s_max_u32 s42, s20, s21
  s_cselect_b32 s43, 1, 0
  s_min_i32 s44, s20, s20
  s_cselect_b32 s45, 1, 0
done
kernel absdiff
  s_absdiff_i32 s40, s20, s21
  s_absdiff_i32 s41, s22, s23
  s_absdiff_i32 s42, s24, s25
  s_absdiff_i32 s43, s26, s27
done
kernel quadmask
  s_quadmask_b32 s40, s20
  s_cselect_b32 s41, 1, 0
  s_quadmask_b64 s[42:43], s[20:21]
done
kernel registers
  s_getreg_b32 s40, hwreg(HW_REG_STATUS)
  s_getreg_b32 s41, hwreg(HW_REG_GPR_ALLOC, 8, 6)
  s_getreg_b32 s42, hwreg(HW_REG_TRAPSTS)
  s_getreg_b32 s43, hwreg(HW_REG_IB_STS)
  s_getreg_b32 s44, hwreg(HW_REG_HW_ID)
  s_getreg_b32 s45, hwreg(HW_REG_XCC_ID)
  s_mov_b64 vcc, 1
  s_cmp_lg_u32 s0, s0
  s_getreg_b32 s46, hwreg(HW_REG_STATUS)
done
kernel register_unknown
  s_getreg_b32 s40, hwreg(18)
done
