// RUN: tegula-opt %s -tile-pick-schedule -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{waves = [8, 1] for a tile of 64x64 and mma 16x16x32; legal are [1, 1] [1, 2] [1, 3] [1, 4] [2, 1] [2, 2] [2, 3] [2, 4] [3, 1] [3, 2] [3, 3] [3, 4] [4, 1] [4, 2] [4, 3] [4, 4] [tile.schedule.c1]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [8, 1]>} {
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

// -----

// expected-error @+1 {{[tile.schedule.c1]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [5, 1]>} {
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

// -----

// expected-error @+1 {{waves = [2, 2]; legal are [1, 1] [1, 2] [1, 3] [1, 4] [1, 5] [1, 6] [1, 7] [1, 8] [1, 9] [1, 10] [1, 11] [1, 12] [1, 13] [1, 14] [1, 15] [1, 16] [2, 1] [3, 1] [4, 1] [5, 1] [6, 1] [7, 1] [8, 1] [9, 1] [10, 1] [11, 1] [12, 1] [13, 1] [14, 1] [15, 1] [16, 1] [tile.schedule.c1]}}
tile.kernel @k(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [2, 2]>} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{mma = "16x16x4" for bf16 x bf16 and BK = 64 on gfx950; legal are 32x32x8 16x16x16 32x32x16 16x16x32 [tile.schedule.c2]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<mma = "16x16x4">} {
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

// -----

// expected-error @+1 {{[tile.schedule.c2]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<mma = "16x16x32">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x16xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<16x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x16xbf16>, tensor<16x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{mma is given, but the kernel has no product [tile.schedule.c2]}}
tile.kernel @k(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<mma = "16x16x32">} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{stages = 2 needs a loop that loads the operands of a product; 1 is legal here [tile.schedule.c3]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<stages = 2>} {
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

// -----

// expected-error @+1 {{[tile.schedule.c3]}}
tile.kernel @k(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<stages = 2>} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: the view is aligned to 2 bytes, 4 are needed; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 2>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 2>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 2> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 2> -> tensor<64x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 2> -> tensor<64x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: the load has a pad other than 0; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(1.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x64xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<64x64xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %m, %n = tile.tile_id %c [64, 64] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x4xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16> -> tensor<4x64xbf16>
    // expected-error @+1 {{contracts K = 4, which no instruction of gfx950 for bf16 x bf16 divides; run tile-pad-products first [tile.schedule.c2]}}
    %y = tile.mma %at, %bt, %x : tensor<64x4xbf16>, tensor<4x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: a tile of 32x20xbf16 has an extent that is no power of two; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct, mma = "16x16x16">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x20xf32>
  %m, %n = tile.tile_id %c [64, 20] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x20xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x32xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16> -> tensor<32x20xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x32xbf16>, tensor<32x20xbf16>, tensor<64x20xf32>
    scf.yield %y : tensor<64x20xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x20xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: a row of the tile is 2 bytes, no multiple of 4; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct, mma = "16x16x16">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x1xf32>
  %m, %n = tile.tile_id %c [64, 1] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x1xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x32xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16> -> tensor<32x1xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x32xbf16>, tensor<32x1xbf16>, tensor<64x1xf32>
    scf.yield %y : tensor<64x1xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x1xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: a lane copies 4 bytes, less than an element of f64; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xf64, strides = [?, 1], align = 16>, %b: !tile.view<?x?xf64, strides = [1, ?], align = 16>, %c: !tile.view<?x?xf64, strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx942">, schedule = #tile.schedule<lds = direct>} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf64>
  %at = tile.load %a[%c0, %c0] pad(0.0) : !tile.view<?x?xf64, strides = [?, 1], align = 16> -> tensor<64x64xf64>
  %bt = tile.load %b[%c0, %c0] pad(0.0) : !tile.view<?x?xf64, strides = [1, ?], align = 16> -> tensor<64x64xf64>
  %y = tile.mma %at, %bt, %zero : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>
  tile.store %y, %c[%c0, %c0] : tensor<64x64xf64>, !tile.view<?x?xf64, strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: a tile of 16x4xbf16 is smaller than the 256 bytes of one copy; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct, mma = "16x16x16">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<64x4xf32>
  %m, %n = tile.tile_id %c [64, 4] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x4xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x16xbf16>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xbf16, names = ["K", "N"], strides = [?, 1], align = 16> -> tensor<16x4xbf16>
    %y = tile.mma %at, %bt, %x : tensor<64x16xbf16>, tensor<16x4xbf16>, tensor<64x4xf32>
    scf.yield %y : tensor<64x4xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x4xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{lds = direct: the contiguous dimension is not the contracted one, and no LDS read of gfx950 transposes f32; register is legal [tile.schedule.c4]}}
tile.kernel @k(%a: !tile.view<?x?xf32, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xf32, names = ["K", "N"], strides = [?, 1], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct, mma = "16x16x4">} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %m, %n = tile.tile_id %c [64, 16] : !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16> -> i32, i32
  %K = tile.dim %a {d = 1} : !tile.view<?x?xf32, names = ["M", "K"], strides = [?, 1], align = 16> -> i32
  %nk = arith.ceildivui %K, %size : i32
  %r = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32>) : i32 {
    %at = tile.load %a[%m, %k] pad(0.0) : !tile.view<?x?xf32, names = ["M", "K"], strides = [?, 1], align = 16> -> tensor<64x32xf32>
    %bt = tile.load %b[%k, %n] pad(0.0) : !tile.view<?x?xf32, names = ["K", "N"], strides = [?, 1], align = 16> -> tensor<32x16xf32>
    %y = tile.mma %at, %bt, %x : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
    scf.yield %y : tensor<64x16xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x16xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{stages = 2 are buffers in LDS; with lds = none 1 is legal [tile.schedule.c3]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = none, stages = 2>} {
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

// -----

// expected-error @+1 {{lds is given, but the kernel has no product [tile.schedule.c4]}}
tile.kernel @k(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = direct>} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{has been through the passes of this dialect, and raster, split_k and persistent are applied once; compile the text before them, 000-input.mlir of a dump [tile.schedule.c10]}}
tile.kernel @again(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<split_k = 4>, tile.tails_split} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{raster is given, but the kernel has no tile.tile_id [tile.schedule.c5]}}
tile.kernel @k(%x: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<raster = {group = 4, xcd = true}>} {
  %t = tile.load %x[%i, %i] pad(0.0) : !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16> -> tensor<1x1024xf32>
  %s = tile.reduce max %t {axis = 1} : tensor<1x1024xf32> -> tensor<1x1xf32>
  tile.store %s, %o[%i, %i] : tensor<1x1xf32>, !tile.view<?x?xf32, names = ["R", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>} {
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
    // expected-error @+1 {{registers: the 256x256 accumulator takes 1024 a lane on 1 waves, which have 512 each; there a tile of 128x128 fits [cdna.kernel.c5]}}
    %y = tile.mma %at, %bt, %x : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{occupancy = 2 leaves 81920 bytes of LDS, the operands take 131072 [tile.schedule.c8]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<occupancy = 2, stages = 2>} {
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

// -----

// expected-error @+1 {{names no target: a schedule is chosen for one [tile.target.c1]}}
tile.kernel @k() {
  tile.return
}

// -----

tile.kernel @k() attributes {target = #tile.target<"gfx942">} {
  %a = arith.constant dense<1.0> : tensor<2x32x32xbf16>
  %c = arith.constant dense<0.0> : tensor<2x32x32xf32>
  // expected-error @+1 {{of batches is left, which tile-unroll-batches takes apart [tile.target.c1]}}
  %d = tile.mma %a, %a, %c : tensor<2x32x32xbf16>, tensor<2x32x32xbf16>, tensor<2x32x32xf32>
  tile.return
}

// -----

// expected-error @+1 {{occupancy = 3 of 16 waves: a compute unit has slots for 32 waves [tile.schedule.c8]}}
tile.kernel @slots(%x: !tile.view<?xf32, strides = [1]>, %i: i32) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [16, 1], occupancy = 3>} {
  %t = tile.load %x[%i] pad(0.0) : !tile.view<?xf32, strides = [1]> -> tensor<1024xf32>
  tile.store %t, %x[%i] : tensor<1024xf32>, !tile.view<?xf32, strides = [1]>
  tile.return
}

// -----

// expected-error @+1 {{persistent = true needs a grid of tiles (tg.num_tiles and tg.tile_id); persistent = false is legal here [tile.schedule.c7]}}
tile.kernel @walks_over_nothing(%x: !tile.view<?xf32, strides = [1]>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<persistent = true>} {
  %p = tile.program_id {axis = 0} : i32
  %t = tile.load %x[%p] pad(0.0) : !tile.view<?xf32, strides = [1]> -> tensor<64xf32>
  tile.store %t, %x[%p] : tensor<64xf32>, !tile.view<?xf32, strides = [1]>
  tile.return
}

// -----

// expected-error @+1 {{lds = none: an operand is converted between the load and the product}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<lds = none>} {
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
    %ct = arith.extf %at : tensor<64x64xbf16> to tensor<64x64xf32>
    %dt = tile.cast %ct rne : tensor<64x64xf32> -> tensor<64x64xbf16>
    %y = tile.mma %dt, %bt, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %r, %c[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>
  tile.return
}

// -----

// expected-error @+1 {{pingpong = true of 4 waves: two groups take turns on each SIMD, so that multiples of 8 waves are legal [tile.schedule.c9]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [2, 2], pingpong = true>} {
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

// -----

// expected-error @+1 {{pingpong = true needs a loop that stages the operands of a product in LDS: lds = direct or register, and stages from 2 on [tile.schedule.c9]}}
tile.kernel @k(%a: !tile.view<?x?xbf16, names = ["M", "K"], strides = [?, 1], align = 16>, %b: !tile.view<?x?xbf16, names = ["K", "N"], strides = [1, ?], align = 16>, %c: !tile.view<?x?xf32, names = ["M", "N"], strides = [?, 1], align = 16>) attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [2, 4], stages = 1, pingpong = true>} {
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
