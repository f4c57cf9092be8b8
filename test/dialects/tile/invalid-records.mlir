// RUN: tegula-opt %s -split-input-file -verify-diagnostics

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{of i32; a condition is i1 [tile.assert.c1]}}
  tile.assert %n, "positive" : i32
  tile.return
}

// -----

tile.kernel @k(%ok: i1) {
  // expected-error @+1 {{has 1 holes for 0 values [tile.assert.c2]}}
  tile.assert %ok, "n is {}" : i1
  tile.return
}

// -----

tile.kernel @k(%ok: i1, %n: i32) {
  // expected-error @+1 {{a hole is {} or {u}; write {{ and }} for braces [tile.assert.c2]}}
  tile.assert %ok, "n is {:d}"(%n) : i1, i32
  tile.return
}

// -----

tile.kernel @k() {
  %mask = arith.constant dense<true> : tensor<4x8xi1>
  %x = arith.constant dense<1> : tensor<4x1xi32>
  // expected-error @+1 {{shows a tile of 4x1xi32; its values are scalars, or tiles of its shape [tile.assert.c3]}}
  tile.assert %mask, "{}"(%x) : tensor<4x8xi1>, tensor<4x1xi32>
  tile.return
}

// -----

tile.kernel @k() {
  %ok = arith.constant true
  %x = arith.constant dense<1.0> : tensor<4xf8E5M2>
  // expected-error @+1 {{cast it first, for example .to(tg.f32) [tile.assert.c3]}}
  tile.assert %ok, "{}"(%x) : i1, tensor<4xf8E5M2>
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{has 2 holes for 1 values [tile.print.c1]}}
  tile.print "{} and {}", %n : i32
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{a hole is {} or {u}; write {{ and }} for braces [tile.print.c1]}}
  tile.print "{} and }", %n : i32
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<1.0> : tensor<4xf8E4M3FN>
  // expected-error @+1 {{of 'f8E4M3FN'; cast it first, for example .to(tg.f32) [tile.print.c2]}}
  tile.print "{}", %x : tensor<4xf8E4M3FN>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<1.0> : tensor<256x256xf32>
  %y = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error @+1 {{shows 65537 elements; at most 65536 can be shown at once [tile.print.c3]}}
  tile.print "{} {}", %x, %y : tensor<256x256xf32>, tensor<1xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %x = arith.constant dense<1.0> : tensor<1x2xf32>
  // expected-error @+1 {{a 'f32' from a tile of 1x2xf32; it has one element, and gives that [tile.element.c1]}}
  %0 = tile.element %x : tensor<1x2xf32> -> f32
  tile.return
}

// -----

// expected-error @+1 {{argument 0: tile.records is for a view [tile.kernel.c9]}}
tile.kernel @k(%n: i32 {tile.records}) {
  tile.return
}
