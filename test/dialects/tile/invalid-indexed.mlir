// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

!V = !tile.view<?x?xf32, strides = [?, 1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  // expected-error @+1 {{[tile.gather.c1]}}
  %0 = tile.gather %v[%i] pad(0.0) : !V, tensor<8xi32> -> tensor<8xf32>
  tile.return
}

// -----

!V = !tile.view<?x?xf32, strides = [?, 1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  %j = builtin.unrealized_conversion_cast to tensor<4xi32>
  // expected-error @+1 {{[tile.gather.c2]}}
  %0 = tile.gather %v[%i, %j] pad(0.0) : !V, tensor<8xi32>, tensor<4xi32> -> tensor<8xf32>
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi16>
  // expected-error @+1 {{[tile.gather.c2]}}
  %0 = tile.gather %v[%i] pad(0.0) : !V, tensor<8xi16> -> tensor<8xf32>
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  // expected-error @+1 {{[tile.gather.c3]}}
  %0 = tile.gather %v[%i] pad(0.0) : !V, tensor<8xi32> -> tensor<8xf16>
  tile.return
}

// -----

!V = !tile.view<?xi8, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  // expected-error @+1 {{[tile.gather.c3]}}
  %0 = tile.gather %v[%i] pad(300) : !V, tensor<8xi32> -> tensor<8xi8>
  tile.return
}

// -----

!V = !tile.view<?x?xf32, strides = [?, 1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.scatter.c1]}}
  tile.scatter %x, %v[%i] : tensor<8xf32>, !V, tensor<8xi32>
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<4xi32>
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.scatter.c2]}}
  tile.scatter %x, %v[%i] : tensor<8xf32>, !V, tensor<4xi32>
  tile.return
}

// -----

!V = !tile.view<?xf16, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.scatter.c3]}}
  tile.scatter %x, %v[%i] : tensor<8xf32>, !V, tensor<8xi32>
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  %m = builtin.unrealized_conversion_cast to tensor<4xi1>
  // expected-error @+1 {{[tile.scatter.c4]}}
  tile.scatter %x, %v[%i] where %m : tensor<8xf32>, !V, tensor<8xi32>, tensor<4xi1>
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{and of 'f32' does not exist; i32 and i64 have add max min umax umin and or xor xchg, f16 bf16 f32 and f64 add max min xchg [tile.atomic_rmw.c1]}}
  tile.atomic_rmw and %x, %v[%i] relaxed agent : tensor<8xf32>, !V
  tile.return
}

// -----

!V = !tile.view<?xi8, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xi8>
  // expected-error @+1 {{[tile.atomic_rmw.c1]}}
  tile.atomic_rmw add %x, %v[%i] relaxed agent : tensor<8xi8>, !V
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{no order 'seq_cst'; there are relaxed acquire release acq_rel [tile.atomic_rmw.c2]}}
  tile.atomic_rmw add %x, %v[%i] seq_cst agent : tensor<8xf32>, !V
  tile.return
}

// -----

!V = !tile.view<?xf32, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{no scope 'device'; there are workgroup agent system [tile.atomic_rmw.c3]}}
  tile.atomic_rmw add %x, %v[%i] relaxed device : tensor<8xf32>, !V
  tile.return
}

// -----

!V = !tile.view<?xf16, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.atomic_rmw.c4]}}
  tile.atomic_rmw add %x, %v[%i] relaxed agent : tensor<8xf32>, !V
  tile.return
}

// -----

!V = !tile.view<?x?xf32, strides = [?, 1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.atomic_rmw.c5]}}
  tile.atomic_rmw add %x, %v[%i, %i] relaxed agent : tensor<8xf32>, !V
  tile.return
}

// -----

!V = !tile.view<?x?xf32, strides = [?, 1]>
tile.kernel @k(%v: !V) {
  %i = builtin.unrealized_conversion_cast to tensor<8xi32>
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.atomic_rmw.c5]}}
  tile.atomic_rmw add %x, %v[%i] relaxed agent : tensor<8xf32>, !V, tensor<8xi32>
  tile.return
}

// -----

!V = !tile.view<?xf16, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf16>
  // expected-error @+1 {{[tile.atomic_cas.c1]}}
  %0 = tile.atomic_cas %x, %x, %v[%i] relaxed agent : tensor<8xf16>, !V
  tile.return
}

// -----

!V = !tile.view<?xi32, strides = [1]>
tile.kernel @k(%v: !V, %i: i32) {
  %x = builtin.unrealized_conversion_cast to tensor<8xf32>
  // expected-error @+1 {{[tile.atomic_cas.c4]}}
  %0 = tile.atomic_cas %x, %x, %v[%i] relaxed agent : tensor<8xf32>, !V
  tile.return
}
