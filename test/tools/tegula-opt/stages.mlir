// Every part of the pipeline is a registered pipeline, every dialect is known.
// RUN: tegula-opt %s -tegula-tile | FileCheck %s --check-prefix=TILE
// RUN: tegula-opt %s -tegula-tile -tegula-cdna | FileCheck %s --check-prefix=CDNA
// RUN: tegula-opt %s -tegula-tile -tegula-cdna -tegula-rocdl | FileCheck %s --check-prefix=ROCDL

!X = !tile.view<?x64xf32, names = ["R", "64"], strides = [?, 1]>

// TILE: tile.kernel @copy
// TILE-SAME: tile.legal_for_target
// TILE: tile.load
// CDNA: cdna.kernel @copy
// CDNA-SAME: cdna.waits_inserted
// CDNA-NOT: tile.load
// CDNA: cdna.load
// ROCDL: llvm.func @copy(%{{.*}}: !llvm.ptr<1>
// ROCDL-NOT: cdna.load
// ROCDL: rocdl.raw.ptr.buffer.load
// ROCDL-NOT: tile.func
tile.kernel @copy(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y", tile.alias = 1 : i32})
    attributes {grid = @copy.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
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
