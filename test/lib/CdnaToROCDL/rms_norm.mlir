// Row norm of 2880 bf16 by two waves (after waits): odd repeats, phantoms cut by the descriptor, a reduction through
// registers, lanes and waves, bf16 narrowing.
// RUN: tegula-opt %s -tegula-rocdl | FileCheck %s
// RUN: tegula-opt %s -tegula-rocdl | mlir-translate --mlir-to-llvmir | opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -passes=amdgpu-attributor | llc -mcpu=gfx950 -O3 -o - | FileCheck %s --check-prefix=ISA
// RUN: sed s/gfx950/gfx942/ %s | tegula-opt -tegula-rocdl | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -O3 -o - | FileCheck %s --check-prefix=GFX942

#row = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], wave = [[0, 512]], repeat = [1, 3]>
#flat = #cdna.layout<reg = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128], [256]], wave = [[512]], repeat = [3]>
#part = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 64]]>
#wave2 = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 1]]>
#both = #cdna.layout<reg = [[0, 1]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[0, 0]]>
!X = !tile.view<?x2880xbf16, names = ["R", "2880"], strides = [?, 1], align = 16>
!W = !tile.view<2880xbf16, names = ["2880"], strides = [1], align = 16>
!S = !tile.view<?x1xf32, names = ["R", "1"], strides = [?, 1]>
!bx = !cdna.buffer<?x2880xbf16, strides = [?, 1], align = 16>
!bw = !cdna.buffer<2880xbf16, strides = [1], align = 16>
!bs = !cdna.buffer<?x1xf32, strides = [?, 1]>
!lds = !cdna.lds<1x2xf32, order = [1, 0]>

// Phantoms need no comparison, and x, w are loaded as three 16-byte vectors each.
// CHECK-LABEL: llvm.func @rms_norm
// CHECK-COUNT-6: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK-COUNT-4: rocdl.update.dpp
// CHECK: rocdl.readlane
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: rocdl.s.waitcnt 49279
// CHECK-NEXT: rocdl.s.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.fptrunc {{.*}} : vector<{{.*}}xf32> to vector<{{.*}}xbf16>

// ISA-LABEL: rms_norm:
// ISA-COUNT-6: buffer_load_dwordx4
// ISA: v_add_f32_dpp
// ISA: v_readlane_b32
// ISA: v_rsq_f32
// ISA: v_cvt_pk_bf16_f32
// ISA-COUNT-3: buffer_store_dwordx4
// ISA: .group_segment_fixed_size: 8
// ISA: .kernarg_segment_size: 64
// ISA: .vgpr_spill_count: 0

// GFX942-LABEL: rms_norm:
// GFX942: v_add3_u32
// GFX942-NOT: v_cvt_pk_bf16
// GFX942: .vgpr_spill_count: 0
cdna.kernel @rms_norm(%x: !X {tile.name = "x"}, %w: !W {tile.name = "w"}, %out: !X {tile.name = "out"}, %rstd: !S {tile.name = "rstd"}, %eps: f32 {tile.name = "eps"})
    attributes {grid = @rms_norm.grid, target = #tile.target<"gfx950">, waves = [1, 2], lds_bytes = 8 : i32, cdna.no_tile_ops, cdna.lds_assigned, cdna.waits_inserted} {
  %c0 = arith.constant 0 : i32
  %n = arith.constant dense<2.880000e+03> : tensor<1x1xf32, #one>
  %row = cdna.program_id {axis = 0} : i32
  %lds = cdna.lds_alloc {offset = 0 : i32} : !lds
  %wx = cdna.buffer %x[%row, %c0] tile [1, 2880] : !X -> !bx
  %ww = cdna.buffer %w[%c0] tile [2880] : !W -> !bw
  %v = cdna.load %wx[%c0, %c0] {tail = [none, records]} : !bx -> tensor<1x2880xbf16, #row>
  %g0 = cdna.load %ww[%c0] {tail = [records]} : !bw -> tensor<2880xbf16, #flat>
  %f = arith.extf %v : tensor<1x2880xbf16, #row> to tensor<1x2880xf32, #row>
  %q = arith.mulf %f, %f : tensor<1x2880xf32, #row>
  %p = cdna.reduce_registers add %q {axis = 1} : tensor<1x2880xf32, #row> -> tensor<1x128xf32, #part>
  %r0 = cdna.reduce_lanes add %p {dims = [1], bits = [0, 1, 2, 3, 4, 5]} : tensor<1x128xf32, #part> -> tensor<1x2xf32, #wave2>
  cdna.lds_store %r0, %lds : tensor<1x2xf32, #wave2>, !lds
  cdna.wait_count {vm = 63, lgkm = 0}
  cdna.barrier
  %r1 = cdna.lds_load %lds : !lds -> tensor<1x2xf32, #both>
  %s = cdna.reduce_registers add %r1 {axis = 1} : tensor<1x2xf32, #both> -> tensor<1x1xf32, #one>
  %me = arith.divf %s, %n : tensor<1x1xf32, #one>
  %e = cdna.splat %eps : f32 -> tensor<1x1xf32, #one>
  %a = arith.addf %me, %e : tensor<1x1xf32, #one>
  %r = cdna.hw rsq %a : tensor<1x1xf32, #one> -> tensor<1x1xf32, #one>
  %ws = cdna.buffer %rstd[%row, %c0] tile [1, 1] : !S -> !bs
  cdna.store %r, %ws[%c0, %c0] {tail = [none, none]} : tensor<1x1xf32, #one>, !bs
  %rb = cdna.rename %r : tensor<1x1xf32, #one> -> tensor<1x2880xf32, #row>
  %g1 = cdna.rename %g0 : tensor<2880xbf16, #flat> -> tensor<1x2880xbf16, #row>
  %g = arith.extf %g1 : tensor<1x2880xbf16, #row> to tensor<1x2880xf32, #row>
  %y0 = arith.mulf %f, %rb : tensor<1x2880xf32, #row>
  %y = arith.mulf %y0, %g : tensor<1x2880xf32, #row>
  %o = arith.truncf %y : tensor<1x2880xf32, #row> to tensor<1x2880xbf16, #row>
  %wo = cdna.buffer %out[%row, %c0] tile [1, 2880] : !X -> !bx
  cdna.store %o, %wo[%c0, %c0] {tail = [none, records]} : tensor<1x2880xbf16, #row>, !bx
  cdna.return
}
tile.func private @rms_norm.grid(%x: !X, %w: !W, %out: !X, %rstd: !S, %eps: f32) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}
