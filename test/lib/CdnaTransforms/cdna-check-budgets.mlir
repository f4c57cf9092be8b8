// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-check-budgets))" -split-input-file -verify-diagnostics

#x = #cdna.layout<reg = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[128, 0], [256, 0], [512, 0]]>
!A = !tile.view<?x?xf32, strides = [?, 1], align = 16>
!w = !cdna.buffer<?x?xf32, strides = [?, 1], align = 16>

// 128 registers each: two of them fit into the 256 of a wave. Element-wise values in between are not held as a whole.
cdna.kernel @fits(%a: !A) attributes {target = #tile.target<"gfx950">, waves = [8, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %a[%c0, %c0] tile [1024, 64] : !A -> !w
  // expected-remark @+1 {{registers: tiles hold 256 of 256 registers a lane at one point, this 1024x64xf32 tile 128}}
  %x = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<1024x64xf32, #x>
  %y = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<1024x64xf32, #x>
  %z = arith.addf %x, %y : tensor<1024x64xf32, #x>
  %q = arith.mulf %z, %y : tensor<1024x64xf32, #x>
  cdna.store %q, %w[%c0, %c0] {tail = [none, none]} : tensor<1024x64xf32, #x>, !w
  cdna.store %x, %w[%c0, %c0] {tail = [none, none]} : tensor<1024x64xf32, #x>, !w
  cdna.return
}

// -----

#x = #cdna.layout<reg = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[128, 0], [256, 0], [512, 0]]>
!A = !tile.view<?x?xf32, strides = [?, 1], align = 16>
!w = !cdna.buffer<?x?xf32, strides = [?, 1], align = 16>

// Three at a time don't.
// expected-error @+1 {{registers: tiles hold 384 registers a lane at one point, a wave of this workgroup has 256; use smaller tiles (512x64xf32 instead of 1024x64xf32 fits) [cdna.kernel.c5]}}
cdna.kernel @too_many(%a: !A) attributes {target = #tile.target<"gfx950">, waves = [8, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %a[%c0, %c0] tile [1024, 64] : !A -> !w
  %x = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers, 262,144 bytes}}
  %y = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers, 262,144 bytes}}
  %z = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<1024x64xf32, #x> // expected-note {{1024x64xf32: 128 registers, 262,144 bytes}}
  %q = arith.addf %x, %y : tensor<1024x64xf32, #x>
  %r = arith.addf %q, %z : tensor<1024x64xf32, #x>
  cdna.store %r, %w[%c0, %c0] {tail = [none, none]} : tensor<1024x64xf32, #x>, !w
  cdna.return
}

// -----

#x = #cdna.layout<reg = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = [[128, 0]]>
!A = !tile.view<?x?xf32, strides = [?, 1], align = 16>
!w = !cdna.buffer<?x?xf32, strides = [?, 1], align = 16>

// Two waves leave half of the SIMDs idle, and a second workgroup takes half of the registers.
// expected-error @+1 {{registers: tiles hold 384 registers a lane at one point, a wave of this workgroup has 256; use smaller tiles (128x64xf32 instead of 256x64xf32 fits) or a lower occupancy than 4 [cdna.kernel.c5]}}
cdna.kernel @shared(%a: !A) attributes {target = #tile.target<"gfx950">, waves = [2, 1], schedule = #tile.schedule<occupancy = 4>} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %a[%c0, %c0] tile [256, 64] : !A -> !w
  %x = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<256x64xf32, #x> // expected-note {{256x64xf32: 128 registers, 65,536 bytes}}
  %y = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<256x64xf32, #x> // expected-note {{256x64xf32: 128 registers, 65,536 bytes}}
  %z = cdna.load %w[%c0, %c0] {tail = [none, none]} : !w -> tensor<256x64xf32, #x> // expected-note {{256x64xf32: 128 registers, 65,536 bytes}}
  cdna.store %x, %w[%c0, %c0] {tail = [none, none]} : tensor<256x64xf32, #x>, !w
  cdna.store %y, %w[%c0, %c0] {tail = [none, none]} : tensor<256x64xf32, #x>, !w
  cdna.store %z, %w[%c0, %c0] {tail = [none, none]} : tensor<256x64xf32, #x>, !w
  cdna.return
}
