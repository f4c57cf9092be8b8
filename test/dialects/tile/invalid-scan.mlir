// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  // expected-error @+1 {{[tile.scan.c1]}}
  %0 = tile.scan %x {axis = 2} : tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  // expected-error @+1 {{[tile.scan.c2]}}
  %0 = tile.scan %x {axis = 1} : tensor<4x8xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf32, strides = [1]>, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  %0 = tile.scan %x {axis = 1} : tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{[tile.scan.c2]}}
    %s = tile.scalar %v[%i] : !tile.view<?xf32, strides = [1]> -> f32
    tile.yield %s : f32
  }
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  // expected-error @+1 {{[tile.reduce_region.c1]}}
  %0 = tile.reduce_region %x {axis = 2} : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  // expected-error @+1 {{[tile.reduce_region.c2]}}
  %0 = tile.reduce_region %x {axis = 1} : tensor<4x8xf32> -> tensor<4x1xf32> {
  ^bb0(%a: f16, %b: f16):
    tile.yield %a : f16
  }
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  // expected-error @+1 {{[tile.reduce_region.c3]}}
  %0 = tile.reduce_region %x {axis = 1} : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<8xi16>
  // expected-error @+1 {{[tile.histogram.c1]}}
  %0 = tile.histogram %x bins 4 : tensor<8xi16> -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<8xi32>
  // expected-error @+1 {{[tile.histogram.c2]}}
  %0 = tile.histogram %x bins 5000 : tensor<8xi32> -> tensor<5000xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<8xi32>
  %m = builtin.unrealized_conversion_cast to tensor<4xi1>
  // expected-error @+1 {{[tile.histogram.c3]}}
  %0 = tile.histogram %x bins 4 where %m : tensor<8xi32>, tensor<4xi1> -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  %i = builtin.unrealized_conversion_cast to tensor<3xi32>
  // expected-error @+1 {{[tile.take.c1]}}
  %0 = tile.take %x, %i {axis = 1} : tensor<8xf32>, tensor<3xi32> -> tensor<3xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<4x8xf32>
  %i = builtin.unrealized_conversion_cast to tensor<3x3xi32>
  // expected-error @+1 {{[tile.take.c2]}}
  %0 = tile.take %x, %i {axis = 1} : tensor<4x8xf32>, tensor<3x3xi32> -> tensor<3x3xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  %i = builtin.unrealized_conversion_cast to tensor<3xi64>
  // expected-error @+1 {{[tile.take.c3]}}
  %0 = tile.take %x, %i {axis = 0} : tensor<8xf32>, tensor<3xi64> -> tensor<3xf32>
  tile.return
}
