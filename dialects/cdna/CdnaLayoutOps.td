// The same elements in other registers, lanes or waves.
#ifndef TEGULA_CDNA_LAYOUT_OPS
#define TEGULA_CDNA_LAYOUT_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_ConvertLayoutOp : Cdna_Op<"convert_layout", [Pure]> {
  let summary = "the same tile, distributed differently";
  let description = [{
    `path` is planned by `cdna-stage-operands`: `none` renames registers, `lane` moves each register to another lane,
    `exchange` swaps registers between lanes; `lds` goes through memory and is expanded before LDS is allocated.

    Rules: `c1` shape and element type equal; `c2` a path `none` needs each lane to hold already what it needs, `lane`
    and `exchange` a conversion that consists of such moves.

    Example:
    ```mlir
    %q = cdna.convert_layout %d {path = none} : tensor<256x256xbf16, #acc> -> tensor<256x256xbf16, #other>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, OptionalAttr<Cdna_ConvertPathAttr>:$path);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value (` ` `{` `path` `=` `` $path^ `}`)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cdna_RenameOp : Cdna_Op<"rename", [Pure]> {
  let summary = "broadcast, reshape or transpose: every lane has already what it needs";
  let description = [{
    Register j of the result is a copy of an operand's register of the same lane and wave. Broadcast: equal rank, the
    operand's extents are 1 where they differ. Reshape: equal element count, row-major order kept. Transpose: result
    dimension i is operand dimension perm[i].

    Rules: `c1` element types equal, and shapes related in one of the three ways; `c2` each register of the result is
    held by an operand's register of the same lane and wave.

    Example:
    ```mlir
    %b = cdna.rename %r : tensor<1x1xf32, #one> -> tensor<1x2880xf32, #row>
    %t = cdna.rename %x {perm = [1, 0]} : tensor<32x8xf32, #x> -> tensor<8x32xf32, #y>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, OptionalAttr<DenseI32ArrayAttr>:$perm);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value (` ` `{` `perm` `=` $perm^ `}`)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_ReshapeOp : Cdna_Op<"reshape", [Pure]> {
  let summary = "a reshape for which lanes need what others hold";
  let description = [{
    Row-major order is kept. Expanded by `cdna-stage-operands`: through LDS. What needs no movement is a `cdna.rename`.

    Rules: `c1` element types and element counts are equal.

    Example:
    ```mlir
    %r = cdna.reshape %x : tensor<32x8xf32, #x> -> tensor<8x32xf32, #y>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_PartOp : Cdna_Op<"part", [Pure]> {
  let summary = "a part of a tile: some of its registers";
  let description = [{
    Rules: `c1` the part is inside the tile, element types are equal; `c2` each register of the result is a register of
    the operand, in every lane and wave.

    Example:
    ```mlir
    %p = cdna.part %t [0, 64] : tensor<64x128xf32, #whole> -> tensor<64x64xf32, #half>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, DenseI64ArrayAttr:$origin);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value $origin attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_JoinOp : Cdna_Op<"join", [Pure]> {
  let summary = "a tile made of its parts";
  let description = [{
    The opposite of `cdna.part`. `origins` has one coordinate a dimension, part by part.

    Rules: `c1` one origin a part, each part inside the tile, element types equal; `c2` each register of the tile is one
    of a part, in every lane and wave.

    Example:
    ```mlir
    %t = cdna.join %p, %q [0, 0, 0, 64] : tensor<64x64xf32, #half>, tensor<64x64xf32, #half> -> tensor<64x128xf32, #whole>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$parts, DenseI64ArrayAttr:$origins);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$parts $origins attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// For each register of the tile (part, register of that part); parts come in order. A register
    /// that holds no element in any lane has any. Empty when one is missing.
    ::llvm::SmallVector<std::pair<unsigned, int64_t>> registerSources();
  }];
}

#endif // TEGULA_CDNA_LAYOUT_OPS
