// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{[tile.target.c1]}}
tile.kernel @k() attributes {tile.legal_for_target} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.target.c1]}}
tile.kernel @k() attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<waves = [1, 1]>, tile.legal_for_target} {
  tile.return
}

// -----

tile.kernel @k(%x: f64) attributes {target = #tile.target<"gfx950">, tile.legal_for_target,
    schedule = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>} {
  // expected-error @+1 {{[tile.target.c1]}}
  %0 = tile.math exp2 %x : f64
  tile.return
}

// -----

tile.kernel @k() attributes {target = #tile.target<"gfx942">, tile.legal_for_target,
    schedule = #tile.schedule<waves = [1, 1], mma = "16x16x32", stages = 1, lds = none, split_k = 1, persistent = false, occupancy = 1>} {
  %a = arith.constant dense<1.0> : tensor<2x16x32xf16>
  %b = arith.constant dense<1.0> : tensor<2x32x16xf16>
  %c = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @+1 {{[tile.target.c1]}}
  %0 = tile.mma %a, %b, %c : tensor<2x16x32xf16>, tensor<2x32x16xf16>, tensor<2x16x16xf32>
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<?xbf16, names = ["K"], strides = [1]>) attributes {tile.tails_split} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %K = tile.dim %a {d = 0} : !tile.view<?xbf16, names = ["K"], strides = [1]> -> i32
  %n = arith.ceildivui %K, %c64 : i32
  // expected-error @+1 {{[tile.tails_split]}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %a[%i] pad(0.0) : !tile.view<?xbf16, names = ["K"], strides = [1]> -> tensor<64xbf16>
    %m = tile.reduce max %t {axis = 0} : tensor<64xbf16> -> tensor<1xbf16>
  }
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<100xbf16, names = ["K"], strides = [1]>) attributes {tile.tails_split} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %K = tile.dim %a {d = 0} : !tile.view<100xbf16, names = ["K"], strides = [1]> -> i32
  %n = arith.constant 2 : i32
  // expected-error @+1 {{[tile.tails_split]}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %a[%i] pad(0.0) : !tile.view<100xbf16, names = ["K"], strides = [1]> -> tensor<64xbf16>
    %m = tile.reduce max %t {axis = 0} : tensor<64xbf16> -> tensor<1xbf16>
  }
  tile.return
}

// -----

// These keep their promise.
tile.kernel @k(%a: !tile.view<?xbf16, names = ["K"], strides = [1]>) attributes {tile.tails_split} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %K = tile.dim %a {d = 0} : !tile.view<?xbf16, names = ["K"], strides = [1]> -> i32
  %n = arith.divui %K, %c64 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %a[%i] pad(0.0) : !tile.view<?xbf16, names = ["K"], strides = [1]> -> tensor<64xbf16>
    %m = tile.reduce max %t {axis = 0} : tensor<64xbf16> -> tensor<1xbf16>
  }
  tile.return
}

// -----

tile.kernel @k(%a: !tile.view<128xbf16, names = ["K"], strides = [1]>) attributes {tile.tails_split} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %K = tile.dim %a {d = 0} : !tile.view<128xbf16, names = ["K"], strides = [1]> -> i32
  %n = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %a[%i] pad(0.0) : !tile.view<128xbf16, names = ["K"], strides = [1]> -> tensor<64xbf16>
    %m = tile.reduce max %t {axis = 0} : tensor<64xbf16> -> tensor<1xbf16>
  }
  tile.return
}

// -----

tile.kernel @k() attributes {target = #tile.target<"gfx950">, tile.legal_for_target,
    schedule = #tile.schedule<waves = [1, 1], split_k = 1, persistent = false, occupancy = 1>} {
  tile.return
}

// -----

// expected-error @+1 {{has an attribute tile.asserted; kernels may have tile.asserts}}
tile.kernel @misspelt() attributes {tile.asserted} {
  tile.return
}

// -----

// expected-error @+1 {{tile.asserts is a unit attribute of a kernel, found 1 : i32 [tile.form.c1]}}
tile.kernel @of_another_type() attributes {tile.asserts = 1 : i32} {
  tile.return
}

// -----

// expected-error @+1 {{tile.record_sites is a list of a kernel, found unit [tile.form.c1]}}
tile.kernel @no_list() attributes {tile.record_sites} {
  tile.return
}

// -----

// expected-error @+1 {{tile.order_dependent is a unit attribute of a kernel, found unit [tile.form.c1]}}
tile.func private @of_no_kernel() attributes {tile.order_dependent} {
  tile.return
}

// -----

// From here on each attribute holds.
tile.kernel @keeps_facts() attributes {tile.asserts, tile.order_dependent, tile.record_sites = []} {
  tile.return
}
cdna.kernel @keeps_facts_of_cdna() attributes {target = #tile.target<"gfx950">, waves = [1, 1], tile.order_dependent} {
  cdna.return
}
