// VGPR indexing: what is checked are the registers that the index leads to. See wait-states.s for the marks.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · lane; v[20:23] = 0; s20 = 2. The index is `index` for the operands in `mask`.
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  .irp r, 20, 21, 22, 23
  v_mov_b32 v\r, 0
  .endr
  s_mov_b32 s20, 2
  s_waitcnt lgkmcnt(0)
.endm
.macro indexed mask, index, text:vararg
  s_set_gpr_idx_on \index, gpr_idx(\mask)
  \text
  s_set_gpr_idx_off
.endm
.macro stored v
  s_waitcnt vmcnt(0)
  global_store_dword v1, \v, s[6:7]
  s_endpgm
.endm

kernel right_source
  begin
  indexed SRC0, s20, v_mov_b32 v5, v20
  stored v5
kernel right_destination
  begin
  indexed DST, s20, v_mov_b32 v30, v0
  stored v32
kernel right_what_no_index_leads_to
  begin
  global_load_dword v20, v1, s[4:5]
  indexed SRC0, s20, v_mov_b32 v5, v20
  stored v5
kernel source_outstanding
  begin
  global_load_dword v22, v1, s[4:5] // EARLIER
  indexed SRC0, s20, v_mov_b32 v5, v20 // FAULT use-before-wait
  stored v5
kernel second_source_outstanding
  begin
  global_load_dword v22, v1, s[4:5] // EARLIER
  indexed SRC1, s20, v_add_u32 v5, s6, v20 // FAULT use-before-wait
  stored v5
kernel destination_outstanding
  begin
  global_load_dword v22, v1, s[4:5] // EARLIER
  indexed DST, s20, v_mov_b32 v20, v0 // FAULT use-before-wait
  stored v20
kernel accumulator_outstanding
  begin
  global_load_dword v22, v1, s[4:5] // EARLIER
  indexed DST, s20, v_fmac_f32 v20, v1, v1 // FAULT use-before-wait
  stored v20
kernel source_undefined
  begin
  indexed SRC0, 10, v_mov_b32 v5, v20
  stored v5 // FAULT uninitialised
kernel wrapped_source_undefined
  begin
  indexed SRC1, 10, v_add_u32 v5, s6, v20
  stored v5 // FAULT uninitialised
kernel permuted_source_undefined
  begin
  v_mov_b32 v5, 0
  s_nop 1
  indexed SRC0, 10, v_mov_b32_dpp v5, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  stored v5 // FAULT uninitialised
kernel another_destination_undefined
  begin
  indexed DST, s20, v_mov_b32 v30, v0
  stored v30 // FAULT uninitialised
kernel destination_becomes_undefined
  begin
  indexed DST, s20, v_mov_b32 v20, v40
  stored v22 // FAULT uninitialised
kernel index_undefined
  begin
  s_set_gpr_idx_on s40, gpr_idx(SRC0) // FAULT uninitialised
  v_mov_b32 v5, v20
  s_set_gpr_idx_off
  s_endpgm
kernel later_index_undefined
  begin
  s_set_gpr_idx_on s20, gpr_idx(SRC0)
  s_set_gpr_idx_idx s40 // FAULT uninitialised
  v_mov_b32 v5, v20
  s_set_gpr_idx_off
  s_endpgm
kernel right_upper_bits_of_the_index_undefined
  begin
  s_lshl_b32 s40, s41, 8
  indexed SRC0, s40, v_mov_b32 v5, v20
  stored v5
kernel index_past_the_registers
  begin
  indexed SRC0, 60, v_mov_b32 v5, v20 // FAULT illegal
  stored v5
