// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// A tile index is element indices, too: coordinates from the first element. What is provably inside is not checked.
// Orders are fences around the whole tile, relaxed ones have none. Halves that a lane holds side by side go in pairs.
!X = !tile.view<?x64xbf16, names = ["M", "64"], strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @updates
// CHECK-NOT: cdna.order
// CHECK: cdna.atomic_rmw add %{{.*}}, %arg0[%c0_i32, %c0_i32] at(%{{.*}}, %{{.*}}) agent {check = array<i32: 0>, dims = array<i32: 0, 1>, pairs}
// CHECK-NEXT: cdna.order release system
// CHECK: cdna.atomic_rmw max {{.*}} system {check = array<i32: 0>, dims = array<i32: 0, 1>}
// CHECK-NEXT: cdna.order acquire system
tile.kernel @updates(%x: !X {tile.name = "x"}, %i: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%i, %c0] pad(0.0) : !X -> tensor<8x64xbf16>
  tile.atomic_rmw add %t, %x[%i, %c0] relaxed agent : tensor<8x64xbf16>, !X
  tile.atomic_rmw max %t, %x[%i, %c0] acq_rel system : tensor<8x64xbf16>, !X
  tile.return
}

// -----

// Slices move the origin and have limits. Indices, value and mask share a layout.
!X = !tile.view<?x?xf32, strides = [?, 1]>
!I = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: cdna.kernel @slices
// CHECK: %[[R:.*]] = cdna.load {{.*}} -> tensor<64xi32, #[[L:.*]]>
// CHECK: cdna.load_indexed %arg0[%arg2, %c0_i32] limits[%arg3, %{{.*}}] at(%[[R]], %{{.*}}) pad(1.000000e+00 : f32) {check = array<i32: 0, 1>, dims = array<i32: 0, 1>, width = 1 : i64}
// CHECK: cdna.store_indexed %{{.*}}, %arg0[%arg2, %c0_i32] limits[%arg3, %{{.*}}] at(%[[R]], %{{.*}}) where %{{.*}} :
tile.kernel @slices(%x: !X {tile.name = "x"}, %rows: !I {tile.name = "rows"}, %lo: i32, %hi: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %s = tile.slice %x[%lo:%hi, :] : !X -> !X
  %r = tile.load %rows[%c0] pad(0) : !I -> tensor<64xi32>
  %g = tile.gather %s[%r, %r] pad(1.0) : !X, tensor<64xi32>, tensor<64xi32> -> tensor<64xf32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %m = arith.cmpi sgt, %r, %zero : tensor<64xi32>
  tile.scatter %g, %s[%r, %r] where %m : tensor<64xf32>, !X, tensor<64xi32>, tensor<64xi32>, tensor<64xi1>
  tile.return
}
