// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands,cdna-pipeline-loops,cdna-group-schedule))" | FileCheck %s

// LDS reads of a phase come with one or two matrix instructions each, the rest covers the last read's latency. Behind the
// barrier global accesses come first.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16], [0, 32]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @phases
// CHECK-SAME: cdna.scheduled
// CHECK: scf.for
// CHECK: cdna.mfma
// CHECK-COUNT-8: cdna.sched_group{{ ?}}{kind = ds_read, count = 1}
// CHECK: cdna.sched_group{{ ?}}{kind = mfma, count = 8}
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: cdna.barrier
// CHECK: cdna.mfma
// CHECK-NEXT: cdna.sched_group{{ ?}}{kind = vmem, count = 1}
// CHECK-NEXT: cdna.sched_group{{ ?}}{kind = mfma, count = 1}
// CHECK-COUNT-15: cdna.sched_group{{ ?}}{kind = vmem, count = 1}
// CHECK-NOT: kind = vmem
// CHECK: cdna.sched_group{{ ?}}{kind = ds_read, count = 1}
// CHECK-NOT: kind = mfma
// CHECK: cdna.sched_fence
// CHECK-NEXT: scf.yield
cdna.kernel @phases(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [64, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 64] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<64x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x64xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<64x64xbf16, #rowsA> -> tensor<64x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x64xbf16, #rowsB> -> tensor<64x64xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<64x64xbf16, #a>, tensor<64x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %y : tensor<64x64xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [64, 64] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<64x64xbf16, #acc>, !wA
  cdna.return
}

// Beyond 16 accesses of a kind they come in larger groups: LLVM's time grows with the square of the groups. Here 32 stores
// of a dword.

#rows32 = #cdna.layout<reg = [[1, 0], [2, 0], [0, 16], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], wave = []>
#a32 = #cdna.layout<reg = [[0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], wave = []>
#b32 = #cdna.layout<reg = [[4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], wave = []>
#acc32 = #cdna.layout<reg = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>

// CHECK-LABEL: cdna.kernel @many_writes
// CHECK: cdna.mfma
// CHECK-COUNT-16: cdna.sched_group{{ ?}}{kind = ds_write, count = 2}
// CHECK-NOT: kind = ds_write
// CHECK: cdna.sched_fence
cdna.kernel @many_writes(%a: tensor<16x32xf32, #a32>, %b: tensor<32x16xf32, #b32>, %t: tensor<64x32xf32, #rows32>, %n: i32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc32>
  %lds = cdna.lds_alloc : !cdna.lds<64x32xf32, order = [1, 0]>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x16xf32, #acc32>) : i32 {
    cdna.lds_store %t, %lds : tensor<64x32xf32, #rows32>, !cdna.lds<64x32xf32, order = [1, 0]>
    %y = cdna.mfma %a, %b, %x {shape = "16x16x4", swapped} : tensor<16x32xf32, #a32>, tensor<32x16xf32, #b32>, tensor<16x16xf32, #acc32>
    cdna.sched_fence
    scf.yield %y : tensor<16x16xf32, #acc32>
  }
  cdna.return
}
