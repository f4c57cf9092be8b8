// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{[tile.view.c1]}}
tile.kernel @k(%v: !tile.view<0xf32, strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c1]}}
tile.kernel @k(%v: !tile.view<1x1x1x1x1x4xf32, strides = [1, 1, 1, 1, 1, 1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c1]}}
tile.kernel @k(%v: !tile.view<2147483648x2147483648xi8, strides = [?, 1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c2]}}
tile.kernel @k(%v: !tile.view<4xi4, strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c2]}}
tile.kernel @k(%v: !tile.view<4xi4, strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c3]}}
tile.kernel @k(%v: !tile.view<?xf32, names = ["M", "K"], strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c3]}}
tile.kernel @k(%v: !tile.view<?xf32, names = ["M+1"], strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c3]}}
tile.kernel @k(%v: !tile.view<8xf32, names = ["9"], strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c4]}}
tile.kernel @k(%v: !tile.view<?x?xf32, strides = [1]>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c5]}}
tile.kernel @k(%v: !tile.view<?xf32, strides = [1], align = 12>) { tile.return }

// -----

// expected-error @+1 {{[tile.view.c5]}}
tile.kernel @k(%v: !tile.view<?x?xf32, strides = [3, 1], align = 16>) { tile.return }
