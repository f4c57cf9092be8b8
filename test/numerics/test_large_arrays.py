"""Arrays of more than 2^31 and 2^32 bytes: of a few rows that lie far apart, so that little of them
is memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from formats_reference import fp8_cast, fp8_scale, mx_quantize
from tegula.kernels import (
    fp8_quantize_rows,
    gemm,
    layer_norm,
    log_softmax,
    mx_quantize_rows,
    norm_backward,
    rms_norm,
    rotary,
    silu_mul,
    softmax,
    softmax_backward,
)

BF16 = ml_dtypes.bfloat16
GIB = 2**30


def far_rows(rows: int, columns: int, dtype: type, span: int) -> np.ndarray:
    """Rows so far apart that they span that many bytes; what lies between is never touched."""
    size = np.dtype(dtype).itemsize
    pitch = span // (rows - 1) // size // 16 * 16 + 16
    return np.zeros((rows, pitch), dtype)[:, :columns]


@pytest.mark.parametrize("span", [3 * GIB, 6 * GIB])
@pytest.mark.parametrize("stages", [1, 2])
def test_a_loop_walks_over_it(device: tegula.runtime.Device, stages: int, span: int) -> None:
    """K runs along the rows that lie far apart: of b, and of a in columns."""
    rng = np.random.default_rng(stages)
    depth = 32 * 9 + 5
    a, b = far_rows(depth, 40, BF16, span).T, far_rows(depth, 32, BF16, span)
    a[:] = rng.integers(-3, 4, a.shape)
    b[:] = rng.integers(-3, 4, b.shape)
    c = np.zeros((40, 32), np.float32)
    kernel = gemm.with_schedule(**{device.target: {"stages": stages}})
    kernel(a, b, c, BM=32, BN=32, BK=32)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    c[:] = 0
    split = gemm.with_schedule(**{device.target: {"stages": stages, "split_k": 3}})
    split(a, b, c, BM=32, BN=32, BK=32)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 4),))
def negate(x: "R N", out: "R N", *, N: tg.const):
    row = tg.program_id(0)
    tg.store(out, (row, 0), -tg.load(x, (row, 0), (4, N)))


@pytest.mark.parametrize("span", [3 * GIB, 5 * GIB])
def test_last_rows(device: tegula.runtime.Device, span: int) -> None:
    x, out = far_rows(61, 24, np.float32, span), far_rows(61, 24, np.float32, span)
    x[:] = np.arange(x.size).reshape(x.shape)
    negate(x, out)
    assert np.array_equal(out, -x)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def centred(x: np.ndarray) -> np.ndarray:
    away: np.ndarray = x - x.mean(axis=1, keepdims=True)
    return away


def shares(x: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    products: np.ndarray = (x * y).sum(axis=1, keepdims=True)
    return products


#: name → (run on (x, out), what out is then); statistics are ones where a kernel takes them.
ROW_KERNELS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "rms_norm": (
        lambda x, out: rms_norm(x, ones(x.shape[1]), out, ones(len(x), 1), 0.0),
        lambda x: x / np.sqrt(dot(x, x) / x.shape[1]),
    ),
    "rms_norm backward": (
        lambda x, out: norm_backward(
            x, x, ones(len(x), 1), out, ones(3, x.shape[1]), BN=x.shape[1]
        ),
        lambda x: x - x * dot(x, x) / x.shape[1],
    ),
    "layer_norm": (
        lambda x, out: layer_norm(x, out, ones(len(x), 1), ones(len(x), 1), 0.0),
        lambda x: centred(x) / x.std(axis=1, keepdims=True),
    ),
    "softmax": (softmax, shares),
    "log_softmax": (log_softmax, lambda x: np.log(shares(x))),
    "softmax backward": (lambda x, out: softmax_backward(x, x, out), lambda x: x * (x - dot(x, x))),
    "silu_mul": (lambda x, out: silu_mul(x, out, x), lambda x: x * x / (1 + np.exp(-x))),
    "rotary": (
        lambda x, out: rotary(
            *(half[:, None, None] for half in (x[:, :100], x[:, 100:])),
            *(ones(len(x), 1, 100) for _ in range(2)),
            *(half[:, None, None] for half in (out[:, :100], out[:, 100:])),
        ),
        lambda x: np.concatenate((x[:, :100] - x[:, 100:], x[:, :100] + x[:, 100:]), axis=1),
    ),
}


@pytest.mark.parametrize("name", ROW_KERNELS)
def test_last_rows_of_the_library(device: tegula.runtime.Device, name: str) -> None:
    run, exact = ROW_KERNELS[name]
    x, out = far_rows(199, 200, np.float32, 5 * GIB), far_rows(199, 200, np.float32, 5 * GIB)
    x[:] = np.random.default_rng(1).standard_normal(x.shape)
    run(x, out)
    np.testing.assert_allclose(out, exact(x.astype(np.float64)), rtol=2e-6, atol=2e-6)


def test_last_rows_of_quantizers(device: tegula.runtime.Device) -> None:
    """Codes of blocks and of rows, with rows of inputs and codes that span more than 4 GiB."""
    x = far_rows(199, 256, np.float32, 5 * GIB)
    x[:] = np.random.default_rng(1).standard_normal(x.shape)
    scales, codes = mx_quantize(x, "e4m3fn", "rceil")
    q, s = far_rows(199, 256, tg.f8e4m3fn.numpy, 5 * GIB), np.zeros((199, 8), tg.e8m0.numpy)
    mx_quantize_rows(x, q, s)
    assert np.array_equal(s.view(np.uint8), scales)
    assert np.array_equal(q.copy().view(np.uint8), codes)
    q[:], scale = 0, np.zeros((199, 1), np.float32)
    fp8_quantize_rows(x, q, scale)
    right = fp8_scale(np.abs(x).max(1, keepdims=True), "e4m3fn", False)
    assert np.array_equal(scale, right)
    assert np.array_equal(q.copy().view(np.uint8), fp8_cast(x, right, "e4m3fn"))


def test_small_arrays_have_the_same_code_as_ever() -> None:
    a, b, c = np.zeros((64, 64), BF16), np.zeros((64, 64), BF16), np.zeros((64, 64), np.float32)
    text = gemm.ir("tile", a, b, c, target="gfx950", BM=32, BN=32, BK=32)
    assert "tile.large" not in text
    wide = far_rows(64, 64, BF16, 3 * GIB)
    text = gemm.ir("tile", a, wide, c, target="gfx950", BM=32, BN=32, BK=32)
    assert text.count("tile.large") == 1
