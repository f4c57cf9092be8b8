// Text that would overflow the parser's stack is refused by every tool, from a file or standard input.
// RUN: printf '%%020001d' 0 | tr 0 '[' > %t
// RUN: not tegula-opt %t 2>&1 | FileCheck %s
// RUN: not tegula-opt < %t 2>&1 | FileCheck %s
// RUN: not tegula-test-opt %t 2>&1 | FileCheck %s
// RUN: not tegula-reduce %t --test true 2>&1 | FileCheck %s
// RUN: not tegula-compile %t --target gfx950 2>&1 | FileCheck %s
// RUN: not tegula-opt %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: brackets nested 20001 deep; at most 256 are read [compile.nesting.c1]
// CHECK-NOT: Stack dump
// NONE: No such file or directory
