// Waves that write the same bytes: no race, but what comes later must be ordered behind each of
// them. See wait-states.s for the marks; the other access of a race is marked EARLIER.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · lane of the wave, v2 = 4 · work-item, v5 = 0, v7 = v20 = 7, v8 = v21 = 8,
// v9 = 1; s8 = wave; s[12:15] a buffer of out: 8 bits of 4 components, unorm.
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_lshlrev_b32 v2, 2, v0
  v_lshrrev_b32 v4, 6, v0
  v_mov_b32 v5, 0
  v_mov_b32 v7, 7
  v_mov_b32 v8, 8
  v_mov_b32 v9, 1
  v_mov_b32 v20, 7
  v_mov_b32 v21, 8
  s_mov_b32 m0, 0
  v_readfirstlane_b32 s8, v4
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x50fac
  s_cmp_lg_u32 s8, 0
.endm
.macro signal offset
  global_store_dword v5, v9, s[6:7] offset:\offset sc1
.endm
.macro consume offset
9:
  global_load_dword v10, v5, s[6:7] offset:\offset sc1
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, 1, v10
  s_cbranch_vccnz 9b
.endm

// --- Memory, waves of a workgroup
kernel then_another // block=128
  begin
  s_cbranch_scc1 1f
  global_store_dword v1, v7, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v7, s[6:7]
  global_store_dword v1, v8, s[6:7] // FAULT global-race
  s_endpgm
kernel then_another_of_a_crowded_page // block=128
  begin
  v_lshlrev_b32 v6, 1, v1
  s_cbranch_scc1 1f
  global_store_dword v6, v7, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v6, v7, s[6:7]
  global_store_dword v6, v8, s[6:7] // FAULT global-race
  s_endpgm
kernel then_another_of_some_bytes // block=128
  begin
  s_cbranch_scc1 1f
  global_store_dwordx2 v5, v[20:21], s[6:7] // EARLIER
  s_endpgm
1:
  global_store_byte v5, v8, s[6:7] offset:4
  global_store_byte v5, v7, s[6:7] offset:4 // FAULT global-race
  s_endpgm
kernel then_a_reader // block=192
  begin
  s_cmp_eq_u32 s8, 2
  s_cbranch_scc1 1f
  global_store_dword v1, v7, s[6:7] // EARLIER
  s_endpgm
1:
  s_sleep 1
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  s_endpgm
kernel a_reader_behind_one_of_them // block=128
  begin
  s_cbranch_scc1 1f
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  s_barrier
  global_load_dword v6, v1, s[6:7] // EARLIER
  s_endpgm
1:
  s_barrier
  global_store_dword v1, v7, s[6:7] // FAULT global-race
  s_endpgm
kernel each_reads_its_own // block=128
  begin
  s_cbranch_scc1 1f
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  global_load_dword v6, v1, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v7, s[6:7] // FAULT global-race
  s_endpgm
kernel right_in_another_order // block=256
  begin
  global_store_dword v1, v7, s[6:7]
  s_cbranch_scc1 1f
  global_store_dword v1, v7, s[6:7]
1:
  s_endpgm
kernel right_behind_a_barrier // block=256
  begin
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  s_barrier
  global_load_dword v6, v1, s[6:7]
  s_waitcnt vmcnt(0)
  s_barrier
  s_cmp_lg_u32 s8, 2
  s_cbranch_scc1 1f
  global_store_dword v1, v8, s[6:7]
1:
  s_endpgm

// --- Workgroups. What the first one writes is what memory holds.
kernel what_is_there_already // grid=2
  begin
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  global_store_dword v1, v5, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v8, s[6:7] // FAULT global-race
  s_endpgm
kernel what_is_there_already_read // grid=2
  begin
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  global_store_dword v1, v5, s[6:7] // EARLIER
  s_endpgm
1:
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  s_endpgm
kernel what_was_there_before // grid=2
  begin
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  global_store_dword v1, v8, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v5, s[6:7] // FAULT global-race
  s_endpgm
// The third knows of the second, which wrote the same as the first.
kernel then_another_by_who_knows_one // grid=3
  begin
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 1f
  s_cmp_eq_u32 s2, 2
  s_cbranch_scc1 2f
  global_store_dword v1, v7, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  signal 2048
  s_endpgm
2:
  consume 2048
  global_store_dword v1, v8, s[6:7] // FAULT global-race
  s_endpgm
kernel then_read_by_who_knows_one // grid=3
  begin
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 1f
  s_cmp_eq_u32 s2, 2
  s_cbranch_scc1 2f
  global_store_dword v1, v7, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  signal 2048
  s_endpgm
2:
  consume 2048
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  s_endpgm
kernel right_knows_both // grid=3
  begin
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 1f
  s_cmp_eq_u32 s2, 2
  s_cbranch_scc1 2f
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  signal 2056
  s_endpgm
1:
  global_store_dword v1, v7, s[6:7]
  s_waitcnt vmcnt(0)
  signal 2048
  s_endpgm
2:
  consume 2048
  consume 2056
  global_load_dword v6, v1, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v8, s[6:7]
  s_endpgm
kernel right_the_same_by_all // grid=8 block=128 threads=3
  begin
  v_lshlrev_b32 v1, 1, v1
  global_store_dwordx2 v1, v[20:21], s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dwordx2 v5, v[20:21], s[6:7] offset:2048
  s_endpgm
// First zero, then the value: what is left is the same.
kernel right_in_two_steps // grid=4
  begin
  global_store_dword v1, v5, s[6:7]
  global_store_dword v1, v7, s[6:7]
  s_endpgm
// Converted, it is the same: 1.0 and 2.0 are 255.
kernel right_the_same_when_converted // grid=2
  begin
  v_mov_b32 v16, 1.0
  v_mov_b32 v17, 1.0
  v_mov_b32 v18, 0
  v_mov_b32 v19, 0
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  buffer_store_format_xyzw v[16:19], v1, s[12:15], 0 offen
  s_endpgm
1:
  v_mov_b32 v16, 2.0
  buffer_store_format_xyzw v[16:19], v1, s[12:15], 0 offen
  s_endpgm
kernel another_when_converted // grid=2
  begin
  v_mov_b32 v16, 1.0
  v_mov_b32 v17, 1.0
  v_mov_b32 v18, 0
  v_mov_b32 v19, 0
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  buffer_store_format_xyzw v[16:19], v1, s[12:15], 0 offen // EARLIER
  s_endpgm
1:
  v_mov_b32 v17, 0.5
  buffer_store_format_xyzw v[16:19], v1, s[12:15], 0 offen // FAULT global-race
  s_endpgm

// --- LDS
kernel lds_then_another, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_write_b32 v1, v7 // EARLIER
  s_endpgm
1:
  ds_write_b32 v1, v7
  ds_write_b32 v1, v8 // FAULT lds-race
  s_endpgm
kernel lds_then_another_byte, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_write_b8 v1, v7 // EARLIER
  s_endpgm
1:
  ds_write_b8 v1, v7
  ds_write_b8 v1, v8 // FAULT lds-race
  s_endpgm
kernel lds_then_a_reader, 1024 // block=192
  begin
  s_cmp_eq_u32 s8, 2
  s_cbranch_scc1 1f
  ds_write_b32 v1, v7 // EARLIER
  s_endpgm
1:
  s_sleep 1
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
kernel lds_one_of_them_not_awaited, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_write_b32 v1, v7 // EARLIER
  s_barrier
  s_endpgm
1:
  ds_write_b32 v1, v7
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
kernel lds_each_reads_its_own, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_write_b32 v1, v7
  ds_read_b32 v6, v1 // EARLIER
  s_endpgm
1:
  ds_write_b32 v1, v7 // FAULT lds-race
  s_endpgm
kernel right_lds, 1024 // block=256
  begin
  ds_write_b32 v1, v7
  ds_write_b16 v1, v7 offset:512
  ds_write_b16 v1, v8 offset:514
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v1
  ds_read_b32 v6, v1 offset:512
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_write_b32 v2, v0
  s_endpgm
kernel lds_then_another_by_the_first, 1024 // block=128
  begin
  s_cbranch_scc1 1f
  ds_write_b32 v1, v7
  s_sleep 1
  ds_write_b32 v1, v8 // FAULT lds-race
  s_endpgm
1:
  ds_write_b32 v1, v7 // EARLIER
  s_endpgm
