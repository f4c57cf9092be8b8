"""Block scales and scaled codes: what quantizers and their readers call."""

from __future__ import annotations

from typing import Any

import tegula as tg
from tegula.language.dtypes import DType
from tegula.language.function import function
from tegula.language.primitives import primitive

MODES = ("floor", "ceil", "even", "rceil")


@primitive
def quantize(tile: Any, dtype: DType, axis: Any = -1, block: Any = 32, mode: str = "rceil") -> Any:
    """Codes and scales of blocks of ``block`` elements along ``axis``: (codes, scales).

    ``tile`` is f32, f16 or bf16; ``dtype`` f8e4m3fn, f8e5m2, f6e2m3, f6e3m2 or f4e2m1; scales are
    e8m0, a power of two 2^e each, with the extent of the axis divided by ``block``. An element is
    about code · 2^e. ``axis`` and ``block`` may be pairs, for two-dimensional blocks.

    ``mode`` says how e follows from a block's largest magnitude: "floor" takes its exponent less
    that of the largest code (OCP Microscaling Formats 1.0), "ceil" the next one up where it is no
    power of two, "even" rounds it to the precision of the codes first; "rceil" is the least e with
    which no code saturates. Codes are rounded to nearest even and saturate. A block with an
    infinity or a NaN has the scale NaN and NaN codes (zeros where the type has no NaN).
    """


@function
def scale_values(scales: Any) -> Any:
    """e8m0 as f32: 2^e, NaN for the code 255."""
    byte = tg.bitcast(scales, tg.u8).to(tg.i32)
    bits = tg.where(byte == 0, 0x00400000, byte << 23)  # 2^-127 is a denormal
    return tg.bitcast(tg.where(byte == 255, 0x7FC00000, bits), tg.f32)


@function
def fp8_scale(amax: Any, dtype: Any, pow2: Any = False) -> Any:
    """The f32 factor that maps magnitudes up to ``amax`` (f32) to the numbers of ``dtype``.

    That is an f8 type, or i8.

    The largest number over ``amax``, or over 1e-12 if that is more, divided in f64 and rounded
    once; with ``pow2`` rounded down to a power of two. Of infinity it is 0, of NaN it is NaN.
    """
    wide = tg.maximum(amax.to(tg.f64), 1e-12)
    scale = (dtype.max / wide).to(tg.f32)
    if pow2:
        power = tg.bitcast(tg.bitcast(scale, tg.i32) & -0x00800000, tg.f32)
        scale = tg.where(tg.isnan(scale), scale, power)
    return scale
