// The worker answers good and bad requests, survives a fatal error of LLVM, and dies of a stack
// overflow without answering: its client sees the pipe close.
// RUN: python3 %S/Inputs/serve.py tegula-compile %s | FileCheck %s --check-prefixes=CHECK,SHIPPED
// RUN: python3 %S/Inputs/serve.py tegula-compile %s --memory-limit 4000 | FileCheck %s --check-prefixes=CHECK,SHIPPED
// RUN: python3 %S/Inputs/serve.py tegula-test-compile %s | FileCheck %s --check-prefixes=CHECK,FAULTS

// CHECK: compile -> True {{ *}}[] []
// CHECK: elf True
// CHECK: stage -> True {{ *}}[] []
// CHECK: malformed -> False {{.*}}expected
// CHECK: no text -> False {{.*}}['compile.request.c1']
// CHECK: option -> False {{.*}}['compile.option.c1']{{.*}}unknown option 'bogus'
// CHECK: not json -> compile.request.c1
// SHIPPED: fatal -> False {{.*}}['compile.option.c1']{{.*}}unknown option 'fault'
// FAULTS: fatal -> False internal ['compile.internal.c1'] ['LLVM gave up: Cannot select']
// CHECK: again -> True
// CHECK: same bytes after a fatal error True
// FAULTS: stack -> worker ended -11
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
