// What the compiler remarks is told where it is asked for, at its line; the code object is the same.
// RUN: tegula-compile %s --emit object -o %t.plain 2>&1 | count 0
// RUN: tegula-compile %s --emit object -o %t.told --remarks 2>&1 | FileCheck %s
// RUN: cmp %t.plain %t.told

// CHECK: remarks.mlir:[[#@LINE+6]]:{{.*}}: remark: {{.*}}through LDS
!X = !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
!Y = !tile.view<?x?xf32, names = ["M", "N"], strides = [1, ?], align = 16>
tile.kernel @turn(%x: !X {tile.name = "x"}, %y: !Y {tile.name = "y", tile.alias = 1 : i32})
    attributes {grid = @turn.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0, %c0] pad(0.0) : !X -> tensor<64x64xf32>
  tile.store %t, %y[%c0, %c0] : tensor<64x64xf32>, !Y
  tile.return
}
tile.func private @turn.grid(%x: !X, %y: !Y) -> i32 {
  %c1 = arith.constant 1 : i32
  tile.return %c1 : i32
}
