"""What a code object takes for granted of an array: static extents and strides, alignment, reach.

A tile's base address has 64 bits, offsets from it 32, and the end of a view is found by a bound on
the offset. So strides are not negative, an array whose strides are known at launch only has rows
that don't overlap, and no tile spans 2^31 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import ArgumentError

_MAX_SPAN = 2**31
_MAX_EXTENT = 2**31
_GRANULE = 16  # elements; a multiple of any alignment that a view may state


@dataclass(frozen=True)
class View:
    """A view argument of a manifest; None is what a launch decides.

    ``reach`` is how many elements of each axis an offset may span; None is all of them.
    """

    name: str
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    reach: tuple[int | None, ...]
    align: int

    @staticmethod
    def of(argument: Mapping[str, Any]) -> View:
        """The contract of one entry of ``arguments``."""
        return View(
            argument["name"],
            tuple(argument["shape"]),
            tuple(argument["strides"]),
            tuple(argument.get("reach") or (None,) * len(argument["shape"])),
            argument["align"],
        )

    def refuse(self, found: str, expected: str) -> ArgumentError:
        return ArgumentError(self.name, found, expected)


def repeats(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether rows overlap or interleave, or a stride is 0: no bound tells where a row ends."""
    end = 0
    for stride, extent in sorted((s, n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride <= end:
            return True
        end += stride * (extent - 1)
    return False


@lru_cache(maxsize=4096)
def strides_to_pass(
    view: View, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[int, ...]:
    """The strides with which a kernel sees an array. ArgumentError when it cannot serve it."""
    _check_static(view, shape, strides)
    for axis, extent in enumerate(shape):
        if extent >= _MAX_EXTENT:
            raise view.refuse(f"extent {extent} of axis {axis}", "extents below 2^31")
    if any(stride < 0 for stride, extent in zip(strides, shape, strict=True) if extent > 1):
        raise view.refuse(f"strides {strides}", "none that is negative; pass a copy")
    if None in view.strides and repeats(shape, strides):
        raise view.refuse(f"strides {strides}", "a view whose elements don't overlap")
    passed = _with_irrelevant(view, shape, strides)
    _check_span(view, shape, passed, itemsize)
    return passed


def _check_static(view: View, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    if len(shape) != len(view.shape):
        raise view.refuse(f"rank {len(shape)}", f"rank {len(view.shape)}")
    for axis, (extent, known) in enumerate(zip(shape, view.shape, strict=True)):
        if known is not None and extent != known:
            raise view.refuse(f"extent {extent} of axis {axis}", f"{known}")
    for axis, (stride, known) in enumerate(zip(strides, view.strides, strict=True)):
        if known is not None and stride != known and shape[axis] > 1:
            raise view.refuse(f"stride {stride} of axis {axis}", f"{known}")


def _with_irrelevant(
    view: View, shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[int, ...]:
    """An axis of one element has any stride, ``x[None]`` has 0: give it that of a real row.

    Tiles may be longer than the axis, and what lies beyond its end must not look like data.
    """
    passed = list(strides)
    for axis, extent in enumerate(shape):
        if extent <= 1 and view.strides[axis] is None:
            row = sum(
                (min(n, n if reach is None else reach) - 1) * stride
                for other, (n, stride, reach) in enumerate(
                    zip(shape, passed, view.reach, strict=True)
                )
                if other != axis and n > 1
            )
            passed[axis] = (row // _GRANULE + 1) * _GRANULE
    return tuple(passed)


def _check_span(
    view: View, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> None:
    span = itemsize
    for extent, stride, reach in zip(shape, strides, view.reach, strict=True):
        span += (max(extent if reach is None else reach, 1) - 1) * stride * itemsize
    if span > _MAX_SPAN:
        raise view.refuse(
            f"strides {strides} of {itemsize}-byte elements",
            f"strides with which one tile spans at most 2^31 bytes, not {span}",
        )


def check_address(view: View, address: int, itemsize: int) -> None:
    """The base is as aligned as the code object was told."""
    align = max(view.align, itemsize)
    if address % align:
        raise view.refuse(f"address {address:#x}", f"a multiple of {align}")
