// RUN: tegula-opt %s -tile-check-lowerings -split-input-file -verify-diagnostics=only-expected | FileCheck %s

// CHECK: tile.kernel @complete() attributes {{.*}}tile.legal_for_target
tile.kernel @complete() attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 2], split_k = 1, persistent = false, occupancy = 1>} {
  tile.return
}

// -----

// expected-error @+1 {{has a schedule without split_k, persistent, occupancy; run tile-pick-schedule first [tile.target.c1]}}
tile.kernel @incomplete() attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  tile.return
}

// -----

// The OCP flavour of f8 on the older chip: multiplied as f16, once for products that were one.
// CHECK: tile.kernel @flavour{{.*}}tile.legal_for_target
tile.kernel @flavour(%v: !tile.view<?x?xf8E4M3FN, strides = [?, 1]>) attributes {target = #tile.target<"gfx942">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = register, split_k = 1,
                              persistent = false, occupancy = 1>} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %v[%c0, %c0] pad(0.0) : !tile.view<?x?xf8E4M3FN, strides = [?, 1]> -> tensor<32x32xf8E4M3FN>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-remark @+1 {{a product of f8e4m3fn x f8e4m3fn on gfx942, which multiplies f8e4m3fnuz and f8e5m2fnuz: each lane converts its operands to f16, exactly, in front of the instruction; in memory and LDS they stay bytes}}
  %d = tile.mma %a, %a, %c : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E4M3FN>, tensor<32x32xf32>
  tile.return
}

// -----

// Its own flavour, mixed: no remark.
// CHECK: tile.kernel @own{{.*}}tile.legal_for_target
tile.kernel @own(%v: !tile.view<?x?xf8E4M3FNUZ, strides = [?, 1]>, %w: !tile.view<?x?xf8E5M2FNUZ, strides = [?, 1]>) attributes {target = #tile.target<"gfx942">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = register, split_k = 1,
                              persistent = false, occupancy = 1>} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %v[%c0, %c0] pad(0.0) : !tile.view<?x?xf8E4M3FNUZ, strides = [?, 1]> -> tensor<32x32xf8E4M3FNUZ>
  %b = tile.load %w[%c0, %c0] pad(0.0) : !tile.view<?x?xf8E5M2FNUZ, strides = [?, 1]> -> tensor<32x32xf8E5M2FNUZ>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.mma %a, %b, %c : tensor<32x32xf8E4M3FNUZ>, tensor<32x32xf8E5M2FNUZ>, tensor<32x32xf32>
  tile.return
}

// -----

tile.kernel @function(%x: f64) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = none, split_k = 1,
                              persistent = false, occupancy = 1>} {
  // expected-error @+1 {{pow of f64 has no expansion; sqrt and rcp have, f32, f16 and bf16 have all functions: cast first, for example .to(tg.f32) [tile.target.c1]}}
  %0 = tile.math pow %x, %x : f64
  tile.return
}

// -----

// All conversions and roundings.
tile.kernel @casts(%x: f32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = none, split_k = 1,
                              persistent = false, occupancy = 1>} {
  %0 = tile.cast %x rtz saturate : f32 -> i8
  %1 = tile.cast %x rne : f32 -> i32
  %2 = tile.cast %x rtz : f32 -> bf16
  %3 = tile.cast %x rne : f32 -> f8E4M3FNUZ
  %4 = tile.cast %x stochastic seed %1 saturate : f32 -> f8E5M2
  tile.return
}

// -----

tile.kernel @batch() attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = none, split_k = 1,
                              persistent = false, occupancy = 1>} {
  %a = arith.constant dense<1.0> : tensor<2x32x32xbf16>
  %c = arith.constant dense<0.0> : tensor<2x32x32xf32>
  // expected-error @+1 {{of batches is left, which tile-unroll-batches takes apart [tile.target.c1]}}
  %0 = tile.mma %a, %a, %c : tensor<2x32x32xbf16>, tensor<2x32x32xbf16>, tensor<2x32x32xf32>
  tile.return
}

// -----

// The list says what is lowered, not what isn't: an op that nobody thought of is refused.
#s = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @extended() attributes {target = #tile.target<"gfx950">, schedule = #s} {
  %x = arith.constant dense<3> : tensor<4x256xi32>
  // expected-error @+1 {{'arith.mulsi_extended' op has no lowering [tile.target.c1]}}
  %e:2 = arith.mulsi_extended %x, %x : tensor<4x256xi32>
  tile.return
}

// -----

#s = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @constant() attributes {target = #tile.target<"gfx950">, schedule = #s} {
  // expected-error @+1 {{a tile of different elements has no lowering; make it from tile.iota, or load it [tile.target.c1]}}
  %x = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  tile.return
}

// -----

#s = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @two_results(%x: i32) attributes {target = #tile.target<"gfx950">, schedule = #s} {
  // expected-error @+1 {{'arith.mului_extended' op has no lowering [tile.target.c1]}}
  %low, %high = arith.mului_extended %x, %x : i32
  tile.return
}

// -----

#s = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @control(%x: i32) attributes {target = #tile.target<"gfx950">, schedule = #s} {
  // expected-error @+1 {{'scf.execute_region' op has no lowering [tile.target.c1]}}
  %r = scf.execute_region -> i32 {
    scf.yield %x : i32
  }
  tile.return
}
