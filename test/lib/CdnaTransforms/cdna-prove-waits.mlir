// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-prove-waits))" -split-input-file | FileCheck %s

// A ring of three with two copies in flight: the wait counts the younger copies of one iteration, and the rotation of the
// slots gives the same state at the loop's head.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 3>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @ring
cdna.kernel @ring(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 3072 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %s2 = cdna.slot %l 2 : !ring -> !cdna.slot
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s0] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %t1 = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %t2 = cdna.async_copy %w[%c0, %c0], %l[%s2] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  cdna.wait_count {vm = 2, lgkm = 15}
  cdna.barrier
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
    %v = cdna.lds_view %l[%s] [0, 0] [16, 32] : !ring -> !stage
    %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #f>
    cdna.wait_count {vm = 1, lgkm = 0}
    cdna.barrier
    %t = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
    scf.yield %n1 : !cdna.slot
  }
  cdna.wait_count {vm = 0, lgkm = 15}
  cdna.return
}

// -----

// A single wave has nobody to tell: waits do, and its LDS instructions are in order.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @one_wave
cdna.kernel @one_wave() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.lds_store %v, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}

// -----

// Two loops over one ring, again and again: where the first one left the ring the second does not know, and all its
// stages are free by then.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @ring_in_a_loop
cdna.kernel @ring_in_a_loop(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 2048 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  scf.for %j = %c0 to %n step %c1 : i32 {
    %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
    %v0 = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !ring -> !stage
    cdna.lds_store %c, %v0 : tensor<16x32xbf16, #f>, !stage
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
      %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
      %w = cdna.lds_view %l[%n1] [0, 0] [16, 32] : !ring -> !stage
      cdna.wait_count {vm = 63, lgkm = 0}
      cdna.barrier
      cdna.lds_store %c, %w : tensor<16x32xbf16, #f>, !stage
      %v = cdna.lds_view %l[%s] [0, 0] [16, 32] : !ring -> !stage
      %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #f>
      scf.yield %n1 : !cdna.slot
    }
    cdna.wait_count {vm = 63, lgkm = 0}
    cdna.barrier
  }
  cdna.return
}

// -----

// Staggered waves know of each other after two barriers, and what one barrier is behind when they align.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @turns
cdna.kernel @turns() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.stagger
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  cdna.barrier
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  cdna.align
  cdna.lds_store %v, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}
