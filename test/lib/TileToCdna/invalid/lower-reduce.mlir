// RUN: tegula-opt %s -pass-pipeline="builtin.module(cdna-lower-tile)" -verify-diagnostics=only-expected

// Eight waves leave one part each for 8192 rows: more than any LDS holds.
#x = #cdna.layout<reg = [[64, 0], [128, 0], [256, 0], [512, 0], [1024, 0], [2048, 0], [4096, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = [[0, 1], [0, 2], [0, 4]]>
#s = #cdna.layout<reg = [[64, 0], [128, 0], [256, 0], [512, 0], [1024, 0], [2048, 0], [4096, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = [[0, 0], [0, 0], [0, 0]]>
tile.kernel @parts() attributes {grid = @parts.grid, target = #tile.target<"gfx950">, cdna.layouts_assigned,
    schedule = #tile.schedule<waves = [1, 8]>} {
  %x = arith.constant dense<1.0> : tensor<8192x8xf32, #x>
  // expected-error @+1 {{LDS: 262,144 bytes needed for a 8192x8xf32 tile, gfx950 has 163,840 per workgroup; 4096x8xf32 fits [cdna.kernel.c3]}}
  %s = tile.reduce add %x {axis = 1} : tensor<8192x8xf32, #x> -> tensor<8192x1xf32, #s>
  tile.return
}
tile.func private @parts.grid() -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
