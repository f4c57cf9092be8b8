// Casts to and from floats of 8 bits: one instruction where the target converts the format, else integers.
// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" | FileCheck %s

!F = !tile.view<64xf32, strides = [1], align = 16>
!Q = !tile.view<64xf8E4M3FN, strides = [1], align = 16>
!H = !tile.view<64xbf16, strides = [1], align = 16>

// CHECK-LABEL: cdna.kernel @own
// CHECK: %[[X:.*]] = cdna.load {{.*}} -> tensor<64xf32
// CHECK: %[[Q:.*]] = cdna.cvt %[[X]] saturate : tensor<64xf32, {{.*}} -> tensor<64xf8E4M3FN
// CHECK: cdna.store %[[Q]]
// CHECK: %[[Y:.*]] = cdna.cvt %{{.*}} : tensor<64xf8E4M3FN, {{.*}} -> tensor<64xf32
// CHECK: cdna.store %[[Y]]
tile.kernel @own(%x: !F {tile.name = "x"}, %q: !Q {tile.name = "q"})
    attributes {grid = @own.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !F -> tensor<64xf32>
  %0 = tile.cast %v rne saturate : tensor<64xf32> -> tensor<64xf8E4M3FN>
  tile.store %0, %q[%c0] : tensor<64xf8E4M3FN>, !Q
  %1 = tile.load %q[%c0] pad(0.0) : !Q -> tensor<64xf8E4M3FN>
  %2 = tile.cast %1 rne : tensor<64xf8E4M3FN> -> tensor<64xf32>
  tile.store %2, %x[%c0] : tensor<64xf32>, !F
  tile.return
}
tile.func private @own.grid(%x: !F, %q: !Q) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// The flavour of the other target: magnitudes, a carry into the exponent, the largest code, the sign.
// CHECK-LABEL: cdna.kernel @other
// CHECK-NOT: cdna.cvt
// CHECK: %[[B:.*]] = arith.bitcast %{{.*}} : tensor<64xf32, {{.*}} to tensor<64xi32
// CHECK: arith.andi %[[B]]
// CHECK: arith.minui
// CHECK: arith.ori
// CHECK: %[[C:.*]] = arith.trunci {{.*}} to tensor<64xi8
// CHECK: arith.bitcast %[[C]] : tensor<64xi8, {{.*}} to tensor<64xf8E4M3FN
// CHECK-NOT: cdna.cvt
tile.kernel @other(%x: !F {tile.name = "x"}, %q: !Q {tile.name = "q"})
    attributes {grid = @other.grid, target = #tile.target<"gfx942">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !F -> tensor<64xf32>
  %0 = tile.cast %v rne saturate : tensor<64xf32> -> tensor<64xf8E4M3FN>
  tile.store %0, %q[%c0] : tensor<64xf8E4M3FN>, !Q
  tile.return
}
tile.func private @other.grid(%x: !F, %q: !Q) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// Random bits for each element, whether the target converts the format or not.
// CHECK-LABEL: cdna.kernel @noisy
// CHECK: cdna.random %{{.*}} : tensor<64xi32
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast {{.*}} to tensor<64xbf16
tile.kernel @noisy(%x: !F {tile.name = "x"}, %h: !H {tile.name = "h"}, %seed: i32 {tile.name = "seed"})
    attributes {grid = @noisy.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !F -> tensor<64xf32>
  %0 = tile.cast %v stochastic seed %seed : tensor<64xf32> -> tensor<64xbf16>
  tile.store %0, %h[%c0] : tensor<64xbf16>, !H
  tile.return
}
tile.func private @noisy.grid(%x: !F, %h: !H, %seed: i32) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
