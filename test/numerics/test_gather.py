"""Gathers and scatters on both targets: types, pads, indices outside, masks, slices, storage."""

from __future__ import annotations

import re
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


@tg.kernel(grid=lambda x: (1,))
def pads(x: "N", loaded: "M", gathered: "M", *, pad: tg.const):
    tg.store(loaded, (0,), tg.load(x, (0,), (8,), pad=pad))
    tg.store(gathered, (0,), tg.gather(x, (tg.iota((8,), axis=0),), pad=pad))


WHOLE = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


@pytest.mark.parametrize(
    ("dtype", "pad"),
    [
        *((np.bool_, pad) for pad in (0, 1, 1.0, False, True)),
        *((t, int(pad)) for t in WHOLE for pad in (np.iinfo(t).min, np.iinfo(t).max)),
        (np.uint64, 2**63),
        (np.float32, -np.inf),
        (np.float64, np.nan),
        (ml_dtypes.bfloat16, -0.0),
    ],
)
def test_every_value_is_a_pad(device: Any, dtype: Any, pad: Any) -> None:
    x, right = np.zeros(5, dtype), np.zeros(8, dtype)
    right[5:] = pad
    for call in (pads, pads.interpret):
        loaded, gathered = np.zeros(8, dtype), np.zeros(8, dtype)
        call(x, loaded, gathered, pad=pad)
        assert loaded.tobytes() == gathered.tobytes() == right.tobytes()


@pytest.mark.parametrize(
    ("dtype", "pad"), [(np.bool_, 2), (np.uint8, -1), (np.int8, 0.5), (np.float16, 65520.0)]
)
def test_what_is_no_value_is_no_pad(device: Any, dtype: Any, pad: Any) -> None:
    x = np.zeros(5, dtype)
    for call in (pads, pads.interpret):
        with pytest.raises(tg.TypeMismatch, match=f"the constant {pad} is out of the range"):
            call(x, x.copy(), x.copy(), pad=pad)


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


@tg.kernel(grid=lambda rows, T: (tg.cdiv(rows.shape[0], T),))
def gather_runs(
    x: "M N", rows: "R", out: "R K", back: "M N", *, T: tg.const, K: tg.const, at: tg.const
):
    """Whole rows of a table, and back to where they came from."""
    i = tg.program_id(0)
    r = tg.load(rows, (i,), (T,), pad=-1)[:, None]
    columns = tg.iota((1, K), 1) + at
    v = tg.gather(x, (r, columns), pad=1)
    tg.store(out, (i, 0), v)
    tg.scatter(back, (r, columns), v)


def memory_instructions(
    kernel: Any, *arrays: np.ndarray, target: str, **constants: Any
) -> list[str]:
    text = kernel.ir("asm", *arrays, target=target, **constants)
    return re.findall(r"\b((?:global|flat)_(?:load|store)_\w+)", text)


@pytest.mark.parametrize("dtype", (*TYPES, ml_dtypes.float8_e4m3fn))
@pytest.mark.parametrize("n", [64, 72, 70, 13])
@pytest.mark.parametrize("at", [0, 4, 3])
def test_runs_of_rows(device: Any, dtype: Any, n: int, at: int) -> None:
    """Ends at, between and inside runs, which a launch alone knows."""
    rng = np.random.default_rng(n + at)
    x = rng.integers(0, 2, (40, n)).astype(dtype)
    rows = rng.permutation(60)[:50].astype(np.int32) - 10
    out, back = np.zeros((50, 80), dtype), np.zeros_like(x)
    right, right_back = np.full((50, 80), 1).astype(dtype), np.zeros_like(x)
    for i, r in enumerate(rows):
        if 0 <= r < 40:
            right[i, : n - at] = x[r, at:]
            right_back[r, at:] = x[r, at:]
    gather_runs(x, rows, out, back, T=16, at=at)
    assert out.tobytes() == right.tobytes()
    assert back.tobytes() == right_back.tobytes()


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_runs_are_wide(target: str) -> None:
    """16 bytes a lane where rows start at multiples of 16 bytes, and what the start leaves."""
    x, rows = np.zeros((40, 64), ml_dtypes.bfloat16), np.zeros(16, np.int32)
    out = np.zeros((16, 64), ml_dtypes.bfloat16)
    for at, kind in ((0, "dwordx4"), (4, "dwordx2"), (2, "dword"), (1, "ushort")):
        kinds = memory_instructions(gather_runs, x, rows, out, x.copy(), T=16, at=at, target=target)
        assert any(k == f"global_load_{kind}" for k in kinds), (at, kinds)
        if kind != "ushort":
            assert any(k == f"global_store_{kind}" for k in kinds), (at, kinds)


@tg.kernel(grid=lambda x, out: (tg.cdiv(out.shape[0], 8), tg.cdiv(out.shape[1], 16)))
def copied(x: "M N", out: "P Q"):
    i, j = tg.program_id(0), tg.program_id(1)
    rows, columns = i * 8 + tg.iota((8, 1), 0), j * 16 + tg.iota((1, 16), 1)
    tg.store(out, (i, j), tg.gather(x, (rows, columns), pad=5))


def test_a_gather_that_counts_is_a_load(device: Any) -> None:
    x = np.arange(21 * 33, dtype=np.float32).reshape(21, 33)
    out = np.zeros((24, 48), np.float32)
    copied(x, out)
    right = np.full((24, 48), 5, np.float32)
    right[:21, :33] = x
    np.testing.assert_array_equal(out, right)
    text = copied.ir("cdna", x, out)
    assert "load_indexed" not in text and "cdna.load " in text


@tg.kernel(grid=lambda x: (1,))
def taken(x: "8 N", out: "8 N", row: "8 N", some: "4 N", *, N: tg.const):
    t = tg.load(x, (0, 0), (8, N))
    tg.store(out, (0, 0), tg.take(t, tg.broadcast_to(tg.iota((8, 1), 0), (8, N)), 0))
    tg.store(row, (0, 0), tg.take(t, tg.full((8, N), 3, tg.i32), 0))
    tg.store(some, (0, 0), tg.take(t, tg.broadcast_to(tg.iota((4, 1), 0) + 2, (4, N)), 0))


@pytest.mark.parametrize("n", [64, 40])
def test_what_is_taken_from_known_places(device: Any, n: int) -> None:
    x = np.arange(8 * n, dtype=np.float32).reshape(8, n)
    out, row, some = np.zeros_like(x), np.zeros_like(x), np.zeros((4, n), np.float32)
    taken(x, out, row, some)
    np.testing.assert_array_equal(out, x)
    np.testing.assert_array_equal(row, np.broadcast_to(x[3], (8, n)))
    np.testing.assert_array_equal(some, x[2:6])
    assert "tile.take" not in taken.ir("tile", x, out, row, some)
