// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.broadcast.c1]}}
  %0 = tile.broadcast %x : tensor<4xf32> to tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<2x1xf32>
  // expected-error @+1 {{[tile.broadcast.c2]}}
  %0 = tile.broadcast %x : tensor<2x1xf32> to tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<1x1xf32>
  // expected-error @+1 {{[tile.broadcast.c3]}}
  %0 = tile.broadcast %x : tensor<1x1xf32> to tensor<4x4xf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.reshape.c1]}}
  %0 = tile.reshape %x : tensor<4xf32> to tensor<3xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.reshape.c2]}}
  %0 = tile.reshape %x : tensor<4xf32> to tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x2xf32>
  // expected-error @+1 {{[tile.transpose.c1]}}
  %0 = tile.transpose %x {perm = [1, 1]} : tensor<4x2xf32> -> tensor<2x4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x2xf32>
  // expected-error @+1 {{[tile.transpose.c2]}}
  %0 = tile.transpose %x {perm = [1, 0]} : tensor<4x2xf32> -> tensor<4x2xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.iota.c1]}}
  %0 = tile.iota {axis = 1} : tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.iota.c2]}}
  %0 = tile.iota {axis = 0} : tensor<4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{[tile.extract.c1]}}
  %0 = tile.extract %x {offsets = [0, 6]} : tensor<4x8xf32> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{[tile.extract.c2]}}
  %0 = tile.extract %x {offsets = [0, 4]} : tensor<4x8xf32> -> tensor<4x4xf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{[tile.concat.c1]}}
  %0 = tile.concat %x, %x {axis = 1} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x15xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{[tile.concat.c1]}}
  %0 = tile.concat %x, %x {axis = 1} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<5x16xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{[tile.concat.c2]}}
  %0 = tile.concat %x, %x {axis = 1} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.cast.c1]}}
  %0 = tile.cast %x rne : tensor<4xf32> -> tensor<5xbf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.cast.c2]}}
  %0 = tile.cast %x rne : tensor<4xf32> -> tensor<4xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.cast.c3]}}
  %0 = tile.cast %x rne : tensor<4xf32> -> tensor<4xf4E2M1FN>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{stochastic to 'bf16' without a seed}}
  %0 = tile.cast %x stochastic : tensor<4xf32> -> tensor<4xbf16>
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{rne to 'bf16' with a seed; stochastic rounding, and it alone, takes a seed and gives floats of 16 bits or fewer [tile.cast.c4]}}
  %0 = tile.cast %x rne seed %n : tensor<4xf32> -> tensor<4xbf16>
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{[tile.cast.c6]}}
  %0 = tile.cast %n rtz : i32 -> bf16
  tile.return
}

// -----

tile.kernel @k(%x: f64, %n: i32) {
  // expected-error @+1 {{[tile.cast.c4]}}
  %0 = tile.cast %x stochastic seed %n : f64 -> f32
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.cast.c5]}}
  %0 = tile.cast %x rne : tensor<4xf32> -> tensor<4xi1>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.bitcast.c1]}}
  %0 = tile.bitcast %x : tensor<4xf32> to tensor<4xi16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.bitcast.c2]}}
  %0 = tile.bitcast %x : tensor<4xf32> to tensor<5xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{[tile.math.c1]}}
  %0 = tile.math exp2 %x : tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.math.c2]}}
  %0 = tile.math pow %x : tensor<4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.reduce.c1]}}
  %0 = tile.reduce add %x {axis = 1} : tensor<4xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{[tile.reduce.c2]}}
  %0 = tile.reduce xor %x {axis = 0} : tensor<4xf32> -> tensor<1xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<false> : tensor<4xi1>
  // expected-error @+1 {{[tile.reduce.c2]}}
  %0 = tile.reduce add %x {axis = 0} : tensor<4xi1> -> tensor<1xi1>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4xbf16>
  // expected-error @+1 {{[tile.reduce.c3]}}
  %0 = tile.reduce add %x {axis = 0} : tensor<4xbf16> -> tensor<1xbf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @+1 {{[tile.reduce.c4]}}
  %0 = tile.reduce add %x {axis = 1} : tensor<4x4xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<4xf32>
  %b = arith.constant dense<0.0> : tensor<4x4xf32>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @+1 {{[tile.mma.c1]}}
  %0 = tile.mma %a, %b, %c : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<16x32xbf16>
  %b = arith.constant dense<0.0> : tensor<16x16xbf16>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{[tile.mma.c2]}}
  %0 = tile.mma %a, %b, %c : tensor<16x32xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<16x16xbf16>
  %b = arith.constant dense<0.0> : tensor<16x16xbf16>
  %c = arith.constant dense<0.0> : tensor<16x32xf32>
  // expected-error @+1 {{[tile.mma.c3]}}
  %0 = tile.mma %a, %b, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x32xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<2x16x16xbf16>
  %b = arith.constant dense<0.0> : tensor<3x16x16xbf16>
  %c = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @+1 {{[tile.mma.c3]}}
  %0 = tile.mma %a, %b, %c : tensor<2x16x16xbf16>, tensor<3x16x16xbf16>, tensor<2x16x16xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<16x16xbf16>
  %b = arith.constant dense<0.0> : tensor<16x16xf16>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{[tile.mma.c4]}}
  %0 = tile.mma %a, %b, %c : tensor<16x16xbf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %a = arith.constant dense<0.0> : tensor<16x16xbf16>
  %b = arith.constant dense<0.0> : tensor<16x16xbf16>
  %c = arith.constant dense<0.0> : tensor<16x16xbf16>
  // expected-error @+1 {{[tile.mma.c5]}}
  %0 = tile.mma %a, %b, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  // expected-error @+1 {{[tile.bitcast.c1]}}
  %0 = tile.bitcast %x : tensor<4xcomplex<f32>> to tensor<4xi64>
  tile.return
}
