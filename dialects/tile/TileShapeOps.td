// Shape changes of tiles. All are pure and mean the NumPy function of the same name.
#ifndef TEGULA_TILE_SHAPE_OPS
#define TEGULA_TILE_SHAPE_OPS

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a scalar, or the extents of 1 of a tile";
  let description = [{
    Example:
    ```mlir
    %b = tile.broadcast %r : tensor<1x1xf32> to tensor<1x2880xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$input);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Example:
    ```mlir
    %h = tile.reshape %rows : tensor<4x256xf32> to tensor<4x8x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "a tile with its dimensions in another order";
  let description = [{
    Dimension i of the result is dimension perm[i] of the operand.

    Example:
    ```mlir
    %t = tile.transpose %wide {perm = [1, 0]} : tensor<64x256xbf16> -> tensor<256x64xbf16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$input ` ` `{` `perm` `=` $perm `}` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "each element's coordinate along an axis";
  let description = [{
    Example:
    ```mlir
    %c = tile.iota {axis = 1} : tensor<1x64xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "a static part of a tile";
  let description = [{
    Example:
    ```mlir
    %e = tile.extract %rows {offsets = [0, 64]} : tensor<4x256xf32> -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$input ` ` `{` `offsets` `=` $offsets `}` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ConcatOp : Tile_Op<"concat", [Pure]> {
  let summary = "tiles one after another along an axis";
  let description = [{
    Example:
    ```mlir
    %j = tile.concat %e, %e {axis = 1} : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x128xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$inputs,
      ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$inputs ` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` "
                       "type($inputs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TakeOp : Tile_Op<"take", [Pure]> {
  let summary = "elements along an axis by index tiles (take-along-axis)";
  let description = [{
    Element (…, j, …) of the result is element (…, indices[…, j, …], …) of the input. An index outside
    the axis is the caller's fault: it gives some element of the axis. Constant indices that are all one, or count up,
    make it a `tile.extract`.

    Example:
    ```mlir
    %k = tile.take %rows, %places {axis = 1} : tensor<4x256xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, Tile_Tensor:$indices,
      ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices ` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($input) `,`
    type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // TEGULA_TILE_SHAPE_OPS
