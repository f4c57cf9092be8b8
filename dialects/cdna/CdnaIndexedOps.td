// Memory by element indices: of kernel arguments (gathers, scatters, atomic updates; 64-bit addresses), and of LDS.
#ifndef TEGULA_CDNA_INDEXED_OPS
#define TEGULA_CDNA_INDEXED_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// The place of an access: `origin` is one element offset a dimension of the kernel argument, `limits` (none, or one a
// dimension of the argument) are the ends of slices, `dims[j]` the argument's dimension that index j counts along.
// `check` lists the indices that may leave [origin, limit); elements that do are outside. Rules that all share: c1
// ranks and lists; c2 indices are i32 or i64 tiles of the value's shape and layout; c3 element types equal.
class Cdna_IndexedOp<string mnemonic, list<Trait> traits = []>
    : Cdna_Op<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let hasVerifier = 1;
}

def Cdna_LoadIndexedOp : Cdna_IndexedOp<"load_indexed"> {
  let summary = "read elements by their indices; outside they are the pad";
  let description = [{
    `width` registers in a row are neighbours in memory, aligned to their size. Where an end in memory is not at a multiple of
    them, as only a launch may know, elements are read one by one.

    Rules: `c1` to `c3` of the family; `c4` the width is a power of two that the layout's registers allow.

    Example:
    ```mlir
    %g = cdna.load_indexed %v[%c0, %c0] at(%i, %j) pad(0.0 : f32) {dims = array<i32: 0, 1>, check = array<i32: 0, 1>, width = 1 : i64} : !V, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xf32, #one>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead<Cdna_GlobalMemory>]>:$view, Variadic<I32>:$origin,
                       Variadic<I32>:$limits, Variadic<Tile_Tensor>:$indices, DenseI32ArrayAttr:$dims,
                       DenseI32ArrayAttr:$check, I64Attr:$width, TypedAttrInterface:$pad);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $origin `]` (`limits` `[` $limits^ `]`)? `at` `` `(` $indices `)` `pad` `` `(` $pad `)` attr-dict `:`
    qualified(type($view)) `,` type($indices) `->` type($result)
  }];
}

def Cdna_StoreIndexedOp : Cdna_IndexedOp<"store_indexed"> {
  let summary = "write elements by their indices; those outside, or where the mask is false, are dropped";
  let description = [{
    Of copies of an element in several lanes or waves one is written. `width` as in `cdna.load_indexed`, without a mask.

    Rules: `c1` to `c4` as `cdna.load_indexed`; `c5` the mask is i1 and of the value's shape and layout.

    Example:
    ```mlir
    cdna.store_indexed %x, %v[%c0, %c0] at(%i, %j) {dims = array<i32: 0, 1>, check = array<i32: 0, 1>, width = 1 : i64} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_View, "", [MemWrite<Cdna_GlobalMemory>]>:$view,
                       Variadic<I32>:$origin, Variadic<I32>:$limits, Variadic<Tile_Tensor>:$indices,
                       Optional<Tile_Tensor>:$mask, DenseI32ArrayAttr:$dims, DenseI32ArrayAttr:$check, I64Attr:$width);
  let assemblyFormat = [{
    $value `,` $view `[` $origin `]` (`limits` `[` $limits^ `]`)? `at` `` `(` $indices `)` (`where` $mask^ `:` type($mask))?
    attr-dict `:` type($value) `,` qualified(type($view)) `,` type($indices)
  }];
}

def Cdna_AtomicRmwOp : Cdna_IndexedOp<"atomic_rmw"> {
  let summary = "update elements atomically, relaxed; those outside are left alone";
  let description = [{
    Of copies of an element in several lanes or waves one counts. With `pairs`, two neighbours of 16 bits in registers
    are a dword in memory. The result holds the elements as they were, 0 outside.

    Rules: `c1` to `c3` as `cdna.load_indexed`; `c4` pairs are sums of 16-bit floats whose registers begin with
    neighbours along the view's unit stride.

    Example:
    ```mlir
    cdna.atomic_rmw add %x, %v[%c0, %c0] at(%i, %j) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Tensor:$value,
                       Arg<Tile_View, "", [MemRead<Cdna_GlobalMemory>, MemWrite<Cdna_GlobalMemory>]>:$view,
                       Variadic<I32>:$origin, Variadic<I32>:$limits, Variadic<Tile_Tensor>:$indices,
                       Tile_MemoryScopeAttr:$scope, DenseI32ArrayAttr:$dims, DenseI32ArrayAttr:$check, UnitAttr:$pairs);
  let results = (outs Optional<Tile_Tensor>:$old);
  let assemblyFormat = [{
    $kind $value `,` $view `[` $origin `]` (`limits` `[` $limits^ `]`)? `at` `` `(` $indices `)`
    $scope attr-dict `:` type($value) `,` qualified(type($view)) `,` type($indices) (`->` type($old)^)?
  }];
}

def Cdna_AtomicCasOp : Cdna_IndexedOp<"atomic_cas", [AllTypesMatch<["expected", "desired", "old"]>]> {
  let summary = "replace elements that are what was expected, atomically, relaxed";
  let description = [{
    Rules: `c1` to `c3` as `cdna.load_indexed`, of 32 or 64 bits.

    Example:
    ```mlir
    %was = cdna.atomic_cas %x, %x, %v[%c0, %c0] at(%i, %j) agent {dims = array<i32: 0, 1>, check = array<i32>} : tensor<64xf32, #one>, !V, tensor<64xi32, #one>, tensor<64xi32, #one>
    ```
  }];
  let arguments = (ins Tile_Tensor:$expected, Tile_Tensor:$desired,
                       Arg<Tile_View, "", [MemRead<Cdna_GlobalMemory>, MemWrite<Cdna_GlobalMemory>]>:$view,
                       Variadic<I32>:$origin, Variadic<I32>:$limits, Variadic<Tile_Tensor>:$indices,
                       Tile_MemoryScopeAttr:$scope, DenseI32ArrayAttr:$dims, DenseI32ArrayAttr:$check);
  let results = (outs Tile_Tensor:$old);
  let assemblyFormat = [{
    $expected `,` $desired `,` $view `[` $origin `]` (`limits` `[` $limits^ `]`)? `at` `` `(` $indices `)`
    $scope attr-dict `:` type($expected) `,` qualified(type($view)) `,` type($indices)
  }];
  let extraClassDeclaration = "::mlir::Value getValue() { return getDesired(); }";
}

// In LDS. One i32 index tile a dimension of the buffer, of the value's shape and layout. Rules that all share: c1 one
// index a dimension; c2 indices are i32 tiles of the value's shape and layout; c3 element types equal, one stage, no
// swizzle; c4 the mask is i1 and of the value's shape and layout.
class Cdna_LdsIndexedOp<string mnemonic, list<Trait> traits = []> : Cdna_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Cdna_LdsGatherOp : Cdna_LdsIndexedOp<"lds_gather"> {
  let summary = "read elements of an LDS buffer by their indices";
  let description = [{
    An index outside the buffer is taken for the nearest one inside (a negative one for the last).

    Rules: `c1` to `c3` of the family.

    Example:
    ```mlir
    %t = cdna.lds_gather %l at(%i, %j) : !cdna.lds<64x64xf32, order = [1, 0]>, tensor<64xi32, #one>, tensor<64xi32, #one> -> tensor<64xf32, #one>
    ```
  }];
  let arguments = (ins Arg<Cdna_LdsType, "", [MemRead<Cdna_LdsMemory>]>:$lds, Variadic<Tile_Tensor>:$indices);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lds `at` `` `(` $indices `)` attr-dict `:` qualified(type($lds)) `,` type($indices) `->` type($result)
  }];
}

def Cdna_LdsScatterOp : Cdna_LdsIndexedOp<"lds_scatter", [AttrSizedOperandSegments]> {
  let summary = "write elements of an LDS buffer by their indices";
  let description = [{
    Of copies of an element in several lanes or waves the first is written: they need not be equal. What is outside the
    buffer, or where the mask is false, is dropped.

    Rules: `c1` to `c4` of the family.

    Example:
    ```mlir
    cdna.lds_scatter %x, %l at(%i, %j) : tensor<64xf32, #one>, !cdna.lds<64x64xf32, order = [1, 0]>, tensor<64xi32, #one>, tensor<64xi32, #one>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Cdna_LdsType, "", [MemWrite<Cdna_LdsMemory>]>:$lds,
                       Variadic<Tile_Tensor>:$indices, Optional<Tile_Tensor>:$mask);
  let assemblyFormat = [{
    $value `,` $lds `at` `` `(` $indices `)` (`where` $mask^ `:` type($mask))? attr-dict `:` type($value) `,`
    qualified(type($lds)) `,` type($indices)
  }];
}

def Cdna_LdsAtomicOp : Cdna_LdsIndexedOp<"lds_atomic", [AttrSizedOperandSegments]> {
  let summary = "update elements of an LDS buffer atomically";
  let description = [{
    Of copies of an element one counts; what is outside the buffer, or where the mask is false, does not.

    Rules: `c1` to `c4` of the family; `c5` integers of 32 or 64 bits.

    Example:
    ```mlir
    cdna.lds_atomic add %n, %l at(%i, %j) : tensor<64xi32, #one>, !cdna.lds<64x64xi32, order = [1, 0]>, tensor<64xi32, #one>, tensor<64xi32, #one>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Tensor:$value,
                       Arg<Cdna_LdsType, "", [MemRead<Cdna_LdsMemory>, MemWrite<Cdna_LdsMemory>]>:$lds,
                       Variadic<Tile_Tensor>:$indices, Optional<Tile_Tensor>:$mask);
  let assemblyFormat = [{
    $kind $value `,` $lds `at` `` `(` $indices `)` (`where` $mask^ `:` type($mask))? attr-dict `:`
    type($value) `,` qualified(type($lds)) `,` type($indices)
  }];
}

#endif // TEGULA_CDNA_INDEXED_OPS
