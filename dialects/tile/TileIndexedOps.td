// Memory by element index, and atomic updates of memory.
#ifndef TEGULA_TILE_INDEXED_OPS
#define TEGULA_TILE_INDEXED_OPS

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_GatherOp : Tile_Op<"gather", []> {
  let summary = "elements of a view by their own indices; outside the view they are the pad";
  let description = [{
    One tile of element indices (i32 or i64) a dimension, all of the result's shape. One whose indices count along the
    axes from a tile index on is a `tile.load`.

    Example:
    ```mlir
    %g = tile.gather %a[%is, %js] pad(0.0) : !A, tensor<64xi32>, tensor<64xi32> -> tensor<64xbf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<Tile_Tensor>:$indices,
      TypedAttrInterface:$pad);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$view `[` $indices `]` custom<GatherTypes>($pad, type($view), "
                       "type($indices), type($result)) attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter", [AttrSizedOperandSegments]> {
  let summary = "writes elements of a view by their own indices; those outside the view are dropped";
  let description = [{
    Indices as in `tile.gather`; only elements whose `where` holds are written. Of two elements with
    one index either may win.

    Example:
    ```mlir
    tile.scatter %vals, %a[%is, %js] where %keep : tensor<64xbf16>, !A, tensor<64xi32>, tensor<64xi32>, tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_View, "", [MemWrite]>:$view,
      Variadic<Tile_Tensor>:$indices, Optional<Tile_Tensor>:$mask);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`where` $mask^)? attr-dict `:`
    custom<ScatterTypes>(ref($mask), type($value), type($view), type($indices), type($mask))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

class Tile_AtomicOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  code indexDeclarations = [{
    /// Element indices, one tile a dimension; otherwise the indices are a tile index.
    bool isByElement() {
      return !getIndices().empty() &&
             ::llvm::isa<::mlir::RankedTensorType>(getIndices().front().getType());
    }
  }];
}

def Tile_AtomicRmwOp : Tile_AtomicOp<"atomic_rmw"> {
  let summary = "updates each element of a tile of a view atomically";
  let description = [{
    By tile index as `tile.store`, or by element indices as `tile.scatter`; what is outside is left
    alone. With a result it gives the elements as they were before (0 outside). `max` and `min` are
    those of signed integers and floats (a NaN wins). `order` and `scope` are those of the whole
    tile: what the workgroup did before comes before it (release), what it does after, after
    (acquire).

    Example:
    ```mlir
    tile.atomic_rmw add %t, %a[%m, %k] relaxed agent : tensor<256x64xbf16>, !A
    %old = tile.atomic_rmw xchg %vals, %a[%is, %js] acq_rel system : tensor<64xbf16>, !A, tensor<64xi32>, tensor<64xi32> -> tensor<64xbf16>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Tensor:$value,
      Arg<Tile_View, "", [MemRead, MemWrite]>:$view, Variadic<AnyType>:$indices,
      Tile_MemoryOrderAttr:$order, Tile_MemoryScopeAttr:$scope);
  let results = (outs Optional<Tile_Tensor>:$old);
  let assemblyFormat = [{
    `` $kind $value `,` $view `[` $indices `]` custom<OrderAndScope>($order, $scope) attr-dict `:`
    custom<AtomicTypes>(ref($indices), type($value), type($view), type($indices), type($old))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = indexDeclarations # [{
    /// Whether the result depends on the order in which updates arrive.
    bool dependsOnOrder();
  }];
}

def Tile_AtomicCasOp
    : Tile_AtomicOp<"atomic_cas", [AllTypesMatch<["expected", "desired", "old"]>]> {
  let summary = "replaces each element that is what was expected, atomically";
  let description = [{
    Compares bits. Gives the elements as they were before (0 outside the view). Indices, order and
    scope as `tile.atomic_rmw`.

    Example:
    ```mlir
    %was = tile.atomic_cas %cmp, %new, %lengths[%m] acq_rel agent : tensor<1xi32>, !tile.view<?xi32, strides = [1]>
    ```
  }];
  let arguments = (ins Tile_Tensor:$expected, Tile_Tensor:$desired,
      Arg<Tile_View, "", [MemRead, MemWrite]>:$view, Variadic<AnyType>:$indices,
      Tile_MemoryOrderAttr:$order, Tile_MemoryScopeAttr:$scope);
  let results = (outs Tile_Tensor:$old);
  let assemblyFormat = [{
    $expected `,` $desired `,` $view `[` $indices `]` custom<OrderAndScope>($order, $scope)
    attr-dict `:` custom<CasTypes>(ref($indices), type($expected), type($view), type($indices))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = indexDeclarations;
}

#endif // TEGULA_TILE_INDEXED_OPS
