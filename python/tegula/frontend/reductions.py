"""Reductions of tiles along axes."""

from __future__ import annotations

import ast
import math
from typing import Any

from tegula.frontend import convert
from tegula.frontend.arithmetic import binary, compare
from tegula.frontend.context import Context
from tegula.frontend.convert import cast, reshape
from tegula.frontend.elementwise import select
from tegula.frontend.registry import HANDLERS, constant_axis
from tegula.frontend.shapes import iota, need_tile
from tegula.frontend.values import Tile, tensor_type
from tegula.language import dtypes as dt
from tegula.language import primitives as p
from tegula.language.dtypes import DType

_KINDS = {"sum": "add", "prod": "mul", "max": "max", "min": "min", "any": "or", "all": "and"}


def _reduction(name: str) -> Any:
    def handler(ctx: Context, node: ast.AST, tile: Any, axis: Any, keepdims: Any) -> Any:
        return _reduce(ctx, node, name, need_tile(ctx, tile, node, f"tg.{name}"), axis, keepdims)

    return handler


for _name in _KINDS:
    HANDLERS[p.PRIMITIVES[_name]] = _reduction(_name)


def _reduce(ctx: Context, node: ast.AST, name: str, tile: Tile, axis: Any, keepdims: Any) -> Tile:
    rank = len(tile.shape)
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(constant_axis(ctx, one, rank, node) for one in axes)
    if len(set(axes)) != len(axes):
        ctx.fail("front.shape.axis", f"tg.{name}: an axis occurs twice in {axis}", node)
    if not isinstance(keepdims, bool):
        ctx.fail("front.const.keepdims", "keepdims is True or False", node)
    wide = _accumulator(ctx, node, name, tile.dtype)
    value: Any = cast(ctx, tile, wide, node)
    flips = wide == dt.u64 and name in ("max", "min")
    if flips:
        value = _flip_top_bit(ctx, node, value)
    for one in sorted(axes):
        shape = (*value.shape[:one], 1, *value.shape[one + 1 :])
        target = tensor_type(shape, wide)
        ssa = ctx.emit(
            f"tile.reduce {_KINDS[name]} {value.ssa} {{axis = {one}}} : {value.type} -> {target}",
            node,
        )
        value = Tile(ssa, wide, shape)
    if flips:
        value = _flip_top_bit(ctx, node, value)
    value = cast(ctx, value, _result_dtype(name, tile.dtype), node)
    if keepdims:
        return value
    return reshape(ctx, value, tuple(n for i, n in enumerate(tile.shape) if i not in axes), node)


def _flip_top_bit(ctx: Context, node: ast.AST, value: Tile) -> Any:
    """Maps the order of u64 to that of signed integers, and back."""
    return binary(ctx, ast.BitXor(), value, 1 << 63, node)


def _extremum_index(name: str, extremum: str) -> Any:
    """``argmax``/``argmin``: the least index of an element that equals the extremum."""

    def handler(ctx: Context, node: ast.AST, tile: Any, axis: Any, keepdims: Any) -> Any:
        value = need_tile(ctx, tile, node, f"tg.{name}")
        if isinstance(axis, tuple):
            ctx.fail("front.const.axis", f"tg.{name} takes one axis or none", node)
        if value.dtype.kind == "bool":
            value = need_tile(ctx, cast(ctx, value, dt.i32, node), node, "")
        best = _reduce(ctx, node, extremum, value, axis, keepdims=True)
        hit = compare(ctx, ast.Eq(), value, best, node)
        if value.dtype.is_float:
            # The extremum is NaN as soon as one element is: then that one is meant.
            nan = compare(ctx, ast.NotEq(), value, value, node)
            hit = binary(ctx, ast.BitOr(), hit, nan, node)
        index = _positions(ctx, node, value.shape, axis)
        masked = select(ctx, hit, index, 2**31 - 1, node)
        return _reduce(ctx, node, "min", masked, axis, keepdims)

    return handler


def _positions(ctx: Context, node: ast.AST, shape: tuple[int, ...], axis: Any) -> Tile:
    """Coordinates along an axis; without one, row-major numbers of the elements."""
    rank = len(shape)
    if axis is not None:
        axes, weights = [constant_axis(ctx, axis, rank, node)], [1]
    else:
        axes = list(range(rank))
        weights = [math.prod(shape[one + 1 :]) for one in axes]
    total: Any = 0
    for one, weight in zip(axes, weights, strict=True):
        along = tuple(n if i == one else 1 for i, n in enumerate(shape))
        counted = iota(ctx, node, along, one)
        scaled = binary(ctx, ast.Mult(), counted, weight, node) if weight != 1 else counted
        total = binary(ctx, ast.Add(), total, scaled, node)
    return convert.broadcast(ctx, total, shape, dt.i32, node)


HANDLERS[p.argmax] = _extremum_index("argmax", "max")
HANDLERS[p.argmin] = _extremum_index("argmin", "min")


def _result_dtype(name: str, dtype: DType) -> DType:
    if name in ("any", "all"):
        return dt.bool_
    return dt.i32 if name in ("sum", "prod") and dtype.kind == "bool" else dtype


def _accumulator(ctx: Context, node: ast.AST, name: str, dtype: DType) -> DType:
    """Type in which a reduction runs; sums of 16-bit floats need f32."""
    logical = name in ("any", "all")
    if not dtype.has_arithmetic:
        ctx.fail(
            "front.type.reduce", f"tg.{name} takes a type with arithmetic, not {dtype.name}", node
        )
    if logical:
        return dt.bool_
    if dtype.kind == "bool":
        return dt.i32
    if dtype.is_float and dtype.bits == 16 and name in ("sum", "prod"):
        return dt.f32
    if dtype.kind == "uint" and name in ("max", "min"):
        # The op compares as signed: unsigned values need one bit more, or the top bit flipped.
        return {8: dt.i32, 16: dt.i32, 32: dt.i64}.get(dtype.bits, dtype)
    return dtype
