// One case for each fold of the dialect.
// RUN: tegula-opt %s -canonicalize -cse -split-input-file | FileCheck %s

!A = !tile.view<?x64xf32, names = ["M", "64"], strides = [?, 1], align = 16>

// CHECK-LABEL: tile.kernel @views
tile.kernel @views(%a: !A, %o: !tile.view<8xi32, strides = [1]>, %i: i32, %j: i32) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<1xi32>
  // CHECK-DAG: %[[C64:.*]] = arith.constant dense<64> : tensor<1xi32>
  // CHECK-DAG: %[[M:.*]] = tile.dim %{{.*}} {d = 0}
  // CHECK-DAG: %[[LEN:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
  %c0 = arith.constant 0 : i32
  %p = tile.permute_view %a {perm = [1, 0]} : !A -> !tile.view<64x?xf32, names = ["64", "M"], strides = [1, ?], align = 16>
  %d0 = tile.dim %p {d = 0} : !tile.view<64x?xf32, names = ["64", "M"], strides = [1, ?], align = 16> -> i32
  %d1 = tile.dim %p {d = 1} : !tile.view<64x?xf32, names = ["64", "M"], strides = [1, ?], align = 16> -> i32
  %s = tile.slice %a[%i:%j, :] : !A -> !tile.view<?x64xf32, names = ["", "64"], strides = [?, 1], align = 16>
  %d2 = tile.dim %s {d = 0} : !tile.view<?x64xf32, names = ["", "64"], strides = [?, 1], align = 16> -> i32
  %x = tile.expand %a {d = 0} : !A -> !tile.view<1x?x64xf32, names = ["", "M", "64"], strides = [0, ?, 1], align = 16>
  %d3 = tile.dim %x {d = 0} : !tile.view<1x?x64xf32, names = ["", "M", "64"], strides = [0, ?, 1], align = 16> -> i32
  %st = tile.stride %a {d = 1} : !A -> i64
  %n0, %n1 = tile.num_tiles %a [16, 16] : !A -> i32, i32
  // CHECK: %[[TILES:.*]] = arith.ceildivui %[[M]], %{{.*}} : i32
  // CHECK: tile.store %[[C64]]
  %b0 = tile.broadcast %d0 : i32 to tensor<1xi32>
  tile.store %b0, %o[%c0] : tensor<1xi32>, !tile.view<8xi32, strides = [1]>
  // CHECK: tile.broadcast %[[M]]
  %b1 = tile.broadcast %d1 : i32 to tensor<1xi32>
  tile.store %b1, %o[%i] : tensor<1xi32>, !tile.view<8xi32, strides = [1]>
  // CHECK: tile.broadcast %[[LEN]]
  %b2 = tile.broadcast %d2 : i32 to tensor<1xi32>
  tile.store %b2, %o[%i] : tensor<1xi32>, !tile.view<8xi32, strides = [1]>
  // CHECK: tile.store %[[ONE]]
  %b3 = tile.broadcast %d3 : i32 to tensor<1xi32>
  tile.store %b3, %o[%i] : tensor<1xi32>, !tile.view<8xi32, strides = [1]>
  // CHECK: tile.broadcast %[[TILES]]
  %b4 = tile.broadcast %n0 : i32 to tensor<1xi32>
  tile.store %b4, %o[%i] : tensor<1xi32>, !tile.view<8xi32, strides = [1]>
  tile.return
}

// -----

!O = !tile.view<64xf32, strides = [1]>
// CHECK-LABEL: tile.kernel @shapes
tile.kernel @shapes(%o: !O, %i: i32, %x: f32) {
  // CHECK: tile.broadcast %{{.*}} : f32 to tensor<4x4xf32>
  // CHECK-NEXT: tile.broadcast %{{.*}} : f32 to tensor<8xf32>
  // CHECK-NEXT: tile.store
  %b = tile.broadcast %x : f32 to tensor<4x1xf32>
  %bb = tile.broadcast %b : tensor<4x1xf32> to tensor<4x4xf32>
  %t = tile.transpose %bb {perm = [1, 0]} : tensor<4x4xf32> -> tensor<4x4xf32>
  %tt = tile.transpose %t {perm = [1, 0]} : tensor<4x4xf32> -> tensor<4x4xf32>
  %v = tile.broadcast %x : f32 to tensor<8xf32>
  %j = tile.concat %v, %v {axis = 0} : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  %e = tile.extract %j {offsets = [8]} : tensor<16xf32> -> tensor<8xf32>
  tile.store %e, %o[%i] : tensor<8xf32>, !O
  // CHECK: tile.reshape %{{.*}} : tensor<4x4xf32> to tensor<16xf32>
  %r = tile.reshape %tt : tensor<4x4xf32> to tensor<2x8xf32>
  %rr = tile.reshape %r : tensor<2x8xf32> to tensor<16xf32>
  tile.store %rr, %o[%i] : tensor<16xf32>, !O
  tile.return
}

// -----

!O = !tile.view<64xf32, strides = [1]>
// CHECK-LABEL: tile.kernel @values
tile.kernel @values(%o: !O, %i: i32, %x: f32) {
  // CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<1xbf16>
  // CHECK-DAG: %[[TENTH:.*]] = arith.constant dense<1.000000e-01> : tensor<1xf32>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<1xf32>
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<1xf32>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %hb = tile.cast %half rne : tensor<1xf32> -> tensor<1xbf16>
  // A constant that needs rounding is left to the device.
  // CHECK: tile.cast %[[TENTH]] rne
  %tenth = arith.constant dense<0.1> : tensor<1xf32>
  %tb = tile.cast %tenth rne : tensor<1xf32> -> tensor<1xbf16>
  // CHECK: arith.addf %{{.*}} : tensor<1xbf16>
  %s = arith.addf %hb, %tb : tensor<1xbf16>
  %sf = arith.extf %s : tensor<1xbf16> to tensor<1xf32>
  // CHECK: tile.store
  tile.store %sf, %o[%i] : tensor<1xf32>, !O
  // CHECK: tile.store %[[ONE]]
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %e = tile.math exp2 %zero : tensor<1xf32>
  tile.store %e, %o[%i] : tensor<1xf32>, !O
  // Only exact values fold: exp2(0.1) is computed by the device.
  // CHECK: tile.math exp2 %[[TENTH]]
  %f = tile.math exp2 %tenth : tensor<1xf32>
  tile.store %f, %o[%i] : tensor<1xf32>, !O
  // CHECK: tile.store %[[TWO]]
  %twos = arith.constant dense<2.0> : tensor<8xf32>
  %m = tile.reduce max %twos {axis = 0} : tensor<8xf32> -> tensor<1xf32>
  tile.store %m, %o[%i] : tensor<1xf32>, !O
  // CHECK: %[[B:.*]] = tile.broadcast %{{.*}} : f32 to tensor<1xf32>
  // CHECK-NEXT: tile.store %[[B]]
  %b = tile.broadcast %x : f32 to tensor<1xf32>
  %r = tile.reduce add %b {axis = 0} : tensor<1xf32> -> tensor<1xf32>
  %bits = tile.bitcast %r : tensor<1xf32> to tensor<1xi32>
  %back = tile.bitcast %bits : tensor<1xi32> to tensor<1xf32>
  tile.store %back, %o[%i] : tensor<1xf32>, !O
  tile.return
}

// -----

!X = !tile.view<?x128xf32, names = ["R", "128"], strides = [?, 1]>
!O = !tile.view<?x128xi1, names = ["R", "128"], strides = [?, 1]>
// A grid over the rows: every row is inside, and so is a static multiple of the tile.
// CHECK-LABEL: tile.kernel @valid
tile.kernel @valid(%x: !X, %o: !O) attributes {grid = @valid.grid} {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<1x64xi1>
  %p = tile.program_id {axis = 0} : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // CHECK: tile.store %[[TRUE]]
  %v = tile.valid %x[%p, %c1] : !X -> tensor<1x64xi1>
  tile.store %v, %o[%p, %c1] : tensor<1x64xi1>, !O
  // CHECK: tile.valid
  %w = tile.valid %x[%p, %c2] : !X -> tensor<1x64xi1>
  tile.store %w, %o[%p, %c1] : tensor<1x64xi1>, !O
  // CHECK: tile.valid
  %y = tile.valid %x[%p, %c1] : !X -> tensor<2x64xi1>
  tile.store %y, %o[%p, %c1] : tensor<2x64xi1>, !O
  tile.return
}
tile.func private @valid.grid(%x: !X, %o: !O) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

// -----

!A = !tile.view<?x64xf32, names = ["M", "64"], strides = [?, 1], align = 16>

// A gather whose indices count from a tile index on is a load; an axis that stands still is an element.

// CHECK-LABEL: tile.kernel @counted
tile.kernel @counted(%a: !A, %i: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK-NOT: tile.gather
  // CHECK: tile.load %{{.*}}[%arg1, %[[C1]]] pad(5.0{{.*}}) : {{.*}} -> tensor<8x16xf32>
  %first = arith.muli %i, %c8 : i32
  %rows0 = tile.broadcast %first : i32 to tensor<8x1xi32>
  %rows1 = tile.iota {axis = 0} : tensor<8x1xi32>
  %rows2 = arith.addi %rows0, %rows1 : tensor<8x1xi32>
  %rows = tile.broadcast %rows2 : tensor<8x1xi32> to tensor<8x16xi32>
  %c16 = arith.constant dense<16> : tensor<8x16xi32>
  %columns0 = tile.iota {axis = 1} : tensor<8x16xi32>
  %columns = arith.addi %columns0, %c16 : tensor<8x16xi32>
  %g = tile.gather %a[%rows, %columns] pad(5.0) : !A, tensor<8x16xi32>, tensor<8x16xi32> -> tensor<8x16xf32>
  tile.store %g, %a[%c0, %c0] : tensor<8x16xf32>, !A
  // CHECK: %[[ROW:.*]] = tile.load %{{.*}}[%arg2, %[[C0]]] pad(0.0{{.*}}) : {{.*}} -> tensor<1x64xf32>
  // CHECK: tile.reshape %[[ROW]] : tensor<1x64xf32> to tensor<64xf32>
  %same = tile.broadcast %n : i32 to tensor<64xi32>
  %all = tile.iota {axis = 0} : tensor<64xi32>
  %h = tile.gather %a[%same, %all] pad(0.0) : !A, tensor<64xi32>, tensor<64xi32> -> tensor<64xf32>
  %h2 = tile.reshape %h : tensor<64xf32> to tensor<1x64xf32>
  tile.store %h2, %a[%c0, %c0] : tensor<1x64xf32>, !A
  tile.return
}

// -----

!A = !tile.view<?x64xf32, names = ["M", "64"], strides = [?, 1], align = 16>

// None of these is: no multiple of the tile, the axes exchanged, one axis counted twice.

// CHECK-LABEL: tile.kernel @not_counted
// CHECK-COUNT-3: tile.gather
tile.kernel @not_counted(%a: !A, %i: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %five = arith.constant dense<5> : tensor<8x8xi32>
  %rows = tile.iota {axis = 0} : tensor<8x8xi32>
  %columns = tile.iota {axis = 1} : tensor<8x8xi32>
  %moved = arith.addi %columns, %five : tensor<8x8xi32>
  %x = tile.gather %a[%rows, %moved] pad(0.0) : !A, tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xf32>
  tile.store %x, %a[%c0, %c0] : tensor<8x8xf32>, !A
  %y = tile.gather %a[%columns, %rows] pad(0.0) : !A, tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xf32>
  tile.store %y, %a[%c0, %c0] : tensor<8x8xf32>, !A
  %z = tile.gather %a[%rows, %rows] pad(0.0) : !A, tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xf32>
  tile.store %z, %a[%c0, %c0] : tensor<8x8xf32>, !A
  tile.return
}

// -----

!A = !tile.view<?x64xf32, names = ["M", "64"], strides = [?, 1], align = 16>

// CHECK-LABEL: tile.kernel @taken
tile.kernel @taken(%a: !A, %i: i32) {
  %c0 = arith.constant 0 : i32
  // CHECK: %[[T:.*]] = tile.load
  %t = tile.load %a[%c0, %c0] pad(0.0) : !A -> tensor<8x64xf32>
  // CHECK: tile.extract %[[T]] {offsets = [2, 0]} : tensor<8x64xf32> -> tensor<4x64xf32>
  %two = arith.constant dense<2> : tensor<4x64xi32>
  %up = tile.iota {axis = 0} : tensor<4x64xi32>
  %places = arith.addi %up, %two : tensor<4x64xi32>
  %x = tile.take %t, %places {axis = 0} : tensor<8x64xf32>, tensor<4x64xi32> -> tensor<4x64xf32>
  tile.store %x, %a[%c0, %c0] : tensor<4x64xf32>, !A
  // CHECK: %[[E:.*]] = tile.extract %[[T]] {offsets = [2, 0]} : tensor<8x64xf32> -> tensor<1x64xf32>
  // CHECK: tile.broadcast %[[E]] : tensor<1x64xf32> to tensor<4x64xf32>
  %y = tile.take %t, %two {axis = 0} : tensor<8x64xf32>, tensor<4x64xi32> -> tensor<4x64xf32>
  tile.store %y, %a[%c0, %c0] : tensor<4x64xf32>, !A
  // CHECK: tile.store %[[T]]
  %all = tile.iota {axis = 0} : tensor<8x64xi32>
  %z = tile.take %t, %all {axis = 0} : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8x64xf32>
  tile.store %z, %a[%c0, %c0] : tensor<8x64xf32>, !A
  // Outside of the axis, and by another axis: not known.
  // CHECK-COUNT-2: tile.take
  %far = arith.constant dense<9> : tensor<8x64xi32>
  %u = tile.take %t, %far {axis = 0} : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8x64xf32>
  tile.store %u, %a[%c0, %c0] : tensor<8x64xf32>, !A
  %other = tile.iota {axis = 1} : tensor<8x64xi32>
  %v = tile.take %t, %other {axis = 0} : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8x64xf32>
  tile.store %v, %a[%c0, %c0] : tensor<8x64xf32>, !A
  tile.return
}
