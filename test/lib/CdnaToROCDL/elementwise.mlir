// The smallest kernel: one workgroup of one wave adds two rows of 256. One vector of four a lane, bound by records.
// RUN: tegula-opt %s -tegula-rocdl | FileCheck %s
// RUN: tegula-opt %s -tegula-rocdl | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx950 -O3 -o - | FileCheck %s --check-prefix=ISA

#row = #cdna.layout<reg = [[1], [2]], lane = [[4], [8], [16], [32], [64], [128]], wave = []>
!X = !tile.view<?xf32, names = ["N"], strides = [1], align = 16>
!W = !cdna.buffer<?xf32, strides = [1], align = 16>

// CHECK-LABEL: llvm.func @add
// CHECK-SAME: cdna.rocdl_only
// CHECK-SAME: rocdl.flat_work_group_size = "64,64"
// CHECK: %[[X:.*]] = rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: %[[Y:.*]] = rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: llvm.fadd {{.*}} : vector<4xf32>
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK-NOT: rocdl.raw.ptr.buffer.store

// ISA-LABEL: add:
// ISA: buffer_load_dwordx4 {{.*}} offen
// ISA: buffer_load_dwordx4 {{.*}} offen
// ISA: buffer_store_dwordx4 {{.*}} offen
// ISA: s_endpgm
// ISA: .kernarg_segment_size: 28
// ISA: .vgpr_spill_count: 0
cdna.kernel @add(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y"}, %z: !X {tile.name = "z", tile.alias = 1 : i32})
    attributes {grid = @add.grid, target = #tile.target<"gfx950">, waves = [1, 1], cdna.no_tile_ops} {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %p = cdna.program_id {axis = 0} : i32
  %i = arith.muli %p, %c256 : i32
  %wx = cdna.buffer %x[%i] tile [256] : !X -> !W
  %wy = cdna.buffer %y[%i] tile [256] : !X -> !W
  %wz = cdna.buffer %z[%i] tile [256] : !X -> !W
  %a = cdna.load %wx[%c0] {tail = [records]} : !W -> tensor<256xf32, #row>
  %b = cdna.load %wy[%c0] {tail = [records]} : !W -> tensor<256xf32, #row>
  %s = arith.addf %a, %b : tensor<256xf32, #row>
  cdna.store %s, %wz[%c0] {tail = [records]} : tensor<256xf32, #row>, !W
  cdna.return
}
tile.func private @add.grid(%x: !X, %y: !X, %z: !X) -> i32 {
  %g = tile.num_tiles %x [256] : !X -> i32
  tile.return %g : i32
}
