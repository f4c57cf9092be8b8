// MODE: rounding and denormals of f32 and of f16/f64 are separate fields.
// s[0:1] kernargs: out (8 results of one lane), mode bits [7:0].
.rodata
.p2align 6
.amdhsa_kernel modes
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 12
.end_amdhsa_kernel
.text
.globl modes
.p2align 8
.type modes,@function
modes:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s6, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s6
  v_mov_b32 v1, 0x00800000        // smallest normal f32
  v_mov_b32 v2, 0.5
  v_mul_f32 v10, v1, v2           // a denormal result
  v_mov_b32 v3, 0x00400000        // a denormal
  v_mov_b32 v4, 0x4b800000        // 2^24
  v_mul_f32 v11, v3, v4           // a denormal source
  v_mov_b32 v5, 1.0
  v_mov_b32 v6, 0x33000000        // 2^-25
  v_add_f32 v12, v5, v6           // 1 + 2^-25: the rounding direction shows
  v_sub_f32 v13, v12, v5
  v_mov_b32 v7, 0x0400            // smallest normal f16
  v_mov_b32 v8, 0x3800            // 0.5
  v_mul_f16 v14, v7, v8           // a denormal f16
  v_cvt_f16_f32 v15, v12
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0x00100000       // smallest normal f64
  v_mul_f64 v[18:19], v[16:17], 0.5
  v_mov_b32 v20, 0x3dcccccd       // 0.1: inexact in f16
  v_cvt_f16_f32 v21, v20
  v_mov_b32 v22, 0
  global_store_dwordx4 v22, v[10:13], s[4:5]
  global_store_dword v22, v14, s[4:5] offset:16
  global_store_dword v22, v19, s[4:5] offset:20
  global_store_dword v22, v21, s[4:5] offset:24
  s_getreg_b32 s7, hwreg(HW_REG_MODE, 0, 8)
  v_mov_b32 v23, s7
  global_store_dword v22, v23, s[4:5] offset:28
  s_endpgm

// Two workgroups: the first waits for a flag that the second sets; with s_sleep and without.
.macro spin name, sleep
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
.end_amdhsa_kernel
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 2f
1:
  global_load_dword v2, v1, s[4:5] sc0 sc1
  s_waitcnt vmcnt(0)
.if \sleep
  s_sleep 2
.endif
  v_readfirstlane_b32 s8, v2
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 1b
  global_store_dword v1, v2, s[4:5] offset:4
  s_endpgm
2:
  v_mov_b32 v2, 7
  global_store_dword v1, v2, s[4:5] sc0 sc1
  s_endpgm
.endm
spin spin_sleeping, 1
spin spin_busy, 0
