"""Every grid of 1 to 16 waves multiplies; rows of an odd number of waves, too, and reduce."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from drawing import stored

import tegula
import tegula as tg
from sampling import sample
from tegula import runtime
from tegula.kernels import gemm, softmax

GRIDS = [(m, n) for m in range(1, 17) for n in range(1, 17) if m * n <= 16]
CASES = [
    (target, grid, lds, layout)
    for target in ("gfx942", "gfx950")
    for grid in GRIDS
    for lds in ("direct", "register", "none")
    for layout in ("NT", "NN", "TN")
    if not (target == "gfx942" and lds == "direct" and layout != "NT")  # nothing transposes there
]


def launched(compiled: object, arguments: dict[str, np.ndarray], target: str) -> None:
    with tegula.device(f"sim:{target}") as device:
        runtime.launch(compiled, arguments)
        assert device.handle.findings()[0] == 0


@pytest.mark.parametrize("target, grid, lds, layout", sample(CASES, 40))
def test_a_product(target: str, grid: tuple[int, int], lds: str, layout: str) -> None:
    bm, bn = max(96, 16 * grid[0]), max(80, 16 * grid[1])
    m, n, k = bm + 2, bn + 6, 32 * 5 + 24
    rng = np.random.default_rng([*grid, len(lds)])
    a, b = (rng.integers(-2, 3, s).astype(ml_dtypes.bfloat16) for s in ((m, k), (k, n)))
    exact = a.astype(np.float32) @ b.astype(np.float32)
    left, right = (stored(x, order) for x, order in zip((a, b), layout, strict=True))
    c = np.full((m, n), np.nan, np.float32)
    stages = 1 if lds == "none" else 2
    kernel = gemm.with_schedule(**{target: dict(waves=grid, lds=lds, stages=stages)})
    if lds == "direct":
        bm, bn = (1 << (extent - 1).bit_length() for extent in (bm, bn))
    compiled = kernel.compile(left, right, c, BM=bm, BN=bn, BK=32, target=target)
    assert compiled.manifest["block"][0] == 64 * math.prod(grid)
    launched(compiled, {"a": left, "b": right, "c": c}, target)
    assert np.array_equal(c, exact)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def product_rows(
    a: "M K", b: "K N", c: "M N", top: "M 1", *, BM: tg.tile, BN: tg.tile, BK: tg.tile
):
    """A product whose rows are reduced across the waves that share them."""
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    most = tg.max(acc, axis=1, keepdims=True)
    tg.store(top, (m, 0), most)
    tg.store(c, (m, n), acc - most)


@pytest.mark.parametrize("grid", sample([(1, 3), (3, 1), (3, 3), (2, 5), (5, 3), (1, 13)], 3))
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_rows_of_a_product_are_reduced(target: str, grid: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    a, b = (rng.integers(-2, 3, s).astype(np.float16) for s in ((150, 96), (96, 208)))
    c, top = np.full((150, 208), np.nan, np.float32), np.full((150, 1), np.nan, np.float32)
    kernel = product_rows.with_schedule(**{target: dict(waves=grid)})
    compiled = kernel.compile(a, b, c, top, BM=96, BN=208, BK=32, target=target)
    launched(compiled, {"a": a, "b": b, "c": c, "top": top}, target)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(top[:, 0], exact.max(axis=1))
    assert np.array_equal(c, exact - exact.max(axis=1, keepdims=True))


@pytest.mark.parametrize("waves", sample(list(range(1, 17)), 5))
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_rows_are_shared_by_any_number_of_waves(target: str, waves: int) -> None:
    x = np.random.default_rng(waves).standard_normal((3, 2880)).astype(np.float32)
    out = np.full_like(x, np.nan)
    kernel = softmax.with_schedule(**{target: dict(waves=(1, waves))})
    compiled = kernel.compile(x, out, target=target)
    assert compiled.manifest["block"][0] == 64 * waves
    launched(compiled, {"x": x, "out": out}, target)
    exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    assert np.allclose(out, exact / exact.sum(axis=1, keepdims=True), rtol=2e-6, atol=0)
