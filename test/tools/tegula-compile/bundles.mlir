// Which files a bundle has, and where.
// RUN: rm -rf %t && mkdir -p %t/in
// Files are named after the kernel: a name that leads out of the folder, or to a hidden file, is none.
// RUN: sed 's/@copy.grid/@grid/; s/@copy/@"..\/in\/copy"/' %s > %t/up.mlir
// RUN: not tegula-compile %t/up.mlir --target gfx950 -o %t/in 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/@copy.grid/@grid/; s/@copy/@""/' %s > %t/none.mlir
// RUN: not tegula-compile %t/none.mlir --target gfx950 -o %t/in 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: ls -A %t/in | count 0
// A target that is named twice is one.
// RUN: tegula-compile %s --target gfx950 --target gfx950 -o %t/once
// RUN: grep -c '"file"' %t/once/copy.json | FileCheck %s --check-prefix=ONCE
// A file that cannot be written whole is an error, and no part of it stays.
// RUN: not bash -c 'ulimit -f 1; tegula-compile %s --target gfx950 -o %t/large' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not bash -c 'ulimit -f 1; tegula-compile %s --target gfx950 --emit asm -o /dev/null --dump %t/dump' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: find %t -name '*.new' | count 0

// NAME: files of a bundle have the kernel's name, and '../in/copy' names none
// NONE: files of a bundle have the kernel's name, and '' names none
// ONCE: 1
// LARGE: error: {{.*}}File too large
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
