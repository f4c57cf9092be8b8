// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-solve-swizzles))" -split-input-file | FileCheck %s

// 128-byte rows read by 16 rows of a matrix operand. The copy fetches what the swizzle puts in its place.

#fetch = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = [[32, 0], [64, 0], [128, 0]]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0], [0, 0], [128, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>

// CHECK: #[[FETCH:.*]] = #cdna.layout<{{.*}} lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]], wave = {{\[\[}}32, 0], [64, 0], [128, 0]]>
// CHECK-LABEL: cdna.kernel @direct
// CHECK: cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
// CHECK: cdna.async_copy {{.*}} {fetch = #[[FETCH]],
// CHECK: cdna.lds_view {{.*}} -> !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>
// CHECK: cdna.lds_load {{.*}} xor = [1, 2, 4]>
cdna.kernel @direct(%x: !A) attributes {target = #tile.target<"gfx950">, waves = [2, 4]} {
  %c0 = arith.constant 0 : i32
  %l = cdna.lds_alloc {swizzle} : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2>
  %w = cdna.buffer %x[%c0, %c0] tile [256, 64] : !A -> !wA
  %s = cdna.slot %l 0 : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2> -> !cdna.slot
  %t = cdna.async_copy %w[%c0, %c0], %l[%s] {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !cdna.lds<256x64xbf16, order = [1, 0], stages = 2> -> !cdna.token
  %v = cdna.lds_view %l[%s] [0, 32] [256, 32] : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2> -> !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128>
  %f = cdna.lds_load %v : !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128> -> tensor<256x32xbf16, #a>
  cdna.return
}

// -----

// Rows of 512 bytes read transposed use row bits beyond the rows of one instruction: the waves take those bits, so that one
// offset register a lane is enough.

#fetch = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [2, 0], [4, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [1, 0]], wave = [[8, 0], [16, 0], [32, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 64], [0, 128], [0, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>

// CHECK: #[[FETCH:.*]] = #cdna.layout<{{.*}} lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [1, 16]], wave = {{\[\[}}2, 32], [4, 0], [8, 64]]>
// CHECK-LABEL: cdna.kernel @transposed
// CHECK: cdna.lds_alloc : !cdna.lds<64x256xbf16, order = [1, 0], xor = [2, 4, 0, 8]>
// CHECK: cdna.async_copy {{.*}} {fetch = #[[FETCH]],
cdna.kernel @transposed(%x: !A) attributes {target = #tile.target<"gfx950">, waves = [2, 4]} {
  %c0 = arith.constant 0 : i32
  %l = cdna.lds_alloc {swizzle} : !cdna.lds<64x256xbf16, order = [1, 0]>
  %w = cdna.buffer %x[%c0, %c0] tile [64, 256] : !A -> !wA
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #fetch, width = 16, tail = [none, none]} : !wA, !cdna.lds<64x256xbf16, order = [1, 0]> -> !cdna.token
  %v = cdna.lds_view %l [0, 0] [32, 256] : !cdna.lds<64x256xbf16, order = [1, 0]> -> !cdna.lds<32x256xbf16, order = [1, 0]>
  %f = cdna.lds_load %v {transpose} : !cdna.lds<32x256xbf16, order = [1, 0]> -> tensor<32x256xbf16, #b>
  cdna.return
}

// -----

// Rows of 64 bytes, half of all banks. A store by lanes that hold neighbouring rows in registers meets one half only, unless
// bit 4 of the row number is added to bit 0. The copy fetches the rows that lie at their places then.

#write = #cdna.layout<reg = [[1, 0], [0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [2, 0], [4, 0], [8, 0]], wave = [[16, 0], [0, 64], [0, 128]]>
#read = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 64], [0, 128], [0, 0]]>
#fetch = #cdna.layout<reg = [[1, 0], [0, 4], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], wave = [[0, 32], [0, 64], [0, 128]]>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK: #[[FETCH:.*]] = #cdna.layout<reg = {{\[\[}}1, 0], [16, 32], [0, 64], [0, 128]], lane = {{\[\[}}2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [16, 2]], wave = {{\[\[}}0, 4], [8, 8], [0, 17]]>
// CHECK-LABEL: cdna.kernel @moved
// CHECK: cdna.lds_alloc : !cdna.lds<32x256xbf16, order = [0, 1], xor = [0, 2, 0, 1, 4, 2]>
// CHECK: cdna.async_copy {{.*}} {fetch = #[[FETCH]],
cdna.kernel @moved(%x: !B) attributes {target = #tile.target<"gfx942">, waves = [2, 4]} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<32x256xbf16, #write>
  %l = cdna.lds_alloc {swizzle} : !cdna.lds<32x256xbf16, order = [0, 1]>
  %w = cdna.buffer %x[%c0, %c0] tile [32, 256] : !B -> !wB
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #fetch, width = 4, tail = [none, none]} : !wB, !cdna.lds<32x256xbf16, order = [0, 1]> -> !cdna.token
  cdna.lds_store %z, %l : tensor<32x256xbf16, #write>, !cdna.lds<32x256xbf16, order = [0, 1]>
  %f = cdna.lds_load %l : !cdna.lds<32x256xbf16, order = [0, 1]> -> tensor<32x256xbf16, #read>
  cdna.return
}

// -----

// A row of one chunk leaves nothing to permute, and a buffer that asks for nothing gets nothing.

#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>

// CHECK-LABEL: cdna.kernel @small
// CHECK: cdna.lds_alloc : !cdna.lds<1x2xf32, order = [1, 0]>
// CHECK: cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0]>
cdna.kernel @small() attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  %x = arith.constant dense<1.0> : tensor<1x2xf32, #one>
  %l = cdna.lds_alloc {swizzle} : !cdna.lds<1x2xf32, order = [1, 0]>
  %m = cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0]>
  cdna.lds_store %x, %l : tensor<1x2xf32, #one>, !cdna.lds<1x2xf32, order = [1, 0]>
  cdna.return
}

// -----

// Rows of 192 bytes are three groups of 64. Masks permute the chunks inside of each group; the odd number of groups keeps
// rows apart as one group would.

#w = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [], repeat = [1, 3]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
// CHECK-LABEL: cdna.kernel @odd_groups
// CHECK: cdna.lds_alloc : !cdna.lds<16x96xbf16, order = [1, 0], xor = [0, 1, 2]>
cdna.kernel @odd_groups() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %l = cdna.lds_alloc {swizzle} : !cdna.lds<16x96xbf16, order = [1, 0]>
  %t = arith.constant dense<0.0> : tensor<16x96xbf16, #w>
  cdna.lds_store %t, %l : tensor<16x96xbf16, #w>, !cdna.lds<16x96xbf16, order = [1, 0]>
  %v = cdna.lds_view %l [0, 32] [16, 32] : !cdna.lds<16x96xbf16, order = [1, 0]> -> !cdna.lds<16x32xbf16, order = [1, 0], pitch = 192>
  %f = cdna.lds_load %v : !cdna.lds<16x32xbf16, order = [1, 0], pitch = 192> -> tensor<16x32xbf16, #a>
  cdna.return
}
