// A copy into one stage is in flight while the other one is read, by a single wave: LLVM must not drain it first.
// RUN: tegula-opt %s -tegula-rocdl | FileCheck %s
// RUN: tegula-opt %s -tegula-rocdl | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -O3 -o - | FileCheck %s --check-prefix=ISA

#f = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x32xbf16, order = [1, 0], stages = 2>
!S = !cdna.lds<16x32xbf16, order = [1, 0]>
!V = !tile.view<?x32xbf16, strides = [32, 1], align = 16>
!W = !cdna.buffer<?x32xbf16, strides = [32, 1], align = 16>

// One domain: copies are `dma`, everything else is `lds` and promises not to alias `dma`. Stores promise it as well.
// CHECK-DAG: #[[LDS:.*]] = #llvm.alias_scope<id = {{.*}}description = "lds">
// CHECK-DAG: #[[DMA:.*]] = #llvm.alias_scope<id = {{.*}}description = "dma">
// CHECK: rocdl.raw.ptr.buffer.load.lds {{.*}} {alias_scopes = [#[[DMA]]]}
// CHECK: llvm.load {{.*}} {alias_scopes = [#[[LDS]]], alignment = 16 : i64, noalias_scopes = [#[[DMA]]]}
// CHECK: llvm.store {{.*}} {alias_scopes = [#[[LDS]]], alignment = 16 : i64, noalias_scopes = [#[[DMA]]]}

// ISA-LABEL: scopes:
// ISA: buffer_load_dwordx4 {{.*}} lds
// ISA-NOT: vmcnt
// ISA: ds_read_b128
// ISA-NOT: vmcnt
// ISA: ds_write_b128
// ISA: s_waitcnt vmcnt(0)
// ISA: s_endpgm
cdna.kernel @scopes(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 2048 : i32, cdna.lds_assigned, cdna.waits_inserted} {
  %c0 = arith.constant 0 : i32
  %p = cdna.program_id {axis = 0} : i32
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %s0 = cdna.slot %l 0 : !L -> !cdna.slot
  %s1 = cdna.slot %l 1 : !L -> !cdna.slot
  %r = cdna.lds_view %l[%s0] [0, 0] [16, 32] : !L -> !S
  %z = arith.constant dense<1.0> : tensor<16x32xbf16, #f>
  cdna.lds_store %z, %r : tensor<16x32xbf16, #f>, !S
  cdna.wait_count {vm = 63, lgkm = 0}
  %w = cdna.buffer %v[%p, %c0] tile [16, 32] : !V -> !W
  %t = cdna.async_copy %w[%c0, %c0], %l[%s1] {fetch = #f, width = 16, tail = [records, none]} : !W, !L -> !cdna.token
  %x = cdna.lds_load %r : !S -> tensor<16x32xbf16, #f>
  %y = arith.negf %x : tensor<16x32xbf16, #f>
  cdna.lds_store %y, %r : tensor<16x32xbf16, #f>, !S
  cdna.wait_count {vm = 0, lgkm = 0}
  cdna.return
}
