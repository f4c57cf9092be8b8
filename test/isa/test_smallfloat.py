"""The small formats against ml_dtypes: every code, and numbers near every code."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

from isa import smallfloat, softfloat
from isa.smallfloat import Small
from isa.softfloat import F32
from isa.values import float_value

TYPES = {
    smallfloat.E4M3: ml_dtypes.float8_e4m3fn, smallfloat.E5M2: ml_dtypes.float8_e5m2,
    smallfloat.E4M3_FNUZ: ml_dtypes.float8_e4m3fnuz,
    smallfloat.E5M2_FNUZ: ml_dtypes.float8_e5m2fnuz,
    smallfloat.E2M3: ml_dtypes.float6_e2m3fn, smallfloat.E3M2: ml_dtypes.float6_e3m2fn,
    smallfloat.E2M1: ml_dtypes.float4_e2m1fn,
}  # fmt: skip


def as_float(f: Small, code: int) -> float:
    return float(np.array([code], np.uint8).view(TYPES[f])[0])


@pytest.mark.parametrize("f", TYPES, ids=lambda f: f.name)
def test_every_code(f: Small) -> None:
    for code in range(1 << f.width):
        right = as_float(f, code)
        assert f.is_nan(code) == bool(np.isnan(right)), code
        assert f.is_infinite(code) == bool(np.isinf(right)), code
        if np.isfinite(right):
            sign, m, e = f.value(code)
            assert (-1) ** sign * m * 2.0**e == right, code
            assert f.encode((sign, m, e)) == (code, False), code


@pytest.mark.parametrize("f", TYPES, ids=lambda f: f.name)
def test_rounding(f: Small) -> None:
    rng = random.Random(4)
    limit = as_float(f, f.largest)
    for _ in range(4000):
        bits = float_value(F32, rng)
        number = np.array([bits], np.uint32).view(np.float32)[0]
        if not np.isfinite(number) or abs(number) > limit:
            continue
        code, is_large = f.encode(softfloat.value(F32, bits))
        right = int(np.array([number]).astype(TYPES[f]).view(np.uint8)[0])
        assert code == right and not is_large, hex(bits)
    assert f.encode((0, 1, 200)) == (f.largest, True)
    assert f.encode((1, 1, 200)) == (f.sign | f.largest, True)


@pytest.mark.parametrize("f", [smallfloat.E4M3, smallfloat.E5M2], ids=lambda f: f.name)
def test_random_bits_round_to_one_of_two_neighbours(f: Small) -> None:
    rng = random.Random(5)
    for _ in range(2000):
        bits = rng.randrange(F32.one - (3 << 23), F32.one + (3 << 23))
        v = softfloat.value(F32, bits)
        low, high = f.truncated(v, 0), f.truncated(v, 0xFFFFFFFF)
        assert low is not None and high is not None
        assert high[0] - low[0] in (0, 1)
        drawn = f.truncated(v, rng.getrandbits(32))
        assert drawn in (low, high)
        exact = v[1] & ((1 << (23 - f.fraction)) - 1) == 0
        assert (low == high) == exact
