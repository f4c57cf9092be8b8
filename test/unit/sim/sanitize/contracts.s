// What instructions and the memory model ask of programs: EXEC, descriptors, arithmetic of addresses,
// the scalar cache, memory that may only be read. See wait-states.s for the marks; a line
// `planted name, lds, scratch, instruction` is a kernel around that instruction.
.include "kernel.inc"
// s[4:5] in, s[6:7] out, s[12:15] a descriptor of in; v1 = 4 · lane, v[4:5] = in + v1, v[8:31] = 0,
// a[0:15] = 0, s[20:21] = 0x3.
.macro planted name, lds, scratch, text:vararg
kernel \name, \lds, \scratch
  prepare
  \text
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.endm
.macro prepare
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  .irp r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  v_mov_b32 v\r, 0
  .endr
  .irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  v_accvgpr_write_b32 a\r, 0
  .endr
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v5, s5
  v_add_co_u32 v4, vcc, s4, v1
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  s_mov_b64 s[20:21], 3
  s_mov_b32 m0, 0
  s_nop 4
.endm

// --- Matrix instructions with lanes masked
kernel mfma_f16
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_bf16
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_16x16x16_bf16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_32
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_32x32x8_f16 a[0:15], v[8:9], v[10:11], a[0:15] // FAULT exec-masked
  s_endpgm
kernel mfma_f32
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_16x16x4_f32 v[12:15], v8, v9, v[12:15] // FAULT exec-masked
  s_endpgm
kernel mfma_f64
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f64_16x16x4_f64 v[12:19], v[8:9], v[10:11], v[12:19] // FAULT exec-masked
  s_endpgm
kernel mfma_i8
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_i32_16x16x32_i8 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_fp8
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_4x4
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_mfma_f32_4x4x4_16b_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_sparse
  prepare
  s_mov_b64 exec, s[20:21]
  s_nop 4
  v_smfmac_f32_16x16x32_f16 a[0:3], v[8:9], v[10:13], v14 // FAULT exec-masked
  s_endpgm
kernel mfma_upper_half
  prepare
  s_mov_b32 exec_hi, 0
  s_nop 4
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_in_a_branch
  prepare
  v_cmp_gt_u32 vcc, 32, v0
  s_and_saveexec_b64 s[22:23], vcc
  s_nop 4
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_or_b64 exec, exec, s[22:23]
  s_endpgm
kernel mfma_no_lane
  prepare
  s_mov_b64 exec, 0
  s_nop 4
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_small_block // block=32
  prepare
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3] // FAULT exec-masked
  s_endpgm
kernel mfma_right
  prepare
  s_mov_b64 exec, s[20:21]
  s_mov_b64 exec, -1
  s_nop 4
  v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3]
  s_endpgm

// --- Descriptors
kernel type_1
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x40027000
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel type_2
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x80027000
  buffer_load_dwordx4 v[12:15], v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel type_3
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0xc0027000
  buffer_store_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel unbound
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel unbound_store
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0
  buffer_store_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel unbound_atomic
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x7000
  buffer_atomic_add v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel swizzle_without_stride
  prepare
  s_or_b32 s13, s13, 0x80000000
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel swizzle_of_half_elements
  prepare
  s_or_b32 s13, s13, 0x80060000
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0xa7000
  buffer_load_dword v12, v0, s[12:15], 0 idxen // FAULT descriptor
  s_endpgm
kernel swizzle_of_16
  prepare
  s_or_b32 s13, s13, 0x80040000
  s_mov_b32 s14, 256
  s_mov_b32 s15, 0x1a7000
  buffer_store_dword v12, v0, s[12:15], 0 idxen // FAULT descriptor
  s_endpgm
kernel index_without_stride
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  buffer_load_dword v12, v0, s[12:15], 0 idxen // FAULT descriptor
  s_endpgm
kernel index_without_stride_short
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  buffer_load_ushort v12, v0, s[12:15], 0 idxen offset:4 // FAULT descriptor
  s_endpgm
kernel words_in_the_wrong_order
  prepare
  s_mov_b32 s14, 0x27000
  s_mov_b32 s15, 4096
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel words_of_floats
  prepare
  s_mov_b32 s15, 0xbf800000
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT descriptor
  s_endpgm
kernel empty_and_unbound
  prepare
  s_or_b32 s13, s13, 0
  s_mov_b32 s14, 0
  s_mov_b32 s15, 0
  buffer_load_dword v12, v1, s[12:15], 0 offen
  s_endpgm
kernel structured
  prepare
  s_or_b32 s13, s13, 0x40000
  s_mov_b32 s14, 1024
  s_mov_b32 s15, 0x27000
  buffer_load_dword v12, v0, s[12:15], 0 idxen
  s_endpgm
kernel swizzled
  prepare
  s_or_b32 s13, s13, 0x80040000
  s_mov_b32 s14, 512
  s_mov_b32 s15, 0xa7000
  buffer_load_dword v12, v0, s[12:15], 0 idxen
  s_endpgm

// --- 32 bits that overflow
kernel offset_and_offset
  prepare
  v_sub_u32 v6, v1, 64
  buffer_load_dword v12, v6, s[12:15], 0 offen offset:64 // FAULT address-overflow
  s_endpgm
kernel offset_and_offset_store
  prepare
  v_sub_u32 v6, v1, 64
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  buffer_store_dword v12, v6, s[12:15], 0 offen offset:1024 // FAULT address-overflow
  s_endpgm
kernel offset_and_offset_x4
  prepare
  v_sub_u32 v6, v1, 64
  buffer_load_dwordx4 v[12:15], v6, s[12:15], 0 offen offset:256 // FAULT address-overflow
  s_endpgm
kernel negative_offset
  prepare
  v_sub_u32 v6, v1, 64
  s_add_u32 s4, s4, 64
  s_addc_u32 s5, s5, 0
  global_load_dword v12, v6, s[4:5] // FAULT address-overflow
  s_endpgm
kernel negative_offset_store
  prepare
  v_sub_u32 v6, v1, 64
  s_add_u32 s6, s6, 64
  s_addc_u32 s7, s7, 0
  global_store_dword v6, v12, s[6:7] // FAULT address-overflow
  s_endpgm
kernel negative_offset_atomic
  prepare
  v_sub_u32 v6, v1, 64
  s_add_u32 s6, s6, 64
  s_addc_u32 s7, s7, 0
  global_atomic_add v6, v12, s[6:7] // FAULT address-overflow
  s_endpgm
kernel borrow_lost
  prepare
  v_sub_u32 v4, v4, 0
  v_add_u32 v5, -1, v5
  global_load_dword v12, v[4:5], off // FAULT address-overflow
  s_endpgm
kernel carry_lost
  prepare
  v_add_u32 v5, 1, v5
  flat_load_dword v12, v[4:5] // FAULT address-overflow
  s_endpgm
kernel carry_lost_store
  prepare
  v_mov_b32 v5, s7
  v_add_co_u32 v4, vcc, s6, v1
  v_addc_co_u32 v5, vcc, 1, v5, vcc
  global_store_dwordx2 v[4:5], v[12:13], off // FAULT address-overflow
  s_endpgm
kernel scalar_carry_lost
  prepare
  s_sub_u32 s5, s5, 1
  s_load_dword s16, s[4:5], 0x10 // FAULT address-overflow
  s_waitcnt lgkmcnt(0)
  s_endpgm
kernel scalar_carry_lost_x4
  prepare
  s_add_u32 s5, s5, 1
  s_load_dwordx4 s[16:19], s[4:5], 0x10 // FAULT address-overflow
  s_waitcnt lgkmcnt(0)
  s_endpgm
kernel scalar_base_of_a_vector_access
  prepare
  s_add_u32 s5, s5, 1
  global_load_dwordx4 v[12:15], v1, s[4:5] // FAULT address-overflow
  s_endpgm
kernel descriptor_base
  prepare
  s_add_u32 s13, s13, 1
  buffer_load_dword v12, v1, s[12:15], 0 offen // FAULT address-overflow
  s_endpgm
kernel offsets_right
  prepare
  v_mov_b32 v6, 0x80000000
  buffer_load_dword v12, v6, s[12:15], 0 offen offset:64
  v_mov_b32 v6, -1
  buffer_load_dword v12, v6, s[12:15], 0 offen
  s_endpgm

// --- The scalar cache
kernel stale_dword
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dword s16, s[6:7], 0x10 // FAULT stale-scalar
  s_endpgm
kernel stale_x2
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dwordx2 s[16:17], s[6:7], 0x0 // FAULT stale-scalar
  s_endpgm
kernel stale_x4
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dwordx4 s[16:19], s[6:7], 0x20 // FAULT stale-scalar
  s_endpgm
kernel stale_x8
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dwordx8 s[24:31], s[6:7], 0x20 // FAULT stale-scalar
  s_endpgm
kernel stale_x16
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dwordx16 s[24:39], s[6:7], 0x40 // FAULT stale-scalar
  s_endpgm
kernel stale_partly
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dwordx4 s[16:19], s[6:7], 0xf8 // FAULT stale-scalar
  s_endpgm
kernel stale_by_offset
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_mov_b32 s22, 32
  s_load_dword s16, s[6:7], s22 // FAULT stale-scalar
  s_endpgm
kernel stale_buffer
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_buffer_load_dwordx2 s[16:17], s[12:15], 0x0 // FAULT stale-scalar
  s_endpgm
kernel stale_wide_store
  prepare
  v_lshlrev_b32 v2, 4, v0
  v_mov_b32 v12, 1
  s_dcache_inv
  global_store_dwordx4 v2, v[12:15], s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dword s16, s[6:7], 0x100 // FAULT stale-scalar
  s_endpgm
kernel stale_byte
  prepare
  v_mov_b32 v12, 1
  global_store_byte v0, v12, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dword s16, s[6:7], 0x0 // FAULT stale-scalar
  s_endpgm
kernel stale_atomic
  prepare
  v_mov_b32 v12, 1
  global_atomic_add v1, v12, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_load_dword s16, s[6:7], 0x0 // FAULT stale-scalar
  s_endpgm
kernel stale_of_another_wave // block=128
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_barrier
  s_load_dword s16, s[6:7], 0x104 // FAULT stale-scalar
  s_endpgm
kernel invalidated
  prepare
  v_add_u32 v2, 7, v1
  global_store_dword v1, v2, s[6:7]
  s_waitcnt vmcnt(0)
  s_dcache_inv
  s_waitcnt lgkmcnt(0)
  s_load_dword s16, s[6:7], 0x10
  s_endpgm
kernel not_stored
  prepare
  global_store_dword v1, v1, s[6:7]
  s_load_dword s16, s[6:7], 0x400
  s_endpgm

// --- Memory that may only be read: the code object and the kernel's arguments
.macro text_address
  s_getpc_b64 s[24:25]
  v_mov_b32 v6, s24
  v_mov_b32 v7, s25
  v_mov_b32 v2, 0
.endm
planted arguments_store, 0, 0, global_store_dword v8, v12, s[0:1] // FAULT read-only
planted arguments_store_x2, 0, 0, global_store_dwordx2 v8, v[12:13], s[0:1] // FAULT read-only
planted arguments_store_x4, 0, 0, global_store_dwordx4 v8, v[12:15], s[0:1] // FAULT read-only
planted arguments_byte, 0, 0, global_store_byte v8, v12, s[0:1] offset:3 // FAULT read-only
planted arguments_atomic, 0, 0, global_atomic_add v8, v12, s[0:1] // FAULT read-only
planted arguments_atomic_x2, 0, 0, global_atomic_add_x2 v8, v[12:13], s[0:1] offset:8 // FAULT read-only
kernel text_store
  prepare
  text_address
  global_store_dword v[6:7], v12, off // FAULT read-only
  s_endpgm
kernel text_store_x4
  prepare
  text_address
  global_store_dwordx4 v[6:7], v[12:15], off // FAULT read-only
  s_endpgm
kernel text_byte
  prepare
  text_address
  global_store_byte v[6:7], v12, off // FAULT read-only
  s_endpgm
kernel text_flat
  prepare
  text_address
  flat_store_dword v[6:7], v12 // FAULT read-only
  s_endpgm
kernel text_atomic
  prepare
  text_address
  global_atomic_swap v[6:7], v12, off // FAULT read-only
  s_endpgm
kernel text_buffer
  prepare
  text_address
  s_mov_b32 s12, s24
  s_and_b32 s13, s25, 0xffff
  buffer_store_dword v12, off, s[12:15], 0 // FAULT read-only
  s_endpgm
kernel text_load
  prepare
  text_address
  global_load_dword v12, v[6:7], off
  s_load_dword s16, s[24:25], 0x0
  s_endpgm
