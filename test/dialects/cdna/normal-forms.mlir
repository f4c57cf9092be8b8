// Each normal form refuses what it forbids.
// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

cdna.kernel @layouts_assigned() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.layouts_assigned} {
  // expected-error @+1 {{[cdna.layouts_assigned]}}
  %c = arith.constant dense<0.0> : tensor<64xf32>
  cdna.return
}
// -----
cdna.kernel @no_tile_ops() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.no_tile_ops} {
  // expected-error @+1 {{[cdna.no_tile_ops]}}
  %c = tile.iota {axis = 0} : tensor<64xi32>
  cdna.return
}
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], wave = []>
cdna.kernel @staged() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.staged} {
  %c = cdna.iota {axis = 0} : tensor<8x8xi32, #x>
  // expected-error @+1 {{[cdna.staged]}}
  %d = cdna.convert_layout %c : tensor<8x8xi32, #x> -> tensor<8x8xi32, #y>
  cdna.return
}
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!V = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
cdna.kernel @pipelined(%v: !V, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.pipelined} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cdna.lds_alloc : !L
  %s = cdna.slot %l 0 : !L -> !cdna.slot
  %w = cdna.buffer %v[%c0, %c0] tile [16, 32] : !V -> !W
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
    // expected-error @+1 {{[cdna.pipelined]}}
    cdna.wait %t
  }
  cdna.return
}
// -----
cdna.kernel @unplaced() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 256 : i32, cdna.lds_assigned} {
  // expected-error @+1 {{has no offset [cdna.lds_assigned]}}
  %l = cdna.lds_alloc : !cdna.lds<8x8xf32, order = [1, 0]>
  cdna.return
}
// -----
cdna.kernel @too_long() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 256 : i32, cdna.lds_assigned} {
  // expected-error @+1 {{ends at byte 272 of 256 [cdna.lds_assigned]}}
  %l = cdna.lds_alloc {offset = 16 : i32} : !cdna.lds<8x8xf32, order = [1, 0]>
  cdna.return
}
// -----
cdna.kernel @waits() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.waits_inserted} {
  %t = builtin.unrealized_conversion_cast to !cdna.token
  // expected-error @+1 {{[cdna.waits_inserted]}}
  cdna.wait %t
  cdna.return
}
// -----
cdna.kernel @scheduled() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.scheduled} {
  // expected-error @+1 {{[cdna.scheduled]}}
  cdna.sched_group {kind = mfma, count = 2}
  cdna.barrier
  cdna.sched_fence
  cdna.return
}
// -----
cdna.kernel @rocdl_only() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.rocdl_only} {
  // expected-error @+1 {{[cdna.rocdl_only]}}
  cdna.return
}
// -----
// expected-error @+1 {{[cdna.form.c1]}}
cdna.kernel @unknown() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.unheard_of} {
  cdna.return
}
