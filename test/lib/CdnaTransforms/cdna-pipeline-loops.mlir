// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands,cdna-pipeline-loops),canonicalize,cse)" -split-input-file | FileCheck %s

// Two stages, two k-steps: two tiles in flight, the slot just left is refilled behind the barrier, fragments of the next
// tile are read at the end of the iteration and carried.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @direct
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[N:.*]], %c0_i32
// CHECK: scf.if %[[SOME]]
// CHECK: %[[S0:.*]] = cdna.slot %[[RING:.*]] 0
// CHECK: cdna.async_copy %{{.*}}[%c0_i32, %c0_i32], %{{.*}}[%[[S0]]]
// CHECK: cdna.async_copy %{{.*}}[%c0_i32, %c0_i32], %{{.*}}[%[[S0]]]
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: %[[S1:.*]] = cdna.slot %[[RING]] 1
// CHECK: %[[REST:.*]] = arith.subi %[[N]], %c1_i32
// CHECK: %[[SECOND:.*]] = arith.cmpi sgt, %[[REST]], %c0_i32
// CHECK: cdna.async_copy %{{.*}}, %{{.*}}[%[[S1]]] where %[[SECOND]]
// CHECK: cdna.async_copy %{{.*}}, %{{.*}}[%[[S1]]] where %[[SECOND]]
// CHECK-NEXT: cdna.sched_fence
// CHECK: cdna.lds_view %{{.*}} [%[[S0]]] [0, 0] [32, 32]
// CHECK: %[[FA:.*]] = cdna.lds_load
// CHECK: %[[FB:.*]] = cdna.lds_load
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%[[X:.*]] = %{{.*}}, %[[S:.*]] = %[[S0]], %[[A0:.*]] = %[[FA]], %[[B0:.*]] = %[[FB]])
// CHECK: %[[N1:.*]] = cdna.next_slot %[[S]]{{ ?}}{by = 1}
// CHECK: cdna.lds_view %{{.*}} [%[[S]]] [0, 32] [32, 32]
// CHECK: %[[A1:.*]] = cdna.lds_load
// CHECK: %[[B1:.*]] = cdna.lds_load
// CHECK: %[[Y:.*]] = cdna.mfma %[[A0]], %[[B0]], %[[X]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c2_i32
// CHECK: %[[END:.*]] = arith.subi %[[N]], %c2_i32
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[K]], %[[END]]
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: cdna.barrier
// CHECK-NEXT: cdna.sched_fence
// CHECK: cdna.async_copy %{{.*}}, %{{.*}}[%[[S]]] where %[[EXISTS]]
// CHECK: cdna.async_copy %{{.*}}, %{{.*}}[%[[S]]] where %[[EXISTS]]
// CHECK: cdna.lds_view %{{.*}} [%[[N1]]] [0, 0] [32, 32]
// CHECK: %[[GA:.*]] = cdna.lds_load
// CHECK: %[[GB:.*]] = cdna.lds_load
// CHECK: %[[Z:.*]] = cdna.mfma %[[A1]], %[[B1]], %[[Y]]
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: scf.yield %[[Z]], %[[N1]], %[[GA]], %[[GB]]
// CHECK-NOT: scf.for
cdna.kernel @direct(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// Fragments of two tiles don't fit into the registers of this occupancy: they are read where their tile begins, and not
// carried. Nothing else changes.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @no_room_ahead
// CHECK: %[[S0:.*]] = cdna.slot %[[RING:.*]] 0
// CHECK-NOT: cdna.lds_load
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[N:.*]] step %c1_i32 iter_args(%[[X:.*]] = %{{.*}}, %[[S:.*]] = %[[S0]])
// CHECK: cdna.lds_view %{{.*}} [%[[S]]] [0, 0] [64, 32]
// CHECK: %[[A0:.*]] = cdna.lds_load
// CHECK: %[[B0:.*]] = cdna.lds_load
// CHECK: cdna.lds_view %{{.*}} [%[[S]]] [0, 32] [64, 32]
// CHECK: %[[A1:.*]] = cdna.lds_load
// CHECK: %[[B1:.*]] = cdna.lds_load
// CHECK: %[[Y:.*]] = cdna.mfma %[[A0]], %[[B0]], %[[X]]
// CHECK: cdna.barrier
// CHECK: cdna.async_copy %{{.*}}, %{{.*}}[%[[S]]] where
// CHECK-NOT: cdna.lds_load
// CHECK: %[[Z:.*]] = cdna.mfma %[[A1]], %[[B1]], %[[Y]]
// CHECK-NEXT: cdna.sched_fence
// CHECK-NEXT: scf.yield %[[Z]], %{{.*}} : tensor<64x32xf32, #{{.*}}>, !cdna.slot
cdna.kernel @no_room_ahead(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = direct, occupancy = 32>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [64, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<64x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<64x64xbf16, #rowsA> -> tensor<64x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<64x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<64x32xf32, #acc>
    scf.yield %y : tensor<64x32xf32, #acc>
  }
  %wc = cdna.buffer %a[%c0, %c0] tile [64, 32] : !A -> !wA
  %o = arith.truncf %sum : tensor<64x32xf32, #acc> to tensor<64x32xbf16, #acc>
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<64x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// Three stages: three copies in front, and the refill is for the tile three ahead.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @three
// CHECK-COUNT-6: cdna.async_copy
// CHECK: scf.for %[[K:.*]] = %c0_i32
// CHECK: arith.addi %[[K]], %c3_i32
// CHECK-COUNT-2: cdna.async_copy
cdna.kernel @three(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 3, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// Through registers: what was loaded in the iteration before is stored first, then the tile two ahead is loaded.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @register
// CHECK: %[[T0:.*]] = cdna.load
// CHECK: %[[U0:.*]] = cdna.load
// CHECK: cdna.lds_store %[[T0]]
// CHECK: cdna.lds_store %[[U0]]
// CHECK: %[[T1:.*]] = cdna.load %{{.*}} where
// CHECK: %[[U1:.*]] = cdna.load %{{.*}} where
// CHECK: scf.for %[[K:.*]] = %c0_i32 {{.*}}%[[TC:[^ ]*]] = %[[T1]], %[[UC:[^ ]*]] = %[[U1]])
// CHECK: %[[N1:.*]] = cdna.next_slot
// CHECK: %[[V:.*]] = cdna.lds_view %{{.*}} [%[[N1]]] [0, 0] [32, 64]
// CHECK: cdna.lds_store %[[TC]], %[[V]]
// CHECK: cdna.lds_store %[[UC]]
// CHECK: arith.addi %[[K]], %c2_i32
// CHECK: %[[T2:.*]] = cdna.load %{{.*}} where
// CHECK: %[[U2:.*]] = cdna.load %{{.*}} where
// CHECK: cdna.mfma
// CHECK: cdna.barrier
// CHECK: cdna.mfma
// CHECK: scf.yield %{{.*}}, %[[N1]], %{{.*}}, %{{.*}}, %[[T2]], %[[U2]]
cdna.kernel @register(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = register>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// A single k-step: the loop is unrolled by two, so that the fragments alternate, and the odd iteration is peeled.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4], [0, 8]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @odd
// CHECK: %[[EVEN:.*]] = arith.andi %{{.*}}, %c-2_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[EVEN]] step %c2_i32
// CHECK: cdna.barrier
// CHECK: cdna.mfma
// CHECK: cdna.barrier
// CHECK: cdna.mfma
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-NOT: cdna.async_copy
// CHECK: cdna.mfma
// CHECK: scf.yield
cdna.kernel @odd(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [32, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x32xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<32x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x32xbf16, #rowsA> -> tensor<32x32xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<32x32xbf16, #rowsB> -> tensor<32x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// One stage: nothing is prefetched, and the loop stays as it is.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @one
// CHECK-NOT: cdna.next_slot
// CHECK-NOT: cdna.barrier
// CHECK: cdna.return
cdna.kernel @one(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// The loop writes an array of the set that it reads: no copy goes ahead of the stores of earlier iterations.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["N", "N"], strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @stores
// CHECK-NOT: {{async_copy|cdna.load }}
// CHECK: scf.for
// CHECK: cdna.async_copy
// CHECK: cdna.load
// CHECK: cdna.store
// CHECK-NOT: {{async_copy|cdna.load }}
// CHECK: scf.yield
cdna.kernel @stores(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 2, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %k64 = arith.muli %k, %c64 : i32
    %at = cdna.load %wa[%c0, %k64] {tail = [records, none], scalar = [1]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%k64, %c0] {tail = [none, records], scalar = [0]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    %r = arith.truncf %y : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
    %ws = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
    cdna.store %r, %ws[%c0, %k64] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %o = arith.truncf %sum : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}
