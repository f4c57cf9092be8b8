// RUN: tegula-opt %s -mlir-print-local-scope -pass-pipeline="builtin.module(tile.kernel(cdna-assign-layouts),cdna-lower-tile,canonicalize,cse,cdna.kernel(cdna-order-memory))" -split-input-file | FileCheck %s

// What other lanes have stored is read after a fence; what a lane has stored itself without.
!X = !tile.view<?xf32, strides = [1]>
// CHECK-LABEL: cdna.kernel @read_back
// CHECK: cdna.store
// CHECK: cdna.order release workgroup
// CHECK: cdna.load_indexed
// CHECK-NOT: cdna.order
// CHECK: cdna.store
tile.kernel @read_back(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y"}, %i: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %t = tile.load %y[%i] pad(0.0) : !X -> tensor<128xf32>
  tile.store %t, %x[%i] : tensor<128xf32>, !X
  %n = tile.iota {axis = 0} : tensor<128xi32>
  %g = tile.gather %x[%n] pad(0.0) : !X, tensor<128xi32> -> tensor<128xf32>
  tile.store %g, %y[%i] : tensor<128xf32>, !X
  tile.return
}

// -----

// In place, tile by tile: each lane comes back to its own elements, in later iterations to none.
!X = !tile.view<?xf32, strides = [1]>
// CHECK-LABEL: cdna.kernel @in_place
// CHECK-NOT: cdna.order
// CHECK: cdna.return
tile.kernel @in_place(%x: !X {tile.name = "x"}, %n: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %x[%i] pad(0.0) : !X -> tensor<128xf32>
    %u = arith.addf %t, %t : tensor<128xf32>
    tile.store %u, %x[%i] : tensor<128xf32>, !X
  }
  tile.return
}

// -----

// The scatter of an iteration comes before the gather of the next one. Sums do not wait for one another.
!X = !tile.view<?xf32, strides = [1]>
!I = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: cdna.kernel @loop
// CHECK: scf.for
// CHECK: cdna.order release workgroup
// CHECK: cdna.load_indexed
// CHECK: cdna.order release workgroup
// CHECK: cdna.store_indexed
// CHECK: }
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw
// CHECK-NOT: cdna.order
// CHECK: cdna.atomic_rmw
tile.kernel @loop(%x: !X {tile.name = "x"}, %k: !I {tile.name = "k"}, %n: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.load %k[%i] pad(0) : !I -> tensor<128xi32>
    %t = tile.gather %x[%p] pad(0.0) : !X, tensor<128xi32> -> tensor<128xf32>
    %u = arith.addf %t, %t : tensor<128xf32>
    tile.scatter %u, %x[%p] : tensor<128xf32>, !X, tensor<128xi32>
  }
  %ones = arith.constant dense<1.0> : tensor<128xf32>
  tile.atomic_rmw add %ones, %x[%c0] relaxed agent : tensor<128xf32>, !X
  tile.atomic_rmw add %ones, %x[%c1] relaxed agent : tensor<128xf32>, !X
  tile.return
}

// -----

// Waves 1 to 3 hold copies of what wave 0 alone stores.
!X = !tile.view<?xf32, strides = [1]>
// CHECK-LABEL: cdna.kernel @copies
// CHECK: cdna.store
// CHECK: cdna.order release workgroup
// CHECK: cdna.load
// CHECK-NOT: cdna.order
// CHECK: cdna.return
tile.kernel @copies(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y"}, %i: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 4]>} {
  %t = tile.load %y[%i] pad(0.0) : !X -> tensor<64xf32>
  tile.store %t, %x[%i] : tensor<64xf32>, !X
  %u = tile.load %x[%i] pad(0.0) : !X -> tensor<64xf32>
  tile.store %u, %y[%i] : tensor<64xf32>, !X
  tile.return
}

// -----

// Updates of different kinds, exchanges and those whose old values are used come in order.
!X = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: cdna.kernel @updates
// CHECK: cdna.atomic_rmw add
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw max
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw xchg
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw xchg
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw add
// CHECK: cdna.order release workgroup
// CHECK: cdna.atomic_rmw add
tile.kernel @updates(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y"}, %i: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %ones = arith.constant dense<1> : tensor<128xi32>
  tile.atomic_rmw add %ones, %x[%i] relaxed agent : tensor<128xi32>, !X
  tile.atomic_rmw max %ones, %x[%i] relaxed agent : tensor<128xi32>, !X
  tile.atomic_rmw xchg %ones, %x[%i] relaxed agent : tensor<128xi32>, !X
  tile.atomic_rmw xchg %ones, %x[%i] relaxed agent : tensor<128xi32>, !X
  %old = tile.atomic_rmw add %ones, %x[%i] relaxed agent : tensor<128xi32>, !X -> tensor<128xi32>
  tile.atomic_rmw add %ones, %x[%i] relaxed agent : tensor<128xi32>, !X
  tile.store %old, %y[%i] : tensor<128xi32>, !X
  tile.return
}

// -----

// In loops around loops: what one turn of the outer loop has scattered is gathered in the next one, before the inner
// loop, and in it.
!X = !tile.view<?xf32, strides = [1]>
!I = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: cdna.kernel @nested
// CHECK: scf.for
// CHECK: cdna.order release workgroup
// CHECK: cdna.load_indexed
// CHECK: scf.for
// CHECK: cdna.order release workgroup
// CHECK: cdna.store_indexed
// CHECK-NOT: cdna.order
// CHECK: cdna.return
tile.kernel @nested(%x: !X {tile.name = "x"}, %k: !I {tile.name = "k"}, %n: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.load %k[%i] pad(0) : !I -> tensor<128xi32>
    %t = tile.gather %x[%p] pad(0.0) : !X, tensor<128xi32> -> tensor<128xf32>
    scf.for %j = %c0 to %n step %c1 : i32 {
      %q = tile.load %k[%j] pad(0) : !I -> tensor<128xi32>
      tile.scatter %t, %x[%q] : tensor<128xf32>, !X, tensor<128xi32>
    }
  }
  tile.return
}
