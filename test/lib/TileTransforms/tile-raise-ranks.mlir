// RUN: tegula-opt %s -tile-raise-ranks | FileCheck %s

// CHECK-NOT: tensor<f32>
// CHECK-NOT: tensor<i1>
// CHECK-LABEL: tile.kernel @k
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<1xf32>
// CHECK: %[[SUM:.*]] = tile.reshape %{{.*}} : tensor<1x1xf32> to tensor<1xf32>
// CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[SUM]]) -> (tensor<1xf32>)
// CHECK: arith.addf %[[CARRIED]], %[[ONE]] : tensor<1xf32>
// CHECK: tile.element %{{.*}} : tensor<1xi1> -> i1
// CHECK: scf.if %{{.*}} -> (tensor<1xf32>)
// CHECK: tile.broadcast %{{.*}} : f32 to tensor<1xf32>
tile.kernel @k(%n: i32, %s: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = arith.constant dense<2.0> : tensor<1x1xf32>
  %sum = tile.reshape %x : tensor<1x1xf32> to tensor<f32>
  %same = tile.transpose %sum {perm = []} : tensor<f32> -> tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %same) -> (tensor<f32>) : i32 {
    %z = arith.addf %y, %one : tensor<f32>
    scf.yield %z : tensor<f32>
  }
  %less = arith.cmpf olt, %r, %one : tensor<f32>
  %c = tile.element %less : tensor<i1> -> i1
  %t = scf.if %c -> (tensor<f32>) {
    scf.yield %r : tensor<f32>
  } else {
    %b = tile.broadcast %s : f32 to tensor<f32>
    scf.yield %b : tensor<f32>
  }
  tile.print "{}", %t : tensor<f32>
  tile.return
}
