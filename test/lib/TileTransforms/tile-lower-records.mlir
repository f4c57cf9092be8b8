// RUN: tegula-opt %s -canonicalize -tile-lower-records -split-input-file | FileCheck %s

!X = !tile.view<?xf32, names = ["N"], strides = [1]>

// An assertion of a scalar: a branch that writes a record and ends the workgroup.
// CHECK-LABEL: tile.kernel @scalar(
// CHECK-SAME: %[[RECORDS:[a-z0-9]+]]: !tile.view<131088xi64, strides = [1]> {tile.alias = 3 : i32, tile.records})
// CHECK-SAME: tile.asserts
// CHECK-SAME: tile.record_sites = [{fields = [{dtype = "i32", shape = []}], format = "n is {}", kind = "assert",
// CHECK-SAME: shape = []}]
// CHECK: %[[FAILED:.*]] = arith.xori %arg1, %true
// CHECK: scf.if %[[FAILED]] {
// CHECK: %[[OLD:.*]] = tile.atomic_rmw add %{{.*}}, %[[RECORDS]][%{{.*}}] relaxed agent
// CHECK: %[[TAKEN:.*]] = tile.element %[[OLD]] : tensor<1xi64> -> i64
// CHECK: arith.addi %[[TAKEN]], %c16_i64
// CHECK: tile.scatter %{{.*}}, %[[RECORDS]][%{{.*}}] : tensor<7xi64>
// CHECK: tile.exit
// CHECK: }
// CHECK: tile.func private @scalar.grid(%{{.*}}: !tile.view<?xf32{{.*}}, %{{.*}}: i1, %{{.*}}: i32, %{{.*}}: !tile.view<131088xi64, strides = [1]>)
tile.kernel @scalar(%x: !X {tile.alias = 2 : i32}, %ok: i1, %n: i32)
    attributes {grid = @scalar.grid, tile.asserts} {
  tile.assert %ok, "n is {}"(%n) : i1, i32
  tile.return
}
tile.func private @scalar.grid(%x: !X, %ok: i1, %n: i32) -> i32 {
  tile.return %n : i32
}

// -----

// Of a tile the first element that fails, and its value.
// CHECK-LABEL: tile.kernel @tile(
// CHECK-SAME: format = "{u} of {}", kind = "bounds"
// CHECK-SAME: shape = [4, 8]
// CHECK: %[[NUMBERS:.*]] = arith.addi
// CHECK: %[[FAILING:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NUMBERS]]
// CHECK: tile.reduce min %[[FAILING]] {axis = 0} : tensor<4x8xi32> -> tensor<1x8xi32>
// CHECK: %[[FIRST:.*]] = tile.element
// CHECK: scf.if
// CHECK: %[[WORD:.*]] = arith.extui %{{.*}} : tensor<4x8xi32> to tensor<4x8xi64>
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %[[NUMBERS]]
// CHECK: arith.select %[[HERE]], %[[WORD]]
// CHECK: tile.reduce add
tile.kernel @tile(%n: i32) attributes {tile.asserts} {
  %x = tile.iota {axis = 0} : tensor<4x8xi32>
  %b = tile.broadcast %n : i32 to tensor<4x8xi32>
  %ok = arith.cmpi ult, %x, %b : tensor<4x8xi32>
  tile.assert %ok, "{u} of {}"(%x, %n) bounds : tensor<4x8xi1>, tensor<4x8xi32>, i32
  tile.return
}

// -----

// Without tile.asserts assertions are dropped, and what they compare; so are those that hold.
// CHECK-LABEL: tile.kernel @dropped(%arg0: i32)
// CHECK-NEXT: tile.return
tile.kernel @dropped(%n: i32) {
  %x = tile.iota {axis = 0} : tensor<64xi32>
  %b = tile.broadcast %n : i32 to tensor<64xi32>
  %ok = arith.cmpi ult, %x, %b : tensor<64xi32>
  tile.assert %ok, "{}"(%x) : tensor<64xi1>, tensor<64xi32>
  tile.return
}
// CHECK-LABEL: tile.kernel @holds() attributes {tile.asserts}
// CHECK-NEXT: tile.return
tile.kernel @holds() attributes {tile.asserts} {
  %ok = arith.constant dense<true> : tensor<64xi1>
  tile.assert %ok, "always" : tensor<64xi1>
  tile.return
}

// -----

// Prints stay: scalars in front, tiles behind them.
// CHECK-LABEL: tile.kernel @prints
// CHECK-SAME: fields = [{dtype = "f16", shape = [64]}, {dtype = "i1", shape = []}], format = "{} {}", kind = "print"
// CHECK: %[[F64:.*]] = arith.extf %{{.*}} : tensor<64xf16> to tensor<64xf64>
// CHECK: %[[WORDS:.*]] = tile.bitcast %[[F64]] : tensor<64xf64> to tensor<64xi64>
// CHECK: arith.extui %{{.*}} : i1 to i64
// CHECK: dense<71> : tensor<1xi64>
// CHECK: tile.scatter %{{.*}} : tensor<7xi64>
// CHECK: tile.scatter %[[WORDS]]
// CHECK-NOT: tile.exit
tile.kernel @prints(%x: !tile.view<?xf16, strides = [1]>, %b: i1) {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0] pad(0.0) : !tile.view<?xf16, strides = [1]> -> tensor<64xf16>
  tile.print "{} {}", %t, %b : tensor<64xf16>, i1
  tile.return
}
