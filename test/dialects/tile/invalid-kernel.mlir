// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{[tile.kernel.c1]}}
tile.kernel private @k(%v: f32)

// -----

// expected-error @+1 {{[tile.kernel.c1]}}
"tile.kernel"() <{sym_name = "k", function_type = () -> i32}> ({
  %c = arith.constant 0 : i32
  tile.return %c : i32
}) : () -> ()

// -----

// expected-error @+1 {{[tile.kernel.c2]}}
tile.kernel @k(%v: tensor<4xf32>) {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c3]}}
tile.kernel @k() attributes {grid = @nothing} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c4]}}
tile.kernel @k(%x: f32) attributes {grid = @g} {
  tile.return
}
tile.func private @g() -> i32 {
  %c = arith.constant 1 : i32
  tile.return %c : i32
}

// -----

// expected-error @+1 {{[tile.kernel.c5]}}
tile.kernel @k() attributes {grid = @g} {
  tile.return
}
tile.func private @g() -> i64 {
  %c = arith.constant 1 : i64
  tile.return %c : i64
}

// -----

// expected-error @+1 {{[tile.kernel.c6]}}
tile.kernel @k(%a: !tile.view<4xf32, names = ["N"], strides = [1]>, %b: !tile.view<8xf32, names = ["N"], strides = [1]>) {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c7]}}
tile.kernel @k() attributes {target = #tile.target<"gfx000">} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c8]}}
tile.kernel @k(%a: f32 {tile.name = 1 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c8]}}
tile.kernel @k(%a: f32 {tile.name = "x"}, %b: f32 {tile.name = "x"}) {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c9]}}
tile.kernel @k(%a: f32 {tile.alias = -1 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.workspace is a number of workgroups of type i32, found 0 : i32 [tile.kernel.c9]}}
tile.kernel @k(%a: !tile.view<8xi32, strides = [1]> {tile.workspace = 0 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.workspace is for a view whose records, all but the first extent, are static [tile.kernel.c9]}}
tile.kernel @k(%a: i32 {tile.workspace = 1 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.workspace is for a view whose records, all but the first extent, are static [tile.kernel.c9]}}
tile.kernel @k(%a: !tile.view<8x?xi32, strides = [?, 1]> {tile.workspace = 1 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.workspace is for a kernel with a grid [tile.kernel.c9]}}
tile.kernel @k(%a: !tile.view<8xi32, strides = [1]> {tile.workspace = 1 : i32}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.large is for a view [tile.kernel.c9]}}
tile.kernel @k(%a: i32 {tile.large}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.zeroed stands beside tile.workspace [tile.kernel.c9]}}
tile.kernel @k(%a: !tile.view<8xi32, strides = [1]> {tile.zeroed}) {
  tile.return
}

// -----

// expected-error @+1 {{[tile.kernel.c9]}}
tile.kernel @k(%a: f32 {tile.nmae = "x"}) {
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.kernel.c10]}}
  %0 = llvm.mlir.constant(1 : i32) : i32
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = arith.index_cast %n : i32 to index
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{a tile has no encoding before layouts are assigned [tile.kernel.c11]}}
  %0 = arith.constant dense<0> : tensor<4xi32, 5 : i32>
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = arith.constant dense<0.0> : tensor<5000x5000xf32>
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = arith.constant dense<0.0> : tensor<1x1x1x1x1x1xf32>
  tile.return
}

// -----

tile.kernel @k(%x: f32) {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = tile.broadcast %x : f32 to tensor<?xf32>
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = arith.constant dense<0> : tensor<4xi4>
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.kernel.c11]}}
  %0 = arith.constant dense<0.0> : vector<4xf32>
  tile.return
}

// -----

tile.kernel @k() {
  %0 = arith.constant dense<1.0> : tensor<4xf8E4M3FN>
  // expected-error @+1 {{[tile.kernel.c12]}}
  %1 = arith.addf %0, %0 : tensor<4xf8E4M3FN>
  tile.return
}

// -----

tile.kernel @k() {
  %0 = arith.constant dense<1.0> : tensor<4xf8E8M0FNU>
  // expected-error @+1 {{[tile.kernel.c12]}}
  %1 = arith.extf %0 : tensor<4xf8E8M0FNU> to tensor<4xf32>
  tile.return
}

// -----

tile.kernel @k(%x: f32) {
  // expected-error @+1 {{[tile.kernel.c13]}}
  %0 = math.exp %x : f32
  tile.return
}

// -----

tile.kernel @k(%x: f32) {
  // expected-error @+1 {{[tile.kernel.c13]}}
  %0 = arith.truncf %x : f32 to f8E5M2
  tile.return
}

// -----

tile.kernel @k(%n: i64) {
  // expected-error @+1 {{[tile.kernel.c14]}}
  scf.for %i = %n to %n step %n : i64 {
  }
  tile.return
}

// -----

tile.kernel @k(%n: i32) {
  // expected-error @+1 {{[tile.kernel.c14]}}
  scf.for %i = %n to %n step %n : i32 {
  }
  tile.return
}

// -----

tile.kernel @k(%c: i1) {
  scf.if %c {
    scf.if %c {
      scf.if %c {
        scf.if %c {
          scf.if %c {
            scf.if %c {
              scf.if %c {
                scf.if %c {
                  scf.if %c {
                    scf.if %c {
                      scf.if %c {
                        scf.if %c {
                          scf.if %c {
                            scf.if %c {
                              scf.if %c {
                                scf.if %c {
                                  // expected-error @+1 {{[tile.kernel.c15]}}
                                  scf.if %c {
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  tile.return
}

// -----

tile.kernel @k(%c: i1, %l: !tile.view<?xi32, strides = [1]>) {
  // expected-error @+1 {{[tile.kernel.c16]}}
  %v = scf.if %c -> (!tile.view<?xi32, strides = [1]>) {
    scf.yield %l : !tile.view<?xi32, strides = [1]>
  } else {
    scf.yield %l : !tile.view<?xi32, strides = [1]>
  }
  tile.return
}

// -----

tile.func private @g(%x: i32) -> i32 {
  // expected-error @+1 {{[tile.func.c2]}}
  %0 = arith.xori %x, %x : i32
  tile.return %0 : i32
}

// -----

tile.func private @g(%x: f32) -> f32 {
  // expected-error @+1 {{[tile.func.c2]}}
  %0 = arith.constant 1.0 : f32
  tile.return %0 : f32
}

// -----

// expected-error @+1 {{[tile.func.c3]}}
tile.func @g() -> i32 {
  %0 = arith.constant 1 : i32
  tile.return %0 : i32
}

// -----

tile.kernel @k(%x: i32) {
  // expected-error @+1 {{[tile.return.c1]}}
  tile.return %x : i32
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{[tile.program_id.c1]}}
  %p = tile.program_id {axis = 3} : i32
  tile.return
}

// -----

tile.kernel @k() attributes {grid = @g} {
  // expected-error @+1 {{[tile.program_id.c1]}}
  %p = tile.program_id {axis = 1} : i32
  tile.return
}
tile.func private @g() -> i32 {
  %0 = arith.constant 1 : i32
  tile.return %0 : i32
}

// -----

tile.kernel @k(%l: !tile.view<?xi32, strides = [1]>) {
  // expected-error @+1 {{[tile.program_id.c2]}}
  %p = tile.program_id {axis = 0} : i32
  %t = tile.tile_id %l [4] : !tile.view<?xi32, strides = [1]> -> i32
  tile.return
}

// -----

tile.kernel @k() attributes {grid = @g} {
  // expected-error @+1 {{walks over a linear grid (one result), g has 2 [tile.resident.c1]}}
  %w = tile.resident : i32
  tile.return
}
tile.func private @g() -> (i32, i32) {
  %0 = tile.resident : i32
  tile.return %0, %0 : i32, i32
}

// -----

tile.kernel @k(%l: !tile.view<?xi32, strides = [1]>) {
  // expected-error @+1 {{[tile.tile_id.c1]}}
  %t:2 = tile.tile_id %l [4, 4] : !tile.view<?xi32, strides = [1]> -> i32, i32
  tile.return
}

// -----

tile.kernel @k(%l: !tile.view<?xi32, strides = [1]>) {
  %t = tile.tile_id %l [4] : !tile.view<?xi32, strides = [1]> -> i32
  // expected-error @+1 {{[tile.tile_id.c2]}}
  %u = tile.tile_id %l [4] : !tile.view<?xi32, strides = [1]> -> i32
  tile.return
}

// -----

tile.kernel @k(%l: !tile.view<?xi32, strides = [1]>) attributes {grid = @g} {
  // expected-error @+1 {{[tile.tile_id.c3]}}
  %p = tile.tile_id %l [4] : !tile.view<?xi32, strides = [1]> -> i32
  tile.return
}
tile.func private @g(%l: !tile.view<?xi32, strides = [1]>) -> (i32, i32) {
  %0 = arith.constant 1 : i32
  tile.return %0, %0 : i32, i32
}

// -----

tile.kernel @k(%l: !tile.view<?xi32, strides = [1]>) {
  // expected-error @+1 {{[tile.num_tiles.c1]}}
  %t = tile.num_tiles %l [0] : !tile.view<?xi32, strides = [1]> -> i32
  tile.return
}

// -----

// expected-error @+1 {{to be one of: preserve, flush}}
tile.kernel @k() attributes {denormals = #tile.denormals<off>} {
  tile.return
}
