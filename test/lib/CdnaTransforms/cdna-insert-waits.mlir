// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-insert-waits,cdna-prove-waits))" -split-input-file | FileCheck %s

// A reduction over two waves: store, wait, barrier, read of both parts, one addition.

#wave2 = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>

// CHECK-LABEL: cdna.kernel @reduce
// CHECK-SAME: cdna.waits_inserted
// CHECK-NOT: cdna.wait_count
// CHECK: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: %[[P:.*]] = cdna.lds_load %{{.*}} -> tensor<1x2xf32
// CHECK-NEXT: cdna.reduce_registers add %[[P]]{{ ?}}{axis = 1}
// CHECK-NOT: cdna.barrier
// CHECK: cdna.return
cdna.kernel @reduce() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 8 : i32} {
  %x = arith.constant dense<1.0> : tensor<1x2xf32, #wave2>
  %l = cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<1x2xf32, order = [1, 0]>
  %r = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #wave2>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1x1xf32, #one>
  cdna.return
}

// -----

// In a loop the next store must wait until every wave has read: a second barrier.

#wave2 = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>

// CHECK-LABEL: cdna.kernel @reduce_loop
// CHECK: scf.for
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_load
// CHECK-NOT: cdna.barrier
// CHECK: cdna.return
cdna.kernel @reduce_loop(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<1x2xf32, #wave2>
  %l = cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<1x2xf32, order = [1, 0]>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %r = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #wave2>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1x1xf32, #one>
  }
  cdna.return
}

// -----

// Two copies in flight: the first read needs the first one only, and counts the second. Barriers that are there are used,
// those that nothing needs go. What is in flight at the end is waited for behind the loop.

#fetch = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @copies
// CHECK-NOT: cdna.wait_count
// CHECK: cdna.async_copy
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: cdna.async_copy
// CHECK-NEXT: scf.for
// CHECK: cdna.wait_count{{ ?}}{vm = 1, lgkm = 15}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_view
// CHECK-NEXT: cdna.lds_load
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.async_copy
// CHECK-NOT: cdna.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 15}
// CHECK-NEXT: cdna.return
cdna.kernel @copies(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 2048 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s0] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %t1 = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.wait %t0
  cdna.barrier
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
    cdna.barrier
    %v = cdna.lds_view %l[%s] [0, 0] [16, 32] : !ring -> !stage
    %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #fetch>
    cdna.barrier
    %t = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
    scf.yield %n1 : !cdna.slot
  }
  cdna.return
}

// -----

// A single wave needs no barrier, and no wait between its own LDS instructions but for the data.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @one_wave
// CHECK: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.lds_load
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.return
cdna.kernel @one_wave() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<16x32xbf16, order = [1, 0]>
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !cdna.lds<16x32xbf16, order = [1, 0]>
  %v = cdna.lds_load %l : !cdna.lds<16x32xbf16, order = [1, 0]> -> tensor<16x32xbf16, #f>
  cdna.lds_store %v, %l : tensor<16x32xbf16, #f>, !cdna.lds<16x32xbf16, order = [1, 0]>
  cdna.return
}

// -----

// The loop's last refill is in flight when another buffer takes the ring's bytes. By the slots of each path it lands in
// stage 1, which the buffer doesn't touch; but where the ring stands is known on that path only, so the wait comes first,
// and the one that the kernel's end needs does not do for it.

#fetch = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @reuse
// CHECK: scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_load
// CHECK: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_load
// CHECK-NEXT: cdna.return
cdna.kernel @reuse(%x: !A, %n: i32, %some: i1) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 3072 : i32} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #fetch>
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %same = cdna.lds_alloc {offset = 0 : i32} : !stage
  %own = cdna.lds_alloc {offset = 2048 : i32} : !stage
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s0] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %t1 = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %v0 = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !ring -> !stage
  %f0 = cdna.lds_load %v0 : !stage -> tensor<16x32xbf16, #fetch>
  %r = scf.for %i = %c0 to %n step %c2 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
    cdna.barrier
    %ta = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
    %va = cdna.lds_view %l[%n1] [0, 0] [16, 32] : !ring -> !stage
    %fa = cdna.lds_load %va : !stage -> tensor<16x32xbf16, #fetch>
    cdna.barrier
    %n2 = cdna.next_slot %n1 {by = 1} : !cdna.slot
    %tb = cdna.async_copy %w[%c0, %c0], %l[%n1] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
    %vb = cdna.lds_view %l[%n2] [0, 0] [16, 32] : !ring -> !stage
    %fb = cdna.lds_load %vb : !stage -> tensor<16x32xbf16, #fetch>
    scf.yield %n2 : !cdna.slot
  }
  scf.if %some {
    cdna.lds_store %c, %same : tensor<16x32xbf16, #fetch>, !stage
    %g = cdna.lds_load %same : !stage -> tensor<16x32xbf16, #fetch>
  }
  cdna.lds_store %c, %own : tensor<16x32xbf16, #fetch>, !stage
  %h = cdna.lds_load %own : !stage -> tensor<16x32xbf16, #fetch>
  cdna.return
}

// -----

// A loop without a count is run once more by its test: the store of the next turn waits for the reads of this one.

#wave2 = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>

// CHECK-LABEL: cdna.kernel @reduce_while
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 63, lgkm = 0}
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.lds_load
// CHECK-NOT: cdna.barrier
// CHECK: cdna.return
cdna.kernel @reduce_while(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<1x2xf32, #wave2>
  %l = cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<1x2xf32, order = [1, 0]>
  %end = scf.while (%i = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %r = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #wave2>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1x1xf32, #one>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  cdna.return
}

// -----

// Who leaves waits for the copies in flight; who stays does not, and meets nothing of what was done before leaving.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @exit
// CHECK: cdna.async_copy
// CHECK: scf.if
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 15}
// CHECK-NEXT: cdna.exit
// CHECK-NEXT: }
// CHECK-NEXT: cdna.lds_store
// CHECK-NEXT: cdna.wait_count{{ ?}}{vm = 0, lgkm = 15}
// CHECK-NEXT: cdna.lds_load
cdna.kernel @exit(%x: !A, %c: i1) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 2048 : i32} {
  %c0 = arith.constant 0 : i32
  %t = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  %m = cdna.lds_alloc {offset = 1024 : i32} : !stage
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %k = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !wA, !stage -> !cdna.token
  scf.if %c {
    cdna.lds_store %t, %m : tensor<16x32xbf16, #f>, !stage
    cdna.exit
  }
  cdna.lds_store %t, %m : tensor<16x32xbf16, #f>, !stage
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}
