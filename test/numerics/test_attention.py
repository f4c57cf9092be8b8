"""Flash attention: a tile loaded once for many products, a computed operand, lengths with rests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg
from numerics.oracle import FORMATS, random


@tg.kernel(grid=lambda q, BM: (tg.cdiv(q.shape[0], BM),))
def attention(
    q: "M D",
    k: "N D",
    v: "N D",
    out: "M D",
    scale: tg.f32,
    *,
    D: tg.const,
    BM: tg.tile = 32,
    BN: tg.tile = 32,
) -> None:
    i = tg.program_id(0)
    rows = tg.load(q, (i, 0), (BM, D))
    best = tg.full((BM, 1), -tg.inf, tg.f32)
    total = tg.zeros((BM, 1), tg.f32)
    acc = tg.zeros((BM, D), tg.f32)
    for j in tg.tiles(k, axis=0, size=BN):
        s = tg.mma(rows, tg.load(k, (j, 0), (BN, D)).T, tg.zeros((BM, BN), tg.f32)) * scale
        s = tg.where(j * BN + tg.iota((1, BN), axis=1) < k.shape[0], s, -tg.inf)
        now = tg.maximum(best, tg.max(s, axis=1, keepdims=True))
        p, fix = tg.exp(s - now), tg.exp(best - now)
        total = total * fix + tg.sum(p, axis=1, keepdims=True)
        acc = tg.mma(p.to(v.dtype), tg.load(v, (j, 0), (BN, D)), acc * fix)
        best = now
    tg.store(out, (i, 0), acc / total)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize(
    ("m", "n", "d", "tile"), [(100, 100, 64, 32), (32, 20, 32, 32), (65, 128, 128, 64)]
)
def test_attention(device: Any, dtype: str, m: int, n: int, d: int, tile: int) -> None:
    """N = 20 never enters the loop over full tiles: the copy behind it stands alone."""
    rng = np.random.default_rng(m)
    q, k, v = (random(rng, shape, dtype) for shape in ((m, d), (n, d), (n, d)))
    out = np.full((m, d), np.nan, np.float32)
    attention(q, k, v, out, d**-0.5, BM=tile, BN=tile)
    s = q.astype(np.float64) @ k.astype(np.float64).T * d**-0.5
    p = np.exp(s - s.max(axis=1, keepdims=True))
    exact = p / p.sum(axis=1, keepdims=True) @ v.astype(np.float64)
    # Each probability is rounded to the type of v, the sums to f32.
    step = 2.0 ** -FORMATS[dtype][1]
    bound = step * (p @ np.abs(v.astype(np.float64))) / p.sum(axis=1, keepdims=True) + 1e-5
    assert np.all(np.abs(out - exact) <= bound)
