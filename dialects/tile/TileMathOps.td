// Arithmetic that is ours: conversions with a stated rounding, functions with a promised bound,
// reductions, products.
#ifndef TEGULA_TILE_MATH_OPS
#define TEGULA_TILE_MATH_OPS

include "dialects/tile/TileBase.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "converts elements to another type, with one stated rounding";
  let description = [{
    `rne` rounds to nearest even, `rtz` towards zero, `stochastic` up with the probability of what
    is cut off. `saturate` clamps what does not fit to the largest finite value (float) or the
    nearest integer; without it a float becomes infinity, or NaN where the type has no infinity
    (towards zero: only infinity does). NaN becomes zero where the type has none. Float to integer
    always rounds towards zero and saturates, NaN gives 0.

    Stochastic rounding adds random bits to the bits of an f32 that are cut off: the top ones of word
    i mod 4 of Philox-4x32-10 with key (seed, 0) and counter (i / 4, 0, 0, 0), where i counts the
    elements of the tile in row-major order.

    Example:
    ```mlir
    %y = tile.cast %x rne : tensor<1x64xf32> -> tensor<1x64xbf16>
    %z = tile.cast %x rne saturate : tensor<1x64xf32> -> tensor<1x64xf8E4M3FN>
    %s = tile.cast %x stochastic seed %n saturate : tensor<1x64xf32> -> tensor<1x64xf8E4M3FN>
    ```
  }];
  let arguments = (ins Tile_Value:$input, Tile_RoundingAttr:$rounding, Optional<I32>:$seed,
      UnitAttr:$saturate);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $input `` $rounding (`seed` $seed^)? (`saturate` $saturate^)? attr-dict `:` type($input)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BitcastOp : Tile_Op<"bitcast", [Pure]> {
  let summary = "the same bits as another element type";
  let description = [{
    Example:
    ```mlir
    %i = tile.bitcast %x : tensor<1x64xf32> to tensor<1x64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$input);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_MathOp : Tile_Op<"math", [Pure, SameOperandsAndResultType,
                                   DeclareOpInterfaceMethods<ArithFastMathInterface>]> {
  let summary = "a function whose error bound we promise and test";
  let description = [{
    Not `math.*`: those fold constants with the host's libm, which differs from the device's
    expansion. `pow` takes two operands, the rest one. `sigmoid`, `silu` and `gelu` are ops for their
    error: composed of others they cancel, or leave the range, where their value is small. `afn` in `fastmath` allows the hardware's
    approximation.

    Example:
    ```mlir
    %r = tile.math rsqrt %x : tensor<1x64xf32>
    %e = tile.math exp2 %x fastmath<afn> : tensor<1x64xf32>
    ```
  }];
  let arguments = (ins Tile_MathKindAttr:$kind, Variadic<Tile_Value>:$operands,
      DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::none">:$fastmath);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "`` $kind $operands (`fastmath` `` $fastmath^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "combines the elements along an axis, which stays with extent 1";
  let description = [{
    The order is unspecified but fixed: the same kernel gives the same bits each time. `max` and
    `min` propagate NaN. Sums and products of f16/bf16 are refused: cast to f32 first.

    Example:
    ```mlir
    %s = tile.reduce add %x {axis = 1} : tensor<1x64xf32> -> tensor<1x1xf32>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tensor:$input,
      ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $input ` ` `{` `axis` `=` custom<PlainInt>($axis) `}` attr-dict `:` type($input)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary =
      "matrix product: (M, K) x (K, N) + (M, N), with an optional leading batch dimension";
  let description = [{
    Exact products, accumulated in the accumulator's type (f32; i32 for i8; f64 for f64). Of the f8
    flavour that a target's matrix unit lacks the operands are converted to f16 first.
    cdna-assign-layouts names the matrix `instruction` whose layouts it has given to the tiles;
    `swapped` says that it takes b first.

    Example:
    ```mlir
    %d = tile.mma %p, %q, %acc : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<256x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc,
      OptionalAttr<StrAttr>:$instruction, UnitAttr:$swapped);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "states a fact that passes may use";
  let description = [{
    Example:
    ```mlir
    tile.assume %fact : i1
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif // TEGULA_TILE_MATH_OPS
