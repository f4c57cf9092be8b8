"""Indexing: parts of views, elements of shapes and tuples, new axes of tiles."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tegula.frontend import arithmetic, blocked, convert, packed, views
from tegula.frontend.context import Context
from tegula.frontend.records import check_index, check_pair, check_slice
from tegula.frontend.values import (
    Extents,
    Scalar,
    Tile,
    View,
    ViewType,
    describe,
    is_constant,
    tensor_type,
)
from tegula.language import dtypes as dt

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer


def subscript(tracer: Tracer, node: ast.Subscript, owner: Any) -> Any:
    """``owner[...]`` for each kind of owner."""
    ctx = tracer.ctx
    index_node = node.slice
    parts = index_node.elts if isinstance(index_node, ast.Tuple) else [index_node]
    if isinstance(owner, View):
        return _view(tracer, owner, parts, node)
    if isinstance(owner, Tile):
        return _tile(tracer, owner, parts, node)
    index = _index(tracer, index_node)
    if isinstance(owner, Extents):
        return views.element(ctx, owner, index, node)
    if isinstance(owner, (tuple, list, str)) and is_constant(index):
        return _element(ctx, owner, index, node)
    if isinstance(owner, (tuple, list)):
        ctx.fail(
            "front.const.index",
            f"a {type(owner).__name__} is indexed by {describe(index)}",
            node,
            help="the compiler must know which element; use a constant or a 'for' over the tuple",
        )
    ctx.fail("front.type.subscript", f"{describe(owner)} has no elements", node)


def _index(tracer: Tracer, node: ast.expr) -> Any:
    if isinstance(node, ast.Slice):
        bounds = [
            None if p is None else tracer.expr(p) for p in (node.lower, node.upper, node.step)
        ]
        if is_constant(tuple(bounds)):
            return slice(*bounds)
        tracer.ctx.fail("front.const.index", "the bounds of this slice must be constants", node)
    return tracer.expr(node)


def _element(ctx: Context, owner: Any, index: Any, node: ast.AST) -> Any:
    try:
        return owner[index]
    except (IndexError, TypeError) as problem:
        ctx.fail("front.index.element", f"{problem}", node)


def _tile(tracer: Tracer, tile: Tile, parts: list[ast.expr], node: ast.AST) -> Tile:
    """Tiles take constants, slices of constants, ``:``, ``...`` and ``None``."""
    ctx = tracer.ctx
    parts = _without_ellipsis(ctx, parts, len(tile.shape), node)
    offsets, extents, shape = [0] * len(tile.shape), list(tile.shape), []
    axis = 0
    for part in parts:
        if _is_none(part):
            shape.append(1)
            continue
        if axis >= len(tile.shape):
            ctx.fail("front.index.rank", f"too many indices for {tile}", node)
        offsets[axis], extents[axis] = _part(tracer, tile, axis, part)
        if isinstance(part, ast.Slice):
            shape.append(extents[axis])
        axis += 1
    if extents != list(tile.shape):
        target = tensor_type(tuple(extents), tile.dtype)
        text = f"tile.extract {tile.ssa} {{offsets = {offsets}}} : {tile.type} -> {target}"
        tile = Tile(ctx.emit(text, node), tile.dtype, tuple(extents))
    return convert.reshape(ctx, tile, (*shape, *tile.shape[axis:]), node)


def _part(tracer: Tracer, tile: Tile, axis: int, part: ast.expr) -> tuple[int, int]:
    """Where a part of an axis begins, and its extent."""
    ctx, extent = tracer.ctx, tile.shape[axis]
    is_slice = isinstance(part, ast.Slice)
    nodes = [part.lower, part.upper, part.step] if isinstance(part, ast.Slice) else [part]
    found = [None if n is None else tracer.expr(n) for n in nodes]
    if not all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in found):
        ctx.fail(
            "front.index.tile",
            "a tile is indexed with constants, ':' and None only",
            part,
            help="load the part with tg.load, or pick elements with tg.take",
        )
    if is_slice and found[2] not in (None, 1):
        ctx.fail("front.index.step", "a slice of a tile has step 1", part)
    low = _from_end(found[0] or 0, extent)
    high = low + 1
    if is_slice:
        high = extent if found[1] is None else _from_end(found[1], extent)
    if not 0 <= low < high <= extent:
        what = f"the part {low}:{high}" if is_slice else f"index {found[0]}"
        ctx.fail("front.index.bound", f"{what} of axis {axis} of {tile}", part)
    return low, high - low


def _from_end(place: int, extent: int) -> int:
    """Python's meaning of a negative place."""
    return place + extent if place < 0 else place


def _view(tracer: Tracer, view: View, parts: list[ast.expr], node: ast.AST) -> View:
    """NumPy's basic indexing: an integer drops its axis, None adds one, a slice narrows."""
    ctx = tracer.ctx
    if view.view_type.blocked:
        return replace(_matrix(tracer, view, parts, node), origin=ast.unparse(node))
    parts = _without_ellipsis(ctx, parts, view.view_type.rank, node)
    used = sum(not _is_none(part) for part in parts)
    if used > view.view_type.rank:
        ctx.fail(
            "front.index.rank",
            f"{used} indices for {view}",
            node,
            help="tg.load reads the elements",
        )
    axis = 0
    for part in parts:
        if _is_none(part):
            view = _expand(ctx, view, axis, node)
            axis += 1
        elif isinstance(part, ast.Slice):
            view = _slice(tracer, view, axis, part)
            axis += 1
        else:
            view = _drop(ctx, view, axis, tracer.expr(part), part)
    return replace(view, origin=ast.unparse(node))


def _without_ellipsis(
    ctx: Context, parts: list[ast.expr], rank: int, node: ast.AST
) -> list[ast.expr]:
    """``...`` stands for as many ``:`` as there are axes left."""
    at = [i for i, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value is ...]
    if not at:
        return parts
    if len(at) > 1:
        ctx.fail("front.index.rank", "'...' stands at one place of an index", node)
    left = rank - sum(not _is_none(part) for part in parts) + 1
    return [*parts[: at[0]], *[ast.Slice()] * max(left, 0), *parts[at[0] + 1 :]]


def _matrix(tracer: Tracer, view: View, parts: list[ast.expr], node: ast.AST) -> View:
    """``scales[e]``: one of several matrices that are stored in blocks, the only part they have."""
    ctx = tracer.ctx
    if view.view_type.rank != 3 or len(parts) != 1 or isinstance(parts[0], ast.Slice):
        blocked.refuse(ctx, view, "a part", node)
    return blocked.matrix(ctx, view, index32(ctx, tracer.expr(parts[0]), parts[0]), node)


def _is_none(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is None


def _expand(ctx: Context, view: View, axis: int, node: ast.AST) -> View:
    if view.view_type.rank == 5:
        ctx.fail("front.index.rank", f"a sixth axis for {view}", node)
    old = view.view_type
    new = replace(
        old,
        shape=_insert(old.shape, axis, 1),
        names=_insert(old.names, axis, ""),
        strides=_insert(old.strides, axis, 0),
        packed=old.packed if old.packed is None or old.packed < axis else old.packed + 1,
    )
    ssa = ctx.emit(f"tile.expand {view.ssa} {{d = {axis}}} : {view.type} -> {new}", node)
    return View(ssa, new, view.origin)


def _insert(items: tuple[Any, ...], axis: int, item: Any) -> tuple[Any, ...]:
    return (*items[:axis], item, *items[axis:])


def _without(items: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    return (*items[:axis], *items[axis + 1 :])


def _drop(ctx: Context, view: View, axis: int, index: Any, node: ast.AST) -> View:
    """``view[i]``: one element of an axis, which goes away."""
    old = view.view_type
    if old.rank == 1:
        ctx.fail(
            "front.index.rank",
            f"an integer index into {view} leaves no axis",
            node,
            help="read it with tg.load(view, index, shape), which gives a tile",
        )
    if old.packed == axis:
        packed.refuse(ctx, view, "one element", node)
    known = old.shape[axis]
    if isinstance(index, int) and index < 0:
        index = arithmetic.binary(ctx, ast.Add(), views.extent(ctx, view, axis, node), index, node)
    if isinstance(index, int) and (index < 0 or (known is not None and index >= known)):
        ctx.fail("front.index.bound", f"index {index} into axis {axis} of {view}", node)
    index = convert.as_scalar(ctx, index, node)
    value = index32(ctx, index, node)
    check_index(ctx, "index", view, axis, index, node)
    new = replace(
        old,
        shape=_without(old.shape, axis),
        names=_without(old.names, axis),
        strides=_without(old.strides, axis),
        align=_align_after(old, axis, index if isinstance(index, int) else None),
        packed=old.packed if old.packed is None or old.packed < axis else old.packed - 1,
    )
    ssa = ctx.emit(f"tile.index {view.ssa} {{d = {axis}}} {value} : {view.type} -> {new}", node)
    return View(ssa, new, view.origin)


def _align_after(old: ViewType, axis: int, offset: int | None) -> int:
    """Alignment of the base after moving by ``offset`` elements of an axis (None: unknown)."""
    if old.strides[axis] is None or offset == 0:
        return old.align
    step = old.strides[axis] or 0
    align = old.align
    natural = max(1, int(old.dtype.itemsize))
    size = natural * step * (1 if offset is None else offset)
    while align > natural and size % align:
        align //= 2
    return max(align, 1)


def _slice(tracer: Tracer, view: View, axis: int, part: ast.Slice) -> View:
    """``view[lo:hi]``: bounds may be run-time values, the step is 1."""
    ctx = tracer.ctx
    if part.step is not None and tracer.expr(part.step) != 1:
        ctx.fail("front.index.step", "a slice of a view has step 1", part)
    if part.lower is None and part.upper is None:
        return view
    old = view.view_type
    lo = 0 if part.lower is None else tracer.expr(part.lower)
    hi = None if part.upper is None else tracer.expr(part.upper)
    lo, hi = (convert.as_scalar(ctx, bound, part) for bound in (lo, hi))
    _check_bounds(ctx, view, axis, lo, hi, part)
    check_slice(ctx, view, axis, lo, hi, part)
    if old.packed == axis:
        for bound in (lo, hi):
            check_pair(ctx, view, axis, bound, part)
        lo, hi = (packed.halved(ctx, view, axis, bound, part) for bound in (lo, hi))
    ranges = [":"] * old.rank
    ranges[axis] = f"{_bound(ctx, lo, part)}:{'' if hi is None else _bound(ctx, hi, part)}"
    known = old.shape[axis] if hi is None else hi
    static = known - lo if isinstance(known, int) and isinstance(lo, int) else None
    new = replace(
        old,
        shape=(*old.shape[:axis], static, *old.shape[axis + 1 :]),
        names=(*old.names[:axis], "", *old.names[axis + 1 :]),
        align=_align_after(old, axis, lo if isinstance(lo, int) else None),
    )
    ssa = ctx.emit(f"tile.slice {view.ssa}[{', '.join(ranges)}] : {view.type} -> {new}", part)
    return View(ssa, new, view.origin)


def _check_bounds(ctx: Context, view: View, axis: int, lo: Any, hi: Any, node: ast.AST) -> None:
    extent = view.view_type.shape[axis]
    if extent is not None and view.view_type.packed == axis:
        extent *= 2
    for bound in (lo, hi):
        if isinstance(bound, int) and (bound < 0 or (extent is not None and bound > extent)):
            ctx.fail(
                "front.index.bound",
                f"slice bound {bound} lies outside axis {axis} of {view}"
                + (f" with extent {extent}" if extent is not None else ""),
                node,
            )
    if isinstance(lo, int) and isinstance(hi, int) and hi <= lo:
        ctx.fail("front.index.bound", f"the slice {lo}:{hi} is empty", node)


def _bound(ctx: Context, bound: Any, node: ast.AST) -> str:
    return str(bound) if isinstance(bound, int) else index32(ctx, bound, node)


def index32(ctx: Context, value: Any, node: ast.AST) -> str:
    """SSA name of an i32 that addresses a view."""
    value = convert.as_scalar(ctx, value, node)
    if isinstance(value, bool) or not isinstance(value, (int, Scalar)):
        ctx.fail("front.type.index", f"an index is an i32 scalar, not {describe(value)}", node)
    if isinstance(value, int):
        return convert.constant_scalar(ctx, value, dt.i32, node).ssa
    if value.dtype != dt.i32:
        ctx.fail("front.type.index", f"an index is an i32 scalar, not {describe(value)}", node)
    return value.ssa
