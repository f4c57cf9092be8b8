// RUN: tegula-opt %s -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts))" -split-input-file -verify-diagnostics=only-expected

!T = !tile.view<64x4096xf32, strides = [?, 1], align = 16>
tile.kernel @large(%x: !T {tile.name = "x"})
    attributes {grid = @large.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 4]>} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{[cdna.layout.c6]}}
  %v = tile.load %x[%c0, %c0] pad(0.0) : !T -> tensor<64x4096xf32>
  tile.store %v, %x[%c0, %c0] : tensor<64x4096xf32>, !T
  tile.return
}
tile.func private @large.grid(%x: !T) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

!T = !tile.view<64x64xf32, strides = [?, 1], align = 16>
// expected-error @+1 {{[tile.schedule.c1]}}
tile.kernel @unscheduled(%x: !T {tile.name = "x"}) attributes {grid = @unscheduled.grid, target = #tile.target<"gfx950">} {
  tile.return
}
tile.func private @unscheduled.grid(%x: !T) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

!A = !tile.view<12x12xbf16, strides = [?, 1], align = 16>
!C = !tile.view<12x12xf32, strides = [?, 1], align = 16>
tile.kernel @steps(%a: !A {tile.name = "a"}, %c: !C {tile.name = "c"})
    attributes {grid = @steps.grid, target = #tile.target<"gfx950">,
                schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<12x12xf32>
  %at = tile.load %a[%c0, %c0] pad(0.0) : !A -> tensor<12x12xbf16>
  // expected-error @+1 {{K must be a multiple of the instruction's [tile.schedule.c1]}}
  %y = tile.mma %at, %at, %zero : tensor<12x12xbf16>, tensor<12x12xbf16>, tensor<12x12xf32>
  tile.store %y, %c[%c0, %c0] : tensor<12x12xf32>, !C
  tile.return
}
tile.func private @steps.grid(%a: !A, %c: !C) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}

// -----

!A = !tile.view<512x32xbf16, strides = [?, 1], align = 16>
!B = !tile.view<32x512xbf16, strides = [1, ?], align = 16>
!C = !tile.view<512x512xf32, strides = [?, 1], align = 16>
tile.kernel @registers(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %c: !C {tile.name = "c"})
    attributes {grid = @registers.grid, target = #tile.target<"gfx950">,
                schedule = #tile.schedule<waves = [2, 2], mma = "16x16x32", stages = 1, lds = direct>} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  %at = tile.load %a[%c0, %c0] pad(0.0) : !A -> tensor<512x32xbf16>
  %bt = tile.load %b[%c0, %c0] pad(0.0) : !B -> tensor<32x512xbf16>
  // expected-error @+1 {{[cdna.layout.c6]}}
  %y = tile.mma %at, %bt, %zero : tensor<512x32xbf16>, tensor<32x512xbf16>, tensor<512x512xf32>
  tile.store %y, %c[%c0, %c0] : tensor<512x512xf32>, !C
  tile.return
}
tile.func private @registers.grid(%a: !A, %b: !B, %c: !C) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
