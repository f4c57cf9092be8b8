"""Integers and f64 become other floats with one rounding: near ties, on the device and on NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from oracle import round_once

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
#: name → (NumPy type, bits of the significand, largest number)
FLOATS: dict[str, tuple[Any, int, float]] = {
    "bf16": (ml_dtypes.bfloat16, 8, float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)),
    "f16": (np.float16, 11, 65504.0),
    "f32": (np.float32, 24, float(np.finfo(np.float32).max)),
    "f64": (np.float64, 53, float(np.finfo(np.float64).max)),
}


@tg.kernel(grid=lambda x: (tg.cdiv(x.shape[0], 256),))
def converted(x: "N", out: "N") -> None:
    i = tg.program_id(0)
    tg.store(out, (i,), tg.load(x, (i,), (256,)).to(out.dtype))


@tg.kernel(grid=lambda: (1,))
def scalar_i32(out: "N", n: tg.i32, *, N: tg.const) -> None:
    tg.store(out, (0,), tg.full((N,), n.to(out.dtype), out.dtype))


@tg.kernel(grid=lambda: (1,))
def scalar_i64(out: "N", n: tg.i64, *, N: tg.const) -> None:
    tg.store(out, (0,), tg.full((N,), n.to(out.dtype), out.dtype))


def near_ties(kind: str) -> np.ndarray:
    """Integers within 2 of all that have few bits, and of the ties between their neighbours."""
    info = np.iinfo(kind)
    found = {0, int(info.min), int(info.max)}
    for _, bits, _ in FLOATS.values():
        for exponent in range(info.bits):
            for fraction in (0, 1, 2, 3, 5, 2**bits - 1, 2**bits - 2, 2**bits - 3):
                # One bit more than the significand: every odd fraction is a tie.
                middle = ((2**bits + fraction) << exponent) >> bits
                for off in (-2, -1, 0, 1, 2):
                    found |= {middle + off, -middle + off}
    return np.array(sorted(n for n in found if info.min <= n <= info.max), dtype=kind)


def rounded(number: int, bits: int, largest: float) -> float:
    """The float of ``bits`` significant bits that is nearest, ties to even, by integers only."""
    size = abs(number)
    cut = max(size.bit_length() - bits, 0)
    kept, rest, half = size >> cut, size & ((1 << cut) - 1), (1 << cut) >> 1
    kept += rest > half or (rest == half and cut > 0 and kept & 1)
    value = kept << cut
    result = float(value) if value <= largest else float("inf")
    return -result if number < 0 else result


def wide_near_ties(to: str) -> np.ndarray:
    """f64 next to numbers and to ties of ``to``, denormals and the edge to infinity included."""
    kind, bits, largest = FLOATS[to]
    least = int(np.frexp(float(ml_dtypes.finfo(kind).smallest_normal))[1]) - 1
    most = int(np.frexp(largest)[1]) - 1
    found = [0.0, -0.0, np.inf, -np.inf, largest, 2.0 * largest]
    for exponent in (least - bits, least - 2, least, 0, 3, most - 1, most):
        for fraction in (0, 1, 2, 3, 2**bits - 1, 2**bits - 2, 2**bits - 3):
            near = np.ldexp((2.0**bits + fraction) / 2.0**bits, exponent)
            for x in (near, np.nextafter(near, np.inf), np.nextafter(near, 0.0)):
                found += [x, -x, x * (1 + 2.0**-30), x * (1 - 2.0**-30)]
    return np.array(found)


def check(kernel: Any, x: np.ndarray, to: str) -> None:
    kind, bits, largest = FLOATS[to]
    exact = np.array([rounded(int(n), bits, largest) for n in x])
    out = np.zeros(x.shape, kind)
    kernel(x, out)
    wrong = np.flatnonzero(out.astype(np.float64) != exact)
    assert not wrong.size, [(int(x[i]), float(out[i]), float(exact[i])) for i in wrong[:5]]


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("kind", INTEGERS)
def test_tiles(device: tegula.runtime.Device, kind: str, to: str) -> None:
    check(converted, near_ties(kind), to)


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("kind", INTEGERS)
def test_interpreter(kind: str, to: str) -> None:
    check(converted.interpret, near_ties(kind), to)


@pytest.mark.parametrize("to", ["bf16", "f16", "f32"])
def test_wide_floats(device: tegula.runtime.Device, to: str) -> None:
    kind, _, largest = FLOATS[to]
    x = wide_near_ties(to)
    exact = round_once(x, to)
    exact = np.where(np.abs(exact) > largest, np.copysign(np.inf, x), exact)
    for kernel in (converted, converted.interpret):
        out = np.zeros(x.shape, kind)
        kernel(x, out)
        np.testing.assert_array_equal(out.astype(np.float64), exact)
        assert (np.signbit(out) == np.signbit(x)).all()


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_scalars(device: tegula.runtime.Device, kind: str) -> None:
    kernel = scalar_i32 if kind == "int32" else scalar_i64
    to, bits, largest = FLOATS["bf16"]
    out = np.zeros(1, to)
    for number in near_ties(kind)[::100].tolist():
        kernel(out, number)
        assert float(out[0]) == rounded(number, bits, largest), number


def test_the_number_that_two_roundings_get_wrong(device: tegula.runtime.Device) -> None:
    """0x1010001 is just above a tie of bf16; f32 drops its last bit, and the tie goes down."""
    out = np.zeros(2, ml_dtypes.bfloat16)
    converted(np.array([0x1010001, -0x1010001], np.int32), out)
    assert out.astype(np.float64).tolist() == [0x1020000, -0x1020000]


@tg.kernel(grid=lambda x: (1,))
def narrowed(
    x: "N", out: "N", one: "1", *, N: tg.const, rounding: tg.const, saturate: tg.const
) -> None:
    t = tg.load(x, (0,), (N,)).to(out.dtype, rounding=rounding, saturate=saturate)
    tg.store(out, (0,), t)
    s = tg.scalar(x, 0).to(out.dtype, rounding=rounding, saturate=saturate)  # scalars as tiles
    tg.store(one, (0,), tg.full((1,), s, out.dtype))


NARROWINGS = [("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16"), ("f64", "bf16")]
NARROWINGS += [("bf16", "f16"), ("f16", "bf16")]


@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize("rounding", ["rtz", "rne"])
@pytest.mark.parametrize(("source", "to"), NARROWINGS)
def test_rounding_and_saturation(
    device: Any, source: str, to: str, rounding: str, saturate: bool
) -> None:
    wide, narrow = getattr(tg, source).numpy, getattr(tg, to).numpy
    rng = np.random.default_rng(3)
    with np.errstate(all="ignore"):
        x = rng.standard_normal(4096) * np.exp2(rng.integers(-160, 140, 4096))
        x[1000:2000] = rng.standard_normal(1000)
        x[:8] = [70000.0, -70000.0, np.inf, -np.inf, np.nan, 0.0, -0.0, 65519.9]
        x = x.astype(wide)
    out, one = np.zeros(4096, narrow), np.zeros(1, narrow)
    narrowed(x, out, one, rounding=rounding, saturate=saturate)
    found, exact = out.astype(np.float64), x.astype(np.float64)
    largest = float(ml_dtypes.finfo(narrow).max)
    numbers = ~np.isnan(exact)
    assert np.isnan(found[~numbers]).all() and not np.isnan(found[numbers]).any()
    finite = np.isfinite(exact)
    if rounding == "rtz":
        assert (np.abs(found[finite]) <= np.abs(exact[finite])).all()
        assert (np.abs(found[finite]) <= largest).all()
        with np.errstate(all="ignore"):
            away = np.nextafter(np.abs(out), narrow.type(np.inf)).astype(np.float64)
        inside = finite & (np.abs(exact) < largest)
        assert (away[inside] > np.abs(exact[inside])).all(), "the next one would be too far"
    if saturate:
        assert (np.abs(found[numbers]) <= largest).all()
        assert (np.abs(found[np.isinf(exact)]) == largest).all()
    else:
        assert np.isinf(found[np.isinf(exact)]).all()
    expected, first = out.copy(), one.copy()
    narrowed.interpret(x, expected, first, rounding=rounding, saturate=saturate)
    np.testing.assert_array_equal(found, expected.astype(np.float64))
    assert one[0] == first[0] == out[0]
