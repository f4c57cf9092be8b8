"""Making tiles and changing their shape."""

from __future__ import annotations

import ast
from typing import Any

from tegula.frontend import convert
from tegula.frontend.context import Context
from tegula.frontend.convert import broadcast, cast, reshape
from tegula.frontend.registry import constant_axis, constant_shape, handles
from tegula.frontend.values import Scalar, Tile, describe, is_number, shape_text, tensor_type
from tegula.language import dtypes as dt
from tegula.language import primitives as p
from tegula.language.dtypes import DType


def need_dtype(ctx: Context, dtype: Any, node: ast.AST) -> DType:
    if not isinstance(dtype, DType):
        ctx.fail(
            "front.type.dtype",
            f"an element type is needed here, not {describe(dtype)}",
            node,
            help="write tg.f32, tg.bf16 … or .dtype of a view",
        )
    return dtype


def need_tile(ctx: Context, value: Any, node: ast.AST, what: str) -> Tile:
    if not isinstance(value, Tile):
        ctx.fail("front.type.operand", f"{what} takes a tile, not {describe(value)}", node)
    return value


@handles(p.zeros)
def _zeros(ctx: Context, node: ast.AST, shape: Any, dtype: Any) -> Tile:
    return _full(ctx, node, shape, 0, dtype)


@handles(p.full)
def _full(ctx: Context, node: ast.AST, shape: Any, value: Any, dtype: Any) -> Tile:
    extents = constant_shape(ctx, shape, node)
    dtype = need_dtype(ctx, dtype, node)
    value = convert.as_scalar(ctx, value, node)
    if not (is_number(value) or isinstance(value, Scalar)):
        ctx.fail("front.type.operand", f"tg.full takes a number, not {describe(value)}", node)
    return broadcast(ctx, value, extents, dtype, node)


@handles(p.iota)
def iota(ctx: Context, node: ast.AST, shape: Any, axis: Any) -> Tile:
    extents = constant_shape(ctx, shape, node)
    axis = constant_axis(ctx, axis, len(extents), node)
    ssa = ctx.emit(f"tile.iota {{axis = {axis}}} : {tensor_type(extents, dt.i32)}", node)
    return Tile(ssa, dt.i32, extents)


@handles(p.broadcast_to)
def _broadcast_to(ctx: Context, node: ast.AST, tile: Any, shape: Any) -> Tile:
    extents = constant_shape(ctx, shape, node)
    value = convert.run_time(ctx, tile, node)
    if isinstance(value, Tile):
        if convert.broadcast_shape(ctx, [value.shape, extents], node) != extents:
            ctx.fail(
                "front.shape.broadcast",
                f"{shape_text(value.shape)} does not broadcast to {shape_text(extents)}",
                node,
            )
    return broadcast(ctx, value, extents, value.dtype, node)


@handles(p.permute)
def _permute(ctx: Context, node: ast.AST, tile: Any, axes: Any) -> Tile:
    tile = need_tile(ctx, tile, node, "tg.permute")
    rank = len(tile.shape)
    if not isinstance(axes, tuple) or len(axes) != rank:
        ctx.fail("front.shape.permute", f"tg.permute of {tile} takes {rank} axes", node)
    perm = tuple(constant_axis(ctx, axis, rank, node) for axis in axes)
    if len(set(perm)) != rank:
        ctx.fail("front.shape.permute", f"tg.permute: an axis occurs twice in {axes}", node)
    return transpose(ctx, tile, perm, node)


def transpose(ctx: Context, tile: Tile, perm: tuple[int, ...], node: ast.AST) -> Tile:
    """Dimension i of the result is dimension ``perm[i]`` of the tile."""
    shape = tuple(tile.shape[axis] for axis in perm)
    text = ", ".join(map(str, perm))
    target = tensor_type(shape, tile.dtype)
    ssa = ctx.emit(f"tile.transpose {tile.ssa} {{perm = [{text}]}} : {tile.type} -> {target}", node)
    return Tile(ssa, tile.dtype, shape)


@handles(p.bitcast)
def _bitcast(ctx: Context, node: ast.AST, tile: Any, dtype: Any) -> Any:
    value = convert.run_time(ctx, tile, node)
    dtype = need_dtype(ctx, dtype, node)
    if dtype.mlir == value.dtype.mlir:
        return convert.with_type(value, value.ssa, dtype)
    result = convert.with_type(value, "", dtype)
    ssa = ctx.emit(f"tile.bitcast {value.ssa} : {value.type} to {result.type}", node)
    return convert.with_type(value, ssa, dtype)


def method_to(
    ctx: Context,
    node: ast.AST,
    owner: Any,
    dtype: Any,
    rounding: Any = "rne",
    seed: Any = None,
    saturate: Any = None,
) -> Any:
    """``tile.to(dtype, rounding="rne", seed=…, saturate=…)``."""
    dtype = need_dtype(ctx, dtype, node)
    if rounding not in dt.ROUNDINGS:
        known = "'rne', 'rtz' or 'stochastic'"
        ctx.fail("front.type.rounding", f"no rounding {rounding!r}", node, help=known)
    if not (saturate is None or isinstance(saturate, bool)):
        ctx.fail("front.const.saturate", "saturate is True or False", node)
    if seed is not None:
        seed = convert.run_time(ctx, seed, node, "seed")
        if isinstance(seed, Tile) or not seed.dtype.is_integer:
            ctx.fail("front.type.operand", f"seed is {describe(seed)}, not an i32 scalar", node)
        seed = cast(ctx, seed, dt.i32, node)
    return cast(ctx, owner, dtype, node, rounding, saturate, seed)


def method_reshape(ctx: Context, node: ast.AST, owner: Tile, shape: tuple[Any, ...]) -> Tile:
    """``tile.reshape(2, 3)`` or ``tile.reshape((2, 3))``."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    return reshape(ctx, owner, constant_shape(ctx, shape, node), node)
