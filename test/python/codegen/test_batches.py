"""Products of batches: tiles of rank 3, multiplied batch by batch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from loops import disassemble, hottest_loop
from tegula import runtime

BF16 = ml_dtypes.bfloat16


@tg.kernel(grid=lambda c, BB, BM, BN: tg.num_tiles(c, (BB, BM, BN)))
def batched(
    a: "B M K", b: "B K N", c: "B M N",
    *, BB: tg.tile, BM: tg.tile, BN: tg.tile, BK: tg.tile,
):  # fmt: skip
    """c[i] = a[i] @ b[i]; a tile has BB batches."""
    i, m, n = tg.tile_id(c, (BB, BM, BN))
    acc = tg.zeros((BB, BM, BN), tg.f32)
    for k in tg.tiles(a, axis=2, size=BK):
        left = tg.load(a, (i, m, k), (BB, BM, BK))
        acc = tg.mma(left, tg.load(b, (i, k, n), (BB, BK, BN)), acc)
    tg.store(c, (i, m, n), acc.to(c.dtype))


@tg.kernel(grid=lambda c, BB: (tg.cdiv(c.shape[0], BB),))
def scores(
    q: "B M D", k: "B N D", bias: "N", c: "B M N", top: "B M 1",
    *, M: tg.const, N: tg.const, D: tg.const, BB: tg.tile,
):  # fmt: skip
    """Rows of q times rows of k, with a bias, and the greatest of each row."""
    i = tg.program_id(0)
    left, right = tg.load(q, (i, 0, 0), (BB, M, D)), tg.load(k, (i, 0, 0), (BB, N, D))
    s = tg.mma(left, tg.permute(right, (0, 2, 1)), tg.zeros((BB, M, N), tg.f32))
    s = s * 0.5 + tg.load(bias, (0,), (N,)).to(tg.f32)[None, None, :]
    tg.store(c, (i, 0, 0), s)
    tg.store(top, (i, 0, 0), tg.max(s, axis=2, keepdims=True))


@tg.kernel(grid=lambda c: (1,))
def total(a: "B M K", b: "B K N", c: "M N", *, B: tg.const, M: tg.const, N: tg.const, K: tg.const):
    """The sum over all batches: a reduction of the axis that products are taken apart along."""
    left, right = tg.load(a, (0, 0, 0), (B, M, K)), tg.load(b, (0, 0, 0), (B, K, N))
    product = tg.mma(left, right, tg.zeros((B, M, N), tg.f32))
    tg.store(c, (0, 0), tg.sum(product, axis=0))


def run(kernel: Any, arguments: dict[str, Any], target: str, **options: Any) -> Any:
    compiled = kernel.compile(*arguments.values(), **options, target=target)
    with tegula.device(f"sim:{target}") as device:
        runtime.launch(compiled, arguments)
        assert device.handle.findings()[0] == 0
    return compiled


def integers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).integers(-2, 3, shape).astype(BF16)


def exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product: np.ndarray = a.astype(np.float32) @ b.astype(np.float32)
    return product


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(
    "shape", [(4, 64, 64, 128), (5, 70, 50, 72), (1, 10, 10, 8), (3, 64, 96, 0)]
)
def test_product(target: str, shape: tuple[int, int, int, int]) -> None:
    """Whole tiles, tails of all four extents (the last tile has one batch of two), K = 0."""
    batches, m, n, k = shape
    a, b = integers(batches, m, k), integers(batches, k, n, seed=1)
    c = np.full((batches, m, n), np.nan, np.float32)
    tiles = dict(BB=2, BM=32, BN=64, BK=32)
    run(batched, {"a": a, "b": b, "c": c}, target, **tiles)
    assert np.array_equal(c, exact(a, b))
    interpreted = np.full_like(c, np.nan)
    batched.interpret(a, b, interpreted, **tiles)
    assert np.array_equal(c, interpreted)


@pytest.mark.parametrize(
    "target, lds", [("gfx942", "register"), ("gfx950", "register"), ("gfx950", "direct")]
)
def test_batches_are_staged_like_products_alone(target: str, lds: str) -> None:
    a, b = integers(4, 128, 256), np.swapaxes(integers(4, 128, 256, seed=1), 1, 2)
    c = np.full((4, 128, 128), np.nan, np.float32)
    kernel = batched.with_schedule(**{target: dict(waves=(2, 2), lds=lds, stages=2)})
    tiles = dict(BB=2, BM=64, BN=64, BK=32)
    compiled = run(kernel, {"a": a, "b": b, "c": c}, target, **tiles)
    assert np.array_equal(c, exact(a, b))
    loop = hottest_loop(compiled.code_object)
    assert loop.mfma >= 2 * 4
    listing = [t for at, t in disassemble(compiled.code_object) if loop.first <= at <= loop.last]
    copies = [text for text in listing if text.startswith("buffer_load") and text.endswith("lds")]
    assert bool(copies) == (lds == "direct")
    assert compiled.manifest["resources"]["vgpr_spills"] == 0


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_what_hangs_together_with_a_product(target: str) -> None:
    """Element-wise work, broadcasts, transposes and reductions of other axes; 3 of 4 batches."""
    q, k = integers(3, 32, 64), integers(3, 48, 64, seed=2)
    bias = integers(48, seed=3)
    c, top = np.full((3, 32, 48), np.nan, np.float32), np.full((3, 32, 1), np.nan, np.float32)
    run(scores, {"q": q, "k": k, "bias": bias, "c": c, "top": top}, target, BB=4)
    wanted = exact(q, np.swapaxes(k, 1, 2)) * np.float32(0.5) + bias.astype(np.float32)
    assert np.array_equal(c, wanted)
    assert np.array_equal(top, wanted.max(axis=2, keepdims=True))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_reduction_of_the_batches(target: str) -> None:
    a, b = integers(3, 32, 64), integers(3, 64, 32, seed=4)
    c = np.full((32, 32), np.nan, np.float32)
    run(total, {"a": a, "b": b, "c": c}, target)
    assert np.array_equal(c, exact(a, b).sum(axis=0))
