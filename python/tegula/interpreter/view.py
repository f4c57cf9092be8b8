"""Views of the interpreter: an array whose bounds are checked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tegula.errors import ArgumentError, IndexRank, TypeMismatch
from tegula.interpreter.records import out_of_bounds
from tegula.interpreter.tile import Tile, as_tile, expanded
from tegula.interpreter.workgroup import eager
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


Known = tuple[int | None, ...]


class View:
    """An array parameter or a part of one; ``origin`` is how a message names it.

    ``static`` and ``fixed`` are the extents and strides that the compiler knows: those are
    constants, weak like all numbers of Python, the others are scalars of a type. ``packed`` is the
    axis along which two elements share a byte.
    """

    def __init__(
        self,
        data: np.ndarray,
        dtype: DType,
        origin: str,
        static: Known,
        fixed: Known,
        packed: int | None = None,
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.origin = origin
        self.static = static
        self.fixed = fixed
        self.packed = packed

    @property
    def extents(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def shape(self) -> tuple[int | Tile, ...]:
        return _scalars(self.extents, self.static, dt.i32)

    @property
    def strides(self) -> tuple[int | Tile, ...]:
        steps = tuple(stride // self.data.itemsize for stride in self.data.strides)
        return _scalars(steps, self.fixed, dt.i64)

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def T(self) -> View:
        known = self.static[::-1], self.fixed[::-1]
        packed = None if self.packed is None else self.ndim - 1 - self.packed
        return View(self.data.T, self.dtype, f"{self.origin}.T", *known, packed)

    @property
    def memory(self) -> np.ndarray:
        """The array, to be written."""
        if not self.data.flags.writeable:
            raise ArgumentError(self.origin, "an array that may only be read", "one to write to")
        return self.data

    def __repr__(self) -> str:
        return f"View({self.extents}, {self.dtype!r})"

    def __getitem__(self, index: Any) -> View:
        parts = expanded(index, self.ndim)
        axis = 0
        checked: list[Any] = []
        known: list[tuple[int | None, int | None]] = []
        axes: list[int] = []  # where those of the result come from
        for part in parts:
            if part is None:
                checked.append(None)
                known.append((1, 0))
                axes.append(-1)
                continue
            if axis == self.ndim:
                raise IndexRank(f"{len(parts)} indices for {self}", label="front.index.rank")
            checked.append(self._part(part, axis))
            if isinstance(part, slice):
                known.append((self._extent_of(part, axis), self.fixed[axis]))
                axes.append(axis)
            axis += 1
        axes += range(axis, self.ndim)
        known += zip(self.static[axis:], self.fixed[axis:], strict=True)
        static, fixed = (
            (tuple(values) for values in zip(*known, strict=True)) if known else ((), ())
        )
        packed = axes.index(self.packed) if self.packed in axes else None
        return View(self.data[tuple(checked)], self.dtype, self.origin, static, fixed, packed)

    def _extent_of(self, part: slice, axis: int) -> int | None:
        """The extent of a slice, if its bounds are constants."""
        low, high = 0 if part.start is None else part.start, part.stop
        high = self.static[axis] if high is None else high
        return high - low if isinstance(low, int) and isinstance(high, int) else None

    def _outside(self, what: str, axis: int) -> NoReturn:
        out_of_bounds(
            f"{what} of axis {axis} of '{self.origin}', which has extent {self.extents[axis]}"
        )

    def _part(self, part: Any, axis: int) -> Any:
        extent = self.extents[axis]
        if not isinstance(part, slice):
            position = int(part.__index__())
            if isinstance(part, int) and position < 0:
                position += extent  # a constant counts from the end
            if not 0 <= position < extent:
                self._outside(f"index {position}", axis)
            return position
        if part.step not in (None, 1):
            raise IndexRank("a slice of a view has step 1", label="front.index.step")
        low = 0 if part.start is None else int(part.start.__index__())
        high = extent if part.stop is None else int(part.stop.__index__())
        if not (0 <= low <= extent and high <= extent):
            self._outside(f"slice {low}:{high}", axis)
        if axis == self.packed:
            for bound in (low, high):
                if bound % 2:
                    out_of_bounds(
                        f"bound {bound} of axis {axis} of '{self.origin}', which splits a pair"
                    )
        return slice(low, max(low, high))

    def element(self, index: tuple[Any, ...]) -> Tile:
        """The scalar at an element index, which must be inside."""
        if len(index) != self.ndim:
            raise IndexRank(f"{len(index)} indices for {self}", label="tile.scalar.c1")
        position = tuple(int(part.__index__()) for part in index)
        for axis, (i, extent) in enumerate(zip(position, self.extents, strict=True)):
            if not 0 <= i < extent:
                self._outside(f"element {i}", axis)
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
        for part, size, extent in zip(index, shape, self.extents, strict=True):
            start = int(part.__index__()) * size
            low, high = max(start, 0), max(max(start, 0), min(start + size, extent))
            if low >= extent:
                low = high = extent
            outer.append(slice(low, high))
            inner.append(slice(low - start, high - start) if high > low else slice(0, 0))
        return tuple(outer), tuple(inner)

    def padding(self, shape: tuple[int, ...], pad: float | None) -> np.ndarray:
        """What a tile holds before any element of the view; None is 0, for scales 2^0."""
        if pad is None:
            pad = 1.0 if self.dtype == dt.e8m0 else 0
        return np.full(shape, as_tile(pad, self.dtype).data)

    def write(self, index: tuple[Any, ...], tile: Tile) -> None:
        if tile.dtype != self.dtype:
            raise TypeMismatch(
                f"a tile of {tile.dtype.name} is stored to {self} of {self.dtype.name}",
                label="tile.store.c4",
            )
        outer, inner = self.window(index, tile.shape, "tg.store")
        self.memory[outer] = tile.data[inner]


def on_view(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register the eager meaning ``_name`` of a primitive that takes a view first."""
    name = function.__name__.removeprefix("_")

    @functools.wraps(function)
    def run(view: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(view, View):
            raise TypeMismatch(
                f"tg.{name} takes a view, not {type(view).__name__}",
                label="front.type.view",
                help="views are the arrays that a kernel gets, inside of it",
            )
        return function(view, *args, **kwargs)

    return eager(run)


def _scalars(values: tuple[int, ...], known: Known, dtype: DType) -> tuple[int | Tile, ...]:
    """Constants where the compiler knows them."""
    return tuple(
        value if constant is not None else Tile(np.asarray(value, dtype.numpy), dtype)
        for value, constant in zip(values, known, strict=True)
    )
