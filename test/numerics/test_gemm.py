"""GEMM: exact on small integers, bounded on random data; every tail, layout, stride and offset."""

from __future__ import annotations

import itertools
import random as pyrandom

import numpy as np
import pytest

import tegula
from oracle import FORMATS, Guarded, quantum, round_once
from sampling import SEED, sample
from tegula.kernels import gemm

EXTENTS = (1, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 255, 257, 384, 500)
LAYOUTS = ("NN", "NT", "TN", "TT")
TRIPLES = pyrandom.Random(SEED).sample(list(itertools.product(EXTENTS, repeat=3)), 200)
BATCH = 10  # triples a test


def operand(shape: tuple[int, int], transposed: bool, dtype: str, values: np.ndarray) -> Guarded:
    """A guarded matrix whose ``array`` has ``shape`` and is stored transposed if asked."""
    if not transposed:
        return Guarded(shape, dtype, values)
    stored = Guarded((shape[1], shape[0]), dtype, values.T)
    stored.array = stored.array.T
    return stored


def multiply(
    shape: tuple[int, int, int], layout: str, dtype: str, integers: bool, bias: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(result, exact product, Σ|a·b|) in float64, with guard zones checked."""
    m, n, k = shape
    rng = np.random.default_rng([m, n, k])
    if integers:
        draw = lambda s: rng.integers(-2, 3, s).astype(np.float64)  # noqa: E731
    else:
        draw = rng.standard_normal
    kind = FORMATS[dtype][0]
    left, right, added = draw((m, k)).astype(kind), draw((k, n)).astype(kind), draw(n).astype(kind)
    a = operand((m, k), layout[0] == "T", dtype, left)
    b = operand((k, n), layout[1] == "T", dtype, right)
    c, row = Guarded((m, n), dtype), Guarded((n,), dtype, added)
    gemm(a.array, b.array, c.array, *([row.array] if bias else []))
    assert a.intact() and b.intact() and c.intact() and row.intact()
    wide = [v.astype(np.float64) for v in (left, right, added)]
    exact, weight = wide[0] @ wide[1], np.abs(wide[0]) @ np.abs(wide[1])
    if bias:
        exact, weight = exact + wide[2], weight + np.abs(wide[2])
    return c.array.astype(np.float64), exact, weight


def check(shape: tuple[int, int, int], layout: str, dtype: str, integers: bool) -> None:
    bias = sum(shape) % 2 == 0  # about half of the shapes
    found, exact, weight = multiply(shape, layout, dtype, integers, bias)
    if integers:
        assert np.array_equal(found, round_once(exact, dtype)), (shape, layout)
    else:
        bound = (shape[2] + 1) * 2.0**-24 * weight
        bound += quantum(np.abs(exact) + bound, dtype) / 2
        assert np.isfinite(found).all(), (shape, layout)
        assert (np.abs(found - exact) <= bound).all(), (shape, layout)


@pytest.mark.parametrize("start", range(0, len(TRIPLES), BATCH))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ("bf16", "f16"))
def test_gemm(device: tegula.runtime.Device, dtype: str, layout: str, start: int) -> None:
    for shape in TRIPLES[start : start + BATCH]:
        check(shape, layout, dtype, integers=True)
        check(shape, layout, dtype, integers=False)


LARGE = [(512, 512, 1024), (300, 700, 1000), (1, 4096, 512), (256, 256, 64), (257, 513, 129)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", sample(LARGE, 5))
def test_gemm_larger(
    device: tegula.runtime.Device, layout: str, shape: tuple[int, int, int]
) -> None:
    check(shape, layout, "bf16", integers=True)
    check(shape, layout, "bf16", integers=False)


@pytest.mark.parametrize("shape", [(16, 16, 0), (0, 16, 16), (16, 0, 16), (0, 0, 0), (65, 33, 0)])
def test_empty(device: tegula.runtime.Device, shape: tuple[int, int, int]) -> None:
    found, exact, _ = multiply(shape, "NN", "bf16", integers=True, bias=False)
    assert np.array_equal(found, exact)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strided_and_offset_views(device: tegula.runtime.Device, layout: str) -> None:
    """Rows with a pitch, bases that are aligned to nothing but the element, a strided result."""
    m, n, k = 70, 90, 100
    rng = np.random.default_rng(7)
    kind = FORMATS["bf16"][0]

    def window(rows: int, columns: int) -> np.ndarray:
        whole = rng.integers(-2, 3, (rows + 5, columns + 11)).astype(np.float32).astype(kind)
        return whole[3 : 3 + rows, 5 : 5 + columns]

    a = window(k, m).T if layout[0] == "T" else window(m, k)
    b = window(n, k).T if layout[1] == "T" else window(k, n)
    whole = np.full((m + 5, n + 11), np.nan, dtype=kind)
    c = whole[3 : 3 + m, 5 : 5 + n]
    gemm(a, b, c)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert np.array_equal(c.astype(np.float64), round_once(exact, "bf16"))
    outside = np.ones(whole.shape, dtype=bool)
    outside[3 : 3 + m, 5 : 5 + n] = False
    assert np.isnan(whole[outside].astype(np.float32)).all()


def at_the_end(values: np.ndarray, pitch: int) -> np.ndarray:
    """The values with padded rows, the last of which ends the memory that the launch may touch."""
    rows, columns = values.shape
    memory = np.zeros((rows - 1) * pitch + columns, values.dtype)
    view = np.lib.stride_tricks.as_strided(memory, (rows, columns), (pitch * 2, 2))
    view[...] = values
    return view


@pytest.mark.parametrize("odd", [(33, 64, 65), (64, 63, 64), (65, 129, 31), (1, 63, 33)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ("bf16", "f16"))
def test_padded_rows_that_end_inside_a_dword(
    device: tegula.runtime.Device, dtype: str, layout: str, odd: tuple[int, int, int]
) -> None:
    """Not one byte behind the last element is read: the sanitizer knows where each array ends."""
    m, n, k = odd
    rng = np.random.default_rng(odd)
    kind = FORMATS[dtype][0]
    left, right = (rng.integers(-2, 3, s).astype(kind) for s in ((m, k), (k, n)))
    a = at_the_end(left.T, 72).T if layout[0] == "T" else at_the_end(left, 72)
    b = at_the_end(right.T, 72).T if layout[1] == "T" else at_the_end(right, 136)
    c = at_the_end(np.zeros((m, n), kind), 136)
    gemm(a, b, c, BM=32, BN=64, BK=32)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    assert np.array_equal(c.astype(np.float64), round_once(exact, dtype))
