// The module after each pass, in order; files that would repeat the one before are left out. The code
// object doesn't depend on whether someone looks.
// RUN: rm -rf %t && mkdir %t
// RUN: tegula-compile %s --emit object -o %t/plain.hsaco
// RUN: tegula-compile %s --emit object -o %t/seen.hsaco --dump %t/d --time-passes 2> %t/times
// RUN: cmp %t/plain.hsaco %t/seen.hsaco
// A folder has the rights that mkdir gives one.
// RUN: mkdir %t/like && bash -c 'test $(stat -c %%a %t/d) = $(stat -c %%a %t/like)'
// RUN: ls %t/d | FileCheck %s --check-prefix=NAMES
// RUN: cat %t/d/*-cdna-lower-tile.mlir | FileCheck %s --check-prefix=LOWERED
// RUN: cat %t/d/*-code.s | FileCheck %s --check-prefix=CODE
// RUN: FileCheck %s --check-prefix=TIMES < %t/times
// RUN: not tegula-compile %s --emit object -o %t/no.hsaco --dump %s/below 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not ls %t/no.hsaco
// RUN: tegula-compile %s --target gfx950 -o %t/bundle --dump %t/two
// RUN: ls %t/two/gfx950 | FileCheck %s --check-prefix=NAMES

// NAMES: 000-input.mlir
// NAMES: tile-pick-schedule.mlir
// NAMES: cdna-assign-layouts.mlir
// NAMES-NEXT: cdna-lower-tile.mlir
// NAMES: cdna-to-rocdl-abi.mlir
// NAMES: code.ll
// NAMES-NEXT: code.s
// LOWERED: cdna.kernel @k
// CODE: s_endpgm
// TIMES: Execution time report
// TIMES: LowerTilePass
// TIMES: object
// FOLDER: error: the dump: {{.*}}below: Not a directory [compile.dump.c1]
!V = !tile.view<?xf32, names = ["N"], strides = [1]>
tile.kernel @k(%x: !V {tile.name = "x"}) attributes {grid = @k.grid, target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0] pad(0.0) : !V -> tensor<256xf32>
  %u = arith.addf %t, %t : tensor<256xf32>
  tile.store %u, %x[%c0] : tensor<256xf32>, !V
  tile.return
}
tile.func private @k.grid(%x: !V) -> i32 {
  %c1 = arith.constant 1 : i32
  tile.return %c1 : i32
}
