// Kernels with the waits and barriers that they need; each can be left out by a symbol, and the device must find it.
// s[0:1] kernargs: in, out. 256 work-items.
.set WAIT_SMEM, 1
.set WAIT_LOAD, 1
.set WAIT_LDS_WRITE, 1
.set WAIT_LDS_READ, 1
.set WAIT_DMA, 1
.set BARRIER_FILL, 1
.set BARRIER_REUSE, 1
.ifdef WITHOUT
  .if WITHOUT == 1
    .set WAIT_SMEM, 0
  .elseif WITHOUT == 2
    .set WAIT_LOAD, 0
  .elseif WITHOUT == 3
    .set WAIT_LDS_WRITE, 0
  .elseif WITHOUT == 4
    .set WAIT_LDS_READ, 0
  .elseif WITHOUT == 5
    .set WAIT_DMA, 0
  .elseif WITHOUT == 6
    .set BARRIER_FILL, 0
  .elseif WITHOUT == 7
    .set BARRIER_REUSE, 0
  .endif
.endif

.macro kernel name, vgprs, lds
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr \vgprs
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_group_segment_fixed_size \lds
.end_amdhsa_kernel
.text
.globl \name
.p2align 8
.type \name,@function
\name:
.endm

// out[i] = in[i ^ 64], through registers and LDS, twice over the same buffer.
kernel through_registers, 32, 1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
.if WAIT_SMEM
  s_waitcnt lgkmcnt(0)
.endif
  s_mov_b32 s8, 2
1:
  global_load_dword v3, v1, s[4:5]
.if WAIT_LOAD
  s_waitcnt vmcnt(0)
.endif
  ds_write_b32 v1, v3
.if WAIT_LDS_WRITE
  s_waitcnt lgkmcnt(0)
.endif
.if BARRIER_FILL
  s_barrier
.endif
  ds_read_b32 v4, v2
.if WAIT_LDS_READ
  s_waitcnt lgkmcnt(0)
.endif
  global_store_dword v1, v4, s[6:7]
.if BARRIER_REUSE
  s_barrier
.endif
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1b
  s_endpgm

// The same with a load to LDS: 4 bytes a lane, 256 a wave.
kernel direct_to_lds, 32, 1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  v_readfirstlane_b32 s9, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 1024
  s_mov_b32 s15, 0x27000
  s_mov_b32 s8, 2
1:
  s_mov_b32 m0, s9
  s_nop 0
  buffer_load_dword v1, s[12:15], 0 offen lds
.if WAIT_DMA
  s_waitcnt vmcnt(0)
.endif
.if BARRIER_FILL
  s_barrier
.endif
  ds_read_b32 v4, v2
.if WAIT_LDS_READ
  s_waitcnt lgkmcnt(0)
.endif
  global_store_dword v1, v4, s[6:7]
.if BARRIER_REUSE
  s_barrier
.endif
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1b
  s_endpgm

// Past the end of LDS.
kernel past_lds, 32, 1024
  v_lshlrev_b32 v1, 3, v0
  ds_write_b32 v1, v0
  s_endpgm

// A ds_read that is outstanding at a barrier, waited for afterwards, and overwritten only behind the next barrier.
kernel ping_pong, 32, 1024
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2
  s_barrier
  s_waitcnt lgkmcnt(0)
  v_add_u32 v3, v3, 1
  s_barrier
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  s_endpgm

// Every wave reads the same bytes across a barrier; the last one then overwrites them.
kernel overwritten_after_barrier, 32, 1024
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_readfirstlane_b32 s9, v0
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v1
.if WAIT_LDS_READ
  s_waitcnt lgkmcnt(0)
.endif
  s_barrier
  s_cmp_lg_u32 s9, 192
  s_cbranch_scc1 1f
  ds_write_b32 v1, v0
1:
  s_endpgm

kernel unknown, 32, 0
  v_screen_partition_4se_b32 v1, v2
  s_endpgm
kernel endless, 32, 0
1:
  s_branch 1b
  s_endpgm
kernel wild_register, 32, 0
  v_mov_b32 v40, 0
  s_endpgm
kernel wild_branch, 32, 0
  s_branch 20000
  s_endpgm
kernel abort, 32, 0
  s_trap 2
  s_endpgm
// A loop of vector arithmetic with a known number of instructions: 10 · (3 + 3) + 2.
kernel counted, 32, 0
  s_mov_b32 s8, 10
1:
  v_add_u32 v1, v1, v0
  v_fma_f32 v2, v1, v1, v2
  s_sub_u32 s8, s8, 1
  v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1b
  s_endpgm
// Every wave writes the same bytes to the same place: no conflict. With WITHOUT = 3 each writes its own.
kernel replicated, 32, 1024
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
.if WAIT_LDS_WRITE
  v_mov_b32 v2, v1
.else
  v_mov_b32 v2, v0
.endif
  ds_write_b32 v1, v2
  ds_write_b16 v1, v2 offset:256
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(0)
  s_endpgm
// The same with loads to LDS. \vector holds the byte offset in memory, the wave of work-item \lazy does not wait, a second
// load comes before the wait if \twice, and a plain write of the same bytes if \store.
.macro replicated_to_lds name, vector=v1, lazy=256, twice=0, store=0
kernel \name, 32, 1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_lshlrev_b32 v2, 2, v0
  v_readfirstlane_b32 s9, v0
  v_mov_b32 v4, 0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 1024
  s_mov_b32 s15, 0x27000
  s_mov_b32 m0, 0
  s_nop 0
.if \store
  global_load_dword v4, v1, s[4:5]
  s_waitcnt vmcnt(0)
.endif
  buffer_load_dword \vector, s[12:15], 0 offen lds
.if \twice
  buffer_load_dword \vector, s[12:15], 0 offen lds
.endif
.if \store
  ds_write_b32 v1, v4
.endif
  s_cmp_eq_u32 s9, \lazy
  s_cbranch_scc1 1f
.if WAIT_DMA
  s_waitcnt vmcnt(0) lgkmcnt(0)
.endif
1:
.if BARRIER_FILL
  s_barrier
.endif
  ds_read_b32 v4, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v4, s[6:7]
  s_endpgm
.endm
replicated_to_lds replicated_dma
replicated_to_lds different_dma, v2
replicated_to_lds first_is_lazy, v1, 0
replicated_to_lds third_is_lazy, v1, 128
replicated_to_lds last_is_lazy, v1, 192
replicated_to_lds dma_twice, v1, 256, 1
replicated_to_lds dma_and_write, v1, 256, 0, 1
// The last wave leaves before the barrier.
kernel early_exit, 32, 0
  v_readfirstlane_b32 s8, v0
  s_cmp_ge_u32 s8, 192
  s_cbranch_scc1 1f
  s_barrier
1:
  s_endpgm
// Last of the file: nothing ends it.
kernel runs_on, 32, 0
  s_nop 0
