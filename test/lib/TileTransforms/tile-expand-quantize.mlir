// RUN: tegula-opt %s -pass-pipeline="builtin.module(tile.kernel(tile-expand-quantize))" | FileCheck %s

// CHECK-LABEL: tile.kernel @floor
// CHECK: %[[B:.*]] = tile.reshape %{{.*}} : tensor<4x64xbf16> to tensor<4x2x32xbf16>
// CHECK: %[[X:.*]] = arith.extf %[[B]]
// CHECK: %[[BITS:.*]] = tile.bitcast %[[X]]
// CHECK: %[[SIZE:.*]] = arith.andi %[[BITS]]
// CHECK: %[[MAX:.*]] = tile.reduce max %[[SIZE]] {axis = 2} : tensor<4x2x32xi32> -> tensor<4x2x1xi32>
// The largest code is 448, between 2^8 and 2^9.
// CHECK: arith.shrui %[[MAX]]
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<4x2x1xi32>
// CHECK: arith.maxsi
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<4x2x32xf32>
// CHECK: %[[C:.*]] = tile.cast %[[Y]] rne saturate : tensor<4x2x32xf32> -> tensor<4x2x32xf8E4M3FN>
// CHECK: tile.reshape %[[C]] : tensor<4x2x32xf8E4M3FN> to tensor<4x64xf8E4M3FN>
// CHECK: tile.reshape %{{.*}} : tensor<4x2x1xf8E8M0FNU> to tensor<4x2xf8E8M0FNU>
!X = !tile.view<4x64xbf16, strides = [64, 1]>
!Q = !tile.view<4x64xf8E4M3FN, strides = [64, 1]>
!S = !tile.view<4x2xf8E8M0FNU, strides = [2, 1]>
tile.kernel @floor(%x: !X, %q: !Q, %s: !S) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0, %c0] pad(0.0) : !X -> tensor<4x64xbf16>
  %codes, %scales = tile.quantize %v {axis = [1], block = [32], mode = floor} : tensor<4x64xbf16> -> tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>
  tile.store %codes, %q[%c0, %c0] : tensor<4x64xf8E4M3FN>, !Q
  tile.store %scales, %s[%c0, %c0] : tensor<4x2xf8E8M0FNU>, !S
  tile.return
}

// No code exceeds the largest number, so an f8 needs no saturation; blocks of two dimensions.
// CHECK-LABEL: tile.kernel @rceil
// CHECK: tile.reshape %{{.*}} : tensor<64x64xf32> to tensor<2x32x2x32xf32>
// CHECK: tile.reduce max %{{.*}} {axis = 1} : tensor<2x32x2x32xi32> -> tensor<2x1x2x32xi32>
// CHECK: tile.reduce max %{{.*}} {axis = 3} : tensor<2x1x2x32xi32> -> tensor<2x1x2x1xi32>
// CHECK: arith.mulf %{{.*}} : tensor<2x1x2x1xf32>
// CHECK: tile.cast %{{.*}} rne : tensor<2x32x2x32xf32> -> tensor<2x32x2x32xf8E5M2>
!F = !tile.view<64x64xf32, strides = [64, 1]>
!P = !tile.view<64x64xf8E5M2, strides = [64, 1]>
!T = !tile.view<2x2xf8E8M0FNU, strides = [2, 1]>
tile.kernel @rceil(%x: !F, %q: !P, %s: !T) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0, %c0] pad(0.0) : !F -> tensor<64x64xf32>
  %codes, %scales = tile.quantize %v {axis = [0, 1], block = [32, 32], mode = rceil} : tensor<64x64xf32> -> tensor<64x64xf8E5M2>, tensor<2x2xf8E8M0FNU>
  tile.store %codes, %q[%c0, %c0] : tensor<64x64xf8E5M2>, !P
  tile.store %scales, %s[%c0, %c0] : tensor<2x2xf8E8M0FNU>, !T
  tile.return
}
