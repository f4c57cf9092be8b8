// The examples in the op definitions parse, verify and survive the fold.
// RUN: python3 %S/Inputs/examples.py %root/dialects/cdna > %t.mlir
// RUN: tegula-opt %t.mlir -split-input-file | FileCheck %s
// RUN: tegula-opt %t.mlir -split-input-file -canonicalize -o /dev/null

// CHECK-DAG: cdna.kernel @gemm
// CHECK-DAG: cdna.async_copy {{.*}}scalar = [1]}
// CHECK-DAG: cdna.mfma {{.*}}swapped
// CHECK-DAG: cdna.reduce_waves add
