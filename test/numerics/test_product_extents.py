"""Products of tiles of any K: of every type, on both targets, from views in either order."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.language import dtypes as dt


@tg.kernel(grid=lambda a: (1,))
def product(
    a: "M K", b: "K N", c: "M N", *, M: tg.const, N: tg.const, K: tg.const, sums: tg.const
) -> None:
    x, y = tg.load(a, (0, 0), (M, K)), tg.load(b, (0, 0), (K, N))
    tg.store(c, (0, 0), tg.mma(x, y, tg.zeros((M, N), sums)))


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def looped(
    a: "M K", b: "K N", c: "M N", *, BM: tg.tile = 32, BN: tg.tile = 48, BK: tg.tile = 33
) -> None:
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        x, y = tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN))
        acc = tg.mma(x, y, acc)
    tg.store(c, (m, n), acc)


@tg.kernel(grid=lambda a: (1,))
def batched(a: "B M K", b: "B K N", c: "B M N", *, K: tg.const) -> None:
    x, y = tg.load(a, (0, 0, 0), (3, 17, K)), tg.load(b, (0, 0, 0), (3, K, 20))
    tg.store(c, (0, 0, 0), tg.mma(x, y, tg.zeros((3, 17, 20), tg.f32)))


#: Element type and K: what no instruction divides, what only small ones do, and whole ones.
EXTENTS = [
    *((np.float32, k) for k in (1, 2, 6, 7, 10)),
    *((np.float64, k) for k in (3, 4, 9)),
    *((ml_dtypes.bfloat16, k) for k in (1, 8, 24, 33)),
    *((np.int8, k) for k in (5, 24, 40)),
    *((ml_dtypes.float8_e4m3fn, k) for k in (3, 8, 16, 24, 48, 100)),
    *((ml_dtypes.float8_e5m2fnuz, k) for k in (3, 8, 16, 24, 48, 100)),
]


def small(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.random.default_rng(shape).integers(-3, 4, shape).astype(dtype)


def exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize("dtype, k", EXTENTS)
@pytest.mark.parametrize("is_transposed", [False, True])
def test_any_contraction(device: tg.Device, dtype: Any, k: int, is_transposed: bool) -> None:
    a = small((17, k), dtype)
    b = small((48, k), dtype).T if is_transposed else small((k, 48), dtype)
    sums = {np.int8: tg.i32, np.float64: tg.f64}.get(dtype, tg.f32)
    c = np.zeros((17, 48), sums.numpy)
    product(a, b, c, sums=sums)
    assert np.array_equal(c, exact(a, b))


@pytest.mark.parametrize("schedule", [{}, {"mma": "32x32x16"}, {"lds": "none", "waves": (1, 1)}])
@pytest.mark.parametrize("k", [0, 20, 100])
def test_loops_over_odd_tiles(device: tg.Device, schedule: dict[str, Any], k: int) -> None:
    if device.target == "gfx942" and "mma" in schedule:
        schedule = {"mma": "32x32x8"}
    a, b = small((50, k), np.float16), small((k, 90), np.float16)
    c = np.zeros((50, 90), np.float32)
    looped.with_schedule(**{device.target: schedule})(a, b, c)
    assert np.array_equal(c, exact(a, b))


def test_batches_of_odd_products(device: tg.Device) -> None:
    a, b = small((3, 17, 9), ml_dtypes.bfloat16), small((3, 9, 20), ml_dtypes.bfloat16)
    c = np.zeros((3, 17, 20), np.float32)
    batched(a, b, c)
    assert np.array_equal(c, exact(a, b))


def test_a_remark_says_what_is_padded() -> None:
    of = tg.array(tg.bf16, 2)
    signature = tg.Signature(a=of, b=of, c=tg.array(tg.f32, 2), M=16, N=16, K=33, sums=dt.f32)
    report = product.report(signature, target="gfx950")
    assert "K = 33 is padded to 40 with zeros" in report


@tg.kernel(grid=lambda a: (1,))
def unaligned_steps(a: "M K", b: "K N", c: "M N", *, BK: tg.const, sums: tg.const) -> None:
    acc = tg.zeros((48, 64), sums)
    for k in tg.tiles(a, axis=1, size=BK):
        x, y = tg.load(a, (0, k), (48, BK), pad=1), tg.load(b, (k, 0), (BK, 64))
        acc = tg.mma(x, y, acc)
    tg.store(c, (0, 0), acc)


@pytest.mark.parametrize("dtype, bk", [(np.int8, 33), (np.int8, 66), (ml_dtypes.bfloat16, 33)])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_steps_that_are_aligned_to_less_than_the_array(
    device: tg.Device, dtype: Any, bk: int, is_transposed: bool
) -> None:
    a, b = small((49, 4 * bk), dtype), small((4 * bk, 64), dtype)
    if is_transposed:  # both walk along memory
        b = np.ascontiguousarray(b.T).T
    sums = {np.int8: tg.i32}.get(dtype, tg.f32)
    c = np.zeros((48, 64), sums.numpy)
    unaligned_steps(a[:48], b, c, BK=bk, sums=sums)
    assert np.array_equal(c, exact(a[:48], b))
