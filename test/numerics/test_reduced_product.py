"""Reductions and transposes of an accumulator: what operands hold beyond the ends of m and n is 0.

A kernel that only stores the product may leave it undefined; these kernels look at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tegula as tg
from oracle import FORMATS, Guarded
from tegula.runtime import Device

LAYOUTS = ("NN", "NT", "TN", "TT")
SHAPES = ((50, 50, 64), (50, 56, 72), (61, 49, 33), (1, 63, 200), (64, 64, 96))
TILE = 64


@tg.kernel(grid=lambda a, b, o: (1,))
def row_sum(a: "M K", b: "K N", o: "M 1", *, B: tg.const):
    acc = tg.zeros((B, B), tg.f32)
    for k in tg.tiles(a, axis=1, size=32):
        acc = tg.mma(tg.load(a, (0, k), (B, 32)), tg.load(b, (k, 0), (32, B)), acc)
    tg.store(o, (0, 0), tg.sum(acc, axis=1, keepdims=True))


@tg.kernel(grid=lambda a, b, o: (1,))
def column_sum(a: "M K", b: "K N", o: "1 N", *, B: tg.const):
    acc = tg.zeros((B, B), tg.f32)
    for k in tg.tiles(a, axis=1, size=32):
        acc = tg.mma(tg.load(a, (0, k), (B, 32)), tg.load(b, (k, 0), (32, B)), acc)
    tg.store(o, (0, 0), tg.sum(acc, axis=0, keepdims=True))


@tg.kernel(grid=lambda a, b, o: (1,))
def transposed(a: "M K", b: "K N", o: "N M", *, B: tg.const):
    acc = tg.zeros((B, B), tg.f32)
    for k in tg.tiles(a, axis=1, size=32):
        acc = tg.mma(tg.load(a, (0, k), (B, 32)), tg.load(b, (k, 0), (32, B)), acc)
    tg.store(o, (0, 0), acc.T)


@tg.kernel(grid=lambda a, b, o: (1,))
def longer_store(a: "M K", b: "K N", o: "P Q", *, B: tg.const):
    acc = tg.zeros((B, B), tg.f32)
    for k in tg.tiles(a, axis=1, size=32):
        acc = tg.mma(tg.load(a, (0, k), (B, 32)), tg.load(b, (k, 0), (32, B)), acc)
    tg.store(o, (0, 0), acc)


@tg.kernel(grid=lambda a, b, o: (1,))
def operand_sum(a: "M K", b: "K N", o: "M N", *, B: tg.const):
    """The loads themselves are summed beside the product."""
    x = tg.load(a, (0, 0), (B, B))
    y = tg.load(b, (0, 0), (B, B))
    acc = tg.mma(x, y, tg.zeros((B, B), tg.f32))
    columns = tg.sum(x.to(tg.f32), axis=0, keepdims=True)
    rows = tg.sum(y.to(tg.f32), axis=1, keepdims=True)
    acc = acc + tg.sum(columns, axis=1, keepdims=True) + tg.sum(rows, axis=0, keepdims=True)
    tg.store(o, (0, 0), acc)


@tg.kernel(grid=lambda o, B: tg.num_tiles(o, (B, B)))
def sums_beside_steps(a: "M K", b: "K N", o: "M N", *, B: tg.const):
    """The loads of each step are looked at, too: both in one pipelined loop."""
    m, n = tg.tile_id(o, (B, B))
    acc, rows = tg.zeros((B, B), tg.f32), tg.zeros((B, 1), tg.f32)
    for k in tg.tiles(a, axis=1, size=32):
        x, y = tg.load(a, (m, k), (B, 32)), tg.load(b, (k, n), (32, B))
        rows = rows + tg.sum(x.to(tg.f32), axis=1, keepdims=True)
        acc = tg.mma(x, y, acc) + tg.max(y, axis=0, keepdims=True).to(tg.f32)
    tg.store(o, (m, n), acc + rows)


def operands(shape: tuple[int, int, int], layout: str) -> tuple[np.ndarray, np.ndarray]:
    """Small integers: every sum is exact. What lies behind the ends of the arrays is NaN."""
    m, n, k = shape
    rng = np.random.default_rng([m, n, k])

    def make(rows: int, columns: int, transpose: bool) -> np.ndarray:
        values = rng.integers(1, 4, (rows, columns)).astype(FORMATS["bf16"][0])
        stored = Guarded((columns, rows) if transpose else (rows, columns), "bf16")
        stored.array[...] = values.T if transpose else values
        return stored.array.T if transpose else stored.array

    return make(m, k, layout[0] == "T"), make(k, n, layout[1] == "T")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "kernel, reference",
    [
        (row_sum, lambda c: c.sum(axis=1, keepdims=True)),
        (column_sum, lambda c: c.sum(axis=0, keepdims=True)),
        (transposed, lambda c: c.T),
        (longer_store, lambda c: np.pad(c, [(0, TILE - c.shape[0]), (0, TILE - c.shape[1])])),
    ],
    ids=["row_sum", "column_sum", "transposed", "longer_store"],
)
def test_reduced_product(
    device: Device,
    kernel: Callable[..., None],
    reference: Callable[[np.ndarray], np.ndarray],
    layout: str,
    shape: tuple[int, int, int],
) -> None:
    a, b = operands(shape, layout)
    exact = reference(a.astype(np.float64) @ b.astype(np.float64))
    found = Guarded(exact.shape, "f32")
    kernel(a, b, found.array, B=TILE)
    assert found.intact()
    assert np.array_equal(found.array, exact)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_summed_operands(device: Device, layout: str) -> None:
    a, b = operands((50, 41, 64), layout)
    wide = a.astype(np.float64), b.astype(np.float64)
    found = Guarded((50, 41), "f32")
    operand_sum(a, b, found.array, B=TILE)
    assert found.intact()
    assert np.array_equal(found.array, wide[0] @ wide[1] + wide[0].sum() + wide[1].sum())


BESIDE = (
    {},
    dict(waves=(2, 2), lds="direct", stages=3),
    *(dict(waves=(4, 1), lds="register", stages=n) for n in (1, 2)),
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("schedule", BESIDE, ids=str)
@pytest.mark.parametrize("depth", [64, 211])
def test_sums_beside_steps(
    device: Device, layout: str, schedule: dict[str, Any], depth: int
) -> None:
    a, b = operands((70, 64, depth), layout)
    wide = a.astype(np.float64), b.astype(np.float64)
    tops = [wide[1][k : k + 32].max(axis=0) for k in range(0, depth - depth % 32, 32)]
    if depth % 32:  # what lies outside reads 0
        tops.append(np.maximum(wide[1][depth - depth % 32 :].max(axis=0), 0))
    found = Guarded((70, 64), "f32")
    try:
        sums_beside_steps.with_schedule(**{device.target: schedule})(a, b, found.array, B=TILE)
    except tg.ScheduleError as refused:
        assert refused.label == "tile.schedule.c4" and schedule["lds"] == "direct"
        return
    assert found.intact()
    exact = wide[0] @ wide[1] + wide[0].sum(axis=1, keepdims=True) + sum(tops)
    assert np.array_equal(found.array, exact)
