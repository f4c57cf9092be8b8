"""Where a tile of scales lies in the tiles in which they are stored: digits of rows and columns."""

from __future__ import annotations

import ast
import math

from tegula.frontend.context import Context
from tegula.frontend.convert import constant_scalar
from tegula.frontend.values import View
from tegula.language import dtypes as dt
from tegula.language.scales import COLUMNS, ScaleLayout


def layout_of(view: View) -> ScaleLayout:
    assert view.view_type.blocked is not None
    return view.view_type.blocked.layout


def digits(
    ctx: Context, view: View, size: int, axis: int, node: ast.AST
) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """A tile's extents in the digits of an axis, and (shift, mask) of its tile index for each.

    Digits are those of a row (tile of scales, quarter, row in it) and of a column (tile, column).
    """
    rows = layout_of(view).rows
    inner = (4, rows // 4) if axis == 0 else (COLUMNS,)
    whole = math.prod(inner)
    if size % whole and (size & (size - 1) or size > whole):
        ctx.fail(
            "front.shape.blocked",
            f"a tile of {size} along axis {axis} of {view}",
            node,
            help=f"give it a power of two up to {whole}, or a multiple of {whole}",
        )
    if size % whole == 0:
        return (size // whole, *inner), [(0, -1)] + [(0, 0)] * len(inner)
    extents, places, covered = [1], [((whole // size).bit_length() - 1, -1)], whole
    for digit in inner:
        covered //= digit  # of the digits below this one
        within = max(size // covered, 1)
        extents.append(min(within, digit))
        step = max(covered // size, 1).bit_length() - 1
        places.append((step, digit // min(within, digit) - 1))
    return tuple(extents), places


def digit(ctx: Context, index: str, place: tuple[int, int], node: ast.AST) -> str:
    shift, mask = place
    if mask == 0:
        return constant_scalar(ctx, 0, dt.i32, node).ssa
    if shift:
        by = constant_scalar(ctx, shift, dt.i32, node)
        index = ctx.emit(f"arith.shrsi {index}, {by.ssa} : i32", node)
    if mask < 0:
        return index
    bits = constant_scalar(ctx, mask, dt.i32, node)
    return ctx.emit(f"arith.andi {index}, {bits.ssa} : i32", node)
