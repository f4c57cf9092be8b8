"""clang's code objects on the simulated device, against NumPy, sanitizers on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.sim

Run = Callable[..., None]
RNG = np.random.default_rng(3)


@pytest.fixture
def run(device: tegula.sim.Device, clang_objects: dict[str, bytes]) -> Run:
    def call(kernel: str, groups: int, *values: Any, block: int = 256) -> None:
        device.load(clang_objects[device.target])[kernel].launch(groups, block, *values)

    return call


def test_vector_add(run: Run) -> None:
    a, b = RNG.standard_normal((2, 1000)).astype(np.float32)
    out = np.full(1000, np.nan, dtype=np.float32)
    run("vector_add", 4, out, a, b, np.int32(1000))
    assert np.array_equal(out, a + b)


def test_saxpy_double(run: Run) -> None:
    x, y = RNG.standard_normal((2, 700))
    expected = (np.float128(x) * 1.25 + np.float128(y)).astype(np.float64)
    run("saxpy_double", 3, y, x, np.float64(1.25), np.int32(700))
    assert np.array_equal(y, expected)


def test_block_sum(run: Run) -> None:
    x = RNG.integers(-100, 100, 1000).astype(np.float32)
    out = np.full(4, np.nan, dtype=np.float32)
    run("block_sum", 4, out, x, np.int32(1000))
    assert np.array_equal(out, np.pad(x, (0, 24)).reshape(4, 256).sum(axis=1))


@pytest.mark.parametrize("kernel", ["histogram", "lds_histogram"])
def test_histogram(run: Run, kernel: str) -> None:
    x = RNG.integers(0, 64, 2000).astype(np.int32)
    bins = np.zeros(64, dtype=np.int32)
    run(kernel, 8, bins, x, np.int32(2000))
    assert np.array_equal(bins, np.bincount(x, minlength=64))


def test_collatz(run: Run) -> None:
    start = RNG.integers(1, 10_000, 500).astype(np.uint32)
    steps = np.full(500, -1, dtype=np.int32)
    run("collatz", 2, steps, start, np.int32(500))

    def count(value: int) -> int:
        steps = 0
        while value != 1:
            value, steps = (3 * value + 1 if value % 2 else value // 2), steps + 1
        return steps

    assert steps.tolist() == [count(int(value)) for value in start]


def test_divide(run: Run) -> None:
    a = RNG.integers(-(2**31), 2**31, 512).astype(np.int32)
    b = RNG.integers(1, 2**20, 512).astype(np.int32) * RNG.choice([-1, 1], 512).astype(np.int32)
    quotient, rest = np.zeros_like(a), np.zeros_like(a)
    run("divide", 2, quotient, rest, a, b, np.int32(512))
    expected = np.trunc(a.astype(np.float64) / b).astype(np.int32)
    assert np.array_equal(quotient, expected)
    assert np.array_equal(rest, a - expected * b)


def test_divide_float(run: Run) -> None:
    a, b = RNG.standard_normal((2, 512)).astype(np.float32)
    a[:8] *= np.float32(1e-38)
    b[4:12] *= np.float32(1e30)
    out = np.full(512, np.nan, dtype=np.float32)
    run("divide_float", 2, out, a, b, np.int32(512))
    # OpenCL's default division is 2.5 ulp and may flush denormals
    normal = np.abs(a / b) > 1e-37
    np.testing.assert_allclose(out[normal], (a / b)[normal], rtol=3e-7)


def test_divide_long(run: Run) -> None:
    a = RNG.integers(-(2**62), 2**62, 256)
    b = RNG.integers(1, 2**40, 256)
    out = np.zeros_like(a)
    run("divide_long", 1, out, a, b, np.int32(256))
    expected = [
        abs(x) // y * (1 if x >= 0 else -1) for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    rest = [x - q * y for x, q, y in zip(a.tolist(), expected, b.tolist(), strict=True)]
    assert out.tolist() == [q + r for q, r in zip(expected, rest, strict=True)]


def test_transpose(run: Run) -> None:
    x = RNG.integers(-1000, 1000, (64, 96)).astype(np.int16)
    out = np.zeros((96, 64), dtype=np.int16)
    run("transpose", 6, out, x, np.int32(64), np.int32(96))
    assert np.array_equal(out, x.T)


def test_mfma_f16(run: Run) -> None:
    a, b = RNG.integers(-3, 4, (2, 16, 64)).astype(np.float16)
    c = np.full((16, 16), np.nan, dtype=np.float32)
    run("mfma_f16", 1, c, a, b, np.int32(64), block=64)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_mfma_bf16(run: Run) -> None:
    a, b = RNG.integers(-3, 4, (2, 64, 128)).astype(ml_dtypes.bfloat16)
    c = np.full((64, 64), np.nan, dtype=np.float32)
    run("mfma_bf16", 1, c, a, b, np.int32(128))
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_scratch_rotate(run: Run) -> None:
    x = RNG.integers(0, 1000, (16, 256)).astype(np.int32)
    out = np.zeros_like(x)
    run("scratch_rotate", 1, out, x, np.int32(5))
    rows = (np.arange(16)[:, None] + 5 + np.arange(256)) & 15
    assert np.array_equal(out, np.take_along_axis(x, rows, axis=0))


def test_half_fma(run: Run) -> None:
    a, b = RNG.standard_normal((2, 300)).astype(np.float16)
    out = np.full(300, np.nan, dtype=np.float16)
    run("half_fma", 2, out, a, b, np.int32(300))
    fused = (a.astype(np.float64) * b + a).astype(np.float16)
    assert np.array_equal(out, fused) or np.array_equal(out, a * b + a)


def test_ballot_rank(run: Run) -> None:
    x = RNG.integers(-1, 2, 256).astype(np.int32)
    out = np.zeros_like(x)
    run("ballot_rank", 1, out, x)
    flags = (x > 0).reshape(4, 64).astype(np.int32)
    assert np.array_equal(out, (np.cumsum(flags, axis=1) - flags).ravel())


def test_reverse_wave(run: Run) -> None:
    x = RNG.integers(-1000, 1000, 256).astype(np.int32)
    out = np.zeros_like(x)
    run("reverse_wave", 1, out, x)
    assert np.array_equal(out, x.reshape(4, 64)[:, ::-1].ravel())


def test_out_of_bounds_is_named(device: tegula.sim.Device, clang_objects: Any) -> None:
    a, b = RNG.standard_normal((2, 1000)).astype(np.float32)
    whole = np.zeros(2000, dtype=np.float32)
    kernel = device.load(clang_objects[device.target])["vector_add"]
    with pytest.raises(tegula.SanitizerReport, match=r"(?s)out-of-bounds.*vector_add.*kernels\.cl"):
        kernel.launch(4, 256, whole[:990], a, b, np.int32(1000))
    assert not whole[990:].any()
