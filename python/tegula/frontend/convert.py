"""Constants to SSA values, casts, and broadcasting."""

from __future__ import annotations

import ast
from typing import Any

from tegula.frontend.builder import literal
from tegula.frontend.context import Context
from tegula.frontend.values import (
    Scalar,
    Tile,
    describe,
    is_number,
    shape_text,
    tensor_type,
)
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


def natural_dtype(value: float) -> DType:
    """Type of a Python number that meets no typed operand."""
    if isinstance(value, bool):
        return dt.bool_
    if isinstance(value, int):
        return dt.i32 if dt.in_range(value, dt.i32) else dt.i64
    return dt.f32


def weak_dtype(value: float, other: DType) -> DType:
    """Type that a Python number takes beside ``other``: it is weak, but a float stays a float."""
    if isinstance(value, float) and not other.is_float:
        return dt.f32
    if other.kind == "bool" and not isinstance(value, bool):
        return natural_dtype(value)
    return other


def check_literal(ctx: Context, value: Any, dtype: DType, node: ast.AST) -> None:
    if not dt.in_range(value, dtype):
        ctx.fail(
            "front.type.literal",
            f"the constant {value!r} is out of the range of {dtype.name}",
            node,
            help=f"cast the other operand to a type that holds {value!r}",
        )


def constant_scalar(ctx: Context, value: Any, dtype: DType, node: ast.AST) -> Scalar:
    check_literal(ctx, value, dtype, node)
    ssa = ctx.builder.constant(literal(value, dtype), dtype.mlir, ctx.loc(node))
    return Scalar(ssa, dtype)


def constant_tile(
    ctx: Context, value: Any, shape: tuple[int, ...], dtype: DType, node: ast.AST
) -> Tile:
    check_literal(ctx, value, dtype, node)
    text = literal(value, dtype)
    ssa = ctx.builder.constant(text, tensor_type(shape, dtype), ctx.loc(node))
    return Tile(ssa, dtype, shape)


def run_time(ctx: Context, value: Any, node: ast.AST, what: str = "operand") -> Tile | Scalar:
    """A tile or scalar of a value that arithmetic accepts; anything else is refused."""
    if isinstance(value, (Tile, Scalar)):
        return value
    if is_number(value):
        return constant_scalar(ctx, value, natural_dtype(value), node)
    ctx.fail("front.type.operand", f"{what} is {describe(value)}, not a tile or scalar", node)


def as_scalar(ctx: Context, value: Any, node: ast.AST) -> Any:
    """A tile of rank 0, such as a reduction of all axes gives, where a scalar is needed."""
    if not isinstance(value, Tile) or value.shape:
        return value
    ssa = ctx.emit(f"tile.element {value.ssa} : {value.type} -> {value.dtype.mlir}", node)
    return Scalar(ssa, value.dtype)


def emit_binary(
    ctx: Context,
    name: str,
    x: Tile | Scalar,
    y: Tile | Scalar,
    node: ast.AST,
    tail: str = "",
) -> Tile | Scalar:
    """An op of two operands of one type whose result has it, too."""
    return with_type(x, ctx.emit(f"{name} {x.ssa}, {y.ssa}{tail} : {x.type}", node), x.dtype)


def with_type(value: Tile | Scalar, ssa: str, dtype: DType) -> Tile | Scalar:
    return Tile(ssa, dtype, value.shape) if isinstance(value, Tile) else Scalar(ssa, dtype)


def cast(
    ctx: Context,
    value: Tile | Scalar,
    dtype: DType,
    node: ast.AST,
    rounding: str = "rne",
    saturate: bool | None = None,
    seed: Scalar | None = None,
) -> Tile | Scalar:
    """Convert the elements. Narrowing rounds once; float to integer truncates and saturates."""
    source = value.dtype
    if source == dtype:
        return value
    if dt.e8m0 in (source, dtype):
        ctx.fail(
            "tile.cast.c2",
            f"no cast from {source.name} to {dtype.name}",
            node,
            help=dt.instead_of_cast(source),
        )
    if _goes_through_f32(source, dtype):
        value = cast(ctx, value, dt.f32, node)
        return cast(ctx, value, dtype, node, rounding, saturate, seed)
    if source.is_float and dtype.kind == "uint":
        return _to_unsigned(ctx, value, dtype, node)
    if rounding != "rne" and source.is_integer and dtype.is_float:
        ctx.fail(
            "front.type.rounding",
            f"{source.name} to {dtype.name} rounds to nearest only",
            node,
            help="write .to(tg.f64) first, and round that",
        )
    op = _cast_op(source, dtype, rounding, saturate, seed)
    result = with_type(value, "", dtype)
    if op is None and source.mlir == dtype.mlir:
        return with_type(value, value.ssa, dtype)
    if op is None:
        return _to_bool(ctx, value, node)
    text = f"tile.cast {value.ssa} {op[10:]} : {value.type} -> {result.type}"
    if not op.startswith("tile.cast"):
        text = f"{op} {value.ssa} : {value.type} to {result.type}"
    return with_type(value, ctx.emit(text, node), dtype)


def _goes_through_f32(source: DType, dtype: DType) -> bool:
    """f32 holds all narrow floats, and an integer that it rounds exceeds those and f16's."""
    if source.is_float:
        return source.bits <= 8 and not dtype.is_float
    return dtype.is_float and (dtype.bits <= 8 or dtype == dt.f16)


def _to_unsigned(ctx: Context, value: Tile | Scalar, dtype: DType, node: ast.AST) -> Tile | Scalar:
    """Float to unsigned by way of a wider signed type: ``tile.cast`` knows no signs."""
    if dtype.bits == 64:
        return _to_u64(ctx, value, node)
    wide = cast(ctx, value, dt.i32 if dtype.bits < 32 else dt.i64, node)
    for op, bound in (("arith.maxsi", 0), ("arith.minsi", (1 << dtype.bits) - 1)):
        wide = emit_binary(ctx, op, wide, like_constant(ctx, wide, bound, node), node)
    return cast(ctx, wide, dtype, node)


def _to_u64(ctx: Context, value: Tile | Scalar, node: ast.AST) -> Tile | Scalar:
    """From 2^63 on what exceeds it is converted, and the top bit set."""
    if value.dtype.bits < 32:
        value = cast(ctx, value, dt.f32, node)
    half = like_constant(ctx, value, 2.0**63, node)
    ssa = ctx.emit(f"arith.cmpf oge, {value.ssa}, {half.ssa} : {value.type}", node)
    is_large = with_type(value, ssa, dt.bool_)
    excess = cast(ctx, emit_binary(ctx, "arith.subf", value, half, node), dt.i64, node)
    top = like_constant(ctx, excess, -(1 << 63), node)
    large = emit_binary(ctx, "arith.xori", excess, top, node)
    small = cast(ctx, value, dt.i64, node)
    small = emit_binary(ctx, "arith.maxsi", small, like_constant(ctx, small, 0, node), node)
    types = f"{is_large.type}, {small.type}" if isinstance(value, Tile) else small.type
    ssa = ctx.emit(f"arith.select {is_large.ssa}, {large.ssa}, {small.ssa} : {types}", node)
    return with_type(small, ssa, dt.u64)


def _cast_op(
    source: DType, dtype: DType, rounding: str, saturate: bool | None, seed: Scalar | None
) -> str | None:
    """The op, or ``tile.cast`` with its rounding; None when a comparison or a renaming does it."""
    if source.mlir == dtype.mlir or dtype.kind == "bool":
        return None
    if source.is_float and dtype.is_float:
        if dtype.bits > max(8, source.bits):  # 6 bits of e2m3 are not all in 8 of e5m2
            return "arith.extf" if source.bits >= 16 else "tile.cast rne"
        clamp = dtype.bits <= 8 if saturate is None else saturate
        noise = f" seed {seed.ssa}" if seed is not None else ""
        return f"tile.cast {rounding}{noise}{' saturate' if clamp else ''}"
    if source.is_float:
        return "tile.cast rtz saturate"
    if dtype.is_float:
        return "arith.sitofp" if source.kind == "int" else "arith.uitofp"
    if dtype.bits < source.bits:
        return "arith.trunci"
    return "arith.extsi" if source.kind == "int" else "arith.extui"


def _to_bool(ctx: Context, value: Tile | Scalar, node: ast.AST) -> Tile | Scalar:
    zero = like_constant(ctx, value, 0, node)
    compare = "arith.cmpf une" if value.dtype.is_float else "arith.cmpi ne"
    ssa = ctx.emit(f"{compare}, {value.ssa}, {zero.ssa} : {value.type}", node)
    return with_type(value, ssa, dt.bool_)


def like_constant(ctx: Context, value: Tile | Scalar, number: Any, node: ast.AST) -> Tile | Scalar:
    """A constant of the type and shape of another value."""
    if isinstance(value, Tile):
        return constant_tile(ctx, number, value.shape, value.dtype, node)
    return constant_scalar(ctx, number, value.dtype, node)


def broadcast_shape(
    ctx: Context, shapes: list[tuple[int, ...]], node: ast.AST, others: tuple[ast.AST, ...] = ()
) -> tuple[int, ...]:
    """NumPy's rule: align at the right, extents equal or 1."""
    rank = max(len(shape) for shape in shapes)
    result = []
    for axis in range(-rank, 0):
        extents = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(extents) > 1:
            found = " and ".join(shape_text(shape) for shape in shapes)
            ctx.fail(
                "front.shape.broadcast",
                f"shapes {found} do not broadcast: axis {axis} has extents "
                + " and ".join(map(str, sorted(extents))),
                node,
                others=others,
            )
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def broadcast(
    ctx: Context, value: Any, shape: tuple[int, ...], dtype: DType, node: ast.AST
) -> Tile:
    """A tile of the given shape and type from a number, scalar or smaller tile."""
    if is_number(value):
        return constant_tile(ctx, value, shape, dtype, node)
    value = cast(ctx, value, dtype, node)
    if isinstance(value, Tile):
        if value.shape == shape:
            return value
        value = reshape(ctx, value, (1,) * (len(shape) - len(value.shape)) + value.shape, node)
        if value.shape == shape:
            return value
    target = tensor_type(shape, dtype)
    ssa = ctx.emit(f"tile.broadcast {value.ssa} : {value.type} to {target}", node)
    return Tile(ssa, dtype, shape)


def reshape(ctx: Context, tile: Tile, shape: tuple[int, ...], node: ast.AST) -> Tile:
    """Row-major reshape; the counts are checked by the op's verifier."""
    if tile.shape == shape:
        return tile
    target = tensor_type(shape, tile.dtype)
    ssa = ctx.emit(f"tile.reshape {tile.ssa} : {tile.type} to {target}", node)
    return Tile(ssa, tile.dtype, shape)
