"""What the kernels of triton_products.py are launched with, and what they must compute."""

from __future__ import annotations

import numpy as np
import torch

import triton_products as products
from triton_cases import Launch, bf16, i32, nans, normal, small

Rng = np.random.Generator


def fused_linear(target: str, rng: Rng) -> Launch:
    m, n, k = 70, 90, 100
    a, b = small(rng, m, k, kind=np.float16), small(rng, k, n, kind=np.float16)
    bias, res = small(rng, n), small(rng, m, n)
    want = np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias, 0) + res
    args = {"c": nans(m, n), "a": a, "b": b, "bias": bias, "res": res}
    args |= {"M": i32(m), "N": i32(n), "K": i32(k)}
    constants = {"BM": 32, "BN": 64, "BK": 32}
    return Launch(products.fused_linear, (3, 2), args, {"c": want}, constants)


def split_k_atomic(target: str, rng: Rng) -> Launch:
    a, b = small(rng, 64, 384, kind=bf16), small(rng, 128, 384, kind=bf16)
    args = {"c": np.zeros((64, 128), np.float32), "a": a, "b": b, "N": i32(128), "K": i32(384)}
    want = {"c": a.astype(np.float32) @ b.astype(np.float32).T}
    constants = {"BM": 32, "BN": 64, "BK": 64, "S": 3}
    return Launch(products.split_k_atomic, (2, 2, 3), args, want, constants)


def split_k_ticket(target: str, rng: Rng) -> Launch:
    a, b = small(rng, 64, 512, kind=np.float16), small(rng, 64, 512, kind=np.float16)
    args = {"c": nans(64, 64), "parts": nans(4, 64, 64), "tickets": np.zeros(4, np.int32)}
    args |= {"a": a, "b": b, "M": i32(64), "N": i32(64), "K": i32(512)}
    want = {"c": a.astype(np.float32) @ b.astype(np.float32).T, "tickets": [4, 4, 4, 4]}
    constants = {"BM": 32, "BN": 32, "BK": 64, "S": 4}
    return Launch(products.split_k_ticket, (2, 2, 4), args, want, constants)


def persistent_gemm(target: str, rng: Rng) -> Launch:
    m, n, k = 150, 200, 128
    a, b = small(rng, m, k, kind=bf16), small(rng, k, n, kind=bf16)
    want = a.astype(np.float32) @ b.astype(np.float32)
    args = {"c": nans(m, n), "a": a, "b": b, "M": i32(m), "N": i32(n), "K": i32(k)}
    constants = {"WGS": 3, "BM": 64, "BN": 64, "BK": 64}
    return Launch(products.persistent_gemm, (3,), args, {"c": want}, constants)


def int8_gemm(target: str, rng: Rng) -> Launch:
    a, b = (rng.integers(-128, 128, (64, 256)).astype(np.int8) for _ in range(2))
    sa, sb = (2.0 ** rng.integers(-5, 0, 64) for _ in range(2))
    exact = a.astype(np.int64) @ b.astype(np.int64).T
    want = exact.astype(np.float32) * (sa[:, None] * sb[None, :])
    args = {"c": nans(64, 64), "a": a, "b": b, "sa": sa.astype(np.float32)}
    args |= {"sb": sb.astype(np.float32), "N": i32(64), "K": i32(256)}
    constants = {"BM": 32, "BN": 64, "BK": 64}
    return Launch(products.int8_gemm, (2, 1), args, {"c": want}, constants)


def f32_gemm(target: str, rng: Rng) -> Launch:
    a, b = normal(rng, 32, 96), normal(rng, 96, 64)
    args = {"c": nans(32, 64), "a": a, "b": b, "N": i32(64), "K": i32(96)}
    want = {"c": a.astype(np.float64) @ b.astype(np.float64)}
    constants = {"BM": 32, "BN": 32, "BK": 32}
    return Launch(products.f32_gemm, (1, 2), args, want, constants, rtol=1e-5, atol=1e-5)


def int4_gemm(target: str, rng: Rng) -> Launch:
    m, n, k, bk = 32, 64, 128, 32
    a = small(rng, m, k, kind=np.float16)
    codes = rng.integers(0, 16, (k, n)).astype(np.uint8)
    scales = 2.0 ** rng.integers(-4, 4, (k // bk, n))
    w = (codes.astype(np.float64) - 8) * np.repeat(scales, bk, axis=0)
    args = {"c": nans(m, n), "a": a, "packed": codes[0::2] | codes[1::2] << 4}
    args |= {"scales": scales.astype(np.float32), "N": i32(n), "K": i32(k)}
    constants = {"BM": 32, "BN": 64, "BK": bk}
    return Launch(products.int4_gemm, (1, 1), args, {"c": a.astype(np.float64) @ w}, constants)


def batched_matvec(target: str, rng: Rng) -> Launch:
    a, x = small(rng, 3, 50, 200, kind=bf16), small(rng, 3, 200, kind=bf16)
    want = np.einsum("bmk,bk->bm", a.astype(np.float32), x.astype(np.float32))
    args = {"out": nans(3, 50), "a": a, "x": x, "M": i32(50), "K": i32(200)}
    constants = {"BM": 16, "BK": 64}
    return Launch(products.batched_matvec, (4, 3), args, {"out": want}, constants)


def double_outer(target: str, rng: Rng) -> Launch:
    a, b = rng.standard_normal((16, 24)), rng.standard_normal((24, 64))
    args = {"c": nans(16, 64, kind=np.float64), "a": a, "b": b, "N": i32(64)}
    constants = {"BM": 16, "BN": 32, "K": 24}
    return Launch(
        products.double_outer, (2,), args, {"c": a @ b}, constants, rtol=1e-13, atol=1e-13
    )


def conv2d(target: str, rng: Rng) -> Launch:
    h, w, c, f = 11, 13, 16, 32
    x, taps = small(rng, h, w, c, kind=np.float16), small(rng, 3, 3, c, f, kind=np.float16)
    image = torch.from_numpy(x.astype(np.float32)).permute(2, 0, 1)[None]
    filters = torch.from_numpy(taps.astype(np.float32)).permute(3, 2, 0, 1)
    want = torch.nn.functional.conv2d(image, filters, padding=1)[0].permute(1, 2, 0)
    args = {"out": nans(h, w, f), "x": x, "w": taps, "H": i32(h), "W": i32(w)}
    constants = {"C": c, "F": f, "BP": 64}
    return Launch(products.conv2d, (3,), args, {"out": want.numpy()}, constants)


def depthwise_conv1d(target: str, rng: Rng) -> Launch:
    x, w = small(rng, 100, 40), small(rng, 40, 4)
    padded = np.pad(x, ((3, 0), (0, 0)))
    want = sum(padded[k : k + 100] * w[:, k] for k in range(4))
    args = {"out": nans(100, 40), "x": x, "w": w, "T": i32(100), "C": i32(40)}
    return Launch(products.depthwise_conv1d, (4, 2), args, {"out": want}, {"BT": 32, "BC": 32})


def attention(target: str, rng: Rng) -> Launch:
    batch, heads, group, s, d = 2, 4, 2, 80, 64
    q = normal(rng, batch, heads, s, d, kind=np.float16)
    k, v = (normal(rng, batch, heads // group, s, d, kind=np.float16) for _ in range(2))
    lengths = np.array([80, 33], np.int32)
    wide_k, wide_v = (np.repeat(x.astype(np.float64), group, axis=1) for x in (k, v))
    scores = q.astype(np.float64) @ wide_k.transpose(0, 1, 3, 2) * 0.125
    scores[np.broadcast_to(np.arange(s) >= lengths[:, None, None, None], scores.shape)] = -np.inf
    powers = np.exp(scores - scores.max(axis=3, keepdims=True))
    want = powers / powers.sum(axis=3, keepdims=True) @ wide_v
    args = {"o": nans(*q.shape, kind=np.float16), "q": q, "k": k, "v": v, "lengths": lengths}
    args |= {"S": i32(s), "scale": np.float32(0.125)}
    constants = {"H": heads, "G": group, "BM": 64, "BN": 32, "D": d}
    grid = (2, batch * heads)
    return Launch(products.attention, grid, args, {"o": want}, constants, rtol=4e-3, atol=4e-3)


def decode_attention(target: str, rng: Rng) -> Launch:
    heads, s, d = 3, 100, 64
    q, k, v = normal(rng, heads, d), normal(rng, heads, s, d), normal(rng, heads, s, d)
    scores = np.einsum("hd,hsd->hs", q.astype(np.float64), k) * 0.125
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    want = np.einsum("hs,hsd->hd", powers / powers.sum(axis=1, keepdims=True), v)
    args = {"o": nans(heads, d), "q": q, "k": k, "v": v, "S": i32(s), "scale": np.float32(0.125)}
    constants = {"BN": 32, "D": d}
    return Launch(products.decode_attention, (heads,), args, {"o": want}, constants,
                  rtol=1e-5, atol=1e-5)  # fmt: skip


def attention_backward_v(target: str, rng: Rng) -> Launch:
    p, do = small(rng, 128, 128, kind=np.float16), small(rng, 128, 64, kind=np.float16)
    args = {"dv": nans(128, 64), "p": p, "do": do, "S": i32(128)}
    want = {"dv": p.astype(np.float32).T @ do.astype(np.float32)}
    constants = {"BN": 64, "BM": 32, "D": 64}
    return Launch(products.attention_backward_v, (2,), args, want, constants)


def chained_products(target: str, rng: Rng) -> Launch:
    a, c = small(rng, 32, 64, kind=bf16), small(rng, 32, 64, kind=bf16)
    b = rng.integers(-1, 2, (64, 32)).astype(bf16)
    first = (a.astype(np.float32) @ b.astype(np.float32)).astype(bf16)
    args = {"out": nans(32, 64), "a": a, "b": b, "c": c}
    want = {"out": first.astype(np.float32) @ c.astype(np.float32)}
    return Launch(products.chained_products, (1,), args, want, {"B1": 32, "B2": 64})
