// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands))" -split-input-file -verify-diagnostics=only-expected

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 2>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 2>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

cdna.kernel @unaligned(%a: !A, %b: !B) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  // expected-error @+1 {{schedule field lds = direct: no copy width of gfx950 divides the alignment of 2 bytes and the rows of a 32x64xbf16 tile; use lds = register [tile.schedule.c4]}}
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, records]} : !wB -> tensor<64x32xbf16, #rowsB>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  cdna.return
}

// -----

// The operand of a product and the scratch of a conversion that no LDS holds.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [0, 512], [0, 1024], [1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], wave = [[16, 0], [32, 0]]>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [512, 0], [1024, 0], [0, 1], [0, 2]], lane = [[8, 0], [16, 0], [32, 0], [64, 0], [128, 0], [256, 0]], wave = [[0, 4], [0, 8]]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[16, 0], [32, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [32, 0], [64, 0], [128, 0], [256, 0], [512, 0], [1024, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 0], [0, 0]]>
#acc = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[16, 0], [32, 0]]>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

cdna.kernel @operand(%a: !A, %b: !B) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [4, 1], mma = "16x16x32", stages = 1, lds = register>, waves = [4, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [64, 2048] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [2048, 16] : !B -> !wB
  // expected-error @+1 {{LDS: 262,144 bytes needed for a 64x2048xbf16 tile, gfx950 has 163,840 per workgroup; 64x1024xbf16 fits [cdna.kernel.c3]}}
  %at = cdna.load %wa[%c0, %c0] {tail = [none, none]} : !wA -> tensor<64x2048xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, none]} : !wB -> tensor<2048x16xbf16, #rowsB>
  %af = cdna.convert_layout %at : tensor<64x2048xbf16, #rowsA> -> tensor<64x2048xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<2048x16xbf16, #rowsB> -> tensor<2048x16xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<64x2048xbf16, #a>, tensor<2048x16xbf16, #b>, tensor<64x16xf32, #acc>
  cdna.return
}

// -----

#rows = #cdna.layout<reg = [[0, 64], [0, 128], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[64, 0], [128, 0]]>
#columns = #cdna.layout<reg = [[64, 0], [128, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], wave = [[0, 64], [0, 128]]>
cdna.kernel @conversion() attributes {target = #tile.target<"gfx950">, waves = [4, 1]} {
  %x = arith.constant dense<0.0> : tensor<256x256xf32, #rows>
  // expected-error @+1 {{LDS: 262,144 bytes needed for a 256x256xf32 tile, gfx950 has 163,840 per workgroup; 128x256xf32 fits [cdna.kernel.c3]}}
  %y = cdna.convert_layout %x : tensor<256x256xf32, #rows> -> tensor<256x256xf32, #columns>
  cdna.return
}
