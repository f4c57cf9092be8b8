// The kernarg segment: arguments, each distinct dynamic extent once, dynamic strides; a bool is a byte; preloading ends
// at the first parameter that is narrower than a dword.
// RUN: tegula-opt %s -cdna-to-rocdl-abi -split-input-file | FileCheck %s

!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x64xbf16, names = ["K", "64"], strides = [64, 1], align = 16>
!C = !tile.view<?xf32, strides = [?]>
// CHECK: llvm.func @abi(%arg0: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.inreg, llvm.readonly}, %arg1: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.inreg, llvm.readonly},
// CHECK-SAME: %arg2: f32 {llvm.inreg}, %arg3: i8, %arg4: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %[[M:[^:]*]]: i32, %[[K:[^:]*]]: i32, %[[N:[^:]*]]: i32, %[[SA:[^:]*]]: i64, %[[SC:[^:]*]]: i64)
// CHECK-SAME: {align = 16 : i64, dtype = "bf16", extents = ["M", "K"], kind = "view", name = "a", offset = 0 : i64, shape = [unit, unit], strides = [unit, 1]}
// CHECK-SAME: {dtype = "f32", kind = "scalar", name = "s", offset = 16 : i64}
// CHECK-SAME: {dtype = "i1", kind = "scalar", name = "flag", offset = 20 : i64}
// CHECK-SAME: block = [128, 1, 1]
// CHECK-SAME: extents = [{argument = 0 : i64, dim = 0 : i64, name = "M", offset = 32 : i64}, {argument = 0 : i64, dim = 1 : i64, name = "K", offset = 36 : i64}, {argument = 4 : i64, dim = 0 : i64, name = "", offset = 40 : i64}]
// CHECK-SAME: {{\[\[}}"mul", ["ceildiv", ["dim", 0, 0], 32], ["ceildiv", ["dim", 0, 1], 64]], ["max", ["floordiv", ["dim", 1, 0], 2], 1], 1]
// CHECK-SAME: kernarg_size = 64 : i64
// CHECK-SAME: strides = [{argument = 0 : i64, dim = 0 : i64, offset = 48 : i64}, {argument = 4 : i64, dim = 0 : i64, offset = 56 : i64}]
// CHECK: llvm.trunc %arg3 : i8 to i1
// CHECK: arith.addi %[[M]], %[[K]]
// CHECK: llvm.return
// CHECK-NOT: tile.func
cdna.kernel @abi(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %s: f32 {tile.name = "s"}, %flag: i1 {tile.name = "flag"}, %c: !C {tile.name = "c", tile.alias = 3 : i32})
    attributes {grid = @abi.grid, target = #tile.target<"gfx942">, waves = [2, 1]} {
  %m = tile.dim %a {d = 0} : !A -> i32
  %k = tile.dim %b {d = 0} : !B -> i32
  %x = arith.addi %m, %k : i32
  %y = arith.select %flag, %x, %m : i32
  %sc = tile.stride %c {d = 0} : !C -> i64
  %p = cdna.base_pointer %c : !C -> !llvm.ptr<1>
  cdna.return
}
tile.func private @abi.grid(%a: !A, %b: !B, %s: f32, %flag: i1, %c: !C) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %g:2 = tile.num_tiles %a [32, 64] : !A -> i32, i32
  %n = arith.muli %g#0, %g#1 : i32
  %k = tile.dim %b {d = 0} : !B -> i32
  %h = arith.divui %k, %c2 : i32
  %j = arith.maxsi %h, %c1 : i32
  tile.return %n, %j : i32, i32
}

// -----

// What a kernel and its schedule ask of the machine.
// CHECK: llvm.func @modes() attributes {rocdl.waves_per_eu = 2 : i32, tegula.abi = {
// CHECK-SAME: denormals = "flush"
// CHECK-SAME: deterministic = false
cdna.kernel @modes() attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [2, 2], occupancy = 2>, waves = [2, 2],
    denormals = #tile.denormals<flush>, tile.order_dependent} {
  cdna.return
}

// -----

// CHECK: llvm.func @no_modes() attributes {tegula.abi = {
// CHECK-NOT: denormals
// CHECK-NOT: deterministic
// CHECK: llvm.return
cdna.kernel @no_modes() attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [2, 2], occupancy = 1>, waves = [2, 2]} {
  cdna.return
}
