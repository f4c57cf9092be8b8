// RUN: tegula-opt %s -tile-split-tails -split-input-file | FileCheck %s
// RUN: tegula-opt %s -tile-split-tails -canonicalize -split-input-file | FileCheck %s --check-prefix=CANON

!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>
!C = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>

// CHECK-LABEL: tile.kernel @dynamic
// CHECK-SAME: tile.tails_split
// CHECK: %[[K:.*]] = tile.dim
// CHECK: %[[FULL:.*]] = arith.divui %[[K]], %[[C64:.*]] : i32
// CHECK: %[[LOOP:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FULL]] step
// CHECK: tile.mma
// CHECK: %[[REST:.*]] = arith.remui %[[K]], %[[C64]] : i32
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[REST]], %{{.*}} : i32
// CHECK: %[[R:.*]] = scf.if %[[SOME]]
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[FULL]]]
// CHECK: tile.load %{{.*}}[%[[FULL]], %{{.*}}]
// CHECK: %[[D:.*]] = tile.mma %{{.*}}, %{{.*}}, %[[LOOP]]
// CHECK: scf.yield %[[D]]
// CHECK: } else {
// CHECK: scf.yield %[[LOOP]]
// CHECK: tile.store %[[R]]
tile.kernel @dynamic(%a: !A, %b: !B, %c: !C, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %K = tile.dim %a {d = 1} : !A -> i32
  %nk = arith.ceildivui %K, %c64 : i32
  %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<32x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !B -> tensor<64x32xbf16>
    %y = tile.mma %at, %bt, %x : tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x32xf32>
    scf.yield %y : tensor<32x32xf32>
  }
  tile.store %acc, %c[%m, %n] : tensor<32x32xf32>, !C
  tile.return
}

// -----

// Static extents: 128 has no rest, 65 has one for certain, 63 is nothing but a rest.
// CANON-LABEL: tile.kernel @k128
// CANON: scf.for
// CANON: tile.reduce
// CANON-NOT: tile.reduce
// CANON-LABEL: tile.kernel @k65
// CANON-NOT: scf.if
// CANON-COUNT-2: tile.reduce
// CANON-NOT: tile.reduce
// CANON-LABEL: tile.kernel @k63
// CANON-NOT: scf
// CANON: tile.reduce
// CANON-NOT: tile.reduce
// CANON-LABEL: tile.kernel @others
!X = !tile.view<192xf32, names = ["K"], strides = [1]>
!Y = !tile.view<65xf32, names = ["L"], strides = [1]>
!Z = !tile.view<63xf32, names = ["P"], strides = [1]>
!O = !tile.view<1xf32, strides = [1]>
tile.kernel @k128(%x: !X, %o: !O) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<1xf32>) : i32 {
    %t = tile.load %x[%k] pad(0.0) : !X -> tensor<64xf32>
    %p = tile.reduce add %t {axis = 0} : tensor<64xf32> -> tensor<1xf32>
    %q = arith.addf %p, %s : tensor<1xf32>
    scf.yield %q : tensor<1xf32>
  }
  tile.store %r, %o[%c0] : tensor<1xf32>, !O
  tile.return
}
tile.kernel @k65(%x: !Y, %o: !O) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<1xf32>) : i32 {
    %t = tile.load %x[%k] pad(0.0) : !Y -> tensor<64xf32>
    %p = tile.reduce add %t {axis = 0} : tensor<64xf32> -> tensor<1xf32>
    %q = arith.addf %p, %s : tensor<1xf32>
    scf.yield %q : tensor<1xf32>
  }
  tile.store %r, %o[%c0] : tensor<1xf32>, !O
  tile.return
}
tile.kernel @k63(%x: !Z, %o: !O) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<1xf32>) : i32 {
    %t = tile.load %x[%k] pad(0.0) : !Z -> tensor<64xf32>
    %p = tile.reduce add %t {axis = 0} : tensor<64xf32> -> tensor<1xf32>
    %q = arith.addf %p, %s : tensor<1xf32>
    scf.yield %q : tensor<1xf32>
  }
  tile.store %r, %o[%c0] : tensor<1xf32>, !O
  tile.return
}

// -----

// A loop without a product or a reduction keeps its masks, and so does one whose loads stride by something else.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT: scf.if
!V = !tile.view<?xf32, names = ["N"], strides = [1]>
tile.kernel @others(%x: !V, %y: !V, %o: !V) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %x {d = 0} : !V -> i32
  %n = arith.ceildivui %N, %c64 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %t = tile.load %x[%k] pad(0.0) : !V -> tensor<64xf32>
    tile.store %t, %o[%k] : tensor<64xf32>, !V
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    %t = tile.load %x[%k] pad(0.0) : !V -> tensor<32xf32>
    %p = tile.reduce add %t {axis = 0} : tensor<32xf32> -> tensor<1xf32>
    tile.store %p, %o[%k] : tensor<1xf32>, !V
  }
  tile.return
}
