"""Arrays that hold two elements of four bits a byte: views of bytes in IR.

The pairs lie along one axis; the first of a pair is the low half of its byte. Extents, strides and
tiles count elements for the user and bytes in IR.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from tegula.frontend.context import Context
from tegula.frontend.convert import constant_scalar, reshape
from tegula.frontend.values import Scalar, Tile, View, shape_text, tensor_type
from tegula.language import dtypes as dt


def bytes_of(ctx: Context, view: View, shape: tuple[int, ...], node: ast.AST) -> tuple[int, ...]:
    """The shape in bytes of a tile of a packed view."""
    axis = view.view_type.packed
    assert axis is not None
    if axis < len(shape) and shape[axis] % 2:
        ctx.fail(
            "front.shape.pair",
            f"a {shape_text(shape)} tile of {view}, which holds pairs along axis {axis}",
            node,
            help="give the tile an even extent there",
        )
    return tuple(n // 2 if d == axis else n for d, n in enumerate(shape))


def doubled(ctx: Context, value: int | Scalar, node: ast.AST) -> int | Scalar:
    """Elements from bytes."""
    if isinstance(value, int):
        return 2 * value
    two = constant_scalar(ctx, 2, value.dtype, node)
    ssa = ctx.emit(f"arith.muli {value.ssa}, {two.ssa} : {value.type}", node)
    return Scalar(ssa, value.dtype)


def halved(ctx: Context, view: View, axis: int, bound: Any, node: ast.AST) -> Any:
    """The bound of a slice in bytes; it must be even."""
    if isinstance(bound, int):
        if bound % 2:
            ctx.fail(
                "front.index.pair",
                f"the bound {bound} splits a pair of {view} along axis {axis}",
                node,
            )
        return bound // 2
    if not isinstance(bound, Scalar) or bound.dtype != dt.i32:
        return bound  # whoever reads it complains
    one = constant_scalar(ctx, 1, dt.i32, node)
    return Scalar(ctx.emit(f"arith.shrsi {bound.ssa}, {one.ssa} : i32", node), dt.i32)


def refuse(ctx: Context, view: View, what: str, node: ast.AST) -> None:
    """What reads single elements cannot read halves of bytes."""
    if view.view_type.packed is not None:
        ctx.fail(
            "front.index.pair",
            f"{what} of {view}: two of its elements share a byte",
            node,
            help="read a tile with tg.load, or pass an array with a byte for each element",
        )


def _in_pairs(shape: tuple[int, ...], axis: int, pair: int) -> tuple[int, ...]:
    """(what is before, pairs, elements of a pair, what is behind), without an empty last axis."""
    behind = shape[axis + 1 :]
    split = (math.prod(shape[:axis]), shape[axis] // 2, pair)
    return (*split, math.prod(behind)) if behind else split


def unpack(ctx: Context, tile: Tile, shape: tuple[int, ...], axis: int, node: ast.AST) -> Tile:
    """Bytes as elements, in the shape of the latter."""
    source = reshape(ctx, tile, _in_pairs(shape, axis, 1), node)
    pairs = _in_pairs(shape, axis, 2)
    target = tensor_type(pairs, dt.f4e2m1)
    ssa = ctx.emit(f"tile.unpack {source.ssa} {{axis = 2}} : {source.type} -> {target}", node)
    return reshape(ctx, Tile(ssa, dt.f4e2m1, pairs), shape, node)


def pack(ctx: Context, tile: Tile, axis: int, node: ast.AST) -> Tile:
    """Elements as bytes."""
    shape = tuple(n // 2 if d == axis else n for d, n in enumerate(tile.shape))
    source = reshape(ctx, tile, _in_pairs(tile.shape, axis, 2), node)
    bytes_ = _in_pairs(tile.shape, axis, 1)
    target = tensor_type(bytes_, dt.i8)
    ssa = ctx.emit(f"tile.pack {source.ssa} {{axis = 2}} : {source.type} -> {target}", node)
    return reshape(ctx, Tile(ssa, dt.i8, bytes_), shape, node)


def twice(ctx: Context, tile: Tile, shape: tuple[int, ...], axis: int, node: ast.AST) -> Tile:
    """Each element along the axis twice, for both of a pair."""
    source = reshape(ctx, tile, _in_pairs(shape, axis, 1), node)
    pairs = _in_pairs(shape, axis, 2)
    target = tensor_type(pairs, tile.dtype)
    ssa = ctx.emit(f"tile.broadcast {source.ssa} : {source.type} to {target}", node)
    return reshape(ctx, Tile(ssa, tile.dtype, pairs), shape, node)


def pad_text(pad: float) -> str:
    """The byte whose halves are the code of the pad."""
    code = int(np.array(pad, dt.f4e2m1.numpy).view(np.uint8))
    return str(np.array(code | code << 4, np.uint8).view(np.int8))
