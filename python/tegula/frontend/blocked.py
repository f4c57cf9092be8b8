"""Scales in tiles: matrices to the user, views of (R/rows, 4, rows/4, C/4, 4) in IR.

Several matrices (E, R, C) are one such view, in which the blocks of rows run on.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from tegula.frontend import convert, digits, grouped
from tegula.frontend.arithmetic import binary
from tegula.frontend.context import Context
from tegula.frontend.convert import constant_scalar, reshape
from tegula.frontend.registry import HANDLERS, constant_axis, handles
from tegula.frontend.values import Part, Scalar, Tile, View, ViewType, describe, tensor_type
from tegula.language import dtypes as dt
from tegula.language import primitives as p
from tegula.language.scales import COLUMNS


def refuse(ctx: Context, view: View, what: str, node: ast.AST) -> None:
    """What a matrix in blocks cannot do."""
    if view.view_type.blocked is not None:
        ctx.fail(
            "front.index.blocked",
            f"{what} of {view}, whose scales are stored in blocks",
            node,
            help="read tiles with tg.load, or pass scales that are stored plainly",
        )


def extent(ctx: Context, view: View, axis: int, node: ast.AST) -> int | Scalar:
    """Rows or columns of scales: that of another argument with the extent's name."""
    known = view.view_type.shape[axis]
    if view.part is not None and view.view_type.blocked is not None:
        return view.part.extents[view.view_type.blocked.upright(axis)]
    if known is not None:
        return known
    name = view.view_type.names[axis]
    plain, _, divisor = name.partition("/")
    found = ctx.extents.get(name) or ctx.extents.get(plain)
    if found is None:
        ctx.fail(
            "front.index.blocked",
            f"no other array has the extent {name or axis} of {view}",
            node,
            help="name its extents after those of an array that is stored plainly",
        )
    ssa = ctx.emit(f"tile.dim {found[0]} {{d = {found[2]}}} : {found[1]} -> i32", node)
    if name in ctx.extents or not divisor:
        return Scalar(ssa, dt.i32)
    by = constant_scalar(ctx, int(divisor), dt.i32, node)
    return Scalar(ctx.emit(f"arith.divui {ssa}, {by.ssa} : i32", node), dt.i32)


def _place(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], node: ast.AST
) -> tuple[str, tuple[int, ...]]:
    """Tile indices into the blocks, and the tile's shape there."""
    found: list[str] = []
    extents: list[int] = []
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        sizes, places = digits.digits(ctx, view, size, axis, node)
        extents += sizes
        found += [digits.digit(ctx, index, place, node) for place in places]
    return ", ".join(found), tuple(extents)


def inside(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], node: ast.AST
) -> Tile | None:
    """Which elements of a tile are scales; None when all are."""
    both: Any = None
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        count = extent(ctx, view, axis, node)
        if isinstance(count, int) and count % size == 0:
            continue
        flat = tuple(size if d == axis else 1 for d in range(2))
        target = tensor_type(flat, dt.i32)
        own = Tile(ctx.emit(f"tile.iota {{axis = {axis}}} : {target}", node), dt.i32, flat)
        step = constant_scalar(ctx, size, dt.i32, node)
        first = Scalar(ctx.emit(f"arith.muli {index}, {step.ssa} : i32", node), dt.i32)
        start = convert.broadcast(ctx, first, flat, dt.i32, node)
        place = convert.emit_binary(ctx, "arith.addi", own, start, node)
        end = convert.broadcast(ctx, count, flat, dt.i32, node)
        ssa = ctx.emit(f"arith.cmpi ult, {place.ssa}, {end.ssa} : {place.type}", node)
        part = convert.broadcast(ctx, Tile(ssa, dt.bool_, flat), shape, dt.bool_, node)
        both = part if both is None else convert.emit_binary(ctx, "arith.andi", both, part, node)
    return both


def _select(ctx: Context, keep: Tile, tile: Tile, other: str, node: ast.AST) -> Tile:
    """The bytes of a tile where ``keep`` holds, else one byte."""
    as_bytes = Tile("", dt.i8, tile.shape)
    bits = ctx.emit(f"tile.bitcast {tile.ssa} : {tile.type} to {as_bytes.type}", node)
    fill = ctx.builder.constant(other, as_bytes.type, ctx.loc(node))
    chosen = ctx.emit(
        f"arith.select {keep.ssa}, {bits}, {fill} : {keep.type}, {as_bytes.type}", node
    )
    ssa = ctx.emit(f"tile.bitcast {chosen} : {as_bytes.type} to {tile.type}", node)
    return Tile(ssa, tile.dtype, tile.shape)


def matrix(ctx: Context, view: View, index: str, node: ast.AST) -> View:
    """One of several matrices, by the SSA name of its number."""
    old = view.view_type
    size = digits.layout_of(view).rows
    rows = extent(ctx, view, 2 if _is_transposed(view) else 1, node)
    if isinstance(rows, int):
        blocks = constant_scalar(ctx, -(-rows // size), dt.i32, node)
    else:
        whole, most = (constant_scalar(ctx, n, dt.i32, node).ssa for n in (size, size - 1))
        raised = ctx.emit(f"arith.addi {rows.ssa}, {most} : i32", node)
        blocks = Scalar(ctx.emit(f"arith.divui {raised}, {whole} : i32", node), dt.i32)
    first = ctx.emit(f"arith.muli {index}, {blocks.ssa} : i32", node)
    end = ctx.emit(f"arith.addi {first}, {blocks.ssa} : i32", node)
    new = replace(old, shape=old.shape[1:], names=old.names[1:], strides=old.strides[1:])
    ranges = f"{first}:{end}, :, :, :, :"
    ssa = ctx.emit(f"tile.slice {view.ssa}[{ranges}] : {view.type} -> {new}", node)
    return View(ssa, new, view.origin)


def _one_of(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], node: ast.AST
) -> tuple[View, list[str], tuple[int, ...]]:
    """Where a tile of several matrices lies in one of them."""
    kind = view.view_type.blocked
    if kind is not None and kind.grouped is not None and view.part is None:
        ctx.fail(
            "front.index.blocked",
            f"a tile of {view}, whose scales are stored group by group",
            node,
            help="take one of the groups with tg.group_view",
        )
    if len(shape) == 2:
        return view, indices, shape
    if shape[0] != 1:
        ctx.fail(
            "front.shape.blocked",
            f"a tile of {shape[0]} along axis 0 of {view}",
            node,
            help="a tile lies in one matrix: give it the extent 1 there",
        )
    return matrix(ctx, view, indices[0], node), indices[1:], shape[1:]


def load(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], pad: int, node: ast.AST
) -> Tile:
    """A tile; what is no scale is the byte ``pad``."""
    whole = shape
    view, indices, shape = _one_of(ctx, view, indices, shape, node)
    tile = _load(ctx, view, indices, shape, pad, node)
    return reshape(ctx, tile, whole, node) if len(whole) == 3 else tile


def _load(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], pad: int, node: ast.AST
) -> Tile:
    swapped, view, shape, indices = _upright(view, shape, indices)
    if view.part is not None:
        tile = grouped.load(ctx, view, indices, shape, node)
    else:
        places, extents = _place(ctx, view, indices, shape, node)
        result = tensor_type(extents, dt.e8m0)
        text = f"tile.load {view.ssa}[{places}] pad(1.0) : {view.type} -> {result}"
        tile = reshape(ctx, Tile(ctx.emit(text, node), dt.e8m0, extents), shape, node)
    keep = inside(ctx, view, indices, shape, node)
    if keep is not None:
        tile = _select(ctx, keep, tile, str(pad - 256 if pad > 127 else pad), node)
    return _turned(ctx, tile, node) if swapped else tile


def store(ctx: Context, view: View, indices: list[str], tile: Tile, node: ast.AST) -> None:
    """Writes a tile; where there are no scales, zeros."""
    view, indices, shape = _one_of(ctx, view, indices, tile.shape, node)
    tile = reshape(ctx, tile, shape, node) if len(tile.shape) == 3 else tile
    swapped, view, shape, indices = _upright(view, tile.shape, indices)
    if swapped:
        tile = _turned(ctx, tile, node)
    keep = inside(ctx, view, indices, shape, node)
    if keep is not None:
        tile = _select(ctx, keep, tile, "0", node)
    if view.part is not None:
        return grouped.store(ctx, view, indices, tile, node)
    places, extents = _place(ctx, view, indices, shape, node)
    tile = reshape(ctx, tile, extents, node)
    text = f"tile.store {tile.ssa}, {view.ssa}[{places}] : {tile.type}, {view.type}"
    ctx.builder.emit(text, ctx.loc(node), 0)


def transposed(kind: ViewType) -> ViewType:
    """The type of ``view.T``: the same memory, read the other way round."""
    assert kind.blocked is not None
    swapped = replace(kind.blocked, transposed=not kind.blocked.transposed)
    return replace(kind, shape=kind.shape[::-1], names=kind.names[::-1], blocked=swapped)


def _is_transposed(view: View) -> bool:
    return view.view_type.blocked is not None and view.view_type.blocked.transposed


def _upright(
    view: View, shape: tuple[int, ...], indices: list[str]
) -> tuple[bool, View, tuple[int, ...], list[str]]:
    """Whether the view is transposed, and all as rows and columns of the blocks."""
    if not _is_transposed(view):
        return False, view, shape, indices
    return True, replace(view, view_type=transposed(view.view_type)), shape[::-1], indices[::-1]


def _turned(ctx: Context, tile: Tile, node: ast.AST) -> Tile:
    target = tensor_type(tile.shape[::-1], tile.dtype)
    ssa = ctx.emit(f"tile.transpose {tile.ssa} {{perm = [1, 0]}} : {tile.type} -> {target}", node)
    return Tile(ssa, tile.dtype, tile.shape[::-1])


# --- Groups ----------------------------------------------------------------------------------


@handles(p.group_tile)
def _group_tile(ctx: Context, node: ast.AST, view: Any, axis: Any) -> int:
    if not isinstance(view, View):
        ctx.fail("front.type.view", f"tg.group_view takes a view, not {describe(view)}", node)
    axis = constant_axis(ctx, axis, min(view.view_type.rank, 2), node)
    stored = view.view_type.blocked
    if stored is None:
        return 0
    upright = stored.upright(axis)
    if stored.grouped != upright or view.part is not None:
        ctx.fail(
            "front.index.blocked",
            f"a group along axis {axis} of {view}, whose scales are not stored by such groups",
            node,
            help=f"pass tg.Scales(…, groups=…, axis={upright})",
        )
    return COLUMNS if upright else stored.layout.rows


@handles(p.group_matrix)
def _group_matrix(
    ctx: Context, node: ast.AST, view: View, lo: Any, hi: Any, before: Any, axis: int
) -> View:
    kind, stored = view.view_type, view.view_type.blocked
    assert stored is not None
    size, other = binary(ctx, ast.Sub(), hi, lo, node), extent(ctx, view, 1 - axis, node)
    rows, columns = (other, size) if stored.grouped else (size, other)
    down, across = (
        HANDLERS[p.cdiv](ctx, node, *e) for e in ((rows, stored.layout.rows), (columns, COLUMNS))
    )
    first = binary(ctx, ast.Mult(), before, down if stored.grouped else across, node)
    shape = tuple(None if d == axis else n for d, n in enumerate(kind.shape))
    part = Part(first, down, across, (rows, columns))
    return replace(view, view_type=replace(kind, shape=shape), part=part)
