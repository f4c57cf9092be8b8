// What is printed reads back as the same text.
// RUN: tegula-opt %root/test/lib/CdnaToROCDL/gemm.mlir -o %t.1.mlir
// RUN: tegula-opt %t.1.mlir -o %t.2.mlir
// RUN: diff %t.1.mlir %t.2.mlir
// RUN: FileCheck %s < %t.1.mlir
// RUN: tegula-opt %root/test/lib/CdnaToROCDL/rms_norm.mlir -o %t.3.mlir
// RUN: tegula-opt %t.3.mlir -o %t.4.mlir
// RUN: diff %t.3.mlir %t.4.mlir
// RUN: tegula-opt %root/test/lib/CdnaToROCDL/rms_norm.mlir -mlir-print-op-generic | tegula-opt -o %t.5.mlir
// RUN: diff %t.3.mlir %t.5.mlir

// Layouts print once, at the top, under aliases.
// CHECK: #layout = #cdna.layout<reg =
// CHECK: cdna.kernel @gemm
// CHECK-SAME: waves = [2, 4]
// CHECK: cdna.buffer %{{.*}}[%{{.*}}, %{{.*}}] tile [256, 64] : !tile.view<{{.*}}> -> !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
// CHECK: cdna.lds_alloc {offset = 0 : i32, stage_stride = 65536 : i32} : !cdna.lds<256x64xbf16, order = [1, 0], stages = 2, xor = [1, 2, 4]>
// CHECK: cdna.async_copy %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}] {fetch = #layout{{[0-9]*}}, width = 16, tail = [records, none], scalar = [1]}
// CHECK: cdna.wait_count {{ ?}}{vm = 8, lgkm = 15}
// CHECK: cdna.lds_view %{{.*}}[%{{.*}}] [0, 0] [256, 32] : {{.*}} -> !cdna.lds<256x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>
