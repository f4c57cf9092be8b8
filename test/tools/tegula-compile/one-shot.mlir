// Every stage of one kernel, and the files of the last one.
// RUN: tegula-compile %s --target gfx950 --emit tile | FileCheck %s --check-prefix=TILE
// RUN: tegula-compile %s --target gfx950 --emit cdna | FileCheck %s --check-prefix=CDNA
// RUN: tegula-compile %s --target gfx950 --emit rocdl | FileCheck %s --check-prefix=ROCDL
// RUN: tegula-compile %s --target gfx950 --emit llvm | FileCheck %s --check-prefix=LLVM
// RUN: tegula-compile %s --target gfx950 --emit asm | FileCheck %s --check-prefix=ASM
// RUN: rm -rf %t && mkdir -p %t/a %t/b
// RUN: tegula-compile %s --target gfx950 --emit object -o %t/a/copy.hsaco
// RUN: llvm-readelf -h %t/a/copy.hsaco | FileCheck %s --check-prefix=ELF
// RUN: ls %t/a | count 1

// A bundle; another process, another directory, the input under the same name: the same bytes.
// RUN: cp %s %t/b/one-shot.mlir
// RUN: cd %t/b && tegula-compile one-shot.mlir --target gfx950 -o new/folder
// RUN: ls %t/b/new/folder | count 3
// RUN: cmp %t/a/copy.hsaco %t/b/new/folder/copy.gfx950.hsaco
// RUN: FileCheck %s --check-prefix=MANIFEST < %t/b/new/folder/copy.json
// RUN: FileCheck %s --check-prefix=HEADER < %t/b/new/folder/copy.h

// In two steps, through the text of the llvm dialect. Lines of source are the text's own, so the
// code objects' bytes differ.
// RUN: tegula-compile %s --target gfx950 --emit rocdl -o %t/copy.mlir
// RUN: tegula-compile %t/copy.mlir --from rocdl --target gfx950 --emit asm | FileCheck %s --check-prefix=ASM
// RUN: tegula-compile %t/copy.mlir --from rocdl --target gfx950 -o %t
// RUN: sed '/"code"/,/}/d' %t/copy.json > %t/two-steps.json
// RUN: sed '/"code"/,/}/d' %t/b/new/folder/copy.json | cmp %t/two-steps.json -

// Both chips in one bundle. Its header comes from the manifest alone.
// RUN: tegula-compile %s --target gfx942 --target gfx950 -o %t/both
// RUN: llvm-readelf -h %t/both/copy.gfx942.hsaco | FileCheck %s --check-prefix=ELF942
// RUN: cmp %t/both/copy.gfx950.hsaco %t/a/copy.hsaco
// RUN: tegula-compile --header %t/both/copy.json | cmp - %t/both/copy.h
// RUN: FileCheck %s --check-prefix=BOTH < %t/both/copy.h

// TILE: tile.kernel @copy
// TILE-SAME: target = #tile.target<"gfx950">
// CDNA: cdna.kernel @copy
// ROCDL: llvm.func @copy
// LLVM: define amdgpu_kernel void @copy
// ASM: buffer_load_dword
// ELF: gfx950
// ELF942: gfx942
// MANIFEST-DAG: "kernel": "copy"
// MANIFEST-DAG: "target": "gfx950"
// MANIFEST-DAG: "version": 1
// MANIFEST-DAG: "vgpr_spills": 0
// MANIFEST-DAG: "name": "y"
// MANIFEST-DAG: "file": "copy.gfx950.hsaco"
// HEADER: gfx950: copy.gfx950.hsaco
// HEADER: typedef struct {
// HEADER-NEXT: const void *x; /* f32, extents (R, 64), strides (x_stride0, 1) */
// HEADER-NEXT: const void *y;
// HEADER-NEXT: int64_t R; /* extent R */
// HEADER-NEXT: int64_t x_stride0;
// HEADER-NEXT: int64_t y_stride0;
// HEADER-NEXT: } copy_args;
// HEADER: static inline tgr_status copy_open(
// HEADER: static inline tgr_status copy_plan(
// HEADER: static inline tgr_status copy_launch(
// BOTH: gfx942: copy.gfx942.hsaco
// BOTH-NEXT: gfx950: copy.gfx950.hsaco
!X = !tile.view<?x64xf32, names = ["R", "64"], strides = [?, 1]>
tile.kernel @copy(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y", tile.alias = 1 : i32})
    attributes {grid = @copy.grid, schedule = #tile.schedule<waves = [1, 1]>} {
  %r = tile.program_id {axis = 0} : i32
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%r, %c0] pad(0.0) : !X -> tensor<1x64xf32>
  tile.store %t, %y[%r, %c0] : tensor<1x64xf32>, !X
  tile.return
}
tile.func private @copy.grid(%x: !X, %y: !X) -> i32 {
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}
