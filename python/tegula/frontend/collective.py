"""Scans, reductions by a function, histograms; taking, joining and splitting tiles."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tegula.frontend import convert
from tegula.frontend.arithmetic import binary
from tegula.frontend.context import Context
from tegula.frontend.convert import broadcast, cast, reshape
from tegula.frontend.records import check_take
from tegula.frontend.registry import constant_axis, constant_shape, handles
from tegula.frontend.shapes import need_tile
from tegula.frontend.values import Scalar, Tile, describe, is_number, shape_text, tensor_type
from tegula.language import collective as p
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


def _need_arithmetic(ctx: Context, tile: Tile, node: ast.AST, what: str) -> None:
    if not tile.dtype.has_arithmetic:
        ctx.fail(
            "front.type.reduce",
            f"{what} takes a type with arithmetic, not {tile.dtype.name}",
            node,
        )


def _given(ctx: Context, fn: Any, node: ast.AST, what: str) -> Callable[[Any, Any], Any]:
    """The function that a call was given, of two values."""
    from tegula.frontend.calls import apply

    return lambda a, b: apply(ctx, fn, [a, b], node, what)


def _combining(
    ctx: Context, head: str, dtype: DType, fn: Callable[[Any, Any], Any], node: ast.AST, what: str
) -> str:
    """Emit an op whose body is ``fn`` of two elements; returns its result's name."""
    builder = ctx.builder
    first, second = builder.fresh(), builder.fresh()
    with builder.region() as lines:
        lines.append(builder.inner(f"^bb0({first}: {dtype.mlir}, {second}: {dtype.mlir}):"))
        found = fn(Scalar(first, dtype), Scalar(second, dtype))
        if is_number(found):
            found = convert.constant_scalar(ctx, found, dtype, node)
        if not isinstance(found, Scalar) or found.dtype != dtype:
            ctx.fail(
                "front.type.combine",
                f"{what}: the function of two {dtype.name} gives {describe(found)}",
                node,
                help=f"it has to give one {dtype.name}",
            )
        builder.emit(f"tile.yield {found.ssa} : {dtype.mlir}", ctx.loc(node), 0)
    return builder.emit_regions(head, [("", lines)], ctx.loc(node), 1)[0]


@handles(p.scan)
def _scan(ctx: Context, node: ast.AST, tile: Any, fn: Any, axis: Any) -> Tile:
    tile = need_tile(ctx, tile, node, "tg.scan")
    _need_arithmetic(ctx, tile, node, "tg.scan")
    return _scanned(ctx, tile, _given(ctx, fn, node, "tg.scan"), axis, node, "tg.scan")


def _scanned(
    ctx: Context, tile: Tile, fn: Callable[[Any, Any], Any], axis: Any, node: ast.AST, what: str
) -> Tile:
    axis = constant_axis(ctx, axis, len(tile.shape), node)
    head = f"tile.scan {tile.ssa} {{axis = {axis}}} : {tile.type}"
    return Tile(_combining(ctx, head, tile.dtype, fn, node, what), tile.dtype, tile.shape)


@handles(p.cumsum)
def _cumsum(ctx: Context, node: ast.AST, tile: Any, axis: Any) -> Any:
    tile = need_tile(ctx, tile, node, "tg.cumsum")
    _need_arithmetic(ctx, tile, node, "tg.cumsum")
    narrow = tile.dtype.is_float and tile.dtype.bits == 16
    wide = dt.f32 if narrow else dt.i32 if tile.dtype.kind == "bool" else tile.dtype
    value = need_tile(ctx, cast(ctx, tile, wide, node), node, "tg.cumsum")

    def add(a: Scalar, b: Scalar) -> Any:
        return binary(ctx, ast.Add(), a, b, node)

    total = _scanned(ctx, value, add, axis, node, "tg.cumsum")
    return cast(ctx, total, tile.dtype, node) if narrow else total


@handles(p.reduce)
def _reduce(
    ctx: Context, node: ast.AST, tile: Any, fn: Any, init: Any, axis: Any, keepdims: Any
) -> Any:
    tile = need_tile(ctx, tile, node, "tg.reduce")
    _need_arithmetic(ctx, tile, node, "tg.reduce")
    rank = len(tile.shape)
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(sorted({constant_axis(ctx, one, rank, node) for one in axes}))
    if not isinstance(keepdims, bool):
        ctx.fail("front.const.keepdims", "keepdims is True or False", node)
    init = convert.as_scalar(ctx, init, node)
    if is_number(init):
        init = convert.constant_scalar(ctx, init, tile.dtype, node)
    if not isinstance(init, Scalar) or init.dtype != tile.dtype:
        ctx.fail(
            "front.type.operand",
            f"init is a {tile.dtype.name} as the tile's elements are, not {describe(init)}",
            node,
        )
    combine = _given(ctx, fn, node, "tg.reduce")
    value = tile
    for one in axes:
        shape = (*value.shape[:one], 1, *value.shape[one + 1 :])
        types = f"{value.type} -> {tensor_type(shape, tile.dtype)}"
        head = f"tile.reduce_region {value.ssa} {{axis = {one}}} : {types}"
        ssa = _combining(ctx, head, tile.dtype, combine, node, "tg.reduce")
        value = Tile(ssa, tile.dtype, shape)
    start = broadcast(ctx, init, value.shape, tile.dtype, node)
    value = combine(start, value)
    if keepdims:
        return value
    return reshape(ctx, value, tuple(n for i, n in enumerate(tile.shape) if i not in axes), node)


@handles(p.histogram)
def _histogram(ctx: Context, node: ast.AST, digits: Any, bins: Any, where: Any) -> Tile:
    digits = need_tile(ctx, digits, node, "tg.histogram")
    (count,) = constant_shape(ctx, (bins,), node)
    if not digits.dtype.is_integer:
        ctx.fail(
            "tile.histogram.c1", f"tg.histogram counts integers, not {digits.dtype.name}", node
        )
    kept = _in_bins(ctx, digits, count, node) if digits.dtype.bits > 32 else None
    if where is not None:
        if not (isinstance(where, Tile) and where.dtype == dt.bool_):
            ctx.fail("tile.histogram.c3", f"where is a tile of bool, not {describe(where)}", node)
        convert.broadcast_shape(ctx, [where.shape, digits.shape], node)
        where = broadcast(ctx, where, digits.shape, dt.bool_, node)
        kept = where if kept is None else convert.emit_binary(ctx, "arith.andi", kept, where, node)
    number = cast(ctx, digits, dt.i32, node)
    mask, types = "", number.type
    if kept is not None:
        mask, types = f" where {kept.ssa}", f"{number.type}, {kept.type}"
    target = tensor_type((count,), dt.i32)
    text = f"tile.histogram {number.ssa} bins {count}{mask} : {types} -> {target}"
    return Tile(ctx.emit(text, node), dt.i32, (count,))


def _in_bins(ctx: Context, digits: Tile, count: int, node: ast.AST) -> Any:
    """Which 64-bit numbers are bins, before they are cut to 32 bits."""
    bound = convert.like_constant(ctx, digits, count, node)
    ssa = ctx.emit(f"arith.cmpi ult, {digits.ssa}, {bound.ssa} : {digits.type}", node)
    return Tile(ssa, dt.bool_, digits.shape)


@handles(p.take)
def _take(ctx: Context, node: ast.AST, tile: Any, indices: Any, axis: Any) -> Tile:
    tile = need_tile(ctx, tile, node, "tg.take")
    indices = need_tile(ctx, indices, node, "tg.take")
    rank = len(tile.shape)
    axis = constant_axis(ctx, axis, rank, node)
    if not indices.dtype.is_integer:
        ctx.fail("tile.take.c3", f"indices are integers, not {indices.dtype.name}", node)
    if len(indices.shape) != rank:
        ctx.fail(
            "tile.take.c2",
            f"indices of rank {len(indices.shape)} into {tile}",
            node,
            help="add axes of extent 1 with [None]",
        )
    others = [(*s[:axis], 1, *s[axis + 1 :]) for s in (tile.shape, indices.shape)]
    shape = convert.broadcast_shape(ctx, others, node)
    from_shape = (*shape[:axis], tile.shape[axis], *shape[axis + 1 :])
    to_shape = (*shape[:axis], indices.shape[axis], *shape[axis + 1 :])
    source = broadcast(ctx, tile, from_shape, tile.dtype, node)
    places = broadcast(ctx, indices, to_shape, dt.i32, node)
    check_take(ctx, indices, axis, tile.shape[axis], node)
    result = tensor_type(to_shape, tile.dtype)
    text = f"tile.take {source.ssa}, {places.ssa} {{axis = {axis}}} : "
    text += f"{source.type}, {places.type} -> {result}"
    return Tile(ctx.emit(text, node), tile.dtype, to_shape)


@handles(p.cat)
def _cat(ctx: Context, node: ast.AST, tiles: Any, axis: Any) -> Tile:
    if not isinstance(tiles, tuple) or not tiles:
        ctx.fail(
            "front.type.operand", f"tg.cat takes a tuple of tiles, not {describe(tiles)}", node
        )
    parts = [need_tile(ctx, one, node, "tg.cat") for one in tiles]
    first = parts[0]
    axis = constant_axis(ctx, axis, len(first.shape), node)
    for part in parts[1:]:
        alike = len(part.shape) == len(first.shape) and all(
            i == axis or n == m
            for i, (n, m) in enumerate(zip(part.shape, first.shape, strict=True))
        )
        if not alike:
            ctx.fail(
                "tile.concat.c1",
                f"tg.cat along axis {axis}: {shape_text(first.shape)} and {shape_text(part.shape)}",
                node,
            )
        if part.dtype != first.dtype:
            ctx.fail(
                "tile.concat.c2",
                f"tg.cat of {first.dtype.name} and {part.dtype.name}",
                node,
                help="cast one of them with .to",
            )
    extent = sum(part.shape[axis] for part in parts)
    shape = (*first.shape[:axis], extent, *first.shape[axis + 1 :])
    names, types = (", ".join(getattr(part, what) for part in parts) for what in ("ssa", "type"))
    target = tensor_type(shape, first.dtype)
    ssa = ctx.emit(f"tile.concat {names} {{axis = {axis}}} : {types} -> {target}", node)
    return Tile(ssa, first.dtype, shape)


@handles(p.split)
def _split(ctx: Context, node: ast.AST, tile: Any, sizes: Any, axis: Any) -> tuple[Tile, ...]:
    tile = need_tile(ctx, tile, node, "tg.split")
    axis = constant_axis(ctx, axis, len(tile.shape), node)
    extent = tile.shape[axis]
    parts = constant_shape(ctx, sizes, node)
    if not isinstance(sizes, (tuple, list)):
        if extent % parts[0]:
            ctx.fail("tile.extract.c1", f"an extent of {extent} in {parts[0]} equal parts", node)
        parts = (extent // parts[0],) * parts[0]
    if sum(parts) != extent:
        ctx.fail("tile.extract.c1", f"parts of {parts} of an extent of {extent}", node)
    found, begin = [], 0
    for size in parts:
        shape = (*tile.shape[:axis], size, *tile.shape[axis + 1 :])
        offsets = ", ".join(str(begin if i == axis else 0) for i in range(len(shape)))
        target = tensor_type(shape, tile.dtype)
        text = f"tile.extract {tile.ssa} {{offsets = [{offsets}]}} : {tile.type} -> {target}"
        found.append(Tile(ctx.emit(text, node), tile.dtype, shape))
        begin += size
    return tuple(found)
