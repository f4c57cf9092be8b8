// The golden loop: 256x256x64 bf16, 8 waves, two stages of direct copies, after pipelining, waits and groups. The loop
// must come out as written: every wait ours, no copies of registers, nothing spilled.
// RUN: tegula-opt %s -tegula-rocdl | FileCheck %s
// RUN: tegula-opt %s -tegula-rocdl | mlir-translate --mlir-to-llvmir | opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -passes=amdgpu-attributor | llc -mcpu=gfx950 -O3 -o %t.s
// RUN: FileCheck %s --check-prefix=ISA < %t.s
// RUN: python3 %S/Inputs/loop_mix.py < %t.s | FileCheck %s --check-prefix=MIX

#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 64], [0, 128], [128, 0]]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0], [0, 0], [128, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 64], [0, 128], [0, 0]]>
#fetchA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], wave = [[32, 0], [64, 0], [128, 0]]>
#fetchB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4]], wave = [[0, 32], [0, 64], [0, 128]]>
!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>
!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!wa = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wb = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>
!la = !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
!lb = !cdna.lds<64x256xbf16, order = [0, 1], stages = 2, xor = [1, 2, 4]>
!va = !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>
!vb = !cdna.lds<32x256xbf16, order = [0, 1], pitch = 128, xor = [1, 2, 4]>
!ta = tensor<256x32xbf16, #a>
!tb = tensor<32x256xbf16, #b>
!acc = tensor<256x256xf32, #acc>

// CHECK-LABEL: llvm.func @gemm
// CHECK-COUNT-8: rocdl.raw.ptr.buffer.load.lds {{.*}}alias_scopes = [#[[DMA:.*]]]
// CHECK: llvm.load {{.*}}alias_scopes = [#[[LDS:.*]]], alignment = 16 : i64, noalias_scopes = [#[[DMA]]]} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: rocdl.mfma.f32.16x16x32.bf16

// ISA-LABEL: gemm:
// ISA: .agpr_count: 0
// ISA: .group_segment_fixed_size: 131072
// ISA: .vgpr_count: {{2[0-4][0-9]}}
// ISA: .vgpr_spill_count: 0

// One wait on copies in the loop: ours, before the barrier. No copies of registers.
// MIX: mfma: 64
// MIX: at most 2 per mfma: True
// MIX-NEXT: s_waitcnt vmcnt(0) lgkmcnt(0)
// MIX-NEXT: s_barrier
// MIX-NEXT: buffer_load_dwordx4: 8
// MIX-NEXT: ds_read_b128: 24
// MIX-NOT: v_mov
cdna.kernel @gemm(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %c: !C {tile.name = "c", tile.alias = 1 : i32})
    attributes {grid = @gemm.grid, target = #tile.target<"gfx950">, waves = [2, 4], lds_bytes = 131072 : i32, cdna.no_tile_ops, cdna.lds_assigned, cdna.waits_inserted, cdna.scheduled} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : !acc
  %pm = cdna.program_id {axis = 0} : i32
  %pn = cdna.program_id {axis = 1} : i32
  %m0 = arith.muli %pm, %c256 : i32
  %n0 = arith.muli %pn, %c256 : i32
  %K = tile.dim %a {d = 1} : !A -> i32
  %full = arith.divui %K, %c64 : i32
  %last = arith.subi %full, %c1 : i32
  %bufa = cdna.buffer %a[%m0, %c0] tile [256, 64] : !A -> !wa
  %bufb = cdna.buffer %b[%c0, %n0] tile [64, 256] : !B -> !wb
  %la = cdna.lds_alloc {offset = 0 : i32, stage_stride = 65536 : i32} : !la
  %lb = cdna.lds_alloc {offset = 32768 : i32, stage_stride = 65536 : i32} : !lb
  %s0 = cdna.slot %la 0 : !la -> !cdna.slot
  %s1 = cdna.slot %la 1 : !la -> !cdna.slot
  %some = arith.cmpi sgt, %full, %c0 : i32
  %sum = scf.if %some -> (!acc) {
    %p0 = cdna.async_copy %bufa[%c0, %c0], %la[%s0] {fetch = #fetchA, width = 16, tail = [records, none], scalar = [1]} : !wa, !la -> !cdna.token
    %p1 = cdna.async_copy %bufb[%c0, %c0], %lb[%s0] {fetch = #fetchB, width = 16, tail = [none, records], scalar = [0]} : !wb, !lb -> !cdna.token
    cdna.sched_fence
    %t1 = arith.minsi %c1, %last : i32
    %k1 = arith.muli %t1, %c64 : i32
    %p2 = cdna.async_copy %bufa[%c0, %k1], %la[%s1] {fetch = #fetchA, width = 16, tail = [records, none], scalar = [1]} : !wa, !la -> !cdna.token
    %p3 = cdna.async_copy %bufb[%k1, %c0], %lb[%s1] {fetch = #fetchB, width = 16, tail = [none, records], scalar = [0]} : !wb, !lb -> !cdna.token
    cdna.wait_count {vm = 8, lgkm = 15}
    cdna.barrier
    %va0 = cdna.lds_view %la[%s0] [0, 0] [256, 32] : !la -> !va
    %vb0 = cdna.lds_view %lb[%s0] [0, 0] [32, 256] : !lb -> !vb
    %fa0 = cdna.lds_load %va0 : !va -> !ta
    %fb0 = cdna.lds_load %vb0 : !vb -> !tb
    %r:4 = scf.for %k = %c0 to %full step %c1 iter_args(%x = %zero, %s = %s0, %fa = %fa0, %fb = %fb0) -> (!acc, !cdna.slot, !ta, !tb) : i32 {
      %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
      %vga = cdna.lds_view %la[%s] [0, 32] [256, 32] : !la -> !va
      %vgb = cdna.lds_view %lb[%s] [32, 0] [32, 256] : !lb -> !vb
      %ga = cdna.lds_load %vga : !va -> !ta
      %gb = cdna.lds_load %vgb : !vb -> !tb
      %y = cdna.mfma %fa, %fb, %x {shape = "16x16x32", swapped} : !ta, !tb, !acc
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 2}
      cdna.sched_group {kind = mfma, count = 8}
      cdna.sched_fence
      cdna.wait_count {vm = 0, lgkm = 0}
      cdna.barrier
      cdna.sched_fence
      %k2 = arith.addi %k, %c2 : i32
      %next = arith.minsi %k2, %last : i32
      %kn = arith.muli %next, %c64 : i32
      %q0 = cdna.async_copy %bufa[%c0, %kn], %la[%s] {fetch = #fetchA, width = 16, tail = [records, none], scalar = [1]} : !wa, !la -> !cdna.token
      %q1 = cdna.async_copy %bufb[%kn, %c0], %lb[%s] {fetch = #fetchB, width = 16, tail = [none, records], scalar = [0]} : !wb, !lb -> !cdna.token
      %vha = cdna.lds_view %la[%n1] [0, 0] [256, 32] : !la -> !va
      %vhb = cdna.lds_view %lb[%n1] [0, 0] [32, 256] : !lb -> !vb
      %ha = cdna.lds_load %vha : !va -> !ta
      %hb = cdna.lds_load %vhb : !vb -> !tb
      %z = cdna.mfma %ga, %gb, %y {shape = "16x16x32", swapped} : !ta, !tb, !acc
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = vmem, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = ds_read, count = 1}
      cdna.sched_group {kind = mfma, count = 1}
      cdna.sched_group {kind = mfma, count = 12}
      cdna.sched_fence
      scf.yield %z, %n1, %ha, %hb : !acc, !cdna.slot, !ta, !tb
    }
    cdna.wait_count {vm = 0, lgkm = 15}
    scf.yield %r#0 : !acc
  } else {
    scf.yield %zero : !acc
  }
  %o = arith.truncf %sum : !acc to tensor<256x256xbf16, #acc>
  %bufc = cdna.buffer %c[%m0, %n0] tile [256, 256] : !C -> !wa
  cdna.store %o, %bufc[%c0, %c0] {tail = [records, compare]} : tensor<256x256xbf16, #acc>, !wa
  cdna.return
}
tile.func private @gemm.grid(%a: !A, %b: !B, %c: !C) -> (i32, i32) {
  %g:2 = tile.num_tiles %c [256, 256] : !C -> i32, i32
  tile.return %g#0, %g#1 : i32, i32
}
