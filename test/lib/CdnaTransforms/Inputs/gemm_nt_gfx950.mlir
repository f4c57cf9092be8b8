// bf16 NT, 256x256x64, 8 waves, two stages, direct: the golden loop, as cdna-lower-tile leaves it.
#coalA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [64, 0], [128, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = [[8, 0], [16, 0], [32, 0]]>
#coalB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 64], [0, 128]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = [[0, 8], [0, 16], [0, 32]]>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = [[0, 0], [0, 0], [128, 0]]>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 64], [0, 128], [0, 0]]>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = [[0, 64], [0, 128], [128, 0]]>
!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>
!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>
tile.func private @gemm.grid(%a: !A, %b: !B, %c: !C) -> i32 {
  %r = arith.constant 1 : i32
  tile.return %r : i32
}
cdna.kernel @gemm(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %c: !C {tile.name = "c"}) attributes {grid = @gemm.grid, target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct>, waves = [2, 4]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  %pm = cdna.program_id {axis = 0} : i32
  %pn = cdna.program_id {axis = 1} : i32
  %m0 = arith.muli %pm, %c256 : i32
  %n0 = arith.muli %pn, %c256 : i32
  %K = tile.dim %a {d = 1} : !A -> i32
  %full = arith.divui %K, %c64 : i32
  %rest = arith.remui %K, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32, #acc>
  %wa = cdna.buffer %a[%m0, %c0] tile [256, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %n0] tile [64, 256] : !B -> !wB
  %sum = scf.for %k = %c0 to %full step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<256x64xbf16, #coalA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x256xbf16, #coalB>
    %af = cdna.convert_layout %at : tensor<256x64xbf16, #coalA> -> tensor<256x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x256xbf16, #coalB> -> tensor<64x256xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<256x64xbf16, #a>, tensor<64x256xbf16, #b>, tensor<256x256xf32, #acc>
    scf.yield %y : tensor<256x256xf32, #acc>
  }
  %some = arith.cmpi ne, %rest, %c0 : i32
  %all = scf.if %some -> (tensor<256x256xf32, #acc>) {
    %k0 = arith.muli %full, %c64 : i32
    %ta = cdna.buffer %a[%m0, %k0] tile [256, 64] : !A -> !wA
    %tb = cdna.buffer %b[%k0, %n0] tile [64, 256] : !B -> !wB
    %at = cdna.load %ta[%c0, %c0] {tail = [records, compare]} : !wA -> tensor<256x64xbf16, #coalA>
    %bt = cdna.load %tb[%c0, %c0] {tail = [compare, records]} : !wB -> tensor<64x256xbf16, #coalB>
    %af = cdna.convert_layout %at : tensor<256x64xbf16, #coalA> -> tensor<256x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x256xbf16, #coalB> -> tensor<64x256xbf16, #b>
    %y = cdna.mfma %af, %bf, %sum {shape = "16x16x32", swapped} : tensor<256x64xbf16, #a>, tensor<64x256xbf16, #b>, tensor<256x256xf32, #acc>
    scf.yield %y : tensor<256x256xf32, #acc>
  } else {
    scf.yield %sum : tensor<256x256xf32, #acc>
  }
  %o = arith.truncf %all : tensor<256x256xf32, #acc> to tensor<256x256xbf16, #acc>
  %wc = cdna.buffer %c[%m0, %n0] tile [256, 256] : !C -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<256x256xbf16, #acc>, !wA
  cdna.return
}
