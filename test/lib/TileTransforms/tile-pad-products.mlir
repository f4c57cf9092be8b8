// RUN: tegula-opt %s -tile-pad-products -split-input-file -verify-diagnostics | FileCheck %s

// The least extent that an instruction divides: 16x16x4 and 32x32x2 multiply f32.
// CHECK-LABEL: tile.kernel @least
// CHECK: %[[A:.*]] = tile.concat %{{.*}}, %{{.*}} {axis = 1} : tensor<64x3xf32>, tensor<64x1xf32> -> tensor<64x4xf32>
// CHECK: %[[B:.*]] = tile.concat %{{.*}}, %{{.*}} {axis = 0} : tensor<3x32xf32>, tensor<1x32xf32> -> tensor<4x32xf32>
// CHECK: tile.mma %[[A]], %[[B]], %{{.*}} : tensor<64x4xf32>, tensor<4x32xf32>, tensor<64x32xf32>
tile.kernel @least(%x: f32) attributes {target = #tile.target<"gfx950">} {
  %a = tile.broadcast %x : f32 to tensor<64x3xf32>
  %b = tile.broadcast %x : f32 to tensor<3x32xf32>
  %c = tile.broadcast %x : f32 to tensor<64x32xf32>
  // expected-remark @+1 {{K = 3 is padded to 4 with zeros: no instruction of gfx950 for f32 x f32 divides it}}
  %d = tile.mma %a, %b, %c : tensor<64x3xf32>, tensor<3x32xf32>, tensor<64x32xf32>
  tile.return
}

// -----

// What the schedule names decides, and a K that some instruction divides stays.
// CHECK-LABEL: tile.kernel @named
// CHECK: tile.concat {{.*}} : tensor<64x33xf16>, tensor<64x31xf16> -> tensor<64x64xf16>
// CHECK: tile.mma {{.*}} : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
// CHECK-NOT: tile.concat
// CHECK: tile.mma {{.*}} : tensor<64x24xf16>, tensor<24x32xf16>, tensor<64x32xf32>
tile.kernel @named(%x: f16, %y: f32)
    attributes {target = #tile.target<"gfx950">, schedule = #tile.schedule<mma = "16x16x32">} {
  %a = tile.broadcast %x : f16 to tensor<64x33xf16>
  %b = tile.broadcast %x : f16 to tensor<33x32xf16>
  %c = tile.broadcast %y : f32 to tensor<64x32xf32>
  // expected-remark @+1 {{K = 33 is padded to 64 with zeros}}
  %d = tile.mma %a, %b, %c : tensor<64x33xf16>, tensor<33x32xf16>, tensor<64x32xf32>
  %p = tile.broadcast %x : f16 to tensor<64x24xf16>
  %q = tile.broadcast %x : f16 to tensor<24x32xf16>
  %e = tile.mma %p, %q, %d : tensor<64x24xf16>, tensor<24x32xf16>, tensor<64x32xf32>
  tile.return
}
