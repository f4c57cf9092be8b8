// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s

!X = !tile.view<?x2880xbf16, names = ["R", "N"], strides = [?, 1], align = 16>
!W = !tile.view<2880xbf16, names = ["N"], strides = [1], align = 16>
!S = !tile.view<?x1xf32, names = ["R", "1"], strides = [?, 1]>
!V = !tile.view<?x?xbf16, names = ["HK*G", "M/32"], strides = [?, 1], align = 16>

// CHECK-LABEL: tile.kernel @rms_norm
// CHECK-SAME: %{{.*}}: !tile.view<?x2880xbf16, names = ["R", "N"], strides = [?, 1], align = 16> {tile.alias = 0 : i32, tile.name = "x"}
// CHECK-SAME: names = ["R", "1"], strides = [?, 1]> {tile.name = "rstd"}
// CHECK-SAME: attributes {grid = @rms_norm.grid, schedule = #tile.schedule<waves = [1, 2]>, target = #tile.target<"gfx950">}
tile.kernel @rms_norm(%x: !X {tile.name = "x", tile.alias = 0 : i32}, %w: !W {tile.name = "w"}, %out: !X {tile.name = "out"},
                      %rstd: !S {tile.name = "rstd"}, %eps: f32 {tile.name = "eps"})
    attributes {grid = @rms_norm.grid, target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 2]>} {
  %c0 = arith.constant 0 : i32
  // CHECK: tile.program_id {axis = 0} : i32
  %row = tile.program_id {axis = 0} : i32
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] pad(0.0) : !tile.view<?x2880xbf16, {{.*}}> -> tensor<1x2880xbf16>
  %v = tile.load %x[%row, %c0] pad(0.0) : !X -> tensor<1x2880xbf16>
  // CHECK: pad(-inf)
  %vi = tile.load %x[%row, %c0] pad(-inf) : !X -> tensor<1x2880xbf16>
  // CHECK: pad(-1.5)
  %vn = tile.load %x[%row, %c0] pad(-1.5) : !X -> tensor<1x2880xbf16>
  %f = arith.extf %v : tensor<1x2880xbf16> to tensor<1x2880xf32>
  %q = arith.mulf %f, %f : tensor<1x2880xf32>
  // CHECK: tile.reduce add %{{.*}} {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  %s = tile.reduce add %q {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  %n = arith.constant dense<2880.0> : tensor<1x1xf32>
  %me = arith.divf %s, %n : tensor<1x1xf32>
  // CHECK: tile.broadcast %{{.*}} : f32 to tensor<1x1xf32>
  %e = tile.broadcast %eps : f32 to tensor<1x1xf32>
  %a = arith.addf %me, %e : tensor<1x1xf32>
  // CHECK: tile.math rsqrt %{{.*}} : tensor<1x1xf32>
  %r = tile.math rsqrt %a : tensor<1x1xf32>
  // CHECK: tile.math exp2 %{{.*}} fastmath<afn> : tensor<1x1xf32>
  %r2 = tile.math exp2 %a fastmath<afn> : tensor<1x1xf32>
  // CHECK: tile.math pow %{{.*}}, %{{.*}} : tensor<1x1xf32>
  %r3 = tile.math pow %a, %r2 : tensor<1x1xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<1x1xf32>, !tile.view<
  tile.store %r, %rstd[%row, %c0] : tensor<1x1xf32>, !S
  %rb = tile.broadcast %r : tensor<1x1xf32> to tensor<1x2880xf32>
  %y0 = arith.mulf %f, %rb : tensor<1x2880xf32>
  %wl = tile.load %w[%c0] pad(0) : !W -> tensor<2880xbf16>
  // CHECK: tile.reshape %{{.*}} : tensor<2880xbf16> to tensor<1x2880xbf16>
  %wr = tile.reshape %wl : tensor<2880xbf16> to tensor<1x2880xbf16>
  %wf = arith.extf %wr : tensor<1x2880xbf16> to tensor<1x2880xf32>
  %y = arith.mulf %y0, %wf : tensor<1x2880xf32>
  // CHECK: tile.cast %{{.*}} rne : tensor<1x2880xf32> -> tensor<1x2880xbf16>
  %o = tile.cast %y rne : tensor<1x2880xf32> -> tensor<1x2880xbf16>
  // CHECK: tile.cast %{{.*}} rtz saturate : tensor<1x2880xf32> -> tensor<1x2880xi8>
  %o2 = tile.cast %y rtz saturate : tensor<1x2880xf32> -> tensor<1x2880xi8>
  tile.store %o, %out[%row, %c0] : tensor<1x2880xbf16>, !X
  // CHECK: tile.return
  tile.return
}
// CHECK-LABEL: tile.func private @rms_norm.grid
tile.func private @rms_norm.grid(%x: !X, %w: !W, %out: !X, %rstd: !S, %eps: f32) -> i32 {
  // CHECK: tile.dim %{{.*}} {d = 0} : !tile.view<{{.*}}> -> i32
  %r = tile.dim %x {d = 0} : !X -> i32
  tile.return %r : i32
}

!A = !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>
!B = !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>
!C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1], align = 16>
// CHECK-LABEL: tile.kernel @gemm
// CHECK-SAME: schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @gemm(%a: !A {tile.name = "a"}, %b: !B {tile.name = "b"}, %c: !C {tile.name = "c"})
    attributes {grid = @gemm.grid, target = #tile.target<"gfx950">,
    schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct,
                              raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  // CHECK: tile.tile_id %{{.*}} [256, 256] : !tile.view<{{.*}}> -> i32, i32
  %m, %n = tile.tile_id %c [256, 256] : !C -> i32, i32
  %K = tile.dim %a {d = 1} : !A -> i32
  %nk = arith.ceildivui %K, %c64 : i32
  %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<256x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !B -> tensor<64x256xbf16>
    // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    %y = tile.mma %at, %bt, %x : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  %o = tile.cast %acc rne : tensor<256x256xf32> -> tensor<256x256xbf16>
  tile.store %o, %c[%m, %n] : tensor<256x256xbf16>, !C
  tile.return
}
tile.func private @gemm.grid(%a: !A, %b: !B, %c: !C) -> i32 {
  // CHECK: tile.num_tiles %{{.*}} [256, 256] : !tile.view<{{.*}}> -> i32, i32
  %g:2 = tile.num_tiles %c [256, 256] : !C -> i32, i32
  %n = arith.muli %g#0, %g#1 : i32
  tile.return %n : i32
}

!L = !tile.view<?xi32, strides = [1]>
// CHECK-LABEL: tile.kernel @views
// CHECK-SAME: names = ["HK*G", "M/32"]
tile.kernel @views(%v: !V, %l: !L, %b: !tile.view<?xi1, strides = [1]>, %w: !tile.view<?xi64, strides = [1]>) {
  %c0 = arith.constant 0 : i32
  // CHECK: tile.scalar %{{.*}}[%{{.*}}] : !tile.view<?xi32, strides = [1]> -> i32
  %i = tile.scalar %l[%c0] : !L -> i32
  // CHECK: pad(1) : !tile.view<?xi1, strides = [1]>
  %b1 = tile.load %b[%i] pad(1) : !tile.view<?xi1, strides = [1]> -> tensor<4xi1>
  // CHECK: pad(-9223372036854775807) : !tile.view<?xi64, strides = [1]>
  %b64 = tile.load %w[%i] pad(-9223372036854775807) : !tile.view<?xi64, strides = [1]> -> tensor<4xi64>
  // CHECK: tile.stride %{{.*}} {d = 0} : {{.*}} -> i64
  %st = tile.stride %v {d = 0} : !V -> i64
  // CHECK: tile.slice %{{.*}}[%{{.*}}:, :32] : {{.*}} -> !tile.view<?x32xbf16, strides = [?, 1], align = 16>
  %s = tile.slice %v[%i:, 0:32] : !V -> !tile.view<?x32xbf16, strides = [?, 1], align = 16>
  // CHECK: tile.slice %{{.*}}[:, %{{.*}}:%{{.*}}] : {{.*}} -> !tile.view<?x?xbf16, names = ["HK*G", ""], strides = [?, 1]>
  %s2 = tile.slice %v[:, %c0:%i] : !V -> !tile.view<?x?xbf16, names = ["HK*G", ""], strides = [?, 1]>
  // CHECK: tile.index %{{.*}} {d = 0} %{{.*}} : {{.*}} -> !tile.view<?xbf16, names = ["M/32"], strides = [1], align = 16>
  %x = tile.index %v {d = 0} %i : !V -> !tile.view<?xbf16, names = ["M/32"], strides = [1], align = 16>
  // CHECK: tile.expand %{{.*}} {d = 0} : {{.*}} -> !tile.view<1x?xi32, strides = [0, 1]>
  %e = tile.expand %l {d = 0} : !L -> !tile.view<1x?xi32, strides = [0, 1]>
  // CHECK: tile.permute_view %{{.*}} {perm = [1, 0]} : {{.*}} -> !tile.view<?x32xbf16, strides = [1, ?], align = 16>
  %sx = tile.slice %v[0:32, :] : !V -> !tile.view<32x?xbf16, strides = [?, 1], align = 16>
  %p = tile.permute_view %sx {perm = [1, 0]} : !tile.view<32x?xbf16, strides = [?, 1], align = 16> -> !tile.view<?x32xbf16, strides = [1, ?], align = 16>
  // CHECK: tile.valid %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}} -> tensor<4x64xi1>
  %in = tile.valid %v[%i, %c0] : !V -> tensor<4x64xi1>
  // CHECK: tile.iota {axis = 1} : tensor<4x64xi32>
  %io = tile.iota {axis = 1} : tensor<4x64xi32>
  // CHECK: tile.extract %{{.*}} {offsets = [0, 32]} : tensor<4x64xi32> -> tensor<4x32xi32>
  %ex = tile.extract %io {offsets = [0, 32]} : tensor<4x64xi32> -> tensor<4x32xi32>
  // CHECK: tile.concat %{{.*}}, %{{.*}} {axis = 1} : tensor<4x32xi32>, tensor<4x32xi32> -> tensor<4x64xi32>
  %cc = tile.concat %ex, %ex {axis = 1} : tensor<4x32xi32>, tensor<4x32xi32> -> tensor<4x64xi32>
  // CHECK: tile.transpose %{{.*}} {perm = [1, 0]} : tensor<4x64xi32> -> tensor<64x4xi32>
  %t = tile.transpose %io {perm = [1, 0]} : tensor<4x64xi32> -> tensor<64x4xi32>
  // CHECK: tile.bitcast %{{.*}} : tensor<64x4xi32> to tensor<64x4xf32>
  %bc = tile.bitcast %t : tensor<64x4xi32> to tensor<64x4xf32>
  // CHECK: tile.assume
  %ok = arith.cmpi sge, %i, %c0 : i32
  tile.assume %ok : i1
  tile.return
}
