// What a kernel tells the host besides its results: assertions and prints, and how a workgroup ends.
#ifndef TEGULA_TILE_RECORD_OPS
#define TEGULA_TILE_RECORD_OPS

include "dialects/tile/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Their order stays, and no access of a view is ordered with them.
def Tile_RecordResource : Resource<"::tegula::tile::RecordResource">;

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite<Tile_RecordResource>]>]> {
  let summary = "the condition holds, for every element; else the workgroup ends, and the host is told";
  let description = [{
    The message has a hole `{}` for each value (`{u}`: an unsigned one). Of a value that is a tile, of
    the condition's shape, the element is meant for which the condition fails first. `bounds` says
    that the values are an index into a view. Erased unless the kernel has `tile.asserts`.

    Example:
    ```mlir
    tile.assert %fact, "all is well" : i1
    tile.assert %keep, "row {} of {}"(%is, %m) bounds : tensor<64xi1>, tensor<64xi32>, i32
    ```
  }];
  let arguments = (ins Tile_Value:$condition, StrAttr:$message, Variadic<Tile_Value>:$values,
      UnitAttr:$bounds);
  let assemblyFormat = [{
    $condition `,` $message (`` `(` $values^ `)`)? (`bounds` $bounds^)? attr-dict `:`
    type($condition) (`,` type($values)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite<Tile_RecordResource>]>]> {
  let summary = "shows values on the host, once a workgroup";
  let description = [{
    The format has a hole `{}` for each value (`{u}`: an unsigned one).

    Example:
    ```mlir
    tile.print "m = {}, {}", %m, %t : i32, tensor<256x64xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Tile_Value>:$values);
  let assemblyFormat = "$format (`,` $values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Tile_ExitOp : Tile_Op<"exit", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the workgroup here";
  let description = [{
    What stands behind it does not happen. Made by tile-lower-records.

    Example:
    ```mlir
    tile.exit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TEGULA_TILE_RECORD_OPS
