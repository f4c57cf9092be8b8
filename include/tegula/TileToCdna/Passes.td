// The passes between the tile and the cdna dialect.
#ifndef TEGULA_TILETOCDNA_PASSES
#define TEGULA_TILETOCDNA_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"cdna-assign-layouts", "::tegula::tile::KernelOp"> {
  let summary = "Gives every tile a layout: which lane of which wave holds which element";
  let description = [{
    Products fix the layouts of their accumulators; every other group of values that must agree
    takes the cheapest coalesced layout of its loads and stores, largest tiles first; shape ops and
    reductions carry a layout on. Where two sides disagree the pass inserts `cdna.convert_layout`,
    or repeats a value that is cheap to make.

    Needs a target and a complete schedule. Sets `cdna.layouts_assigned`.

    Before:
    ```mlir
    %v = tile.load %x[%row, %c0] pad(0.0) : !X -> tensor<1x2880xbf16>
    %f = arith.extf %v : tensor<1x2880xbf16> to tensor<1x2880xf32>
    %s = tile.reduce add %f {axis = 1} : tensor<1x2880xf32> -> tensor<1x1xf32>
    ```
    After, with `waves = [1, 2]`:
    ```mlir
    #row = #cdna.layout<reg = [[0, 1], [0, 2], [0, 4]],
                        lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256]],
                        wave = [[0, 512]], repeat = [1, 3]>
    #one = #cdna.layout<reg = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
                        wave = [[0, 0]]>
    %v = tile.load %x[%row, %c0] pad(0.0) : !X -> tensor<1x2880xbf16, #row>
    %f = arith.extf %v : tensor<1x2880xbf16, #row> to tensor<1x2880xf32, #row>
    %s = tile.reduce add %f {axis = 1} : tensor<1x2880xf32, #row> -> tensor<1x1xf32, #one>
    ```
    Fails with `cdna.layout.c6` (a tile does not fit the registers), `tile.schedule.c1` and `c2`.
  }];
  let dependentDialects = ["::tegula::cdna::CdnaDialect"];
}

def LowerTilePass : Pass<"cdna-lower-tile", "::mlir::ModuleOp"> {
  let summary = "Replaces tile ops by cdna ops, and tile.kernel by cdna.kernel";
  let description = [{
    Views fold into windows, tile indices into element offsets; ends of views become tails;
    reductions are split by registers, lanes and waves; functions with a promised bound and casts
    become arithmetic. The exact form is described in lib/TileToCdna/README.md. A module pass,
    because it replaces the kernel op.

    Needs `cdna.layouts_assigned`. Sets `cdna.no_tile_ops`.

    Before:
    ```mlir
    %v = tile.load %x[%row, %c0] pad(0.0) : !X -> tensor<1x2880xf32, #row>
    %s = tile.reduce add %v {axis = 1} : tensor<1x2880xf32, #row> -> tensor<1x1xf32, #one>
    ```
    After:
    ```mlir
    %w = cdna.buffer %x[%row, %c0] tile [1, 2880] : !X -> !B
    %v = cdna.load %w[%c0, %c0] {tail = [none, records]} : !B -> tensor<1x2880xf32, #row>
    %p = cdna.reduce_registers add %v {axis = 1} : … -> tensor<1x128xf32, #part>
    %l = cdna.reduce_lanes add %p {dims = [1], bits = [0, 1, 2, 3, 4, 5]} : … -> tensor<1x2xf32, #two>
    %s = cdna.reduce_waves add %l, %lds : … -> tensor<1x1xf32, #one>
    ```
  }];
  let dependentDialects = ["::tegula::cdna::CdnaDialect"];
}

#endif // TEGULA_TILETOCDNA_PASSES
