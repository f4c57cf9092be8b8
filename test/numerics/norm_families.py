"""Cases of the norms of rows and of their gradients; see accuracy.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from accuracy import Family
from oracle import FORMATS, Placed, random, round_once, terms_error, ulps
from tegula.kernels import (
    add_rms_norm,
    column_sums,
    layer_norm,
    norm_backward,
    norm_sums,
    rms_norm,
)
from tegula.kernels.norm_backward import LONGEST
from tegula.kernels.rows import CHUNK, TILE

LENGTHS = (1, 7, 64, 500, 512, 2000, 2880, 4096, 4097, 5120, 7168, 8193, 11008, 16385, 65536)
EPS = 1e-5
#: Rows, length, and how the arrays lie in memory.
SIZES = [
    *((rows, length, "rows") for length in LENGTHS for rows in (1, 3, 130)),
    (0, 64, "rows"),
    (3, 0, "rows"),
    (3, 32_768, "rows"),
    (2, 32_769, "rows"),
    (2, 100_003, "rows"),
    (5, 100, "columns"),
    (70, 2880, "columns"),
    (5, 4096, "reversed"),
    (5, 4097, "apart"),
    (2, 100_003, "columns"),
]


def kind(variant: str) -> str:
    return variant.split()[0]


def means(x: np.ndarray) -> np.ndarray:
    """Of rows; of rows without elements 0."""
    total: np.ndarray = x.sum(axis=1, keepdims=True)
    return total / max(1, x.shape[1])


def norm(variant: str, size: tuple[int, int, str]) -> float:
    """RMSNorm of x, or of x + residual ("add"); rstd and the sum are checked on the way."""
    rows, length, layout = size
    dtype, fused = kind(variant), "add" in variant
    rng = np.random.default_rng(length * 1000 + rows)
    x, residual = (Placed(random(rng, (rows, length), dtype), dtype, layout) for _ in range(2))
    w = Placed(random(rng, (length,), dtype), dtype)
    out, total = (Placed((rows, length), dtype, layout) for _ in range(2))
    rstd = Placed((rows, 1), "f32")
    shared = max(1, TILE // max(1, length))
    if fused:
        arrays = (x, residual, w, out, total, rstd)
        add_rms_norm(*(buffer.array for buffer in arrays), EPS, BM=shared)
    else:
        rms_norm(x.array, w.array, out.array, rstd.array, EPS, BM=shared)

    assert all(buffer.intact() for buffer in (x, residual, w, out, total, rstd))
    if not length:
        assert np.isnan(rstd.array).all()  # the mean of nothing
        return 0.0
    wide, weight = x.wide(), w.wide()
    if fused:
        wide = round_once(wide + residual.wide(), dtype)
        assert np.array_equal(total.wide(), wide)
    inverse = 1 / np.sqrt(means(wide * wide) + np.float64(np.float32(EPS)))
    error = ulps(out.array, wide * inverse * weight, dtype)
    if dtype != "f32" and error.size:
        assert (error == 0).mean() >= 0.99
    assert ulps(rstd.array, inverse, "f32").max(initial=0) <= 4
    return float(error.max(initial=0))


def layers(variant: str, size: tuple[int, int, str]) -> float:
    """LayerNorm of x, far from zero; mean and rstd are checked on the way. "plain": no weights."""
    rows, length, layout = size
    dtype, plain = kind(variant), "plain" in variant
    rng = np.random.default_rng(length * 1000 + rows)
    x = Placed(random(rng, (rows, length), dtype) + 3, dtype, layout)
    w, b = (Placed(random(rng, (length,), dtype), dtype) for _ in range(2))
    out = Placed((rows, length), dtype, layout)
    mean, rstd = Placed((rows, 1), "f32"), Placed((rows, 1), "f32")
    more = () if plain else (w.array, b.array)
    layer_norm(x.array, out.array, mean.array, rstd.array, EPS, *more)

    assert all(buffer.intact() for buffer in (x, w, b, out, mean, rstd))
    if not length:
        assert np.isnan(rstd.array).all()
        return 0.0
    wide, weight, bias = x.wide(), w.wide(), b.wide()
    centred = wide - means(wide)
    inverse = 1 / np.sqrt(means(centred * centred) + np.float64(np.float32(EPS)))
    assert terms_error(mean.array, means(wide), means(np.abs(wide)), "f32").max(initial=0) <= 1
    assert ulps(rstd.array, inverse, "f32").max(initial=0) <= 16
    exact = centred * inverse * (1 if plain else weight) + (0 if plain else bias)
    terms = (np.abs(wide) + np.abs(means(wide))) * inverse * (1 if plain else np.abs(weight))
    error = terms_error(out.array, exact, terms + (0 if plain else np.abs(bias)), dtype)
    return float(error.max(initial=0))


def gradients(variant: str, size: tuple[int, int, str]) -> float:
    """dx, dw of RMSNorm, "add": of the sum that it gave out, too; "mean": and db of LayerNorm."""
    rows, length, layout = size
    dtype, fused, centred = kind(variant), "add" in variant, "mean" in variant
    rng = np.random.default_rng(length * 1000 + rows)
    x, dy, dtotal = (Placed(random(rng, (rows, length), dtype), dtype, layout) for _ in range(3))
    w = Placed(random(rng, (length,), dtype), dtype)
    wide, grad, weight = x.wide(), dy.wide(), w.wide()
    mean = Placed(means(wide), "f32")
    away = wide - mean.wide() if centred else wide
    rstd = Placed(1 / np.sqrt(means(away * away) + EPS), "f32")
    dx, dw, db = Placed((rows, length), dtype, layout), *(Placed((length,), dtype) for _ in "wb")
    parts = [Placed((max(1, rows // 4), length), "f32") for _ in range(2)]
    given = mean.array if centred else None
    sums, width = None, max(1, length)
    if length > LONGEST:
        sums, width = np.full((rows, 2), np.nan, np.float32), CHUNK
        norm_sums(dy.array, x.array, rstd.array, sums, w.array, given)
    norm_backward(
        dy.array,
        x.array,
        rstd.array,
        dx.array,
        parts[0].array,
        w.array,
        given,
        parts[1].array if centred else None,
        dtotal.array if fused else None,
        sums,
        BN=width,
    )
    column_sums(parts[0].array, dw.array)
    if centred:
        column_sums(parts[1].array, db.array)

    assert all(buffer.intact() for buffer in (x, dy, w, mean, rstd, dx, dw, db, *parts))
    r = rstd.wide()
    hat, g = away * r, grad * weight
    exact = r * (g - (means(g) if centred else 0) - hat * means(g * hat))
    terms = r * (np.abs(g) + np.abs(hat) * means(np.abs(g * hat)))
    if centred:
        terms = terms + r * means(np.abs(g))
    if fused:
        exact, terms = exact + dtotal.wide(), terms + np.abs(dtotal.wide())
    errors = [terms_error(dx.array, exact, terms, dtype)]
    errors.append(terms_error(dw.array, (grad * hat).sum(0), np.abs(grad * hat).sum(0), dtype))
    if centred:
        errors.append(terms_error(db.array, grad.sum(0), np.abs(grad).sum(0), dtype))
    return float(max(error.max(initial=0) for error in errors))


def _variants(*suffixes: str) -> list[str]:
    return [f"{dtype}{suffix}" for suffix in suffixes for dtype in FORMATS]


def _bound(variant: str) -> float:
    return 4 if kind(variant) == "f32" else 1


def _once(_: str) -> float:
    return 1


TERMS = "ulp, or 2^-20 of the terms"
FAMILIES: list[Any] = [
    Family("rms_norm", _variants("", " add"), SIZES, norm, _bound, "ulp", sampled=len(SIZES)),
    Family("rms_norm backward", _variants("", " add"), SIZES, gradients, _once, TERMS),
    Family("layer_norm", _variants("", " plain"), SIZES, layers, _once, TERMS),
    Family("layer_norm backward", _variants(" mean"), SIZES, gradients, _once, TERMS),
]
