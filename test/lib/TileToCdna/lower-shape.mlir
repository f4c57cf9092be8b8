// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// Shape ops rename registers; a transposed copy needs no conversion, because the store takes the layout it gets.
!X = !tile.view<32x8xf32, strides = [?, 1], align = 16>
!Y = !tile.view<8x32xf32, strides = [1, ?], align = 16>
!V = !tile.view<8xf32, strides = [1], align = 16>
// CHECK-LABEL: cdna.kernel @shapes
// CHECK: %[[X:.*]] = cdna.load {{.*}} -> tensor<32x8xf32, #cdna.layout<reg = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>>
// CHECK: cdna.rename %[[X]]{{ *}}{perm = [1, 0]} : {{.*}} -> tensor<8x32xf32, #cdna.layout<reg = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}4, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], wave = []>>
// CHECK: %[[V:.*]] = cdna.load {{.*}} -> tensor<8xf32
// CHECK: %[[R:.*]] = cdna.rename %[[V]] : tensor<8xf32, {{.*}} -> tensor<1x8xf32
// CHECK: cdna.rename %[[R]] : tensor<1x8xf32, {{.*}} -> tensor<32x8xf32
// CHECK: cdna.iota{{ *}}{axis = 1} : tensor<32x8xi32
// CHECK: arith.bitcast %{{.*}} : tensor<32x8xi32, {{.*}} to tensor<32x8xf32
// CHECK: cdna.splat %arg3 : f32 -> tensor<32x8xf32
// CHECK-NOT: cdna.convert_layout
tile.kernel @shapes(%x: !X {tile.name = "x"}, %y: !Y {tile.name = "y"}, %v: !V {tile.name = "v"}, %s: f32 {tile.name = "s"})
    attributes {grid = @shapes.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0, %c0] pad(0.0) : !X -> tensor<32x8xf32>
  %p = tile.transpose %t {perm = [1, 0]} : tensor<32x8xf32> -> tensor<8x32xf32>
  tile.store %p, %y[%c0, %c0] : tensor<8x32xf32>, !Y
  %w = tile.load %v[%c0] pad(0.0) : !V -> tensor<8xf32>
  %r = tile.reshape %w : tensor<8xf32> to tensor<1x8xf32>
  %b = tile.broadcast %r : tensor<1x8xf32> to tensor<32x8xf32>
  %i = tile.iota {axis = 1} : tensor<32x8xi32>
  %f = tile.bitcast %i : tensor<32x8xi32> to tensor<32x8xf32>
  %sb = tile.broadcast %s : f32 to tensor<32x8xf32>
  %0 = arith.addf %b, %f : tensor<32x8xf32>
  %1 = arith.addf %0, %sb : tensor<32x8xf32>
  tile.store %1, %x[%c0, %c0] : tensor<32x8xf32>, !X
  tile.return
}
tile.func private @shapes.grid(%x: !X, %y: !Y, %v: !V, %s: f32) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
