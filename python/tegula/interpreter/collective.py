"""Scans, reductions by a function, histograms; taking, joining and splitting tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tegula.errors import ShapeMismatch, TypeMismatch
from tegula.interpreter.records import out_of_bounds
from tegula.interpreter.rounding import round_once
from tegula.interpreter.tile import Tile, as_tile, mask
from tegula.interpreter.workgroup import eager
from tegula.language import dtypes as dt


def _along(tile: Tile, axis: int) -> list[Tile]:
    return [Tile(part, tile.dtype) for part in np.moveaxis(tile.data, axis, 0)]


@eager
def _scan(tile: Tile, fn: Callable[[Any, Any], Any], axis: int) -> Tile:
    found: list[Tile] = []
    for part in _along(tile, axis):
        found.append(fn(found[-1], part) if found else part)
    return Tile(np.stack([part.data for part in found], axis), tile.dtype)


@eager
def _cumsum(tile: Tile, axis: int) -> Tile:
    """Floats in f64, rounded to the type of the sum, and then to the tile's."""
    if tile.dtype.is_float:
        exact = np.cumsum(tile.data.astype(np.float64), axis=axis)
        step = dt.f64 if tile.dtype == dt.f64 else dt.f32
        return Tile(round_once(exact, step), step).to(tile.dtype)
    dtype = dt.i32 if tile.dtype.kind == "bool" else tile.dtype
    return Tile(np.cumsum(tile.data, axis=axis, dtype=dtype.numpy), dtype)


@eager
def _reduce(
    tile: Tile,
    fn: Callable[[Any, Any], Any],
    init: Any,
    axis: Any = None,
    keepdims: bool = False,
) -> Tile:
    axes = tuple(range(tile.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    start = as_tile(init, tile.dtype)
    for one in sorted({a % tile.ndim for a in axes}):
        parts = _along(tile, one)
        total = parts[0]
        for part in parts[1:]:
            total = fn(total, part)
        tile = Tile(np.expand_dims(total.data, one), tile.dtype)
    tile = Tile(fn(start, tile).data, tile.dtype)
    return tile if keepdims else Tile(np.squeeze(tile.data, axis=axes), tile.dtype)


@eager
def _histogram(digits: Tile, bins: int, where: Any = None) -> Tile:
    if not digits.dtype.is_integer:
        raise TypeMismatch(f"tg.histogram of {digits.dtype.name}", label="tile.histogram.c1")
    if not 1 <= bins <= 4096:
        raise ShapeMismatch(f"tg.histogram: {bins} bins", label="tile.histogram.c2")
    kept = (digits.data >= 0) & (digits.data < bins)
    if where is not None:
        kept &= np.broadcast_to(mask(where, "tile.histogram.c3"), kept.shape)
    counts = np.bincount(digits.data[kept].astype(np.int64), minlength=bins)
    return Tile(counts.astype(np.int32), dt.i32)


@eager
def _take(tile: Tile, indices: Tile, axis: int) -> Tile:
    if tile.ndim != indices.ndim:
        raise ShapeMismatch(f"{indices.shape} into {tile.shape}", label="tile.take.c2")
    if not indices.dtype.is_integer:
        raise TypeMismatch(f"indices are integers, not {indices.dtype.name}", label="tile.take.c3")
    places = indices.data.astype(np.int64)
    outside = (places < 0) | (places >= tile.shape[axis])
    if outside.any():
        first = tuple(int(i) for i in np.argwhere(outside)[0])
        out_of_bounds(
            f"index {places[first]} of axis {axis % tile.ndim} of a tile, "
            f"which has extent {tile.shape[axis]}",
            first,
        )
    shape = list(
        np.broadcast_shapes(
            *(
                (*s[: axis % tile.ndim], 1, *s[axis % tile.ndim + 1 :])
                for s in (tile.shape, indices.shape)
            )
        )
    )
    shape[axis] = tile.shape[axis]
    return Tile(np.take_along_axis(np.broadcast_to(tile.data, shape), places, axis), tile.dtype)


@eager
def _cat(tiles: tuple[Tile, ...], axis: int = 0) -> Tile:
    if len({tile.dtype for tile in tiles}) != 1:
        raise TypeMismatch("tg.cat of several types", label="tile.concat.c2")
    return Tile(np.concatenate([tile.data for tile in tiles], axis), tiles[0].dtype)


@eager
def _split(tile: Tile, sizes: Any, axis: int = 0) -> tuple[Tile, ...]:
    extent = tile.shape[axis]
    parts = tuple(sizes) if isinstance(sizes, (tuple, list)) else (extent // sizes,) * sizes
    if sum(parts) != extent:
        raise ShapeMismatch(f"parts {parts} of {extent}", label="tile.extract.c1")
    ends = np.cumsum(parts)[:-1]
    return tuple(Tile(part, tile.dtype) for part in np.split(tile.data, ends, axis))
