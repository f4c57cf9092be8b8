// Races in global memory, between waves of a workgroup and between workgroups. See wait-states.s for
// the marks; the other access of a race is marked EARLIER.
.include "kernel.inc"
// s[4:5] in, s[6:7] out; v1 = 4 · lane of the wave, v2 = 4 · work-item, v3 = 1000 + work-item; s8 = wave,
// s9 = 256 · workgroup.
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v1, 63, v0
  v_lshlrev_b32 v1, 2, v1
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v3, 1000, v0
  v_lshrrev_b32 v4, 6, v0
  v_mov_b32 v5, 0
  s_lshl_b32 s9, s2, 8
  v_readfirstlane_b32 s8, v4
  s_waitcnt lgkmcnt(0)
.endm
// Two parts, run by waves 0 and 1 of two.
.macro waves first:vararg
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  \first
  s_branch 2f
1:
.endm
.macro joined
2:
  s_endpgm
.endm

// --- Waves of one workgroup
kernel write_read // block=128
  waves global_store_dword v1, v3, s[6:7] // EARLIER
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  joined
kernel read_write // block=128
  waves global_load_dword v6, v1, s[4:5] // EARLIER
  global_store_dword v1, v3, s[4:5] // FAULT global-race
  joined
kernel write_write // block=128
  waves global_store_dword v1, v3, s[6:7] // EARLIER
  global_store_dword v1, v3, s[6:7] // FAULT global-race
  joined
kernel overlapping_widths // block=128
  waves global_store_dwordx2 v5, v[2:3], s[6:7] offset:4 // FAULT global-race EARLIER
  global_load_ubyte v6, v5, s[6:7] offset:9 // FAULT global-race
  joined
kernel buffer_and_flat // block=128
  begin
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 4096
  s_mov_b32 s15, 0x27000
  v_mov_b32 v7, s7
  v_add_co_u32 v6, vcc, s6, v1
  v_addc_co_u32 v7, vcc, 0, v7, vcc
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  buffer_store_dword v3, v1, s[12:15], 0 offen // EARLIER
  s_branch 2f
1:
  flat_load_dword v8, v[6:7] // FAULT global-race
  joined
kernel store_and_atomic // block=128
  waves global_store_dword v1, v3, s[6:7] // EARLIER
  global_atomic_add v1, v3, s[6:7] // FAULT global-race
  joined
kernel atomic_and_load // block=128
  waves global_atomic_add v1, v3, s[6:7] // EARLIER
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  joined
kernel scalar_load // block=128
  waves global_load_dword v6, v1, s[4:5]
  s_load_dwordx2 s[12:13], s[4:5], 0x10 // EARLIER
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, 1
2:
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 3f
  s_sleep 1
  s_sleep 1
  global_store_dword v5, v5, s[4:5] offset:16 // FAULT global-race
3:
  s_endpgm
kernel load_to_lds, 256 // block=128
  s_mov_b32 m0, 0
  waves global_store_dword v1, v3, s[6:7] // EARLIER
  global_load_lds_dword v1, s[6:7] // FAULT global-race
  joined
kernel before_the_barrier // block=128
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  s_barrier
  global_store_dword v1, v3, s[6:7] // EARLIER
  s_branch 2f
1:
  s_barrier
  global_load_dword v6, v1, s[6:7] // FAULT global-race
  joined
kernel strided // block=128
  begin
  v_lshlrev_b32 v6, 4, v0
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_store_dword v6, v3, s[6:7] offset:1024 // EARLIER
  s_branch 2f
1:
  global_load_dwordx4 v[8:11], v6, s[6:7] // FAULT global-race
  joined
// Two waves read, then so many runs come that the page is kept by cells.
kernel readers_of_a_crowded_page // block=128
  begin
  v_lshlrev_b32 v6, 2, v1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_load_dword v7, v1, s[4:5] // EARLIER
  s_branch 2f
1:
  global_load_dword v7, v1, s[4:5] // EARLIER
  global_load_dword v8, v6, s[4:5] offset:1024
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[4:5] // FAULT global-race
  joined
kernel bytes_backwards // block=128
  begin
  v_lshrrev_b32 v6, 2, v1
  v_sub_u32 v6, 63, v6
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_store_byte v6, v3, s[6:7] // EARLIER
  s_branch 2f
1:
  global_load_ubyte v7, v6, s[6:7] // FAULT global-race
  joined
kernel halves_backwards // block=128
  begin
  v_lshrrev_b32 v6, 1, v1
  v_sub_u32 v6, 126, v6
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_store_short v6, v3, s[6:7] // EARLIER
  s_branch 2f
1:
  global_load_ushort v7, v6, s[6:7] // FAULT global-race
  joined
// The last lane reads the kernel's arguments, which nobody may write.
kernel lanes_of_two_allocations // block=128
  begin
  v_mov_b32 v7, s7
  v_add_co_u32 v6, vcc, s6, v1
  v_addc_co_u32 v7, vcc, 0, v7, vcc
  v_mov_b32 v10, s0
  v_mov_b32 v11, s1
  v_cmp_eq_u32 vcc, 252, v1
  v_cndmask_b32 v6, v6, v10, vcc
  v_cndmask_b32 v7, v7, v11, vcc
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_store_dword v1, v3, s[6:7] // EARLIER
  s_branch 2f
1:
  global_load_dword v8, v[6:7], off // FAULT global-race
  joined

// --- Workgroups
kernel groups_write // grid=2
  begin
  global_store_dword v1, v3, s[6:7] offset:16 // EARLIER
  v_add_u32 v3, s9, v3
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 1f
  global_store_dword v1, v3, s[6:7] // FAULT global-race
1:
  s_endpgm
kernel groups_write_read // grid=4
  begin
  s_cmp_lg_u32 s2, 1
  s_cbranch_scc1 1f
  global_store_dword v1, v3, s[6:7] // EARLIER
1:
  s_cmp_lg_u32 s2, 3
  s_cbranch_scc1 1f
  global_load_dword v6, v1, s[6:7] // FAULT global-race
1:
  s_endpgm
kernel groups_read_write // grid=2
  begin
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 1f
  global_load_dword v6, v1, s[6:7] offset:8 // EARLIER
  s_endpgm
1:
  global_store_short v1, v3, s[6:7] offset:12 // FAULT global-race
  s_endpgm
kernel groups_shift // grid=2
  begin
  v_add_u32 v1, s9, v1
  global_load_dword v6, v1, s[6:7] offset:4 // EARLIER
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[6:7] // FAULT global-race
  s_endpgm
kernel groups_on_two_threads // grid=4 threads=2
  begin
  v_add_u32 v3, s9, v3
  global_store_dword v1, v3, s[6:7] // FAULT global-race EARLIER
  s_endpgm
kernel groups_reset_a_counter // grid=2
  begin
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 1f
  global_atomic_add v5, v3, s[6:7] // EARLIER
  s_endpgm
1:
  global_store_dword v5, v5, s[6:7] // FAULT global-race
  s_endpgm

// --- Flags. Workgroup 0 writes, then sets a flag; workgroup 1 waits for it, then reads.
.macro signal
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 4f
  global_store_dword v5, v9, s[6:7] offset:2048 sc1
4:
  s_endpgm
5:
.endm
.macro consume
6:
  global_load_dword v10, v5, s[6:7] offset:2048 sc1
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, 1, v10
  s_cbranch_vccnz 6b
.endm
kernel flag_without_wait // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  s_barrier
  global_store_dword v2, v3, s[6:7] // EARLIER
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_without_barrier // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_after_the_fact // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  signal
  consume
  s_endpgm
kernel flag_before_the_store // grid=2 block=64
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v5, v9, s[6:7] offset:2048 sc1
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_endpgm
5:
  consume
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_right // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7]
  s_waitcnt vmcnt(0)
  s_barrier
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v2, v9, s[6:7]
  s_endpgm
// Workgroup 1 waits by scalar loads.
.macro scalar_consume flags, inv
6:
  \inv
  s_load_dword s16, s[6:7], 0x800 \flags
  s_waitcnt lgkmcnt(0)
  s_cmp_lg_u32 s16, 1
  s_cbranch_scc1 6b
.endm
.macro scalar_flag flags, inv
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 8f
  s_sleep 20
  s_sleep 20
  global_store_dword v5, v9, s[6:7] offset:2048 sc1
  s_endpgm
8:
  scalar_consume \flags, \inv
  s_endpgm
.endm
kernel scalar_poll_without_inv // grid=2
  scalar_flag "", "" // FAULT stale-scalar EARLIER
kernel right_scalar_poll_with_inv // grid=2
  scalar_flag "", "s_dcache_inv"
kernel right_scalar_poll_past_the_cache // grid=2
  scalar_flag glc, ""
// Behind the barrier wave 0 tells of what the others had waited for before it.
kernel flag_without_wait_of_the_other_wave // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 7f
  s_waitcnt vmcnt(0)
7:
  s_barrier
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_with_a_wait_behind_the_barrier // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_barrier
  s_waitcnt vmcnt(0)
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_behind_a_write_back // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7]
  s_barrier
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7]
  s_endpgm
kernel flag_behind_an_unwaited_write_back // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_barrier
  buffer_wbl2 sc1
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7] // FAULT global-race
  s_endpgm
kernel flag_with_wait_and_second_barrier // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7]
  s_barrier
  s_waitcnt vmcnt(0)
  s_barrier
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7]
  s_endpgm
kernel flag_with_a_load_outstanding // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7]
  s_waitcnt vmcnt(0)
  global_load_dword v11, v2, s[4:5]
  s_barrier
  signal
  consume
  s_barrier
  global_load_dword v6, v2, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v2, v9, s[6:7]
  s_endpgm
// Only the waiting wave has heard of the flag.
kernel heard_by_one_wave // grid=2 block=128
  begin
  v_mov_b32 v9, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 5f
  global_store_dword v2, v3, s[6:7] // EARLIER
  s_waitcnt vmcnt(0)
  s_barrier
  signal
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 7f
  consume
  s_endpgm
7:
  s_sleep 1
  global_load_dword v6, v1, s[6:7] offset:256 // FAULT global-race
  s_endpgm
// The scalar cache was emptied after the first flag, not after the second.
.macro two_flags
  begin
  v_mov_b32 v9, 1
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 7f
  s_cmp_eq_u32 s2, 2
  s_cbranch_scc1 8f
  global_store_dword v1, v3, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v5, v9, s[6:7] offset:2048 sc1
  s_endpgm
7:
  global_store_dword v1, v3, s[6:7] offset:1024
  s_waitcnt vmcnt(0)
  global_store_dword v5, v9, s[6:7] offset:2056 sc1
  s_endpgm
8:
  consume
  s_dcache_inv
  s_load_dword s16, s[6:7], 0x0
9:
  global_load_dword v10, v5, s[6:7] offset:2056 sc1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cmp_ne_u32 vcc, 1, v10
  s_cbranch_vccnz 9b
.endm
kernel right_scalar_load_of_the_first_flag // grid=3
  two_flags
  s_load_dword s16, s[6:7], 0x0
  s_endpgm
kernel scalar_load_of_the_second_flag // grid=3
  two_flags // EARLIER
  s_load_dword s16, s[6:7], 0x404 // FAULT stale-scalar
  s_endpgm
kernel right_scalar_load_of_the_second_flag // grid=3
  two_flags
  s_dcache_inv
  s_load_dword s16, s[6:7], 0x404
  s_endpgm

// The last workgroup to come, by a counter, reads what the others wrote: a reduction.
kernel last_right // grid=4
  begin
  s_and_b64 s[10:11], exec, 1
  v_mov_b32 v9, 1
  v_add_u32 v1, s9, v1
  global_store_dword v1, v3, s[6:7]
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, s[10:11]
  global_atomic_add v10, v5, v9, s[6:7] offset:2048 sc0 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v10
  s_mov_b64 exec, -1
  s_cmp_lg_u32 s12, 3
  s_cbranch_scc1 1f
  global_load_dword v6, v2, s[6:7]
  global_load_dword v7, v2, s[6:7] offset:256
  global_load_dword v8, v2, s[6:7] offset:512
1:
  s_endpgm
kernel last_without_wait // grid=4
  begin
  s_and_b64 s[10:11], exec, 1
  v_mov_b32 v9, 1
  v_add_u32 v1, s9, v1
  global_store_dword v1, v3, s[6:7] // EARLIER
  s_mov_b64 exec, s[10:11]
  global_atomic_add v10, v5, v9, s[6:7] offset:2048 sc0 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v10
  s_mov_b64 exec, -1
  s_cmp_lg_u32 s12, 3
  s_cbranch_scc1 1f
  global_load_dword v6, v2, s[6:7] // FAULT global-race
1:
  s_endpgm
kernel first_instead_of_last // grid=4
  begin
  s_and_b64 s[10:11], exec, 1
  v_mov_b32 v9, 1
  v_add_u32 v1, s9, v1
  global_store_dword v1, v3, s[6:7] // FAULT global-race
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, s[10:11]
  global_atomic_add v10, v5, v9, s[6:7] offset:2048 sc0 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v10
  s_mov_b64 exec, -1
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 1f
  global_load_dword v6, v2, s[6:7] offset:256 // EARLIER
1:
  s_endpgm

// --- Right
kernel barrier_between // block=128
  begin
  global_store_dword v2, v3, s[6:7]
  s_barrier
  v_xor_b32 v2, 0x100, v2
  global_load_dword v6, v2, s[6:7]
  s_endpgm
kernel same_bytes_written // block=128 grid=2
  begin
  v_mov_b32 v3, 7
  global_store_dword v1, v3, s[6:7]
  s_endpgm
kernel bytes_of_one_dword // block=128
  begin
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 1f
  global_store_short v1, v3, s[6:7]
  s_endpgm
1:
  global_store_short v1, v3, s[6:7] offset:2
  s_endpgm
kernel bytes_of_one_dword_by_groups // grid=2
  begin
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 1f
  global_store_byte v1, v3, s[6:7] offset:1
  s_endpgm
1:
  global_store_short v1, v3, s[6:7] offset:2
  s_endpgm
kernel counters // block=128 grid=4 threads=2
  begin
  global_atomic_add v1, v3, s[6:7]
  s_endpgm
kernel all_read // block=128 grid=4 threads=2
  begin
  global_load_dwordx4 v[8:11], v1, s[4:5]
  s_load_dwordx4 s[12:15], s[4:5], 0x0
  s_endpgm
kernel own_rows // block=128 grid=4 threads=2
  begin
  s_lshl_b32 s10, s2, 9
  v_add_u32 v2, s10, v2
  global_load_dword v6, v2, s[6:7]
  s_waitcnt vmcnt(0)
  v_add_u32 v6, v6, v3
  global_store_dword v2, v6, s[6:7]
  s_endpgm
