// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-allocate-lds))" -split-input-file | FileCheck %s

// Buffers of one slot lie in one ring. A buffer that is used after the loop takes bytes of the ring; small ones don't.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @ring
// CHECK-SAME: cdna.lds_assigned
// CHECK-SAME: lds_bytes = 4112 : i32
// CHECK: cdna.lds_alloc {offset = 0 : i32, stage_stride = 2048 : i32}
// CHECK: cdna.lds_alloc {offset = 1024 : i32, stage_stride = 2048 : i32}
// CHECK: cdna.lds_alloc {offset = 0 : i32} : !cdna.lds<64x32xbf16
// CHECK: cdna.lds_alloc {offset = 4096 : i32} : !cdna.lds<1x1xf32
cdna.kernel @ring(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %y = arith.constant dense<1.0> : tensor<1x1xf32, #one>
  %la = cdna.lds_alloc : !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
  %lb = cdna.lds_alloc : !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
  %lc = cdna.lds_alloc : !cdna.lds<64x32xbf16, order = [1, 0]>
  %ld = cdna.lds_alloc : !cdna.lds<1x1xf32, order = [1, 0]>
  %s0 = cdna.slot %la 0 : !cdna.lds<16x32xbf16, order = [1, 0], stages = 2> -> !cdna.slot
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %va = cdna.lds_view %la[%s] [0, 0] [16, 32] : !cdna.lds<16x32xbf16, order = [1, 0], stages = 2> -> !cdna.lds<16x32xbf16, order = [1, 0]>
    cdna.lds_store %x, %va : tensor<16x32xbf16, #f>, !cdna.lds<16x32xbf16, order = [1, 0]>
    %vb = cdna.lds_view %lb[%s] [0, 0] [16, 32] : !cdna.lds<16x32xbf16, order = [1, 0], stages = 2> -> !cdna.lds<16x32xbf16, order = [1, 0]>
    cdna.lds_store %x, %vb : tensor<16x32xbf16, #f>, !cdna.lds<16x32xbf16, order = [1, 0]>
    %n1 = cdna.next_slot %s {by = 1} : !cdna.slot
    scf.yield %n1 : !cdna.slot
  }
  %vc = cdna.lds_view %lc [16, 0] [16, 32] : !cdna.lds<64x32xbf16, order = [1, 0]> -> !cdna.lds<16x32xbf16, order = [1, 0]>
  cdna.lds_store %x, %vc : tensor<16x32xbf16, #f>, !cdna.lds<16x32xbf16, order = [1, 0]>
  cdna.lds_store %y, %ld : tensor<1x1xf32, #one>, !cdna.lds<1x1xf32, order = [1, 0]>
  cdna.return
}

// -----

// Both are used in one loop: neither may have the other's bytes, although the last use of %la precedes %lb's first.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @loop
// CHECK-SAME: lds_bytes = 8192
// CHECK: cdna.lds_alloc {offset = 0 : i32}
// CHECK: cdna.lds_alloc {offset = 4096 : i32}
cdna.kernel @loop(%n: i32) attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64x32xbf16, #f>
  %la = cdna.lds_alloc : !cdna.lds<64x32xbf16, order = [1, 0]>
  %lb = cdna.lds_alloc : !cdna.lds<64x32xbf16, order = [1, 0]>
  scf.for %i = %c0 to %n step %c1 : i32 {
    cdna.lds_store %x, %la : tensor<64x32xbf16, #f>, !cdna.lds<64x32xbf16, order = [1, 0]>
    cdna.lds_store %x, %lb : tensor<64x32xbf16, #f>, !cdna.lds<64x32xbf16, order = [1, 0]>
  }
  cdna.return
}

// -----

// Two buffers that a loop around loops writes anew in every turn share bytes; in an innermost loop they would not.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!big = !cdna.lds<1024x32xbf16, order = [1, 0]>
!stage = !cdna.lds<16x32xbf16, order = [1, 0]>

// CHECK-LABEL: cdna.kernel @around_loops
// CHECK-SAME: lds_bytes = 131072 : i32
// CHECK: cdna.lds_alloc {offset = 0 : i32}
// CHECK: cdna.lds_alloc {offset = 0 : i32}
// CHECK: cdna.lds_alloc {offset = 0 : i32}
// CHECK: cdna.lds_alloc {offset = 65536 : i32}
cdna.kernel @around_loops(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  %la = cdna.lds_alloc : !big
  %lb = cdna.lds_alloc : !big
  %lc = cdna.lds_alloc : !big
  %ld = cdna.lds_alloc : !big
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %va = cdna.lds_view %la [0, 0] [16, 32] : !big -> !stage
      cdna.lds_store %x, %va : tensor<16x32xbf16, #f>, !stage
      %a = cdna.lds_load %va : !stage -> tensor<16x32xbf16, #f>
    }
    %vb = cdna.lds_view %lb [0, 0] [16, 32] : !big -> !stage
    cdna.lds_store %x, %vb : tensor<16x32xbf16, #f>, !stage
    %b = cdna.lds_load %vb : !stage -> tensor<16x32xbf16, #f>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %vc = cdna.lds_view %lc [0, 0] [16, 32] : !big -> !stage
    cdna.lds_store %x, %vc : tensor<16x32xbf16, #f>, !stage
    %c = cdna.lds_load %vc : !stage -> tensor<16x32xbf16, #f>
    %vd = cdna.lds_view %ld [0, 0] [16, 32] : !big -> !stage
    cdna.lds_store %x, %vd : tensor<16x32xbf16, #f>, !stage
    %d = cdna.lds_load %vd : !stage -> tensor<16x32xbf16, #f>
  }
  cdna.return
}

// -----

// Written first on one path only: %la keeps what an earlier turn wrote, and %lb may not have its bytes.

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @sometimes
// CHECK-SAME: lds_bytes = 8192
cdna.kernel @sometimes(%n: i32, %p: i1) attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64x32xbf16, #f>
  %la = cdna.lds_alloc : !cdna.lds<64x32xbf16, order = [1, 0]>
  %lb = cdna.lds_alloc : !cdna.lds<64x32xbf16, order = [1, 0]>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %p {
      cdna.lds_store %x, %la : tensor<64x32xbf16, #f>, !cdna.lds<64x32xbf16, order = [1, 0]>
    }
    %y = cdna.lds_load %la : !cdna.lds<64x32xbf16, order = [1, 0]> -> tensor<64x32xbf16, #f>
    scf.for %j = %c0 to %n step %c1 : i32 {
      cdna.lds_store %x, %lb : tensor<64x32xbf16, #f>, !cdna.lds<64x32xbf16, order = [1, 0]>
    }
  }
  cdna.return
}
