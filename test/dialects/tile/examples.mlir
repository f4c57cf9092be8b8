// The examples in the op definitions parse, verify and survive the fold.
// RUN: python3 %root/test/dialects/tile/Inputs/examples.py %root/dialects/tile > %t.mlir
// RUN: tegula-opt %t.mlir -split-input-file | FileCheck %s
// RUN: tegula-opt %t.mlir -split-input-file -canonicalize -o /dev/null

// CHECK-DAG: tile.kernel @copy
// CHECK-DAG: tile.func private @gemm.grid
// CHECK-DAG: tile.mma
// CHECK-DAG: tile.permute_view
