// Every rule of the dialect that IR text can break, with its label.
// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{[cdna.layout.c1]}}
#l = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16]], wave = []>
// -----
// expected-error @+1 {{[cdna.layout.c1]}}
#l = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32, 0]], wave = []>
// -----
#l = #cdna.layout<reg = [[1], [1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
// expected-error @+1 {{[cdna.layout.c2]}}
%t = builtin.unrealized_conversion_cast to tensor<128xf32, #l>
// -----
#l = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
// expected-error @+1 {{[cdna.layout.c3]}}
%t = builtin.unrealized_conversion_cast to tensor<256xf32, #l>
// -----
#l = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = [], repeat = [2]>
// expected-error @+1 {{[cdna.layout.c5]}}
%t = builtin.unrealized_conversion_cast to tensor<256xf32, #l>
// -----
#l = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [], repeat = [513]>
// expected-error @+1 {{[cdna.layout.c6]}}
%t = builtin.unrealized_conversion_cast to tensor<32832xf32, #l>
// -----
// expected-error @+1 {{[cdna.buffer.c1]}}
%t = builtin.unrealized_conversion_cast to !cdna.buffer<?x?xf32, strides = [1]>
// -----
// expected-error @+1 {{[cdna.buffer.c2]}}
%t = builtin.unrealized_conversion_cast to !cdna.buffer<?xi4, strides = [1]>
// -----
// expected-error @+1 {{[cdna.lds.c1]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<8x8xf32, order = [1, 1]>
// -----
// expected-error @+1 {{[cdna.lds.c2]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<1024x64xf32, order = [1, 0]>
// -----
// expected-error @+1 {{[cdna.lds.c2]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<1048576x1048576x1048576x1048576x4xf32, order = [4, 3, 2, 1, 0]>
// -----
// expected-error @+1 {{[cdna.lds.c2]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<2x4611686018427387904xf32, order = [1, 0]>
// -----
// expected-error @+1 {{[cdna.lds.c2]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<2x0xf32, order = [1, 0]>
// -----
// expected-error @+1 {{[cdna.lds.c3]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<8x8xf32, order = [1, 0], stages = 6>
// -----
// expected-error @+1 {{xor mask 16 is not inside the 16 chunks of the buffer [cdna.lds.c4]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<8x8xf32, order = [1, 0], xor = [16]>
// -----
// Rows 0 and 1 at the same place.
// expected-error @+1 {{xor masks do not leave a place of its own to each of 8 rows [cdna.lds.c4]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<8x8xf32, order = [1, 0], xor = [2]>
// -----
// Row 4 would change places with row 8.
// expected-error @+1 {{xor masks do not leave a place of its own to each of 12 rows [cdna.lds.c4]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<12x8xf32, order = [1, 0], xor = [0, 0, 16]>
// -----
// expected-error @+1 {{[cdna.lds.c6]}}
%t = builtin.unrealized_conversion_cast to !cdna.lds<8x8xi4, order = [1, 0]>
// -----
// expected-error @+1 {{[cdna.kernel.c1]}}
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [4, 8]} {
  cdna.return
}
// -----
// expected-error @+1 {{[cdna.kernel.c3]}}
cdna.kernel @k() attributes {target = #tile.target<"gfx942">, waves = [1, 1], lds_bytes = 65552 : i32} {
  cdna.return
}
// -----
// expected-error @+1 {{[cdna.kernel.c6]}}
cdna.kernel @k() attributes {target = #tile.target<"gfx90">, waves = [1, 1]} {
  cdna.return
}
// -----
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  // expected-error @+1 {{[cdna.kernel.c4]}}
  %c = arith.constant 0 : index
  cdna.return
}
// -----
// expected-error @+1 {{[cdna.kernel.c4]}}
cdna.kernel @k(%n: index) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  cdna.return
}
// -----
#l = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  // expected-error @+1 {{[cdna.layout.c4]}}
  %c = arith.constant dense<0.0> : tensor<64xf32, #l>
  cdna.return
}
// -----
!V = !tile.view<?x?xf32, strides = [?, 1]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{[cdna.buffer.c1]}}
  %w = cdna.buffer %v[%c0] tile [8, 8] : !V -> !cdna.buffer<?x?xf32, strides = [?, 1]>
  cdna.return
}
// -----
!V = !tile.view<8x?xf32, strides = [?, 1]>
cdna.kernel @k(%v: !V, %i: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{[cdna.buffer.c1]}}
  %w = cdna.buffer %v[%i, %c0] tile [8, 8] : !V -> !cdna.buffer<8x?xf32, strides = [?, 1]>
  cdna.return
}
// -----
!V = !tile.view<?x?xf32, strides = [1048576, 1]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{[cdna.buffer.c3]}}
  %w = cdna.buffer %v[%c0, %c0] tile [1024, 8] : !V -> !cdna.buffer<?x?xf32, strides = [1048576, 1]>
  cdna.return
}
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.load.c1]}}
%x = cdna.load %w[%c0] {tail = [none, none]} : !W -> tensor<8x8xf32, #l>
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.load.c2]}}
%x = cdna.load %w[%c0, %c0] {tail = [none, none]} : !W -> tensor<8x8xi32, #l>
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.load.c3]}}
%x = cdna.load %w[%c0, %c0] {tail = [records, records]} : !W -> tensor<8x8xf32, #l>
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%c0 = builtin.unrealized_conversion_cast to i32
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #l>
// expected-error @+1 {{[cdna.store.c4]}}
cdna.store %x, %w[%c0, %c0] {tail = [records, compare], scalar = [1]} : tensor<8x8xf32, #l>, !W
// -----
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  scf.for %i = %c0 to %c0 step %c0 : i32 {
    // expected-error @+1 {{[cdna.lds_alloc.c1]}}
    %l = cdna.lds_alloc : !cdna.lds<8x8xf32, order = [1, 0]>
  }
  cdna.return
}
// -----
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  // expected-error @+1 {{[cdna.lds_alloc.c2]}}
  %l = cdna.lds_alloc {offset = 8 : i32} : !cdna.lds<8x8xf32, order = [1, 0]>
  cdna.return
}
// -----
!L = !cdna.lds<8x8xf32, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_view.c1]}}
%v = cdna.lds_view %l [4, 0] [8, 8] : !L -> !L
// -----
!L = !cdna.lds<8x8xf32, order = [1, 0], stages = 2>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_view.c2]}}
%v = cdna.lds_view %l [0, 0] [8, 8] : !L -> !cdna.lds<8x8xf32, order = [1, 0]>
// -----
!L = !cdna.lds<8x8xf32, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_view.c3]}}
%v = cdna.lds_view %l [0, 2] [8, 4] : !L -> !cdna.lds<8x4xf32, order = [1, 0], pitch = 32>
// -----
!L = !cdna.lds<8x8xf32, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_view.c4]}}
%v = cdna.lds_view %l [0, 4] [8, 4] : !L -> !cdna.lds<8x4xf32, order = [1, 0]>
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!L = !cdna.lds<8x8xbf16, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #l>
// expected-error @+1 {{[cdna.lds_store.c1]}}
cdna.lds_store %x, %l : tensor<8x8xf32, #l>, !L
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!L = !cdna.lds<8x8xf32, order = [1, 0], stages = 2>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_load.c2]}}
%x = cdna.lds_load %l : !L -> tensor<8x8xf32, #l>
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!L = !cdna.lds<8x8xf32, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_load.c3]}}
%x = cdna.lds_load %l {transpose} : !L -> tensor<8x8xf32, #l>
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
cdna.kernel @k() attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %l = cdna.lds_alloc : !L
  %w = builtin.unrealized_conversion_cast %c0 : i32 to !W
  // expected-error @+1 {{[cdna.async_copy.c1]}}
  %t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
  cdna.return
}
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 16], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.async_copy.c5]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 16], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xi16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.async_copy.c2]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 16], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.async_copy.c3]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [records, records]} : !W, !L -> !cdna.token
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 8>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.async_copy.c7]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.async_copy.c6]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, none]} : !W, !L -> !cdna.token
// -----
!L = !cdna.lds<8x8xf32, order = [1, 0], stages = 2>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.slot.c1]}}
%s = cdna.slot %l 2 : !L -> !cdna.slot
// -----
%s = builtin.unrealized_conversion_cast to !cdna.slot
// expected-error @+1 {{[cdna.next_slot.c1]}}
%n = cdna.next_slot %s {by = 1} : !cdna.slot
// -----
// expected-error @+1 {{[cdna.wait_count.c1]}}
cdna.wait_count {vm = 64, lgkm = 0}
// -----
// expected-error @+1 {{[cdna.sched_group.c1]}}
cdna.sched_group {kind = mfma, count = 0}
// -----
// expected-error @+1 {{[cdna.priority.c1]}}
cdna.priority {level = 4}
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#d = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %a = arith.constant dense<0.0> : tensor<16x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x16xbf16, #b>
  %d = arith.constant dense<0.0> : tensor<16x16xf32, #d>
  // expected-error @+1 {{[cdna.mfma.c1]}}
  %e = cdna.mfma %a, %b, %d {shape = "16x16x32", swapped} : tensor<16x32xbf16, #a>, tensor<32x16xbf16, #b>, tensor<16x16xf32, #d>
  cdna.return
}
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#d = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %a = arith.constant dense<0.0> : tensor<16x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x16xbf16, #b>
  %d = arith.constant dense<0.0> : tensor<16x16xf32, #d>
  // expected-error @+1 {{[cdna.mfma.c2]}}
  %e = cdna.mfma %a, %b, %d {shape = "16x16x32"} : tensor<16x32xbf16, #a>, tensor<32x16xbf16, #b>, tensor<16x16xf32, #d>
  cdna.return
}
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [0, 8]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#d = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %a = arith.constant dense<0.0> : tensor<16x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x16xbf16, #b>
  %d = arith.constant dense<0.0> : tensor<16x16xf32, #d>
  // expected-error @+1 {{[cdna.mfma.c3]}}
  %e = cdna.mfma %a, %b, %d {shape = "16x16x32", swapped} : tensor<16x32xbf16, #a>, tensor<32x16xbf16, #b>, tensor<16x16xf32, #d>
  cdna.return
}
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[16, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 16]]>
#d = #cdna.layout<reg = [[0, 1], [0, 2], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 16]]>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x32xbf16, #b>
  %d = arith.constant dense<0.0> : tensor<32x32xf32, #d>
  // expected-error @+1 {{[cdna.mfma.c4]}}
  %e = cdna.mfma %a, %b, %d {shape = "16x16x32", swapped} : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b>, tensor<32x32xf32, #d>
  cdna.return
}
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#d = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
%a = builtin.unrealized_conversion_cast to tensor<16x32xbf16, #a>
%d = builtin.unrealized_conversion_cast to tensor<16x16xf32, #d>
// expected-error @+1 {{[cdna.mfma.c5]}}
%e = cdna.mfma %a, %a, %d {shape = "16x16x32", swapped} : tensor<16x32xbf16, #a>, tensor<16x32xbf16, #a>, tensor<16x16xf32, #d>
// -----
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#d = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %a = arith.constant dense<0.0> : tensor<16x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x16xbf16, #b>
  %d = arith.constant dense<0.0> : tensor<16x16xf32, #d>
  // expected-error @+1 {{[cdna.mfma.c6]}}
  %e = cdna.mfma %a, %b, %d {shape = "16x16x32", swapped, steps = array<i64: 1, 2>} : tensor<16x32xbf16, #a>, tensor<32x16xbf16, #b>, tensor<16x16xf32, #d>
  cdna.return
}
// -----
#x = #cdna.layout<reg = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<1x128xf32, #x>
// expected-error @+1 {{[cdna.reduce_registers.c1]}}
%p = cdna.reduce_registers add %x {axis = 2} : tensor<1x128xf32, #x> -> tensor<1x64xf32, #y>
// -----
#x = #cdna.layout<reg = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<1x128xf32, #x>
// expected-error @+1 {{[cdna.reduce_registers.c3]}}
%p = cdna.reduce_registers add %x {axis = 1} : tensor<1x128xf32, #x> -> tensor<1x128xf32, #x>
// -----
#x = #cdna.layout<reg = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<1x128xf32, #x>
// expected-error @+1 {{[cdna.reduce_registers.c4]}}
%p = cdna.reduce_registers and %x {axis = 1} : tensor<1x128xf32, #x> -> tensor<1x64xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.reduce_lanes.c1]}}
%p = cdna.reduce_lanes add %x {dims = [1], bits = [0, 1, 2, 3]} : tensor<8x8xf32, #x> -> tensor<8x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.reduce_lanes.c2]}}
%p = cdna.reduce_lanes or %x {dims = [1], bits = [0, 1, 2]} : tensor<8x8xf32, #x> -> tensor<8x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.reduce_lanes.c3]}}
%p = cdna.reduce_lanes add %x {dims = [1], bits = [0]} : tensor<8x8xf32, #x> -> tensor<8x8xf32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 2]]>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
%x = builtin.unrealized_conversion_cast to tensor<1x4xf32, #x>
%l = builtin.unrealized_conversion_cast to !cdna.lds<1x4xf32, order = [1, 0]>
// expected-error @+1 {{[cdna.reduce_waves.c1]}}
%p = cdna.reduce_waves add %x, %l : tensor<1x4xf32, #x>, !cdna.lds<1x4xf32, order = [1, 0]> -> tensor<1x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#y = #cdna.layout<reg = [], lane = [[0], [0], [0], [0], [0], [0]], wave = [[0]]>
%x = builtin.unrealized_conversion_cast to tensor<1x2xf32, #x>
%l = builtin.unrealized_conversion_cast to !cdna.lds<1x2xf32, order = [1, 0]>
// expected-error @+1 {{the result keeps rank and registers [cdna.reduce_waves.c1]}}
%p = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #x>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
%x = builtin.unrealized_conversion_cast to tensor<1x2xf32, #x>
%l = builtin.unrealized_conversion_cast to !cdna.lds<2xf32, order = [0]>
// expected-error @+1 {{[cdna.reduce_waves.c2]}}
%p = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #x>, !cdna.lds<2xf32, order = [0]> -> tensor<1x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
%x = builtin.unrealized_conversion_cast to tensor<1x2xf32, #x>
%l = builtin.unrealized_conversion_cast to !cdna.lds<1x1xf32, order = [1, 0]>
// expected-error @+1 {{[cdna.reduce_waves.c2]}}
%p = cdna.reduce_waves add %x, %l : tensor<1x2xf32, #x>, !cdna.lds<1x1xf32, order = [1, 0]> -> tensor<1x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.convert_layout.c1]}}
%p = cdna.convert_layout %x : tensor<8x8xf32, #x> -> tensor<8x8xi32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.convert_layout.c2]}}
%p = cdna.convert_layout %x {path = none} : tensor<8x8xf32, #x> -> tensor<8x8xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.rename.c1]}}
%p = cdna.rename %x {perm = [0, 0]} : tensor<8x8xf32, #x> -> tensor<8x8xf32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.rename.c2]}}
%p = cdna.rename %x {perm = [1, 0]} : tensor<8x8xf32, #x> -> tensor<8x8xf32, #x>
// -----
#x = #cdna.layout<reg = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x16xf32, #x>
// expected-error @+1 {{[cdna.reshape.c1]}}
%p = cdna.reshape %x : tensor<8x16xf32, #x> -> tensor<8x8xf32, #y>
// -----
%l = builtin.unrealized_conversion_cast to !cdna.lds<16x48xf32, order = [1, 0]>
// expected-error @+1 {{[cdna.lds_reshape.c1]}}
%v = cdna.lds_reshape %l : !cdna.lds<16x48xf32, order = [1, 0]> -> !cdna.lds<16x32xf32, order = [1, 0]>
// -----
%l = builtin.unrealized_conversion_cast to !cdna.lds<16x48xf32, order = [1, 0], pitch = 208>
// expected-error @+1 {{[cdna.lds_reshape.c2]}}
%v = cdna.lds_reshape %l : !cdna.lds<16x48xf32, order = [1, 0], pitch = 208> -> !cdna.lds<48x16xf32, order = [1, 0]>
// -----
%l = builtin.unrealized_conversion_cast to !cdna.lds<32x48xf32, order = [1, 0]>
%p = cdna.lds_view %l [16, 0] [16, 48] : !cdna.lds<32x48xf32, order = [1, 0]> -> !cdna.lds<16x48xf32, order = [1, 0]>
// expected-error @+1 {{[cdna.lds_reshape.c3]}}
%v = cdna.lds_reshape %p : !cdna.lds<16x48xf32, order = [1, 0]> -> !cdna.lds<48x16xf32, order = [1, 0]>
// -----
#x = #cdna.layout<reg = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x16xf32, #x>
// expected-error @+1 {{[cdna.part.c1]}}
%p = cdna.part %x [0, 12] : tensor<8x16xf32, #x> -> tensor<8x8xf32, #y>
// -----
#x = #cdna.layout<reg = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 4], [0, 2], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x16xf32, #x>
// expected-error @+1 {{[cdna.part.c2]}}
%p = cdna.part %x [0, 8] : tensor<8x16xf32, #x> -> tensor<8x8xf32, #y>
// -----
#x = #cdna.layout<reg = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%p = builtin.unrealized_conversion_cast to tensor<8x8xf32, #y>
// expected-error @+1 {{[cdna.join.c1]}}
%x = cdna.join %p, %p [0, 0] : tensor<8x8xf32, #y>, tensor<8x8xf32, #y> -> tensor<8x16xf32, #x>
// -----
#x = #cdna.layout<reg = [[0, 8]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%p = builtin.unrealized_conversion_cast to tensor<8x8xf32, #y>
// expected-error @+1 {{[cdna.join.c2]}}
%x = cdna.join %p [0, 0] : tensor<8x8xf32, #y> -> tensor<8x16xf32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%s = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.splat.c1]}}
%p = cdna.splat %s : i32 -> tensor<8x8xf32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
// expected-error @+1 {{[cdna.iota.c1]}}
%p = cdna.iota {axis = 2} : tensor<8x8xi32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.mask.c1]}}
%p = cdna.mask %x {value = 0 : i32} : tensor<8x8xf32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xi32, #x>
// expected-error @+1 {{[cdna.hw.c1]}}
%p = cdna.hw rcp %x : tensor<8x8xi32, #x> -> tensor<8x8xi32, #x>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
cdna.kernel @k(%x: f32) attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %t = cdna.splat %x : f32 -> tensor<8x8xf32, #x>
  // expected-error @+1 {{no instruction converts 'f32' to 'f8E4M3FN' [cdna.cvt.c1]}}
  %p = cdna.cvt %t : tensor<8x8xf32, #x> -> tensor<8x8xf8E4M3FN, #x>
  cdna.return
}
// -----
%x = builtin.unrealized_conversion_cast to f16
// expected-error @+1 {{[cdna.cvt.c1]}}
%p = cdna.cvt %x : f16 -> f8E4M3FN
// -----
%x = builtin.unrealized_conversion_cast to f8E5M2
// expected-error @+1 {{[cdna.codes.c1]}}
%p = cdna.codes %x : f8E5M2 -> i8
// -----
#p = #cdna.layout<reg = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
#b = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<64x2xf4E2M1FN, #p>
// expected-error @+1 {{[cdna.pack.c1]}}
%p = cdna.pack %x {axis = 0} : tensor<64x2xf4E2M1FN, #p> -> tensor<64x1xi8, #b>
// -----
#p = #cdna.layout<reg = [[32, 0]], lane = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#b = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<64x2xf4E2M1FN, #p>
// expected-error @+1 {{[cdna.pack.c2]}}
%p = cdna.pack %x {axis = 1} : tensor<64x2xf4E2M1FN, #p> -> tensor<64x1xi8, #b>
// -----
#p = #cdna.layout<reg = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
#b = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<64x1xi32, #b>
// expected-error @+1 {{[cdna.unpack.c1]}}
%p = cdna.unpack %x {axis = 1} : tensor<64x1xi32, #b> -> tensor<64x2xf4E2M1FN, #p>
// -----
#p = #cdna.layout<reg = [[0, 1]], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
#b = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<64x1xi8, #b>
// expected-error @+1 {{[cdna.unpack.c2]}}
%p = cdna.unpack %x {axis = 1} : tensor<64x1xi8, #b> -> tensor<64x2xf4E2M1FN, #p>
// -----
%n = builtin.unrealized_conversion_cast to i32
// expected-error @+1 {{[cdna.random.c1]}}
%r = cdna.random %n : f32
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.cvt.c2]}}
%p = cdna.cvt %x : tensor<8x8xf32, #x> -> f8E4M3FN
// -----
#x = #cdna.layout<reg = [[1, 1]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [2, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [1, 0]], wave = []>
%x = builtin.unrealized_conversion_cast to tensor<4x32xf32, #x>
// expected-error @+1 {{[cdna.reduce_registers.c2]}}
%p = cdna.reduce_registers add %x {axis = 1} : tensor<4x32xf32, #x> -> tensor<2x1xf32, #y>
// -----
#x = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#y = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
%x = builtin.unrealized_conversion_cast to tensor<1x2xf32, #x>
%l = builtin.unrealized_conversion_cast to !cdna.lds<1x2xf32, order = [1, 0]>
// expected-error @+1 {{[cdna.reduce_waves.c3]}}
%p = cdna.reduce_waves xor %x, %l : tensor<1x2xf32, #x>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1x1xf32, #y>
// -----
%w = builtin.unrealized_conversion_cast to !cdna.buffer<?xi32, strides = [1]>
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.load_scalar.c1]}}
%n = cdna.load_scalar %w[%c0] : !cdna.buffer<?xi32, strides = [1]> -> f32
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #l>
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.store.c1]}}
cdna.store %x, %w[%c0] {tail = [none, none]} : tensor<8x8xf32, #l>, !W
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%x = builtin.unrealized_conversion_cast to tensor<8x8xi32, #l>
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.store.c2]}}
cdna.store %x, %w[%c0, %c0] {tail = [none, none]} : tensor<8x8xi32, #l>, !W
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #l>
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.store.c3]}}
cdna.store %x, %w[%c0, %c0] {tail = [none]} : tensor<8x8xf32, #l>, !W
// -----
#l = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!W = !cdna.buffer<?x?xf32, strides = [?, 1]>
%w = builtin.unrealized_conversion_cast to !W
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.load.c4]}}
%x = cdna.load %w[%c0, %c0] {tail = [records, none], scalar = [0]} : !W -> tensor<8x8xf32, #l>
// -----
#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0]>
!W = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
%w = builtin.unrealized_conversion_cast to !W
%l = builtin.unrealized_conversion_cast to !L
%c0 = arith.constant 0 : i32
// expected-error @+1 {{[cdna.async_copy.c4]}}
%t = cdna.async_copy %w[%c0, %c0], %l {fetch = #f, width = 16, tail = [none, compare], scalar = [1]} : !W, !L -> !cdna.token
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!L = !cdna.lds<8x8xf32, order = [1, 0], stages = 2>
%l = builtin.unrealized_conversion_cast to !L
%x = builtin.unrealized_conversion_cast to tensor<8x8xf32, #x>
// expected-error @+1 {{[cdna.lds_store.c2]}}
cdna.lds_store %x, %l : tensor<8x8xf32, #x>, !L
// -----
#x = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], wave = []>
!L = !cdna.lds<8x8xf32, order = [1, 0]>
%l = builtin.unrealized_conversion_cast to !L
// expected-error @+1 {{[cdna.lds_load.c1]}}
%x = cdna.lds_load %l : !L -> tensor<8x8xi32, #x>
// -----
#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
%t = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
// expected-error @+1 {{a tile of one element gives that [cdna.element.c1]}}
%n = cdna.element %t : tensor<64xi32, #one> -> i32
