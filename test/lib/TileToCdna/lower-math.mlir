// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s
// The recipes themselves are checked for accuracy by test/numerics; here: which instruction, which scaling.

!X = !tile.view<64xf32, strides = [1], align = 16>
// CHECK-LABEL: cdna.kernel @functions
// exp: the integer part goes to ldexp, so results below the normal range are rounded once.
// CHECK: math.roundeven
// CHECK: %[[F:.*]] = cdna.hw{{ +}}exp2
// CHECK: cdna.hw{{ +}}ldexp %[[F]]
// CHECK: cdna.store
// exp2: scaled by 2^64 and back below -126.
// CHECK: arith.cmpf olt, %{{.*}}, %[[LIMIT:.*]] :
// CHECK: cdna.hw{{ +}}exp2
// CHECK: arith.mulf
// CHECK: cdna.store
// Both logarithms use one instruction; the natural one multiplies by ln 2 in two parts.
// CHECK: %[[L:.*]] = cdna.hw{{ +}}log2
// CHECK: math.fma %[[L]]
// CHECK: math.fma %[[L]]
// CHECK: cdna.store
// CHECK: %[[L2:.*]] = arith.subf %[[L]],
// CHECK-NEXT: cdna.store %[[L2]]
// Square root, reciprocal: exact.
// CHECK: math.sqrt
// CHECK: cdna.store
// CHECK: arith.divf
// CHECK: cdna.store
// rsqrt: one Newton step, except where it gives NaN.
// CHECK: %[[Y:.*]] = cdna.hw{{ +}}rsq
// CHECK-COUNT-4: math.fma
// CHECK: arith.cmpf ord
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[Y]]
// CHECK: cdna.store
// CHECK: math.copysign
tile.kernel @functions(%x: !X {tile.name = "x"})
    attributes {grid = @functions.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !X -> tensor<64xf32>
  %0 = tile.math exp %v : tensor<64xf32>
  tile.store %0, %x[%c0] : tensor<64xf32>, !X
  %1 = tile.math exp2 %v : tensor<64xf32>
  tile.store %1, %x[%c0] : tensor<64xf32>, !X
  %2 = tile.math log %v : tensor<64xf32>
  tile.store %2, %x[%c0] : tensor<64xf32>, !X
  %3 = tile.math log2 %v : tensor<64xf32>
  tile.store %3, %x[%c0] : tensor<64xf32>, !X
  %4 = tile.math sqrt %v : tensor<64xf32>
  tile.store %4, %x[%c0] : tensor<64xf32>, !X
  %5 = tile.math rcp %v : tensor<64xf32>
  tile.store %5, %x[%c0] : tensor<64xf32>, !X
  %6 = tile.math rsqrt %v : tensor<64xf32>
  tile.store %6, %x[%c0] : tensor<64xf32>, !X
  %7 = tile.math tanh %v : tensor<64xf32>
  tile.store %7, %x[%c0] : tensor<64xf32>, !X
  tile.return
}
tile.func private @functions.grid(%x: !X) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

// `afn` takes the instruction as it is; 16-bit floats go through f32; scalars have the same recipes.
!X = !tile.view<64xf16, strides = [1], align = 16>
// CHECK-LABEL: cdna.kernel @approximate
// CHECK: %[[V:.*]] = cdna.load
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[V]] : tensor<64xf16, {{.*}} to tensor<64xf32
// CHECK-NEXT: %[[R:.*]] = cdna.hw{{ +}}rsq %[[W]]
// CHECK-NEXT: %[[N:.*]] = arith.truncf %[[R]] : tensor<64xf32, {{.*}} to tensor<64xf16
// CHECK: cdna.hw{{ +}}rsq %{{.*}} : f32 -> f32
tile.kernel @approximate(%x: !X {tile.name = "x"}, %s: f32 {tile.name = "s"})
    attributes {grid = @approximate.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !X -> tensor<64xf16>
  %0 = tile.math rsqrt %v fastmath<afn> : tensor<64xf16>
  %1 = tile.math rsqrt %s : f32
  %2 = tile.broadcast %1 : f32 to tensor<64xf32>
  %3 = tile.cast %2 rne : tensor<64xf32> -> tensor<64xf16>
  %4 = arith.addf %0, %3 : tensor<64xf16>
  tile.store %4, %x[%c0] : tensor<64xf16>, !X
  tile.return
}
tile.func private @approximate.grid(%x: !X, %s: f32) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

// By way of f64, rounded once; what large arguments need is i64. No hardware approximation takes part.
!X = !tile.view<64xf32, strides = [1], align = 16>
// CHECK-LABEL: cdna.kernel @wide
// CHECK-NOT: cdna.hw
// CHECK: arith.muli {{.*}}xi64
// CHECK: arith.sitofp {{.*}}xi64{{.*}}xf64
// CHECK-COUNT-10: math.fma {{.*}}xf64
// CHECK: arith.truncf {{.*}}xf64{{.*}}xf32
// CHECK: cdna.store
// CHECK: arith.divf %{{.*}} fastmath<afn> {{.*}}xf64
// CHECK: cdna.store
// CHECK: arith.divf %{{.*}} fastmath<afn> {{.*}}xf64
// CHECK: cdna.store
// `afn`: instructions on revolutions.
// CHECK: cdna.hw{{ +}}fract
// CHECK: cdna.hw{{ +}}sin
// CHECK-NOT: xf64
// CHECK: cdna.return
tile.kernel @wide(%x: !X {tile.name = "x"})
    attributes {grid = @wide.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !X -> tensor<64xf32>
  %0 = tile.math sin %v : tensor<64xf32>
  tile.store %0, %x[%c0] : tensor<64xf32>, !X
  %1 = tile.math gelu %v : tensor<64xf32>
  tile.store %1, %x[%c0] : tensor<64xf32>, !X
  %2 = tile.math pow %v, %v : tensor<64xf32>
  tile.store %2, %x[%c0] : tensor<64xf32>, !X
  %3 = tile.math sin %v fastmath<afn> : tensor<64xf32>
  tile.store %3, %x[%c0] : tensor<64xf32>, !X
  tile.return
}
tile.func private @wide.grid(%x: !X) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
