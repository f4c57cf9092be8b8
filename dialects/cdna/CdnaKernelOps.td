// The kernel and what a wave knows about itself.
#ifndef TEGULA_CDNA_KERNEL_OPS
#define TEGULA_CDNA_KERNEL_OPS

include "dialects/cdna/CdnaTypes.td"
include "dialects/tile/TileInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_KernelOp : Cdna_Op<"kernel", [FunctionOpInterface, Tile_KernelOpInterface, IsolatedFromAbove]> {
  let summary = "a kernel after tiles have got layouts";
  let description = [{
    As `tile.kernel`: the arguments are views and scalars with `tile.name` and `tile.alias`, `grid` names the
    `tile.func` of the launch grid. `waves` is the arrangement of the schedule; its product counts. `lds_bytes` is set
    by `cdna-allocate-lds`.

    Example:
    ```mlir
    cdna.kernel @gemm(%a: !A {tile.name = "a"}) attributes {grid = @gemm.grid, target = #tile.target<"CHIP">,
        waves = [2, 4], lds_bytes = 131072 : i32, cdna.no_tile_ops, cdna.lds_assigned} {
      cdna.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<FlatSymbolRefAttr>:$grid,
      Tile_TargetAttr:$target, OptionalAttr<Tile_ScheduleAttr>:$schedule,
      OptionalAttr<Tile_DenormalsAttr>:$denormals, I64ArrayAttr:$waves, OptionalAttr<I32Attr>:$lds_bytes);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Number of waves of the workgroup.
    int64_t getWaveCount();
    /// Workgroups that are to share a compute unit; 1 where no schedule says more.
    int64_t getOccupancy();
    /// The row of lib/Target; the verifier guarantees that there is one.
    const ::tegula::Target &getTargetInfo();
  }];
}

def Cdna_ReturnOp : Cdna_Op<"return", [Pure, ReturnLike, Terminator, HasParent<"::tegula::cdna::KernelOp">]> {
  let summary = "ends a kernel";
  let description = [{
    Example:
    ```mlir
    cdna.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Cdna_IdOp<string mnemonic, string what> : Cdna_Op<mnemonic, [Pure]> {
  let summary = what;
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cdna_WaveIdOp : Cdna_IdOp<"wave_id", "number of this wave in its workgroup, a scalar"> {
  let description = [{
    Example:
    ```mlir
    %w = cdna.wave_id : i32
    ```
  }];
}

def Cdna_LaneIdOp : Cdna_IdOp<"lane_id", "number of this lane in its wave, different in each lane"> {
  let description = [{
    Example:
    ```mlir
    %l = cdna.lane_id : i32
    ```
  }];
}

def Cdna_ProgramIdOp : Cdna_Op<"program_id", [Pure]> {
  let summary = "this workgroup's position on one grid axis";
  let description = [{
    Example:
    ```mlir
    %p = cdna.program_id {axis = 0} : i32
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "` ` `{` `axis` `=` $axis `}` attr-dict `:` type($result)";
}

def Cdna_BasePointerOp : Cdna_Op<"base_pointer", [Pure]> {
  let summary = "the address in a view argument";
  let description = [{
    What is left of a view once its accesses are lowered; the ABI pass replaces it by the pointer argument.

    Example:
    ```mlir
    %p = cdna.base_pointer %x : !tile.view<?xf32, strides = [1]> -> !llvm.ptr<1>
    ```
  }];
  let arguments = (ins Tile_View:$view);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$view attr-dict `:` qualified(type($view)) `->` type($result)";
}

def Cdna_UniformOp : Cdna_Op<"uniform", [Pure, SameOperandsAndResultType]> {
  let summary = "a scalar that came from memory, made uniform (the first lane's value)";
  let description = [{
    Example:
    ```mlir
    %u = cdna.uniform %n : i32
    ```
  }];
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Cdna_ElementOp : Cdna_Op<"element", [Pure]> {
  let summary = "the only element of a tile, as a uniform scalar";
  let description = [{
    Rules: `c1` one element, of the scalar's type.

    Example:
    ```mlir
    %n = cdna.element %t : tensor<1x1xi32, #one> -> i32
    ```
  }];
  let arguments = (ins Tile_Tensor:$tile);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_KERNEL_OPS
