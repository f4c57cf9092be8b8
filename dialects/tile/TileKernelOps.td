// Kernels, grid functions and the ops that tell a workgroup where it is.
#ifndef TEGULA_TILE_KERNEL_OPS
#define TEGULA_TILE_KERNEL_OPS

include "dialects/tile/TileBase.td"
include "dialects/tile/TileInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, Tile_KernelOpInterface, IsolatedFromAbove,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel: its body runs once per grid point, by one workgroup";
  let description = [{
    Arguments are views and scalars; each carries `tile.name = "x"` and may carry `tile.alias = n :
    i32`, its alias set (default: all views share set 0). `grid` names a private `tile.func` with
    the same arguments that returns the launch grid; it is a sibling because a function op has one
    region. Rules on upstream ops inside the body, which have no hook for ours, are checked by this
    op's region verifier. With `denormals = #tile.denormals<flush>`, f32 arithmetic takes denormals
    for zeros.

    Example:
    ```mlir
    !X = !tile.view<?x64xf32, names = ["R", "64"], strides = [?, 1]>
    tile.kernel @copy(%x: !X {tile.name = "x"}, %y: !X {tile.name = "y", tile.alias = 1 : i32})
        attributes {grid = @copy.grid, target = #tile.target<"CHIP">,
                    schedule = #tile.schedule<waves = [1, 1]>} {
      %r = tile.program_id {axis = 0} : i32
      %c0 = arith.constant 0 : i32
      %t = tile.load %x[%r, %c0] pad(0.0) : !X -> tensor<1x64xf32>
      tile.store %t, %y[%r, %c0] : tensor<1x64xf32>, !X
      tile.return
    }
    tile.func private @copy.grid(%x: !X, %y: !X) -> i32 {
      %r = tile.dim %x {d = 0} : !X -> i32
      tile.return %r : i32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<FlatSymbolRefAttr>:$grid,
      OptionalAttr<Tile_TargetAttr>:$target, OptionalAttr<Tile_ScheduleAttr>:$schedule,
      OptionalAttr<Tile_DenormalsAttr>:$denormals);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_FuncOp : Tile_Op<"func", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a private function that computes a kernel's grid";
  let description = [{
    Holds `tile.dim`, `tile.stride`, `tile.num_tiles`, `tile.resident`, constants and integer arithmetic (+ - * min
    max, divisions that round down or up) only, because the manifest's grid expressions and the C
    header are read off its ops.

    Example:
    ```mlir
    !C = !tile.view<?x?xbf16, names = ["M", "N"], strides = [?, 1]>
    tile.func private @gemm.grid(%c: !C) -> i32 {
      %g:2 = tile.num_tiles %c [256, 256] : !C -> i32, i32
      %n = arith.muli %g#0, %g#1 : i32
      tile.return %n : i32
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_ReturnOp
    : Tile_Op<"return", [Pure, ReturnLike, Terminator,
                         ParentOneOf<["::tegula::tile::KernelOp", "::tegula::tile::FuncOp"]>]> {
  let summary = "ends a kernel (no operands) or a function";
  let description = [{
    Example:
    ```mlir
    tile.func private @one.grid() -> i32 {
      %c1 = arith.constant 1 : i32
      tile.return %c1 : i32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "this workgroup's position on one grid axis";
  let description = [{
    Example:
    ```mlir
    %p = tile.program_id {axis = 0} : i32
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_TileIdOp : Tile_Op<"tile_id", [Pure]> {
  let summary = "which tile of a view this workgroup computes";
  let description = [{
    The grid is linear (the product of `tile.num_tiles`); the schedule's raster decides which
    workgroup takes which tile, so `tile.program_id` is not allowed beside it. With `at`, it is the
    tile at that place of the raster, from 0 to the number of tiles, for kernels that walk over
    several; such a kernel knows its place in the grid.

    Example:
    ```mlir
    %m, %n = tile.tile_id %c [256, 256] : !C -> i32, i32
    ```
  }];
  let arguments = (ins Tile_View:$view, DenseI64ArrayAttr:$shape, Optional<I32>:$at);
  let results = (outs Variadic<I32>:$results);
  let assemblyFormat = "$view $shape (`at` `(` $at^ `)`)? attr-dict `:` qualified(type($view)) "
                       "`->` type($results)";
  let hasVerifier = 1;
}

def Tile_ResidentOp : Tile_Op<"resident", [Pure]> {
  let summary = "how many workgroups of this kernel the device holds at once";
  let description = [{
    The compute units of the device times the workgroups that one holds, by registers, LDS and wave
    slots. As a grid it makes a persistent kernel, whose workgroups walk over the work in steps of
    it. Known at launch; at least 1.

    Example:
    ```mlir
    tile.func private @walk.grid() -> i32 {
      %w = tile.resident : i32
      tile.return %w : i32
    }
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_NumTilesOp : Tile_Op<"num_tiles", [Pure]> {
  let summary = "how many tiles cover a view, per dimension (rounded up)";
  let description = [{
    Example:
    ```mlir
    %g:2 = tile.num_tiles %c [256, 256] : !C -> i32, i32
    ```
  }];
  let arguments = (ins Tile_View:$view, DenseI64ArrayAttr:$shape);
  let results = (outs Variadic<I32>:$results);
  let assemblyFormat = "$view $shape attr-dict `:` qualified(type($view)) `->` type($results)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1; // to tile.dim and arith.ceildivui
}

#endif // TEGULA_TILE_KERNEL_OPS
