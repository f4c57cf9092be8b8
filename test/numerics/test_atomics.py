"""Atomic updates on both targets, against NumPy: kinds, types, places, what lies outside."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sampling
import tegula as tg

INTEGERS = {
    "i32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "u64": np.dtype(np.uint64),
}
FLOATS = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
TYPES = {**INTEGERS, **FLOATS}
KINDS = {
    **{name: ("add", "max", "min", "and_", "or_", "xor", "xchg") for name in INTEGERS},
    **{name: ("add", "max", "min", "xchg") for name in FLOATS},
}
#: How an array of some shape lies in memory: by rows, by columns, with gaps between rows.
STORAGE = ("rows", "columns", "gaps")


@tg.function
def update(view, index, tile, kind, order, scope):
    if kind == "add":
        tg.atomic_add(view, index, tile, order, scope)
    if kind == "max":
        tg.atomic_max(view, index, tile, order, scope)
    if kind == "min":
        tg.atomic_min(view, index, tile, order, scope)
    if kind == "and_":
        tg.atomic_and_(view, index, tile, order, scope)
    if kind == "or_":
        tg.atomic_or_(view, index, tile, order, scope)
    if kind == "xor":
        tg.atomic_xor(view, index, tile, order, scope)
    if kind == "xchg":
        tg.atomic_xchg(view, index, tile, order, scope)


@tg.kernel(grid=lambda x, BM, BN: (tg.cdiv(x.shape[0], BM), tg.cdiv(x.shape[1], BN)))
def by_tile(
    x: "M N",
    out: "A B",
    *,
    BM: tg.const,
    BN: tg.const,
    kind: tg.const,
    order: tg.const = "relaxed",
    scope: tg.const = "agent",
):
    i, j = tg.program_id(0), tg.program_id(1)
    update(out, (i, j), tg.load(x, (i, j), (BM, BN)), kind, order, scope)


@tg.kernel(grid=lambda x, B: (tg.cdiv(x.shape[0], B),))
def by_element(x: "N", rows: "N", columns: "N", out: "P Q", *, B: tg.const, kind: tg.const):
    i = tg.program_id(0)
    r = tg.load(rows, (i,), (B,), pad=-1)
    c = tg.load(columns, (i,), (B,))
    update(out, (r, c), tg.load(x, (i,), (B,)), kind, "relaxed", "agent")


def arranged(values: np.ndarray, storage: str, guard: Any) -> tuple[np.ndarray, np.ndarray]:
    """(array, the memory around it): ``guard`` on all sides, and between rows with gaps."""
    m, n = values.shape
    if storage == "columns":
        whole = np.full((n + 4, m + 4), guard, values.dtype)
        array = whole[2 : 2 + n, 2 : 2 + m].T
    else:
        whole = np.full((m + 4, n + (9 if storage == "gaps" else 4)), guard, values.dtype)
        array = whole[2 : 2 + m, 2 : 2 + n]
    array[...] = values
    return array, whole


def random(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small numbers, whose sums are exact; integers also with their upper bits."""
    values = rng.integers(-100, 101, shape)
    if dtype in INTEGERS:
        values = values * int(rng.choice([1, 0x1234567]))
    return values.astype(TYPES[dtype])


def special(values: np.ndarray, rng: np.random.Generator) -> None:
    """Zeros of both signs, infinities and NaNs of both signs at random places."""
    flat = values.reshape(-1)
    for number in (0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan):
        flat[rng.integers(0, flat.size, max(1, flat.size // 16))] = number


def assert_same(found: np.ndarray, right: np.ndarray) -> None:
    if right.dtype.kind in "iu":
        np.testing.assert_array_equal(found, right)
        return
    a, b = found.astype(np.float64), right.astype(np.float64)
    np.testing.assert_array_equal(a, b)  # NaN equals NaN
    numbers = ~np.isnan(b)
    np.testing.assert_array_equal(np.signbit(a)[numbers], np.signbit(b)[numbers])


def expected(kind: str, memory: np.ndarray, tile: np.ndarray) -> np.ndarray:
    """NumPy's, where -0 is below 0 in extrema."""
    if kind == "xchg":
        return tile
    if kind in ("max", "min") and memory.dtype.kind not in "iu":
        a, b = memory.astype(np.float64), tile.astype(np.float64)
        pick = np.maximum if kind == "max" else np.minimum
        found = pick(a, b)
        negative = np.signbit(a) & np.signbit(b) if kind == "max" else np.signbit(a) | np.signbit(b)
        zeros = (a == 0) & (b == 0)
        return np.where(zeros, np.where(negative, -0.0, 0.0), found).astype(memory.dtype)
    operation = {"add": np.add, "max": np.maximum, "min": np.minimum}.get(kind)
    operation = operation or getattr(np, f"bitwise_{kind.strip('_')}")
    return operation(memory, tile)


CASES = [(dtype, kind, storage) for dtype in TYPES for kind in KINDS[dtype] for storage in STORAGE]


@pytest.mark.parametrize(("dtype", "kind", "storage"), sampling.sample(CASES, 40))
def test_tiles(device: Any, dtype: str, kind: str, storage: str) -> None:
    rng = np.random.default_rng(sum(map(ord, dtype + kind + storage)))
    m, n = int(rng.integers(1, 40)), 2 * int(rng.integers(1, 40))
    if TYPES[dtype].itemsize == 2:  # its last dword is whole
        m += m % 2 if storage == "columns" else 1 - m % 2
    shape = m, n
    x, before = random(rng, dtype, shape), random(rng, dtype, shape)
    if dtype in FLOATS and kind in ("max", "min"):
        special(x, rng)
        special(before, rng)
    guard = 77
    out, whole = arranged(before, storage, guard)
    right, right_whole = arranged(before, storage, guard)
    right[...] = expected(kind, before, x)
    interpreted, _ = arranged(before, storage, guard)
    tile = {"BM": int(rng.choice([1, 3, 8])), "BN": int(rng.choice([2, 16, 24]))}
    by_tile(x, out, kind=kind, **tile)
    by_tile.interpret(x, interpreted, kind=kind, **tile)
    assert_same(whole, right_whole)
    assert_same(interpreted, right)


@pytest.mark.parametrize("order", ["acquire", "release", "acq_rel"])
@pytest.mark.parametrize("scope", ["workgroup", "agent", "system"])
def test_orders(device: Any, order: str, scope: str) -> None:
    x = np.arange(16 * 96, dtype=np.int32).reshape(16, 96)
    out = np.ones_like(x)
    by_tile(x, out, kind="max", BM=8, BN=32, order=order, scope=scope)
    np.testing.assert_array_equal(out, np.maximum(x, 1))


@pytest.mark.parametrize(
    ("dtype", "kind"),
    sampling.sample([(d, k) for d in TYPES for k in KINDS[d] if k != "xchg"], 12),
)
def test_elements(device: Any, dtype: str, kind: str) -> None:
    """Many updates of few elements: all count, in any order; those outside do not."""
    rng = np.random.default_rng(sum(map(ord, dtype + kind)))
    n, extents = 300, (5, 6)
    x = rng.integers(-3, 4, n).astype(TYPES[dtype])
    index = rng.choice([np.int32, np.int64])
    rows, columns = (rng.integers(-1, e + 1, n).astype(index) for e in extents)
    out = rng.integers(-3, 4, extents).astype(TYPES[dtype])
    right, interpreted = out.copy(), out.copy()
    for value, r, c in zip(x, rows, columns, strict=True):
        if 0 <= r < extents[0] and 0 <= c < extents[1]:
            right[r, c] = expected(kind, right[r, c], value)
    by_element(x, rows, columns, out, B=64, kind=kind)
    by_element.interpret(x, rows, columns, interpreted, B=64, kind=kind)
    assert_same(out, right)
    assert_same(interpreted, right)


@tg.kernel(grid=lambda keys: (tg.cdiv(keys.shape[0], 32),))
def tickets(keys: "N", counts: "C", taken: "N"):
    i = tg.program_id(0)
    k = tg.load(keys, (i,), (32,), pad=-1)
    tg.store(taken, (i,), tg.atomic_add(counts, (k,), 1, fetch=True))


def test_each_fetch_is_of_its_own(device: Any) -> None:
    rng = np.random.default_rng(3)
    keys = rng.integers(-1, 5, 333).astype(np.int32)
    counts, taken = np.zeros(4, np.int32), np.full(333, -9, np.int32)
    tickets(keys, counts, taken)
    for key in range(4):
        mine = taken[keys == key]
        assert sorted(mine) == list(range(len(mine))) and counts[key] == len(mine)
    assert not taken[(keys < 0) | (keys > 3)].any()


@tg.kernel(grid=lambda out: (out.shape[0],))
def total(x: "N", count: "1", out: "G"):
    """One number a workgroup, that all lanes hold: it counts once, and all learn the old one."""
    old = tg.atomic_add(count, (0,), tg.full((1,), 5, tg.i32), "acq_rel", fetch=True)
    everywhere = tg.broadcast_to(old, (64,))
    tg.store(out, (tg.program_id(0),), tg.max(everywhere, axis=0, keepdims=True))


@pytest.mark.parametrize("waves", [1, 2, 4])
def test_copies_count_once(device: Any, waves: int) -> None:
    count, out = np.zeros(1, np.int32), np.zeros(9, np.int32)
    schedule = {name: {"waves": (1, waves)} for name in ("gfx942", "gfx950")}
    total.with_schedule(**schedule)(np.zeros(4, np.float32), count, out)
    assert count[0] == 45 and sorted(out) == list(range(0, 45, 5))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 16),))
def swap(x: "N", memory: "N", old: "N"):
    i = tg.program_id(0)
    t = tg.load(x, (i,), (16,))
    tg.store(old, (i,), tg.atomic_cas(memory, (i,), t, t + t, "acq_rel"))


@pytest.mark.parametrize("dtype", ["i32", "u64", "f32", "f64"])
def test_compare_and_swap(device: Any, dtype: str) -> None:
    x = np.arange(-5, 40).astype(TYPES[dtype])
    before = np.where(np.arange(x.size) % 3 == 0, x, x + 1).astype(x.dtype)
    memory, old = before.copy(), np.zeros_like(x)
    swap(x, memory, old)
    assert_same(old, before)
    assert_same(memory, np.where(before == x, x + x, before))


def test_deterministic_refuses_what_depends_on_order(device: Any) -> None:
    x = np.ones((8, 64), np.float32)
    out = np.zeros_like(x)
    with tg.deterministic():
        by_tile(x, out, kind="max", BM=8, BN=64)
        with pytest.raises(tg.LaunchError, match=r"'by_tile' is not deterministic"):
            by_tile(x, out, kind="add", BM=8, BN=64)
        with pytest.raises(tg.LaunchError, match="not deterministic"):
            tickets(np.zeros(3, np.int32), np.zeros(4, np.int32), np.zeros(3, np.int32))
        by_tile(x.astype(np.int32), out.astype(np.int32), kind="add", BM=8, BN=64)
    by_tile(x, out, kind="add", BM=8, BN=64)
    np.testing.assert_array_equal(out, 2)
