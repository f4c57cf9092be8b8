"""Block quantization on NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tegula.errors import ShapeMismatch, TypeMismatch
from tegula.interpreter.ops import eager
from tegula.interpreter.tile import Tile
from tegula.language import dtypes as dt
from tegula.language.dtypes import DType
from tegula.language.quantize import MODES

_CODES = (dt.f8e4m3fn, dt.f8e5m2, dt.f6e2m3, dt.f6e3m2, dt.f4e2m1)


def _exponent(amax: np.ndarray, dtype: DType, mode: str) -> np.ndarray:
    """The exponent of the scale of each block; 128 stands for NaN."""
    info = ml_dtypes.finfo(dtype.numpy)
    largest, most = float(info.max), int(np.frexp(float(info.max))[1]) - 1
    finite = np.isfinite(amax)
    size = np.where(finite, amax, np.float32(1)).astype(np.float64)
    if mode == "even":
        step = np.ldexp(1.0, np.frexp(size)[1] - 1 - int(info.nmant))
        # Half a step is added to the bits, so ties go up and denormals keep the exponent 0.
        size = np.where(size >= 2.0**-126, np.floor(size / step + 0.5) * step, size)
        finite &= size < 2.0**128
    if mode == "rceil":
        size = (size.astype(np.float32) * np.float32(1 / largest)).astype(np.float64)
        fraction, exponent = np.frexp(size)
        exponent = exponent - (fraction == 0.5)
    else:
        fraction, exponent = np.frexp(size)
        exponent = exponent - 1 - most + (mode == "ceil") * (fraction != 0.5)
    tiny = size < 2.0**-126 if mode != "rceil" else size <= 2.0**-127
    exponent = np.where(tiny, -127, np.maximum(exponent, -127))
    return np.where(finite, exponent, 128)


@eager
def _quantize(
    tile: Tile, dtype: DType, axis: Any = -1, block: Any = 32, mode: str = "rceil"
) -> tuple[Tile, Tile]:
    if dtype not in _CODES:
        raise TypeMismatch(f"no codes of {dtype.name}", label="tile.quantize.c5")
    if mode not in MODES:
        raise TypeMismatch(f"no mode {mode!r}", label="tile.quantize.c3")
    if tile.dtype not in (dt.f32, dt.f16, dt.bf16):
        raise TypeMismatch(f"quantize of {tile.dtype.name}", label="tile.quantize.c4")
    axes = axis if isinstance(axis, tuple) else (axis,)
    blocks = block if isinstance(block, tuple) else (block,)
    sizes = {one % tile.ndim: size for one, size in zip(axes, blocks, strict=True)}
    whole: list[int] = []
    inside: list[int] = []
    for d, extent in enumerate(tile.shape):
        size = sizes.get(d, 0)
        if size and extent % size:
            raise ShapeMismatch(
                f"blocks of {size} do not divide {extent}", label="tile.quantize.c2"
            )
        whole += [extent // size, size] if size else [extent]
        inside += [len(whole) - 1] if size else []
    with np.errstate(all="ignore"):
        x = tile.data.astype(np.float32).reshape(whole)
        amax = np.abs(x).max(axis=tuple(inside), keepdims=True)
        exponent = _exponent(amax, dtype, mode)
        factor = np.where(exponent == 128, np.float32(np.nan), np.ldexp(1.0, -exponent))
        scaled = x * factor.astype(np.float32)
    codes = Tile(scaled, dt.f32).to(dtype, saturate=True).reshape(tile.shape)
    kept = tuple(n for d, n in enumerate(exponent.shape) if d not in inside)
    bytes_ = (exponent + 127).astype(np.uint8).reshape(kept)
    return codes, Tile(bytes_.view(dt.e8m0.numpy), dt.e8m0)
