"""The k greatest of rows that exceed any tile: a radix select, written in the language."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg


@tg.function
def ordered(v):
    """The bits of f32 as u32 in the order of the numbers; every NaN is the greatest."""
    bits = tg.bitcast(tg.where(v != v, tg.nan, v), tg.u32)
    return tg.where(bits >> 31 == 1, ~bits, bits | 0x80000000)


@tg.kernel(grid=lambda x: (x.shape[0],))
def radix_select(x: "R N", values: "R K", indices: "R K", *, K: tg.const, B: tg.tile = 2048):
    """The K greatest of each row: first those above the K-th in the order of their columns, then
    those equal to it, of which the first columns are taken."""
    row = tg.program_id(0)
    column = tg.iota((1, B), axis=1)
    digit = tg.iota((256,), axis=0)
    found = tg.zeros((1, 1), tg.u32)  # the leading bits of the K-th greatest
    wanted = tg.full((1,), K, tg.i32)  # of those that have them, so many are taken
    for step in tg.unroll(range(4)):
        shift = 24 - 8 * step
        counts = tg.zeros((256,), tg.i32)
        for j in tg.tiles(x, axis=1, size=B):
            keys = ordered(tg.load(x, (row, j), (1, B)))
            here = j * B + column < x.shape[1]
            if step > 0:
                here = here & (keys >> (shift + 8) == found)
            counts = counts + tg.histogram((keys >> shift) & 255, 256, where=here)
        above = tg.sum(counts, axis=0, keepdims=True) - tg.cumsum(counts, axis=0)
        is_next = (above < wanted) & (above + counts >= wanted)
        next_digit = tg.sum(tg.where(is_next, digit, 0), axis=0, keepdims=True)
        wanted = wanted - tg.sum(tg.where(is_next, above, 0), axis=0, keepdims=True)
        found = (found << 8) | next_digit.reshape(1, 1).to(tg.u32)
    greater, equal = tg.zeros((1, 1), tg.i32), tg.zeros((1, 1), tg.i32)
    for j in tg.tiles(x, axis=1, size=B):
        v = tg.load(x, (row, j), (1, B))
        keys, inside = ordered(v), j * B + column < x.shape[1]
        is_greater, is_equal = inside & (keys > found), inside & (keys == found)
        upto_greater = greater + tg.cumsum(is_greater, axis=1)
        upto_equal = equal + tg.cumsum(is_equal, axis=1)
        place = tg.where(is_greater, upto_greater, K - wanted[None, :] + upto_equal) - 1
        keep = is_greater | (is_equal & (upto_equal <= wanted[None, :]))
        tg.scatter(values, (row, place), v, where=keep)
        tg.scatter(indices, (row, place), j * B + column, where=keep)
        greater = greater + tg.sum(is_greater, axis=1, keepdims=True)
        equal = equal + tg.sum(is_equal, axis=1, keepdims=True)


def selected(x: np.ndarray, k: int) -> np.ndarray:
    """Columns: a NaN is greatest, of equal numbers the first come first; in order of columns."""
    keys = np.where(np.isnan(x), np.inf, x).astype(np.float64)
    order = np.lexsort((np.arange(x.size), -keys, ~np.isnan(x)))[:k]
    return np.sort(order)


@pytest.mark.parametrize(
    ("shape", "k", "few"),
    [((3, 5000), 64, False), ((2, 2048), 1, False), ((1, 9999), 700, True), ((2, 50), 50, True)],
)
def test_radix_select(device: Any, shape: tuple[int, int], k: int, few: bool) -> None:
    rng = np.random.default_rng(k)
    x = rng.standard_normal(shape).astype(np.float32)
    if few:  # many equal numbers
        x = np.round(x)
    x.reshape(-1)[rng.integers(0, x.size, 5)] = (np.nan, -np.nan, np.inf, -np.inf, -1e-40)
    values, indices = np.zeros((shape[0], k), np.float32), np.full((shape[0], k), -1, np.int32)
    interpreted = values.copy(), indices.copy()
    radix_select(x, values, indices)
    radix_select.interpret(x, *interpreted)
    np.testing.assert_array_equal(indices, interpreted[1])
    np.testing.assert_array_equal(values, interpreted[0])
    for row in range(shape[0]):
        np.testing.assert_array_equal(np.sort(indices[row]), selected(x[row], k))
        np.testing.assert_array_equal(values[row], x[row, indices[row]])
