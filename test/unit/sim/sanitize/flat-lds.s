// LDS by FLAT addresses is looked at as by LDS instructions. See wait-states.s for the marks.
.include "kernel.inc"
// s[4:5] = the aperture of LDS; v[10:11] = address of 4 · lane of the wave in LDS; v1 = that offset,
// v3 = work-item; s8 = wave. `first` is done by wave 0, what follows by wave 1.
.macro begin
  s_mov_b64 s[4:5], src_shared_base
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_mov_b32 v3, v0
  v_mov_b32 v10, v1
  v_mov_b32 v11, s5
  v_lshrrev_b32 v4, 6, v0
  s_nop 0
  v_readfirstlane_b32 s8, v4
.endm
.macro waves first:vararg
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  \first
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_branch 2f
1:
.endm
.macro joined
  s_waitcnt vmcnt(0) lgkmcnt(0)
2:
  s_endpgm
.endm

kernel flat_write_read, 1024 // block=128
  waves flat_store_dword v[10:11], v3 // EARLIER
  ds_read_b32 v6, v1 // FAULT lds-race
  joined
kernel write_flat_read, 1024 // block=128
  waves ds_write_b32 v1, v3 // EARLIER
  flat_load_dword v6, v[10:11] // FAULT lds-race
  joined
kernel flat_read_write, 1024 // block=128
  begin
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  flat_load_dword v6, v[10:11] // EARLIER
  s_branch 2f
1:
  ds_write_b32 v1, v3 // FAULT lds-race
  joined
kernel flat_write_write, 1024 // block=128
  waves flat_store_dword v[10:11], v3 // EARLIER
  flat_store_dword v[10:11], v3 // FAULT lds-race
  joined
kernel flat_bytes, 1024 // block=128
  waves flat_store_byte v[10:11], v3 // EARLIER
  flat_store_byte v[10:11], v3 // FAULT lds-race
  joined
kernel flat_atomic_read, 1024 // block=128
  begin
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  flat_atomic_add v[10:11], v3 // EARLIER
  s_branch 2f
1:
  ds_read_b32 v6, v1 // FAULT lds-race
  joined
kernel flat_read_outstanding_at_a_barrier, 1024 // block=128
  begin
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  flat_load_dword v6, v[10:11] // EARLIER
  s_barrier
  s_branch 2f
1:
  s_barrier
  ds_write_b32 v1, v3 // FAULT lds-order warning
  joined
kernel flat_write_outstanding_at_a_barrier, 1024 // block=128
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  flat_store_dword v[10:11], v3 // EARLIER
  s_barrier
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_branch 2f
1:
  s_barrier
  ds_read_b32 v6, v1 // FAULT lds-race
  joined
kernel flat_lanes_that_meet, 1024
  begin
  v_mov_b32 v10, 0
  flat_store_dword v[10:11], v3 // FAULT lds-race EARLIER
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel flat_right, 1024 // block=128
  begin
  v_lshlrev_b32 v12, 2, v0
  v_mov_b32 v13, s5
  flat_store_dword v[12:13], v3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
  flat_load_dword v6, v[10:11]
  flat_load_dword v7, v[10:11] offset:256
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
  flat_atomic_add v[10:11], v3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  s_endpgm
