// Blocks of elements that share a scale, and pairs of elements that share a byte.
#ifndef TEGULA_TILE_QUANTIZE_OPS
#define TEGULA_TILE_QUANTIZE_OPS

include "dialects/tile/TileBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_QuantizeOp : Tile_Op<"quantize", [Pure]> {
  let summary = "codes of few bits and a power-of-two scale for each block of elements";
  let description = [{
    The largest magnitude of a block, NaN being the largest, gives the scale 2^e, an f8E8M0FNU: of
    its exponent less that of the largest code, rounded down (`floor`, OCP MX 1.0), up (`ceil`) or
    after the magnitude was rounded to the codes' precision (`even`); or so that no code saturates
    (`rceil`). An element times 2^-e, rounded to nearest even, saturated, is its code. A block that
    holds an infinity or a NaN has the scale NaN, and NaN codes, or zeros where the type has none.

    `axis` names the dimensions along which blocks of `block` elements lie, in ascending order.

    Example:
    ```mlir
    %codes, %scales = tile.quantize %wide {axis = [1], block = [32], mode = rceil} : tensor<64x256xbf16> -> tensor<64x256xf8E4M3FN>, tensor<64x8xf8E8M0FNU>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, DenseI64ArrayAttr:$axis, DenseI64ArrayAttr:$block,
      Tile_ScaleModeAttr:$mode);
  let results = (outs Tile_Tensor:$codes, Tile_Tensor:$scales);
  let assemblyFormat = [{
    $input ` ` `{` `axis` `=` $axis `,` `block` `=` $block `,` `mode` `=` `` $mode `}` attr-dict
    `:` type($input) `->` type($codes) `,` type($scales)
  }];
  let hasVerifier = 1;
}

def Tile_PackOp : Tile_Op<"pack", [Pure]> {
  let summary = "pairs of floats of four bits as bytes";
  let description = [{
    `axis` has two elements, of which the first is the low half of a byte. In registers a float of
    four bits takes a byte of its own; arrays that hold two a byte are views of i8.

    Example:
    ```mlir
    %b = tile.pack %four {axis = 2} : tensor<4x128x2xf4E2M1FN> -> tensor<4x128x1xi8>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, ConfinedAttr<I64Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$input ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_UnpackOp : Tile_Op<"unpack", [Pure]> {
  let summary = "bytes as pairs of floats of four bits";
  let description = [{
    The opposite of `tile.pack`.

    Example:
    ```mlir
    %f = tile.unpack %bytes {axis = 2} : tensor<4x128x1xi8> -> tensor<4x128x2xf4E2M1FN>
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, ConfinedAttr<I64Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$input ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_QUANTIZE_OPS
