// One kernel a case. It loads v10–v21 (12 dwords a lane) and s20–s27, runs the case under the given
// MODE and EXEC, and stores v40–v47 (which start as v18–v21 and zeros), s40–s47 and SCC. Zeroed memory lies at
// s[12:13] + 0x900; 8 KiB of LDS.
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
  s_nop 0
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
  s_nop 0
  s_movrels_b32 s40, s20         // s22
  s_movreld_b32 s39, s21         // s41
  s_movrels_b64 s[42:43], s[24:25] // s[26:27]
  s_movreld_b64 s[42:43], s[22:23] // s[44:45]
done
kernel movrel_outside
  s_mov_b32 m0, 90
  s_nop 0
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

// --- Scalar memory
kernel scalar_store
  s_movk_i32 s30, 0x910
  s_store_dword s20, s[12:13], 0x900
  s_store_dwordx2 s[22:23], s[12:13], 0x908
  s_store_dwordx4 s[24:27], s[12:13], s30
  s_mov_b32 s32, s12             // a buffer of 6 bytes behind 0x920: one whole dword
  s_and_b32 s33, s13, 0xffff
  s_mov_b32 s34, 0x926
  s_mov_b32 s35, 0x27000
  s_buffer_store_dwordx2 s[22:23], s[32:35], 0x920
  s_dcache_wb
  s_dcache_discard s[12:13], 0x900
  s_atc_probe 0, s[12:13], 0x900
done
kernel scalar_store_outside
  s_mov_b64 s[30:31], 64
  s_store_dword s20, s[30:31], 0
done

.macro scalar_atomic op, offset
  s_mov_b32 s50, s21
  s_mov_b32 s51, s22
  s_atomic_\op s50, s[12:13], \offset glc
  s_waitcnt lgkmcnt(0)
.endm
kernel scalar_atomics
  v_mov_b32 v5, s20
  s_mov_b64 exec, 1
  .irp at, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44
  global_store_dword v44, v5, s[12:13] offset:0x900+\at
  .endr
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0)
  scalar_atomic swap, 0x900
  scalar_atomic add, 0x904
  scalar_atomic sub, 0x908
  scalar_atomic smin, 0x90c
  scalar_atomic umin, 0x910
  scalar_atomic smax, 0x914
  scalar_atomic umax, 0x918
  scalar_atomic and, 0x91c
  scalar_atomic or, 0x920
  scalar_atomic xor, 0x924
  scalar_atomic inc, 0x928
  scalar_atomic dec, 0x92c
  s_mov_b32 s40, s50             // the value before the last
  s_mov_b64 s[52:53], s[22:23]
  s_atomic_add_x2 s[22:23], s[12:13], 0x930 // without glc nothing returns
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[42:43], s[22:23]
  s_mov_b64 s[54:55], 0          // cmpswap: data, then the compare value
  s_atomic_cmpswap_x2 s[52:55], s[12:13], 0x938 glc
  s_mov_b32 s32, s12
  s_and_b32 s33, s13, 0xffff
  s_mov_b32 s34, 0x94a
  s_mov_b32 s35, 0x27000
  s_buffer_atomic_add s24, s[32:35], 0x944 glc
  s_buffer_atomic_add s25, s[32:35], 0x948 glc // beyond num_records
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[44:45], s[24:25]
done
kernel scalar_atomic_misaligned
  s_add_u32 s12, s12, 4
  s_atomic_add_x2 s[20:21], s[12:13], 0x900
  s_sub_u32 s12, s12, 4
done

// --- LDS atomics. Slot v3 (8 bytes a lane) starts with v10, v11.
.macro lds_start
  ds_write_b64 v3, v[10:11]
  s_waitcnt lgkmcnt(0)
.endm
.macro lds_result
  s_waitcnt lgkmcnt(0)
  ds_read_b64 v[46:47], v3
  s_waitcnt lgkmcnt(0)
.endm
// Two data operands, 32 and 64 bits
.irp op, mskor, cmpst
kernel ds_\op\()_b32
  lds_start
  ds_\op\()_rtn_b32 v40, v3, v12, v13
  lds_result
done
kernel ds_\op\()_b64
  lds_start
  ds_\op\()_b64 v3, v[12:13], v[14:15]
  lds_result
done
.endr
kernel ds_cmpst_f32
  lds_start
  ds_cmpst_rtn_f32 v40, v3, v12, v13
  lds_result
done
kernel ds_cmpst_f64
  lds_start
  ds_cmpst_rtn_f64 v[40:41], v3, v[12:13], v[14:15]
  lds_result
done
kernel ds_wrap
  lds_start
  ds_wrap_rtn_b32 v40, v3, v12, v13
  lds_result
done
kernel ds_condxchg
  lds_start
  ds_condxchg32_rtn_b64 v[40:41], v3, v[12:13]
  lds_result
done
kernel ds_exchange2
  ds_write_b64 v3, v[44:45] offset:1024
  lds_start
  ds_wrxchg2_rtn_b32 v[40:41], v3, v12, v13 offset0:1 offset1:0
  s_waitcnt lgkmcnt(0)
  ds_wrxchg2_rtn_b64 v[42:45], v3, v[14:15], v[16:17] offset0:128 offset1:0
  lds_result
done
kernel ds_exchange2_far
  v_lshlrev_b32 v3, 2, v0
  ds_write_b32 v3, v10
  ds_write_b32 v3, v11 offset:512
  s_waitcnt lgkmcnt(0)
  ds_wrxchg2st64_rtn_b32 v[40:41], v3, v12, v13 offset0:0 offset1:2
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v46, v3
  ds_read_b32 v47, v3 offset:512
  s_waitcnt lgkmcnt(0)
done
kernel ds_counter
  v_mov_b32 v4, 0x40
  ds_write_b32 v4, v44
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0x30
  s_mov_b64 exec, 0x7f
  ds_append v40 offset:0x10
  s_mov_b64 exec, 0x3
  s_waitcnt lgkmcnt(0)
  ds_consume v41 offset:0x10
  s_mov_b64 exec, -1
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v42, v4
  s_waitcnt lgkmcnt(0)
done
kernel ds_addtid
  s_mov_b32 m0, 0xffff0100
  s_nop 0
  ds_write_addtid_b32 v10 offset:16
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v4, 2, v0
  ds_read_b32 v40, v4 offset:0x110
  s_nop 0
  ds_read_addtid_b32 v41 offset:16
  s_waitcnt lgkmcnt(0)
done

// Float atomics on LDS and on memory, on v10 (v[10:11]) with v12 (v[12:13])
.irp op, add, min, max
kernel ds_\op\()_f32
  lds_start
  ds_\op\()_rtn_f32 v40, v3, v12
  lds_result
done
kernel ds_\op\()_f64
  lds_start
  ds_\op\()_rtn_f64 v[40:41], v3, v[12:13]
  lds_result
done
kernel global_\op\()_f64
  global_store_dwordx2 v3, v[10:11], s[8:9]
  s_waitcnt vmcnt(0)
  global_atomic_\op\()_f64 v[40:41], v3, v[12:13], s[8:9] sc0
  s_waitcnt vmcnt(0)
  global_load_dwordx2 v[46:47], v3, s[8:9]
done
.endr
kernel global_add_f32
  global_store_dword v3, v10, s[8:9]
  s_waitcnt vmcnt(0)
  global_atomic_add_f32 v40, v3, v12, s[8:9] sc0
  s_waitcnt vmcnt(0)
  global_load_dword v46, v3, s[8:9]
done
kernel ds_pk_add_f16
  lds_start
  ds_pk_add_rtn_f16 v40, v3, v12
  lds_result
done
kernel ds_pk_add_bf16
  lds_start
  ds_pk_add_rtn_bf16 v40, v3, v12
  lds_result
done

// --- Vector arithmetic: v40 (v[40:41]…) from v10, v11, …
.macro one op, suffix, d, args:vararg
kernel \op\suffix
  \op \d, \args
done
.endm
.macro v3 ops:vararg
  .irp op, \ops
  one \op, , v40, v10, v11, v12
  .endr
.endm
.macro v2 ops:vararg
  .irp op, \ops
  one \op, , v40, v10, v11
  .endr
.endm
.macro v1 ops:vararg
  .irp op, \ops
  one \op, , v40, v10
  .endr
.endm
v3 v_lerp_u8, v_sad_u8, v_sad_hi_u8, v_sad_u16, v_sad_u32, v_msad_u8, v_cubeid_f32, v_cubesc_f32, v_cubetc_f32
v3 v_cubema_f32, v_mad_legacy_u16, v_mad_legacy_i16, v_mad_legacy_f16, v_fma_legacy_f16, v_div_fixup_f16
v3 v_div_fixup_legacy_f16, v_dot8_i32_i4, v_dot8_u32_u4, v_max3_f32, v_min3_f32, v_med3_f32, v_mad_i32_i24
v3 v_fma_f16, v_mad_f16, v_fma_mixlo_f16, v_dot2_f32_f16, v_pk_fma_f16
v2 v_max_f32, v_min_f32, v_max_f16, v_min_f16, v_add_f16, v_mul_f16, v_pk_add_f16, v_pk_mul_f16, v_pk_max_f16
v2 v_cvt_pknorm_i16_f32, v_cvt_pknorm_u16_f32, v_cvt_pknorm_i16_f16, v_cvt_pknorm_u16_f16, v_cvt_pkaccum_u8_f32
v2 v_dot8c_i32_i4, v_dot2c_f32_f16
v1 v_sat_pk_u8_i16, v_cvt_norm_i16_f16, v_cvt_norm_u16_f16, v_exp_legacy_f32, v_log_legacy_f32, v_cvt_f16_f32
v1 v_cvt_f32_f16, v_frexp_mant_f32, v_sqrt_f16
one v_qsad_pk_u16_u8, , v[40:41], v[10:11], v12, v[14:15]
one v_mqsad_pk_u16_u8, , v[40:41], v[10:11], v12, v[14:15]
one v_mqsad_u32_u8, , v[40:43], v[10:11], v12, v[14:17]
one v_trig_preop_f64, , v[40:41], v[10:11], v12
one v_max_f64, , v[40:41], v[10:11], v[12:13]
one v_min_f64, , v[40:41], v[10:11], v[12:13]
one v_ldexp_f64, , v[40:41], v[10:11], v12
one v_frexp_mant_f64, , v[40:41], v[10:11]
kernel madmk
  v_madmk_f16 v40, v10, 0x4248, v11
  v_madak_f16 v41, v10, v11, 0x4248
done
// Clamp of integers
.irp op, v_add_u32, v_sub_u32, v_subrev_u32, v_add_u16, v_sub_u16, v_add_i32, v_sub_i32, v_add_i16, v_sub_i16
one \op, _clamp, v40, v10, v11 clamp
.endr
.irp op, v_pk_add_u16, v_pk_sub_u16, v_pk_add_i16, v_pk_sub_i16, v_pk_mul_lo_u16, v_pk_max_i16, v_pk_lshlrev_b16
one \op, _clamp, v40, v10, v11 clamp
.endr
.irp op, v_mad_u32_u24, v_mad_i32_i24, v_mad_u16, v_mad_i16, v_mad_u32_u16, v_mad_i32_i16, v_sad_u8, v_sad_u32, v_msad_u8, v_max3_i16
one \op, _clamp, v40, v10, v11, v12 clamp
.endr
.irp op, v_dot2_i32_i16, v_dot2_u32_u16, v_dot4_i32_i8, v_dot4_u32_u8, v_dot8_i32_i4, v_dot8_u32_u4, v_pk_mad_u16, v_pk_mad_i16
one \op, _clamp, v40, v10, v11, v12 clamp
.endr
one v_qsad_pk_u16_u8, _clamp, v[40:41], v[10:11], v12, v[14:15] clamp
one v_mad_u64_u32, _clamp, v[40:41], vcc, v10, v11, v[14:15] clamp
one v_mad_i64_i32, _clamp, v[40:41], vcc, v10, v11, v[14:15] clamp
kernel carry_clamp
  v_add_co_u32 v40, vcc, v10, v11 clamp
  v_addc_co_u32 v41, vcc, v10, v11, vcc clamp
  v_sub_co_u32 v42, vcc, v10, v11 clamp
  v_subbrev_co_u32 v43, vcc, v10, v11, vcc clamp
done
// Output modifiers of each type
kernel omod
  v_mul_f32 v40, v10, v11 mul:4
  v_mul_f16 v41, v12, v13 div:2
  v_add_f64 v[42:43], v[14:15], v[16:17] mul:2
done
// f64 compares must not see f32's flushing
kernel compare_denormals
  v_cmp_lt_f64 vcc, v[10:11], v[12:13]
  v_cndmask_b32 v40, 0, 1, vcc
  v_cmp_gt_f16 vcc, v14, v15
  v_cndmask_b32 v41, 0, 1, vcc
  v_cmp_gt_f32 vcc, v16, v17
  v_cndmask_b32 v42, 0, 1, vcc
done

.ifdef GFX950
v2 v_cvt_pk_f16_f32
kernel ashr_pk
  v_ashr_pk_i8_i32 v40, v10, v11, v12
  v_ashr_pk_u8_i32 v41, v10, v11, v12 op_sel:[0,0,0,1]
done
one v_maximum3_f32, , v40, v10, v11, v12
one v_minimum3_f32, , v40, v10, v11, v12
.endif
