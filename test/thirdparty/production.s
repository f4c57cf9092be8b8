// Hand-written kernels in the style of production assembly: what compilers don't emit and libraries rely on.
// test_assembly.py checks each against NumPy. s[0:1] kernargs: out, x, n. s2 = workgroup, v0 = work-item.
// Every kernel but those with a tail writes out[4 · work-item]. v0–v63 and a0–a63 exist.
.macro kernel name, lds=0, denorm32=3, ieee=1, clamp=1, scratch=0
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 128
  .amdhsa_next_free_sgpr 64
  .amdhsa_accum_offset 64
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 24
  .amdhsa_group_segment_fixed_size \lds
  .amdhsa_private_segment_fixed_size \scratch
  .amdhsa_enable_private_segment (\scratch > 0) & 1
  .amdhsa_float_denorm_mode_32 \denorm32
  .amdhsa_ieee_mode \ieee
  .amdhsa_dx10_clamp \clamp
.end_amdhsa_kernel
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0   // out, x
  s_load_dword s8, s[0:1], 0x10        // n
  v_lshlrev_b32 v1, 2, v0              // byte of this work-item
  s_waitcnt lgkmcnt(0)
.endm
// out[work-item] = v\v
.macro finish v
  global_store_dword v1, v\v, s[4:5]
  s_endpgm
.endm
.macro load v
  global_load_dword v\v, v1, s[6:7]
  s_waitcnt vmcnt(0)
.endm
// s[12:15]: a buffer of s8 bytes at x
.macro descriptor word1=0, word3=0x27000
  s_mov_b32 s12, s6
  s_or_b32 s13, s7, \word1
  s_mov_b32 s14, s8
  s_mov_b32 s15, \word3
.endm

// Vector instructions between the two s_setvskip are skipped where bit n of 0b0110 is set; scalars run.
kernel vskip
  load 2
  s_mov_b32 s10, 6
  s_mov_b32 s11, 100
  s_setvskip s10, s8
  v_mul_u32_u24 v2, 3, v2
  v_add_u32 v2, 1000, v2
  s_add_u32 s11, s11, 11
  s_setvskip 0, 0
  v_add_u32 v2, s11, v2
  finish 2

// A row of registers, indexed by n: of the source, then of the destination.
kernel vgpr_index
  .irp r, 0, 1, 2, 3, 4, 5, 6, 7
  v_mov_b32 v[\r + 8], \r * 10
  v_mov_b32 v[\r + 16], 7
  .endr
  s_set_gpr_idx_on s8, 0x1        // source 0
  v_add_u32 v3, v8, v0
  s_set_gpr_idx_off
  s_set_gpr_idx_on s8, 0x8        // destination
  v_mov_b32 v16, v3
  s_set_gpr_idx_off
  v_mov_b32 v4, 0
  .irp r, 0, 1, 2, 3, 4, 5, 6, 7
  v_mad_u32_u24 v4, v4, 3, v[\r + 16]
  .endr
  finish 4

// Each lane gets lane 5 of its row; the sum over a row by the same means.
kernel newbcast
  load 2
  v_mov_b32 v3, 0
  s_nop 1
  v_mov_b32_dpp v4, v2 row_newbcast:5 row_mask:0xf bank_mask:0xf
  .irp lane, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  v_add_u32_dpp v3, v2, v3 row_newbcast:\lane row_mask:0xf bank_mask:0xf
  .endr
  v_mul_u32_u24 v4, 1000, v4
  v_add_u32 v3, v3, v4
  finish 3

// Four bytes of x: their sum in the high half, their signed sum of the words below, two lanes kept.
kernel sdwa
  load 2
  v_mov_b32 v3, 0x1234
  v_add_u32_sdwa v4, v2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1
  v_add_u32_sdwa v5, v2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:BYTE_3
  v_add_u32_sdwa v3, v4, v5 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
  v_mov_b32_sdwa v6, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3
  v_cmp_lt_i32_sdwa vcc, sext(v2), v6 src0_sel:WORD_0 src1_sel:DWORD
  s_nop 1
  v_cndmask_b32 v3, v3, v6, vcc
  finish 3

// M0 right before each load to LDS, four waves, each its own kilobyte of two halves.
kernel lds_dma, 2048
  descriptor
  v_readfirstlane_b32 s16, v0
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v2, 2, v2
  s_lshl_b32 s17, s16, 2               // byte of the wave
  v_add_u32 v2, s17, v2
  s_mov_b32 m0, s17
  buffer_load_dword v2, s[12:15], 0 offen lds
  s_add_u32 s18, s17, 1024
  s_mov_b32 m0, s18
  buffer_load_dword v2, s[12:15], 0 offen offset:0 lds
  s_waitcnt vmcnt(0)
  s_barrier
  v_xor_b32 v3, 0x3fc, v1              // another wave's
  ds_read_b32 v4, v3
  ds_read_b32 v5, v1 offset:1024
  s_waitcnt lgkmcnt(0)
  v_sub_u32 v4, v4, v5
  finish 4

// Flushed f32 denormals: sources and results; v_max keeps to the mode, a move doesn't.
kernel flushed, 0, 0
  load 2
  v_mul_f32 v3, 1.0, v2
  v_add_f32 v3, v3, v3
  v_mov_b32 v4, v2
  v_max_f32 v5, v2, v2
  v_xor_b32 v3, v3, v5
  v_xor_b32 v3, v3, v4
  finish 3

// IEEE = 0 and DX10_CLAMP = 1: a NaN's bits come through v_max, clamp makes it 0. Denormals are flushed, or mul:2 would be ignored.
kernel not_ieee, 0, 0, 0, 1
  load 2
  v_max_f32 v3, v2, v2
  v_mul_f32 v4, 1.0, v2 clamp
  v_add_f32 v5, v3, 0 mul:2
  v_cmp_u_f32 vcc, v2, v2
  s_nop 1
  v_cndmask_b32 v3, v5, v4, vcc
  finish 3

// Eight waves in two groups: while one multiplies (with priority) the other fetches. The second group runs one
// barrier behind. out[lane + 64 · wave + 512 · r] = 4 rounds of 16x16x16 of the wave's own operands.
kernel ping_pong, 8192
  v_readfirstlane_b32 s16, v0
  s_lshr_b32 s16, s16, 6               // wave
  v_and_b32 v2, 63, v0
  v_lshlrev_b32 v3, 3, v2              // 8 bytes a lane
  s_lshl_b32 s17, s16, 10
  v_add_u32 v4, s17, v3                // LDS: a kilobyte a wave
  s_lshl_b32 s18, s16, 9
  v_add_u32 v5, s18, v3                // memory: 512 bytes a wave and round
  .irp r, 0, 1, 2, 3
  v_accvgpr_write_b32 a\r, 0
  .endr
  s_mov_b32 s19, 4
  s_cmp_lt_u32 s16, 4
  s_cbranch_scc1 1f
  s_barrier                            // one behind
1:
  global_load_dwordx2 v[6:7], v5, s[6:7]
  v_add_u32 v5, 0x1000, v5
  s_waitcnt vmcnt(0)
  ds_write_b64 v4, v[6:7]
  s_waitcnt lgkmcnt(0)
  ds_read_b64 v[8:9], v4
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_setprio 1
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[8:9], a[0:3]
  s_setprio 0
  s_barrier
  s_sub_u32 s19, s19, 1
  s_cmp_lg_u32 s19, 0
  s_cbranch_scc1 1b
  s_cmp_ge_u32 s16, 4
  s_cbranch_scc1 2f
  s_barrier                            // the early group waits for the late one
2:
  s_nop 15
  s_nop 7
  .irp r, 0, 1, 2, 3
  v_accvgpr_read_b32 v10, a\r
  s_nop 1
  global_store_dword v1, v10, s[4:5]
  v_add_u32 v1, 0x800, v1
  .endr
  s_endpgm

// A swizzled buffer: records of 16 bytes in elements of 4, 8 records interleaved; soffset and offset apart.
// x: 4 · 16 · 16 bytes; out[lane] = field (lane >> 4) of record lane & 15, after soffset 64.
kernel swizzled
  v_and_b32 v2, 15, v0
  v_lshrrev_b32 v3, 4, v0
  v_lshlrev_b32 v3, 2, v3
  descriptor 0x80100000, 0x00a7000     // stride 16, swizzle; data format 4, element 4 bytes, index stride 8
  s_mov_b32 s14, 16                    // records
  s_mov_b32 s10, 64
  s_bitset0_b32 s15, 21
  buffer_load_dword v4, v[2:3], s[12:15], s10 idxen offen
  s_waitcnt vmcnt(0)
  finish 4

// A structured buffer, index and offset, soffset in M0; records from 12 on don't exist and read 0.
kernel structured
  v_mov_b32 v2, v0
  descriptor 0x00100000
  s_mov_b32 s14, 12
  s_mov_b32 m0, 32
  s_nop 0
  buffer_load_dword v4, v2, s[12:15], m0 idxen offset:4
  s_waitcnt vmcnt(0)
  finish 4

// Euclid's algorithm: lanes leave the loop one by one.
kernel masked_loop
  load 2
  v_mov_b32 v3, s8
  s_mov_b64 s[10:11], exec
3:
  v_cmp_ne_u32 vcc, 0, v3
  s_and_b64 exec, exec, vcc
  s_cbranch_execz 4f
  v_cmp_lt_u32 vcc, v2, v3
  v_cndmask_b32 v4, v2, v3, vcc        // the greater
  v_cndmask_b32 v5, v3, v2, vcc        // the lesser
  v_sub_u32 v2, v4, v5
  v_mov_b32 v3, v5
  v_cmp_eq_u32 vcc, 0, v2
  v_cndmask_b32 v4, v2, v3, vcc
  v_cndmask_b32 v3, v3, v2, vcc
  v_mov_b32 v2, v4
  s_branch 3b
4:
  s_mov_b64 exec, s[10:11]
  finish 2

// A table in the code, found by s_getpc; a call by s_swappc.
kernel code_table
  s_getpc_b64 s[10:11]
5:
  s_add_u32 s12, s10, 7f - 5b
  s_addc_u32 s13, s11, 0
  s_add_u32 s14, s10, 6f - 5b
  s_addc_u32 s15, s11, 0
  s_load_dwordx4 s[16:19], s[12:13], 0x0
  s_swappc_b64 s[20:21], s[14:15]
  v_add_u32 v2, s18, v2
  finish 2
6:
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s16
  v_mad_u32_u24 v2, v2, v0, s17
  s_setpc_b64 s[20:21]
.p2align 4
7:
  .long 11, 22, 33, 44

// An exclusive running count of set flags, by v_mbcnt and v_readlane; the total by v_writelane into lane 63.
kernel lane_counts
  load 2
  v_cmp_ne_u32 vcc, 0, v2
  s_nop 1
  v_mbcnt_lo_u32_b32 v3, vcc_lo, 0
  v_mbcnt_hi_u32_b32 v3, vcc_hi, v3
  s_bcnt1_i32_b64 s10, vcc
  s_ff1_i32_b64 s11, vcc
  v_readlane_b32 s12, v2, s11
  s_nop 3
  v_add_u32 v3, s12, v3
  v_writelane_b32 v3, s10, 63
  finish 3

// The workgroup that draws the last ticket adds up what all have stored. x[0] is the ticket.
kernel last_one
  v_mov_b32 v2, s2
  v_mov_b32 v3, 0
  s_lshl_b32 s10, s2, 2
  v_mov_b32 v4, s10
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[12:13], vcc
  v_mul_u32_u24 v5, v2, v2
  global_store_dword v4, v5, s[4:5] sc1
  s_waitcnt vmcnt(0)
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  v_mov_b32 v6, 1
  global_atomic_add v7, v3, v6, s[6:7] sc0
  s_waitcnt vmcnt(0)
  buffer_inv sc1
  v_readfirstlane_b32 s14, v7
  s_sub_u32 s15, s8, 1
  s_cmp_lg_u32 s14, s15
  s_cbranch_scc1 9f
  v_mov_b32 v8, 0
8:
  v_lshlrev_b32 v9, 2, v3
  global_load_dword v10, v9, s[4:5] sc1
  v_add_u32 v3, 1, v3
  v_cmp_gt_u32 vcc, s8, v3
  s_waitcnt vmcnt(0)
  v_add_u32 v8, v8, v10
  s_cbranch_vccnz 8b
  v_lshlrev_b32 v9, 2, v3
  global_store_dword v9, v8, s[4:5]
9:
  s_endpgm

// One FLAT instruction for LDS (work-items below 20), scratch (above 40) and memory, and back.
kernel three_spaces, 256, scratch=64
  load 2
  s_mov_b64 s[20:21], src_shared_base
  s_mov_b64 s[22:23], src_private_base
  v_mov_b32 v3, 0
  ds_write_b32 v1, v3
  scratch_store_dword off, v3, off offset:16
  global_store_dword v1, v3, s[4:5]
  v_mov_b32 v5, s5
  v_add_co_u32 v4, vcc, s4, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  v_cmp_gt_u32 s[24:25], 20, v0
  v_cmp_lt_u32 s[26:27], 40, v0
  v_mov_b32 v6, s21
  v_mov_b32 v7, s23
  v_cndmask_b32 v4, v4, v1, s[24:25]
  v_cndmask_b32 v5, v5, v6, s[24:25]
  v_cndmask_b32 v4, v4, 16, s[26:27]
  v_cndmask_b32 v5, v5, v7, s[26:27]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_store_dword v[4:5], v2
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_load_dword v8, v[4:5]
  ds_read_b32 v9, v1
  scratch_load_dword v10, off, off offset:16
  global_load_dword v11, v1, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add3_u32 v9, v9, v10, v11
  v_lshl_add_u32 v9, v9, 8, v8
  finish 9

// Scratch by each form of address, a byte inside a dword among them.
kernel scratch_forms, scratch=128
  v_add_u32 v2, 1, v0
  v_add_u32 v4, 2, v0
  v_add_u32 v5, 3, v0
  s_mov_b32 s20, 32
  v_mov_b32 v3, 48
  scratch_store_dword off, v2, off offset:4
  scratch_store_dword off, v4, s20 offset:8
  scratch_store_dwordx2 v3, v[4:5], off offset:12
  scratch_store_byte off, v5, s20 offset:9
  s_waitcnt vmcnt(0)
  scratch_load_dword v6, off, off offset:4
  scratch_load_dword v7, off, s20 offset:8
  scratch_load_dwordx2 v[8:9], v3, off offset:12
  s_waitcnt vmcnt(0)
  v_add3_u32 v6, v6, v7, v8
  v_add_u32 v6, v6, v9
  finish 6

// A function that calls itself, return addresses in lanes of v5 by M0: the sum of 1 to n.
kernel recursion
  v_mov_b32 v5, 0
  s_mov_b32 s32, 0
  s_mov_b32 s33, 0
  s_mov_b32 s34, s8
  s_getpc_b64 s[20:21]
3:
  s_add_u32 s20, s20, 2f - 3b
  s_addc_u32 s21, s21, 0
  s_swappc_b64 s[30:31], s[20:21]
  v_add_u32 v2, s33, v0
  finish 2
2:
  s_cmp_eq_u32 s34, 0
  s_cbranch_scc1 4f
  s_mov_b32 m0, s32
  s_nop 0
  v_writelane_b32 v5, s30, m0
  s_add_u32 m0, s32, 1
  s_nop 0
  v_writelane_b32 v5, s31, m0
  s_add_u32 s32, s32, 2
  s_add_u32 s33, s33, s34
  s_sub_u32 s34, s34, 1
  s_swappc_b64 s[30:31], s[20:21]
  s_sub_u32 s32, s32, 2
  s_nop 0
  v_readlane_b32 s30, v5, s32
  s_add_u32 s35, s32, 1
  s_nop 0
  v_readlane_b32 s31, v5, s35
  s_nop 4
4:
  s_setpc_b64 s[30:31]

// A wave's own store and load, and its own accesses of LDS, need no wait between.
kernel own_order, 256
  v_add_u32 v2, 3, v0
  global_store_dword v1, v2, s[4:5]
  global_load_dword v3, v1, s[4:5]
  ds_write_b32 v1, v0
  ds_read_b32 v4, v1
  v_mov_b32 v5, 7
  ds_write_b32 v1, v5
  ds_read_b32 v6, v1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mad_u32_u24 v3, v3, v6, v4
  finish 3

// Three loads and a store outstanding, used one by one; LDS beside them.
kernel one_by_one, 256
  global_load_dword v2, v1, s[6:7]
  global_load_dword v3, v1, s[6:7] offset:256
  ds_write_b32 v1, v0
  global_store_dword v1, v0, s[4:5]
  global_load_dword v4, v1, s[6:7] offset:512
  v_xor_b32 v5, 4, v1
  ds_read_b32 v6, v5
  ds_read_b32 v7, v1
  s_waitcnt vmcnt(3)
  v_lshlrev_b32 v2, 1, v2
  s_waitcnt vmcnt(2) lgkmcnt(1)
  v_add3_u32 v2, v2, v3, v6
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add3_u32 v2, v2, v4, v7
  finish 2
