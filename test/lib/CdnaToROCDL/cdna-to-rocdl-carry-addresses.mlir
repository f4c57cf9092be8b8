// RUN: tegula-opt %s --allow-unregistered-dialect --cdna-to-rocdl-carry-addresses | FileCheck %s

// %a of the next iteration is %b of this one. %c has no counterpart for the next slot, and %d adds what the loop changes.

// CHECK-LABEL: llvm.func @ring
// CHECK: %[[A0:.*]] = arith.addi %[[S0:.*]], %[[BASE:.*]] : i32
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[A:.*]] = %[[A0]])
// CHECK: %[[N:.*]] = arith.xori %[[S]]
// CHECK-NOT: arith.addi %[[S]], %[[BASE]]
// CHECK: "test.use"(%[[A]])
// CHECK: %[[B:.*]] = arith.addi %[[N]], %[[BASE]]
// CHECK: %[[C:.*]] = arith.addi %[[S]], %{{.*}} : i32
// CHECK: "test.use"(%[[B]], %[[C]])
// CHECK: scf.yield %[[N]], %[[B]]
llvm.func @ring(%s0: i32, %base: i32, %other: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %stride = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (i32) : i32 {
    %next = arith.xori %s, %stride : i32
    %a = arith.addi %s, %base : i32
    "test.use"(%a) : (i32) -> ()
    %b = arith.addi %next, %base : i32
    %c = arith.addi %s, %other : i32
    %d = arith.addi %next, %i : i32
    "test.use"(%b, %c) : (i32, i32) -> ()
    scf.yield %next : i32
  }
  llvm.return
}
