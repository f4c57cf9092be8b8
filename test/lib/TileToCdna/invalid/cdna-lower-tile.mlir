// RUN: tegula-opt %s -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile)" -split-input-file -verify-diagnostics=only-expected

!X = !tile.view<64xf64, strides = [1], align = 16>
tile.kernel @sine(%x: !X {tile.name = "x"})
    attributes {grid = @sine.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] pad(0.0) : !X -> tensor<64xf64>
  // expected-error @+1 {{[tile.target.c1]}}
  %0 = tile.math sin %v : tensor<64xf64>
  tile.store %0, %x[%c0] : tensor<64xf64>, !X
  tile.return
}
tile.func private @sine.grid(%x: !X) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

!X = !tile.view<64xf32, strides = [1], align = 16>
tile.kernel @unraster(%x: !X {tile.name = "x"})
    attributes {grid = @unraster.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  // expected-error @+1 {{[cdna.no_tile_ops]}}
  %i = tile.tile_id %x [64] : !X -> i32
  %v = tile.load %x[%i] pad(0.0) : !X -> tensor<64xf32>
  tile.store %v, %x[%i] : tensor<64xf32>, !X
  tile.return
}
tile.func private @unraster.grid(%x: !X) -> i32 {
  %g = tile.num_tiles %x [64] : !X -> i32
  tile.return %g : i32
}
