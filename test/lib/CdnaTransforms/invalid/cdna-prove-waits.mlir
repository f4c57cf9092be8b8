// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-prove-waits))" -split-input-file -verify-diagnostics=only-expected

// A barrier implies no wait.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @no_wait(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.barrier
  // expected-error @+1 {{a wait is missing [cdna.proof.c1]}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}

// -----

// A wait tells the other waves nothing.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @no_barrier(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 0, lgkm = 0}
  // expected-error @+1 {{before a barrier has published the writes of the other waves [cdna.proof.c1]}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}

// -----

// Nothing was written.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @uninitialised(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  // expected-error @+1 {{LDS is read before it is written on some path}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}

// -----

// The bytes belong to two buffers, and the other one wrote last.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @other_buffer(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  %m = cdna.lds_alloc {offset = 512 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  cdna.lds_store %c, %m : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  // expected-error @+1 {{or its bytes were overwritten by another buffer [cdna.proof.c1]}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}

// -----

// Written on one path only.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @one_path(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  %p = arith.cmpi eq, %n, %c0 : i32
  scf.if %p {
    cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
    cdna.wait_count {vm = 63, lgkm = 0}
  }
  cdna.barrier
  // expected-error @+1 {{LDS is read before it is written on some path}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.return
}

// -----

// Overwritten before the reads have returned.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @overwrite_read(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  // expected-error @+1 {{reads of it may be in flight: a wait is missing [cdna.proof.c2]}}
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}

// -----

// Overwritten before the other waves have read.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @overwrite_others(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.wait_count {vm = 63, lgkm = 0}
  // expected-error @+1 {{before a barrier has told that all waves have read it [cdna.proof.c2]}}
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}

// -----

// The next iteration overwrites.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @loop_overwrite(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  scf.for %i = %c0 to %n step %c1 : i32 {
  // expected-error @+1 {{reads of it may be in flight: a wait is missing [cdna.proof.c2]}}
    cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
    cdna.wait_count {vm = 63, lgkm = 0}
    cdna.barrier
    %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  }
  cdna.return
}

// -----

// Two writes in flight.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @overwrite_write(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  // expected-error @+1 {{the write before it may be in flight: a wait is missing [cdna.proof.c3]}}
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}

// -----

// Two writes, ordered in this wave only.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @overwrite_unordered(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  // expected-error @+1 {{before a barrier has ordered it after the other waves' writes [cdna.proof.c3]}}
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.return
}

// -----

// In flight at the end.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @exit(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !wA, !stage -> !cdna.token
  // expected-error @+1 {{a copy into LDS may be in flight when the kernel ends, and these bytes may belong to another workgroup by then [cdna.proof.c5]}}
  cdna.return
}

// -----

// One younger copy, a count of two.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @count_too_high(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s0] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.sched_fence
  %t1 = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.wait_count {vm = 2, lgkm = 15}
  cdna.barrier
  %v = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !ring -> !stage
  // expected-error @+1 {{a wait is missing [cdna.proof.c1]}}
  %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #f>
  cdna.wait_count {vm = 0, lgkm = 0}
  cdna.return
}

// -----

// Without a fence the compiler may issue the second copy first: it does not count.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @not_fenced(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s0] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  %t1 = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.wait_count {vm = 1, lgkm = 15}
  cdna.barrier
  %v = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !ring -> !stage
  // expected-error @+1 {{a wait is missing [cdna.proof.c1]}}
  %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #f>
  cdna.wait_count {vm = 0, lgkm = 0}
  cdna.return
}

// -----

// A slot that is one of two.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @slot(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %s1 = cdna.slot %l 1 : !ring -> !cdna.slot
  %p = arith.cmpi eq, %n, %c0 : i32
  %s = arith.select %p, %s0, %s1 : !cdna.slot
  // expected-error @+1 {{slot is not a known distance from the slot that its loop carries [cdna.proof.c6]}}
  %t0 = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
  cdna.wait_count {vm = 0, lgkm = 0}
  cdna.return
}

// -----

// Reads the stage that the first iteration has not written.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @wrong_slot(%x: !A, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 4096 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %t = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !wA, !ring -> !cdna.token
    cdna.wait_count {vm = 0, lgkm = 0}
    cdna.barrier
    %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
    %v = cdna.lds_view %l[%n1] [0, 0] [16, 32] : !ring -> !stage
    // expected-error @+1 {{LDS is read before it is written on some path}}
    %f = cdna.lds_load %v : !stage -> tensor<16x32xbf16, #f>
    cdna.wait_count {vm = 0, lgkm = 0}
    cdna.barrier
    scf.yield %n1 : !cdna.slot
  }
  cdna.return
}

// -----

// A single wave must still wait for its copies: they are not in order with its reads.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @one_wave(%x: !A) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 1024 : i32} {
  %c0 = arith.constant 0 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %w = cdna.buffer %x[%c0, %c0] tile [16, 32] : !A -> !wA
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  // expected-error @+1 {{reads of it may be in flight: a wait is missing [cdna.proof.c2]}}
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !wA, !stage -> !cdna.token
  cdna.return
}

// -----

// The same ring as in the loop around it, but the reads of the turn before may still be in flight.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @ring_in_a_loop(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 2048 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  scf.for %j = %c0 to %n step %c1 : i32 {
    %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
    %v0 = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !ring -> !stage
    // expected-error @+1 {{overwritten}}
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
  }
  cdna.return
}

// -----

// A loop without a count: its test reads what the body stores, without a barrier.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @tested(%p: i1) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  scf.while : () -> () {
    // expected-error @+1 {{a wait is missing [cdna.proof.c1]}}
    %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
    cdna.wait_count {vm = 63, lgkm = 0}
    cdna.barrier
    scf.condition(%p)
  } do {
    cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
    scf.yield
  }
  cdna.return
}

// -----

// No loop but a counted one carries the position in a ring.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!ring = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>

cdna.kernel @slot_without_count(%p: i1) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 2048 : i32} {
  %l = cdna.lds_alloc {offset = 0 : i32, stage_stride = 1024 : i32} : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  // expected-error @+1 {{a loop without a count carries a slot [cdna.proof.c6]}}
  %e = scf.while (%s = %s0) : (!cdna.slot) -> !cdna.slot {
    scf.condition(%p) %s : !cdna.slot
  } do {
  ^bb0(%s: !cdna.slot):
    scf.yield %s : !cdna.slot
  }
  cdna.return
}

// -----

// Between two groups of waves, one a barrier behind the other, one barrier tells nothing yet.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @one_barrier() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.stagger
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  // expected-error @+1 {{before two barriers have published the writes of the waves behind [cdna.proof.c1]}}
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.align
  cdna.return
}

// -----

// Nor is a read known to the others after one.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[0, 0]]>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

cdna.kernel @refill() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 1024 : i32} {
  %c = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %l = cdna.lds_alloc {offset = 0 : i32} : !stage
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  cdna.stagger
  %v = cdna.lds_load %l : !stage -> tensor<16x32xbf16, #f>
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  // expected-error @+1 {{before a barrier has told that all waves have read it [cdna.proof.c2]}}
  cdna.lds_store %c, %l : tensor<16x32xbf16, #f>, !stage
  cdna.align
  cdna.return
}

// -----

cdna.kernel @never_aligned() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 0 : i32} {
  cdna.stagger
  // expected-error @+1 {{the kernel ends with its waves staggered [cdna.proof.c7]}}
  cdna.return
}

// -----

cdna.kernel @twice() attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 0 : i32} {
  cdna.stagger
  // expected-error @+1 {{waves are staggered once, and then aligned [cdna.proof.c7]}}
  cdna.stagger
  cdna.align
  cdna.return
}

// -----

cdna.kernel @on_one_path(%p: i1) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 0 : i32} {
  // expected-error @+1 {{waves are staggered on one path and not on another [cdna.proof.c7]}}
  scf.if %p {
    cdna.stagger
  }
  cdna.return
}

// -----

cdna.kernel @in_a_loop(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{waves are staggered on one path and not on another [cdna.proof.c7]}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    cdna.stagger
  }
  cdna.return
}
