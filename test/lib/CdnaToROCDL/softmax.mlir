// Rows of a run-time length, one a wave: both tails, masking inside vectors, a maximum over lanes, hardware exp2, and the
// branch between whole and single stores at the edge.
// RUN: tegula-opt %s -tegula-rocdl | FileCheck %s
// RUN: tegula-opt %s -tegula-rocdl | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -O3 -o - | FileCheck %s --check-prefixes=ISA,GFX950
// RUN: sed s/gfx950/gfx942/ %s | tegula-opt -tegula-rocdl | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -O3 -o - | FileCheck %s --check-prefixes=ISA,GFX942

#row = #cdna.layout<reg = [[0, 1], [0, 2], [0, 256], [0, 512]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], wave = [[1, 0], [2, 0]]>
#part = #cdna.layout<reg = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[1, 0], [2, 0]]>
#one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[1, 0], [2, 0]]>
!X = !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
!b = !cdna.buffer<?x?xf32, strides = [?, 1], align = 16>
!t = tensor<4x1024xf32, #row>

// CHECK-LABEL: llvm.func @softmax
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: llvm.intr.maximum
// CHECK: rocdl.permlane16.swap
// CHECK: rocdl.permlane32.swap
// CHECK-COUNT-16: rocdl.exp2
// CHECK: rocdl.readlane
// CHECK: rocdl.rcp
// CHECK: llvm.cond_br
// CHECK: rocdl.raw.ptr.buffer.store {{.*}} : vector<4xi32>
// CHECK: rocdl.raw.ptr.buffer.store {{.*}} : i32

// No loop over descriptors: they are uniform.
// ISA-LABEL: softmax:
// ISA-COUNT-4: buffer_load_dwordx4
// GFX950: v_permlane16_swap_b32
// GFX950: v_permlane32_swap_b32
// GFX942: row_bcast:31
// ISA: v_exp_f32
// ISA-NOT: Loop Header
// ISA: s_cbranch
// ISA: s_endpgm
// ISA: .vgpr_spill_count: 0
cdna.kernel @softmax(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y"})
    attributes {grid = @softmax.grid, target = #tile.target<"gfx950">, waves = [4, 1], cdna.no_tile_ops} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %log2e = arith.constant dense<1.44269502> : !t
  %p = cdna.program_id {axis = 0} : i32
  %r0 = arith.muli %p, %c4 : i32
  %n = tile.dim %x {d = 1} : !X -> i32
  %wx = cdna.buffer %x[%r0, %c0] tile [4, 1024] : !X -> !b
  %wy = cdna.buffer %y[%r0, %c0] tile [4, 1024] : !X -> !b
  %v = cdna.load %wx[%c0, %c0] {tail = [records, compare]} : !b -> !t
  %at = cdna.iota {axis = 1} : tensor<4x1024xi32, #row>
  %ns = cdna.splat %n : i32 -> tensor<4x1024xi32, #row>
  %in = arith.cmpi slt, %at, %ns : tensor<4x1024xi32, #row>
  %low = arith.constant dense<0xFF800000> : !t
  %z = arith.select %in, %v, %low : tensor<4x1024xi1, #row>, !t
  %m0 = cdna.reduce_registers max %z {axis = 1} : !t -> tensor<4x64xf32, #part>
  %m1 = cdna.reduce_lanes max %m0 {dims = [1], bits = [0, 1, 2, 3, 4, 5]} : tensor<4x64xf32, #part> -> tensor<4x1xf32, #one>
  %m = cdna.rename %m1 : tensor<4x1xf32, #one> -> !t
  %d = arith.subf %z, %m : !t
  %s = arith.mulf %d, %log2e : !t
  %e = cdna.hw exp2 %s : !t -> !t
  %t0 = cdna.reduce_registers add %e {axis = 1} : !t -> tensor<4x64xf32, #part>
  %t1 = cdna.reduce_lanes add %t0 {dims = [1], bits = [0, 1, 2, 3, 4, 5]} : tensor<4x64xf32, #part> -> tensor<4x1xf32, #one>
  %i = cdna.hw rcp %t1 : tensor<4x1xf32, #one> -> tensor<4x1xf32, #one>
  %k = cdna.rename %i : tensor<4x1xf32, #one> -> !t
  %o = arith.mulf %e, %k : !t
  cdna.store %o, %wy[%c0, %c0] {tail = [records, compare]} : !t, !b
  cdna.return
}
tile.func private @softmax.grid(%x: !X, %y: !X) -> i32 {
  %g:2 = tile.num_tiles %x [4, 1024] : !X -> i32, i32
  tile.return %g#0 : i32
}
