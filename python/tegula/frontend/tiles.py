"""Extents of ``tg.auto`` tiles, from shape and target.

A tile parameter is matched to an extent by its name: ``BM`` covers extent ``M``. Rows follow the
number of rows there are, so that decoding one token does not pay for 256 of them; the full tile is
what fills the LDS of a compute unit with two stages of 16-bit operands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tegula import targets
from tegula.errors import ConstantRequired
from tegula.language.dtypes import DType


@dataclass(frozen=True)
class TileRow:
    """Tiles for products whose extent ``over`` is at most ``limit``; for all if it is None."""

    over: str | None
    limit: int
    m: int
    n: int

    def holds(self, extents: Mapping[str, int | None]) -> bool:
        """Whether the row is for these extents; one that is unknown may be any."""
        if self.over is None:
            return True
        value = extents.get(self.over)
        return value is not None and value <= self.limit


@dataclass(frozen=True)
class Operand:
    """Bytes of an element, and whether lanes convert it in front of a product."""

    bytes: float
    converted: bool = False


def operand_of(dtype: DType, target: str) -> Operand:
    """Of a product on a target: f8 of the flavour that it lacks is converted."""
    facts = targets.facts(target)
    is_f8 = dtype.bits == 8 and dtype.kind == "float"
    return Operand(dtype.itemsize, is_f8 and dtype.name not in (facts["fp8"], facts["bf8"]))


#: The first that holds is taken; the last one always does.
_ROWS: tuple[TileRow, ...] = (
    TileRow("M", 16, 16, 64),
    TileRow("M", 32, 32, 64),
    TileRow("M", 64, 64, 64),
    TileRow("M", 128, 128, 128),
    # Many rows but few columns: a square tile would be mostly padding.
    TileRow("N", 64, 128, 64),
    TileRow("N", 128, 128, 128),
    TileRow(None, 0, 256, 256),
)
#: Instead of the last one, where conversions need registers beside sums and operands.
_CONVERTED = TileRow(None, 0, 128, 128)
#: Rows of both operands of the full tile, in the two stages in which they are in LDS.
_ROWS_IN_LDS = 2 * (256 + 256)


def choose(
    names: list[str], extents: Mapping[str, int | None], target: str, operand: Operand
) -> dict[str, int]:
    """Tile extents by parameter name. ``extents`` are values of named extents, None if unknown."""
    row = next(row for row in _rows(operand) if row.holds(extents))
    return _extents_of(row, names, target, operand.bytes)


def variants(
    names: list[str], target: str, operand: Operand
) -> list[tuple[TileRow, dict[str, int]]]:
    """Every choice that :func:`choose` makes, in the order in which its rows are tried."""
    found = [(row, _extents_of(row, names, target, operand.bytes)) for row in _rows(operand)]
    return found if any(choice != found[-1][1] for _, choice in found) else found[-1:]


def _rows(operand: Operand) -> tuple[TileRow, ...]:
    return (*_ROWS[:-1], _CONVERTED) if operand.converted else _ROWS


def _extents_of(row: TileRow, names: list[str], target: str, itemsize: float) -> dict[str, int]:
    room = targets.facts(target)["lds_bytes"] / _ROWS_IN_LDS
    depth = max(16, 1 << int(math.log2(room / max(itemsize, 1))))
    by_extent = {"M": row.m, "N": row.n, "K": depth}
    chosen = {}
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
