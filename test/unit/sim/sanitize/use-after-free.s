// Memory that was given back before the launch (free=1 in a kernel's comment: `out` was). See
// wait-states.s for the marks.
.include "kernel.inc"
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s7
  v_add_co_u32 v4, vcc, s6, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  s_mov_b32 m0, 0
  s_nop 4
.endm
kernel load, 1024 // free=1
  begin
  global_load_dword v12, v1, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_x2, 1024 // free=1
  begin
  global_load_dwordx2 v[12:13], v1, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_x4, 1024 // free=1
  begin
  global_load_dwordx4 v[12:15], v1, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_byte, 1024 // free=1
  begin
  global_load_ubyte v12, v1, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_flat, 1024 // free=1
  begin
  flat_load_dword v12, v[4:5] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_address, 1024 // free=1
  begin
  global_load_dword v12, v[4:5], off offset:16 // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_buffer, 1024 // free=1
  begin
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel load_to_lds, 1024 // free=1
  begin
  global_load_lds_dword v1, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel store, 1024 // free=1
  begin
  global_store_dword v1, v8, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel store_x4, 1024 // free=1
  begin
  global_store_dwordx4 v1, v[8:11], s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel store_byte, 1024 // free=1
  begin
  global_store_byte v1, v8, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel store_buffer, 1024 // free=1
  begin
  buffer_store_dwordx2 v[8:9], v1, s[12:15], 0 offen // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel store_flat, 1024 // free=1
  begin
  flat_store_dword v[4:5], v8 // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel atomic, 1024 // free=1
  begin
  global_atomic_add v1, v8, s[6:7] // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel atomic_buffer, 1024 // free=1
  begin
  buffer_atomic_add v8, v1, s[12:15], 0 offen // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel scalar, 1024 // free=1
  begin
  s_load_dword s16, s[6:7], 0x10 // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel scalar_x8, 1024 // free=1
  begin
  s_load_dwordx8 s[24:31], s[6:7], 0x20 // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel last_byte, 1024 // free=1
  begin
  global_load_ubyte v12, v10, s[6:7] offset:4095 // FAULT use-after-free
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
kernel other_memory, 1024 // free=1
  begin
  global_load_dword v12, v1, s[4:5]
  s_endpgm
