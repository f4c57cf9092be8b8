// RUN: tegula-opt %s -tile-split-contraction -canonicalize -cse -split-input-file -verify-diagnostics=only-expected | FileCheck %s

!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>
!C = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>

// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: %[[COUNTERS:[a-z0-9]+]]: !tile.view<2147483647xi32, strides = [1], align = 16> {tile.alias = 1 : i32, tile.workspace = 4 : i32, tile.zeroed}
// CHECK-SAME: %[[PARTS:[a-z0-9]+]]: !tile.view<2147483647x64x64xf32, strides = [4096, 64, 1], align = 16> {tile.alias = 2 : i32, tile.workspace = 1 : i32}
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: %[[TILES:.*]] = arith.muli
// CHECK: %[[P:.*]] = tile.program_id {axis = 0} : i32
// CHECK: %[[PART:.*]] = arith.divui %[[P]], %[[TILES]]
// CHECK: %[[T:.*]] = arith.remui %[[P]], %[[TILES]]
// CHECK: %[[ID:.*]]:2 = tile.tile_id %{{.*}} [64, 64] at(%[[T]])
// CHECK: %[[FULL:.*]] = arith.divui %[[K:.*]], %
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[FULL]], %[[C4]]
// CHECK: %[[START:.*]] = arith.muli %[[PART]], %[[SHARE]]
// CHECK: %[[FIRST:.*]] = arith.minui %[[START]], %[[FULL]]
// CHECK: %[[STOP:.*]] = arith.addi %[[FIRST]], %[[SHARE]]
// CHECK: %[[END:.*]] = arith.minui %[[STOP]], %[[FULL]]
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]] step %[[C1]]
// CHECK:   %[[AT:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:   tile.load %{{.*}}[%[[ID]]#0, %[[AT]]]
// CHECK: %[[LASTPART:.*]] = arith.cmpi eq, %[[PART]], %[[C3]]
// CHECK: %[[REST:.*]] = arith.remui %[[K]]
// CHECK: %[[OWN:.*]] = scf.if
// CHECK:   tile.load %{{.*}}[%[[ID]]#0, %[[FULL]]]
// CHECK: %[[BASE:.*]] = arith.muli %[[T]], %[[C4]]
// CHECK: %[[MINE:.*]] = arith.addi %[[BASE]], %[[PART]]
// CHECK: %[[VIEW:.*]] = tile.index %[[PARTS]] {d = 0} %[[MINE]]
// CHECK: tile.store %[[OWN]], %[[VIEW]]
// CHECK: %[[LAST:.*]] = tile.arrive %[[COUNTERS]][%[[T]]] of 4
// CHECK: scf.if %[[LAST]] {
// CHECK:   tile.index %[[PARTS]] {d = 0} %[[BASE]]
// CHECK:   %[[ALL:.*]] = scf.for %[[S:.*]] = %[[C1]] to %[[C4]] step %[[C1]] iter_args(%[[X:.*]] = %
// CHECK:     %[[Y:.*]] = tile.load
// CHECK:     arith.addf %[[X]], %[[Y]]
// CHECK:   tile.store %[[ALL]], %{{.*}}[%[[ID]]#0, %[[ID]]#1]
// CHECK: tile.return
// CHECK-LABEL: tile.func private @gemm.grid
// CHECK: %[[N:.*]] = arith.muli
// CHECK: %[[G:.*]] = arith.muli %[[N]]
// CHECK: tile.return %[[G]]
tile.kernel @gemm(%a: !A, %b: !B, %c: !C) attributes {grid = @gemm.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 4>} {
  %m, %n = tile.tile_id %c [64, 64] : !C -> i32, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %a {d = 1} : !A -> i32
  %nk = arith.ceildivui %K, %c32 : i32
  %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<64x32xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !B -> tensor<32x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %acc, %c[%m, %n] : tensor<64x64xf32>, !C
  tile.return
}
tile.func private @gemm.grid(%a: !A, %b: !B, %c: !C) -> i32 {
  %g:2 = tile.num_tiles %c [64, 64] : !C -> i32, i32
  %n = arith.muli %g#0, %g#1 : i32
  tile.return %n : i32
}

// A maximum with an initial value of the kernel's own, a static extent without a rest, a grid of two axes.
// CHECK-LABEL: tile.kernel @largest
// CHECK: %[[INIT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x64xf32>
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK-NOT: scf.if %{{.*}} -> (tensor
// CHECK: tile.arrive %{{.*}}[%{{.*}}] of 2
// CHECK: arith.maximumf
!X = !tile.view<?x256xf32, names = ["R", "N"], strides = [?, 1]>
!V = !tile.view<64xf32, strides = [1]>
tile.kernel @largest(%x: !X, %o: !X) attributes {grid = @largest.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 2>} {
  %r = tile.program_id {axis = 0} : i32
  %s = tile.program_id {axis = 1} : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %init = tile.load %o[%r, %s] pad(0.0) : !X -> tensor<1x64xf32>
  %acc = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<1x64xf32>) : i32 {
    %t = tile.load %x[%r, %k] pad(0.0) : !X -> tensor<1x64xf32>
    %y = arith.maximumf %a, %t : tensor<1x64xf32>
    scf.yield %y : tensor<1x64xf32>
  }
  tile.store %acc, %o[%r, %s] : tensor<1x64xf32>, !X
  tile.return
}
tile.func private @largest.grid(%x: !X, %o: !X) -> (i32, i32) {
  %r = tile.dim %x {d = 0} : !X -> i32
  %c2 = arith.constant 2 : i32
  tile.return %r, %c2 : i32, i32
}

// -----

!X = !tile.view<?x256xf32, strides = [?, 1]>
tile.kernel @not_a_sum(%x: !X, %o: !X) attributes {grid = @g, target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 2>} {
  %r = tile.program_id {axis = 0} : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  // expected-error @+1 {{split_k = 2: the loop doesn't only add to what it carries (or multiply it, or take a maximum …); split_k = 1 is legal here [tile.schedule.c6]}}
  %acc = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (tensor<1x64xf32>) : i32 {
    %t = tile.load %x[%r, %k] pad(0.0) : !X -> tensor<1x64xf32>
    %y = arith.addf %a, %t : tensor<1x64xf32>
    %z = arith.mulf %y, %t : tensor<1x64xf32>
    scf.yield %z : tensor<1x64xf32>
  }
  tile.store %acc, %o[%r, %c0] : tensor<1x64xf32>, !X
  tile.return
}
tile.func private @g(%x: !X, %o: !X) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

!X = !tile.view<?xf32, strides = [1]>
// expected-error @+1 {{split_k = 2: the kernel has no loop outside of branches and loops; split_k = 1 is legal here [tile.schedule.c6]}}
tile.kernel @no_loop(%x: !X) attributes {grid = @g, target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 2>} {
  tile.return
}
tile.func private @g(%x: !X) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

!X = !tile.view<?xf32, strides = [1]>
// expected-error @+1 {{split_k = 2 of a kernel that walks over tiles; split_k = 1 is legal here [tile.schedule.c6]}}
tile.kernel @walks(%x: !X) attributes {grid = @g, target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 2>} {
  %w = tile.resident : i32
  tile.return
}
tile.func private @g(%x: !X) -> i32 {
  %w = tile.resident : i32
  tile.return %w : i32
}
