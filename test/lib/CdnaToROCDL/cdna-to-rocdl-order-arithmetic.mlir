// Arithmetic moves to where it is needed first; loads and stores stay in their order, blocks with products as they are.
// RUN: tegula-opt %s -cdna-to-rocdl-order-arithmetic | FileCheck %s

// CHECK-LABEL: llvm.func @chains
// CHECK: %[[X0:.*]] = llvm.load
// CHECK-NEXT: %[[X1:.*]] = llvm.load
// CHECK-NEXT: %[[E0:.*]] = llvm.fmul %[[X0]]
// CHECK-NEXT: %[[F0:.*]] = llvm.fadd %[[E0]]
// CHECK-NEXT: llvm.store %[[F0]]
// CHECK-NEXT: %[[E1:.*]] = llvm.fmul %[[X1]]
// CHECK-NEXT: %[[F1:.*]] = llvm.fadd %[[E1]]
// CHECK-NEXT: llvm.store %[[F1]]
// CHECK-NEXT: %[[G:.*]] = llvm.fsub
// CHECK-NEXT: llvm.br
// CHECK: llvm.store %[[G]]
llvm.func @chains(%p: !llvm.ptr, %q: !llvm.ptr, %c: f32) {
  %x0 = llvm.load %p : !llvm.ptr -> f32
  %x1 = llvm.load %q : !llvm.ptr -> f32
  %g = llvm.fsub %c, %x0 : f32
  %e0 = llvm.fmul %x0, %x0 : f32
  %e1 = llvm.fmul %x1, %x1 : f32
  %f0 = llvm.fadd %e0, %c : f32
  %f1 = llvm.fadd %e1, %c : f32
  llvm.store %f0, %p : f32, !llvm.ptr
  llvm.store %f1, %q : f32, !llvm.ptr
  llvm.br ^next
^next:
  llvm.store %g, %p : f32, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @product
// CHECK: llvm.fadd
// CHECK-NEXT: rocdl.mfma
// CHECK-NEXT: llvm.store
llvm.func @product(%a: vector<4xf16>, %c: vector<4xf32>, %p: !llvm.ptr, %x: f32) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %s = llvm.fadd %x, %x : f32
  %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  llvm.store %d, %p : vector<4xf32>, !llvm.ptr
  llvm.store %s, %p : f32, !llvm.ptr
  llvm.return
}
