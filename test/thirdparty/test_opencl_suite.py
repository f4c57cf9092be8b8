"""The OpenCL suite of the simulator's unit tests, by its results: NumPy's, and without a report.

Kernels of the suite that compute nothing meaningful (``LEFT_OUT``) are left to the decoder's tests,
which is what they were written for.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula.sim
from reports import objections

SOURCE = Path(__file__).parents[1] / "unit" / "sim" / "isa-suite.cl"
LEVELS = ("O0", "O3")
TARGETS = ("gfx942", "gfx950")
bf16 = ml_dtypes.bfloat16
CASES: dict[str, Callable[[Any, np.random.Generator], None]] = {}


def case(function: Callable[[Any, np.random.Generator], None]) -> Any:
    CASES[function.__name__] = function
    return function


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    made, folder = {}, tmp_path_factory.mktemp("suite")
    for target in TARGETS:
        for level in LEVELS:
            flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-w"]
            flags += [f"-mcpu={target}", f"-{level}", str(SOURCE), "-o", str(folder / "suite.co")]
            subprocess.run(["clang-22", *flags], check=True)
            made[target, level] = (folder / "suite.co").read_bytes()
    return made


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", TARGETS)
def test_right_and_clean(objects: dict[tuple[str, str], bytes], target: str, level: str) -> None:
    module = tegula.sim.Device(target, threads=1, seconds_limit=60).load(objects[target, level])
    for name, check in CASES.items():

        def run(groups: Any, block: int, *values: Any, name: str = name) -> None:
            done = module[name].launch(groups, block, *values)
            assert not objections(done.findings), name

        check(run, np.random.default_rng(11))


# Kernels without a case, and why.
LEFT_OUT = {
    "atom": "reads LDS that it never wrote",
    "attn": "its matrix operands lie in other lanes than those that were loaded",
    "bufk": "its lanes store over one another's results",
    "dtl": "its waves load to the same bytes of LDS",
    "g950": "transposes LDS that the other halves of its operands don't match",
    "gather": "adds up loads of all widths; each is executed in test/isa",
    "gemm_f16": "reads LDS by a swizzle by which it was not written",
    "gemm_fp8": "steps by items where its operands are rows of lanes",
    "gemm_small": "sums blocks of two broadcasts; the instruction is executed in test/isa",
    "mx": "mixes formats of its operands; the instructions are executed in test/isa",
    "q950": "mixes the bits of unrelated conversions; each is executed in test/isa",
    "quant": "mixes fp8 and bf8 in a dword",
    "smf": "one sparse instruction, which is executed in test/isa",
    "topk": "takes the base of a wave from a lane that need not have drawn it",
    "tort_f": "its lanes store what others load",
    "tort_i": "its lanes store what others load",
}


def test_every_kernel_has_a_case_or_a_reason() -> None:
    kernels = re.findall(r"^kernel (?:WG\(\d+\) )?void (\w+)\(", SOURCE.read_text(), re.MULTILINE)
    assert sorted(kernels) == sorted([*CASES, *LEFT_OUT])


def small(rng: np.random.Generator, *shape: int, kind: Any) -> np.ndarray:
    return rng.integers(-3, 4, shape).astype(kind)


@case
def vecadd(run: Any, rng: Any) -> None:
    a, b = rng.standard_normal((2, 500)).astype(np.float32)
    out = np.full(500, np.nan, np.float32)
    run(2, 256, out, a, b, np.int32(500))
    assert np.array_equal(out, a + b)


@case
def gemm_bf16(run: Any, rng: Any) -> None:
    a, b = small(rng, 16, 64, kind=bf16), small(rng, 16, 64, kind=bf16)
    c = np.zeros((16, 16), bf16)
    run(1, 64, a, b, c, np.int32(64))
    assert np.array_equal(c, (a.astype(np.float32) @ b.astype(np.float32).T).astype(bf16))


def operand(lanes: np.ndarray, side: int) -> np.ndarray:
    """(64 lanes, items) of a matrix operand to (side, k)."""
    return lanes.reshape(64 // side, side, -1).transpose(1, 0, 2).reshape(side, -1)


def result(d: np.ndarray) -> np.ndarray:
    """A square result to (register, lane): groups of four rows go to the next lanes."""
    side = d.shape[0]
    groups = 64 // side
    return d.reshape(-1, groups, 4, side).transpose(0, 2, 1, 3).reshape(-1, 64)


@case
def gemm_i8(run: Any, rng: Any) -> None:
    a, b = (rng.integers(-128, 128, (96, 8)).astype(np.int8) for _ in range(2))
    c = np.zeros(1024 + 16 * 64, np.int32)
    run(1, 64, a, b, c, np.int32(64))
    for side, found in ((16, c[:256]), (32, c[1024:])):
        total = np.zeros((side, side), np.int64)
        for k in (0, 32):
            x, y = (operand(m[k : k + 64].astype(np.int64), side) for m in (a, b))
            total += x @ y.T
        assert np.array_equal(found.reshape(-1, 64), result(total))


@case
def gemm_f32(run: Any, rng: Any) -> None:
    a, b = (small(rng, 8 * 16, 1, kind=np.float32) for _ in range(2))
    c = np.zeros((128, 4), np.float32)
    run(1, 64, a, b, c, np.int32(8))
    totals = [np.zeros((side, side), np.float32) for side in (16, 32)]
    for k in (0, 64):
        for total in totals:
            total += operand(a[k : k + 64], len(total)) @ operand(b[k : k + 64], len(total)).T
    assert np.array_equal(c[:64].T, result(totals[0]))
    assert np.array_equal(c[64:].T, result(totals[1]).reshape(4, 4, 64).sum(axis=0))


@case
def gemm_f64(run: Any, rng: Any) -> None:
    a, b = rng.standard_normal((2, 8 * 16, 1))
    c = np.zeros((64, 4))
    run(1, 64, a, b, c, np.int32(8))
    total = sum(operand(a[k : k + 64], 16) @ operand(b[k : k + 64], 16).T for k in (0, 64))
    # One row of four lies in the next 16 lanes, the next four in the next registers.
    np.testing.assert_allclose(c.T.reshape(16, 16), total, rtol=1e-14, atol=1e-14)


@case
def rmsnorm(run: Any, rng: Any) -> None:
    x, w = rng.standard_normal((2, 2048)).astype(np.float16), rng.random(2048).astype(np.float16)
    out = np.zeros_like(x)
    run(2, 256, x, w, out, np.int32(2048), np.float32(1e-5))
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5) * w.astype(np.float64)
    np.testing.assert_allclose(out, want, rtol=2e-3, atol=1e-5)


@case
def softmax(run: Any, rng: Any) -> None:
    """Waves work by themselves: each reduces the columns of its own lanes."""
    x = rng.standard_normal((2, 1024)).astype(np.float32)
    out = np.zeros_like(x)
    run(2, 256, x, out, np.int32(1024))
    powers = np.exp(x.astype(np.float64)).reshape(2, 4, 4, 64)
    want = powers / powers.sum(axis=(1, 3), keepdims=True)
    np.testing.assert_allclose(out.reshape(want.shape), want, rtol=1e-5)


@case
def layernorm(run: Any, rng: Any) -> None:
    """The sums of a wave, over all n: what the kernel does, if not what its name says."""
    x = rng.standard_normal((2, 1024)).astype(bf16)
    w, b = rng.random((2, 1024)).astype(np.float32)
    out = np.zeros_like(x)
    run(2, 256, x, w, b, out, np.int32(1024))
    wide = x.astype(np.float64).reshape(2, 4, 4, 64)
    mean = wide.sum(axis=(1, 3), keepdims=True) / 1024
    variance = (wide**2).sum(axis=(1, 3), keepdims=True) / 1024 - mean**2
    normal = ((wide - mean) / np.sqrt(variance + 1e-5)).reshape(2, 1024)
    np.testing.assert_allclose(out.astype(np.float64), normal * w + b, rtol=2**-6, atol=1e-2)


@case
def bitonic(run: Any, rng: Any) -> None:
    x = rng.integers(-(2**31), 2**31, 512).astype(np.int32)
    want = np.sort(x)
    run(1, 256, x)
    assert np.array_equal(x, want)


@case
def transpose16(run: Any, rng: Any) -> None:
    x = rng.integers(-(2**15), 2**15, (128, 128)).astype(np.int16)
    out = np.zeros_like(x)
    run((2, 2), 256, x, out, np.int32(128))
    assert np.array_equal(out, x.T)


@case
def scratchk(run: Any, rng: Any) -> None:
    n = 300
    x = rng.integers(0, 9999, 31 * n + 256).astype(np.int32)
    want = x.copy()
    for lane in range(256):
        a = [int(x[i * n + lane]) for i in range(32)]
        j = int(x[lane]) & 31
        a[j] += 3
        for i in range(n):
            a[i * j & 31] += i
        want[lane] = a[(j + n) & 31]
    run(1, 256, x, np.int32(n))
    assert np.array_equal(x, want)
