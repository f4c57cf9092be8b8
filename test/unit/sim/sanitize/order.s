// Waves that nothing orders, that miss each other at barriers, or that wait for ever. See
// wait-states.s for the marks; the other access of a race is marked EARLIER.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · lane of the wave, v2 = 4 · work-item, v3 = work-item + 7, v5 = 0,
// v9 = 1; s8 = wave.
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v3, 7, v0
  v_lshrrev_b32 v4, 6, v0
  v_mov_b32 v5, 0
  v_mov_b32 v9, 1
  v_mov_b32 v12, 3
  v_mov_b32 v13, 4
  v_mov_b32 v14, 5
  v_mov_b32 v15, 6
  s_mov_b32 m0, 0
  v_readfirstlane_b32 s8, v4
  s_waitcnt lgkmcnt(0)
.endm
// Initialised by wave 0, before a barrier.
.macro clean
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 9f
  ds_write_b32 v1, v5
  ds_write_b32 v1, v5 offset:256
  ds_write_b32 v1, v5 offset:512
  ds_write_b32 v1, v5 offset:768
  s_waitcnt lgkmcnt(0)
9:
  s_barrier
  s_cmp_lg_u32 s8, 0
.endm

// --- LDS
kernel write_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
kernel read_write, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_read_b32 v6, v1 // EARLIER
  s_endpgm
1:
  ds_write_b32 v1, v3 // FAULT lds-race
  s_endpgm
kernel write_write, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  ds_write_b32 v1, v2 // FAULT lds-race
  s_endpgm
kernel wide_write_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b128 v5, v[12:15] // EARLIER
  s_endpgm
1:
  ds_read_b32 v6, v5 offset:12 // FAULT lds-race
  s_endpgm
kernel write_wide_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  ds_read_b128 v[16:19], v5 offset:16 // FAULT lds-race
  s_endpgm
kernel write2_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write2_b32 v1, v3, v2 offset1:64 // EARLIER
  s_endpgm
1:
  ds_read_b32 v6, v1 offset:256 // FAULT lds-race
  s_endpgm
kernel write_read2, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3 offset:256 // EARLIER
  s_endpgm
1:
  ds_read2_b32 v[6:7], v1 offset1:64 // FAULT lds-race
  s_endpgm
kernel byte_in_a_dword, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b8 v1, v3 offset:2 // EARLIER
  s_endpgm
1:
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
kernel half_and_byte, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b16 v1, v3 // EARLIER
  s_endpgm
1:
  ds_read_u8 v6, v1 offset:1 // FAULT lds-race
  s_endpgm
kernel read_64_write, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_read_b64 v[6:7], v5 offset:8 // EARLIER
  s_endpgm
1:
  ds_write_b32 v5, v12 offset:12 // FAULT lds-race
  s_endpgm
kernel write_and_atomic, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  ds_add_u32 v1, v3 // FAULT lds-race
  s_endpgm
kernel load_to_lds_after_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_read_b32 v6, v1 // EARLIER
  s_endpgm
1:
  global_load_lds_dword v1, s[4:5] // FAULT lds-race
  s_endpgm
kernel a_barrier_too_early, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  s_barrier
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  s_barrier
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
// In the second workgroup, whose waves know different things at the barrier.
kernel a_write_across_a_barrier, 1024 // block=128 grid=2
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_atomic_add v10, v5, v9, s[6:7] offset:2048 sc0 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v10
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 2f
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc0 2f
  global_load_dword v6, v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b32 v1, v3 // EARLIER
  s_barrier
2:
  s_endpgm
1:
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 2b
  s_barrier
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm
kernel right_by_barrier, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
1:
  s_barrier
  ds_read_b32 v6, v1
  s_endpgm
// A flag in LDS: an atomic one, and one that is written and polled.
kernel right_by_atomic, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  ds_add_u32 v5, v9 offset:512
  s_endpgm
1:
  ds_add_rtn_u32 v6, v5, v5 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v1
  s_endpgm
kernel right_by_polling, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v5, v9 offset:512
  s_endpgm
1:
  ds_read_b32 v6, v5 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v1
  s_endpgm
kernel right_by_lock, 1024 // block=256
  clean
  s_mov_b64 exec, 1
1:
  ds_cmpst_rtn_b32 v6, v5, v5, v9 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_mov_b64 exec, -1
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v6, v3
  ds_write_b32 v1, v6
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  ds_write_b32 v5, v5 offset:512
  s_endpgm
// Each wave reads in its turn; that one of them is known doesn't order what another reads later.
kernel read_behind_the_lock, 1024 // block=128
  clean
  s_mov_b64 exec, 1
1:
  ds_cmpst_rtn_b32 v6, v5, v5, v9 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_mov_b64 exec, -1
  ds_read_b32 v6, v1
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v6, v3
  ds_write_b32 v1, v6 // FAULT lds-race
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  ds_write_b32 v5, v5 offset:512
  s_mov_b64 exec, -1
  ds_read_b32 v6, v1 // EARLIER
  s_endpgm
// Data is no flag because the word that a loop waits for may come from it.
kernel data_of_a_loop_that_waits, 1024 // block=128
  clean
  s_mov_b64 exec, 1
1:
  ds_cmpst_rtn_b32 v6, v5, v5, v9 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v5 offset:8
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v6, v3
  ds_write_b32 v5, v6 offset:8 // FAULT lds-race
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v5, v5 offset:512
  ds_read_b32 v7, v5 offset:16
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v7
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v5 offset:8 // EARLIER
  s_endpgm
// Nor because code behind the kernel waits, and begins by asking for the same register.
kernel data_before_code_that_waits, 1024 // block=128
  clean
  s_mov_b64 exec, 1
1:
  ds_cmpst_rtn_b32 v6, v5, v5, v9 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v5 offset:8
  s_waitcnt lgkmcnt(0)
  v_add_u32 v6, v6, v3
  ds_write_b32 v5, v6 offset:8 // FAULT lds-race
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v5, v5 offset:512
  ds_read_b32 v6, v5 offset:8 // EARLIER
  s_endpgm
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 3f
2:
  ds_read_b32 v7, v5 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_ne_u32 vcc, 0, v7
  s_cbranch_vccnz 2b
3:
  s_endpgm
kernel atomics_then_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_add_u32 v5, v9
  s_endpgm
1:
  ds_add_u32 v5, v9 // EARLIER
  s_sleep 1
  ds_read_b32 v6, v5 // FAULT lds-race
  s_endpgm
kernel read_then_atomics, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_read_b32 v6, v5 // EARLIER
  s_endpgm
1:
  ds_add_u32 v5, v9 // FAULT lds-race
  s_endpgm
kernel own_atomics_then_read, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  s_endpgm
1:
  ds_add_u32 v5, v9
  ds_read_b32 v6, v5
  s_endpgm
kernel flag_before_the_data, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_add_u32 v5, v9 offset:512
  ds_write_b32 v1, v3 // EARLIER
  s_endpgm
1:
  ds_add_rtn_u32 v6, v5, v5 offset:512
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  ds_read_b32 v6, v1 // FAULT lds-race
  s_endpgm

// What atomics synchronise by is loaded over.
kernel right_load_over_a_variable, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_add_rtn_u32 v6, v1, v9
  s_waitcnt lgkmcnt(0)
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)
1:
  s_endpgm
kernel load_over_a_variable, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_add_rtn_u32 v6, v1, v9 // EARLIER
  s_endpgm
1:
  global_load_lds_dword v1, s[4:5] // FAULT lds-race
  s_endpgm
kernel atomic_on_what_is_loaded, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  global_load_lds_dword v1, s[4:5] // EARLIER
  ds_add_u32 v1, v9 // FAULT use-before-wait
1:
  s_endpgm
kernel atomic_on_written_bytes, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b8 v1, v3 offset:1 // EARLIER
  s_endpgm
1:
  ds_add_u32 v1, v9 // FAULT lds-race
  s_endpgm
kernel right_atomic_on_written_bytes, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  ds_write_b8 v1, v3 offset:1
  s_waitcnt lgkmcnt(0)
1:
  s_barrier
  ds_add_u32 v1, v9
  s_endpgm

// --- Barriers that not all waves pass
kernel bar_early_exit // block=128
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc0 1f
  s_endpgm // FAULT barrier-divergence warning
1:
  s_barrier
  s_endpgm
kernel bar_branch_around // block=128
  begin
  s_cmp_lg_u32 s8, 1
  s_cbranch_scc0 1f
  s_barrier
  s_endpgm
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_last_wave_of_four // block=256
  begin
  s_cmp_eq_u32 s8, 3
  s_cbranch_scc0 1f
  s_endpgm // FAULT barrier-divergence warning
1:
  s_barrier
  s_barrier
  s_endpgm
kernel bar_one_more // block=128
  begin
  s_barrier
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_barrier
  s_endpgm
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_loops_of_other_lengths // block=128
  begin
  s_add_u32 s9, s8, 1
1:
  s_barrier
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 1b
  s_endpgm // FAULT barrier-divergence warning
kernel bar_by_exec // block=128
  begin
  v_cmp_gt_u32 vcc, 64, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz 1f
  s_barrier
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_by_vcc // block=128
  begin
  v_cmp_gt_u32 vcc, 64, v0
  s_nop 4
  s_cbranch_vccz 1f
  s_barrier
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_partial_wave // block=96
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_barrier
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_second_group // block=128 grid=2
  begin
  s_and_b32 s9, s2, s8
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 1f
  s_barrier
  s_endpgm
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_in_a_function_of_data // block=128
  begin
  s_lshl_b32 s9, s8, 2
  s_load_dword s10, s[4:5], s9
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc1 1f
  s_barrier
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_all_but_one // block=1024
  begin
  s_cmp_eq_u32 s8, 5
  s_cbranch_scc1 1f
  s_barrier
  s_endpgm
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_after_work // block=128
  begin
  global_store_dword v2, v3, s[6:7]
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 1f
  s_barrier
  s_endpgm
1:
  s_endpgm // FAULT barrier-divergence warning
kernel bar_right // block=128
  begin
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 1f
  s_barrier
  s_endpgm
1:
  s_barrier
  s_endpgm

// --- Waves that wait for ever
kernel forever_plain // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_load_dword v6, v5, s[6:7] // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_coherent // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_load_dword v6, v5, s[6:7] sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_system // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_load_dword v6, v5, s[6:7] offset:8 sc0 sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_flat // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, s6
  v_mov_b32 v17, s7
1:
  flat_load_dword v6, v[16:17] sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_buffer // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  buffer_load_dword v6, off, s[12:15], 0 sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_byte // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_load_ubyte v6, v5, s[6:7] sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_atomic // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_atomic_add v6, v5, v5, s[6:7] sc0 sc1 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_compare // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_atomic_cmpswap v6, v5, v[16:17], s[6:7] offset:16 sc0 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_atomic_or // grid=2
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v16, 0
  v_mov_b32 v17, 0
1:
  global_atomic_or v6, v5, v5, s[6:7] sc0 // FAULT deadlock
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_asleep
  begin
1:
  global_load_dword v6, v5, s[6:7] sc1
  s_sleep 1
  s_waitcnt vmcnt(0) // FAULT deadlock
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_lds, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  s_endpgm
1:
  ds_read_b32 v6, v5 // FAULT deadlock
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_endpgm
kernel forever_behind_a_barrier, 1024 // block=128
  clean
  s_cbranch_scc1 1f
  s_barrier
  ds_write_b32 v5, v9
  s_endpgm
1:
  ds_read_b32 v6, v5 // FAULT deadlock
  s_waitcnt lgkmcnt(0)
  v_cmp_eq_u32 vcc, 0, v6
  s_cbranch_vccnz 1b
  s_barrier
  s_endpgm
kernel forever_two_locks // grid=2
  begin
  s_lshl_b32 s9, s2, 2
  v_mov_b32 v7, s9
  v_xor_b32 v8, 4, v7
  v_mov_b32 v17, 0
  v_mov_b32 v16, 1
  global_store_dword v7, v9, s[6:7] sc1
1:
  global_load_dword v6, v8, s[6:7] sc1 // FAULT deadlock
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, 2, v6
  s_cbranch_vccnz 1b
  s_endpgm

// --- Right: the first workgroup polls in a loop of barriers for one that comes when it lets others run.
.macro polls_between_barriers
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 2f
1:
  global_load_dword v10, v5, s[6:7] offset:2048 sc1
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, 1, v10
  s_barrier
  s_cbranch_vccnz 1b
  s_endpgm
2:
  global_store_dword v5, v9, s[6:7] offset:2048 sc1
  s_endpgm
.endm
kernel polls_between // grid=2
  begin
  polls_between_barriers
kernel polls_between_after_a_load // grid=2
  begin
  global_load_dword v6, v1, s[4:5]
  s_waitcnt vmcnt(0)
  polls_between_barriers
