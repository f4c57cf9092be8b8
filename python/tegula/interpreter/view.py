"""Views of the interpreter: an array whose bounds are checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tegula.errors import ArgumentError, IndexRank, TypeMismatch
from tegula.interpreter.tile import Tile
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


def as_numpy(name: str, value: Any) -> np.ndarray:
    """The memory of an array argument as NumPy, not copied."""
    if isinstance(value, np.ndarray):
        return value
    if value.device.type != "cpu":
        raise ArgumentError(name, f"a tensor on {value.device}", "an array in host memory")
    dtype = dt.from_torch(value.dtype)
    assert dtype is not None
    import torch

    plain = value.detach()
    if dtype.bits == 4:  # two a byte
        return plain.view(torch.uint8).numpy()
    if dtype.bits == 8 and dtype.kind in ("float", "scale"):
        return plain.view(torch.uint8).numpy().view(dtype.numpy)
    if dtype == dt.bf16:
        return plain.view(torch.int16).numpy().view(dtype.numpy)
    return plain.numpy()


class View:
    """An array parameter or a part of one."""

    def __init__(self, data: np.ndarray, dtype: DType) -> None:
        self.data = data
        self.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(stride // self.data.itemsize for stride in self.data.strides)

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def T(self) -> View:
        return View(self.data.T, self.dtype)

    def __repr__(self) -> str:
        return f"View({self.shape}, {self.dtype!r})"

    def __getitem__(self, index: Any) -> View:
        parts = index if isinstance(index, tuple) else (index,)
        axis = 0
        checked: list[Any] = []
        for part in parts:
            if part is None:
                checked.append(None)
                continue
            if axis == self.ndim:
                raise IndexRank(f"{len(parts)} indices for {self}", label="front.index.rank")
            checked.append(self._part(part, axis))
            axis += 1
        return View(self.data[tuple(checked)], self.dtype)

    def _part(self, part: Any, axis: int) -> Any:
        extent = self.shape[axis]
        if not isinstance(part, slice):
            position = int(part.__index__())
            if not 0 <= position < extent:
                raise IndexRank(
                    f"index {position} into axis {axis} of {self}", label="tile.index.c2"
                )
            return position
        if part.step not in (None, 1):
            raise IndexRank("a slice of a view has step 1", label="front.index.step")
        low = 0 if part.start is None else int(part.start.__index__())
        high = extent if part.stop is None else int(part.stop.__index__())
        high = max(low, high)
        if not 0 <= low <= high <= extent:
            raise IndexRank(
                f"slice {low}:{high} lies outside axis {axis} of {self}", label="tile.slice.c2"
            )
        return slice(low, high)

    def element(self, index: tuple[Any, ...]) -> Tile:
        """The scalar at an element index, which must be inside."""
        if len(index) != self.ndim:
            raise IndexRank(f"{len(index)} indices for {self}", label="tile.scalar.c1")
        position = tuple(int(part.__index__()) for part in index)
        if any(not 0 <= i < extent for i, extent in zip(position, self.shape, strict=True)):
            raise IndexRank(f"element {position} of {self}", label="front.index.bound")
        return Tile(self.data[position], self.dtype)

    def window(self, index: tuple[Any, ...], shape: tuple[int, ...], what: str) -> tuple[Any, Any]:
        """Slices of array and tile where a tile at ``index × shape`` overlaps the view."""
        if not isinstance(index, tuple):
            raise IndexRank(f"{what} takes a tuple of tile indices", label="front.index.tuple")
        if len(index) != self.ndim or len(shape) != self.ndim:
            raise IndexRank(
                f"{what}: {len(index)} indices and a tile of rank {len(shape)} for {self}",
                label=f"tile.{what.removeprefix('tg.')}.c1",
            )
        outer, inner = [], []
        for part, size, extent in zip(index, shape, self.shape, strict=True):
            start = int(part.__index__()) * size
            low, high = max(start, 0), max(max(start, 0), min(start + size, extent))
            if low >= extent:
                low = high = extent
            outer.append(slice(low, high))
            inner.append(slice(low - start, high - start) if high > low else slice(0, 0))
        return tuple(outer), tuple(inner)

    def write(self, index: tuple[Any, ...], tile: Tile) -> None:
        if tile.dtype != self.dtype:
            raise TypeMismatch(
                f"a tile of {tile.dtype.name} is stored to {self} of {self.dtype.name}",
                label="tile.store.c4",
            )
        outer, inner = self.window(index, tile.shape, "tg.store")
        self.data[outer] = tile.data[inner]
