"""Scales that are stored group by group: each group a matrix of its own, in tiles behind those of
the groups before it. In IR they are a view of (tiles, 4, rows/4, 4).

A tile of such a matrix may cross several rows of tiles; it is loaded and stored one of these at a
time, in which the tiles lie side by side.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tegula.frontend import digits
from tegula.frontend.arithmetic import binary, compare
from tegula.frontend.context import Context
from tegula.frontend.convert import as_scalar, constant_scalar, reshape
from tegula.frontend.elementwise import select
from tegula.frontend.registry import HANDLERS
from tegula.frontend.shapes import transpose
from tegula.frontend.values import Scalar, Tile, View, tensor_type
from tegula.language import collective
from tegula.language import dtypes as dt
from tegula.language import primitives as p


def _add(ctx: Context, a: Any, b: Any, node: ast.AST) -> Any:
    return binary(ctx, ast.Add(), a, b, node)


def _least(ctx: Context, a: Any, b: Any, node: ast.AST) -> Any:
    return HANDLERS[p.minimum](ctx, node, a, b)


@dataclass(frozen=True)
class _Piece:
    """Of a tile, what lies in one row of tiles: those, where in each, and its extents there."""

    view: View
    at: str
    extents: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        tiles, quarters, rows, columns = self.extents
        return quarters * rows, tiles * columns


def _pieces(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], node: ast.AST
) -> Iterator[_Piece]:
    """From the top to the bottom of a tile of a matrix that lies upright."""
    part = view.part
    assert part is not None
    (tall, *inside), row_places = digits.digits(ctx, view, shape[0], 0, node)
    (wide, columns), column_places = digits.digits(ctx, view, shape[1], 1, node)
    row, *within = (Scalar(digits.digit(ctx, indices[0], at, node), dt.i32) for at in row_places)
    column, at_column = (digits.digit(ctx, indices[1], at, node) for at in column_places)
    begin = binary(ctx, ast.Mult(), Scalar(column, dt.i32), wide, node)
    place = ", ".join([constant_scalar(ctx, 0, dt.i32, node).ssa, *(w.ssa for w in within)])
    for i in range(tall):
        above = _add(ctx, binary(ctx, ast.Mult(), row, tall, node), i, node)
        start = _add(ctx, part.first, binary(ctx, ast.Mult(), above, part.across, node), node)
        lo = _add(ctx, start, begin, node)
        hi = _least(ctx, _add(ctx, lo, wide, node), _add(ctx, start, part.across, node), node)
        # Nothing of what lies outside of the matrix, where other groups are.
        for index, end in ((above, part.down), (begin, part.across)):
            for op, bound in ((ast.GtE(), 0), (ast.Lt(), end)):
                hi = select(ctx, compare(ctx, op, index, bound, node), hi, lo, node)
        bounds = ":".join(as_scalar(ctx, bound, node).ssa for bound in (lo, hi))
        ssa = ctx.emit(
            f"tile.slice {view.ssa}[{bounds}, :, :, :] : {view.type} -> {view.type}", node
        )
        where = f"{place}, {at_column}"
        yield _Piece(replace(view, ssa=ssa), where, (wide, *inside, columns))


def load(
    ctx: Context, view: View, indices: list[str], shape: tuple[int, ...], node: ast.AST
) -> Tile:
    parts = []
    for piece in _pieces(ctx, view, indices, shape, node):
        result = tensor_type(piece.extents, dt.e8m0)
        text = f"tile.load {piece.view.ssa}[{piece.at}] pad(1.0) : {view.type} -> {result}"
        tile = Tile(ctx.emit(text, node), dt.e8m0, piece.extents)
        parts.append(reshape(ctx, transpose(ctx, tile, (1, 2, 0, 3), node), piece.shape, node))
    return parts[0] if len(parts) == 1 else HANDLERS[collective.cat](ctx, node, tuple(parts), 0)


def store(ctx: Context, view: View, indices: list[str], tile: Tile, node: ast.AST) -> None:
    top = 0
    for piece in _pieces(ctx, view, indices, tile.shape, node):
        rows = _rows(ctx, tile, top, piece.shape, node)
        top += piece.shape[0]
        tiles, quarters, inner, columns = piece.extents
        split = reshape(ctx, rows, (quarters, inner, tiles, columns), node)
        stored = transpose(ctx, split, (2, 0, 1, 3), node)
        text = f"tile.store {stored.ssa}, {piece.view.ssa}[{piece.at}]"
        ctx.builder.emit(f"{text} : {stored.type}, {view.type}", ctx.loc(node), 0)


def _rows(ctx: Context, tile: Tile, top: int, shape: tuple[int, int], node: ast.AST) -> Tile:
    if math.prod(tile.shape) == math.prod(shape):
        return tile
    target = tensor_type(shape, tile.dtype)
    text = f"tile.extract {tile.ssa} {{offsets = [{top}, 0]}} : {tile.type} -> {target}"
    return Tile(ctx.emit(text, node), tile.dtype, shape)
