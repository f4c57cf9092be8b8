// The value conversion by itself: chunks, addresses, ownership, lane moves, slots.
// RUN: tegula-opt %s -cdna-to-rocdl-values -cse -split-input-file | FileCheck %s

// Element-wise on the smallest chunk: 8 of bf16 are two of f32.
#row = #cdna.layout<reg = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128], [256]], wave = []>
!V = !tile.view<512xbf16, strides = [1], align = 16>
!W = !cdna.buffer<512xbf16, strides = [1], align = 16>
// CHECK-LABEL: @chunks
// CHECK: %[[X:.*]] = llvm.bitcast {{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK: %[[LO:.*]] = llvm.shufflevector %[[X]], {{.*}} [0, 1, 2, 3]
// CHECK: arith.extf %[[LO]] : vector<4xbf16> to vector<4xf32>
// CHECK: arith.mulf {{.*}} : vector<4xf32>
cdna.kernel @chunks(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %v[%c0] tile [512] : !V -> !W
  %x = cdna.load %w[%c0] {tail = [none]} : !W -> tensor<512xbf16, #row>
  %f = arith.extf %x : tensor<512xbf16, #row> to tensor<512xf32, #row>
  %q = arith.mulf %f, %f : tensor<512xf32, #row>
  %h = arith.truncf %q : tensor<512xf32, #row> to tensor<512xbf16, #row>
  cdna.store %h, %w[%c0] {tail = [none]} : tensor<512xbf16, #row>, !W
  cdna.return
}
// -----
// What does not happen goes through a descriptor of no records.
#row = #cdna.layout<reg = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128], [256]], wave = []>
!V = !tile.view<512xbf16, strides = [1], align = 16>
!W = !cdna.buffer<512xbf16, strides = [1], align = 16>
// CHECK-LABEL: @where
// CHECK: %[[BYTES:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[RECORDS:.*]] = arith.select %{{.*}}, %[[BYTES]], %c0_i64 : i64
// CHECK: %[[GUARDED:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[RECORDS]], %{{.*}}
// CHECK: rocdl.raw.ptr.buffer.load %[[GUARDED]]
cdna.kernel @where(%v: !V, %n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %v[%c0] tile [512] : !V -> !W
  %some = arith.cmpi sgt, %n, %c0 : i32
  %x = cdna.load %w[%c0] where %some {tail = [none]} : !W -> tensor<512xbf16, #row>
  cdna.store %x, %w[%c0] {tail = [none]} : tensor<512xbf16, #row>, !W
  cdna.return
}
// -----
// Only the lane and wave whose broadcast bits are 0 store; everybody else goes out of bounds.
#one = #cdna.layout<reg = [], lane = [[1], [2], [0], [0], [0], [0]], wave = [[0]]>
!V = !tile.view<4xf32, strides = [1]>
!W = !cdna.buffer<4xf32, strides = [1]>
// CHECK-LABEL: @owner
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c60_i32 : i32
// CHECK: %[[LOK:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK: %[[WAVE:.*]] = arith.andi %{{.*}}, %c1_i32 : i32
// CHECK: %[[WOK:.*]] = arith.cmpi eq, %[[WAVE]], %c0_i32
// CHECK: %[[OK:.*]] = arith.andi %[[LOK]], %[[WOK]]
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %{{.*}}, %c-2147483648_i32
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[AT]]
cdna.kernel @owner(%v: !V, %s: f32) attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %v[%c0] tile [4] : !V -> !W
  %x = cdna.splat %s : f32 -> tensor<4xf32, #one>
  cdna.store %x, %w[%c0] {tail = [none]} : tensor<4xf32, #one>, !W
  cdna.return
}
// -----
// Phantoms of a tile that is inside its view would overwrite a neighbour: stores compare, loads need not.
#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
!V = !tile.view<128xf32, strides = [1]>
!W = !cdna.buffer<128xf32, strides = [1]>
// CHECK-LABEL: @phantoms
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c40_i32
// CHECK: arith.select %[[IN]]
// CHECK: rocdl.raw.ptr.buffer.store
cdna.kernel @phantoms(%v: !V) attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %c0 = arith.constant 0 : i32
  %w = cdna.buffer %v[%c0] tile [40] : !V -> !W
  %x = cdna.load %w[%c0] {tail = [none]} : !W -> tensor<40xf32, #row>
  cdna.store %x, %w[%c0] {tail = [none]} : tensor<40xf32, #row>, !W
  cdna.return
}
// -----
// A ring of three stages adds and wraps; a swizzled read along k flips one bit of its base.
#a = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
!L = !cdna.lds<16x64xbf16, order = [1, 0], stages = 3, xor = [1, 2, 4]>
!P = !cdna.lds<16x32xbf16, order = [1, 0], pitch = 128, xor = [1, 2, 4]>
// CHECK-LABEL: @slots
// CHECK-DAG: %[[L15:.*]] = arith.andi %{{.*}}, %c15_i32
// CHECK-DAG: %[[ROW:.*]] = arith.shli %[[L15]], %c7_i32
// CHECK-DAG: %[[L7:.*]] = arith.andi %{{.*}}, %c7_i32
// CHECK-DAG: %[[SWZ:.*]] = arith.shli %[[L7]], %c4_i32
// CHECK: arith.xori %{{.*}}, %c64_i32
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c2048_i32
// CHECK: %[[WRAP:.*]] = arith.addi %[[NEXT]], %c-6144_i32
// CHECK: arith.cmpi slt, %[[NEXT]], %c6144_i32
// CHECK: arith.select %{{.*}}, %[[NEXT]], %[[WRAP]]
cdna.kernel @slots(%n: i32) attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 6144 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<16x32xbf16, #a>
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %s0 = cdna.slot %l 1 : !L -> !cdna.slot
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!cdna.slot) : i32 {
    %v = cdna.lds_view %l[%s] [0, 32] [16, 32] : !L -> !P
    %x = cdna.lds_load %v : !P -> tensor<16x32xbf16, #a>
    cdna.lds_store %x, %v : tensor<16x32xbf16, #a>, !P
    %t = cdna.next_slot %s {by = 1} : !cdna.slot
    scf.yield %t : !cdna.slot
  }
  cdna.return
}
// -----
// A transposing read: lane bits 2 and 3 take the rows, bits 0 and 1 the columns.
#b = #cdna.layout<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = []>
!L = !cdna.lds<32x16xbf16, order = [1, 0]>
// CHECK-LABEL: @transpose
// CHECK-COUNT-2: rocdl.ds.read.tr16.b64 {{.*}} -> vector<4xbf16>
cdna.kernel @transpose() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 1024 : i32} {
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %x = cdna.lds_load %l {transpose} : !L -> tensor<32x16xbf16, #b>
  cdna.lds_store %x, %l : tensor<32x16xbf16, #b>, !L
  cdna.return
}
// -----
// Two bytes a lane, taken out of dwords that four lanes share; bytes of a row that ends within a dword are read alone.
#b = #cdna.layout<reg = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
!L = !cdna.lds<2x64xf8E8M0FNU, order = [1, 0]>
!O = !cdna.lds<2x62xf8E8M0FNU, order = [1, 0]>
// CHECK-LABEL: @bytes
// CHECK: %[[LOW:.*]] = arith.andi %[[LANE:.*]], %c3_i32
// CHECK: %[[SHIFT:.*]] = arith.shli %[[LOW]], %c3_i32
// CHECK: arith.andi %[[LANE]], %c60_i32
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: arith.shrui %{{.*}}, %[[SHIFT]]
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr<3> -> i8
cdna.kernel @bytes() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 256 : i32} {
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %o = cdna.lds_alloc {offset = 128 : i32} : !O
  %x = cdna.lds_load %l : !L -> tensor<2x64xf8E8M0FNU, #b>
  cdna.lds_store %x, %l : tensor<2x64xf8E8M0FNU, #b>, !L
  %y = cdna.lds_load %o : !O -> tensor<2x62xf8E8M0FNU, #b>
  cdna.lds_store %y, %o : tensor<2x62xf8E8M0FNU, #b>, !O
  cdna.return
}
// -----
// Reducing some lanes only: exact partners by DPP, bits 2 and 3 without bits 0 and 1 below them.
#x = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [4, 0], [8, 0]], wave = []>
#y = #cdna.layout<reg = [], lane = [[1, 0], [2, 0], [0, 0], [0, 0], [4, 0], [8, 0]], wave = []>
!L = !cdna.lds<16x1xi32, order = [1, 0]>
// CHECK-LABEL: @some_lanes
// CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 260, 15, 5, false
// CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 276, 15, 10, false
// CHECK: arith.maxsi
// CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 296, 15, 15, true
// CHECK: arith.maxsi
cdna.kernel @some_lanes() attributes {target = #tile.target<"gfx950">, waves = [1, 1], lds_bytes = 64 : i32} {
  %l = cdna.lds_alloc {offset = 0 : i32} : !L
  %i = cdna.iota {axis = 0} : tensor<16x4xi32, #x>
  %r = cdna.reduce_lanes max %i {dims = [1], bits = [2, 3]} : tensor<16x4xi32, #x> -> tensor<16x1xi32, #y>
  cdna.lds_store %r, %l : tensor<16x1xi32, #y>, !L
  cdna.return
}
