// Accesses outside allocations, LDS and scratch, in all forms. See wait-states.s for the marks; a line
// `planted name, lds, scratch, instruction` is a kernel around that one instruction.
.include "kernel.inc"
// s[4:5] in, s[6:7] out, s[12:15] a descriptor of all that in has; v1 = 4 · lane; v2 reaches past
// 4096, v[4:5] past in; v[8:11] = 0.
.macro planted name, lds, scratch, text:vararg
kernel \name, \lds, \scratch
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, 4000, v1
  v_mov_b32 v8, 0
  v_mov_b32 v9, 0
  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s5
  v_add_co_u32 v4, vcc, s4, v2
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 8192
  s_mov_b32 s15, 0x27000
  s_mov_b32 s16, 4096
  s_mov_b32 m0, 0
  s_nop 4
  \text
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.endm

// --- Global memory
planted load, 0, 0, global_load_dword v12, v2, s[4:5] // FAULT out-of-bounds
planted load_x2, 0, 0, global_load_dwordx2 v[12:13], v2, s[4:5] // FAULT out-of-bounds
planted load_x3, 0, 0, global_load_dwordx3 v[12:14], v2, s[4:5] // FAULT out-of-bounds
planted load_x4, 0, 0, global_load_dwordx4 v[12:15], v2, s[4:5] // FAULT out-of-bounds
planted load_byte, 0, 0, global_load_ubyte v12, v2, s[4:5] // FAULT out-of-bounds
planted load_short, 0, 0, global_load_sshort v12, v2, s[4:5] // FAULT out-of-bounds
planted load_vector_address, 0, 0, global_load_dword v12, v[4:5], off // FAULT out-of-bounds
planted load_before, 0, 0, global_load_dword v12, v1, s[4:5] offset:-4 // FAULT out-of-bounds
planted load_flat, 0, 0, flat_load_dword v12, v[4:5] // FAULT out-of-bounds
planted load_to_lds, 1024, 0, global_load_lds_dword v2, s[4:5] // FAULT out-of-bounds
planted store, 0, 0, global_store_dword v2, v8, s[6:7] // FAULT out-of-bounds
planted store_x4, 0, 0, global_store_dwordx4 v2, v[8:11], s[6:7] // FAULT out-of-bounds
planted store_byte, 0, 0, global_store_byte v2, v8, s[6:7] // FAULT out-of-bounds
planted store_flat, 0, 0, flat_store_dwordx2 v[4:5], v[8:9] // FAULT out-of-bounds
planted atomic, 0, 0, global_atomic_add v2, v8, s[6:7] // FAULT out-of-bounds
planted scalar_load, 0, 0, s_load_dwordx2 s[20:21], s[4:5], 0x1000 // FAULT out-of-bounds
planted scalar_load_across_the_end, 0, 0, s_load_dwordx4 s[20:23], s[4:5], 0xff8 // FAULT out-of-bounds

// --- Right: at the end, and lanes that don't take part
planted last_bytes, 0, 0, global_load_dwordx4 v[12:15], v1, s[4:5] offset:3828
planted first_bytes, 0, 0, global_load_ubyte v12, v1, s[4:5]
kernel masked_lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 7, v0
  v_cmp_gt_u32 vcc, 32, v0
  s_waitcnt lgkmcnt(0)
  s_and_saveexec_b64 s[8:9], vcc
  global_load_dword v2, v1, s[4:5]
  global_store_dword v1, v0, s[6:7]
  s_endpgm
// A descriptor of all the allocation: lanes outside read zero and are no accesses.
kernel outside_the_descriptor
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 7, v0
  s_mov_b32 s10, 4096
  s_mov_b32 s11, 0x27000
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6
  s_and_b32 s9, s7, 0xffff
  buffer_load_dword v2, v1, s[8:11], 0 offen
  buffer_store_dword v0, v1, s[8:11], 0 offen
  v_mov_b32 v3, 0
  s_waitcnt vmcnt(0)
  buffer_store_dwordx4 v[0:3], v1, s[8:11], 0 offen offset:4080
  s_endpgm

// --- LDS
planted lds_read, 256, 0, ds_read_b32 v12, v2 // FAULT lds-out-of-bounds
planted lds_read_offset, 256, 0, ds_read_b32 v12, v1 offset:4 // FAULT lds-out-of-bounds
planted lds_read_64, 256, 0, ds_read_b64 v[12:13], v1 // FAULT lds-out-of-bounds
planted lds_read_128, 256, 0, ds_read_b128 v[12:15], v1 // FAULT lds-out-of-bounds FAULT misaligned note
planted lds_read_byte, 128, 0, ds_read_u8 v12, v1 // FAULT lds-out-of-bounds
planted lds_read_2, 256, 0, ds_read2_b32 v[12:13], v1 offset0:0 offset1:1 // FAULT lds-out-of-bounds
planted lds_write, 128, 0, ds_write_b32 v1, v8 // FAULT lds-out-of-bounds
planted lds_write_64, 128, 0, ds_write_b64 v1, v[8:9] // FAULT lds-out-of-bounds
planted lds_write_128, 128, 0, ds_write_b128 v1, v[8:11] // FAULT lds-out-of-bounds FAULT misaligned note
planted lds_write_byte, 128, 0, ds_write_b8 v1, v8 // FAULT lds-out-of-bounds
planted lds_write_2, 512, 0, ds_write2st64_b32 v1, v8, v9 offset0:1 offset1:2 // FAULT lds-out-of-bounds
planted lds_atomic, 128, 0, ds_add_u32 v1, v8 // FAULT lds-out-of-bounds FAULT uninitialised
planted lds_by_load, 128, 0, global_load_lds_dword v1, s[4:5] // FAULT lds-out-of-bounds
planted lds_by_load_before, 256, 0, global_load_lds_dword v1, s[4:5] offset:-128 // FAULT lds-out-of-bounds FAULT out-of-bounds
planted lds_whole, 256, 0, ds_write_b32 v1, v8

// --- Scratch
planted scratch_load, 0, 64, scratch_load_dword v12, off, off offset:64 // FAULT scratch-out-of-bounds
planted scratch_load_x2, 0, 64, scratch_load_dwordx2 v[12:13], off, off offset:60 // FAULT scratch-out-of-bounds
planted scratch_load_x3, 0, 64, scratch_load_dwordx3 v[12:14], off, off offset:56 // FAULT scratch-out-of-bounds
planted scratch_load_x4, 0, 64, scratch_load_dwordx4 v[12:15], off, off offset:52 // FAULT scratch-out-of-bounds
planted scratch_load_byte, 0, 64, scratch_load_ubyte v12, off, off offset:64 // FAULT scratch-out-of-bounds
planted scratch_load_register, 0, 64, scratch_load_dword v12, v1, off // FAULT scratch-out-of-bounds
planted scratch_load_scalar, 0, 64, scratch_load_dword v12, off, s16 // FAULT scratch-out-of-bounds
planted scratch_store, 0, 64, scratch_store_dword off, v8, off offset:64 // FAULT scratch-out-of-bounds
planted scratch_store_x2, 0, 64, scratch_store_dwordx2 off, v[8:9], off offset:60 // FAULT scratch-out-of-bounds
planted scratch_store_x4, 0, 64, scratch_store_dwordx4 off, v[8:11], off offset:52 // FAULT scratch-out-of-bounds
planted scratch_store_short, 0, 64, scratch_store_short off, v8, off offset:63 // FAULT scratch-out-of-bounds
planted scratch_store_register, 0, 64, scratch_store_dword v1, v8, off offset:60 // FAULT scratch-out-of-bounds
planted scratch_whole, 0, 64, scratch_store_dwordx4 off, v[8:11], off offset:48
