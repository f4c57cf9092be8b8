"""What the kernels of triton_rows.py are launched with, and what they must compute."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import torch

import triton_rows as rows
from triton_cases import Launch, bf16, i32, nans, normal

Rng = np.random.Generator


def _ints(rng: Rng, *shape: int, low: int = -(2**31), high: int = 2**31) -> np.ndarray:
    return rng.integers(low, high, shape).astype(np.int32)


def _zeros(*shape: int, kind: Any = np.int32) -> np.ndarray:
    return np.zeros(shape, kind)


def linear_recurrence(target: str, rng: Rng) -> Launch:
    a = rng.uniform(0.5, 1, (3, 300)).astype(np.float32)
    x = normal(rng, 3, 300)
    h, want = np.zeros(3), np.zeros((3, 300))
    for t in range(300):
        h = a[:, t].astype(np.float64) * h + x[:, t]
        want[:, t] = h
    args = {"out": nans(3, 300), "a": a, "x": x, "n": i32(300)}
    constants = {"BLOCK": 512}
    return Launch(
        rows.linear_recurrence, (3,), args, {"out": want}, constants, rtol=1e-5, atol=1e-5
    )


def reverse_running_product(target: str, rng: Rng) -> Launch:
    x = rng.choice(np.array([-1, 1, 1, 3], np.int32), 512)
    want = np.cumprod(x.reshape(2, 256)[:, ::-1], axis=1, dtype=np.int32)[:, ::-1].ravel()
    args = {"out": _zeros(512), "x": x}
    return Launch(rows.reverse_running_product, (2,), args, {"out": want}, {"BLOCK": 256})


def column_running_sum(target: str, rng: Rng) -> Launch:
    x = rng.integers(-50, 50, (128, 32)).astype(np.float32)
    args = {"out": nans(128, 32), "x": x}
    want = {"out": np.cumsum(x, axis=0)}
    return Launch(rows.column_running_sum, (1,), args, want, {"R": 128, "C": 32})


def chained_prefix_sum(target: str, rng: Rng) -> Launch:
    x = _ints(rng, 1500, low=-1000, high=1000)
    args = {"out": _zeros(1500), "x": x, "totals": _zeros(6), "flags": _zeros(6), "n": i32(1500)}
    want = {"out": np.cumsum(x, dtype=np.int32), "flags": np.ones(6, np.int32)}
    return Launch(rows.chained_prefix_sum, (6,), args, want, {"BLOCK": 256})


def grid_barrier(target: str, rng: Rng) -> Launch:
    args = {"out": _zeros(6, 256), "parts": _zeros(6, 256), "arrived": _zeros(1)}
    want = np.roll(np.arange(6)[:, None] * np.arange(256), -1, axis=0)
    return Launch(rows.grid_barrier, (6,), args, {"out": want}, {"BLOCK": 256})


def row_extremes(target: str, rng: Rng) -> Launch:
    x = _ints(rng, 5, 777, low=-40, high=40)  # equal ones, too
    args = {"largest": _zeros(5), "smallest": _zeros(5), "x": x, "n": i32(777)}
    want = {"largest": x.argmax(axis=1), "smallest": x.argmin(axis=1)}
    return Launch(rows.row_extremes, (5,), args, want, {"BLOCK": 1024})


def sort_descending(target: str, rng: Rng) -> Launch:
    x = normal(rng, 4, 128)
    args = {"out": nans(4, 128), "x": x}
    want = {"out": -np.sort(-x, axis=1)}
    return Launch(rows.sort_descending, (1,), args, want, {"R": 4, "C": 128})


def flip_rows(target: str, rng: Rng) -> Launch:
    x = rng.integers(-128, 128, (16, 64)).astype(np.int8)
    args = {"out": _zeros(16, 64, kind=np.int8), "x": x}
    return Launch(rows.flip_rows, (1,), args, {"out": x[:, ::-1]}, {"R": 16, "C": 64})


def gate_experts(target: str, rng: Rng) -> Launch:
    logits = normal(rng, 9, 32)
    powers = np.exp(logits.astype(np.float64))
    p = powers / powers.sum(axis=1, keepdims=True)
    order = np.argsort(-p, axis=1)[:, :3]
    args = {"weights": nans(9, 3), "experts": _zeros(9, 3), "counts": _zeros(32), "logits": logits}
    want = {"weights": np.take_along_axis(p, order, axis=1), "experts": order}
    want["counts"] = np.bincount(order.ravel(), minlength=32)
    options = {"num_warps": 1}
    return Launch(rows.gate_experts, (9,), args, want, {"E": 32, "K": 3}, options, rtol=1e-5)


def welford(target: str, rng: Rng) -> Launch:
    x = normal(rng, 3, 900) + 100
    args = {"mean": nans(3), "variance": nans(3), "x": x, "n": i32(900)}
    wide = x.astype(np.float64)
    want = {"mean": wide.mean(axis=1), "variance": wide.var(axis=1)}
    return Launch(rows.welford, (3,), args, want, {"BLOCK": 1024}, rtol=2e-5)


def long_sum(target: str, rng: Rng) -> Launch:
    x = rng.integers(-(2**40), 2**40, 5000).astype(np.float64)
    args = {"out": nans(1, kind=np.float64), "x": x, "n": i32(5000)}
    want, options = {"out": np.array([x.sum()])}, {"num_warps": 8}
    return Launch(rows.long_sum, (1,), args, want, {"BLOCK": 2048}, options)


def parity(target: str, rng: Rng) -> Launch:
    x = _ints(rng, 3, 500)
    args = {"out": _zeros(3), "x": x, "n": i32(500)}
    return Launch(
        rows.parity, (3,), args, {"out": np.bitwise_xor.reduce(x, axis=1)}, {"BLOCK": 512}
    )


def extremes_of_longs(target: str, rng: Rng) -> Launch:
    x = rng.integers(-(2**62), 2**62, (3, 300))
    x[:, 0] = 0  # what the padding holds takes part
    args = {"low": _zeros(3, kind=np.int64), "high": _zeros(3, kind=np.int64)}
    args |= {"x": x, "n": i32(300)}
    want = {"low": x.min(axis=1), "high": x.max(axis=1)}
    return Launch(rows.extremes_of_longs, (3,), args, want, {"BLOCK": 512}, {"num_warps": 2})


def cross_entropy(target: str, rng: Rng) -> Launch:
    logits = normal(rng, 4, 1000, kind=bf16)
    labels = _ints(rng, 4, low=0, high=1000)
    wide = torch.from_numpy(logits.astype(np.float64))
    want = torch.nn.functional.cross_entropy(
        wide, torch.from_numpy(labels).long(), reduction="none"
    )
    args = {"loss": nans(4), "logits": logits, "target": labels, "n": i32(1000)}
    return Launch(rows.cross_entropy, (4,), args, {"loss": want.numpy()}, {"BLOCK": 256}, rtol=1e-5)


def layer_norm_backward(target: str, rng: Rng) -> Launch:
    x, dy, w = normal(rng, 4, 300), normal(rng, 4, 300), normal(rng, 300)
    leaf = torch.from_numpy(x.astype(np.float64)).requires_grad_()
    weight = torch.from_numpy(w.astype(np.float64)).requires_grad_()
    y = torch.nn.functional.layer_norm(leaf, (300,), weight, None, 1e-5)
    y.backward(torch.from_numpy(dy.astype(np.float64)))
    assert leaf.grad is not None and weight.grad is not None
    args = {"dx": nans(4, 300), "dw": np.zeros(300, np.float32), "dy": dy, "x": x, "w": w}
    args |= {"n": i32(300), "eps": np.float32(1e-5)}
    want = {"dx": leaf.grad.numpy(), "dw": weight.grad.numpy()}
    constants = {"BLOCK": 512}
    return Launch(rows.layer_norm_backward, (4,), args, want, constants, rtol=1e-4, atol=1e-5)


def segment_sums(target: str, rng: Rng) -> Launch:
    lengths = np.array([300, 0, 1, 129, 64])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x = _ints(rng, int(starts[-1]), low=-1000, high=1000)
    want = [x[a:b].sum() for a, b in zip(starts, starts[1:], strict=False)]
    args = {"out": _zeros(5), "x": x, "starts": starts}
    return Launch(rows.segment_sums, (5,), args, {"out": want}, {"BLOCK": 64}, {"num_warps": 1})


def _philox(seed: int, counter: np.ndarray) -> list[np.ndarray]:
    """Philox 4x32 with ten rounds (Salmon et al., 2011); the counter's other words are 0."""
    c = [counter.astype(np.uint64), *(np.zeros(counter.shape, np.uint64) for _ in range(3))]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    low, word = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> word) ^ c[1] ^ key[0], b & low, (a >> word) ^ c[3] ^ key[1], a & low]
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    return [x.astype(np.uint32).view(np.int32) for x in c]


def philox(target: str, rng: Rng) -> Launch:
    args = {"out": _zeros(4, 300), "seed": i32(1234), "n": i32(300)}
    want = {"out": np.stack(_philox(1234, np.arange(300)))}
    return Launch(rows.philox, (3,), args, want, {"BLOCK": 128})


def dropout(target: str, rng: Rng) -> Launch:
    x = normal(rng, 500)
    bits = _philox(77, np.arange(500))[0].astype(np.int64)
    uniform = (np.where(bits < 0, -bits - 1, bits) * 4.6566127342e-10).astype(np.float32)
    want = {"out": np.where(uniform > np.float32(0.3), x / np.float32(0.7), 0)}
    args = {"out": nans(500), "x": x, "p": np.float32(0.3), "seed": i32(77), "n": i32(500)}
    return Launch(rows.dropout, (2,), args, want, {"BLOCK": 256}, rtol=1e-6)


def embedding(target: str, rng: Rng) -> Launch:
    table, ids = normal(rng, 50, 200, kind=np.float16), rng.integers(0, 50, 6)
    args = {"out": nans(6, 200, kind=np.float16), "table": table, "ids": ids, "n": i32(200)}
    return Launch(rows.embedding, (6,), args, {"out": table[ids]}, {"BLOCK": 256})


def embedding_backward(target: str, rng: Rng) -> Launch:
    ids = np.array([3, 0, 3, 3, 1], np.int64)
    dy = rng.integers(-9, 9, (5, 100)).astype(np.float32)
    want = np.zeros((8, 100), np.float32)
    np.add.at(want, ids, dy)
    args = {"grad": np.zeros((8, 100), np.float32), "dy": dy, "ids": ids, "n": i32(100)}
    return Launch(rows.embedding_backward, (5,), args, {"grad": want}, {"BLOCK": 128})


def permute_within(target: str, rng: Rng) -> Launch:
    x = normal(rng, 8, 64)
    order = np.stack([rng.permutation(64) for _ in range(8)]).astype(np.int32)
    args = {"out": nans(8, 64), "x": x, "order": order}
    want = {"out": np.take_along_axis(x, order, axis=1)}
    return Launch(rows.permute_within, (1,), args, want, {"R": 8, "C": 64})


def block_histogram(target: str, rng: Rng) -> Launch:
    x = _ints(rng, 1000, low=0, high=64)
    args = {"bins": _zeros(64), "x": x, "n": i32(1000)}
    want = {"bins": np.bincount(x, minlength=64)}
    return Launch(rows.block_histogram, (4,), args, want, {"BLOCK": 256, "BINS": 64})


def integer_atomics(target: str, rng: Rng) -> Launch:
    """Numbers without a sign: of lanes with one address Triton 3.9 finds the greatest and the least
    as if they were unsigned (v_max_u32 before global_atomic_smax)."""
    x = _ints(rng, 300, low=0)
    cells = np.concatenate([[5, 2**31 - 1, 0, -1, 0, 7, 7, 7], np.arange(300)]).astype(np.int32)
    want = cells.copy()
    want[:5] = [x.max(), x.min(), *_folded(x)]
    want[8:] = x
    args = {"cells": cells, "old": _zeros(300), "x": x, "n": i32(300)}
    wanted = {"cells": want, "old": np.arange(300)}
    return Launch(rows.integer_atomics, (2,), args, wanted, {"BLOCK": 256})


def _folded(x: np.ndarray) -> list[int]:
    return [int(f.reduce(x)) for f in (np.bitwise_or, np.bitwise_and, np.bitwise_xor)]


def locked_sum(target: str, rng: Rng) -> Launch:
    # As many elements as lanes: of fewer, waves load again what the first one has stored.
    x = rng.integers(-9, 9, (7, 256)).astype(np.float32)
    args = {"total": np.zeros(256, np.float32), "lock": _zeros(1), "x": x}
    want = {"total": x.sum(axis=0), "lock": np.array([0])}
    return Launch(rows.locked_sum, (7,), args, want, {"C": 256})


def rotary(target: str, rng: Rng) -> Launch:
    x = normal(rng, 6, 128, kind=np.float16)
    angle = np.arange(3)[:, None] * 10000.0 ** (-np.arange(64) / 64)
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    half = x.astype(np.float64).reshape(2, 3, 2, 64)
    a, b = half[:, :, 0], half[:, :, 1]
    want = np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=2).reshape(6, 128)
    args = {"out": nans(6, 128, kind=np.float16), "x": x, "cos": cos, "sin": sin, "n": i32(3)}
    return Launch(
        rows.rotary, (6,), args, {"out": want}, {"HALF": 64}, {"num_warps": 1}, 2.0**-10, 2.0**-12
    )


def swiglu(target: str, rng: Rng) -> Launch:
    x = normal(rng, 3, 600, kind=bf16)
    gate, up = np.split(x.astype(np.float64), 2, axis=1)
    args = {"out": nans(3, 300, kind=bf16), "x": x, "n": i32(300)}
    want = {"out": gate / (1 + np.exp(-gate)) * up}
    return Launch(rows.swiglu, (3,), args, want, {"BLOCK": 512}, rtol=2.0**-7)


def functions(target: str, rng: Rng) -> Launch:
    x = np.linspace(-4, 4, 500).astype(np.float32)
    t = torch.from_numpy(x.astype(np.float64))
    want = torch.stack(
        [
            torch.erf(t),
            torch.sin(t) + torch.cos(t),
            torch.exp2(t) + torch.log2(t.abs() + 1),
            t.floor() + t.ceil() + t.clamp(-1, 1),
            torch.tanh(t) + (t.abs() + 0.5) ** t,
        ]
    )
    args = {"out": nans(5, 500), "x": x, "n": i32(500)}
    wanted = {"out": want.numpy()}
    return Launch(rows.functions, (2,), args, wanted, {"BLOCK": 256}, rtol=3e-6, atol=3e-6)


def integers(target: str, rng: Rng) -> Launch:
    x = _ints(rng, 300)
    y = _ints(rng, 300, low=1, high=2**20) * rng.choice(np.array([-1, 1], np.int32), 300)
    a, b = x.astype(np.int64), y.astype(np.int64)
    quotient = np.trunc(a / b).astype(np.int64)  # exact: |a| < 2^31
    high = x.view(np.uint32).astype(np.uint64) * y.view(np.uint32).astype(np.uint64)
    want = [quotient, a - quotient * b, (x << 3) ^ (y >> 5), high >> np.uint64(32), a * b >> 7]
    stacked = np.stack([np.asarray(v).astype(np.uint64).astype(np.uint32) for v in want])
    args = {"out": _zeros(5, 300), "x": x, "y": y, "n": i32(300)}
    return Launch(rows.integers, (2,), args, {"out": stacked.view(np.int32)}, {"BLOCK": 256})


def assembly(target: str, rng: Rng) -> Launch:
    x, y = _ints(rng, 256), _ints(rng, 256)
    joined = x.view(np.uint32).astype(np.uint64) << np.uint64(32) | y.view(np.uint32)
    word = (joined >> np.uint64(8)).astype(np.uint32)
    bits = np.unpackbits(word.view(np.uint8).reshape(256, 4)[:, ::-1], axis=1)[:, ::-1]
    want = np.packbits(bits, axis=1)[:, ::-1].copy().view(np.int32).ravel()
    args = {"out": _zeros(256), "x": x, "y": y}
    return Launch(rows.assembly, (1,), args, {"out": want}, {"BLOCK": 256})


def complex_product(target: str, rng: Rng) -> Launch:
    x, y = (rng.integers(-99, 99, (512, 2)).astype(np.float32) for _ in range(2))
    product = (x[:, 0] + 1j * x[:, 1]) * (y[:, 0] + 1j * y[:, 1])
    args = {"out": nans(512, 2), "x": x, "y": y}
    want = {"out": np.stack([product.real, product.imag], axis=1)}
    return Launch(rows.complex_product, (4,), args, want, {"BLOCK": 128})


def permute_axes(target: str, rng: Rng) -> Launch:
    x = rng.integers(-(2**15), 2**15, (8, 16, 32)).astype(np.int16)
    args = {"out": _zeros(32, 8, 16, kind=np.int16), "x": x}
    want = {"out": x.transpose(2, 0, 1)}
    return Launch(rows.permute_axes, (1,), args, want, {"A": 8, "B": 16, "C": 32})


def stencil(target: str, rng: Rng) -> Launch:
    x = rng.integers(-99, 99, (50, 70)).astype(np.float32)
    want = x.copy()
    want[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    args = {"out": nans(50, 70), "x": x, "R": i32(50), "C": i32(70)}
    return Launch(rows.stencil, (2, 3), args, {"out": want}, {"BM": 32, "BN": 32})


def max_pool(target: str, rng: Rng) -> Launch:
    x = normal(rng, 21, 41, kind=np.float16)
    want = torch.nn.functional.max_pool2d(torch.from_numpy(x.astype(np.float32))[None], 3, 2)[0]
    args = {"out": nans(10, 20, kind=np.float16), "x": x, "W": i32(41), "OW": i32(20)}
    return Launch(
        rows.max_pool, (10,), args, {"out": want.numpy()}, {"BLOCK": 32}, {"num_warps": 1}
    )


def mandelbrot(target: str, rng: Rng) -> Launch:
    """Rows whose points escape early, or are exact in f32 as in f64 long enough to agree."""
    width, steps = 64, 12
    c = np.arange(width) * np.float32(3 / width) - 2 + 1j * (np.arange(8)[:, None] * 0.25 - 1)
    z, want = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(steps):
        inside = z.real**2 + z.imag**2 <= 4
        z = np.where(inside, z * z + c, z)
        want += inside
    args = {"out": _zeros(8, width)}
    constants = {"W": width, "STEPS": steps}
    return Launch(rows.mandelbrot, (8,), args, {"out": want}, constants, {"num_warps": 1})


def quantize_rows(target: str, rng: Rng) -> Launch:
    x = normal(rng, 4, 700)
    s = np.abs(x).max(axis=1) / np.float32(127)
    q = np.rint(x / s[:, None])
    args = {"q": _zeros(4, 700, kind=np.int8), "scale": nans(4), "x": x, "n": i32(700)}
    # Triton divides with 2.5 ulp: what lies that close to a half may go to either side.
    want = {"q": q, "scale": s}
    return Launch(rows.quantize_rows, (4,), args, want, {"BLOCK": 1024}, rtol=1e-6)


def small_floats(target: str, rng: Rng) -> Launch:
    x = np.clip(normal(rng, 500) * 2.0 ** rng.integers(-12, 8, 500), -440, 440).astype(np.float32)
    args = {"out8": nans(500), "out5": nans(500), "x": x, "n": i32(500)}
    want = {"out8": x.astype(ml_dtypes.float8_e4m3fn), "out5": x.astype(ml_dtypes.float8_e5m2)}
    return Launch(rows.small_floats, (2,), args, want, {"BLOCK": 256})


def descriptor_copy(target: str, rng: Rng) -> Launch:
    x = rng.integers(-99, 99, (50, 70)).astype(np.float32)
    args = {"out": nans(50, 70), "x": x, "R": i32(50), "C": i32(70)}
    constants = {"BM": 32, "BN": 32}
    return Launch(rows.descriptor_copy, (2, 3), args, {"out": 2 * x}, constants)
