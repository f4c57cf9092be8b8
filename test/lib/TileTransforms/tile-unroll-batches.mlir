// RUN: tegula-opt %s -tile-unroll-batches -canonicalize -cse | FileCheck %s

!A = !tile.view<?x?x?xbf16, names = ["B", "M", "K"], strides = [?, ?, 1], align = 16>
!B = !tile.view<?x?x?xbf16, names = ["B", "K", "N"], strides = [?, ?, 1], align = 16>
!C = !tile.view<?x?x?xf32, names = ["B", "M", "N"], strides = [?, ?, 1], align = 16>

// Loads, what the loop carries, and the store are taken apart with the products. Batch i of the tile is at element 2·b + i;
// beyond the last batch the view of one is empty.
// CHECK-LABEL: tile.kernel @product
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args({{.*}}) -> (tensor<32x32xf32>, tensor<32x32xf32>)
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[LIVES:.*]] = arith.cmpi ult, %[[FIRST]], %[[BATCHES:.*]] : i32
// CHECK: %[[M:.*]] = arith.select %[[LIVES]], %{{.*}}, %c0_i32
// CHECK: %[[ROWS:.*]] = tile.slice %arg0[:, :%[[M]], :]
// CHECK: %[[ONE:.*]] = tile.index %[[ROWS]] {d = 0} %[[FIRST]]
// CHECK: tile.load %[[ONE]]{{.*}} -> tensor<32x64xbf16>
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %{{.*}} : i32
// CHECK: arith.cmpi ult, %[[SECOND]], %[[BATCHES]]
// CHECK-COUNT-2: tile.mma {{.*}} : tensor<32x64xbf16>, tensor<64x32xbf16>, tensor<32x32xf32>
// CHECK: scf.yield
// CHECK-COUNT-2: arith.mulf {{.*}} : tensor<32x32xf32>
// CHECK-COUNT-2: tile.store {{.*}} : tensor<32x32xf32>
// CHECK-NOT: tensor<2x
tile.kernel @product(%a: !A, %b: !B, %c: !C, %i: i32, %m: i32, %n: i32, %nk: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<2x32x32xf32>
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<2x32x32xf32>) : i32 {
    %at = tile.load %a[%i, %m, %k] pad(0.0) : !A -> tensor<2x32x64xbf16>
    %bt = tile.load %b[%i, %k, %n] pad(0.0) : !B -> tensor<2x64x32xbf16>
    %y = tile.mma %at, %bt, %x : tensor<2x32x64xbf16>, tensor<2x64x32xbf16>, tensor<2x32x32xf32>
    scf.yield %y : tensor<2x32x32xf32>
  }
  %s = arith.mulf %r, %r : tensor<2x32x32xf32>
  tile.store %s, %c[%i, %m, %n] : tensor<2x32x32xf32>, !C
  tile.return
}

// Transposes and reductions of other axes lose the batch axis; who looks at the whole gets it put together.
// CHECK-LABEL: tile.kernel @neighbours
// CHECK-COUNT-2: tile.transpose {{.*}} {perm = [1, 0]} : tensor<64x32xbf16> -> tensor<32x64xbf16>
// CHECK-COUNT-2: tile.mma
// CHECK-COUNT-2: tile.reduce max {{.*}} {axis = 1} : tensor<32x32xf32> -> tensor<32x1xf32>
// CHECK: %[[WHOLE:.*]] = tile.concat {{.*}} -> tensor<2x32x1xf32>
// CHECK: tile.reduce add %[[WHOLE]] {axis = 0} : tensor<2x32x1xf32> -> tensor<1x32x1xf32>
tile.kernel @neighbours(%a: !A, %b: !B, %c: !C, %i: i32) {
  %zero = arith.constant dense<0.0> : tensor<2x32x32xf32>
  %l = tile.load %a[%i, %i, %i] pad(0.0) : !A -> tensor<2x64x32xbf16>
  %at = tile.transpose %l {perm = [0, 2, 1]} : tensor<2x64x32xbf16> -> tensor<2x32x64xbf16>
  %bt = tile.load %b[%i, %i, %i] pad(0.0) : !B -> tensor<2x64x32xbf16>
  %y = tile.mma %at, %bt, %zero : tensor<2x32x64xbf16>, tensor<2x64x32xbf16>, tensor<2x32x32xf32>
  %t = tile.reduce max %y {axis = 2} : tensor<2x32x32xf32> -> tensor<2x32x1xf32>
  %s = tile.reduce add %t {axis = 0} : tensor<2x32x1xf32> -> tensor<1x32x1xf32>
  tile.store %s, %c[%i, %i, %i] : tensor<1x32x1xf32>, !C
  tile.return
}

// What no product of batches is tied to stays as it is.
// CHECK-LABEL: tile.kernel @others
// CHECK: tile.load {{.*}} -> tensor<2x32x64xbf16>
tile.kernel @others(%a: !A, %i: i32) {
  %at = tile.load %a[%i, %i, %i] pad(0.0) : !A -> tensor<2x32x64xbf16>
  %s = arith.addf %at, %at : tensor<2x32x64xbf16>
  tile.store %s, %a[%i, %i, %i] : tensor<2x32x64xbf16>, !A
  tile.return
}
