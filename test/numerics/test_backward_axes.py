"""Arrays with axes that run backwards: a[::-1], a[:, ::-1], and what transposes and slices make."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from tegula.kernels import gemm

BF16 = ml_dtypes.bfloat16
View = Callable[[np.ndarray], np.ndarray]
VIEWS: dict[str, View] = {
    "rows": lambda x: x[::-1],
    "columns": lambda x: x[:, ::-1],
    "both": lambda x: x[::-1, ::-1],
    "every other": lambda x: x[::-2, 3:],
    "transposed": lambda x: x[::-1].T,
    "turned": lambda x: x.T[::-1],
}


@tg.kernel(grid=lambda x, BM, BN: tg.num_tiles(x, (BM, BN)))
def double(x: "M N", out: "M N", *, BM: tg.tile = 8, BN: tg.tile = 32):
    m, n = tg.tile_id(x, (BM, BN))
    t = tg.load(x, (m, n), (BM, BN), pad=7)
    tg.store(out, (m, n), t + t)


def guarded(shape: tuple[int, int], dtype: type, value: float) -> tuple[np.ndarray, np.ndarray]:
    """An array in the middle of a larger one, whose rest must stay as it is."""
    whole = np.full((shape[0] + 32, shape[1] + 64), value, dtype)
    return whole, whole[16:-16, 32:-32]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_loads_and_stores(device: tegula.runtime.Device, view: str, dtype: type) -> None:
    turn = VIEWS[view]
    for shape in ((19, 71), (16, 64), (3, 5)):
        x = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
        whole, out = guarded(shape, dtype, -9)
        double(turn(x), turn(out))
        assert np.array_equal(turn(out), 2 * turn(x)), shape
        turn(out)[...] = -9
        assert (whole == -9).all(), shape


@pytest.mark.parametrize("view", ["rows", "columns", "both", "turned"])
def test_products(device: tegula.runtime.Device, view: str) -> None:
    rng = np.random.default_rng(len(view))
    a = rng.integers(-3, 4, (72, 72)).astype(BF16)
    b = rng.integers(-3, 4, (72, 72)).astype(BF16)
    for left, right in ((VIEWS[view](a), b), (a, VIEWS[view](b)), (VIEWS[view](a), VIEWS[view](b))):
        for stages in (1, 2):
            c = np.zeros((72, 72), np.float32)
            kernel = gemm.with_schedule(**{device.target: {"stages": stages}})
            kernel(left, right, c[::-1], BM=32, BN=32, BK=32)
            wanted = left.astype(np.float32) @ right.astype(np.float32)
            assert np.array_equal(c[::-1], wanted), stages
