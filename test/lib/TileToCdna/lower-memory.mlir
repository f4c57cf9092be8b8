// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse)" -split-input-file | FileCheck %s

// Tails. Of a matrix: the dimension of greatest stride by the descriptor, the other by compares. What divides the extent
// is inside. One row: its columns are what the descriptor bounds.
!X = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
!S = !tile.view<64x?xf32, names = ["64", "N"], strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @tails
// CHECK: %[[I:.*]] = arith.muli %{{.*}}, %c32_i32
// CHECK: %[[J:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: %[[W:.*]] = cdna.buffer %arg0[%[[I]], %[[J]]] tile [32, 64] :
// CHECK: cdna.load %[[W]][%c0_i32, %c0_i32] {tail = [records, compare]}
// CHECK: cdna.store %{{.*}}, %[[W]][%c0_i32, %c0_i32] {tail = [records, compare]}
// CHECK: %[[W1:.*]] = cdna.buffer %arg1[%c32_i32, %[[J]]] tile [32, 64] :
// CHECK: cdna.load %[[W1]][%c0_i32, %c0_i32] {tail = [none, compare]}
// CHECK: %[[W2:.*]] = cdna.buffer %arg0[%{{.*}}, %[[J]]] tile [1, 64] :
// CHECK: cdna.load %[[W2]][%c0_i32, %c0_i32] {tail = [none, records]}
tile.kernel @tails(%x: !X {tile.name = "x"}, %s: !S {tile.name = "s"})
    attributes {grid = @tails.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.program_id {axis = 0} : i32
  %j = tile.program_id {axis = 1} : i32
  %v = tile.load %x[%i, %j] pad(0.0) : !X -> tensor<32x64xf32>
  tile.store %v, %x[%i, %j] : tensor<32x64xf32>, !X
  %u = tile.load %s[%c1, %j] pad(0.0) : !S -> tensor<32x64xf32>
  tile.store %u, %x[%i, %j] : tensor<32x64xf32>, !X
  %t = tile.load %x[%i, %j] pad(0.0) : !X -> tensor<1x64xf32>
  tile.store %t, %x[%i, %j] : tensor<1x64xf32>, !X
  tile.return
}
tile.func private @tails.grid(%x: !X, %s: !S) -> (i32, i32) {
  %c32 = arith.constant 32 : i32
  %r = tile.dim %x {d = 0} : !X -> i32
  %n = tile.dim %x {d = 1} : !X -> i32
  %g = arith.ceildivui %r, %c32 : i32
  tile.return %g, %n : i32, i32
}

// -----

// The descriptor counts dwords. A row of 16-bit elements in vectors may end inside one, unless its length is known to be
// even; single elements never do.
!D = !tile.view<?xbf16, strides = [1], align = 16>
!E = !tile.view<2880xbf16, strides = [1], align = 16>
!O = !tile.view<501xbf16, strides = [1]>
// CHECK-LABEL: cdna.kernel @dwords
// CHECK: cdna.load {{.*}} {tail = [compare]} : !cdna.buffer<?xbf16
// CHECK: cdna.load {{.*}} {tail = [records]} : !cdna.buffer<2880xbf16
// CHECK: cdna.load {{.*}} {tail = [records]} : !cdna.buffer<501xbf16
tile.kernel @dwords(%d: !D {tile.name = "d"}, %e: !E {tile.name = "e"}, %o: !O {tile.name = "o"})
    attributes {grid = @dwords.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %d[%c0] pad(0.0) : !D -> tensor<1024xbf16>
  tile.store %v, %d[%c0] : tensor<1024xbf16>, !D
  %u = tile.load %e[%c0] pad(0.0) : !E -> tensor<2880xbf16>
  tile.store %u, %e[%c0] : tensor<2880xbf16>, !E
  %t = tile.load %o[%c0] pad(0.0) : !O -> tensor<501xbf16>
  tile.store %t, %o[%c0] : tensor<501xbf16>, !O
  tile.return
}
tile.func private @dwords.grid(%d: !D, %e: !E, %o: !O) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

// View ops fold into offsets, limits and dims of the argument.
!K = !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16>
!K2 = !tile.view<?x?xf32, strides = [?, 1], align = 16>
!T = !tile.view<?x?xf32, strides = [1, ?], align = 16>
!V = !tile.view<64xf32, strides = [1], align = 16>
!V2 = !tile.view<1x64xf32, strides = [0, 1], align = 16>
// CHECK-LABEL: cdna.kernel @views
// CHECK-SAME: %[[K:.*]]: !tile.view{{.*}}, %[[V:.*]]: !tile.view{{.*}}, %[[LO:.*]]: i32 {{.*}}, %[[HI:.*]]: i32
// CHECK: %[[ROW:.*]] = arith.addi %[[LO]], %c16_i32 : i32
// CHECK-DAG: %[[E0:.*]] = tile.dim %[[K]] {d = 0}
// CHECK-DAG: %[[E2:.*]] = tile.dim %[[K]] {d = 2}
// CHECK: %[[W:.*]] = cdna.buffer %[[K]][%{{.*}}, %[[ROW]], %{{.*}}] dims [2, 1] limits{{ *}}[%[[E0]], %[[HI]], %[[E2]]] tile [64, 16] :
// CHECK: %[[T:.*]] = cdna.load %[[W]][%c0_i32, %c0_i32] {tail = [compare, records]}
// CHECK: %[[W2:.*]] = cdna.buffer %[[V]][%c0_i32] tile [64]
// CHECK: %[[L:.*]] = cdna.load %[[W2]][%c0_i32] {tail = [none]} : {{.*}} -> tensor<64xf32
// CHECK: cdna.rename %[[L]] : tensor<64xf32, {{.*}} -> tensor<1x64xf32
// CHECK-NOT: tile.slice
tile.kernel @views(%k: !K {tile.name = "k"}, %v: !V {tile.name = "v"}, %lo: i32 {tile.name = "lo"}, %hi: i32 {tile.name = "hi"})
    attributes {grid = @views.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tile.program_id {axis = 0} : i32
  %m = tile.index %k {d = 0} %b : !K -> !K2
  %s = tile.slice %m[%lo:%hi, :] : !K2 -> !K2
  %p = tile.permute_view %s {perm = [1, 0]} : !K2 -> !T
  %t = tile.load %p[%b, %c1] pad(0.0) : !T -> tensor<64x16xf32>
  %e = tile.expand %v {d = 0} : !V -> !V2
  %u = tile.load %e[%c0, %c0] pad(0.0) : !V2 -> tensor<1x64xf32>
  tile.store %u, %e[%c0, %c0] : tensor<1x64xf32>, !V2
  tile.store %t, %p[%b, %c1] : tensor<64x16xf32>, !T
  tile.return
}
tile.func private @views.grid(%k: !K, %v: !V, %lo: i32, %hi: i32) -> i32 {
  %r = tile.dim %k {d = 0} : !K -> i32
  tile.return %r : i32
}

// -----

// A loop over full tiles: the window stands in front of it, the loop's offset is scalar. A loop whose last tile may be
// partly outside moves its window along.
!A = !tile.view<?x256xf32, names = ["M", "K"], strides = [?, 1], align = 16>
!P = !tile.view<?x?xf32, names = ["M", "P"], strides = [?, 1], align = 16>
// CHECK-LABEL: cdna.kernel @loops
// CHECK: %[[W:.*]] = cdna.buffer %arg0[%{{.*}}, %c0_i32] tile [16, 64]
// CHECK: scf.for %[[K:[a-z0-9_]+]] = %c0_i32 to %c4_i32
// CHECK: %[[OFF:.*]] = arith.muli %[[K]], %c64_i32
// CHECK: cdna.load %[[W]][%c0_i32, %[[OFF]]] {tail = [records, none], scalar = [1]}
// CHECK: scf.for %[[K2:[a-z0-9_]+]] =
// CHECK: %[[OFF2:.*]] = arith.muli %[[K2]], %c64_i32
// CHECK: %[[W2:.*]] = cdna.buffer %arg1[%{{.*}}, %[[OFF2]]] tile [16, 64]
// CHECK: cdna.load %[[W2]][%c0_i32, %c0_i32] {tail = [records, compare]}
tile.kernel @loops(%a: !A {tile.name = "a"}, %p: !P {tile.name = "p"})
    attributes {grid = @loops.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %m = tile.program_id {axis = 0} : i32
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %zero) -> (tensor<16x64xf32>) : i32 {
    %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<16x64xf32>
    %y = arith.addf %x, %t : tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  %d = tile.dim %p {d = 1} : !P -> i32
  %n = arith.ceildivui %d, %c64 : i32
  %sum2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %sum) -> (tensor<16x64xf32>) : i32 {
    %t = tile.load %p[%m, %k] pad(0.0) : !P -> tensor<16x64xf32>
    %y = arith.addf %x, %t : tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  tile.store %sum2, %a[%m, %c0] : tensor<16x64xf32>, !A
  tile.return
}
tile.func private @loops.grid(%a: !A, %p: !P) -> i32 {
  %r = tile.dim %a {d = 0} : !A -> i32
  tile.return %r : i32
}

// -----

// A pad that is not zero is selected where the tile leaves the view. tile.valid is the same comparison.
!X = !tile.view<?xf32, strides = [1], align = 16>
!B = !tile.view<?xi1, strides = [1]>
// CHECK-LABEL: cdna.kernel @pads
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0xFF800000> : tensor<256xf32
// CHECK: %[[N:.*]] = tile.dim %arg0 {d = 0}
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %{{.*}} : i32
// CHECK: %[[I:.*]] = cdna.iota{{ *}}{axis = 0} : tensor<256xi32
// CHECK: %[[S:.*]] = cdna.splat %[[LEFT]] : i32 -> tensor<256xi32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %[[S]]
// CHECK: arith.select %[[IN]], %{{.*}}, %[[INF]]
// CHECK: cdna.store {{.*}} : tensor<256xi1
tile.kernel @pads(%x: !X {tile.name = "x"}, %m: !B {tile.name = "m"})
    attributes {grid = @pads.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %i = tile.program_id {axis = 0} : i32
  %t = tile.load %x[%i] pad(-inf) : !X -> tensor<256xf32>
  tile.store %t, %x[%i] : tensor<256xf32>, !X
  %v = tile.valid %x[%i] : !X -> tensor<256xi1>
  tile.store %v, %m[%i] : tensor<256xi1>, !B
  tile.return
}
tile.func private @pads.grid(%x: !X, %m: !B) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

// A scalar from memory is made uniform.
!L = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: cdna.kernel @scalars
// CHECK: %[[P:.*]] = cdna.program_id
// CHECK: %[[W:.*]] = cdna.buffer %arg0[%[[P]]] tile [1]
// CHECK: %[[S:.*]] = cdna.load_scalar %[[W]][%c0_i32]
// CHECK: cdna.uniform %[[S]] : i32
tile.kernel @scalars(%l: !L {tile.name = "l"})
    attributes {grid = @scalars.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %i = tile.program_id {axis = 0} : i32
  %n = tile.scalar %l[%i] : !L -> i32
  %t = tile.broadcast %n : i32 to tensor<1xi32>
  tile.store %t, %l[%n] : tensor<1xi32>, !L
  tile.return
}
tile.func private @scalars.grid(%l: !L) -> i32 {
  %r = tile.dim %l {d = 0} : !L -> i32
  tile.return %r : i32
}
