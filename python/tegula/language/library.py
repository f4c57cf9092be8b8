"""Functions over tiles that need nothing but the primitives."""

from __future__ import annotations

from typing import Any

import tegula as tg
from tegula.language import primitives
from tegula.language.function import function


@function
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), within 2 ulp in f32 (torch.sigmoid)."""
    return primitives.sigmoid(x)


@function
def silu(x: Any) -> Any:
    """x · sigmoid(x), within 2 ulp in f32 (torch.nn.functional.silu)."""
    return primitives.silu(x)


@function
def gelu(x: Any) -> Any:
    """x · Φ(x), within 2 ulp in f32 (torch.nn.functional.gelu, approximate="none")."""
    return primitives.gelu(x)


@function
def gelu_tanh(x: Any) -> Any:
    """GELU by tanh (torch.nn.functional.gelu, approximate="tanh")."""
    return 0.5 * x * (1.0 + tg.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@function
def relu(x: Any) -> Any:
    """The positive part; a NaN stays."""
    return tg.maximum(x, 0.0)


@function
def clamp(x: Any, low: Any, high: Any) -> Any:
    """x limited to [low, high]; a NaN stays."""
    return tg.minimum(tg.maximum(x, low), high)


@function
def group(offs: Any, g: Any) -> Any:
    """Bounds of group ``g`` of rows: ``(offs[g - 1] or 0, offs[g])``, both i32.

    ``offs`` (one integer a group) holds where each group ends, as in torch's grouped products.
    """
    before = tg.scalar(offs, tg.maximum(g - 1, 0)).to(tg.i32)
    return tg.where(g > 0, before, 0), tg.scalar(offs, g).to(tg.i32)


@function
def group_view(view: Any, offs: Any, g: Any, axis: Any = 0, by: Any = 1) -> Any:
    """Group ``g`` of the rows of a view, or with ``axis=1`` of its columns, as a view of its own.

    That is ``view[lo // by : hi // by]`` of ``lo, hi = tg.group(offs, g)``; of scales that are
    stored group by group (:class:`Scales`) it is the group's matrix, wherever it lies.
    """
    size, before = primitives.group_tile(view, axis), 0
    lo, hi = group(offs, g)
    if size == 0:
        return view[lo // by : hi // by] if axis == 0 else view[:, lo // by : hi // by]
    for i in range(g):
        begin, end = group(offs, i)
        before = before + tg.cdiv(end // by - begin // by, size)
    return primitives.group_matrix(view, lo // by, hi // by, before, axis)


@function
def group_part(
    offs: Any, g: Any, first: Any, columns: Any, rows: Any, width: Any, held: Any
) -> Any:
    """What ``tg.group_tiles`` needs of a group: its rows, tiles across, and this workgroup's share.

    Tiles of all groups are numbered in a row and dealt to ``held`` workgroups in turn; ``first`` is
    the first one in the group that falls to this workgroup, the last result that of the next group.
    """
    lo, hi = group(offs, g)
    across = tg.cdiv(columns, width)
    count = tg.cdiv(tg.maximum(hi - lo, 0), rows) * across
    steps = tg.cdiv(tg.maximum(count - first, 0), held)
    return lo, hi, across, steps, (first + held - count % held) % held
