"""Correct kernels that test_mutated_kernels.py spoils, with arguments for each."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

PRELUDE = """import math
import tegula as tg


def plain(x):
    return x


"""


def _floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def _halves(*shape: int) -> np.ndarray:
    return np.zeros(shape, ml_dtypes.bfloat16)


#: name → (source, arguments)
CORPUS: dict[str, tuple[str, Callable[[], list[object]]]] = {
    "rms_norm": (
        """
@tg.kernel(grid=lambda x: (x.shape[0],))
def rms_norm(x: "R N", w: "N", out: "R N", rstd: "R 1", eps: tg.f32, *, N: tg.const):
    row = tg.program_id(0)
    v = tg.load(x, (row, 0), (1, N)).to(tg.f32)
    r = tg.rsqrt(tg.sum(v * v, axis=1, keepdims=True) / N + eps)
    g = tg.load(w, (0,), (N,)).to(tg.f32)
    tg.store(rstd, (row, 0), r)
    tg.store(out, (row, 0), (v * r * g).to(out.dtype))
""",
        lambda: [_halves(8, 48), _halves(48), _halves(8, 48), _floats(8, 1), 1e-5],
    ),
    "gemm": (
        """
@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def gemm(
    a: "M K", b: "K N", c: "M N", bias: "N",
    *, BM: tg.tile = 32, BN: tg.tile = 64, BK: tg.tile = 16,
):
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        x = tg.load(a, (m, k), (BM, BK))
        y = tg.load(b, (k, n), (BK, BN))
        acc = tg.mma(x, y, acc)
    g = tg.load(bias, (n,), (BN,)).to(tg.f32)
    acc = acc + g
    tg.store(c, (m, n), acc.to(c.dtype))
""",
        lambda: [_halves(64, 48), _halves(48, 96), _halves(64, 96), _halves(96)],
    ),
    "softmax": (
        """
@tg.kernel(grid=lambda x, R: (tg.cdiv(x.shape[0], R),))
def softmax(x: "R0 N", out: "R0 N", *, N: tg.const, R: tg.const = 4):
    r = tg.program_id(0)
    v = tg.load(x, (r, 0), (R, N), pad=-tg.inf).to(tg.f32)
    m = tg.max(v, axis=1, keepdims=True)
    e = tg.exp(v - m)
    s = tg.sum(e, axis=1, keepdims=True)
    tg.store(out, (r, 0), (e / s).to(out.dtype))
""",
        lambda: [_floats(9, 40), _floats(9, 40)],
    ),
    "layer_norm": (
        """
@tg.kernel(grid=lambda x: (x.shape[0],))
def layer_norm(x: "R N", w: "N", b: "N", out: "R N", eps: tg.f32, n: tg.i32, *, N: tg.const):
    row = tg.program_id(0)
    v = tg.load(x, (row, 0), (1, N))
    mean = tg.sum(v, axis=1, keepdims=True) / N
    d = v - mean
    var = tg.sum(d * d, axis=1, keepdims=True) / N
    y = d * tg.rsqrt(var + eps)
    if n > 0:
        y = y * tg.load(w, (0,), (N,))
    else:
        y = y + tg.load(b, (0,), (N,))
    tg.store(out, (row, 0), y)
""",
        lambda: [_floats(5, 96), _floats(96), _floats(96), _floats(5, 96), 1e-5, 1],
    ),
    "attention": (
        """
@tg.kernel(grid=lambda q, BM: (tg.cdiv(q.shape[1], BM), q.shape[0]))
def attention(
    q: "H S D", k: "H T D", v: "H T D", o: "H S D", scale: tg.f32,
    *, D: tg.const, BM: tg.const = 32, BN: tg.const = 64,
):
    i, h = tg.program_id(0), tg.program_id(1)
    kh, vh = k[h], v[h]
    qi = tg.load(q[h], (i, 0), (BM, D))
    acc = tg.zeros((BM, D), tg.f32)
    l = tg.zeros((BM, 1), tg.f32)
    m = tg.full((BM, 1), -tg.inf, tg.f32)
    for j in range(tg.cdiv(kh.shape[0], BN)):
        kj = tg.load(kh, (j, 0), (BN, D))
        s = tg.mma(qi, kj.T, tg.zeros((BM, BN), tg.f32))
        cols = j * BN + tg.iota((1, BN), axis=1)
        s = tg.where(cols < kh.shape[0], s * scale, -tg.inf)
        top = tg.maximum(m, tg.max(s, axis=1, keepdims=True))
        p = tg.exp2(s - top)
        fix = tg.exp2(m - top)
        l = l * fix + tg.sum(p, axis=1, keepdims=True)
        acc = tg.mma(p.to(v.dtype), tg.load(vh, (j, 0), (BN, D)), acc * fix)
        m = top
    tg.store(o[h], (i, 0), (acc / l).to(o.dtype))
""",
        lambda: [
            _halves(2, 40, 64),
            _halves(2, 70, 64),
            _halves(2, 70, 64),
            _halves(2, 40, 64),
            0.1,
        ],
    ),
    "columns": (
        """
@tg.kernel(grid=lambda x, BN: (tg.cdiv(x.shape[1], BN),))
def columns(x: "R N", out: "N", count: "N", *, BM: tg.const = 16, BN: tg.const = 32):
    n = tg.program_id(0)
    total = tg.zeros((BN,), tg.f32)
    found = tg.zeros((BN,), tg.i32)
    for r in tg.tiles(x, axis=0, size=BM):
        t = tg.load(x, (r, n), (BM, BN))
        total = total + tg.sum(t, axis=0)
        found = found + tg.sum((t > 0.0).to(tg.i32), axis=0)
    tg.store(out, (n,), total)
    tg.store(count, (n,), found)
""",
        lambda: [_floats(50, 70), _floats(70), np.zeros(70, np.int32)],
    ),
    "turn": (
        """
@tg.kernel(grid=lambda x, B: (tg.cdiv(x.shape[0], B), tg.cdiv(x.shape[1], 2 * B)))
def turn(x: "M N", out: "N M", s: tg.f32, *, B: tg.const = 16):
    i, j = tg.program_id(0), tg.program_id(1)
    t = tg.load(x, (i, j), (B, 2 * B))
    u = tg.minimum(tg.abs(t) * s, 3.0)
    w = tg.where(t < 0.0, u, t)
    z = w.reshape(B, 2, B)
    y = tg.permute(z, (1, 2, 0)).reshape(2 * B, B)
    tg.store(out, (j, i), y)
""",
        lambda: [_floats(40, 70), _floats(70, 40), 2.0],
    ),
    "integers": (
        """
@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 256),))
def integers(x: "N", y: "N", out: "N", n: tg.i32):
    i = tg.program_id(0)
    t = tg.load(x, (i,), (256,))
    u = tg.load(y, (i,), (256,))
    lanes = tg.iota((256,), axis=0) + i * 256
    v = (t // 3 + u % 7) ^ (t & u)
    for k in range(n):
        v = v + (u >> 1) * k
    tg.store(out, (i,), tg.where(lanes < n, v, -v))
""",
        lambda: [np.zeros(1000, np.int32), np.zeros(1000, np.int32), np.zeros(1000, np.int32), 3],
    ),
}
