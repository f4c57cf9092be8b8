"""Scales that are stored group by group: a group is copied out of its tiles, and back by stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tegula.errors import IndexRank
from tegula.interpreter.tile import Tile
from tegula.interpreter.view import View
from tegula.interpreter.workgroup import eager
from tegula.language import dtypes as dt
from tegula.language.scales import COLUMNS, Scales


class GroupedScales(View):
    """All groups: ``tg.group_view`` takes one."""

    def __init__(self, tiles: np.ndarray, scales: Scales, origin: str) -> None:
        nothing = (None,) * len(scales.shape)
        super().__init__(tiles, dt.e8m0, origin, nothing, nothing)
        self.scales = scales

    @property
    def extents(self) -> tuple[int, ...]:
        return self.scales.shape

    @property
    def ndim(self) -> int:
        return len(self.scales.shape)

    @property
    def T(self) -> View:
        return GroupedScales(self.data, self.scales.T, f"{self.origin}.T")

    def matrix(self, size: int, before: int, axis: int) -> View:
        """Of so many rows or columns, behind so many tiles along the axis."""
        stored = self.scales.stored_as
        other = self.extents[1 - axis]
        rows, columns = (other, size) if stored.grouped else (size, other)
        down, across = -(-rows // stored.layout.rows), -(-columns // COLUMNS)
        first = before * (down if stored.grouped else across)
        tiles = self.data[first : first + down * across]
        inner = stored.layout.rows // 4
        split = tiles.reshape(down, across, 4, inner, COLUMNS).transpose(0, 2, 3, 1, 4).copy()
        whole = split.reshape(down * stored.layout.rows, across * COLUMNS)

        def settle() -> None:
            tiles[...] = split.transpose(0, 3, 1, 2, 4).reshape(tiles.shape)

        upright = whole[:rows, :columns]
        return _Group(upright.T if stored.transposed else upright, self.origin, settle)


class _Group(View):
    """One group, whose stores are copied to where it is stored."""

    def __init__(self, data: np.ndarray, origin: str, settle: Callable[[], None]) -> None:
        super().__init__(data, dt.e8m0, origin, (None, None), (None, None))
        self.settle = settle

    @property
    def T(self) -> View:
        return _Group(self.data.T, f"{self.origin}.T", self.settle)

    def write(self, index: tuple[Any, ...], tile: Tile) -> None:
        super().write(index, tile)
        self.settle()


@eager
def _group_tile(view: View, axis: int) -> int:
    if not isinstance(view, GroupedScales):
        return 0
    stored = view.scales.stored_as
    if stored.grouped != stored.upright(axis):
        raise IndexRank(
            f"a group along axis {axis} of {view}, whose scales are not stored by such groups",
            label="front.index.blocked",
        )
    return COLUMNS if stored.grouped else stored.layout.rows


@eager
def _group_matrix(view: GroupedScales, lo: Any, hi: Any, before: Any, axis: int) -> View:
    begin, end, first = (int(value.__index__()) for value in (lo, hi, before))
    return view.matrix(end - begin, first, axis)
