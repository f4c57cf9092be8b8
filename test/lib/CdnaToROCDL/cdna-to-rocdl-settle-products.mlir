// Branches in loops, loops that hold control flow, and loops without a count, that end with matrix instructions wait for
// them; nothing else does.
// RUN: tegula-opt %s -cdna-to-rocdl-settle-products | FileCheck %s

// CHECK-LABEL: llvm.func @product
// CHECK-COUNT-1: scf.while
// CHECK: rocdl.mfma
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.nop"(%[[LONG:.*]]) : (i16)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.nop"(%[[SHORT:.*]]) : (i16)
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK: scf.if
// CHECK: rocdl.mfma
// CHECK: s.nop
// CHECK: s.nop
// CHECK: else
// CHECK-NOT: s.nop
// CHECK: }
// CHECK: s.nop
// CHECK: s.nop
// CHECK: scf.yield
// CHECK: scf.for
// CHECK-NEXT: rocdl.mfma
// CHECK-NOT: s.nop
// CHECK: scf.if
// CHECK-NEXT: rocdl.mfma
// CHECK-NOT: s.nop
// CHECK: llvm.return
llvm.func @product(%a: vector<4xf16>, %c: vector<4xf32>, %p: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%x = %c) : (vector<4xf32>) -> vector<4xf32> {
    scf.condition(%p) %x : vector<4xf32>
  } do {
  ^bb0(%x: vector<4xf32>):
    %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %x, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    scf.yield %d : vector<4xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r) -> (vector<4xf32>) : i32 {
    %t = scf.if %p -> (vector<4xf32>) {
      %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %x, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
      scf.yield %d : vector<4xf32>
    } else {
      scf.yield %x : vector<4xf32>
    }
    scf.yield %t : vector<4xf32>
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> (vector<4xf32>) : i32 {
    %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %x, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    scf.yield %d : vector<4xf32>
  }
  %v = scf.if %p -> (vector<4xf32>) {
    %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %u, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    scf.yield %d : vector<4xf32>
  } else {
    scf.yield %u : vector<4xf32>
  }
  llvm.return
}

// Both regions of a loop without a count; the body around an inner loop, which itself waits for nothing.
// CHECK-LABEL: llvm.func @around
// CHECK: scf.while
// CHECK-NEXT: rocdl.mfma
// CHECK: s.nop
// CHECK: s.nop
// CHECK-NEXT: scf.condition
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: rocdl.mfma
// CHECK-NEXT: scf.yield
// CHECK: rocdl.sched.barrier 0
// CHECK: s.nop
// CHECK: s.nop
// CHECK-NEXT: scf.yield
// CHECK: llvm.return
llvm.func @around(%a: vector<4xf16>, %c: vector<4xf32>, %p: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%x = %c) : (vector<4xf32>) -> vector<4xf32> {
    %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %x, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    scf.condition(%p) %d : vector<4xf32>
  } do {
  ^bb0(%x: vector<4xf32>):
    scf.yield %x : vector<4xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r) -> (vector<4xf32>) : i32 {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (vector<4xf32>) : i32 {
      %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %y, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
      scf.yield %d : vector<4xf32>
    }
    scf.yield %t : vector<4xf32>
  }
  llvm.return
}
