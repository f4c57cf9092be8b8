// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.load_indexed.c1]}}
  %0 = cdna.load_indexed %v[%c0] at(%i, %i) pad(0.0 : f32) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : !V, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xf32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  // expected-error @+1 {{[cdna.load_indexed.c2]}}
  %0 = cdna.load_indexed %v[%c0, %c0] at(%i, %w) pad(0.0 : f32) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : !V, tensor<64xi32, #one>, tensor<64xi16, #one> -> tensor<64xf32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  // expected-error @+1 {{[cdna.load_indexed.c3]}}
  %0 = cdna.load_indexed %v[%c0, %c0] at(%i, %i) pad(0.0 : f32) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : !V, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.load_indexed.c4]}}
  %0 = cdna.load_indexed %v[%c0, %c0] at(%i, %i) pad(0.0 : f32) {dims = array<i32: 0, 1>, check = array<i32>, width = 2 : i64} : !V, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xf32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.store_indexed.c1]}}
  cdna.store_indexed %x, %v[%c0] at(%i, %i) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  // expected-error @+1 {{[cdna.store_indexed.c2]}}
  cdna.store_indexed %x, %v[%c0, %c0] at(%i, %w) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi16, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  // expected-error @+1 {{[cdna.store_indexed.c3]}}
  cdna.store_indexed %x, %v[%c0, %c0] at(%i, %i) {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : tensor<64xi32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.store_indexed.c4]}}
  cdna.store_indexed %x, %v[%c0, %c0] at(%i, %i) {dims = array<i32: 0, 1>, check = array<i32>, width = 2 : i64} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.atomic_rmw.c1]}}
  cdna.atomic_rmw add %x, %v[%c0] at(%i, %i) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  // expected-error @+1 {{[cdna.atomic_rmw.c2]}}
  cdna.atomic_rmw add %x, %v[%c0, %c0] at(%i, %w) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi16, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  // expected-error @+1 {{[cdna.atomic_rmw.c3]}}
  cdna.atomic_rmw add %x, %v[%c0, %c0] at(%i, %i) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xi32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.atomic_cas.c1]}}
  %0 = cdna.atomic_cas %x, %x, %v[%c0] at(%i, %i) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  // expected-error @+1 {{[cdna.atomic_cas.c2]}}
  %0 = cdna.atomic_cas %x, %x, %v[%c0, %c0] at(%i, %w) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi16, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  // expected-error @+1 {{[cdna.atomic_cas.c3]}}
  %0 = cdna.atomic_cas %x, %x, %v[%c0, %c0] at(%i, %i) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xi32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %m = builtin.unrealized_conversion_cast to tensor<32xi1>
  // expected-error @+1 {{[cdna.store_indexed.c5]}}
  cdna.store_indexed %x, %v[%c0, %c0] at(%i, %i) where %m : tensor<32xi1> {dims = array<i32: 0, 1>, check = array<i32>, width = 1 : i64} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  // expected-error @+1 {{[cdna.atomic_rmw.c4]}}
  cdna.atomic_rmw add %x, %v[%c0, %c0] at(%i, %i) agent {dims = array<i32: 0, 1>, check = array<i32>, pairs} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_gather.c1]}}
  %0 = cdna.lds_gather %l at(%i) : !L, tensor<64xi32, #one> -> tensor<64xf32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_gather.c2]}}
  %0 = cdna.lds_gather %l at(%i, %w) : !L, tensor<64xi32, #one>, tensor<64xi16, #one> -> tensor<64xf32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi64, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_gather.c3]}}
  %0 = cdna.lds_gather %l at(%i, %i) : !L, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xi64, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_scatter.c1]}}
  cdna.lds_scatter %x, %l at(%i) : tensor<64xf32, #one>, !L, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_scatter.c2]}}
  cdna.lds_scatter %x, %l at(%i, %w) : tensor<64xf32, #one>, !L, tensor<64xi32, #one>, tensor<64xi16, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi64, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_scatter.c3]}}
  cdna.lds_scatter %x, %l at(%i, %i) : tensor<64xi64, #one>, !L, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %m = builtin.unrealized_conversion_cast to tensor<32xi1>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_scatter.c4]}}
  cdna.lds_scatter %x, %l at(%i, %i) where %m : tensor<32xi1> : tensor<64xf32, #one>, !L, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_atomic.c1]}}
  cdna.lds_atomic add %x, %l at(%i) : tensor<64xf32, #one>, !L, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %w = builtin.unrealized_conversion_cast to tensor<64xi16, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_atomic.c2]}}
  cdna.lds_atomic add %x, %l at(%i, %w) : tensor<64xf32, #one>, !L, tensor<64xi32, #one>, tensor<64xi16, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xi64, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_atomic.c3]}}
  cdna.lds_atomic add %x, %l at(%i, %i) : tensor<64xi64, #one>, !L, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %m = builtin.unrealized_conversion_cast to tensor<32xi1>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_atomic.c4]}}
  cdna.lds_atomic add %x, %l at(%i, %i) where %m : tensor<32xi1> : tensor<64xf32, #one>, !L, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}

// -----

#one = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
#two = #cdna.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], wave = []>
!V = !tile.view<?x?xf32, strides = [?, 1]>
!L = !cdna.lds<64x64xf32, order = [1, 0]>
cdna.kernel @k(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %i = builtin.unrealized_conversion_cast to tensor<64xi32, #one>
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #one>
  %l = builtin.unrealized_conversion_cast to !L
  // expected-error @+1 {{[cdna.lds_atomic.c5]}}
  cdna.lds_atomic add %x, %l at(%i, %i) : tensor<64xf32, #one>, !L, tensor<64xi32, #one>, tensor<64xi32, #one>
  cdna.return
}
