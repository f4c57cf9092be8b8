"""Gathers and scatters on both targets: types, pads, indices outside, masks, slices, storage."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

TYPES = (np.float32, np.int8, ml_dtypes.bfloat16, np.float64, np.uint16, np.int64)


@tg.kernel(grid=lambda rows: (tg.cdiv(rows.shape[0], 32),))
def gather_rows(x: "M N", rows: "R", out: "R K", *, K: tg.const, lo: tg.const = 0):
    r = tg.load(rows, (tg.program_id(0),), (32,), pad=-1)
    part = x[lo:] if lo else x
    v = tg.gather(part, (r[:, None], tg.iota((1, K), 1) + 3), pad=7)
    tg.store(out, (tg.program_id(0), 0), v)


@tg.kernel(grid=lambda rows: (tg.cdiv(rows.shape[0], 32),))
def scatter_rows(x: "M N", rows: "R", values: "R K", keep: "R", *, K: tg.const):
    i = tg.program_id(0)
    r, kept = tg.load(rows, (i,), (32,), pad=-1), tg.load(keep, (i,), (32,))
    v = tg.load(values, (i, 0), (32, K))
    tg.scatter(x, (r[:, None], tg.iota((1, K), 1) + 3), v, where=kept[:, None])


def arranged(values: np.ndarray, columns: bool) -> tuple[np.ndarray, np.ndarray]:
    """The array between guards, stored by rows or by columns, and the memory around it."""
    m, n = values.shape
    whole = np.full((n + 4, m + 4) if columns else (m + 4, n + 4), 99, values.dtype)
    array = whole[2 : 2 + n, 2 : 2 + m].T if columns else whole[2 : 2 + m, 2 : 2 + n]
    array[...] = values
    return array, whole


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("lo", [0, 5])
def test_gather(device: Any, dtype: Any, columns: bool, lo: int) -> None:
    rng = np.random.default_rng(lo)
    x, _ = arranged(rng.integers(0, 99, (40, 20)).astype(dtype), columns)
    rows = rng.integers(-5, 45, 70).astype(rng.choice([np.int32, np.int64]))
    out, interpreted = np.zeros((70, 24), dtype), np.zeros((70, 24), dtype)
    right = np.full((70, 24), 7, dtype)
    for i, r in enumerate(rows):
        if 0 <= r < 40 - lo:
            right[i, :17] = x[lo + r, 3:]
    gather_rows(x, rows, out, lo=lo)
    gather_rows.interpret(x, rows, interpreted, lo=lo)
    np.testing.assert_array_equal(out, right)
    np.testing.assert_array_equal(interpreted, right)


@pytest.mark.parametrize("dtype", (*TYPES, np.bool_))
@pytest.mark.parametrize("columns", [False, True])
def test_scatter(device: Any, dtype: Any, columns: bool) -> None:
    rng = np.random.default_rng(1)
    before = rng.integers(0, 2, (40, 20)).astype(dtype)
    values = rng.integers(0, 99, (70, 24)).astype(dtype)
    rows, keep = (rng.permutation(100)[:70] - 20).astype(np.int32), rng.random(70) < 0.5
    (x, whole), (right, right_whole) = arranged(before, columns), arranged(before, columns)
    interpreted, _ = arranged(before, columns)
    for i, r in enumerate(rows):
        if keep[i] and 0 <= r < 40:
            right[r, 3:] = values[i, :17]
    scatter_rows(x, rows, values, keep)
    scatter_rows.interpret(interpreted, rows, values, keep)
    np.testing.assert_array_equal(whole, right_whole)
    np.testing.assert_array_equal(interpreted, right)
