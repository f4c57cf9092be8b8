// Reads of LDS that are outstanding at a barrier, and what is overwritten behind it: right on silicon,
// because LDS works in order, but the program doesn't say so. See wait-states.s for the marks.
.include "kernel.inc"
// v1 = 4 · lane of the wave, v2 = 4 · work-item, v3 = work-item + 7, v5 = 0; s8 = wave. LDS is zero.
.macro begin
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v3, 7, v0
  v_lshrrev_b32 v4, 6, v0
  v_mov_b32 v5, 0
  v_mov_b32 v6, 0
  v_mov_b32 v12, 3
  v_mov_b32 v13, 4
  v_mov_b32 v14, 5
  v_mov_b32 v15, 6
  v_readfirstlane_b32 s8, v4
  ds_write_b32 v2, v5
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cmp_lg_u32 s8, 0
.endm
// Wave 0 reads before the barrier, wave 1 writes behind it.
.macro order read, write
  begin
  s_cbranch_scc1 1f
  \read
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_endpgm
1:
  s_barrier
  \write
  s_endpgm
.endm

kernel order_b32, 1024 // block=128
  order "ds_read_b32 v6, v1", "ds_write_b32 v1, v3" // FAULT lds-order warning EARLIER
kernel order_b64, 1024 // block=128
  order "ds_read_b64 v[6:7], v5 offset:8", "ds_write_b32 v5, v12 offset:12" // FAULT lds-order warning EARLIER
kernel order_b96, 1024 // block=128
  order "ds_read_b96 v[16:18], v5 offset:16", "ds_write_b32 v5, v12 offset:24" // FAULT lds-order warning EARLIER
kernel order_b128, 1024 // block=128
  order "ds_read_b128 v[16:19], v5 offset:16", "ds_write_b64 v5, v[12:13] offset:24" // FAULT lds-order warning EARLIER
kernel order_by_wide_write, 1024 // block=128
  order "ds_read_b32 v6, v5 offset:12", "ds_write_b128 v5, v[12:15]" // FAULT lds-order warning EARLIER
kernel order_u8, 1024 // block=128
  order "ds_read_u8 v6, v1 offset:1", "ds_write_b32 v1, v3" // FAULT lds-order warning EARLIER
kernel order_u16, 1024 // block=128
  order "ds_read_u16 v6, v1", "ds_write_b16 v1, v3" // FAULT lds-order warning EARLIER
kernel order_d16_hi, 1024 // block=128
  order "ds_read_u16_d16_hi v6, v1 offset:2", "ds_write_b8 v1, v3 offset:3" // FAULT lds-order warning EARLIER
kernel order_read2, 1024 // block=128
  order "ds_read2_b32 v[6:7], v1 offset1:64", "ds_write_b32 v1, v3 offset:256" // FAULT lds-order warning EARLIER
kernel order_write2, 1024 // block=128
  order "ds_read_b32 v6, v1 offset:256", "ds_write2_b32 v1, v3, v2 offset1:64" // FAULT lds-order warning EARLIER
kernel order_read2st64, 1024 // block=128
  order "ds_read2st64_b32 v[6:7], v1 offset1:1", "ds_write_b32 v1, v3 offset:256" // FAULT lds-order warning EARLIER
kernel order_write2st64, 1024 // block=128
  order "ds_read_b32 v6, v1 offset:256", "ds_write2st64_b32 v1, v3, v2 offset1:1" // FAULT lds-order warning EARLIER
kernel order_half_of_a_word, 1024 // block=128
  order "ds_read_b32 v6, v1", "ds_write_b16 v1, v3 offset:2" // FAULT lds-order warning EARLIER

// --- Right
kernel right_awaited, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
1:
  s_barrier
  ds_write_b32 v1, v3
  s_endpgm
kernel right_behind_the_next_barrier, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_read_b32 v6, v1
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
1:
  s_barrier
  s_barrier
  ds_write_b32 v1, v3
  s_endpgm
kernel right_its_own, 1024 // block=128
  begin
  ds_read_b32 v6, v2
  s_barrier
  ds_write_b32 v2, v3
  s_endpgm
kernel right_another_place, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_read_b32 v6, v1
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_endpgm
1:
  s_barrier
  ds_write_b32 v1, v3 offset:256
  s_endpgm
