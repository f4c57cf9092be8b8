// Each conversion takes the cheapest way: a renaming, moves inside dwords, moves between lanes, exchanges, LDS.
// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands))" -split-input-file -verify-diagnostics=only-expected | FileCheck %s

#s = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#renamed = #cdna.layout<reg = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#quads = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 8], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#swapped = #cdna.layout<reg = [[0, 1], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [0, 2]], wave = []>
#far = #cdna.layout<reg = [[4, 0], [8, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8]], wave = []>

// CHECK-LABEL: cdna.kernel @dwords
// CHECK: cdna.convert_layout %{{.*}}{path = none}
// CHECK: cdna.convert_layout %{{.*}}{path = lane}
// CHECK: cdna.convert_layout %{{.*}}{path = exchange}
// CHECK: cdna.lds_store
// CHECK: cdna.lds_load
cdna.kernel @dwords(%p: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %x = cdna.iota {axis = 1} : tensor<16x16xi32, #s>
  %a = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #renamed>
  // expected-remark @+1 {{layout conversion of a 16x16xi32 tile: each register between lanes}}
  %b = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #quads>
  // expected-remark @+1 {{layout conversion of a 16x16xi32 tile: registers exchanged between lanes}}
  %c = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #swapped>
  // expected-remark @+1 {{layout conversion of a 16x16xi32 tile: through LDS}}
  %d = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #far>
  cdna.return
}

// -----

// Lane bit 5 is exchanged by v_permlane32_swap, which the older target lacks.

#s = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#swapped = #cdna.layout<reg = [[0, 1], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [0, 2]], wave = []>
#near = #cdna.layout<reg = [[0, 1], [2, 0]], lane = [[0, 4], [0, 8], [1, 0], [0, 2], [4, 0], [8, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @older
// CHECK: cdna.lds_store
// CHECK: cdna.lds_load
// CHECK: cdna.convert_layout %{{.*}}{path = exchange}
cdna.kernel @older(%p: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %x = cdna.iota {axis = 1} : tensor<16x16xi32, #s>
  // expected-remark @+1 {{through LDS}}
  %c = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #swapped>
  // expected-remark @+1 {{registers exchanged between lanes}}
  %d = cdna.convert_layout %x : tensor<16x16xi32, #s> -> tensor<16x16xi32, #near>
  cdna.return
}

// -----

// Halves of a dword change partners: no lane is asked, but registers are written.

#s = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#halves = #cdna.layout<reg = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// CHECK-LABEL: cdna.kernel @halves
// CHECK: cdna.convert_layout %{{.*}}{path = none}
cdna.kernel @halves(%p: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %x = arith.constant dense<1.0> : tensor<16x16xbf16, #s>
  // expected-remark @+1 {{inside the registers of each lane}}
  %a = cdna.convert_layout %x : tensor<16x16xbf16, #s> -> tensor<16x16xbf16, #halves>
  cdna.return
}

// -----

// More than half of the LDS passes in parts, each a store and a load.

#rows = #cdna.layout<reg = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 128], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [4, 0]], wave = [[8, 0]]>
#columns = #cdna.layout<reg = [[1, 0], [2, 0], [0, 128], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], wave = [[0, 4]]>

// CHECK-LABEL: cdna.kernel @parts
// CHECK: cdna.lds_alloc {swizzle} : !cdna.lds<64x128xf32, order = [0, 1]>
// CHECK: cdna.part %{{.*}}[0, 0]
// CHECK: cdna.lds_store
// CHECK: cdna.lds_load
// CHECK: cdna.part %{{.*}}[64, 128]
// CHECK: cdna.lds_store
// CHECK: cdna.lds_load
// CHECK: cdna.join
cdna.kernel @parts(%v: !tile.view<128x256xf32, strides = [256, 1], align = 16>) attributes {target = #tile.target<"gfx942">, waves = [2, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %v[%c0, %c0] tile [128, 256] : !tile.view<128x256xf32, strides = [256, 1], align = 16> -> !cdna.buffer<128x256xf32, strides = [256, 1], align = 16>
  %x = cdna.load %w[%c0, %c0] {tail = [none, none]} : !cdna.buffer<128x256xf32, strides = [256, 1], align = 16> -> tensor<128x256xf32, #rows>
  // expected-remark @+1 {{layout conversion of a 128x256xf32 tile: through LDS, in 4 parts}}
  %y = cdna.convert_layout %x : tensor<128x256xf32, #rows> -> tensor<128x256xf32, #columns>
  cdna.store %y, %w[%c0, %c0] {tail = [none, none]} : tensor<128x256xf32, #columns>, !cdna.buffer<128x256xf32, strides = [256, 1], align = 16>
  cdna.return
}

// -----

// A ring of 40 KiB is in use all through its loop: a conversion there has 24 KiB.

#rows = #cdna.layout<reg = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 64], [0, 128], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [4, 0], [8, 0]], wave = [[16, 0]]>
#columns = #cdna.layout<reg = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [64, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], wave = [[0, 4]]>
#ring = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = [[8, 0]], repeat = [5, 1]>
!ring = !cdna.lds<80x64xf32, order = [1, 0], stages = 2>

// CHECK-LABEL: cdna.kernel @beside_a_ring
// CHECK-DAG: cdna.lds_alloc {swizzle} : !cdna.lds<64x64xi32, order = [0, 1]>
// CHECK-DAG: cdna.lds_alloc {swizzle} : !cdna.lds<64x128xi32, order = [0, 1]>
cdna.kernel @beside_a_ring(%n: i32) attributes {target = #tile.target<"gfx942">, waves = [2, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cdna.lds_alloc : !ring
  %s0 = cdna.slot %l 0 : !ring -> !cdna.slot
  %x = cdna.iota {axis = 1} : tensor<128x256xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %v = cdna.lds_view %l[%s] [0, 0] [80, 64] : !ring -> !cdna.lds<80x64xf32, order = [1, 0]>
    %t = cdna.lds_load %v : !cdna.lds<80x64xf32, order = [1, 0]> -> tensor<80x64xf32, #ring>
    // expected-remark @+1 {{layout conversion of a 128x256xi32 tile: through LDS, in 8 parts}}
    %y = cdna.convert_layout %x : tensor<128x256xi32, #rows> -> tensor<128x256xi32, #columns>
    %next = cdna.next_slot %s {by = 1} : !cdna.slot
    scf.yield %next : !cdna.slot
  }
  // expected-remark @+1 {{layout conversion of a 128x256xi32 tile: through LDS, in 4 parts}}
  %z = cdna.convert_layout %x : tensor<128x256xi32, #rows> -> tensor<128x256xi32, #columns>
  cdna.return
}

// -----

// A reshape that no renaming of registers does.

#x = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [], repeat = [1, 3]>
#y = #cdna.layout<reg = [[0, 1], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [], repeat = [3, 1]>

// CHECK-LABEL: cdna.kernel @reshape
// CHECK: %[[L:.*]] = cdna.lds_alloc : !cdna.lds<16x48xi32, order = [1, 0]>
// CHECK: cdna.lds_store %{{.*}}, %[[L]]
// CHECK: %[[V:.*]] = cdna.lds_reshape %[[L]] : {{.*}} -> !cdna.lds<96x8xi32, order = [1, 0]>
// CHECK: cdna.lds_load %[[V]]
cdna.kernel @reshape(%p: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %t = cdna.iota {axis = 1} : tensor<16x48xi32, #x>
  // expected-remark @+1 {{reshape of a 16x48xi32 tile: through LDS}}
  %r = cdna.reshape %t : tensor<16x48xi32, #x> -> tensor<96x8xi32, #y>
  cdna.return
}
