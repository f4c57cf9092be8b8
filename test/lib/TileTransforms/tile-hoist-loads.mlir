// RUN: tegula-opt %s -tile-hoist-loads | FileCheck %s

!W = !tile.view<?xf32, names = ["N"], strides = [1]>

// CHECK-LABEL: tile.kernel @other_set
// CHECK: tile.load %arg0[%c0_i32]
// CHECK: scf.for
// CHECK: tile.load %arg0[%arg
// CHECK: tile.store
tile.kernel @other_set(%w: !W, %o: !W {tile.alias = 1 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %w[%c0] pad(0.0) : !W -> tensor<64xf32>
    %u = tile.load %w[%i] pad(0.0) : !W -> tensor<64xf32>
    %s = arith.addf %t, %u : tensor<64xf32>
    tile.store %s, %o[%i] : tensor<64xf32>, !W
  }
  tile.return
}

// The store may hit what is loaded.
// CHECK-LABEL: tile.kernel @same_set
// CHECK: scf.for
// CHECK: tile.load %arg0[%c0_i32]
tile.kernel @same_set(%w: !W, %o: !W, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %w[%c0] pad(0.0) : !W -> tensor<64xf32>
    tile.store %t, %o[%i] : tensor<64xf32>, !W
  }
  tile.return
}

// A slice may rely on the loop being entered.
// CHECK-LABEL: tile.kernel @slice
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @slice(%w: !W, %o: !W {tile.alias = 1 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tile.slice %w[%n:] : !W -> !tile.view<?xf32, strides = [1]>
    %t = tile.load %v[%c0] pad(0.0) : !tile.view<?xf32, strides = [1]> -> tensor<64xf32>
    tile.store %t, %o[%i] : tensor<64xf32>, !W
  }
  tile.return
}
