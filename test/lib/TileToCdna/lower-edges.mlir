// Tiles outside a view, rows without an order, and what an offset does to alignment.
// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// An index that may be negative: its tile goes past every end. Grid positions, extents and sums of them need no test.
!X = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @negative
// CHECK-SAME: %[[BY:[^ ]*]]: i32
// CHECK: %[[BACK:.*]] = arith.subi %{{.*}}, %[[BY]]
// CHECK: %[[INDEX:.*]] = arith.minui %[[BACK]], %c67108863_i32
// CHECK: %[[ROW:.*]] = arith.muli %[[INDEX]], %c32_i32
// CHECK: cdna.buffer %{{.*}}[%[[ROW]], %{{.*}}] tile [32, 64]
// CHECK-NOT: arith.minui
// CHECK: cdna.return
tile.kernel @negative(%x: !X {tile.name = "x"}, %by: i32 {tile.name = "by"})
    attributes {grid = @negative.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c2 = arith.constant 2 : i32
  %i = tile.program_id {axis = 0} : i32
  %j = tile.program_id {axis = 1} : i32
  %back = arith.subi %i, %by : i32
  %v = tile.load %x[%back, %j] pad(0.0) : !X -> tensor<32x64xf32>
  %n = tile.dim %x {d = 1} : !X -> i32
  %half = arith.divsi %n, %c2 : i32
  %k = arith.addi %i, %half : i32
  tile.store %v, %x[%k, %j] : tensor<32x64xf32>, !X
  tile.return
}
tile.func private @negative.grid(%x: !X, %by: i32) -> (i32, i32) {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r, %r : i32, i32
}

// -----

// Rows that repeat or overlap: no bound tells where they end.
!Rows = !tile.view<?x?xf32, strides = [0, 1]>
!Windows = !tile.view<?x?xf32, strides = [1, 1]>
!Lap = !tile.view<?x?xf32, strides = [60, 1]>
!Dense = !tile.view<?x60xf32, strides = [60, 1]>
!One = !tile.view<?xf32, strides = [0]>
// CHECK-LABEL: cdna.kernel @unordered
// CHECK: cdna.load {{.*}} {tail = [compare, records]} : !cdna.buffer<?x?xf32, strides = [0, 1]
// CHECK: cdna.load {{.*}} {tail = [compare, compare]} : !cdna.buffer<?x?xf32, strides = [1, 1]
// CHECK: cdna.load {{.*}} {tail = [compare, compare]} : !cdna.buffer<?x?xf32, strides = [60, 1]
// CHECK: cdna.load {{.*}} {tail = [records, compare]} : !cdna.buffer<?x?xf32, strides = [60, 1]
// CHECK: cdna.load {{.*}} {tail = [compare]} : !cdna.buffer<?xf32, strides = [0]
tile.kernel @unordered(%r: !Rows {tile.name = "r"}, %w: !Windows {tile.name = "w"}, %l: !Lap {tile.name = "l"},
                       %d: !Dense {tile.name = "d"}, %o: !One {tile.name = "o"})
    attributes {grid = @unordered.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %i = tile.program_id {axis = 0} : i32
  %a = tile.load %r[%i, %i] pad(0.0) : !Rows -> tensor<16x64xf32>
  tile.store %a, %d[%i, %i] : tensor<16x64xf32>, !Dense
  %b = tile.load %w[%i, %i] pad(0.0) : !Windows -> tensor<16x64xf32>
  tile.store %b, %d[%i, %i] : tensor<16x64xf32>, !Dense
  %c = tile.load %l[%i, %i] pad(0.0) : !Lap -> tensor<16x64xf32>
  tile.store %c, %d[%i, %i] : tensor<16x64xf32>, !Dense
  %e = tile.load %d[%i, %i] pad(0.0) : !Dense -> tensor<16x64xf32>
  tile.store %e, %d[%i, %i] : tensor<16x64xf32>, !Dense
  %f = tile.load %o[%i] pad(0.0) : !One -> tensor<64xf32>
  tile.store %f, %o[%i] : tensor<64xf32>, !One
  tile.return
}
tile.func private @unordered.grid(%r: !Rows, %w: !Windows, %l: !Lap, %d: !Dense, %o: !One) -> i32 {
  %n = tile.dim %r {d = 0} : !Rows -> i32
  tile.return %n : i32
}

// -----

// A window that begins at an odd element is aligned to that element only; whole tiles keep the view's alignment.
!B = !tile.view<?x128xbf16, strides = [?, 1], align = 16>
!Odd = !tile.view<?x64xbf16, strides = [?, 1]>
// CHECK-LABEL: cdna.kernel @alignment
// CHECK: cdna.buffer {{.*}} tile [16, 64] : {{.*}} -> !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
// CHECK: cdna.buffer {{.*}} tile [16, 64] : {{.*}} -> !cdna.buffer<?x?xbf16, strides = [?, 1]>
// CHECK: cdna.buffer {{.*}} tile [16, 20] : {{.*}} -> !cdna.buffer<?x?xbf16, strides = [?, 1], align = 8>
tile.kernel @alignment(%b: !B {tile.name = "b"})
    attributes {grid = @alignment.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id {axis = 0} : i32
  %v = tile.load %b[%c0, %i] pad(0.0) : !B -> tensor<16x64xbf16>
  %s = tile.slice %b[:, 1:65] : !B -> !Odd
  tile.store %v, %s[%c0, %c0] : tensor<16x64xbf16>, !Odd
  %w = tile.load %b[%c0, %i] pad(0.0) : !B -> tensor<16x20xbf16>
  tile.store %w, %b[%c0, %i] : tensor<16x20xbf16>, !B
  tile.return
}
tile.func private @alignment.grid(%b: !B) -> i32 {
  %n = tile.dim %b {d = 0} : !B -> i32
  tile.return %n : i32
}
