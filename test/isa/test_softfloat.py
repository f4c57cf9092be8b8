"""The integer-only arithmetic against NumPy's and against fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from isa import softfloat as soft
from isa.softfloat import BF16, EXACT, F16, F32, F64, NAN, Env, Format
from isa.values import float_edges, float_value

FORMATS = {F16: np.float16, F32: np.float32, F64: np.float64}
COUNT = 3000


def number(f: Format, bits: int) -> np.generic:
    raw = np.array([bits], dtype=f"u{f.width // 8}")
    return raw.view(FORMATS[f])[0]


def same(f: Format, bits: object, right: np.generic) -> bool:
    if np.isnan(right):
        return bits is NAN
    return bits == int(np.array([right]).view(f"u{f.width // 8}")[0])


def draw(f: Format, rng: random.Random) -> int:
    return float_value(f, rng)


@pytest.mark.parametrize("f", FORMATS, ids=lambda f: f.name)
def test_sums_and_products(f: Format) -> None:
    rng = random.Random(1)
    with np.errstate(all="ignore"):
        for _ in range(COUNT):
            a, b = draw(f, rng), draw(f, rng)
            assert same(f, soft.add(f, a, b), number(f, a) + number(f, b)), (a, b)
            assert same(f, soft.mul(f, a, b), number(f, a) * number(f, b)), (a, b)


@pytest.mark.parametrize("f", FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize("rounding", range(4))
def test_fma_is_the_nearest_in_its_direction(f: Format, rounding: int) -> None:
    rng = random.Random(2)
    for _ in range(COUNT):
        a, b, c = (draw(f, rng) for _ in range(3))
        if any(soft.magnitude(f, x) >= f.infinity for x in (a, b, c)):
            continue
        result = soft.fma(f, a, b, c, Env(rounding))
        exact = fraction(f, a) * fraction(f, b) + fraction(f, c)
        assert is_rounded(f, result, exact, rounding), (a, b, c)


def fraction(f: Format, bits: int) -> Fraction:
    sign, m, e = soft.value(f, bits)
    return (-1) ** sign * m * Fraction(2) ** e


def is_rounded(f: Format, bits: int, exact: Fraction, rounding: int) -> bool:
    """By the neighbours of the result: nothing lies between it and the exact value."""
    if soft.is_infinite(f, bits):
        limit = fraction(f, f.largest)
        half = fraction(f, f.largest) - fraction(f, f.largest - 1)
        if rounding == 0:
            return abs(exact) >= limit + half / 2 and (exact < 0) == soft.negative(f, bits)
        return abs(exact) > limit and (exact < 0) == (rounding == 2)
    got = fraction(f, bits)
    if got == exact:
        return True
    if rounding and soft.magnitude(f, bits) == f.largest and abs(exact) > abs(got):
        return rounding == 3 or (rounding == 1) == soft.negative(f, bits)
    near = bits & ~f.sign if soft.magnitude(f, bits) < f.largest else f.largest - 1
    gap = fraction(f, near + 1) - fraction(f, near)
    if rounding == 1:
        return got > exact and got - exact < gap
    if rounding == 2:
        return got < exact and exact - got < gap
    if rounding == 3:
        return abs(got) < abs(exact) and abs(exact - got) < gap
    return abs(exact - got) * 2 <= gap


def test_conversions() -> None:
    rng = random.Random(3)
    with np.errstate(all="ignore"):
        for _ in range(COUNT):
            a, b = draw(F32, rng), draw(F64, rng)
            assert same(F16, soft.convert(F16, F32, a), number(F32, a).astype(np.float16))
            assert same(F32, soft.convert(F32, F64, b), number(F64, b).astype(np.float32))
            assert same(F64, soft.convert(F64, F32, a), number(F32, a).astype(np.float64))
            right = number(F32, a).astype(ml_dtypes.bfloat16)
            bits = soft.convert(BF16, F32, a)
            assert bits is NAN if np.isnan(right) else bits == int(right.view(np.uint16))


def test_flushing_keeps_the_sign() -> None:
    flush_in, flush_out = Env(keep_in=False), Env(keep_out=False)
    smallest = 1 << F32.fraction
    assert soft.add(F32, F32.sign | 1, F32.sign, flush_in) == F32.sign
    assert soft.mul(F32, F32.sign | smallest, F32.one - smallest, flush_out) == F32.sign
    assert soft.mul(F32, smallest, F32.one, flush_out) == smallest
    # rounded up to the smallest normal number: not tiny
    below = F32.one - 1
    assert soft.mul(F32, smallest, below, flush_out) in (0, smallest)
    assert soft.mul(F32, smallest, below, EXACT) == smallest


def test_integers() -> None:
    for x in (0, 1, -1, 16777217, -16777219, 2**31 - 1, -(2**31)):
        right = np.float32(x) if abs(x) < 2**24 else np.array(x, np.int64).astype(np.float32)
        assert same(F32, soft.from_integer(F32, x), right)
    assert soft.round_integer(0, 5, -1, 0) == 2 and soft.round_integer(1, 5, -1, 1) == -2


def test_edges_are_of_the_format() -> None:
    for f in FORMATS:
        assert all(0 <= x < 1 << f.width for x in float_edges(f))
