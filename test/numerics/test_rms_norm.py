"""RMSNorm against float64, rounded once, over row lengths of every kind."""

from __future__ import annotations

import numpy as np
import pytest

import tegula
from oracle import FORMATS, Guarded, random, ulps
from tegula.kernels import rms_norm

LENGTHS = (1, 7, 64, 500, 512, 2000, 2880, 4096, 4097, 5120, 7168, 8193, 11008, 16385, 65536)
ROWS = (1, 3, 130)
EPS = 1e-5


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", FORMATS)
def test_rms_norm(device: tegula.runtime.Device, dtype: str, length: int, rows: int) -> None:
    rng = np.random.default_rng(length * 1000 + rows)
    x = Guarded((rows, length), dtype, random(rng, (rows, length), dtype))
    w = Guarded((length,), dtype, random(rng, (length,), dtype))
    out, rstd = Guarded((rows, length), dtype), Guarded((rows, 1), "f32")
    rms_norm(x.array, w.array, out.array, rstd.array, EPS)

    wide, weight = x.array.astype(np.float64), w.array.astype(np.float64)
    inverse = 1 / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + np.float64(np.float32(EPS)))
    error = ulps(out.array, wide * inverse * weight, dtype)
    assert np.isfinite(error).all()
    if dtype == "f32":
        assert error.max() <= 4
    else:
        assert error.max() <= 1
        assert (error == 0).mean() >= 0.99
    assert ulps(rstd.array, inverse, "f32").max() <= 4
    assert all(buffer.intact() for buffer in (x, w, out, rstd))
