// RUN: tegula-opt %s --pass-pipeline="builtin.module(cdna.kernel(cdna-stage-operands))" -split-input-file | FileCheck %s

// Direct: the loop copies to LDS, and reads fragments of one k-step each. The masked rest goes through registers.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @direct
// CHECK-SAME: cdna.staged
// CHECK: %[[LA:.*]] = cdna.lds_alloc {swizzle} : !cdna.lds<32x64xbf16, order = [1, 0], stages = 3>
// CHECK: %[[LB:.*]] = cdna.lds_alloc {swizzle} : !cdna.lds<64x32xbf16, order = [0, 1], stages = 3>
// CHECK: %[[RA:.*]] = cdna.lds_alloc {swizzle} : !cdna.lds<32x64xbf16, order = [1, 0]>
// CHECK: %[[RB:.*]] = cdna.lds_alloc {swizzle} : !cdna.lds<64x32xbf16, order = [0, 1]>
// CHECK: scf.for
// CHECK: cdna.async_copy %{{.*}}, %[[LA]][%[[S:.*]]] {fetch = {{.*}}, width = 16, tail = [records, none], scalar = [1]}
// CHECK: cdna.async_copy %{{.*}}, %[[LB]]
// CHECK-NOT: cdna.load
// CHECK: %[[V:.*]] = cdna.lds_view %[[LA]] [%[[S]]] [0, 0] [32, 32]
// CHECK: %[[A0:.*]] = cdna.lds_load %[[V]]
// CHECK: %[[B0:.*]] = cdna.lds_load
// CHECK: cdna.lds_view %[[LA]] [%[[S]]] [0, 32] [32, 32]
// CHECK: %[[A1:.*]] = cdna.lds_load
// CHECK: cdna.lds_view %[[LB]] {{.*}} [32, 0] [32, 32]
// CHECK: %[[B1:.*]] = cdna.lds_load
// CHECK: %[[Y0:.*]] = cdna.mfma %[[A0]], %[[B0]]
// CHECK: cdna.mfma %[[A1]], %[[B1]], %[[Y0]]
// CHECK: scf.if
// CHECK: %[[TA:.*]] = cdna.load
// CHECK: %[[TB:.*]] = cdna.load
// CHECK: cdna.lds_store %[[TA]], %[[RA]]
// CHECK: cdna.lds_store %[[TB]], %[[RB]]
// CHECK: cdna.lds_view %[[RA]] [0, 0] [32, 32]
cdna.kernel @direct(%a: !A, %b: !B, %n: i32) attributes {target = #tile.target<"gfx950">,
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
  %some = arith.cmpi ne, %n, %c0 : i32
  %all = scf.if %some -> (tensor<32x32xf32, #acc>) {
    %at = cdna.load %wa[%c0, %c0] {tail = [records, compare]} : !wA -> tensor<32x64xbf16, #rowsA>
    %bt = cdna.load %wb[%c0, %c0] {tail = [compare, records]} : !wB -> tensor<64x32xbf16, #rowsB>
    %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
    %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %sum {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  } else {
    scf.yield %sum : tensor<32x32xf32, #acc>
  }
  cdna.return
}

// -----

// An operand that is contiguous along n: gfx950 reads it transposed, from rows in memory order. What lies beyond the end
// of n reaches no element that is stored, so nothing is compared there.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#rowsN = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!A = !tile.view<?x?xbf16, names = ["N", "N"], strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>

// CHECK-LABEL: cdna.kernel @transposed_read
// CHECK: cdna.lds_alloc {swizzle} : !cdna.lds<64x32xbf16, order = [1, 0]>
// CHECK: cdna.async_copy {{.*}} tail = [none, whole]}
// CHECK: cdna.lds_load %{{.*}} {transpose}
cdna.kernel @transposed_read(%a: !A, %b: !A) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !A -> !wA
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, compare]} : !wA -> tensor<64x32xbf16, #rowsN>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsN> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  %o = arith.truncf %y : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// On gfx942 the writer transposes: loaded with four neighbouring k a lane, stored as 8 bytes along k. One fragment feeds
// two instructions, so k is permuted: bits 4 and 8 of k are in lanes 8 and 16.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#rowsN = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [16, 0], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [0, 16], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>

// CHECK-DAG: #[[RUNS:.*]] = #cdna.layout<reg = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0], [16, 0]], wave = []>
// CHECK-DAG: #[[FOURS:.*]] = #cdna.layout<reg = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0], [16, 0]], wave = []>
// CHECK-DAG: #[[A:.*]] = #cdna.layout<reg = {{\[\[}}0, 1], [0, 2], [0, 4], [16, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
// CHECK-DAG: #[[B:.*]] = #cdna.layout<reg = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 16]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
// CHECK-LABEL: cdna.kernel @transposed_write
// CHECK: cdna.lds_alloc {swizzle} : !cdna.lds<32x32xbf16, order = [0, 1]>
// CHECK: %[[T:.*]] = cdna.load %{{.*}} {tail = [none, none]} {{.*}} -> tensor<32x32xbf16, #[[RUNS]]>
// CHECK: %[[P:.*]] = cdna.convert_layout %[[T]]{{.*}}none{{.*}} -> tensor<32x32xbf16, #[[FOURS]]>
// CHECK: cdna.lds_store %[[P]]
// CHECK: cdna.lds_load %{{.*}} -> tensor<32x32xbf16, #[[A]]>
// CHECK: cdna.lds_load %{{.*}} -> tensor<32x32xbf16, #[[B]]>
// CHECK: cdna.mfma
// CHECK-NOT: cdna.mfma
cdna.kernel @transposed_write(%a: !A, %b: !A) attributes {target = #tile.target<"gfx942">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x16", stages = 1, lds = register>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x32xbf16, #rowsA>
  %bt = cdna.load %wa[%c0, %c0] {tail = [none, none]} : !wA -> tensor<32x32xbf16, #rowsN>
  %af = cdna.convert_layout %at : tensor<32x32xbf16, #rowsA> -> tensor<32x32xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<32x32xbf16, #rowsN> -> tensor<32x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x16", swapped} : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b>, tensor<32x32xf32, #acc>
  %o = arith.truncf %y : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  cdna.store %o, %wa[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// `none` loads in the operand's layout. Other conversions: a renaming of registers, or through LDS.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#accT = #cdna.layout<reg = [[0, 1], [0, 2], [16, 0], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#rows = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @none
// CHECK: %[[L:.*]] = cdna.lds_alloc {swizzle} : !cdna.lds<32x32xf32, order = [1, 0]>
// CHECK-NOT: cdna.lds_alloc
// CHECK: %[[A:.*]] = cdna.load
// CHECK: %[[B:.*]] = cdna.load
// CHECK: %[[Y:.*]] = cdna.mfma %[[A]], %[[B]], %{{.*}} tensor<32x64xbf16
// CHECK: cdna.convert_layout %[[Y]]{{.*}}none
// CHECK: cdna.lds_store %{{.*}}, %[[L]]
// CHECK: cdna.lds_load %[[L]]
cdna.kernel @none(%a: !A, %b: !B) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = none>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wB
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, records]} : !wB -> tensor<64x32xbf16, #rowsB>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsB> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  %r = cdna.convert_layout %y : tensor<32x32xf32, #acc> -> tensor<32x32xf32, #accT>
  %q = cdna.convert_layout %r : tensor<32x32xf32, #accT> -> tensor<32x32xf32, #rows>
  %o = arith.truncf %q : tensor<32x32xf32, #rows> to tensor<32x32xbf16, #rows>
  %wc = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #rows>, !wA
  cdna.return
}

// -----

// Somebody looks beyond the end of n: a sum along it, and a store whose window may be longer. b keeps its compare and goes
// through registers, because what a direct copy writes for lanes outside is not documented. Nobody looks beyond m.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#partA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#part = #cdna.layout<reg = [[16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], wave = []>
#sum = #cdna.layout<reg = [[16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 0]], wave = []>
#rowsN = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>
!C = !tile.view<?x?xf32, names = ["M", "P"], strides = [?, 1], align = 16>
!D = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
!S = !tile.view<?x1xf32, names = ["M", "1"], strides = [?, 1]>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wC = !cdna.buffer<?x?xf32, strides = [?, 1], align = 16>
!wS = !cdna.buffer<?x1xf32, strides = [?, 1]>

// CHECK-LABEL: cdna.kernel @summed
// CHECK: cdna.async_copy {{.*}} tail = [records, none]}
// CHECK: %[[B:.*]] = cdna.load {{.*}} {tail = [none, compare]}
// CHECK: cdna.lds_store %[[B]]
// CHECK: cdna.mfma
cdna.kernel @summed(%a: !A, %b: !B, %s: !S) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wA
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, compare]} : !wA -> tensor<64x32xbf16, #rowsN>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsN> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  %e = cdna.hw exp2 %y : tensor<32x32xf32, #acc> -> tensor<32x32xf32, #acc>
  %p = cdna.reduce_registers add %e {axis = 1} : tensor<32x32xf32, #acc> -> tensor<32x4xf32, #part>
  %q = cdna.reduce_lanes add %p {dims = [1], bits = [4, 5]} : tensor<32x4xf32, #part> -> tensor<32x1xf32, #sum>
  %ws = cdna.buffer %s[%c0, %c0] tile [32, 1] : !S -> !wS
  cdna.store %q, %ws[%c0, %c0] {tail = [records, none]} : tensor<32x1xf32, #sum>, !wS
  cdna.return
}

// CHECK-LABEL: cdna.kernel @longer
// CHECK: cdna.async_copy {{.*}} tail = [records, none]}
// CHECK: cdna.load {{.*}} {tail = [none, compare]}
cdna.kernel @longer(%a: !A, %b: !B, %c: !C) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wA
  %at = cdna.load %wa[%c0, %c0] {tail = [records, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, compare]} : !wA -> tensor<64x32xbf16, #rowsN>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsN> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  %wc = cdna.buffer %c[%c0, %c0] tile [32, 32] : !C -> !wC
  cdna.store %y, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xf32, #acc>, !wC
  cdna.return
}

// a is summed itself, so its own compare stays although the product alone wouldn't need it.
// CHECK-LABEL: cdna.kernel @used_twice
// CHECK: cdna.load {{.*}} {tail = [compare, none]}
// CHECK: cdna.async_copy {{.*}} tail = [none, whole]}
cdna.kernel @used_twice(%a: !A, %b: !B, %c: !D) attributes {target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = direct>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 64] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [64, 32] : !B -> !wA
  %at = cdna.load %wa[%c0, %c0] {tail = [compare, none]} : !wA -> tensor<32x64xbf16, #rowsA>
  %bt = cdna.load %wb[%c0, %c0] {tail = [none, compare]} : !wA -> tensor<64x32xbf16, #rowsN>
  %af = cdna.convert_layout %at : tensor<32x64xbf16, #rowsA> -> tensor<32x64xbf16, #a>
  %bf = cdna.convert_layout %bt : tensor<64x32xbf16, #rowsN> -> tensor<64x32xbf16, #b>
  %y = cdna.mfma %af, %bf, %zero {shape = "16x16x32", swapped} : tensor<32x64xbf16, #a>, tensor<64x32xbf16, #b>, tensor<32x32xf32, #acc>
  %p = cdna.reduce_registers add %at {axis = 0} : tensor<32x64xbf16, #rowsA> -> tensor<8x64xbf16, #partA>
  %o = arith.truncf %y : tensor<32x32xf32, #acc> to tensor<32x32xbf16, #acc>
  %wc = cdna.buffer %c[%c0, %c0] tile [32, 32] : !D -> !wA
  cdna.store %o, %wc[%c0, %c0] {tail = [records, compare]} : tensor<32x32xbf16, #acc>, !wA
  cdna.return
}

// -----

// A tile that is loaded in front of the loop and used in the loop and behind it: stored in front, too, once, so that the
// product behind a loop that never ran finds it.

#rowsA = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#rowsB = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 16]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4], [0, 8]], wave = []>
#a = #cdna.layout<reg = [[0, 1], [0, 2], [16, 0], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#b = #cdna.layout<reg = [[1, 0], [2, 0], [0, 16], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], wave = []>
#acc = #cdna.layout<reg = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!A = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, strides = [1, ?], align = 16>
!wA = !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
!wB = !cdna.buffer<?x?xbf16, strides = [1, ?], align = 16>

// CHECK-LABEL: cdna.kernel @loaded_in_front
// CHECK: %[[LA:.*]] = cdna.lds_alloc
// CHECK: %[[LB:.*]] = cdna.lds_alloc
// CHECK: %[[T:.*]] = cdna.load
// CHECK-NOT: scf.for
// CHECK: cdna.lds_store %[[T]], %[[LA]]
// CHECK: scf.for
// CHECK: cdna.lds_store %{{.*}}, %[[LB]]
// CHECK-NOT: cdna.lds_store
// CHECK: scf.if
// CHECK: cdna.lds_store
// CHECK-NOT: cdna.lds_store %{{.*}}, %[[LA]]
cdna.kernel @loaded_in_front(%a: !A, %b: !B, %n: i32, %rest: i1) attributes {target = #tile.target<"gfx942">,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x16", stages = 1, lds = register>, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %wa = cdna.buffer %a[%c0, %c0] tile [32, 32] : !A -> !wA
  %wb = cdna.buffer %b[%c0, %c0] tile [32, 32] : !B -> !wB
  %at = cdna.load %wa[%c0, %c0] {tail = [none, none]} : !wA -> tensor<32x32xbf16, #rowsA>
  %af = cdna.convert_layout %at : tensor<32x32xbf16, #rowsA> -> tensor<32x32xbf16, #a>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<32x32xf32, #acc>) : i32 {
    %bt = cdna.load %wb[%c0, %c0] {tail = [none, none]} : !wB -> tensor<32x32xbf16, #rowsB>
    %bf = cdna.convert_layout %bt : tensor<32x32xbf16, #rowsB> -> tensor<32x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %x {shape = "16x16x16", swapped} : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  }
  %last = scf.if %rest -> (tensor<32x32xf32, #acc>) {
    %bt = cdna.load %wb[%c0, %c0] {tail = [none, none]} : !wB -> tensor<32x32xbf16, #rowsB>
    %bf = cdna.convert_layout %bt : tensor<32x32xbf16, #rowsB> -> tensor<32x32xbf16, #b>
    %y = cdna.mfma %af, %bf, %sum {shape = "16x16x16", swapped} : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b>, tensor<32x32xf32, #acc>
    scf.yield %y : tensor<32x32xf32, #acc>
  } else {
    scf.yield %sum : tensor<32x32xf32, #acc>
  }
  cdna.return
}
