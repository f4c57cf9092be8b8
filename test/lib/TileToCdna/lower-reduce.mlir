// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// Registers, lanes, waves. Phantoms of a load are 0, so the sum of squares needs no mask; a maximum does, and so does the
// sum of exponentials. Each reduction has its own scratch.
!X = !tile.view<?x2880xf32, names = ["R", "N"], strides = [?, 1], align = 16>
!O = !tile.view<?x1xf32, names = ["R", "1"], strides = [?, 1]>
// CHECK-LABEL: cdna.kernel @row
// CHECK-DAG: %[[L0:.*]] = cdna.lds_alloc : !cdna.lds<1x2xf32, order = [1, 0]>
// CHECK-DAG: %[[L1:.*]] = cdna.lds_alloc : !cdna.lds<1x2xf32, order = [1, 0]>
// CHECK-DAG: %[[L2:.*]] = cdna.lds_alloc : !cdna.lds<1x2xf32, order = [1, 0]>
// CHECK: %[[V:.*]] = cdna.load
// CHECK: %[[Q:.*]] = arith.mulf %[[V]], %[[V]]
// CHECK: %[[P:.*]] = cdna.reduce_registers{{ +}}add %[[Q]]{{ *}}{axis = 1} : {{.*}} -> tensor<1x128xf32, #cdna.layout<reg = [], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = {{\[\[}}0, 64]]>>
// CHECK: %[[S:.*]] = cdna.reduce_lanes{{ +}}add %[[P]]{{ *}}{dims = [1], bits = [0, 1, 2, 3, 4, 5]} : {{.*}} -> tensor<1x2xf32, #cdna.layout<reg = [], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = {{\[\[}}0, 1]]>>
// CHECK: cdna.reduce_waves{{ +}}add %[[S]], %{{.*}} : {{.*}} -> tensor<1x1xf32, #cdna.layout<reg = [], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = {{\[\[}}0, 0]]>>
// CHECK: %[[M:.*]] = cdna.mask %[[V]]{{ *}}{value = 0xFF800000 : f32}
// CHECK: cdna.reduce_registers{{ +}}max %[[M]]
// CHECK: %[[E:.*]] = cdna.mask %{{.*}}{{ *}}{value = 0.000000e+00 : f32}
// CHECK: cdna.reduce_registers{{ +}}add %[[E]]
tile.kernel @row(%x: !X {tile.name = "x"}, %o: !O {tile.name = "o"})
    attributes {grid = @row.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %c0 = arith.constant 0 : i32
  %row = tile.program_id {axis = 0} : i32
  %v = tile.load %x[%row, %c0] pad(0.0) : !X -> tensor<1x2880xf32>
  %q = arith.mulf %v, %v : tensor<1x2880xf32>
  %s = tile.reduce add %q {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  %m = tile.reduce max %v {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  %e = tile.math exp2 %v : tensor<1x2880xf32>
  %t = tile.reduce add %e {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  %u = arith.addf %s, %m : tensor<1x1xf32>
  %w = arith.addf %u, %t : tensor<1x1xf32>
  tile.store %w, %o[%row, %c0] : tensor<1x1xf32>, !O
  tile.return
}
tile.func private @row.grid(%x: !X, %o: !O) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

// Down the columns of a tile: what lanes and waves hold of a column is numbered anew at each step; LDS has the axis fastest.
!X = !tile.view<?x64xi32, strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @columns
// CHECK: cdna.reduce_registers{{ +}}min %{{.*}}{{ *}}{axis = 0} : tensor<64x64xi32, {{.*}} -> tensor<8x64xi32, #cdna.layout<reg = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], wave = {{\[\[}}2, 0], [4, 0]]>>
// CHECK: cdna.reduce_lanes{{ +}}min %{{.*}}{{ *}}{dims = [0], bits = [5]} : {{.*}} -> tensor<4x64xi32, #cdna.layout<reg = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], wave = {{\[\[}}1, 0], [2, 0]]>>
// CHECK: cdna.reduce_waves{{ +}}min %{{.*}}, %{{.*}} : {{.*}}, !cdna.lds<4x64xi32, order = [0, 1]> -> tensor<1x64xi32
// CHECK-NOT: cdna.mask
tile.kernel @columns(%x: !X {tile.name = "x"})
    attributes {grid = @columns.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 4]>} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id {axis = 0} : i32
  %v = tile.load %x[%i, %c0] pad(0) : !X -> tensor<64x64xi32>
  %m = tile.reduce min %v {axis = 0} : tensor<64x64xi32> -> tensor<1x64xi32>
  tile.store %m, %x[%i, %c0] : tensor<1x64xi32>, !X
  tile.return
}
tile.func private @columns.grid(%x: !X) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

// Seven elements, four waves: the eighth lane is a phantom, all other lanes and waves are copies and need not be combined.
!X = !tile.view<?x7xf32, strides = [?, 1]>
// CHECK-LABEL: cdna.kernel @phantoms
// CHECK: cdna.load {{.*}} {tail = [none, records]}
// CHECK-NOT: cdna.mask
// CHECK: cdna.reduce_lanes{{ +}}add %{{.*}}{{ *}}{dims = [1], bits = [0, 1, 2]}
// CHECK: cdna.mask %{{.*}}{{ *}}{value = 1.000000e+00 : f32}
// CHECK: cdna.reduce_lanes{{ +}}mul
// CHECK-NOT: cdna.reduce_waves
tile.kernel @phantoms(%x: !X {tile.name = "x"})
    attributes {grid = @phantoms.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 4]>} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id {axis = 0} : i32
  %v = tile.load %x[%i, %c0] pad(0.0) : !X -> tensor<1x7xf32>
  %s = tile.reduce add %v {axis = 1} : tensor<1x7xf32> -> tensor<1x1xf32>
  %p = tile.reduce mul %v {axis = 1} : tensor<1x7xf32> -> tensor<1x1xf32>
  %t = arith.addf %s, %p : tensor<1x1xf32>
  %b = tile.broadcast %t : tensor<1x1xf32> to tensor<1x7xf32>
  tile.store %b, %x[%i, %c0] : tensor<1x7xf32>, !X
  tile.return
}
tile.func private @phantoms.grid(%x: !X) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}
