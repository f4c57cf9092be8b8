// Windows of global memory and the accesses through them.
#ifndef TEGULA_CDNA_MEMORY_OPS
#define TEGULA_CDNA_MEMORY_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_BufferOp : Cdna_Op<"buffer", [Pure, AttrSizedOperandSegments]> {
  let summary = "a window of a kernel argument";
  let description = [{
    One element offset a dimension of the *argument*. `dims` are those of the window, in its order (default: all);
    `limits`, one a dimension of the argument, are the ends of slices. `tile` is the access's shape in window
    dimensions. With left_d = clamp(min(extent_d, limit_d) - offset_d, 0, tile_d) the descriptor covers nothing if a
    left_d is 0, else exactly sum((left_d - 1) * stride_d * size) + size bytes, so the last row of a strided view is
    not over-read. A dimension that some access indexes with anything but 0 and does not list in `scalar` is not
    clamped to the tile.

    Rules: `c1` ranks, and the result type is the inferred one; `c2` offsets and limits are i32 scalars; `c3` static
    strides are not negative and the tile's span is below 2^31 bytes.

    Example:
    ```mlir
    %w = cdna.buffer %a[%m0, %c0] tile [256, 64] : !A -> !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
    %r = cdna.buffer %k[%b, %i, %c0] dims [1, 2] tile [64, 128] : !K -> !cdna.buffer<?x128xbf16, strides = [?, 1], align = 16>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<I32>:$offsets, Variadic<I32>:$limits,
                       OptionalAttr<DenseI32ArrayAttr>:$dims, DenseI64ArrayAttr:$tile);
  let results = (outs Cdna_BufferType:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`dims` $dims^)? (`limits` `[` $limits^ `]`)? `tile` $tile attr-dict `:`
    qualified(type($view)) `->` qualified(type($result))
  }];
  let builders = [
    /// Infers the result type. `dims` and `limits` may be empty (all dimensions, no limits).
    OpBuilder<(ins "::mlir::Value":$view, "::mlir::ValueRange":$offsets, "::mlir::ValueRange":$limits,
                   "::llvm::ArrayRef<int32_t>":$dims, "::llvm::ArrayRef<int64_t>":$tile)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Dimension of the argument that window dimension `d` is.
    unsigned argumentDim(unsigned d) { return getDims() ? (*getDims())[d] : d; }
    /// Result type for a view; `offsets[i]` is a constant or nothing, limits always make an extent dynamic.
    static BufferType inferType(::tegula::tile::ViewType view, ::mlir::ValueRange offsets, bool hasLimits,
                                ::llvm::ArrayRef<int32_t> dims);
  }];
}

class Cdna_AccessOp<string mnemonic, list<Trait> traits = []> : Cdna_Op<mnemonic, traits> {
  code accessDeclarations = [{
    ::tegula::cdna::Tail tailOf(unsigned d) { return static_cast<::tegula::cdna::Tail>(getTail()[d]); }
    /// Whether the index of dimension d goes to the scalar offset, which no bound checks.
    bool isScalar(unsigned d) { return ::llvm::is_contained(getScalar(), static_cast<int32_t>(d)); }
  }];
}

def Cdna_LoadOp : Cdna_AccessOp<"load", [AttrSizedOperandSegments]> {
  let summary = "read a tile through a window";
  let description = [{
    Indices are elements from the window's base. `tail` has one entry a dimension: `none` (provably inside), `records`
    (the descriptor's bound), `compare` (a compare and a select a vector). Dimensions in `scalar` put their index into
    the scalar offset. `whole` is for tiles whose elements beyond the end nobody looks at (m and n of a product's
    operands): vectors are read whole, up to a descriptor's bound that is rounded up to a dword, and what lies beyond
    the end is unspecified. Otherwise what is outside reads as 0; phantoms are unspecified, 0 with `records` or `compare`.
    Where `where` is false nothing is read, and every element is 0.

    Rules: `c1` the layout's rank is the window's, shape = `tile` of the window; `c2` element types equal; `c3` one tail
    a dimension, `records` on at most one; `c4` a dimension in `scalar` has tail `none`.

    Example:
    ```mlir
    %x = cdna.load %w[%c0, %k] {tail = [records, none], scalar = [1]} : !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16> -> tensor<256x64xbf16, #fetch>
    ```
  }];
  let arguments = (ins Arg<Cdna_BufferType, "", [MemRead<Cdna_GlobalMemory>]>:$buffer, Variadic<I32>:$indices,
                       Optional<I1>:$where, DenseI32ArrayAttr:$tail, DenseI32ArrayAttr:$scalar);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`where` $where^)? custom<Access>($tail, $scalar) attr-dict-with-keyword `:`
    qualified(type($buffer)) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = accessDeclarations;
}

def Cdna_StoreOp : Cdna_AccessOp<"store"> {
  let summary = "write a tile through a window";
  let description = [{
    As `cdna.load`. Of lanes and waves that hold copies of an element only the one whose broadcast bits are 0 writes.
    What is outside, and phantoms, are not written.

    Example:
    ```mlir
    cdna.store %o, %w[%c0, %c0] {tail = [records, compare]} : tensor<256x256xbf16, #acc>, !cdna.buffer<?x?xbf16, strides = [?, 1], align = 16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Cdna_BufferType, "", [MemWrite<Cdna_GlobalMemory>]>:$buffer,
                       Variadic<I32>:$indices, DenseI32ArrayAttr:$tail, DenseI32ArrayAttr:$scalar);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` custom<Access>($tail, $scalar) attr-dict-with-keyword `:`
    type($value) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = accessDeclarations;
}

def Cdna_LoadScalarOp : Cdna_Op<"load_scalar"> {
  let summary = "read one element of a window; the same in all lanes, but not known to be";
  let description = [{
    The element must be inside; `cdna.uniform` follows where control flow depends on it.

    Example:
    ```mlir
    %n = cdna.load_scalar %w[%c0] : !cdna.buffer<?xi32, strides = [1], align = 4> -> i32
    ```
  }];
  let arguments = (ins Arg<Cdna_BufferType, "", [MemRead<Cdna_GlobalMemory>]>:$buffer, Variadic<I32>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_MEMORY_OPS
