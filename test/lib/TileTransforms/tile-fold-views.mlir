// RUN: tegula-opt %s -tile-fold-views -canonicalize | FileCheck %s

!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!At = !tile.view<?x?xbf16, names = ["K", "M"], strides = [1, ?], align = 16>
!R = !tile.view<?x?x?x?xf32, names = ["A", "B", "C", "D"], strides = [?, ?, ?, 1]>
!Rp = !tile.view<?x?x?x?xf32, names = ["D", "B", "A", "C"], strides = [1, ?, ?, ?]>

// CHECK-LABEL: tile.kernel @load
// CHECK: %[[P:.*]] = tile.permute_view %{{.*}} {perm = [1, 0]}
// CHECK: %[[T:.*]] = tile.load %[[P]][%[[K:.*]], %[[M:.*]]] pad(0.0) : {{.*}} -> tensor<32x64xbf16>
// CHECK: %[[N:.*]] = arith.negf %[[T]]
// CHECK: tile.store %[[N]], %{{.*}}[%[[M]], %[[K]]]
tile.kernel @load(%a: !A, %o: !A, %m: i32, %k: i32) {
  %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<64x32xbf16>
  %u = tile.transpose %t {perm = [1, 0]} : tensor<64x32xbf16> -> tensor<32x64xbf16>
  %n = arith.negf %u : tensor<32x64xbf16>
  tile.store %n, %o[%m, %k] : tensor<32x64xbf16>, !A
  tile.return
}

// A tile that is used both ways is loaded once.
// CHECK-LABEL: tile.kernel @both
// CHECK: tile.load
// CHECK: tile.transpose
// CHECK-NOT: tile.load
tile.kernel @both(%a: !A, %o: !A, %m: i32, %k: i32) {
  %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<64x64xbf16>
  %u = tile.transpose %t {perm = [1, 0]} : tensor<64x64xbf16> -> tensor<64x64xbf16>
  %s = arith.addf %t, %u : tensor<64x64xbf16>
  tile.store %s, %o[%m, %k] : tensor<64x64xbf16>, !A
  tile.return
}

// The transposes of the tile and of the view it is stored through cancel.
// CHECK-LABEL: tile.kernel @store
// CHECK-NOT: tile.permute_view
// CHECK-NOT: tile.transpose
// CHECK: tile.store %{{.*}}, %arg1[%arg3, %arg2] : tensor<64x32xbf16>
tile.kernel @store(%a: !A, %o: !A, %m: i32, %k: i32) {
  %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<64x32xbf16>
  %p = tile.permute_view %o {perm = [1, 0]} : !A -> !At
  %x = arith.addf %t, %t : tensor<64x32xbf16>
  %y = tile.transpose %x {perm = [1, 0]} : tensor<64x32xbf16> -> tensor<32x64xbf16>
  tile.store %y, %p[%m, %k] : tensor<32x64xbf16>, !At
  tile.return
}

// CHECK-LABEL: tile.kernel @rank4
// CHECK: %[[I:.*]] = tile.index %arg0 {d = 1} %arg2 : {{.*}} -> !tile.view<?x?x?xf32, names = ["A", "C", "D"], strides = [?, ?, 1]>
// CHECK: %[[P:.*]] = tile.permute_view %[[I]] {perm = [2, 0, 1]} : {{.*}} -> !tile.view<?x?x?xf32, names = ["D", "A", "C"], strides = [1, ?, ?]>
// CHECK: tile.load %[[P]]
tile.kernel @rank4(%a: !R, %o: !R, %i: i32) {
  %p = tile.permute_view %a {perm = [3, 1, 0, 2]} : !R -> !Rp
  %x = tile.index %p {d = 1} %i : !Rp -> !tile.view<?x?x?xf32, names = ["D", "A", "C"], strides = [1, ?, ?]>
  %t = tile.load %x[%i, %i, %i] pad(0.0) : !tile.view<?x?x?xf32, names = ["D", "A", "C"], strides = [1, ?, ?]> -> tensor<4x4x4xf32>
  tile.store %t, %x[%i, %i, %i] : tensor<4x4x4xf32>, !tile.view<?x?x?xf32, names = ["D", "A", "C"], strides = [1, ?, ?]>
  tile.return
}

// CHECK-LABEL: tile.kernel @index_of_expand
// CHECK-NOT: tile.expand
// CHECK: tile.load %arg0
tile.kernel @index_of_expand(%a: !A, %o: !A, %i: i32) {
  %c0 = arith.constant 0 : i32
  %e = tile.expand %a {d = 1} : !A -> !tile.view<?x1x?xbf16, names = ["M", "", "K"], strides = [?, 0, 1], align = 16>
  %x = tile.index %e {d = 1} %c0 : !tile.view<?x1x?xbf16, names = ["M", "", "K"], strides = [?, 0, 1], align = 16> -> !A
  %t = tile.load %x[%i, %i] pad(0.0) : !A -> tensor<4x4xbf16>
  tile.store %t, %o[%i, %i] : tensor<4x4xbf16>, !A
  tile.return
}
