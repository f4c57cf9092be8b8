"""Conversions of NumPy arrays between element types, each rounded once."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tegula.errors import TypeMismatch
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType


def convert(
    data: np.ndarray, source: DType, dtype: DType, rounding: str = "rne", saturate: Any = None
) -> np.ndarray:
    """Elements of ``data`` as ``dtype``: one rounding; float → int saturates."""
    if source == dtype:
        return data
    if dt.e8m0 in (source, dtype):
        raise TypeMismatch(f"no cast from {source.name} to {dtype.name}", label="tile.cast.c2")
    if dtype.kind == "bool":
        return data.astype(np.float64) != 0
    if source.is_float and dtype.is_float:
        clamp = dtype.bits <= 8 if saturate is None else saturate
        return _float(data.astype(np.float64), dtype, rounding, clamp)
    if source.is_float:
        return _to_integer(data.astype(np.float64), dtype)
    if dtype.is_float:
        wide = data.astype(np.float64) if dtype.bits == 64 else _integer_to_odd(data)
        return _float(wide, dtype, rounding, dtype.bits <= 8)
    return data.astype(dtype.numpy)


def round_once(data: np.ndarray, dtype: DType) -> np.ndarray:
    """float64 to a float type, to nearest even, in one step."""
    return _float(data, dtype, "rne", False)


def _float(data: np.ndarray, dtype: DType, rounding: str, saturate: bool) -> np.ndarray:
    with np.errstate(all="ignore"):
        if saturate:
            largest = float(ml_dtypes.finfo(dtype.numpy).max)
            data = np.clip(data, -largest, largest)
        # Narrow types are reached from f32, so f64 goes there without losing what was cut off.
        step = _round_to_odd(data) if dtype.bits < 32 else data
        result = step.astype(dtype.numpy)
        if rounding == "rtz":
            over = np.abs(result.astype(np.float64)) > np.abs(data)
            result = np.where(over, np.nextafter(result, dtype.numpy.type(0)), result)
    return result


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
