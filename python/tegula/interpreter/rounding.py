"""Conversions of NumPy arrays between element types, each rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from tegula.errors import TypeMismatch
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


def convert(
    data: np.ndarray,
    source: DType,
    dtype: DType,
    rounding: str = "rne",
    saturate: Any = None,
    seed: int | None = None,
) -> np.ndarray:
    """Elements of ``data`` as ``dtype``: one rounding; float → int saturates."""
    if rounding not in dt.ROUNDINGS:
        raise TypeMismatch(f"no rounding {rounding!r}", label="front.type.rounding")
    if source == dtype:
        return data
    if dt.e8m0 in (source, dtype):
        raise TypeMismatch(
            f"no cast from {source.name} to {dtype.name}",
            label="tile.cast.c2",
            help=dt.instead_of_cast(source),
        )
    clamp = dtype.bits <= 8 if saturate is None else saturate
    with np.errstate(all="ignore"):
        if dtype.kind == "bool":
            return data.astype(np.float64) != 0
        if not dtype.is_float and not source.is_float:
            return data.astype(dtype.numpy)
        if dtype.is_float and (not source.is_float and dtype.bits < 64):
            wide = _integer_to_odd(data)
        else:
            wide = data.astype(np.float64)
        if not dtype.is_float:
            return _to_integer(wide, dtype)
        if source.is_float and dtype.bits > max(8, source.bits):  # holds them all
            return wide.astype(dtype.numpy)
        if (rounding == "stochastic") != (seed is not None):
            raise TypeMismatch(
                f"{rounding} {'with' if seed is not None else 'without'} a seed; stochastic "
                "rounding, and it alone, takes one",
                label="tile.cast.c4",
            )
        if seed is not None:
            return _stochastic(wide, dtype, seed, clamp)
        return _float(wide, dtype, rounding, clamp)


def round_once(data: np.ndarray, dtype: DType) -> np.ndarray:
    """float64 to a float type, to nearest even, in one step."""
    with np.errstate(all="ignore"):
        return _float(data, dtype, "rne", False)


def fused(x: np.ndarray, y: np.ndarray, z: np.ndarray, dtype: DType) -> np.ndarray:
    """``x * y + z`` of one float type, rounded once."""
    with np.errstate(all="ignore"):
        if dtype == dt.f64:
            return np.asarray(np.vectorize(_fused_f64, otypes=[np.float64])(x, y, z))
        a, b, c = (part.astype(np.float64) for part in (x, y, z))
        product = a * b  # exact
        near = product + c
        back = near - product
        lost = (product - (near - back)) + (c - back)  # near + lost is exact
        # To odd: an even last bit steps towards what was lost, and rounding again counts as once.
        even = near.view(np.int64) & 1 == 0
        step = np.nextafter(near, np.copysign(np.inf, lost))
        odd = np.where(np.isfinite(near) & (lost != 0) & even, step, near)
    return round_once(np.asarray(odd), dtype)


def _fused_f64(x: float, y: float, z: float) -> float:
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact) if exact else x * y + z  # which has the sign of a zero
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _float(data: np.ndarray, dtype: DType, rounding: str, saturate: bool) -> np.ndarray:
    largest = float(ml_dtypes.finfo(dtype.numpy).max)
    inside = np.clip(data, -largest, largest)
    if saturate:
        data = inside
    elif rounding == "rtz":  # only infinity gives infinity
        data = np.where(np.isinf(data), data, inside)
    # Narrow types are reached from f32, so f64 goes there without losing what was cut off.
    step = _round_to_odd(data) if dtype.bits < 32 else data
    result = step.astype(dtype.numpy)
    if rounding == "rtz":
        over = np.abs(result.astype(np.float64)) > np.abs(data)
        result = np.where(over, np.nextafter(result, dtype.numpy.type(0)), result)
    return _without_nan(result, step, dtype)


def _without_nan(result: np.ndarray, data: np.ndarray, dtype: DType) -> np.ndarray:
    """Types of fewer than 8 bits have no NaN: a zero stands for it."""
    if dtype.bits >= 8:
        return result
    zero = np.copysign(np.float32(0), data).astype(dtype.numpy)
    return np.where(np.isnan(data), zero, result)


def _stochastic(data: np.ndarray, dtype: DType, seed: int, saturate: bool) -> np.ndarray:
    """Random bits are added below the last one that is kept, and the rest is cut off."""
    if dtype.bits > 16:
        raise TypeMismatch(
            f"stochastic rounding to {dtype.name}; to floats of 16 bits or fewer only",
            label="tile.cast.c4",
        )
    info = ml_dtypes.finfo(dtype.numpy)
    data = _round_to_odd(data).astype(np.float64)
    exponent = np.maximum(np.frexp(data)[1] - 1, info.minexp)
    step = np.ldexp(1.0, exponent - info.nmant)  # distance of neighbours
    cut = 23 - info.nmant
    noise = random_words(seed, data.size).reshape(data.shape) >> np.uint32(32 - cut)
    kept = np.floor(np.floor(np.ldexp(np.abs(data) / step, cut)) + noise) * 2.0**-cut
    size = np.where(np.isfinite(data), np.floor(kept) * step, np.abs(data))
    return _float(np.copysign(size, data), dtype, "rne", saturate)


def random_words(seed: int, count: int) -> np.ndarray:
    """``count`` words of Philox-4x32-10 with key (seed, 0) and counters (0, 0, 0, 0), (1, …), …"""
    zeros = np.zeros(-(-count // 4), np.uint64)
    c = [np.arange(zeros.size, dtype=np.uint64), zeros, zeros, zeros]
    low = np.uint64(0xFFFFFFFF)
    for round in range(10):
        keys = [np.uint64((seed + 0x9E3779B9 * round) & 0xFFFFFFFF)]
        keys.append(np.uint64((0xBB67AE85 * round) & 0xFFFFFFFF))
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high = [product >> np.uint64(32) for product in (first, second)]
        c = [high[1] ^ c[1] ^ keys[0], second & low, high[0] ^ c[3] ^ keys[1], first & low]
    return np.stack(c, axis=1).ravel()[:count].astype(np.uint32)


def _round_to_odd(data: np.ndarray) -> np.ndarray:
    """float64 → float32 whose last bit is set when inexact: rounding it again rounds only once."""
    near = data.astype(np.float32)
    above = np.abs(near.astype(np.float64)) > np.abs(data)
    cut = np.where(above, np.nextafter(near, np.float32(0)), near)
    inexact = np.isfinite(data) & (cut.astype(np.float64) != data)
    bits = cut.view(np.uint32) | inexact.astype(np.uint32)
    return bits.view(np.float32)


def _integer_to_odd(data: np.ndarray) -> np.ndarray:
    """Integers → float64; the last bit is set when inexact, which those of 64 bits may be."""
    near = data.astype(np.float64)
    if data.dtype.itemsize < 8:
        return near
    low = data & data.dtype.type(0xFFF)
    merged = data - low + (low != 0).astype(data.dtype) * data.dtype.type(0x800)
    return np.where(np.abs(near) < 2.0**53, near, merged.astype(np.float64))


def _to_integer(data: np.ndarray, dtype: DType) -> np.ndarray:
    info = np.iinfo(dtype.numpy)
    whole = np.trunc(np.nan_to_num(data, nan=0.0, posinf=np.inf, neginf=-np.inf))
    with np.errstate(all="ignore"):
        result = np.clip(whole, float(info.min), float(info.max)).astype(dtype.numpy)
    result = np.where(whole >= float(info.max), info.max, result)
    return np.where(whole <= float(info.min), info.min, result).astype(dtype.numpy)
