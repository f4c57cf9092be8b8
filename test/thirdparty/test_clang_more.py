"""more_kernels.cl and .cpp at three levels of optimisation and as three versions of code object.

Against NumPy and plain Python; sanitizers on, nothing suppressed, no report of any kind.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula.sim

BUILDS = {"O0": 4, "O2": 5, "O3": 6}  # optimisation → code object version
TARGETS = ("gfx942", "gfx950")
CASES: dict[str, Callable[[Any, np.random.Generator], None]] = {}


def case(function: Callable[[Any, np.random.Generator], None]) -> Any:
    CASES[function.__name__] = function
    return function


OPENCL = ["-x", "cl", "-cl-std=CL2.0"]
CPP = ["-x", "c++", "-std=c++17", "-ffreestanding", "-fno-exceptions", "-fno-rtti"]


def compiled(folder: Path, source: str, flags: list[str], target: str, level: str) -> bytes:
    output = folder / "more.co"
    flags = [*flags, "-target", "amdgcn-amd-amdhsa", "-nogpulib", f"-mcpu={target}", f"-{level}"]
    flags += [f"-mcode-object-version={BUILDS[level]}", "-g", "-w"]
    path = str(Path(__file__).parent / source)
    subprocess.run(["clang-22", *flags, path, "-o", str(output)], check=True)
    return output.read_bytes()


@pytest.mark.parametrize("level", BUILDS)
@pytest.mark.parametrize("target", TARGETS)
def test_right_and_clean(tmp_path: Path, target: str, level: str) -> None:
    """Every kernel of the objects: one that has no case is a fault of this test."""
    device = tegula.sim.Device(target, threads=2, seconds_limit=60)
    kernels = {
        **device.load(compiled(tmp_path, "more_kernels.cl", OPENCL, target, level)),
        **device.load(compiled(tmp_path, "more_kernels.cpp", CPP, target, level)),
    }
    assert sorted(kernels) == sorted(CASES)
    for name, check in CASES.items():

        def run(groups: Any, block: Any, *values: Any, name: str = name) -> None:
            done = kernels[name].launch(groups, block, *values)
            assert not done.findings, name

        check(run, np.random.default_rng(7))


def ints(rng: np.random.Generator, *shape: int, low: int = -(2**31), high: int = 2**31) -> Any:
    return rng.integers(low, high, shape).astype(np.int32)


# --- Calls ----------------------------------------------------------------------------------------


@case
def recursion(run: Any, rng: Any) -> None:
    out = np.zeros(64, np.int32)
    run(1, 64, out)
    assert out.tolist() == [(i & 7) + (2 if i & 1 else 1) for i in range(64)]


@case
def variadic_sum(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64, low=-999, high=999), np.zeros(64, np.int32)
    run(1, 64, out, x)
    assert np.array_equal(out, np.where(np.arange(64) & 1, 3 * x + 3, x + 100))


@case
def virtual_calls(run: Any, rng: Any) -> None:
    out = np.zeros(64)
    run(1, 64, out)
    i = np.arange(64)
    assert np.array_equal(out, np.choose(i % 3, [i * i, 2 * i, 0.5 * i]))


@case
def fibonacci_memo(run: Any, rng: Any) -> None:
    out = np.zeros(64, np.uint64)
    run(1, 64, out)
    numbers = [0, 1]
    while len(numbers) < 64:
        numbers.append(numbers[-1] + numbers[-2])
    assert out.tolist() == numbers


@case
def template_sort(run: Any, rng: Any) -> None:
    x = rng.standard_normal((64, 9)).astype(np.float32)
    want = np.sort(x, axis=1)
    run(1, 64, x)
    assert np.array_equal(x, want)


@case
def long_arithmetic(run: Any, rng: Any) -> None:
    """128-bit products and quotients of lanes."""
    a, b = (rng.integers(1, 2**63, 64).astype(np.uint64) for _ in range(2))
    out = np.zeros((64, 3), np.uint64)
    run(1, 64, out, a, b)
    for lane, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        product = x * y
        assert out[lane].tolist() == [
            product >> 64,
            product % 2**64,
            product // (y | 1 << 40) % 2**64,
        ]


@case
def indirect_calls(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64, low=-9999, high=9999), np.zeros(64, np.int32)
    run(1, 64, out, x)
    i = np.arange(64) % 3
    assert np.array_equal(out, np.where(i == 0, 2 * x, np.where(i == 1, x * x, -x)))


RECORD = np.dtype([("a", "f8"), ("b", "i4", 5), ("c", "i4")], align=True)


@case
def records(run: Any, rng: Any) -> None:
    r = np.zeros(128, RECORD)
    r["a"], r["b"], r["c"] = rng.standard_normal(128), ints(rng, 128, 5), 3
    want = r.copy()
    want["a"] *= 7
    want["b"] += 7 * np.arange(5, dtype=np.int32)
    want["c"] ^= 0x55
    memory = r.view(np.uint8)
    run(2, 64, memory, np.int32(7))
    for field in "abc":
        assert np.array_equal(r[field], want[field])


@case
def struct_argument(run: Any, rng: Any) -> None:
    r = np.zeros(1, RECORD)
    r["a"], r["b"], r["c"] = 0.5, np.arange(5) * 100, -7
    out = np.zeros(64)
    run(1, 64, out, r.tobytes())
    assert np.array_equal(out, 0.5 + np.arange(64) % 5 * 100 - 7)


# --- Memory ---------------------------------------------------------------------------------------


@case
def tables(run: Any, rng: Any) -> None:
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53])
    x, out = ints(rng, 64), np.zeros(64, np.int32)
    run(1, 64, out, x)
    assert np.array_equal(out, primes[x & 15] + 5)


@case
def dynamic_stack(run: Any, rng: Any) -> None:
    out, n = np.zeros(64, np.int32), 13
    run(1, 64, out, np.int32(n))
    total = np.zeros(64, np.int32)
    for i in range(n - 1, -1, -1):
        total = total * np.int32(3) + np.int32(i * 7 % n) * np.arange(64, dtype=np.int32)
    assert np.array_equal(out, total)


@case
def generic_pointers(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64, low=-999, high=999), np.zeros(64, np.int32)
    run(1, 64, out, x)
    i = np.arange(64)
    assert np.array_equal(out, np.choose(i % 3, [x, 3 * x[i ^ 1], x + (i & 3)]))


@case
def unaligned(run: Any, rng: Any) -> None:
    kind = np.dtype([("a", "u1"), ("b", "<i4"), ("c", "<i2")])
    x = np.frombuffer(rng.bytes(64 * 7), kind).copy()
    out = np.zeros(64, kind)
    run(1, 64, out.view(np.uint8), x.view(np.uint8))
    assert np.array_equal(out["a"], x["a"] + np.uint8(1))
    assert np.array_equal(out["b"], x["b"] * np.int32(3))
    assert np.array_equal(out["c"], x["c"] - np.int16(7))


@case
def wide_copies(run: Any, rng: Any) -> None:
    x, out = rng.integers(-128, 128, (64, 16)).astype(np.int8), np.zeros((64, 16), np.int8)
    y, z = rng.integers(-(2**62), 2**62, 64), np.zeros(64, np.int64)
    run(1, 64, out, x, z, y)
    assert np.array_equal(out, x[::-1]) and np.array_equal(z, y << (np.arange(64) & 31))


@case
def buffer_ranges(run: Any, rng: Any) -> None:
    x, out = ints(rng, 256), np.full(256, -1, np.int32)
    run(1, 256, out, x, np.int32(600))
    want = np.zeros(256, np.int32)  # 64 bytes on, and zeros from byte 600
    want[: 150 - 16] = x[16:150]
    assert np.array_equal(out, want)


# --- Workgroups -----------------------------------------------------------------------------------


@case
def inclusive_scan(run: Any, rng: Any) -> None:
    x, out = ints(rng, 2, 256, low=-999, high=999), np.zeros((2, 256), np.int32)
    run(2, 256, out, x)
    assert np.array_equal(out, np.cumsum(x, axis=1))


@case
def tiled_product(run: Any, rng: Any) -> None:
    a, b = (rng.integers(-9, 9, (32, 32)).astype(np.float32) for _ in range(2))
    c = np.full((32, 32), np.nan, np.float32)
    run((2, 2), 256, c, a, b, np.int32(32))
    assert np.array_equal(c, a @ b)


@case
def radix_sort(run: Any, rng: Any) -> None:
    x = rng.integers(0, 2**32, 256).astype(np.uint32)
    want = np.sort(x)
    run(1, 256, x)
    assert np.array_equal(x, want)


@case
def plane(run: Any, rng: Any) -> None:
    out = np.full((8, 48), -1, np.int32)
    run((3, 2), (16, 4), out, np.int32(48))
    y, x = np.mgrid[:8, :48]
    assert np.array_equal(out, x * 1000 + y)


# --- Atomics --------------------------------------------------------------------------------------


@case
def orders(run: Any, rng: Any) -> None:
    lanes = np.arange(64)
    cells, old = np.zeros(80, np.int32), np.full(128, -1, np.int32)
    cells[3], cells[16:] = -1, lanes + 500
    run(1, 64, cells, old)
    folded = np.bitwise_xor.reduce(lanes * 77)
    assert cells[:8].tolist() == [64, -lanes.sum(), -1, 0, folded, 43, -20, -1]
    assert np.array_equal(cells[16:], -lanes) and np.array_equal(old[:64], lanes + 500)
    assert np.array_equal(old[64:], lanes)


@case
def wide_atomics(run: Any, rng: Any) -> None:
    cells, sums, floats = np.zeros(2, np.int64), np.zeros(2), np.zeros(4, np.float32)
    run(2, 64, cells, sums, floats)
    assert cells.tolist() == [128 << 33, 63 << 34]
    assert sums.tolist() == [32, 32] and floats.tolist() == [32] * 4


@case
def lds_atomics(run: Any, rng: Any) -> None:
    out, i = np.zeros(5, np.int32), np.arange(256)
    run(1, 256, out)
    assert out.tolist() == [i[::2].sum(), i[1::2].sum(), 255, 0, i.sum()]


@case
def turns(run: Any, rng: Any) -> None:
    order, turn = np.zeros(17, np.int32), np.zeros(1, np.int32)
    run(9, 64, order, turn)
    assert order.tolist() == [*range(9), *[0] * 7, 9] and turn[0] == 9


# --- Arithmetic -----------------------------------------------------------------------------------


@case
def packed_math(run: Any, rng: Any) -> None:
    h = rng.integers(-9, 9, (64, 2)).astype(np.float16)
    s = rng.integers(-500, 500, (64, 2)).astype(np.int16)
    f = rng.integers(-99, 99, (64, 2)).astype(np.float32)
    want = h * h + np.float16([1, -2]), np.maximum(s * np.int16(3), np.int16([-100, 100]))
    last = f * np.float32([2, 3]) + f[:, ::-1]
    run(1, 64, h, s, f)
    assert np.array_equal(h, want[0]) and np.array_equal(f, last)
    assert np.array_equal(s, want[1] >> np.int16([1, 2]))


@case
def doubles(run: Any, rng: Any) -> None:
    x, y = rng.standard_normal((2, 64))
    r = np.where(x > y, np.sqrt(np.abs(x - y)), np.floor(x) - y).astype(np.longdouble)
    fused = (r * y + np.trunc(x * 1000)).astype(np.float64)
    want = fused + np.trunc(y * 1e12) + x.astype(np.float32)
    run(1, 64, x, y)
    np.testing.assert_allclose(x, want, rtol=1e-14)


@case
def conversions(run: Any, rng: Any) -> None:
    x = (rng.standard_normal(64) * 2000).astype(np.float32)
    out = np.zeros((5, 64), np.int32)
    run(1, 64, out, x)
    whole = np.trunc(x).astype(np.int32)
    assert np.array_equal(out[0], whole) and np.array_equal(out[1], np.abs(whole))
    assert np.array_equal(out[2], x.astype(np.float16).astype(np.float32).view(np.int32))
    scaled = (x * np.float32(1e6)).astype(np.int64)
    assert np.array_equal(out[3], scaled.astype(np.uint64).astype(np.uint32).view(np.int32))
    assert np.array_equal(out[4], (whole & 255) + whole.astype(np.int16))


@case
def bits(run: Any, rng: Any) -> None:
    x = rng.integers(0, 2**32, 64).astype(np.uint32) >> rng.integers(0, 32, 64).astype(np.uint32)
    x[0] = 0
    out = np.zeros((7, 64), np.uint32)
    run(1, 64, out, x)
    for lane, v in enumerate(map(int, x)):
        text = f"{v:032b}"
        turned = text[lane & 31 :] + text[: lane & 31]
        want = [text.count("1"), 32 - v.bit_length()]
        want += [(v & -v).bit_length() - 1 if v else 32, int(text[::-1], 2), int(turned, 2)]
        want += [int.from_bytes(v.to_bytes(4, "little"), "big")]
        want += [v * 0x9E3779B97F4A7C15 % 2**64 >> 40]
        assert out[:, lane].tolist() == want


@case
def switches(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64, low=-5000, high=5000), np.zeros(64, np.int32)
    run(1, 64, out, x)

    def walked(v: int) -> int:
        kind = v & 7
        quotient = abs(v) // 7 * (1 if v >= 0 else -1)
        rest = abs(v) % 11 * (1 if v >= 0 else -1)
        v = {0: v + 1, 1: 3 * v - 5, 2: v - 5, 5: quotient, 6: rest}.get(kind, ~v)
        i = 0
        while i < (v & 15) and i != 9:
            v += 0 if i & 1 else i
            i += 1
        return v

    assert out.tolist() == [walked(int(v)) for v in x]


@case
def wave_reduction(run: Any, rng: Any) -> None:
    x, out = rng.integers(-99, 99, (3, 64)).astype(np.float32), np.zeros(3, np.float32)
    run(3, 64, out, x)
    assert np.array_equal(out, x.sum(axis=1))


@case
def dpp_maximum(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64), np.zeros(64, np.int32)
    run(1, 64, out, x)
    assert np.array_equal(out, np.maximum.accumulate(x.reshape(4, 16), axis=1).ravel())
