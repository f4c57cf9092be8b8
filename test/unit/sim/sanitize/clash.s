// Lanes of one store that meet: the bytes that stay are one lane's, whichever. See wait-states.s for
// the marks; the other access is the same one.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · work-item, v2 = work-item / 2, v5 = 0, v6 = 7, v7 = 8 · (work-item / 2),
// v8 = 4 · (work-item / 2).
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_lshrrev_b32 v2, 1, v0
  v_mov_b32 v5, 0
  v_mov_b32 v6, 7
  v_mov_b32 v9, 9
  v_lshlrev_b32 v7, 3, v2
  v_lshlrev_b32 v8, 2, v2
  s_waitcnt lgkmcnt(0)
.endm

// --- Memory
kernel all_to_one_place
  begin
  global_store_dword v5, v0, s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel two_to_each_place
  begin
  global_store_dword v8, v0, s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel bytes_that_meet
  begin
  global_store_byte v2, v0, s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel halves_that_overlap
  begin
  global_store_dwordx2 v1, v[0:1], s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel last_and_first_lane
  begin
  v_cmp_eq_u32 vcc, 63, v0
  v_cndmask_b32 v1, v1, v5, vcc
  global_store_dword v1, v0, s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel by_buffer
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  buffer_store_dword v0, v8, s[12:15], 0 offen // FAULT global-race EARLIER
  s_endpgm
kernel same_values
  begin
  global_store_dword v5, v6, s[6:7]
  global_store_dword v8, v2, s[6:7] offset:256
  global_store_dwordx2 v7, v[6:7], s[6:7] offset:1024
  s_endpgm
kernel one_lane
  begin
  v_cmp_eq_u32 vcc, 5, v0
  s_and_saveexec_b64 s[10:11], vcc
  global_store_dword v5, v0, s[6:7]
  s_endpgm
kernel descending_lanes
  begin
  v_sub_u32 v1, 63, v0
  v_lshlrev_b32 v1, 4, v1
  v_mov_b32 v10, v0
  v_mov_b32 v11, v0
  v_mov_b32 v12, v0
  v_mov_b32 v13, v0
  global_store_dwordx4 v1, v[10:13], s[6:7]
  s_endpgm
kernel three_dwords_descending
  begin
  v_sub_u32 v1, 63, v0
  v_mul_u32_u24 v1, 12, v1
  v_mov_b32 v10, v0
  v_mov_b32 v11, v0
  v_mov_b32 v12, v0
  global_store_dwordx3 v1, v[10:12], s[6:7]
  s_endpgm

// --- LDS
kernel lds_all_to_one_place, 1024
  begin
  ds_write_b32 v5, v0 // FAULT lds-race EARLIER
  s_endpgm
kernel lds_bytes_that_meet, 1024
  begin
  ds_write_b8 v2, v0 // FAULT lds-race EARLIER
  s_endpgm
kernel lds_wide_that_overlap, 1024
  begin
  ds_write_b64 v1, v[0:1] // FAULT lds-race EARLIER
  s_endpgm
kernel lds_high_halves, 1024
  begin
  v_lshlrev_b32 v10, 16, v0
  v_lshlrev_b32 v11, 1, v2
  ds_write_b16_d16_hi v11, v10 // FAULT lds-race EARLIER
  s_endpgm
kernel lds_second_part, 1024
  begin
  v_mov_b32 v10, v0
  ds_write2_b32 v8, v2, v10 offset0:0 offset1:64 // FAULT lds-race EARLIER
  s_endpgm
kernel lds_same_values, 1024
  begin
  ds_write_b32 v5, v6
  ds_write_b8 v2, v2 offset:256
  ds_write_b64 v7, v[6:7] offset:512
  s_endpgm
