// What the lowering refuses, with its labels.
// RUN: tegula-opt %s -tegula-rocdl -split-input-file -verify-diagnostics=only-expected -o /dev/null

#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], wave = []>
cdna.kernel @convert() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c = cdna.iota {axis = 0} : tensor<8x8xi32, #x>
  // expected-error @+1 {{a conversion through LDS is still whole [cdna.rocdl.c1]}}
  %d = cdna.convert_layout %c : tensor<8x8xi32, #x> -> tensor<8x8xi32, #y>
  cdna.return
}
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
cdna.kernel @unplaced() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %l = cdna.lds_alloc : !cdna.lds<8x8xf32, order = [1, 0]>
  // expected-error @+1 {{LDS is not allocated yet [cdna.rocdl.c1]}}
  %d = cdna.lds_load %l : !cdna.lds<8x8xf32, order = [1, 0]> -> tensor<8x8xf32, #x>
  cdna.return
}
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!V = !tile.view<16x32xbf16, strides = [32, 1], align = 16>
!W = !cdna.buffer<16x32xbf16, strides = [32, 1], align = 16>
// expected-error @+1 {{[cdna.scope.c1]}}
cdna.kernel @unproved(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 1024 : i32} {
  %c0 = arith.constant 0 : i32
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %w = cdna.buffer %v[%c0, %c0] tile [16, 32] : !V -> !W
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
  cdna.return
}
// -----
// expected-error @+1 {{is no tile.func [cdna.abi.c1]}}
cdna.kernel @grid(%n: i32) attributes {grid = @nothing, target = #tile.target<"gfx950">, waves = [1, 1]} {
  cdna.return
}
