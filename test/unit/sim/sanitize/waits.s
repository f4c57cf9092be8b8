// Results used before their s_waitcnt, LDS races, and atomics off their alignment. See bounds.s.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · lane, v2 = v1 + 2, v3 = 16 · lane + 4; v[8:11] = 0.
.macro planted name, lds, text:vararg
kernel \name, \lds
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, 2, v1
  v_lshlrev_b32 v3, 4, v0
  v_add_u32 v3, 4, v3
  .irp r, 8, 9, 10, 11, 12, 13, 14, 15
  v_mov_b32 v\r, 0
  .endr
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v7, s7
  v_add_co_u32 v6, vcc, s6, v2
  v_addc_co_u32 v7, vcc, 0, v7, vcc
  v_lshlrev_b32 v4, 3, v0
  ds_write_b64 v4, v[8:9]
  s_waitcnt lgkmcnt(0)
  \text
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.endm
.macro used load, use:vararg
  \load
  \use
.endm

// --- Used before the wait; one line holds the load and its use
planted vector_load, 1024, used "global_load_dword v12, v1, s[4:5]", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted vector_load_x4, 1024, used "global_load_dwordx4 v[12:15], v1, s[4:5]", v_add_u32 v13, v15, v1 // FAULT use-before-wait
planted overwritten, 1024, used "global_load_dword v12, v1, s[4:5]", v_mov_b32 v12, 0 // FAULT use-before-wait
planted stored, 1024, used "global_load_dword v12, v1, s[4:5]", global_store_dword v1, v12, s[6:7] // FAULT use-before-wait
planted as_address, 1024, used "global_load_dword v12, v1, s[4:5]", ds_read_b32 v13, v12 // FAULT use-before-wait
planted flat_load, 1024, used "flat_load_dword v12, v[6:7]", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted lds_load, 1024, used "ds_read_b32 v12, v1", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted lds_load_2, 1024, used "ds_read2_b32 v[12:13], v1 offset1:1", v_add_u32 v14, v13, v1 // FAULT use-before-wait
planted lds_permuted, 1024, used "ds_bpermute_b32 v12, v1, v8", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted lds_atomic_result, 1024, used "ds_add_rtn_u32 v12, v1, v8", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted atomic_result, 1024, used "global_atomic_add v12, v1, v8, s[6:7] sc0", v_add_u32 v13, v12, v1 // FAULT use-before-wait
planted scalar_load, 1024, used "s_load_dword s10, s[4:5], 0x0", s_add_u32 s11, s10, 1 // FAULT use-before-wait
planted scalar_load_overwritten, 1024, used "s_load_dword s10, s[4:5], 0x0", s_mov_b32 s10, 0 // FAULT use-before-wait
planted scalar_load_x4, 1024, used "s_load_dwordx4 s[20:23], s[4:5], 0x0", v_mov_b32 v12, s23 // FAULT use-before-wait
planted loads_in_order, 1024, used "global_load_dword v12, v1, s[4:5]", global_load_dword v12, v1, s[6:7]
planted other_register, 1024, used "global_load_dword v12, v1, s[4:5]", v_add_u32 v13, v14, v1
planted store_then_overwrite, 1024, used "global_store_dword v1, v8, s[6:7]", v_mov_b32 v8, 1

// --- Atomics off their alignment
planted atomic_add, 1024, global_atomic_add v2, v8, s[6:7] // FAULT misaligned
planted atomic_swap, 1024, global_atomic_swap v12, v2, v8, s[6:7] sc0 // FAULT misaligned
planted atomic_cmpswap, 1024, global_atomic_cmpswap v2, v[8:9], s[6:7] // FAULT misaligned
planted atomic_x2, 1024, global_atomic_add_x2 v3, v[8:9], s[6:7] // FAULT misaligned
planted atomic_f32, 1024, global_atomic_add_f32 v2, v8, s[6:7] // FAULT misaligned
planted atomic_f64, 1024, global_atomic_add_f64 v3, v[8:9], s[6:7] // FAULT misaligned
planted atomic_flat, 1024, flat_atomic_or v[6:7], v8 // FAULT misaligned
planted atomic_vector_address, 1024, global_atomic_umax v[6:7], v8, off // FAULT misaligned
planted lds_atomic_add, 1024, ds_add_u32 v2, v8 // FAULT misaligned
planted lds_atomic_rtn, 1024, ds_add_rtn_u32 v12, v2, v8 // FAULT misaligned
planted lds_atomic_64, 2048, ds_min_u64 v2, v[8:9] // FAULT misaligned
planted lds_atomic_cmpst, 1024, ds_cmpst_b32 v2, v8, v9 // FAULT misaligned
planted atomic_aligned, 1024, global_atomic_add v1, v8, s[6:7]
planted store_unaligned_is_legal, 1024, global_store_dword v2, v8, s[6:7]
