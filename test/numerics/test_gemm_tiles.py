"""GEMM with tiles of any extents: exact, or a budget that the message says how to meet."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

import tegula
from sampling import SEED, sample
from tegula.kernels import gemm

EXTENTS = (16, 32, 48, 64, 80, 96, 112, 128, 160, 256)
TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}


def draw(count: int) -> list[tuple[str, str, tuple[int, int, int], tuple[int, int, int]]]:
    """(layout, element type, tile, shape): one or two tiles each way, some with tails."""
    rng = random.Random(SEED)
    cases = []
    for _ in range(count):
        tile = tuple(rng.choice(EXTENTS) for _ in range(3))
        steps = (1, 1, rng.choice((1, 2, 3)))
        tails = (
            rng.choice((0, 0, 1, -5, 16)),
            rng.choice((0, 0, 1, -7, 8)),
            rng.choice((0, -3, 8)),
        )
        shape = tuple(max(1, t * s + r) for t, s, r in zip(tile, steps, tails, strict=True))
        layout = rng.choice(("NN", "NT", "TN", "TT"))
        cases.append((layout, rng.choice(("bf16", "bf16", "f16", "f32")), tile, shape))
    return cases


#: Rows of LDS that are no power of two, read transposed where the target can.
REPORTED = [("NN", "bf16", (64, bn, 64), (65, bn + 8, 200)) for bn in (48, 80, 96, 112, 160)]
REPORTED += [("TN", "f16", (bm, 64, 64), (bm + 8, 72, 136)) for bm in (48, 80)]


def stored(matrix: np.ndarray, transposed: bool) -> np.ndarray:
    return np.ascontiguousarray(matrix.T).T if transposed else matrix


@pytest.mark.parametrize("layout, dtype, tile, shape", REPORTED + sample(draw(300), 12))
def test_tiles(
    device: tegula.runtime.Device,
    layout: str,
    dtype: str,
    tile: tuple[int, int, int],
    shape: tuple[int, int, int],
) -> None:
    m, n, k = shape
    rng = np.random.default_rng([m, n, k])
    a, b = (rng.integers(-2, 3, s).astype(TYPES[dtype]) for s in ((m, k), (k, n)))
    c = np.full((m, n), np.nan, np.float32)
    tiles = dict(zip(("BM", "BN", "BK"), tile, strict=True))
    try:
        gemm(stored(a, layout[0] == "T"), stored(b, layout[1] == "T"), c, **tiles)
    except tegula.errors.LdsBudget as error:
        assert " fits" in str(error) or "a smaller tile is needed" in str(error)
        return
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
