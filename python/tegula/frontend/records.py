"""``tg.print``, ``tg.assert_``, and the checks of debug builds."""

from __future__ import annotations

import ast
import string
from typing import Any

from tegula.frontend import convert, views
from tegula.frontend.context import Context
from tegula.frontend.convert import emit_binary, with_type
from tegula.frontend.registry import handles
from tegula.frontend.values import Scalar, Tile, View, describe, is_constant
from tegula.language import dtypes as dt
from tegula.language import records as p


def _format(ctx: Context, text: Any, values: tuple[Any, ...], node: ast.AST, what: str) -> Any:
    """The format as the ops take it, and the values of its holes; constants stand in the text."""
    if not isinstance(text, str):
        ctx.fail(
            "front.type.format",
            f"{what} takes a text first, not {describe(text)}",
            node,
            help=f'write {what}("x = {{}}", x)',
        )
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as problem:
        ctx.fail("front.type.format", f"{what}: {problem}", node, help="write {{ and }} for braces")
    holes = [(name, spec, conversion) for _, name, spec, conversion in parts if name is not None]
    if any(name or spec or conversion for name, spec, conversion in holes):
        ctx.fail(
            "front.type.format",
            f"{what}: a hole is {{}}, without a name or a format",
            node,
            help="give the values in the order of their holes",
        )
    if len(holes) != len(values):
        ctx.fail(
            "front.type.format",
            f"{what}: {len(holes)} holes for {len(values)} values",
            node,
            help="give one value for each {}",
        )
    written, shown, left = "", [], iter(values)
    for literal, name, _, _ in parts:
        written += _escaped(literal)
        if name is None:
            continue
        value = next(left)
        if is_constant(value):
            written += _escaped(str(value))
            continue
        hole, value = _shown(ctx, value, node, what)
        written += hole
        shown.append(value)
    return written, shown


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _shown(ctx: Context, value: Any, node: ast.AST, what: str) -> tuple[str, Tile | Scalar]:
    if not isinstance(value, (Tile, Scalar)):
        hint = "read it with tg.load, which gives a tile" if isinstance(value, View) else None
        ctx.fail("front.type.operand", f"{what} shows {describe(value)}", node, help=hint)
    if not value.dtype.has_arithmetic:
        ctx.fail(
            "front.type.operand",
            f"{what} shows {describe(value)}",
            node,
            help="cast it first, for example .to(tg.f32)",
        )
    return ("{u}" if value.dtype.kind == "uint" else "{}"), value


def _quoted(text: str) -> str:
    """As MLIR reads strings: other bytes than printable ASCII by their hexadecimal number."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
    return f'"{"".join(plain)}"'


@handles(p.print)
def _print(ctx: Context, node: ast.AST, fmt: Any, values: tuple[Any, ...]) -> None:
    text, shown = _format(ctx, fmt, values, node, "tg.print")
    clause = ""
    if shown:
        names, types = (", ".join(getattr(v, what) for v in shown) for what in ("ssa", "type"))
        clause = f", {names} : {types}"
    ctx.builder.emit(f"tile.print {_quoted(text)}{clause}", ctx.users_loc(node), 0)


@handles(p.assert_)
def _assert(
    ctx: Context, node: ast.AST, condition: Any, message: Any, values: tuple[Any, ...]
) -> None:
    text, shown = _format(ctx, message, values, node, "tg.assert_")
    if is_constant(condition):
        condition = convert.constant_scalar(ctx, bool(condition), dt.bool_, node)
    if not isinstance(condition, (Tile, Scalar)):
        ctx.fail("front.type.condition", f"tg.assert_ of {describe(condition)}", node)
    condition = convert.cast(ctx, condition, dt.bool_, node)
    for value in shown:
        if isinstance(value, Tile) and value.shape and value.shape != _shape(condition):
            ctx.fail(
                "tile.assert.c3",
                f"tg.assert_ of {describe(condition)} shows {describe(value)}",
                node,
                help="show scalars, or tiles of the condition's shape (one element is shown)",
            )
    _emit(ctx, condition, text, shown, node)


def _shape(value: Tile | Scalar) -> tuple[int, ...]:
    return value.shape if isinstance(value, Tile) else ()


def _emit(
    ctx: Context,
    condition: Tile | Scalar,
    text: str,
    values: list[Tile | Scalar],
    node: ast.AST,
    clause: str = "",
) -> None:
    names = f"({', '.join(value.ssa for value in values)})" if values else ""
    types = ", ".join(value.type for value in (condition, *values))
    op = f"tile.assert {condition.ssa}, {_quoted(text)}{names}{clause} : {types}"
    ctx.builder.emit(op, ctx.users_loc(node), 0)


# --- Checks of debug builds ------------------------------------------------------------------


def check_index(ctx: Context, what: str, view: View, axis: int, index: Any, node: ast.AST) -> None:
    """In a debug build: an index lies inside an axis. Constants have been looked at before."""
    if not ctx.debug:
        return
    extent = views.extent(ctx, view, axis, node)
    if isinstance(index, int) and isinstance(extent, int):
        return
    at, end = (_i32(ctx, value, node) for value in (index, extent))
    # As unsigned numbers: what is negative lies behind every end.
    inside = _compare(ctx, "ult", at, end, node)
    text = f"{what} {{}} of axis {axis} of '{_escaped(view.origin)}', which has extent {{}}"
    _emit(ctx, inside, text, [at, end], node, " bounds")


def check_slice(ctx: Context, view: View, axis: int, lo: Any, hi: Any, node: ast.AST) -> None:
    """In a debug build: the bounds of a slice lie inside an axis. An empty one may end anywhere.

    ``hi`` is None for the end of the axis.
    """
    if not ctx.debug:
        return
    extent = views.extent(ctx, view, axis, node)
    hi = extent if hi is None else hi
    if all(isinstance(value, int) for value in (lo, hi, extent)):
        return
    low, high, end = (_i32(ctx, value, node) for value in (lo, hi, extent))
    begins, ends = _compare(ctx, "ule", low, end, node), _compare(ctx, "sle", high, end, node)
    both = emit_binary(ctx, "arith.andi", begins, ends, node)
    text = f"slice {{}}:{{}} of axis {axis} of '{_escaped(view.origin)}', which has extent {{}}"
    _emit(ctx, both, text, [low, high, end], node, " bounds")


def check_pair(ctx: Context, view: View, axis: int, bound: Any, node: ast.AST) -> None:
    """In a debug build: a run-time bound of a packed axis lies between two pairs."""
    if not ctx.debug or not isinstance(bound, Scalar) or bound.dtype != dt.i32:
        return
    one, zero = (_i32(ctx, value, node) for value in (1, 0))
    half = emit_binary(ctx, "arith.andi", bound, one, node)
    text = f"bound {{}} of axis {axis} of '{_escaped(view.origin)}', which splits a pair"
    _emit(ctx, _compare(ctx, "eq", half, zero, node), text, [bound], node, " bounds")


def check_take(ctx: Context, places: Tile, axis: int, extent: int, node: ast.AST) -> None:
    """In a debug build: indices of ``tg.take`` lie inside the axis."""
    if not ctx.debug:
        return
    end = convert.constant_scalar(ctx, extent, dt.i32, node)
    bound = convert.like_constant(ctx, places, extent, node)
    inside = _compare(ctx, "ult", places, bound, node)
    text = f"index {{}} of axis {axis} of a tile, which has extent {{}}"
    _emit(ctx, inside, text, [places, end], node, " bounds")


def _i32(ctx: Context, value: Any, node: ast.AST) -> Scalar:
    if isinstance(value, Scalar):
        return value
    return convert.constant_scalar(ctx, value, dt.i32, node)


def _compare(ctx: Context, predicate: str, a: Any, b: Any, node: ast.AST) -> Tile | Scalar:
    ssa = ctx.emit(f"arith.cmpi {predicate}, {a.ssa}, {b.ssa} : {a.type}", node)
    return with_type(a, ssa, dt.bool_)
