// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// The loop that cdna-stage-operands expects: load, convert, one product over the whole K of the tile. The masked last step
// has the same form with its own windows.
!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>
!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @gemm
// CHECK-SAME: cdna.layouts_assigned, cdna.no_tile_ops, grid = @gemm.grid
// CHECK-SAME: waves = [2, 2]
// CHECK: %[[WA:.*]] = cdna.buffer %arg0[%[[M0:.*]], %c0_i32] tile [128, 32]
// CHECK: %[[WB:.*]] = cdna.buffer %arg1[%c0_i32, %[[N0:.*]]] tile [32, 128]
// CHECK: scf.for %[[K:[a-z0-9_]+]] = %c0_i32 to %[[FULL:.*]] step
// CHECK: %[[OFF:.*]] = arith.muli %[[K]], %c32_i32
// CHECK: %[[A:.*]] = cdna.load %[[WA]][%c0_i32, %[[OFF]]] {tail = [records, none], scalar = [1]}
// CHECK: %[[B:.*]] = cdna.load %[[WB]][%[[OFF]], %c0_i32] {tail = [none, compare], scalar = [0]}
// CHECK: %[[AC:.*]] = cdna.convert_layout %[[A]] :
// CHECK: %[[BC:.*]] = cdna.convert_layout %[[B]] :
// CHECK: cdna.mfma %[[AC]], %[[BC]], %{{.*}} {shape = "16x16x16", swapped} : tensor<128x32xbf16, {{.*}}, tensor<32x128xbf16, {{.*}}, tensor<128x128xf32
// CHECK: scf.if
// CHECK: %[[K0:.*]] = arith.muli %[[FULL]], %c32_i32
// CHECK: %[[WA2:.*]] = cdna.buffer %arg0[%[[M0]], %[[K0]]] tile [128, 32]
// CHECK: cdna.load %[[WA2]][%c0_i32, %c0_i32] {tail = [records, compare]}
// CHECK: %[[WB2:.*]] = cdna.buffer %arg1[%[[K0]], %[[N0]]] tile [32, 128]
// CHECK: cdna.load %[[WB2]][%c0_i32, %c0_i32] {tail = [records, compare]}
// CHECK: cdna.convert_layout
// CHECK: cdna.convert_layout
// CHECK: cdna.mfma
// CHECK: arith.truncf
// CHECK: cdna.store {{.*}} {tail = [records, compare]} : tensor<128x128xbf16, #cdna.layout<reg = {{\[\[}}0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0]]
tile.kernel @gemm(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %c: !C {tile.name = "c"})
    attributes {grid = @gemm.grid, target = #tile.target<"gfx942">,
                schedule = #tile.schedule<waves = [2, 2], mma = "16x16x16", stages = 2, lds = register>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %m = tile.program_id {axis = 0} : i32
  %n = tile.program_id {axis = 1} : i32
  %kk = tile.dim %a {d = 1} : !A -> i32
  %full = arith.divui %kk, %c32 : i32
  %acc = scf.for %k = %c0 to %full step %c1 iter_args(%x = %zero) -> (tensor<128x128xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<128x32xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !B -> tensor<32x128xbf16>
    %y = tile.mma %at, %bt, %x : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    scf.yield %y : tensor<128x128xf32>
  }
  %left = arith.remui %kk, %c32 : i32
  %some = arith.cmpi ne, %left, %c0 : i32
  %sum = scf.if %some -> (tensor<128x128xf32>) {
    %at = tile.load %a[%m, %full] pad(0.0) : !A -> tensor<128x32xbf16>
    %bt = tile.load %b[%full, %n] pad(0.0) : !B -> tensor<32x128xbf16>
    %y = tile.mma %at, %bt, %acc : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    scf.yield %y : tensor<128x128xf32>
  } else {
    scf.yield %acc : tensor<128x128xf32>
  }
  %o = tile.cast %sum rne : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %o, %c[%m, %n] : tensor<128x128xbf16>, !C
  tile.return
}
tile.func private @gemm.grid(%a: !A, %b: !B, %c: !C) -> (i32, i32) {
  %g:2 = tile.num_tiles %c [128, 128] : !C -> i32, i32
  tile.return %g#0, %g#1 : i32, i32
}
