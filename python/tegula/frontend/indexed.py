"""Gathers, scatters and atomic updates."""

from __future__ import annotations

import ast
from typing import Any

from tegula.frontend import convert
from tegula.frontend.context import Context
from tegula.frontend.convert import broadcast, check_literal
from tegula.frontend.memory import need_view, pad_text
from tegula.frontend.registry import HANDLERS, handles
from tegula.frontend.shapes import need_tile
from tegula.frontend.subscript import index32
from tegula.frontend.values import Scalar, Tile, View, describe, is_number, tensor_type
from tegula.language import dtypes as dt
from tegula.language import indexed as p

#: Primitive → (kind of signed integers and floats, kind of unsigned integers).
_KINDS = {
    p.atomic_add: ("add", "add"),
    p.atomic_max: ("max", "umax"),
    p.atomic_min: ("min", "umin"),
    p.atomic_and_: ("and", "and"),
    p.atomic_or_: ("or", "or"),
    p.atomic_xor: ("xor", "xor"),
    p.atomic_xchg: ("xchg", "xchg"),
}


def _tuple(ctx: Context, index: Any, node: ast.AST, what: str) -> tuple[Any, ...]:
    if not isinstance(index, tuple):
        ctx.fail(
            "front.index.tuple",
            f"{what} takes one index an axis as a tuple, not {describe(index)}",
            node,
            help="write (i,) for one axis",
        )
    return index


def _element_shape(
    ctx: Context, index: tuple[Any, ...], others: list[Any], node: ast.AST
) -> tuple[int, ...]:
    """The shape to which index tiles, and the tiles that go with them, broadcast."""
    shapes = [part.shape for part in (*index, *others) if isinstance(part, Tile)]
    return convert.broadcast_shape(ctx, shapes, node) if shapes else (1,)


def _index_tiles(
    ctx: Context, index: tuple[Any, ...], shape: tuple[int, ...], node: ast.AST, what: str
) -> list[Tile]:
    tiles = []
    for part in index:
        if isinstance(part, bool) or not isinstance(part, (int, Tile, Scalar)):
            ctx.fail("front.type.index", f"{what}: an index is {describe(part)}", node)
        dtype = dt.i32 if isinstance(part, int) else part.dtype
        if not dtype.is_integer:
            ctx.fail(
                "front.type.index",
                f"{what}: an index is {describe(part)}",
                node,
                help="indices are integers: write .to(tg.i32)",
            )
        # Narrow ones are widened; from the upper half of u64 on nothing lies inside anyway.
        wide = dt.i64 if dtype.bits == 64 or dtype == dt.u32 else dt.i32
        tiles.append(broadcast(ctx, part, shape, wide, node))
    return tiles


def _operand(
    ctx: Context, value: Any, view: View, shape: tuple[int, ...], node: ast.AST, label: str
) -> Tile:
    """The tile that goes to memory: of the view's type, in the indices' shape."""
    if is_number(value):
        check_literal(ctx, value, view.dtype, node)
    elif not isinstance(value, (Tile, Scalar)) or value.dtype != view.dtype:
        ctx.fail(
            label,
            f"{describe(value)} meets {view} of {view.dtype.name}",
            node,
            help=f"write .to({view.origin}.dtype)",
        )
    return broadcast(ctx, value, shape, view.dtype, node)


@handles(p.gather)
def _gather(ctx: Context, node: ast.AST, view: Any, index: Any, pad: Any) -> Tile:
    view = need_view(ctx, view, node, "tg.gather")
    index = _tuple(ctx, index, node, "tg.gather")
    padding = pad_text(ctx, pad, view.dtype, node)
    shape = _element_shape(ctx, index, [], node)
    tiles = _index_tiles(ctx, index, shape, node, "tg.gather")
    result = tensor_type(shape, view.dtype)
    types = ", ".join([view.type, *(tile.type for tile in tiles)])
    text = f"tile.gather {view.ssa}[{_names(tiles)}] pad({padding}) : {types} -> {result}"
    return Tile(ctx.emit(text, node), view.dtype, shape)


def _has_tile(index: tuple[Any, ...]) -> bool:
    return any(isinstance(part, Tile) for part in index)


def _names(tiles: list[Tile]) -> str:
    return ", ".join(tile.ssa for tile in tiles)


@handles(p.scatter)
def _scatter(ctx: Context, node: ast.AST, view: Any, index: Any, tile: Any, where: Any) -> None:
    view = need_view(ctx, view, node, "tg.scatter")
    index = _tuple(ctx, index, node, "tg.scatter")
    if where is not None and not (isinstance(where, Tile) and where.dtype == dt.bool_):
        ctx.fail("tile.scatter.c4", f"where is a tile of bool, not {describe(where)}", node)
    shape = _element_shape(ctx, index, [tile, where], node)
    value = _operand(ctx, tile, view, shape, node, "tile.scatter.c3")
    tiles = _index_tiles(ctx, index, shape, node, "tg.scatter")
    types = [value.type, view.type, *(part.type for part in tiles)]
    mask = ""
    if where is not None:
        kept = broadcast(ctx, where, shape, dt.bool_, node)
        mask = f" where {kept.ssa}"
        types.append(kept.type)
    text = f"tile.scatter {value.ssa}, {view.ssa}[{_names(tiles)}]{mask} : {', '.join(types)}"
    ctx.builder.emit(text, ctx.loc(node), 0)


def _word(
    ctx: Context, value: Any, what: str, legal: tuple[str, ...], label: str, node: ast.AST
) -> str:
    if not isinstance(value, str) or value not in legal:
        named = repr(value) if isinstance(value, str) else describe(value)
        ctx.fail(label, f"no {what} {named}", node, help=f"there are {', '.join(legal)}")
    return value


def _order_and_scope(ctx: Context, order: Any, scope: Any, node: ast.AST) -> str:
    first = _word(ctx, order, "order", p.ORDERS, "tile.atomic_rmw.c2", node)
    second = _word(ctx, scope, "scope", p.SCOPES, "tile.atomic_rmw.c3", node)
    return f"{first} {second}"


def _place(
    ctx: Context, index: tuple[Any, ...], values: list[Any], node: ast.AST, what: str
) -> tuple[str, tuple[int, ...], list[str]]:
    """Index operands, the shape of the tile, and types of index tiles (none of a tile index)."""
    if _has_tile(index):
        shape = _element_shape(ctx, index, values, node)
        tiles = _index_tiles(ctx, index, shape, node, what)
        return _names(tiles), shape, [tile.type for tile in tiles]
    shape = need_tile(ctx, values[0], node, what).shape
    return ", ".join(index32(ctx, part, node) for part in index), shape, []


def _update(kinds: tuple[str, str], what: str) -> Any:
    def handler(
        ctx: Context,
        node: ast.AST,
        view: Any,
        index: Any,
        tile: Any,
        order: Any,
        scope: Any,
        fetch: Any,
    ) -> Any:
        view = need_view(ctx, view, node, what)
        words = _order_and_scope(ctx, order, scope, node)
        if not isinstance(fetch, bool):
            ctx.fail("front.const.fetch", f"fetch is True or False, not {describe(fetch)}", node)
        place, shape, types = _place(ctx, _tuple(ctx, index, node, what), [tile], node, what)
        value = _operand(ctx, tile, view, shape, node, "tile.atomic_rmw.c4")
        kind = kinds[view.dtype.kind == "uint"]
        signature = ", ".join([value.type, view.type, *types])
        text = f"tile.atomic_rmw {kind} {value.ssa}, {view.ssa}[{place}] {words} : {signature}"
        if not fetch:
            ctx.builder.emit(text, ctx.loc(node), 0)
            return None
        return Tile(ctx.emit(f"{text} -> {value.type}", node), view.dtype, shape)

    return handler


for _primitive, _kinds in _KINDS.items():
    HANDLERS[_primitive] = _update(_kinds, f"tg.{_primitive.__name__}")


@handles(p.atomic_cas)
def _cas(
    ctx: Context,
    node: ast.AST,
    view: Any,
    index: Any,
    expected: Any,
    desired: Any,
    order: Any,
    scope: Any,
) -> Tile:
    what = "tg.atomic_cas"
    view = need_view(ctx, view, node, what)
    words = _order_and_scope(ctx, order, scope, node)
    index = _tuple(ctx, index, node, what)
    place, shape, types = _place(ctx, index, [desired, expected], node, what)
    old, new = (
        _operand(ctx, v, view, shape, node, "tile.atomic_cas.c4") for v in (expected, desired)
    )
    signature = ", ".join([new.type, view.type, *types])
    text = f"tile.atomic_cas {old.ssa}, {new.ssa}, {view.ssa}[{place}] {words} : {signature}"
    return Tile(ctx.emit(text, node), view.dtype, shape)
