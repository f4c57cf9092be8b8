"""Softmax along rows against float64, rounded once."""

from __future__ import annotations

import numpy as np
import pytest

import tegula
from oracle import FORMATS, Guarded, random, ulps
from tegula.kernels import softmax

LENGTHS = (1, 7, 64, 500, 2880, 4097, 16385)


@pytest.mark.parametrize("rows", (1, 5))
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", FORMATS)
def test_softmax(device: tegula.runtime.Device, dtype: str, length: int, rows: int) -> None:
    rng = np.random.default_rng(length * 1000 + rows)
    values = 4 * random(rng, (rows, length), dtype).astype(np.float32)
    x, out = Guarded((rows, length), dtype, values), Guarded((rows, length), dtype)
    softmax(x.array, out.array)

    wide = x.array.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    error = ulps(out.array, powers / powers.sum(axis=1, keepdims=True), dtype)
    assert np.isfinite(error).all()
    if dtype == "f32":  # rounding x − max alone is an error of |x − max| / 2 ulp after exp
        assert (error <= 6 + np.abs(wide - wide.max(axis=1, keepdims=True))).all()
    else:
        assert error.max() <= 1
    assert x.intact() and out.intact()


def test_softmax_of_large_values_and_infinities(device: tegula.runtime.Device) -> None:
    x = np.array([[-np.inf, 0.0, 1.0], [3e38, -3e38, 3e38], [80.0, -80.0, 79.0]], dtype=np.float32)
    out = np.full_like(x, np.nan)
    softmax(x, out)
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=2.0**-149)
