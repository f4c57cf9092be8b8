// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-check-budgets))" -split-input-file -verify-diagnostics

#x = #cdna.layout<reg = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[128, 0], [256, 0], [512, 0]]>

// 128 registers each: two of them fit into the 256 of a wave, since the second addition works in place.
cdna.kernel @fits(%a: f32, %b: f32) attributes {target = #tile.target<"gfx950">, waves = [8, 1]} {
  %x = cdna.splat %a : f32 -> tensor<1024x64xf32, #x>
  %y = cdna.splat %b : f32 -> tensor<1024x64xf32, #x>
  %z = arith.addf %x, %y : tensor<1024x64xf32, #x>
  %q = arith.mulf %z, %y : tensor<1024x64xf32, #x>
  cdna.return
}

// -----

#x = #cdna.layout<reg = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[128, 0], [256, 0], [512, 0]]>

// Three at a time don't.
// expected-error @+1 {{registers: tiles hold 384 registers a lane at one point, a wave of this workgroup has 256; use smaller tiles or more waves [cdna.kernel.c5]}}
cdna.kernel @too_many(%a: f32, %b: f32) attributes {target = #tile.target<"gfx950">, waves = [8, 1]} {
  %x = cdna.splat %a : f32 -> tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers}}
  %y = cdna.splat %b : f32 -> tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers}}
  %z = arith.addf %x, %y : tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers}}
  %q = arith.mulf %z, %y : tensor<1024x64xf32, #x>
  %r = arith.mulf %q, %x : tensor<1024x64xf32, #x>
  cdna.return
}
