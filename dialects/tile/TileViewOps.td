// Views: their extents, parts of them, and the ops that read and write memory through them.
#ifndef TEGULA_TILE_VIEW_OPS
#define TEGULA_TILE_VIEW_OPS

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

// A view of what another view shows.
class Tile_DerivedViewOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat(traits, [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>])> {
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getViewSource() { return getView(); }
  }];
}

def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "an extent of a view";
  let description = [{
    Example:
    ```mlir
    %d = tile.dim %a {d = 1} : !A -> i32
    ```
  }];
  let arguments = (ins Tile_View:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$d);
  let results = (outs I32:$result);
  let assemblyFormat = "$view ` ` `{` `d` `=` custom<PlainInt>($d) `}` attr-dict `:` "
                       "qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_StrideOp : Tile_Op<"stride", [Pure]> {
  let summary = "a stride of a view, in elements";
  let description = [{
    Example:
    ```mlir
    %s = tile.stride %a {d = 0} : !A -> i64
    ```
  }];
  let arguments = (ins Tile_View:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$d);
  let results = (outs I64:$result);
  let assemblyFormat = "$view ` ` `{` `d` `=` custom<PlainInt>($d) `}` attr-dict `:` "
                       "qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_SliceOp : Tile_DerivedViewOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "part of a view: one `lo:hi` range a dimension, in elements";
  let description = [{
    A bound is an i32 value or a literal; `:` is the whole dimension. `staticLo`/`staticHi` hold the
    literals, with the dynamic marker where an operand stands; a `staticHi` of -1 is the end of the
    dimension.

    Example:
    ```mlir
    %s = tile.slice %a[%i:%j, 0:32] : !A -> !tile.view<?x32xbf16, strides = [?, 1], align = 16>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$lo, Variadic<I32>:$hi,
      DenseI64ArrayAttr:$staticLo, DenseI64ArrayAttr:$staticHi);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $view `` custom<Ranges>($lo, $hi, $staticLo, $staticHi) attr-dict `:` qualified(type($view))
    `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$view, "::mlir::ValueRange":$lo,
      "::mlir::ValueRange":$hi, "::llvm::ArrayRef<int64_t>":$staticLo,
      "::llvm::ArrayRef<int64_t>":$staticHi), [{
    auto source = ::llvm::cast<ViewType>(view.getType());
    build($_builder, $_state, inferType(source, staticLo, staticHi), view, lo, hi, staticLo, staticHi);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The bounds of dimension `d`, literals or values; a missing upper bound is null.
    ::mlir::OpFoldResult getLoBound(unsigned d);
    ::mlir::OpFoldResult getHiBound(unsigned d);
    bool isFullRange(unsigned d) { return getStaticLo()[d] == 0 && getStaticHi()[d] == -1; }
    static ViewType inferType(ViewType view, ::llvm::ArrayRef<int64_t> lo,
                              ::llvm::ArrayRef<int64_t> hi);
  }];
}

def Tile_IndexOp : Tile_DerivedViewOp<"index"> {
  let summary = "one element of a dimension: a view of one rank less";
  let description = [{
    Example:
    ```mlir
    %r = tile.index %cache {d = 0} %i : !tile.view<?x?x?xbf16, strides = [?, ?, 1]>
        -> !tile.view<?x?xbf16, strides = [?, 1]>
    ```
  }];
  let arguments = (ins Tile_View:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$d, I32:$index);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $view ` ` `{` `d` `=` custom<PlainInt>($d) `}` $index attr-dict `:` qualified(type($view))
    `->` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$view, "uint32_t":$d, "::mlir::Value":$index), [{
    auto source = ::llvm::cast<ViewType>(view.getType());
    build($_builder, $_state, inferType(source, d, ::std::nullopt), view, d, index);
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ViewType inferType(ViewType view, unsigned d, ::std::optional<int64_t> index);
  }];
}

def Tile_ExpandOp : Tile_DerivedViewOp<"expand"> {
  let summary = "a new dimension of extent 1 and stride 0 in front of dimension d";
  let description = [{
    Example:
    ```mlir
    %e = tile.expand %w {d = 0} : !tile.view<64xf32, strides = [1]>
        -> !tile.view<1x64xf32, strides = [0, 1]>
    ```
  }];
  let arguments = (ins Tile_View:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$d);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$view ` ` `{` `d` `=` custom<PlainInt>($d) `}` attr-dict `:` "
                       "qualified(type($view)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ViewType inferType(ViewType view, unsigned d);
  }];
}

def Tile_PermuteViewOp : Tile_DerivedViewOp<"permute_view"> {
  let summary = "a view with its dimensions in another order";
  let description = [{
    Dimension i of the result is dimension perm[i] of the operand.

    Example:
    ```mlir
    %t = tile.permute_view %a {perm = [1, 0]} : !A
        -> !tile.view<?x?xbf16, names = ["K", "M"], strides = [1, ?], align = 16>
    ```
  }];
  let arguments = (ins Tile_View:$view, DenseI64ArrayAttr:$perm);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$view ` ` `{` `perm` `=` $perm `}` attr-dict `:` qualified(type($view)) "
                       "`->` qualified(type($result))";
  let builders = [OpBuilder<(ins "::mlir::Value":$view, "::llvm::ArrayRef<int64_t>":$perm), [{
    build($_builder, $_state, inferType(::llvm::cast<ViewType>(view.getType()), perm), view, perm);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    static ViewType inferType(ViewType view, ::llvm::ArrayRef<int64_t> perm);
  }];
}

def Tile_LoadOp : Tile_Op<"load", []> {
  let summary = "one tile of a view; elements outside the view are the pad";
  let description = [{
    Addressing is by tile index: the first element is `index * shape` in each dimension. `pad` is a
    constant of the element type, `-inf` and `nan` included.

    Example:
    ```mlir
    %t = tile.load %a[%m, %k] pad(0.0) : !A -> tensor<256x64xbf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices,
      TypedAttrInterface:$pad);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$view `[` $indices `]` custom<PadAndTypes>($pad, type($view), type($result)) attr-dict";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", []> {
  let summary = "writes one tile of a view; elements outside the view are dropped";
  let description = [{
    Example:
    ```mlir
    tile.store %t, %a[%m, %k] : tensor<256x64xbf16>, !A
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_View, "", [MemWrite]>:$view,
      Variadic<I32>:$indices);
  let assemblyFormat =
      "$value `,` $view `[` $indices `]` attr-dict `:` type($value) `,` qualified(type($view))";
  let hasVerifier = 1;
}

def Tile_ScalarOp : Tile_Op<"scalar", []> {
  let summary = "one element of a view, by element index; it must be inside";
  let description = [{
    Example:
    ```mlir
    %n = tile.scalar %lengths[%i] : !tile.view<?xi32, strides = [1]> -> i32
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat =
      "$view `[` $indices `]` attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ValidOp : Tile_Op<"valid", [Pure]> {
  let summary = "which elements of a tile lie inside the view";
  let description = [{
    Example:
    ```mlir
    %in = tile.valid %a[%m, %k] : !A -> tensor<256x64xi1>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$indices);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat =
      "$view `[` $indices `]` attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ArriveOp : Tile_Op<"arrive", []> {
  let summary = "counts this workgroup in, and tells whether it is the last of so many";
  let description = [{
    The counters are 0 before the launch. What the workgroup has written before is there for all
    others; the last one to arrive sees what they have written. Made by tile-split-contraction.

    Example:
    ```mlir
    %last = tile.arrive %lengths[%i] of 4 : !tile.view<?xi32, strides = [1]>
    ```
  }];
  let arguments = (ins Tile_View:$view, I32:$index, I64Attr:$count);
  let results = (outs I1:$result);
  let assemblyFormat = "$view `[` $index `]` `of` $count attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

#endif // TEGULA_TILE_VIEW_OPS
