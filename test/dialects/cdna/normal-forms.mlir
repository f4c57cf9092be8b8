// Each normal form refuses what it forbids, and accepts what keeps it.
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
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @staged_reshape() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.staged} {
  %c = cdna.iota {axis = 0} : tensor<8x8xi32, #x>
  // expected-error @+1 {{[cdna.staged]}}
  %d = cdna.reshape %c : tensor<8x8xi32, #x> -> tensor<64xi32, #y>
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
// -----
// The kernel's arguments are values, too.
// expected-error @+1 {{has a tile without a layout [cdna.layouts_assigned]}}
cdna.kernel @argument_without_layout(%x: tensor<64xf32>) attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.layouts_assigned} {
  cdna.return
}
// -----
// From here on each form holds.
#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
!V = !tile.view<?xf32, strides = [1], align = 16>
cdna.kernel @keeps_layouts_and_no_tile_ops(%v: !V, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.layouts_assigned, cdna.no_tile_ops} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %e = tile.dim %v {d = 0} : !V -> i32
  %z = arith.constant dense<0.0> : tensor<64xf32, #row>
  %s = scf.for %i = %c0 to %e step %c1 iter_args(%x = %z) -> (tensor<64xf32, #row>) : i32 {
    scf.yield %x : tensor<64xf32, #row>
  }
  cdna.return
}
// -----
#x = #cdna.layout<reg = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8], [0, 16]], wave = []>
#y = #cdna.layout<reg = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8], [0, 16]], wave = []>
cdna.kernel @keeps_staged() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.staged} {
  %c = cdna.iota {axis = 0} : tensor<8x32xi32, #x>
  %d = cdna.convert_layout %c {path = none} : tensor<8x32xi32, #x> -> tensor<8x32xi32, #y>
  cdna.return
}
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!V = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
cdna.kernel @keeps_pipelined_and_lds(%v: !V, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 2048 : i32, cdna.pipelined, cdna.lds_assigned} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %s = cdna.slot %l 0 : !L -> !cdna.slot
  %w = cdna.buffer %v[%c0, %c0] tile [16, 32] : !V -> !W
  %first = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (!cdna.token) : i32 {
    cdna.wait %t
    %next = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
    scf.yield %next : !cdna.token
  }
  cdna.return
}
// -----
cdna.kernel @keeps_waits_and_groups() attributes {target = #tile.target<"gfx950">, waves = [1, 1], cdna.waits_inserted, cdna.scheduled} {
  cdna.sched_group {kind = mfma, count = 2}
  cdna.sched_fence
  cdna.wait_count {vm = 0}
  cdna.barrier
  cdna.return
}
// -----
llvm.func @keeps_rocdl_only() attributes {cdna.rocdl_only} {
  rocdl.s.barrier
  llvm.return
}
