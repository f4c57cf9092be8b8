"""Where a workgroup is, loads and stores, loops over tiles, matrix products."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from tegula.frontend import blocked, packed, views
from tegula.frontend.arithmetic import binary, common_dtype, compare, unify
from tegula.frontend.builder import literal
from tegula.frontend.context import Context
from tegula.frontend.convert import as_scalar, cast, check_literal, constant_scalar, emit_binary
from tegula.frontend.records import check_index
from tegula.frontend.registry import constant_axis, constant_shape, handles
from tegula.frontend.shapes import need_tile
from tegula.frontend.subscript import index32
from tegula.frontend.values import (
    Scalar,
    Steps,
    Tile,
    View,
    describe,
    is_constant,
    is_number,
    shape_text,
    tensor_type,
)
from tegula.language import dtypes as dt
from tegula.language import primitives as p


class TileCounts(tuple[Any, ...]):
    """Result of ``tg.num_tiles``; as a whole grid it is launched linear."""

    view: str
    tile_shape: tuple[int, ...]


@dataclass(frozen=True)
class Unrolled:
    """``tg.unroll(range(…))``: a loop that is written out."""

    values: tuple[int, ...]


def need_view(ctx: Context, value: Any, node: ast.AST, what: str, tiles: bool = False) -> View:
    """The view that an argument is. Unless what reads it takes whole tiles, it is not packed."""
    if not isinstance(value, View):
        ctx.fail("front.type.view", f"{what} takes a view, not {describe(value)}", node)
    if not tiles:
        packed.refuse(ctx, value, what, node)
        blocked.refuse(ctx, value, what, node)
    return value


def _stored_shape(
    ctx: Context, view: View, shape: tuple[int, ...], node: ast.AST
) -> tuple[int, ...]:
    """A tile's shape as IR counts it."""
    if view.view_type.packed is None:
        return shape
    return packed.bytes_of(ctx, view, shape, node)


@handles(p.program_id)
def _program_id(ctx: Context, node: ast.AST, axis: Any) -> Scalar:
    if not is_constant(axis) or isinstance(axis, bool) or not isinstance(axis, int):
        ctx.fail("front.const.axis", f"tg.program_id takes a constant, not {describe(axis)}", node)
    if axis < 0:
        ctx.fail("front.index.axis", f"the grid has no axis {axis}", node)
    return Scalar(ctx.emit(f"tile.program_id {{axis = {axis}}} : i32", node), dt.i32)


def _tile_shape(ctx: Context, view: View, shape: Any, node: ast.AST, what: str) -> tuple[int, ...]:
    extents = constant_shape(ctx, shape, node)
    if len(extents) != view.view_type.rank:
        ctx.fail(
            "front.index.rank",
            f"{what}: shape {shape_text(extents)} has rank {len(extents)}, {view} does not",
            node,
        )
    return extents


@handles(p.tile_id)
def _tile_id(ctx: Context, node: ast.AST, view: Any, shape: Any) -> Any:
    view = need_view(ctx, view, node, "tg.tile_id", tiles=True)
    extents = _tile_shape(ctx, view, shape, node, "tg.tile_id")
    if ctx.grid_tiles is None:
        ctx.fail(
            "front.syntax.tile_id",
            "tg.tile_id needs a grid of tiles",
            node,
            help=f"write grid=lambda …: tg.num_tiles({view.origin}, …), or use tg.program_id",
        )
    if ctx.grid_tiles != (view.origin, extents):
        origin, tile_shape = ctx.grid_tiles
        ctx.fail(
            "front.shape.tile_id",
            f"tg.tile_id walks {shape_text(extents)} tiles of '{view.origin}', "
            f"the grid {shape_text(tile_shape)} tiles of '{origin}'",
            node,
            help="give tg.tile_id and tg.num_tiles the same view and shape",
        )
    return _per_axis(ctx, node, "tile.tile_id", view, extents)


def _per_axis(
    ctx: Context, node: ast.AST, op: str, view: View, shape: tuple[int, ...], at: str = ""
) -> tuple[Scalar, ...]:
    types = ", ".join(["i32"] * len(shape))
    blocked.refuse(ctx, view, "tiles in order", node)
    stored = _stored_shape(ctx, view, shape, node)
    text = f"{op} {view.ssa} [{', '.join(map(str, stored))}]{at} : {view.type} -> {types}"
    names = ctx.builder.emit(text, ctx.loc(node), len(shape))
    return tuple(Scalar(name, dt.i32) for name in names)


@handles(p.num_tiles)
def _num_tiles(ctx: Context, node: ast.AST, view: Any, shape: Any) -> TileCounts:
    view = need_view(ctx, view, node, "tg.num_tiles", tiles=True)
    extents = _tile_shape(ctx, view, shape, node, "tg.num_tiles")
    counts = TileCounts(_per_axis(ctx, node, "tile.num_tiles", view, extents))
    counts.view, counts.tile_shape = view.origin, extents
    return counts


@handles(p.persistent)
def _persistent(ctx: Context, node: ast.AST) -> Scalar:
    if not ctx.in_grid:
        ctx.fail(
            "front.syntax.persistent",
            "tg.persistent() is a grid",
            node,
            help="write @tg.kernel(grid=lambda: tg.persistent())",
        )
    ctx.grid_is_persistent = True
    return Scalar(ctx.emit("tile.resident : i32", node), dt.i32)


@dataclass(frozen=True)
class PersistentTiles:
    """``tg.persistent_tiles``: a ``for`` over the tiles that fall to this workgroup."""

    view: View
    tile_shape: tuple[int, ...]
    #: How many they are.
    steps: Steps

    def tile(self, ctx: Context, step: Scalar, node: ast.AST) -> tuple[Scalar, ...]:
        """Tile index of the step-th of them."""
        held = ctx.emit("tile.resident : i32", node)
        passed = ctx.emit(f"arith.muli {step.ssa}, {held} : i32", node)
        place = ctx.emit(f"arith.addi {passed}, {own_place(ctx, node)} : i32", node)
        return _per_axis(ctx, node, "tile.tile_id", self.view, self.tile_shape, f" at({place})")


def own_place(ctx: Context, node: ast.AST) -> str:
    """The workgroup's number in a linear grid."""
    return ctx.emit("tile.program_id {axis = 0} : i32", node)


@handles(p.persistent_tiles)
def _persistent_tiles(ctx: Context, node: ast.AST, view: Any, shape: Any) -> PersistentTiles:
    view = need_view(ctx, view, node, "tg.persistent_tiles", tiles=True)
    extents = _tile_shape(ctx, view, shape, node, "tg.persistent_tiles")
    if not ctx.grid_is_persistent:
        ctx.fail(
            "front.syntax.persistent",
            "tg.persistent_tiles needs the grid tg.persistent()",
            node,
            help="write grid=lambda: tg.persistent(), or tg.num_tiles and tg.tile_id",
        )
    counts = _per_axis(ctx, node, "tile.num_tiles", view, extents)
    total = counts[0].ssa
    for count in counts[1:]:
        total = ctx.emit(f"arith.muli {total}, {count.ssa} : i32", node)
    # The workgroup's place is below the step, so nothing here is negative.
    held = ctx.emit("tile.resident : i32", node)
    one = constant_scalar(ctx, 1, dt.i32, node).ssa
    last = ctx.emit(f"arith.subi {held}, {one} : i32", node)
    rest = ctx.emit(f"arith.subi {last}, {own_place(ctx, node)} : i32", node)
    rounded = ctx.emit(f"arith.addi {total}, {rest} : i32", node)
    mine = Scalar(ctx.emit(f"arith.divui {rounded}, {held} : i32", node), dt.i32)
    return PersistentTiles(view, extents, Steps(0, mine, 1))


@handles(p.cdiv)
def _cdiv(ctx: Context, node: ast.AST, a: Any, b: Any) -> Any:
    if is_number(a) and is_number(b):
        if isinstance(a, float) or isinstance(b, float) or b == 0:
            ctx.fail(
                "front.type.operand", "tg.cdiv takes integers and a divisor that is not 0", node
            )
        return -(-a // b)
    for value in (a, b):
        whole = isinstance(value, (Scalar, Tile)) and value.dtype.is_integer
        if not whole and not (isinstance(value, int) and not isinstance(value, bool)):
            ctx.fail("front.type.operand", f"tg.cdiv takes integers, not {describe(value)}", node)
    if ctx.in_grid or (isinstance(b, int) and b > 0):
        x, y = unify(ctx, [a, b], common_dtype(ctx, a, b, node, "tg.cdiv"), node)
        op = "arith.ceildivui" if x.dtype.kind == "uint" else "arith.ceildivsi"
        return emit_binary(ctx, op, x, y, node)
    # For every divisor, as '//' is. Not -(-a // b): the smallest integer has no negative, and
    # unsigned ones have none at all.
    down, rest = (binary(ctx, op, a, b, node) for op in (ast.FloorDiv(), ast.Mod()))
    more = compare(ctx, ast.NotEq(), rest, 0, node)
    return binary(ctx, ast.Add(), down, cast(ctx, more, down.dtype, node), node)


@handles(p.tiles)
def _tiles(ctx: Context, node: ast.AST, view: Any, axis: Any, size: Any) -> Steps:
    view = need_view(ctx, view, node, "tg.tiles", tiles=True)
    axis = constant_axis(ctx, axis, view.view_type.rank, node)
    (step,) = constant_shape(ctx, (size,), node)
    read = views.extent if view.view_type.blocked else views.stored_extent
    extent = read(ctx, view, axis, node)
    if view.view_type.packed == axis:
        step = packed.bytes_of(ctx, view, (1,) * axis + (step,), node)[axis]
    if isinstance(extent, int):
        return Steps(0, -(-extent // step), 1)
    # An extent is never negative, so the unsigned division is exact and cheaper.
    size = constant_scalar(ctx, step, dt.i32, node)
    tiles = emit_binary(ctx, "arith.ceildivui", extent, size, node)
    return Steps(0, tiles, 1)


@handles(p.unroll)
def _unroll(ctx: Context, node: ast.AST, steps: Any) -> Unrolled:
    if not isinstance(steps, Steps) or not all(
        isinstance(part, int) for part in (steps.start, steps.stop, steps.step)
    ):
        ctx.fail("front.const.unroll", "tg.unroll takes a range of constants", node)
    values = range(steps.start, steps.stop, steps.step)
    if len(values) > 64:
        ctx.fail(
            "front.syntax.unroll",
            f"tg.unroll writes a loop out at most 64 times, not {len(values)}",
            node,
            help="use a plain range",
        )
    return Unrolled(tuple(values))


@handles(p.load)
def _load(ctx: Context, node: ast.AST, view: Any, index: Any, shape: Any, pad: Any) -> Tile:
    view = need_view(ctx, view, node, "tg.load", tiles=True)
    extents = constant_shape(ctx, shape, node)
    padding = pad_text(ctx, pad, view.dtype, node)
    if view.view_type.blocked:
        at = _matrix_indices(ctx, view, index, extents, node, "tg.load")
        return blocked.load(ctx, view, at, extents, _code(pad), node)
    indices = _indices(ctx, index, node, "tg.load")
    pairs, dtype = view.view_type.packed, view.dtype
    if pairs is not None and pairs < len(extents):
        padding, dtype = packed.pad_text(0 if pad is None else pad), dt.i8
    stored = _stored_shape(ctx, view, extents, node)
    result = tensor_type(stored, dtype)
    ssa = ctx.emit(
        f"tile.load {view.ssa}[{indices}] pad({padding}) : {view.type} -> {result}", node
    )
    tile = Tile(ssa, dtype, stored)
    return tile if dtype == view.dtype else packed.unpack(ctx, tile, extents, pairs or 0, node)


def _code(pad: float | None) -> int:
    """The byte of a scale."""
    return int(np.array(1.0 if pad is None else pad, dt.e8m0.numpy).view(np.uint8))


def _matrix_indices(
    ctx: Context, view: View, index: Any, shape: tuple[int, ...], node: ast.AST, what: str
) -> list[str]:
    """Tile indices into a matrix or several, checked here because IR has five of them."""
    indices = _indices(ctx, index, node, what).split(", ")
    if not len(indices) == len(shape) == view.view_type.rank:
        ctx.fail(
            "front.index.rank",
            f"{what}: {len(indices)} indices and a {shape_text(shape)} tile for {view}",
            node,
        )
    return indices


def pad_text(ctx: Context, pad: Any, dtype: dt.DType, node: ast.AST) -> str:
    """The pad as the ops read it: words where an attribute has bit patterns. None is 0 (or 2^0)."""
    if pad is None:
        pad = 1.0 if dtype == dt.e8m0 else 0
    if not is_number(pad):
        ctx.fail("front.const.pad", f"pad is a number, not {describe(pad)}", node)
    check_literal(ctx, pad, dtype, node)
    if dtype.kind == "bool":
        return str(int(pad))
    special = {p.inf: "inf", -p.inf: "-inf"}.get(pad, "nan" if pad != pad else None)
    return special or literal(pad, dtype)


def _indices(ctx: Context, index: Any, node: ast.AST, what: str) -> str:
    if not isinstance(index, tuple):
        ctx.fail(
            "front.index.tuple",
            f"{what} takes one tile index an axis as a tuple, not {describe(index)}",
            node,
            help="write (i,) for one axis",
        )
    return ", ".join(index32(ctx, part, node) for part in index)


@handles(p.scalar)
def _scalar(ctx: Context, node: ast.AST, view: Any, index: tuple[Any, ...]) -> Scalar:
    view = need_view(ctx, view, node, "tg.scalar")
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    index = tuple(as_scalar(ctx, part, node) for part in index)
    inside = [_element_index(ctx, view, axis, part, node) for axis, part in enumerate(index)]
    ssa = ctx.emit(
        f"tile.scalar {view.ssa}[{', '.join(inside)}] : {view.type} -> {view.dtype.mlir}", node
    )
    return Scalar(ssa, view.dtype)


def _element_index(ctx: Context, view: View, axis: int, index: Any, node: ast.AST) -> str:
    """An element index; of a constant it is known here whether it is inside."""
    extent = view.view_type.shape[axis] if axis < view.view_type.rank else None
    if isinstance(index, int) and (index < 0 or (extent is not None and index >= extent)):
        ctx.fail("front.index.bound", f"element {index} of axis {axis} of {view}", node)
    name = index32(ctx, index, node)
    if axis < view.view_type.rank:
        check_index(ctx, "element", view, axis, index, node)
    return name


@handles(p.valid)
def _valid(ctx: Context, node: ast.AST, view: Any, index: Any, shape: Any) -> Tile:
    view = need_view(ctx, view, node, "tg.valid", tiles=True)
    extents = constant_shape(ctx, shape, node)
    blocked.refuse(ctx, view, "tg.valid", node)
    indices = _indices(ctx, index, node, "tg.valid")
    stored = _stored_shape(ctx, view, extents, node)
    result = tensor_type(stored, dt.bool_)
    ssa = ctx.emit(f"tile.valid {view.ssa}[{indices}] : {view.type} -> {result}", node)
    tile, pairs = Tile(ssa, dt.bool_, stored), view.view_type.packed
    return tile if stored == extents else packed.twice(ctx, tile, extents, pairs or 0, node)


@handles(p.store)
def _store(ctx: Context, node: ast.AST, view: Any, index: Any, tile: Any) -> None:
    view = need_view(ctx, view, node, "tg.store", tiles=True)
    tile = need_tile(ctx, tile, node, "tg.store")
    indices = _indices(ctx, index, node, "tg.store")
    alike = "i8" if view.view_type.packed is not None else view.dtype.mlir
    if tile.dtype != view.dtype and tile.dtype.mlir == alike:
        ctx.fail(
            "tile.store.c4",
            f"a tile of {tile.dtype.name} is stored to {view} of {view.dtype.name}",
            node,
            help=f"write .to({view.origin}.dtype)",
        )
    if view.view_type.blocked and tile.dtype == view.dtype:
        at = _matrix_indices(ctx, view, index, tile.shape, node, "tg.store")
        return blocked.store(ctx, view, at, tile, node)
    pairs = view.view_type.packed
    if pairs is not None and pairs < len(tile.shape) and tile.dtype == view.dtype:
        _stored_shape(ctx, view, tile.shape, node)
        tile = packed.pack(ctx, tile, pairs, node)
    text = f"tile.store {tile.ssa}, {view.ssa}[{indices}] : {tile.type}, {view.type}"
    ctx.builder.emit(text, ctx.loc(node), 0)


@handles(p.mma)
def _mma(ctx: Context, node: ast.AST, a: Any, b: Any, acc: Any) -> Tile:
    a, b, acc = (need_tile(ctx, value, node, "tg.mma") for value in (a, b, acc))
    text = f"tile.mma {a.ssa}, {b.ssa}, {acc.ssa} : {a.type}, {b.type}, {acc.type}"
    return Tile(ctx.emit(text, node), acc.dtype, acc.shape)
