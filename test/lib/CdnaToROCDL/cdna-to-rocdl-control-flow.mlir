// A loop is one block that branches to itself; the test in front is left out when the first iteration surely runs.
// RUN: tegula-opt %s -cdna-to-rocdl-control-flow | FileCheck %s

cdna.kernel @loops(%n: i32, %a: f32) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  // CHECK: %[[ENTERS:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
  // CHECK: cf.cond_br %[[ENTERS]], ^[[LOOP:bb[0-9]+]](%c0_i32, %[[A:.*]] : i32, f32), ^[[END:bb[0-9]+]](%[[A]] : f32)
  // CHECK: ^[[LOOP]](%[[I:.*]]: i32, %[[X:.*]]: f32):
  // CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[A]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1_i32
  // CHECK: %[[AGAIN:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
  // CHECK: cf.cond_br %[[AGAIN]], ^[[LOOP]](%[[NEXT]], %[[Y]] : i32, f32), ^[[END]](%[[Y]] : f32)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (f32) : i32 {
    %y = arith.addf %x, %a : f32
    scf.yield %y : f32
  }
  // CHECK: ^[[END]](%[[R:.*]]: f32):
  // CHECK-NEXT: cf.br ^[[FOUR:bb[0-9]+]](%c0_i32, %[[R]] : i32, f32)
  // CHECK: ^[[FOUR]]
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %r) -> (f32) : i32 {
    %y = arith.addf %x, %a : f32
    scf.yield %y : f32
  }
  // CHECK: cf.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^
  // CHECK: ^[[THEN]]:
  // CHECK-NEXT: cf.br
  %some = arith.cmpi sgt, %n, %c0 : i32
  scf.if %some {
    scf.for %i = %c0 to %n step %c1 : i32 {
      cdna.barrier
    }
  }
  cdna.return
}
