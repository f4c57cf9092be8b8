// Mistakes of the caller end in one labelled message and status 1 (2 for a wrong command line).
// RUN: not tegula-compile %s --target gfx1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tegula-compile %s 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not tegula-compile %s --target gfx950 --emit elf 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not tegula-compile %s --target gfx950 --from cdna 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not tegula-compile %s --target gfx950 --from rocdl --emit cdna 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// RUN: echo "module {}" | not tegula-compile - --from rocdl 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: echo "module {}" | not tegula-compile - --from rocdl --target gfx950 2>&1 | FileCheck %s --check-prefix=NOKERNEL
// RUN: env TMPDIR=%t.dir/missing not tegula-compile %s --target gfx950 --emit object 2>&1 | FileCheck %s --check-prefix=TEMPORARY
// RUN: not tegula-compile %S/no-such-file.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tegula-compile %s --target gfx950 -o %s/x 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tegula-compile %s --target gfx950 --emit object -o %t.dir/missing/x 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tegula-compile %s --target gfx942 --target gfx950 --emit asm 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not tegula-compile --header %s 2>&1 | FileCheck %s --check-prefix=NOJSON
// RUN: echo '{"kernel": "k", "variants": [7]}' | not tegula-compile --header - 2>&1 | FileCheck %s --check-prefix=NOTAMANIFEST
// RUN: not tegula-compile 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not tegula-compile --bogus 2>&1 | FileCheck %s --check-prefix=BOGUS
// RUN: not tegula-compile %s --target 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tegula-compile --memory-limit lots %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not tegula-compile --memory-limit 1 %s 2>&1 | FileCheck %s --check-prefix=LITTLE
// RUN: echo "module {}" | not tegula-compile - --target gfx950 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: echo "tile.kernel @" | not tegula-compile - --target gfx950 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: sed 's/grid = @k.grid/grid = @k.grid, target = #tile.target<"gfx942">/' %s \
// RUN:   | not tegula-compile - --target gfx950 2>&1 | FileCheck %s --check-prefix=OTHER

// UNKNOWN: errors.mlir:[[#]]:{{.*}}error: unknown target 'gfx1'; targets are gfx942, gfx950 [compile.target.c1]
// UNNAMED: error: unknown target '';{{.*}}[compile.target.c1]
// STAGE: error: unknown stage 'elf'{{.*}}[compile.emit.c1]
// FROM: error: a compile starts from tile or rocdl, not 'cdna' [compile.from.c1]
// BACKWARDS: error: rocdl text becomes llvm, asm or object, not 'cdna' [compile.from.c1]
// NOKERNEL: error: {{.*}}[object.
// TEMPORARY: error: no temporary directory: No such file or directory [object.file.c1]
// FILE: no-such-file.mlir: No such file or directory
// OUTPUT: errors.mlir/x: Not a directory
// FOLDER: missing/x: No such file or directory
// SEVERAL: tegula-compile: --emit asm takes one --target
// NOJSON: errors.mlir: {{.*}}Invalid JSON
// NOTAMANIFEST: tegula-compile: -: the manifest has a variant that is no object
// NOFILE: tegula-compile: no input file
// BOGUS: tegula-compile: unknown option --bogus
// VALUE: tegula-compile: --target needs a value
// MEMORY: --memory-limit needs a number of MB, not 'lots'
// LITTLE: --memory-limit 1: the compiler itself takes [[#]] MB of address space
// EMPTY: error: a module holds exactly one tile.kernel, found 0 [compile.kernel.c1]
// PARSE: <stdin>:1:{{.*}}error:
// OTHER: error: the kernel is for gfx942, the request asks for gfx950 [compile.target.c2]
tile.kernel @k() attributes {grid = @k.grid, schedule = #tile.schedule<waves = [1, 1]>} {
  tile.return
}
tile.func private @k.grid() -> i32 {
  %c1 = arith.constant 1 : i32
  tile.return %c1 : i32
}
