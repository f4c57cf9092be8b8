// RUN: tegula-opt %s -tile-apply-raster -canonicalize -cse -split-input-file -verify-diagnostics=only-expected | FileCheck %s

!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>

// Eight dies, groups of four rows.
// CHECK-LABEL: tile.kernel @both
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[NM:.*]] = arith.ceildivui
// CHECK-DAG: %[[P:.*]] = tile.program_id {axis = 0} : i32
// CHECK: %[[TOTAL:.*]] = arith.muli %[[NM]], %[[NN:.*]] : i32
// CHECK: %[[DIE:.*]] = arith.remui %[[P]], %[[C8]]
// CHECK: %[[WITHIN:.*]] = arith.divui %[[P]], %[[C8]]
// CHECK: %[[SHARE:.*]] = arith.divui %[[TOTAL]], %[[C8]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[DIE]], %[[SHARE]]
// CHECK: %[[LEFT:.*]] = arith.remui %[[TOTAL]], %[[C8]]
// CHECK: %[[EXTRA:.*]] = arith.minui %[[DIE]], %[[LEFT]]
// CHECK: %[[START:.*]] = arith.addi %[[WHOLE]], %[[EXTRA]]
// CHECK: %[[T:.*]] = arith.addi %[[START]], %[[WITHIN]]
// CHECK: %[[PER:.*]] = arith.muli %[[NN]], %[[C4]]
// CHECK: %[[G:.*]] = arith.divui %[[T]], %[[PER]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[G]], %[[C4]]
// CHECK: %[[ROWS:.*]] = arith.subi %[[NM]], %[[FIRST]]
// CHECK: %[[H:.*]] = arith.minui %[[ROWS]], %[[C4]]
// CHECK: %[[IN:.*]] = arith.remui %[[T]], %[[PER]]
// CHECK: %[[R:.*]] = arith.remui %[[IN]], %[[H]]
// CHECK: %[[M:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK: %[[N:.*]] = arith.divui %[[IN]], %[[H]]
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[M]], %[[N]]]
tile.kernel @both(%c: !C) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<raster = {group = 4, xcd = true}>} {
  %m, %n = tile.tile_id %c [128, 64] : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}

// CHECK-LABEL: tile.kernel @rows_only
// CHECK-NOT: arith.constant 8
// CHECK-COUNT-2: arith.divui
tile.kernel @rows_only(%c: !C) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<raster = {group = 1, xcd = false}>} {
  %m, %n = tile.tile_id %c [128, 64] : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}

// A walk names the place itself.
// CHECK-LABEL: tile.kernel @walk
// CHECK-SAME: %[[AT:[a-z0-9]+]]: i32 {tile.name = "at"}
// CHECK-NOT: tile.program_id
// CHECK: arith.divui %[[AT]]
tile.kernel @walk(%c: !C, %at: i32 {tile.name = "at"}) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<raster = {group = 1, xcd = false}>} {
  %m, %n = tile.tile_id %c [128, 64] at(%at) : !C -> i32, i32
  %t = arith.constant dense<0.0> : tensor<128x64xbf16>
  tile.store %t, %c[%m, %n] : tensor<128x64xbf16>, !C
  tile.return
}

// A vector has one order; only the dies matter.
// CHECK-LABEL: tile.kernel @vector
// CHECK: %[[P:.*]] = tile.program_id
// CHECK-NEXT: tile.store %{{.*}}, %{{.*}}[%[[P]]]
!V = !tile.view<?xbf16, names = ["N"], strides = [1]>
tile.kernel @vector(%c: !V) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<raster = {group = 8, xcd = false}>} {
  %n = tile.tile_id %c [64] : !V -> i32
  %t = arith.constant dense<0.0> : tensor<64xbf16>
  tile.store %t, %c[%n] : tensor<64xbf16>, !V
  tile.return
}

// -----

// expected-error @+1 {{has no raster; run tile-pick-schedule first [tile.schedule.c5]}}
tile.kernel @incomplete(%c: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">} {
  %n = tile.tile_id %c [64] : !tile.view<?xf32, strides = [1]> -> i32
  tile.return
}
