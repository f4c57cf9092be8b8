// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

!F = !tile.view<64xf32, strides = [1], align = 16>
!H = !tile.view<64xf16, strides = [1], align = 16>
!B = !tile.view<64xbf16, strides = [1], align = 16>
!I = !tile.view<64xi32, strides = [1], align = 16>
!C = !tile.view<64xi8, strides = [1], align = 16>
// CHECK-LABEL: cdna.kernel @casts
// CHECK: arith.truncf %{{.*}} : tensor<64xf32, {{.*}} to tensor<64xbf16
// One rounding between the two 16-bit floats: the way over f32 is exact.
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : tensor<64xbf16, {{.*}} to tensor<64xf32
// CHECK: arith.truncf %[[W]] : tensor<64xf32, {{.*}} to tensor<64xf16
// Float to integer saturates; NaN gives 0; 2^31 and above give the maximum.
// CHECK: arith.cmpf ord
// CHECK: arith.minnumf
// CHECK: arith.maxnumf
// CHECK: arith.fptosi %{{.*}} : tensor<64xf32, {{.*}} to tensor<64xi32
// CHECK: arith.cmpf oge
// CHECK: arith.select
// CHECK: cdna.store
// CHECK: arith.trunci %{{.*}} : tensor<64xi32, {{.*}} to tensor<64xi8
// CHECK: arith.extsi %{{.*}} : tensor<64xi8, {{.*}} to tensor<64xi32
// CHECK: arith.cmpi ne, %{{.*}} : tensor<64xi32
// CHECK: arith.extui %{{.*}} : tensor<64xi1, {{.*}} to tensor<64xi32
// CHECK: arith.sitofp %{{.*}} : tensor<64xi32, {{.*}} to tensor<64xf32
tile.kernel @casts(%f: !F {tile.name = "f"}, %h: !H {tile.name = "h"}, %b: !B {tile.name = "b"}, %i: !I {tile.name = "i"}, %c: !C {tile.name = "c"})
    attributes {grid = @casts.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %f[%c0] pad(0.0) : !F -> tensor<64xf32>
  %0 = tile.cast %v rne : tensor<64xf32> -> tensor<64xbf16>
  tile.store %0, %b[%c0] : tensor<64xbf16>, !B
  %1 = tile.load %b[%c0] pad(0.0) : !B -> tensor<64xbf16>
  %2 = tile.cast %1 rne : tensor<64xbf16> -> tensor<64xf16>
  tile.store %2, %h[%c0] : tensor<64xf16>, !H
  %3 = tile.cast %v rtz : tensor<64xf32> -> tensor<64xi32>
  tile.store %3, %i[%c0] : tensor<64xi32>, !I
  %4 = tile.cast %3 rne : tensor<64xi32> -> tensor<64xi8>
  tile.store %4, %c[%c0] : tensor<64xi8>, !C
  %5 = tile.load %c[%c0] pad(0) : !C -> tensor<64xi8>
  %6 = tile.cast %5 rne : tensor<64xi8> -> tensor<64xi32>
  %7 = tile.cast %6 rne : tensor<64xi32> -> tensor<64xi1>
  %8 = tile.cast %7 rne : tensor<64xi1> -> tensor<64xi32>
  tile.store %8, %i[%c0] : tensor<64xi32>, !I
  %9 = tile.cast %6 rne : tensor<64xi32> -> tensor<64xf32>
  tile.store %9, %f[%c0] : tensor<64xf32>, !F
  tile.return
}
tile.func private @casts.grid(%f: !F, %h: !H, %b: !B, %i: !I, %c: !C) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
