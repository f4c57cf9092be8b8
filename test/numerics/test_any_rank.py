"""Reshapes, reductions and broadcasts of any rank and any extents, against NumPy, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tegula as tg
from sampling import sample

TARGETS = ("gfx942", "gfx950")
EXTENTS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 33)


@tg.kernel(grid=lambda x: (1,))
def reduce_any(x: "A", out: "B", *, A: tg.const, S: tg.const, axis: tg.const, kind: tg.const):
    t = tg.load(x, (0,), (A,)).reshape(S)
    if kind == "sum":
        r = tg.sum(t, axis=axis)
    else:
        r = tg.max(t, axis=axis)
    tg.store(out, (0,), r.reshape(A // S[axis]))


@tg.kernel(grid=lambda x: (1,))
def reshape_any(x: "A", out: "A", *, A: tg.const, S: tg.const, T: tg.const):
    t = tg.load(x, (0,), (A,)).reshape(S)
    tg.store(out, (0,), t.reshape(T).reshape(A))


@tg.kernel(grid=lambda x: (1,))
def mixed(x: "M N", y: "N M", r: "M", c: "N", out: "M N", *, M: tg.const, N: tg.const):
    """Operands that are contiguous along different axes, and vectors along both."""
    a = tg.load(x, (0, 0), (M, N))
    b = tg.load(y, (0, 0), (N, M)).T
    rows = tg.load(r, (0,), (M,))[:, None]
    columns = tg.load(c, (0,), (N,))[None, :]
    tg.store(out, (0, 0), a * columns + b * rows + tg.sum(b, axis=1, keepdims=True))


@tg.kernel(grid=lambda x: (1,))
def turned(x: "M M", out: "M M", n: tg.i32, *, M: tg.const):
    t = tg.load(x, (0, 0), (M, M))
    y = t if n > 1 else t.T
    tg.store(out, (0, 0), y)


def shapes(count: int, most: int = 8192) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(7)
    found: list[tuple[int, ...]] = []
    while len(found) < count:
        rank = 1 + len(found) % 5
        shape = tuple(int(e) for e in rng.choice(EXTENTS, rank))
        if math.prod(shape) <= most:
            found.append(shape)
    return found


REDUCED = [
    (target, shape, axis, kind)
    for number, shape in enumerate(shapes(200))
    for axis in range(len(shape))
    for target in (TARGETS[number % 2],)
    for kind in (("sum", "max")[(number + axis) % 2],)
]


@pytest.mark.parametrize("target, shape, axis, kind", sample(REDUCED, 25))
def test_reductions(target: str, shape: tuple[int, ...], axis: int, kind: str) -> None:
    x = np.random.default_rng(1).integers(-1000, 1000, math.prod(shape)).astype(np.int32)
    right = getattr(x.reshape(shape), kind)(axis=axis).astype(np.int32).reshape(-1)
    out = np.full(right.shape, -7, np.int32)
    with tg.device(f"sim:{target}"):
        reduce_any(x, out, S=shape, axis=axis, kind=kind)
    assert np.array_equal(out, right)


def regrouped() -> list[tuple[Any, ...]]:
    """Two shapes with the same elements: factors dealt to other axes."""
    rng = np.random.default_rng(3)
    cases: list[tuple[Any, ...]] = [("gfx950", (16, 48), (4, 4, 8, 6))]
    for number in range(100):
        factors = [int(f) for f in rng.choice((2, 2, 2, 3, 4, 5, 7, 8), 6)]
        if math.prod(factors) > 8192:
            continue
        pair = []
        for _ in range(2):
            cuts = sorted(rng.choice(range(1, 6), int(rng.integers(0, 5)), replace=False))
            parts = np.split(np.array(factors), cuts)
            pair.append(tuple(int(math.prod(part)) for part in parts))
            rng.shuffle(factors)
        cases.append((TARGETS[number % 2], *pair))
    return cases


@pytest.mark.parametrize("target, first, second", sample(regrouped(), 12))
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_reshapes(target: str, first: tuple[int, ...], second: tuple[int, ...], dtype: Any) -> None:
    x = np.random.default_rng(2).integers(-99, 99, math.prod(first)).astype(dtype)
    out = np.zeros_like(x)
    with tg.device(f"sim:{target}"):
        reshape_any(x, out, S=first, T=second)
    assert np.array_equal(out, x)


@pytest.mark.parametrize("target", TARGETS)
def test_a_reshape_off_powers_of_two_needs_no_schedule(target: str) -> None:
    @tg.kernel(grid=lambda x: (1,))
    def split(x: "A B", out: "C D E F"):
        tg.store(out, (0, 0, 0, 0), tg.load(x, (0, 0), (16, 48)).reshape(4, 4, 8, 6))

    x = np.arange(16 * 48, dtype=np.float32).reshape(16, 48)
    out = np.zeros((4, 4, 8, 6), np.float32)
    with tg.device(f"sim:{target}"):
        split(x, out)
    assert np.array_equal(out, x.reshape(out.shape))


PAIRS = [(m, n) for m in (1, 5, 16, 24, 64, 80) for n in (1, 7, 32, 48, 128)]


@pytest.mark.parametrize("m, n", sample(PAIRS, 8))
@pytest.mark.parametrize("target", TARGETS)
def test_operands_of_different_layouts(target: str, m: int, n: int) -> None:
    rng = np.random.default_rng(5)
    x, y, r, c = (
        rng.integers(-9, 9, shape).astype(np.float32) for shape in ((m, n), (n, m), (m,), (n,))
    )
    out = np.full((m, n), np.nan, np.float32)
    with tg.device(f"sim:{target}"):
        mixed(x, y, r, c, out)
    assert np.array_equal(out, x * c + y.T * r[:, None] + y.T.sum(1, keepdims=True))


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("m", [16, 48, 128])
def test_branches_unify_a_square_tile_and_its_transpose(m: int, n: int) -> None:
    x = np.random.default_rng(6).random((m, m), np.float32)
    out = np.zeros_like(x)
    with tg.device("sim:gfx950"):
        turned(x, out, n)
    assert np.array_equal(out, x if n > 1 else x.T)
