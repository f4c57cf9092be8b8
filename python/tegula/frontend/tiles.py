"""Extents of ``tg.auto`` tiles, from shape and target.

A tile parameter is matched to an extent by its name: ``BM`` covers extent ``M``. Rows follow the
number of rows there are, so that decoding one token does not pay for 256 of them; the full tile is
what fills the LDS of a compute unit with two stages of 16-bit operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tegula.errors import ConstantRequired


@dataclass(frozen=True)
class TileRow:
    """Tiles for products of at most ``rows`` rows."""

    rows: int | None
    m: int
    n: int


#: Smallest first; the last row has no limit.
_ROWS: tuple[TileRow, ...] = (
    TileRow(16, 16, 64),
    TileRow(32, 32, 64),
    TileRow(64, 64, 64),
    TileRow(128, 128, 128),
    TileRow(None, 256, 256),
)
#: Depth of the full tile: two stages of 256 + 256 rows of 64 (32) bf16 take 128 (64) KiB of LDS.
_DEPTH = {"gfx950": 64, "gfx942": 32}
_OTHER_DEPTH = 32
#: Bytes of an element for which the depths above are meant.
_REFERENCE_BYTES = 2


def choose(
    names: list[str], extents: Mapping[str, int | None], target: str, itemsize: float
) -> dict[str, int]:
    """Tile extents by parameter name. ``extents`` are values of named extents, None if unknown."""
    chosen = {}
    row = _row(extents.get("M"), extents.get("N"))
    depth = max(16, int(_DEPTH.get(target, _OTHER_DEPTH) * _REFERENCE_BYTES / max(itemsize, 1)))
    by_extent = {"M": row.m, "N": row.n, "K": depth}
    for name in names:
        extent = name[1:]
        if name[:1] != "B" or extent not in by_extent:
            raise ConstantRequired(
                f"tg.auto cannot choose '{name}'",
                label="front.const.auto",
                help="it chooses BM, BN and BK of a product over M, N and K; give a number",
            )
        chosen[name] = by_extent[extent]
    return chosen


def _row(m: int | None, n: int | None) -> TileRow:
    """The row for a product; narrow ones take the row of the smaller side."""
    unknown = 1 << 31
    smaller = min(unknown if m is None else m, unknown if n is None else n)
    chosen = _ROWS[-1]
    for row in reversed(_ROWS):
        if row.rows is not None and (unknown if m is None else m) <= row.rows:
            chosen = row
    if smaller <= 128 and chosen.rows is None:
        # Many rows but few columns: a square tile would be mostly padding.
        return TileRow(None, 128, 64 if smaller <= 64 else 128)
    return chosen
