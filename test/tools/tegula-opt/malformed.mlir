// What is malformed in ways that later checks meet first ends in diagnostics, never in a crash.
// RUN: not tegula-opt --split-input-file %s 2>&1 | FileCheck %s --implicit-check-not="Stack dump"

// CHECK: tile.dim{{.*}}[tile.
tile.kernel @axis_that_is_none(%a: !tile.view<?xbf16, names = ["K"], strides = [1]>)
    attributes {tile.tails_split} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %K = tile.dim %a {d = 100} : !tile.view<?xbf16, names = ["K"], strides = [1]> -> i32
  %n = arith.ceildivui %K, %c64 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %a[%i] pad(0.0) : !tile.view<?xbf16, names = ["K"], strides = [1]> -> tensor<64xbf16>
    %m = tile.reduce max %t {axis = 0} : tensor<64xbf16> -> tensor<1xbf16>
  }
  tile.return
}

// -----

// CHECK: a tile with a layout is static and holds integers or floats [cdna.layout.c1]
#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @element_type_that_is_none(%v: tensor<40x(), #row>)
    attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  cdna.return
}
