// A kernel shrinks to the op that the script asks for; loops, branches and unused arguments go.
// RUN: tegula-reduce %s --test %S/Inputs/has-rsqrt.sh | FileCheck %s
// RUN: tegula-reduce %s --test %S/Inputs/has-rsqrt.sh -o %t.mlir
// RUN: %S/Inputs/has-rsqrt.sh %t.mlir
// The op may stand in the body of a while loop.
// RUN: sed 's/tile.math rsqrt %%sum/arith.addf %%sum, %%sum/; s/arith.addf %%a, %%a/tile.math rsqrt %%a/' %s > %t.while.mlir
// RUN: tegula-reduce %t.while.mlir --test %S/Inputs/has-rsqrt.sh | FileCheck %s
// RUN: not tegula-reduce %s --test %S/Inputs/wants-overflow.sh 2>&1 | FileCheck %s --check-prefix=DULL
// RUN: not tegula-reduce %s --test %S/no-such-script 2>&1 | FileCheck %s --check-prefix=SCRIPT
// RUN: not tegula-reduce %S/no-such-file --test %S/Inputs/has-rsqrt.sh 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tegula-reduce %s 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: tegula-reduce --help | FileCheck %s --check-prefix=USAGE
// RUN: not tegula-reduce %s --test true -o %t.dir/none/x 2>&1 | FileCheck %s --check-prefix=OUTPUT

// CHECK: tile.kernel @k(%arg0: {{[^%]*}}) attributes
// CHECK-NOT: scf
// CHECK-NOT: tile.load
// CHECK-NOT: arith.mulf
// CHECK: arith.constant dense<0.000000e+00> : tensor<16x16xf32>
// CHECK-NEXT: tile.math rsqrt
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.return
// DULL: tegula-reduce: {{.*}}reduce.mlir is not interesting
// SCRIPT: tegula-reduce: {{.*}}no-such-script is not a program
// FILE: no-such-file
// USAGE: Usage: tegula-reduce FILE --test PROGRAM
// OUTPUT: tegula-reduce: {{.*}}none/x: No such file or directory
!V = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1]>
tile.kernel @k(%x: !V {tile.name = "x"}, %n: i32 {tile.name = "n"})
    attributes {grid = @k.grid, target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = tile.load %x[%c0, %c0] pad(0.0) : !V -> tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<16x16xf32>) : i32 {
    %u = tile.load %x[%c0, %k] pad(0.0) : !V -> tensor<16x16xf32>
    %p = arith.mulf %u, %u : tensor<16x16xf32>
    %b = arith.addf %a, %p : tensor<16x16xf32>
    scf.yield %b : tensor<16x16xf32>
  }
  %positive = arith.cmpi sgt, %n, %c0 : i32
  %chosen = scf.if %positive -> (tensor<16x16xf32>) {
    %r = tile.math rsqrt %sum : tensor<16x16xf32>
    %s = arith.addf %r, %t : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  } else {
    scf.yield %t : tensor<16x16xf32>
  }
  %last:2 = scf.while (%i = %c0, %a = %chosen) : (i32, tensor<16x16xf32>) -> (i32, tensor<16x16xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %a : i32, tensor<16x16xf32>
  } do {
  ^bb0(%i: i32, %a: tensor<16x16xf32>):
    %d = arith.addf %a, %a : tensor<16x16xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %d : i32, tensor<16x16xf32>
  }
  tile.store %last#1, %x[%c0, %c0] : tensor<16x16xf32>, !V
  tile.return
}
tile.func private @k.grid(%x: !V, %n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  tile.return %c1 : i32
}
