// RUN: tegula-opt %s -tile-pick-schedule | FileCheck %s

// CHECK: tile.kernel @g950_256({{.*}}schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_256(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %m, %n = tile.tile_id %c [256, 256] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<256x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x256xbf16>
    %y = tile.mma %at, %bt, %x : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g942_256({{.*}}schedule = #tile.schedule<waves = [2, 4], mma = "16x16x16", stages = 2, lds = register, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g942_256(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx942">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %m, %n = tile.tile_id %c [256, 256] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<256x32xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<32x256xbf16>
    %y = tile.mma %at, %bt, %x : tensor<256x32xbf16>, tensor<32x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_128({{.*}}schedule = #tile.schedule<waves = [2, 2], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_128(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %m, %n = tile.tile_id %c [128, 128] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<128x128xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<128x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x128xbf16>
    %y = tile.mma %at, %bt, %x : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %y : tensor<128x128xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_64({{.*}}schedule = #tile.schedule<waves = [2, 2], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_64(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_16({{.*}}schedule = #tile.schedule<waves = [1, 4], mma = "16x16x32", stages = 2, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_16(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %m, %n = tile.tile_id %c [16, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<16x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<16x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    scf.yield %y : tensor<16x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<16x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_unaligned({{.*}}schedule = #tile.schedule<waves = [2, 2], mma = "16x16x32", stages = 2, lds = register, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_unaligned(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 4>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 4>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 4> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 4> -> tensor<64x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 4> -> tensor<64x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_deep({{.*}}schedule = #tile.schedule<waves = [2, 4], mma = "16x16x32", stages = 1, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_deep(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %m, %n = tile.tile_id %c [256, 256] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<256x128xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<128x256xbf16>
    %y = tile.mma %at, %bt, %x : tensor<256x128xbf16>, tensor<128x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @g950_once({{.*}}schedule = #tile.schedule<waves = [2, 2], mma = "16x16x32", stages = 1, lds = direct, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @g950_once(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %at = tile.load %a[%m, %c0] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x64xbf16>
  %bt = tile.load %b[%c0, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x64xbf16>
  %r = tile.mma %at, %bt, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @user({{.*}}schedule = #tile.schedule<waves = [4, 2], mma = "16x16x32", stages = 1, lds = direct, raster = {group = 3, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @user(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [4, 2], stages = 1, raster = {group = 3}>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %m, %n = tile.tile_id %c [256, 256] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<256x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x256xbf16>
    %y = tile.mma %at, %bt, %x : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @user_mma({{.*}}schedule = #tile.schedule<waves = [2, 4], mma = "32x32x16", stages = 2, lds = register, raster = {group = 8, xcd = true}, split_k = 1, persistent = false, occupancy = 1>
tile.kernel @user_mma(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<mma = "32x32x16", lds = register>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %m, %n = tile.tile_id %c [256, 256] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<256x256xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<256x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x256xbf16>
    %y = tile.mma %at, %bt, %x : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @row_2880({{.*}}schedule = #tile.schedule<waves = [1, 2], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @row_2880(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x2880xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @row_1024({{.*}}schedule = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @row_1024(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @row_8192({{.*}}schedule = #tile.schedule<waves = [1, 4], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @row_8192(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x8192xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x8192xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @row_huge({{.*}}schedule = #tile.schedule<waves = [1, 16], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @row_huge(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x131072xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x131072xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @elementwise({{.*}}schedule = #tile.schedule<waves = [1, 2], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @elementwise(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  tile.store %t, %o[%i, %i] : tensor<1x1024xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// CHECK: tile.kernel @column({{.*}}schedule = #tile.schedule<waves = [2, 1], split_k = 1, persistent = false, occupancy = 1>
tile.kernel @column(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1024x1xf32>
  tile.store %t, %o[%i, %i] : tensor<1024x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}
