// Products, reductions, scans, and the little arithmetic that needs the layout.
#ifndef TEGULA_CDNA_MATH_OPS
#define TEGULA_CDNA_MATH_OPS

include "dialects/cdna/CdnaTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cdna_MfmaOp : Cdna_Op<"mfma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product by one matrix instruction shape, on register tiles";
  let description = [{
    (M, K) x (K, N) + (M, N). `swapped` issues B first, so that a lane owns consecutive n of one m. With
    `steps = [b, e]` only the instructions b to e (exclusive) along k are done, so that a barrier can stand among those
    of one pair of fragments.

    Rules: `c1` shape is in the target's table for the element types; `c2` the layouts start with the instruction's, up
    to one permutation of k that a and b share; `c3` the same register and lane bits of a and b hold k; `c4` lanes and
    waves of a and acc agree on m, those of b and acc on n; `c5` extents agree; `c6` the steps exist.

    Example:
    ```mlir
    %d = cdna.mfma %a, %b, %c {shape = "16x16x32", swapped} : tensor<256x32xbf16, #a>, tensor<32x256xbf16, #b>, tensor<256x256xf32, #acc>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc, StrAttr:$shape, UnitAttr:$swapped,
                       OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let builders = [
    /// All steps along k.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$acc,
                   "::mlir::StringAttr":$shape, "::mlir::UnitAttr":$swapped), [{
      build($_builder, $_state, result, a, b, acc, shape, swapped, ::mlir::DenseI64ArrayAttr());
    }]>
  ];
  let hasVerifier = 1;
}

def Cdna_ReduceRegistersOp : Cdna_Op<"reduce_registers", [Pure]> {
  let summary = "combine the registers of each lane along one dimension";
  let description = [{
    The result has the operand's layout without the register bits and repeats of `axis`: a balanced tree in the order
    of register numbers. The extent along the axis becomes the number of distinct parts that lanes and waves still hold.

    Rules: `c1` axis exists; `c2` register vectors are pure in the axis; `c3` the result has exactly the registers that
    are left, element type equal; `c4` the kind fits the element.

    Example:
    ```mlir
    %p = cdna.reduce_registers add %x {axis = 1} : tensor<1x2880xf32, #row> -> tensor<1x128xf32, #part>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$value, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$kind $value ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_ReduceLanesOp : Cdna_Op<"reduce_lanes", [Pure]> {
  let summary = "combine lanes that differ in some bits of their number; all of them get the result";
  let description = [{
    Rules: `c1` bits exist and are pure in the reduced dimensions; `c2` the kind fits the element; `c3` the result keeps
    the registers, and its lane vectors at `bits` are zero.

    Example:
    ```mlir
    %r = cdna.reduce_lanes add %p {dims = [1], bits = [0, 1, 2, 3, 4, 5]} : tensor<1x128xf32, #part> -> tensor<1x2xf32, #wave2>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$value, DenseI32ArrayAttr:$dims, DenseI32ArrayAttr:$bits);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $kind $value ` ` `{` `dims` `=` $dims `,` `bits` `=` $bits `}` attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cdna_ReduceWavesOp : Cdna_Op<"reduce_waves"> {
  let summary = "combine waves through an LDS buffer; all of them get the result";
  let description = [{
    Expanded by `cdna-insert-waits` into `lds_store`, `wait_count`, `barrier`, `lds_load` in a layout whose registers
    run along the waves' parts, and `reduce_registers`.

    Rules: `c1` no lane bit of the reduced dimension is left; `c2` the buffer has the operand's element type and at least its extents.

    Example:
    ```mlir
    %s = cdna.reduce_waves add %r, %red : tensor<1x2xf32, #wave2>, !cdna.lds<1x2xf32, order = [1, 0]> -> tensor<1x1xf32, #one>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$value,
                       Arg<Cdna_LdsType, "", [MemRead<Cdna_LdsMemory>, MemWrite<Cdna_LdsMemory>]>:$lds);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $kind $value `,` $lds attr-dict `:` type($value) `,` qualified(type($lds)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cdna_YieldOp : Cdna_Op<"yield", [Pure, Terminator]> {
  let summary = "the combination of two elements";
  let description = [{
    Example:
    ```mlir
    %s = cdna.scan %x {axis = 1} : tensor<1x64xf32, #row> {
    ^bb0(%f: f32, %g: f32):
      cdna.yield %f : f32
    }
    ```
  }];
  let arguments = (ins Tile_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Cdna_ScanOp : Cdna_Op<"scan", [RecursivelySpeculatable, RecursiveMemoryEffects, SameOperandsAndResultType]> {
  let summary = "all elements so far, combined, along an axis, in registers and lanes";
  let description = [{
    Rules: `c1` the axis exists, and no wave holds elements along it that another lacks; `c2` each register and lane bit
    along the axis adds a power of two to the coordinate and nothing elsewhere.

    Example:
    ```mlir
    %s = cdna.scan %x {axis = 1} : tensor<1x64xf32, #row> {
    ^bb0(%f: f32, %g: f32):
      %h = arith.addf %f, %g : f32
      cdna.yield %h : f32
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$input ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($input) $body";
  let hasVerifier = 1;
}

def Cdna_ReduceRegionOp : Cdna_Op<"reduce_region", [RecursivelySpeculatable, RecursiveMemoryEffects]> {
  let summary = "combine the elements along an axis by a body, in registers and lanes";
  let description = [{
    Rules: `c1`, `c2` as `cdna.scan`; `c3` the result has the operand's layout, reduced.

    Example:
    ```mlir
    %s = cdna.reduce_region %x {axis = 1} : tensor<1x64xf32, #row> -> tensor<1x1xf32, #one> {
    ^bb0(%f: f32, %g: f32):
      %h = arith.mulf %f, %g : f32
      cdna.yield %h : f32
    }
    ```
  }];
  let arguments = (ins Tile_Tensor:$input, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$input ` ` `{` `axis` `=` $axis `}` attr-dict `:` type($input) `->` type($result) $body";
  let hasVerifier = 1;
}

def Cdna_SplatOp : Cdna_Op<"splat", [Pure]> {
  let summary = "a tile whose elements are all one scalar";
  let description = [{
    Rules: `c1` element type = scalar type.

    Example:
    ```mlir
    %e = cdna.splat %eps : f32 -> tensor<1x1xf32, #one>
    ```
  }];
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_IotaOp : Cdna_Op<"iota", [Pure]> {
  let summary = "each element's own coordinate along one dimension";
  let description = [{
    Rules: `c1` axis exists, elements are i32.

    Example:
    ```mlir
    %c = cdna.iota {axis = 1} : tensor<1x64xi32, #row>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "` ` `{` `axis` `=` $axis `}` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cdna_MaskOp : Cdna_Op<"mask", [Pure, SameOperandsAndResultType]> {
  let summary = "put a constant into the phantoms of a tile";
  let description = [{
    Rules: `c1` the value has the element type.

    Example:
    ```mlir
    %m = cdna.mask %x {value = 0xFF800000 : f32} : tensor<1x2880xf32, #row>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, TypedAttrInterface:$fill);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value ` ` `{` `value` `=` $fill `}` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Cdna_HwOp : Cdna_Op<"hw", [Pure]> {
  let summary = "one hardware instruction on each element, with the accuracy that the hardware has";
  let description = [{
    `sin` and `cos` take revolutions. Denormal inputs and results of exp2, log2, rcp, rsq and sqrt are flushed.
    `frexp_exp` gives i32; `ldexp` takes an i32 tile as second operand.

    Rules: `c1` f32 elements (i32 where said), equal shapes and layouts.

    Example:
    ```mlir
    %r = cdna.hw rsq %v : tensor<1x1xf32, #one> -> tensor<1x1xf32, #one>
    %l = cdna.hw ldexp %m, %e : tensor<1x64xf32, #x>, tensor<1x64xi32, #x> -> tensor<1x64xf32, #x>
    ```
  }];
  let arguments = (ins Cdna_HwKindAttr:$kind, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = "`` $kind $args attr-dict `:` type($args) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_CvtOp : Cdna_Op<"cvt", [Pure]> {
  let summary = "f32 to a float of 8, 6 or 4 bits and back, by the target's instructions";
  let description = [{
    To nearest even; what exceeds the largest number becomes infinity, NaN where the type has none, or with `saturate`
    the largest number. NaN stays NaN. f4E2M1FN, which has neither, always saturates, and of NaN it has a zero.

    Rules: `c1` one operand type is f32, the other a float that the target converts; `c2` shapes and layouts are equal.

    Example:
    ```mlir
    %q = cdna.cvt %x saturate : tensor<1x64xf32, #x> -> tensor<1x64xf8E4M3FN, #x>
    %y = cdna.cvt %z : tensor<1x64xf8E4M3FN, #x> -> tensor<1x64xf32, #x>
    ```
  }];
  let arguments = (ins AnyType:$value, UnitAttr:$saturate);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value (`saturate` $saturate^)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Cdna_RandomOp : Cdna_Op<"random", [Pure]> {
  let summary = "random bits for each element";
  let description = [{
    Element i, counted in row-major order, is word i mod 4 of Philox-4x32-10 with key (seed, 0) and counter
    (i / 4, 0, 0, 0). A scalar is element 0.

    Rules: `c1` elements are i32.

    Example:
    ```mlir
    %r = cdna.random %n : tensor<1x64xi32, #x>
    ```
  }];
  let arguments = (ins I32:$seed);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$seed attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_CDNA_MATH_OPS
