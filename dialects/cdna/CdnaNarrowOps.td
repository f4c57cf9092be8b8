// Floats of fewer than 8 bits: a byte each in registers, two of four bits a byte in memory.
#ifndef TEGULA_CDNA_NARROW_OPS
#define TEGULA_CDNA_NARROW_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_CodesOp : Cdna_Op<"codes", [Pure]> {
  let summary = "floats of fewer than 8 bits as the bytes that hold their codes, and back";
  let description = [{
    Rules: `c1` one type is i8, the other a float of fewer than 8 bits, with equal shapes and layouts.

    Example:
    ```mlir
    %b = cdna.codes %f : tensor<1x64xf6E2M3FN, #x> -> tensor<1x64xi8, #x>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_PackOp : Cdna_Op<"pack", [Pure]> {
  let summary = "pairs of floats of four bits as bytes";
  let description = [{
    The first of a pair, which lies along `axis`, is the low half of the byte.

    Rules: `c1` f4E2M1FN becomes i8, the extent of the axis goes from 2 to 1; `c2` the registers of each lane hold its
    pairs.

    Example:
    ```mlir
    %b = cdna.pack %f {axis = 2} : tensor<1x64x2xf4E2M1FN, #pairs> -> tensor<1x64x1xi8, #bytes>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_UnpackOp : Cdna_Op<"unpack", [Pure]> {
  let summary = "bytes as pairs of floats of four bits";
  let description = [{
    Rules: as `cdna.pack`, the other way round.

    Example:
    ```mlir
    %f = cdna.unpack %b {axis = 2} : tensor<1x64x1xi8, #bytes> -> tensor<1x64x2xf4E2M1FN, #pairs>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_NARROW_OPS
