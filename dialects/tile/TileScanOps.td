// Reductions and scans by a function of the user's, histograms.
#ifndef TEGULA_TILE_SCAN_OPS
#define TEGULA_TILE_SCAN_OPS

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator]> {
  let summary = "the combination of two elements";
  let description = [{
    Example:
    ```mlir
    %m = tile.scan %rows {axis = 1} : tensor<4x256xf32> {
    ^bb0(%f: f32, %g: f32):
      tile.yield %f : f32
    }
    ```
  }];
  let arguments = (ins Tile_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_ScanOp : Tile_Op<"scan", [RecursivelySpeculatable, RecursiveMemoryEffects, SameOperandsAndResultType]> {
  let summary = "all elements so far, combined, along an axis";
  let description = [{
    The body combines what comes first with what comes after it, and is associative; the order in
    which it is applied is unspecified but fixed. It may use scalars from outside.

    Example:
    ```mlir
    %s = tile.scan %rows {axis = 1} : tensor<4x256xf32> {
    ^bb0(%f: f32, %g: f32):
      %h = arith.addf %f, %g : f32
      tile.yield %h : f32
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$input ` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($input) $body";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReduceRegionOp : Tile_Op<"reduce_region", [RecursivelySpeculatable, RecursiveMemoryEffects]> {
  let summary = "combines the elements along an axis, which stays with extent 1, by a body";
  let description = [{
    The body as in `tile.scan`.

    Example:
    ```mlir
    %s = tile.reduce_region %rows {axis = 1} : tensor<4x256xf32> -> tensor<4x1xf32> {
    ^bb0(%f: f32, %g: f32):
      %h = arith.mulf %f, %g : f32
      tile.yield %h : f32
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $input ` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($input) `->`
    type($result) $body
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "how many elements have each number below `bins`";
  let description = [{
    Elements that are no bin, or where the mask is false, are not counted.

    Example:
    ```mlir
    %n = tile.histogram %is bins 256 where %keep : tensor<64xi32>, tensor<64xi1> -> tensor<256xi32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$digits, I32Attr:$bins, Optional<Tile_Tensor>:$mask);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $digits `bins` custom<PlainInt>($bins) (`where` $mask^)? attr-dict `:` type($digits)
    (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_SCAN_OPS
