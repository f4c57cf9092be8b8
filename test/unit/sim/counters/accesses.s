// Memory accesses at addresses that the test chooses. s[0:1] kernargs: in, out, third. One wave.
.macro kernel name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 24
  .amdhsa_group_segment_fixed_size 65536
.end_amdhsa_kernel
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
.endm

// LDS at byte offsets in[lane].
kernel lds
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b32 v2, v4
  ds_write_b64 v2, v[4:5]
  ds_write_b96 v2, v[4:6]
  ds_write_b128 v2, v[4:7]
  ds_write_b8 v2, v4
  ds_write2_b32 v2, v4, v5 offset0:1 offset1:2
  ds_read_b32 v8, v2
  ds_read_b64 v[8:9], v2
  ds_read_b96 v[8:10], v2
  ds_read_b128 v[8:11], v2
  ds_read_u16 v8, v2
  ds_read2st64_b64 v[8:11], v2 offset1:1
  ds_add_u32 v2, v4
.ifdef CDNA4
  ds_read_b64_tr_b16 v[8:9], v2
.endif
  s_waitcnt lgkmcnt(0)
  s_endpgm

// Only lanes 0-7 read; nothing happens where EXEC is 0.
kernel masked
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, 0xff
  ds_read_b32 v8, v2
  s_mov_b64 exec, 0
  ds_read_b64 v[8:9], v2
  s_endpgm

// 16 bytes a lane from in, the first 200 bytes of it; 4 bytes a lane, 128 apart, to out.
kernel memory
  v_lshlrev_b32 v2, 4, v0
  v_lshlrev_b32 v3, 7, v0
  global_load_dwordx4 v[8:11], v2, s[4:5]
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 200
  s_mov_b32 s11, 0x27000
  buffer_load_dwordx4 v[12:15], v2, s[8:11], 0 offen
  buffer_load_ushort v16, v2, s[8:11], 0 offen
  s_load_dwordx8 s[16:23], s[4:5], 0x0
  s_buffer_load_dwordx2 s[24:25], s[8:11], 0xc4
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v3, v8, s[6:7]
  global_store_byte v3, v8, s[6:7]
  v_mov_b32 v4, 0
  global_atomic_add v4, v8, s[6:7]
  s_waitcnt vmcnt(0)
  s_endpgm

// Elements of formats, 16 bytes apart, of the first 200 bytes of in: all of one or nothing. The
// descriptor's format is one float.
kernel typed
  v_lshlrev_b32 v2, 4, v0
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 200
  s_mov_b32 s11, 0x27000
  tbuffer_load_format_xy v[8:9], v2, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] offen
  tbuffer_load_format_xyzw v[12:15], v2, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_UINT] offen
  tbuffer_load_format_d16_x v16, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] offen
  buffer_load_format_xyz v[20:22], v2, s[8:11], 0 offen
  tbuffer_store_format_x v4, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_SINT] offen
  s_mov_b32 m0, 0x100
  s_nop 0
  buffer_load_format_x v2, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  s_endpgm

// The same by the scalar unit, to out.
kernel scalar
  s_mov_b32 s8, s6
  s_and_b32 s9, s7, 0xffff
  s_mov_b32 s10, 200
  s_mov_b32 s11, 0x27000
  s_store_dwordx4 s[4:7], s[6:7], 0x38
  s_buffer_store_dwordx2 s[4:5], s[8:11], 0xc4
  s_atomic_add_x2 s[4:5], s[6:7], 0x100
  s_endpgm

// A copy of 4 bytes a lane to LDS, over lanes 0-31.
kernel copy
  s_mov_b32 m0, 0x100
  s_mov_b64 exec, 0xffffffff
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_endpgm
