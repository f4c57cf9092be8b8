// Rules of tile.quantize, tile.pack and tile.unpack.
// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

tile.kernel @axes() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{[tile.quantize.c1]}}
  %q, %s = tile.quantize %x {axis = [1, 0], block = [32, 32], mode = rceil} : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>, tensor<2x2xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @pairs() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{axes [1] with blocks [32, 32] of a 64x64xf32; axes ascend, each has a block, and rank and axes are at most 5 together [tile.quantize.c1]}}
  %q, %s = tile.quantize %x {axis = [1], block = [32, 32], mode = rceil} : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>, tensor<2x2xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @blocks() {
  %x = arith.constant dense<0.0> : tensor<64x48xf32>
  // expected-error @+1 {{blocks of 32 do not divide the extent 48 of axis 1 [tile.quantize.c2]}}
  %q, %s = tile.quantize %x {axis = [1], block = [32], mode = rceil} : tensor<64x48xf32> -> tensor<64x48xf8E4M3FN>, tensor<64x1xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @mode() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{to be one of: floor, ceil, even, rceil}}
  %q, %s = tile.quantize %x {axis = [1], block = [32], mode = round} : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>, tensor<64x2xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @wide() {
  %x = arith.constant dense<0.0> : tensor<64x64xf64>
  // expected-error @+1 {{[tile.quantize.c4]}}
  %q, %s = tile.quantize %x {axis = [1], block = [32], mode = even} : tensor<64x64xf64> -> tensor<64x64xf8E4M3FN>, tensor<64x2xf8E8M0FNU>
  tile.return
}

// -----

// The flavour of the older chip has no blocks with shared scales.
tile.kernel @flavour() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{[tile.quantize.c5]}}
  %q, %s = tile.quantize %x {axis = [1], block = [32], mode = ceil} : tensor<64x64xf32> -> tensor<64x64xf8E4M3FNUZ>, tensor<64x2xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @scales() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{of a 64x64xf32 has scales of f8E8M0FNU, [64, 2], not 2x64xf8E8M0FNU [tile.quantize.c6]}}
  %q, %s = tile.quantize %x {axis = [1], block = [32], mode = floor} : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>, tensor<2x64xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @halves() {
  %x = arith.constant dense<0.0> : tensor<4x8x2xf4E2M1FN>
  // expected-error @+1 {{[tile.pack.c1]}}
  %p = tile.pack %x {axis = 1} : tensor<4x8x2xf4E2M1FN> -> tensor<4x4x2xi8>
  tile.return
}

// -----

tile.kernel @eight() {
  %x = arith.constant dense<0.0> : tensor<4x8x2xf8E4M3FN>
  // expected-error @+1 {{[tile.pack.c2]}}
  %p = tile.pack %x {axis = 2} : tensor<4x8x2xf8E4M3FN> -> tensor<4x8x1xi8>
  tile.return
}

// -----

tile.kernel @bytes() {
  %x = arith.constant dense<0> : tensor<4x8xi8>
  // expected-error @+1 {{of pairs 4x16xf4E2M1FN and bytes 4x8xi8 along axis 1, which has two elements a byte [tile.unpack.c1]}}
  %p = tile.unpack %x {axis = 1} : tensor<4x8xi8> -> tensor<4x16xf4E2M1FN>
  tile.return
}

// -----

tile.kernel @words() {
  %x = arith.constant dense<0> : tensor<4x1xi32>
  // expected-error @+1 {{[tile.unpack.c2]}}
  %p = tile.unpack %x {axis = 1} : tensor<4x1xi32> -> tensor<4x2xf4E2M1FN>
  tile.return
}
