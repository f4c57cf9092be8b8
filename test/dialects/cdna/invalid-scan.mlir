// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #row>
  // expected-error @+1 {{[cdna.scan.c1]}}
  %0 = cdna.scan %x {axis = 1} : tensor<64xf32, #row> {
  ^bb0(%a: f32, %b: f32):
    cdna.yield %a : f32
  }
  cdna.return
}

// -----

#two = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [[64]]>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  %x = builtin.unrealized_conversion_cast to tensor<128xf32, #two>
  // expected-error @+1 {{[cdna.scan.c2]}}
  %0 = cdna.scan %x {axis = 0} : tensor<128xf32, #two> {
  ^bb0(%a: f32, %b: f32):
    cdna.yield %a : f32
  }
  cdna.return
}

// -----

#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #row>
  // expected-error @+1 {{[cdna.reduce_region.c1]}}
  %0 = cdna.reduce_region %x {axis = 1} : tensor<64xf32, #row> -> tensor<64xf32, #row> {
  ^bb0(%a: f32, %b: f32):
    cdna.yield %a : f32
  }
  cdna.return
}

// -----

#two = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = [[64]]>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 2]} {
  %x = builtin.unrealized_conversion_cast to tensor<128xf32, #two>
  // expected-error @+1 {{[cdna.reduce_region.c2]}}
  %0 = cdna.reduce_region %x {axis = 0} : tensor<128xf32, #two> -> tensor<128xf32, #two> {
  ^bb0(%a: f32, %b: f32):
    cdna.yield %a : f32
  }
  cdna.return
}

// -----

#row = #cdna.layout<reg = [], lane = [[1], [2], [4], [8], [16], [32]], wave = []>
cdna.kernel @k() attributes {target = #tile.target<"gfx950">, waves = [1, 1]} {
  %x = builtin.unrealized_conversion_cast to tensor<64xf32, #row>
  // expected-error @+1 {{[cdna.reduce_region.c3]}}
  %0 = cdna.reduce_region %x {axis = 0} : tensor<64xf32, #row> -> tensor<64xf32, #row> {
  ^bb0(%a: f32, %b: f32):
    cdna.yield %a : f32
  }
  cdna.return
}
