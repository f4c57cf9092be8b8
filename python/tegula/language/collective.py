"""What a kernel calls to combine elements by a function, count them, move them by place."""

from __future__ import annotations

from typing import Any

from tegula.language.primitives import primitive


@primitive
def cumsum(tile: Any, axis: int) -> Any:
    """Sum of all elements up to each one along an axis, in the tile's type; of bool in i32.

    f16 and bf16 are summed in f32 and rounded at the end.
    """


@primitive
def scan(tile: Any, fn: Any, axis: int) -> Any:
    """All elements up to each one along an axis, combined by ``fn(before, after)``.

    ``fn`` is a ``@tg.function`` of two scalars (or a function of ``tg``), associative, made of
    arithmetic; the order in which it is applied is unspecified but fixed.
    """


@primitive
def reduce(tile: Any, fn: Any, init: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``fn(init, all elements combined by fn)`` along an axis, a tuple of axes or all.

    ``fn`` as in ``tg.scan``; ``init`` is a number or scalar, and counts once.
    """


@primitive
def histogram(digits: Any, bins: int, where: Any = None) -> Any:
    """How many elements equal 0, 1 … bins - 1 (at most 4096): an i32 tile of shape (bins,).

    Elements outside of the bins, or where ``where`` is false, are not counted (numpy.bincount).
    """


@primitive
def take(tile: Any, indices: Any, axis: int) -> Any:
    """Elements along an axis by an integer tile of the same rank (numpy.take_along_axis).

    Other axes broadcast. Indices lie in the axis; those that don't give some element of it.
    """


@primitive
def cat(tiles: tuple[Any, ...], axis: int = 0) -> Any:
    """Tiles of one type, one after another along an axis (numpy.concatenate)."""


@primitive
def split(tile: Any, sizes: Any, axis: int = 0) -> Any:
    """Parts of a tile along an axis: so many equal ones, or of the extents of a tuple."""
