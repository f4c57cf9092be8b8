"""Cases of softmax, SiLU and rotary embedding, and of their gradients; see accuracy.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from accuracy import Family
from oracle import FORMATS, Placed, random, terms_error, ulps
from tegula.kernels import (
    log_softmax,
    rotary,
    silu_mul,
    silu_mul_backward,
    softmax,
    softmax_backward,
)

LENGTHS = (1, 7, 64, 500, 512, 2000, 2880, 4096, 4097, 5120, 7168, 8193, 11008, 16385, 65536)
SIZES = [
    *((rows, length, "rows") for length in LENGTHS for rows in (1, 5)),
    (0, 64, "rows"),
    (3, 0, "rows"),
    (2, 32_769, "rows"),
    (2, 100_003, "rows"),
    (5, 100, "columns"),
    (70, 500, "columns"),
    (5, 4096, "reversed"),
    (5, 4097, "apart"),
]
ROTARY_SIZES = [
    (2, 37, 3, 64, "rows"),
    (1, 1, 8, 128, "rows"),
    (3, 16, 2, 6, "rows"),
    (2, 33, 5, 80, "apart"),
    (0, 4, 4, 8, "rows"),
]


def drawn(size: tuple[int, int, str], dtype: str, scale: float = 1.0) -> Placed:
    rows, length, layout = size
    rng = np.random.default_rng(length * 1000 + rows + int(scale * 7))
    return Placed((scale * random(rng, (rows, length), dtype)).astype(float), dtype, layout)


def shares(wide: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x - max, log of the sum of its exp) of rows."""
    below = wide - wide.max(axis=1, keepdims=True, initial=-np.inf)
    order = np.sort(below, axis=1)  # the peak apart: log1p of the rest
    return below, np.log1p(np.exp(order[:, :-1]).sum(axis=1, keepdims=True))


def normal(variant: str, size: tuple[int, int, str]) -> float:
    dtype = variant.split()[0]
    x, out = drawn(size, dtype, 4.0), Placed(size[:2], dtype, size[2])
    softmax(x.array, out.array)
    assert x.intact() and out.intact()
    below, logarithm = shares(x.wide())
    exact = np.exp(below - logarithm)
    error = ulps(out.array, exact, dtype)
    if dtype == "f32":  # rounding x - max alone is an error of |x - max| / 2 ulp after exp
        error = error / (1 + np.abs(below) / 4)
    return float(error.max(initial=0))


def logarithms(variant: str, size: tuple[int, int, str]) -> float:
    dtype = variant.split()[0]
    x, out = drawn(size, dtype, 4.0), Placed(size[:2], dtype, size[2])
    log_softmax(x.array, out.array)
    assert x.intact() and out.intact()
    below, logarithm = shares(x.wide())
    return float(ulps(out.array, below - logarithm, dtype).max(initial=0))


def gradient(variant: str, size: tuple[int, int, str]) -> float:
    """Of softmax, or of log-softmax ("log")."""
    dtype, log = variant.split()[0], "log" in variant
    below, logarithm = shares(drawn(size, dtype, 4.0).wide())
    values = below - logarithm if log else np.exp(below - logarithm)
    y, dy = Placed(values, dtype, size[2]), drawn(size, dtype)
    dx = Placed(size[:2], dtype, size[2])
    softmax_backward(dy.array, y.array, dx.array, log=log)
    assert all(buffer.intact() for buffer in (y, dy, dx))
    v, g = y.wide(), dy.wide()
    factor, summand = (np.exp(v), g) if log else (v, g * v)
    total = summand.sum(axis=1, keepdims=True)
    exact = g - factor * total if log else v * (g - total)
    terms = factor * np.abs(summand).sum(axis=1, keepdims=True) + np.abs(g if log else v * g)
    return float(terms_error(dx.array, exact, terms, dtype).max(initial=0))


def gate(variant: str, size: tuple[int, int, str]) -> float:
    """silu(a) · b, or silu(a) ("alone"), and its gradients ("backward")."""
    dtype, alone = variant.split()[0], "alone" in variant
    a, b, dy = drawn(size, dtype, 4.0), drawn(size, dtype, 2.0), drawn(size, dtype)
    out, db = (Placed(size[:2], dtype, size[2]) for _ in range(2))
    v, factor, g = a.wide(), (1.0 if alone else b.wide()), dy.wide()
    s = 1 / (1 + np.exp(-v))
    if "backward" not in variant:
        silu_mul(a.array, out.array, None if alone else b.array)
        errors = [ulps(out.array, v * s * factor, dtype)]
    else:
        both = () if alone else (b.array, db.array)
        silu_mul_backward(dy.array, a.array, out.array, *both)
        terms = np.abs(g * factor * s) * (1 + np.abs(v))
        errors = [terms_error(out.array, g * factor * s * (1 + v * (1 - s)), terms, dtype)]
        if not alone:
            errors.append(ulps(db.array, g * v * s, dtype))
    assert all(buffer.intact() for buffer in (a, b, dy, out, db))
    return float(max(error.max(initial=0) for error in errors))


def turned(variant: str, size: tuple[int, int, int, int, str]) -> float:
    """Halves of a head, or even and odd elements ("interleaved")."""
    batch, positions, heads, width, layout = size
    dtype, count = variant.split()[0], width // 2
    rng = np.random.default_rng(width + positions)
    flat = (batch * positions * heads, width)
    x = Placed(random(rng, flat, dtype).astype(float), dtype, layout)
    out = Placed(flat, dtype, layout)
    angle = Placed(rng.uniform(-9, 9, (batch * positions, count)), "f32")
    cos, sin = Placed(np.cos(angle.wide()), "f32"), Placed(np.sin(angle.wide()), "f32")

    def pairs(buffer: Placed) -> list[np.ndarray]:
        heads_of = buffer.array.reshape(batch, positions, heads, width)
        assert np.shares_memory(heads_of, buffer.array) or not heads_of.size
        if "interleaved" in variant:
            return [heads_of[..., 0::2], heads_of[..., 1::2]]
        return [heads_of[..., :count], heads_of[..., count:]]

    c, s = (t.array.reshape(batch, positions, count) for t in (cos, sin))
    rotary(*pairs(x), c, s, *pairs(out))
    assert all(buffer.intact() for buffer in (x, out, cos, sin))
    first, second = (part.astype(np.float64) for part in pairs(x))
    wc, ws = c[:, :, None].astype(np.float64), s[:, :, None].astype(np.float64)
    exact = (first * wc - second * ws, second * wc + first * ws)
    terms = np.abs(first * wc) + np.abs(second * ws), np.abs(second * wc) + np.abs(first * ws)
    errors = map(terms_error, pairs(out), exact, terms, 2 * (dtype,))
    return float(max(error.max(initial=0) for error in errors))


def _variants(*suffixes: str) -> list[str]:
    return [f"{dtype}{suffix}" for suffix in suffixes for dtype in FORMATS]


def _in_f32(bound: float) -> Any:
    return lambda variant: bound if variant.startswith("f32") else 1.0


TERMS = "ulp, or 2^-20 of the terms"
FAMILIES: list[Any] = [
    Family(
        "softmax", _variants(""), SIZES, normal, _in_f32(4), "ulp (in f32 of 1 + abs(x - max) / 4)"
    ),
    Family("log_softmax", _variants(""), SIZES, logarithms, _in_f32(4), "ulp"),
    Family("softmax backward", _variants("", " log"), SIZES, gradient, _in_f32(1), TERMS),
    Family("silu_mul", _variants("", " alone"), SIZES, gate, _in_f32(4), "ulp"),
    Family(
        "silu_mul backward",
        _variants(" backward", " backward alone"),
        SIZES,
        gate,
        _in_f32(4),
        TERMS,
    ),
    Family("rotary", _variants("", " interleaved"), ROTARY_SIZES, turned, _in_f32(1), TERMS),
]
