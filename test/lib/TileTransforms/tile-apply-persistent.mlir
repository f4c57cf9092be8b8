// RUN: tegula-opt %s -tile-apply-persistent -canonicalize -cse -split-input-file -verify-diagnostics=only-expected | FileCheck %s

!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>

// The body becomes a loop over every resident-th place, and no more workgroups start than there are tiles.
// CHECK-LABEL: tile.kernel @gemm
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[TILES:.*]] = arith.muli
// CHECK: %[[P:.*]] = tile.program_id {axis = 0} : i32
// CHECK: %[[W:.*]] = tile.resident : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[W]], %[[ONE]]
// CHECK: %[[REST:.*]] = arith.subi %[[LAST]], %[[P]]
// CHECK: %[[UP:.*]] = arith.addi %[[TILES]], %[[REST]]
// CHECK: %[[MINE:.*]] = arith.divui %[[UP]], %[[W]]
// CHECK: scf.for %[[I:.*]] = %[[ZERO]] to %[[MINE]] step %[[ONE]]
// CHECK:   %[[PASSED:.*]] = arith.muli %[[I]], %[[W]]
// CHECK:   %[[AT:.*]] = arith.addi %[[P]], %[[PASSED]]
// CHECK:   %[[ID:.*]]:2 = tile.tile_id %{{.*}} [128, 64] at(%[[AT]])
// CHECK:   tile.store %{{.*}}, %{{.*}}[%[[ID]]#0, %[[ID]]#1]
// CHECK: tile.return
// CHECK-LABEL: tile.func private @gemm.grid
// CHECK: %[[N:.*]] = arith.muli
// CHECK: %[[HELD:.*]] = tile.resident
// CHECK: %[[GRID:.*]] = arith.minsi %[[N]], %[[HELD]]
// CHECK: tile.return %[[GRID]]
tile.kernel @gemm(%c: !C) attributes {grid = @gemm.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<persistent = true>} {
  %m, %n = tile.tile_id %c [128, 64] : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}
tile.func private @gemm.grid(%c: !C) -> i32 {
  %g:2 = tile.num_tiles %c [128, 64] : !C -> i32, i32
  %n = arith.muli %g#0, %g#1 : i32
  tile.return %n : i32
}

// A kernel that walks by itself is persistent already.
// CHECK-LABEL: tile.kernel @walks
// CHECK-NOT: scf.for
// CHECK: tile.tile_id %{{.*}} [128, 64] at(%{{.*}})
tile.kernel @walks(%c: !C) attributes {grid = @walks.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<persistent = true>} {
  %p = tile.program_id {axis = 0} : i32
  %m, %n = tile.tile_id %c [128, 64] at(%p) : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}
// CHECK-LABEL: tile.func private @walks.grid
// CHECK-NOT: minsi
tile.func private @walks.grid(%c: !C) -> i32 {
  %w = tile.resident : i32
  tile.return %w : i32
}

// Not asked for.
// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: scf.for
tile.kernel @once(%c: !C) attributes {grid = @once.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<persistent = false>} {
  %m, %n = tile.tile_id %c [128, 64] : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}
tile.func private @once.grid(%c: !C) -> i32 {
  %g:2 = tile.num_tiles %c [128, 64] : !C -> i32, i32
  %n = arith.muli %g#0, %g#1 : i32
  tile.return %n : i32
}

// -----

// expected-error @+1 {{persistent = true needs a grid function [tile.schedule.c7]}}
tile.kernel @no_grid(%c: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<persistent = true>} {
  %n = tile.tile_id %c [64] : !tile.view<?xf32, strides = [1]> -> i32
  tile.return
}
