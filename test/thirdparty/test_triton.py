"""Triton's code objects on the simulated device, against NumPy, sanitizers on."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula.sim
import triton_kernels as kernels
from triton_kernels import compile_kernel

RNG = np.random.default_rng(5)
TYPES = {"*fp32": np.float32, "*fp16": np.float16, "*bf16": ml_dtypes.bfloat16, "*i32": np.int32}


class Launcher:
    """Compiles for the device and launches, types taken from the arguments."""

    def __init__(self, device: tegula.sim.Device) -> None:
        self.device = device

    def __call__(self, name: str, grid: tuple[int, ...], *values: Any, **constants: Any) -> None:
        function = getattr(kernels, name)
        waves = constants.pop("waves", 4)
        runtime = [n for n in function.arg_names if n not in constants]
        signature = {n: self._type(v) for n, v in zip(runtime, values, strict=True)}
        compiled = compile_kernel(function, self.device.target, signature, constants, waves)
        tegula.sim.launch_triton(self.device, compiled, grid, *values)

    @staticmethod
    def _type(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return next(name for name, kind in TYPES.items() if value.dtype == kind)
        return {"int32": "i32", "float32": "fp32"}[value.dtype.name]


@pytest.fixture
def run(device: tegula.sim.Device) -> Launcher:
    return Launcher(device)


def nans(shape: Any, kind: Any = np.float32) -> np.ndarray:
    return np.full(shape, np.nan, dtype=kind)


def test_vector_add(run: Launcher) -> None:
    a, b = RNG.standard_normal((2, 1000)).astype(np.float32)
    out = nans(1000)
    run("vector_add", (4,), out, a, b, np.int32(1000), BLOCK=256)
    assert np.array_equal(out, a + b)


@pytest.mark.parametrize("columns", [64, 1000])
def test_softmax(run: Launcher, columns: int) -> None:
    x = RNG.standard_normal((5, columns)).astype(np.float32)
    out = nans(x.shape)
    run("softmax", (5,), out, x, np.int32(columns), BLOCK=1024)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, powers / powers.sum(axis=1, keepdims=True), rtol=2e-6)


def test_rms_norm(run: Launcher) -> None:
    x = RNG.standard_normal((3, 2880)).astype(ml_dtypes.bfloat16)
    w = RNG.standard_normal(2880).astype(ml_dtypes.bfloat16)
    out = nans(x.shape, ml_dtypes.bfloat16)
    run("rms_norm", (3,), out, x, w, np.int32(2880), np.float32(1e-5), BLOCK=4096)
    wide = x.astype(np.float64)
    exact = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5) * w.astype(np.float64)
    np.testing.assert_allclose(out.astype(np.float64), exact, rtol=2.0**-7)


def test_layer_norm(run: Launcher) -> None:
    x = RNG.standard_normal((4, 777)).astype(np.float32)
    out = nans(x.shape)
    run("layer_norm", (4,), out, x, np.int32(777), BLOCK=1024)
    wide = x.astype(np.float64)
    exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-6)


GEMMS = [
    ("bf16", (128, 128, 64), True, 4),
    ("bf16", (256, 256, 64), True, 8),
    ("f16", (64, 64, 32), False, 4),
    ("f16", (32, 64, 64), True, 4),
]


@pytest.mark.parametrize("dtype, tile, transposed, waves", GEMMS)
def test_gemm(
    run: Launcher, dtype: str, tile: tuple[int, int, int], transposed: bool, waves: int
) -> None:
    m, n, k = 200, 300, 256
    kind = ml_dtypes.bfloat16 if dtype == "bf16" else np.float16
    a = RNG.integers(-3, 4, (m, k)).astype(kind)
    b = RNG.integers(-3, 4, (n, k) if transposed else (k, n)).astype(kind)
    c = nans((m, n))
    bm, bn, bk = tile
    grid = (-(-m // bm), -(-n // bn))
    extents = (np.int32(m), np.int32(n), np.int32(k))
    run("gemm", grid, c, a, b, *extents, BM=bm, BN=bn, BK=bk, NT=transposed, waves=waves)
    right = b.astype(np.float32).T if transposed else b.astype(np.float32)
    assert np.array_equal(c, a.astype(np.float32) @ right)


def test_transpose(run: Launcher) -> None:
    x = RNG.standard_normal((100, 130)).astype(np.float16)
    out = nans((130, 100), np.float16)
    run("transpose", (2, 3), out, x, np.int32(100), np.int32(130), BLOCK=64)
    assert np.array_equal(out, x.T)


def test_histogram(run: Launcher) -> None:
    x = RNG.integers(0, 50, 3000).astype(np.int32)
    bins = np.zeros(50, dtype=np.int32)
    run("histogram", (12,), bins, x, np.int32(3000), BLOCK=256)
    assert np.array_equal(bins, np.bincount(x, minlength=50))


def test_column_maxima(run: Launcher) -> None:
    x = RNG.integers(-(2**31), 2**31, (300, 90)).astype(np.int32)
    out = np.full(90, -(2**31), dtype=np.int32)
    run("column_maxima", (5, 3), out, x, np.int32(300), np.int32(90), BM=64, BN=32)
    assert np.array_equal(out, x.max(axis=0))


def test_collatz(run: Launcher) -> None:
    start = np.array([27, 1, 97, 871], dtype=np.int32)
    steps = np.zeros_like(start)
    run("collatz", (4,), steps, start, np.int32(4), waves=1)
    assert steps.tolist() == [111, 0, 118, 178]


def test_running_sum(run: Launcher) -> None:
    x = RNG.integers(-100, 100, (3, 500)).astype(np.int32)
    out = np.zeros_like(x)
    run("running_sum", (3,), out, x, np.int32(500), BLOCK=512)
    assert np.array_equal(out, np.cumsum(x, axis=1))


def test_sort_rows(run: Launcher) -> None:
    x = RNG.permutation(1024).astype(np.int32).reshape(4, 256)
    out = np.zeros_like(x)
    run("sort_rows", (4,), out, x, BLOCK=256)
    assert np.array_equal(out, np.sort(x, axis=1))


def test_gelu(run: Launcher) -> None:
    x = np.linspace(-6, 6, 1000, dtype=np.float32)
    out = nans(1000)
    run("gelu", (4,), out, x, np.int32(1000), BLOCK=256)
    wide = x.astype(np.float64)
    exact = 0.5 * wide * (1 + np.tanh(0.7978845608 * (wide + 0.044715 * wide**3)))
    np.testing.assert_allclose(out, exact, rtol=2e-5, atol=1e-6)
