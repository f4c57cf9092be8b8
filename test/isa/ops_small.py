"""Conversions between f32 and the 8-bit formats without a scale."""

from __future__ import annotations

from typing import Any

from . import softfloat as soft
from .ops import Lane, Parts, op
from .smallfloat import Small, format_named
from .softfloat import F32, Bits


def to_f32(f: Small, code: int) -> Bits:
    """Exact."""
    if f.is_nan(code):
        return soft.NAN
    if f.is_infinite(code):
        return (F32.sign if code & f.sign else 0) | F32.infinity
    return soft.rounded(F32, f.value(code), soft.EXACT)


def nans(f: Small) -> tuple[int, ...]:
    """The codes of NaNs, any of which will do."""
    return tuple(c for c in range(1 << f.width) if f.is_nan(c))


def overflowed(f: Small, sign: int, saturates: bool) -> Any:
    """FP16_OVFL: the largest number; else infinity, or the NaN of formats without one."""
    top = f.sign if sign else 0
    if saturates:
        return top | f.largest
    return top | f.infinity if f.ieee else nans(f)


def encoded(x: Lane, f: Small, a: int) -> Any:
    """To nearest whatever MODE says."""
    if soft.is_nan(F32, a):
        return nans(f)
    sign = soft.negative(F32, a)
    if soft.is_infinite(F32, a):
        return overflowed(f, sign, x.mode.ovfl)
    code, too_large = f.encode(soft.value(F32, a))
    return overflowed(f, sign, x.mode.ovfl) if too_large else code


def pairs(low: Any, high: Any, bits: int) -> Any:
    """Two codes side by side, each perhaps with several choices."""
    lows = low if isinstance(low, tuple) else (low,)
    highs = high if isinstance(high, tuple) else (high,)
    return tuple(h << bits | w for h in highs for w in lows)


for _name in ("fp8", "bf8"):

    @op(f"v_cvt_f32_{_name}")
    def cvt_f32(x: Lane, a: int, name: str = _name) -> Bits:
        return to_f32(format_named(name, x.target), a & 0xFF)

    @op(f"v_cvt_pk_f32_{_name}")
    def cvt_pk_f32(x: Lane, a: int, name: str = _name) -> Parts:
        f = format_named(name, x.target)
        return Parts(((0, "f32", to_f32(f, a & 0xFF)), (32, "f32", to_f32(f, a >> 8 & 0xFF))))

    @op(f"v_cvt_pk_{_name}_f32", overflow_mode=True, plain=True)
    def cvt_pk(x: Lane, a: int, b: int, name: str = _name) -> Any:
        f = format_named(name, x.target)
        return pairs(encoded(x, f, a), encoded(x, f, b), 8)
