// RUN: tegula-opt %s -tile-fold-casts | FileCheck %s

!O = !tile.view<?x64xbf16, strides = [?, 1]>
!P = !tile.view<?x64xf8E5M2, strides = [?, 1]>
!F = !tile.view<?x64xf32, strides = [?, 1]>

// CHECK-LABEL: tile.kernel @round_trip
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: tile.store %[[X]]
tile.kernel @round_trip(%x: !O, %o: !O, %i: i32) {
  %v = tile.load %x[%i, %i] pad(0.0) : !O -> tensor<1x64xbf16>
  %w = arith.extf %v : tensor<1x64xbf16> to tensor<1x64xf32>
  %n = tile.cast %w rne : tensor<1x64xf32> -> tensor<1x64xbf16>
  tile.store %n, %o[%i, %i] : tensor<1x64xbf16>, !O
  tile.return
}

// A saturating cast would clamp the infinity that an f8E5M2 holds: it stays. Without saturation it goes.
// CHECK-LABEL: tile.kernel @saturation
tile.kernel @saturation(%x: !P, %o: !P, %i: i32) {
  // CHECK: %[[V:.*]] = tile.load
  %v = tile.load %x[%i, %i] pad(0.0) : !P -> tensor<1x64xf8E5M2>
  %w = tile.cast %v rne : tensor<1x64xf8E5M2> -> tensor<1x64xf32>
  // CHECK: %[[S:.*]] = tile.cast %{{.*}} rne saturate
  %s = tile.cast %w rne saturate : tensor<1x64xf32> -> tensor<1x64xf8E5M2>
  %n = tile.cast %w rtz : tensor<1x64xf32> -> tensor<1x64xf8E5M2>
  // CHECK: tile.store %[[S]]
  tile.store %s, %o[%i, %i] : tensor<1x64xf8E5M2>, !P
  // CHECK: tile.store %[[V]]
  tile.store %n, %o[%i, %i] : tensor<1x64xf8E5M2>, !P
  tile.return
}

// A widening that is none (f16 has bits that bf16 lacks) keeps both casts; a lossless one is spelled extf.
// CHECK-LABEL: tile.kernel @spelling
tile.kernel @spelling(%x: !O, %o: !F, %i: i32) {
  %v = tile.load %x[%i, %i] pad(0.0) : !O -> tensor<1x64xbf16>
  // CHECK: tile.cast %{{.*}} rne : tensor<1x64xbf16> -> tensor<1x64xf16>
  %h = tile.cast %v rne : tensor<1x64xbf16> -> tensor<1x64xf16>
  // CHECK: %[[B:.*]] = tile.cast %{{.*}} rne : tensor<1x64xf16> -> tensor<1x64xbf16>
  %b = tile.cast %h rne : tensor<1x64xf16> -> tensor<1x64xbf16>
  // CHECK: arith.extf %[[B]]
  %f = tile.cast %b rne : tensor<1x64xbf16> -> tensor<1x64xf32>
  tile.store %f, %o[%i, %i] : tensor<1x64xf32>, !F
  tile.return
}

// CHECK-LABEL: tile.kernel @broadcast
// CHECK: %[[C:.*]] = tile.cast %{{.*}} rne : f32 -> bf16
// CHECK: tile.broadcast %[[C]] : bf16 to tensor<1x64xbf16>
tile.kernel @broadcast(%o: !O, %i: i32, %r: f32) {
  %b = tile.broadcast %r : f32 to tensor<1x64xf32>
  %c = tile.cast %b rne : tensor<1x64xf32> -> tensor<1x64xbf16>
  tile.store %c, %o[%i, %i] : tensor<1x64xbf16>, !O
  tile.return
}
