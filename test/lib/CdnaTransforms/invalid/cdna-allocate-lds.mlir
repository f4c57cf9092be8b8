// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-allocate-lds))" -split-input-file -verify-diagnostics

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0], [128, 0], [0, 32]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>

// expected-error @+1 {{LDS: 98,304 bytes needed, gfx942 has 65,536 per workgroup; fits: stages = 2 (65,536) [cdna.kernel.c3]}}
cdna.kernel @ring() attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %x = arith.constant dense<1.0> : tensor<256x64xbf16, #f>
  // expected-note @+1 {{tile 256x64xbf16 x 3 stages: 98,304 bytes}}
  %la = cdna.lds_alloc : !cdna.lds<256x64xbf16, order = [1, 0], stages = 3>
  %s = cdna.slot %la 1 : !cdna.lds<256x64xbf16, order = [1, 0], stages = 3> -> !cdna.slot
  %v = cdna.lds_view %la[%s] [0, 0] [256, 64] : !cdna.lds<256x64xbf16, order = [1, 0], stages = 3> -> !cdna.lds<256x64xbf16, order = [1, 0]>
  cdna.lds_store %x, %v : tensor<256x64xbf16, #f>, !cdna.lds<256x64xbf16, order = [1, 0]>
  cdna.return
}

// -----

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0], [128, 0], [0, 32]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!one = !cdna.lds<256x64xbf16, order = [1, 0]>
!ring = !cdna.lds<256x64xbf16, order = [1, 0], stages = 3>

// What is used after the ring shares its bytes, so it is no part of the 98,304.
// expected-error @+1 {{LDS: 98,304 bytes needed, gfx942 has 65,536 per workgroup; fits: stages = 2 (65,536) [cdna.kernel.c3]}}
cdna.kernel @after_the_ring() attributes {target = #tile.target<"gfx942">, waves = [1, 1]} {
  %x = arith.constant dense<1.0> : tensor<256x64xbf16, #f>
  // expected-note @+1 {{tile 256x64xbf16 x 3 stages: 98,304 bytes}}
  %la = cdna.lds_alloc : !ring
  %lb = cdna.lds_alloc : !one
  %s = cdna.slot %la 1 : !ring -> !cdna.slot
  %v = cdna.lds_view %la[%s] [0, 0] [256, 64] : !ring -> !one
  cdna.lds_store %x, %v : tensor<256x64xbf16, #f>, !one
  cdna.lds_store %x, %lb : tensor<256x64xbf16, #f>, !one
  cdna.return
}
