// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.dim.c1]}}
  %0 = tile.dim %a {d = 2} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.stride.c1]}}
  %0 = tile.stride %a {d = 2} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i64
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.slice.c1]}}
  %0 = tile.slice %a[:] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.slice.c2]}}
  %0 = tile.slice %a[:, 8:8] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%s: !tile.view<64xf32, strides = [1]>) {
  // expected-error @+1 {{[tile.slice.c2]}}
  %0 = tile.slice %s[0:65] : !tile.view<64xf32, strides = [1]> -> !tile.view<65xf32, strides = [1]>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.slice.c3]}}
  %0 = tile.slice %a[:, 0:8] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.slice.c3]}}
  %0 = tile.slice %a[:, 1:] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.index.c1]}}
  %0 = tile.index %l {d = 0} %i : !tile.view<?xi32, strides = [1]> -> !tile.view<?xi32, strides = [1]>
  tile.return
}

// -----

tile.kernel @k(%s: !tile.view<8x?xf32, strides = [?, 1]>) {
  %c9 = arith.constant 9 : i32
  // expected-error @+1 {{[tile.index.c2]}}
  %0 = tile.index %s {d = 0} %c9 : !tile.view<8x?xf32, strides = [?, 1]> -> !tile.view<?xf32, strides = [1]>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.index.c3]}}
  %0 = tile.index %a {d = 0} %i : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.expand.c1]}}
  %0 = tile.expand %a {d = 3} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.expand.c2]}}
  %0 = tile.expand %a {d = 0} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.permute_view.c1]}}
  %0 = tile.permute_view %a {perm = [0, 0]} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.permute_view.c2]}}
  %0 = tile.permute_view %a {perm = [1, 0]} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c1]}}
  %0 = tile.load %a[%i] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4x4xbf16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c2]}}
  %0 = tile.load %a[%i, %i] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c3]}}
  %0 = tile.load %a[%i, %i] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4xbf16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = "tile.load"(%a, %i, %i) <{pad = 0.0 : f32}> : (!tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, i32, i32) -> tensor<4x4xbf16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c6]}}
  %0 = tile.load %a[%i, %i] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4x?xbf16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  %t = arith.constant dense<0.0> : tensor<4x4xbf16>
  // expected-error @+1 {{[tile.store.c1]}}
  tile.store %t, %a[%i] : tensor<4x4xbf16>, !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  %t = arith.constant dense<0.0> : tensor<4xbf16>
  // expected-error @+1 {{[tile.store.c3]}}
  tile.store %t, %a[%i, %i] : tensor<4xbf16>, !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  %t = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @+1 {{[tile.store.c4]}}
  tile.store %t, %a[%i, %i] : tensor<4x4xf32>, !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.scalar.c1]}}
  %0 = tile.scalar %a[%i] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> bf16
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.scalar.c2]}}
  %0 = tile.scalar %l[%i] : !tile.view<?xi32, strides = [1]> -> f32
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.valid.c1]}}
  %0 = tile.valid %a[%i] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4x4xi1>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.valid.c2]}}
  %0 = tile.valid %a[%i, %i] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4x4xi8>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %l: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.valid.c3]}}
  %0 = tile.valid %a[%i, %i] : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<4xi1>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf8E4M3FN, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = tile.load %v[%i] pad(-inf) : !tile.view<?xf8E4M3FN, strides = [1]> -> tensor<4xf8E4M3FN>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf8E8M0FNU, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = tile.load %v[%i] pad(0.0) : !tile.view<?xf8E8M0FNU, strides = [1]> -> tensor<4xf8E8M0FNU>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xi8, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = tile.load %v[%i] pad(300) : !tile.view<?xi8, strides = [1]> -> tensor<4xi8>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xi32, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = tile.load %v[%i] pad(0.5) : !tile.view<?xi32, strides = [1]> -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf16, strides = [1]>, %i: i32) {
  // expected-error @+1 {{[tile.load.c4]}}
  %0 = tile.load %v[%i] pad(1.0e9) : !tile.view<?xf16, strides = [1]> -> tensor<4xf16>
  tile.return
}

// -----

tile.kernel @k(%c: !tile.view<?xi64, strides = [1]>, %i: i32) {
  // expected-error @+1 {{counts up to 4 in a view of ?xi64; counters are one i32 each, a count is at least 1 [tile.arrive.c1]}}
  %last = tile.arrive %c[%i] of 4 : !tile.view<?xi64, strides = [1]>
  tile.return
}
