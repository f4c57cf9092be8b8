"""Oracles of rarely used instructions: cube maps, normalised integers, byte sums, 2/pi, legacy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

from . import softfloat as soft
from .ops import Lane, Parts, op
from .ops_convert import to_integer
from .ops_float import fixup
from .ops_transcendental import exp, log
from .softfloat import EXACT, F16, F32, F64, Bits, Env, Format

# ---- cube maps: x, y, z; the axis of largest magnitude, z before y before x, names the face


def _face(x: int, y: int, z: int) -> tuple[int, bool]:
    """(axis, whether its coordinate is negative)"""
    size = [soft.magnitude(F32, s) for s in (x, y, z)]
    axis = 0
    if size[2] >= size[0] and size[2] >= size[1]:
        axis = 2
    elif size[1] >= size[0]:
        axis = 1
    coordinate = (x, y, z)[axis]
    return axis, soft.negative(F32, coordinate) and not soft.is_zero(F32, coordinate)


def _negated(a: int) -> int:
    return a ^ F32.sign


def _cube(function: Callable[..., Any]) -> Callable[..., Any]:
    """NaNs have no order."""

    def of(x: Lane, a: int, b: int, c: int) -> Any:
        if any(soft.is_nan(F32, s) for s in (a, b, c)):
            return soft.ANY
        return function(a, b, c, *_face(a, b, c))

    return of


def _s(x: int, y: int, z: int, axis: int, negative: bool) -> int:
    if axis == 2:
        return _negated(x) if negative else x
    if axis == 1:
        return x
    return z if negative else _negated(z)


def _t(x: int, y: int, z: int, axis: int, negative: bool) -> int:
    if axis == 1:
        return _negated(z) if negative else z
    return _negated(y)


def _major(x: int, y: int, z: int, axis: int, negative: bool) -> Bits:
    return soft.add(F32, (x, y, z)[axis], (x, y, z)[axis], EXACT)


def _id(x: int, y: int, z: int, axis: int, negative: bool) -> int:
    return int(soft.from_integer(F32, 2 * axis + negative))


for _name, _of in (("id", _id), ("sc", _s), ("tc", _t), ("ma", _major)):
    op(f"v_cube{_name}_f32", keeps_denormals=True, rounds_nearest=True)(_cube(_of))

# ---- normalised integers: the nearest one, NaN is 0


def normalised(f: Format, a: int, is_signed: bool) -> int:
    if soft.is_nan(f, a):
        return 0
    most, negative = (0x7FFF if is_signed else 0xFFFF), soft.negative(f, a)
    if soft.magnitude(f, a) >= f.one:
        return (-most if is_signed else 0) if negative else most
    sign, m, e = soft.value(f, a)
    if negative and not is_signed:
        return 0
    return int(soft.round_integer(sign, m * most, e, 0))


for _kind in "iu":
    _is_signed = _kind == "i"

    @op(f"v_cvt_norm_{_kind}16_f16", keeps_denormals=True, rounds_nearest=True)
    def norm(x: Lane, a: int, s: bool = _is_signed) -> int:
        return normalised(F16, a, s)

    for _format in (F16, F32):

        @op(f"v_cvt_pknorm_{_kind}16_{_format.name}", keeps_denormals=True, rounds_nearest=True)
        def pknorm(x: Lane, a: int, b: int, f: Format = _format, s: bool = _is_signed) -> int:
            return normalised(f, a, s) & 0xFFFF | (normalised(f, b, s) & 0xFFFF) << 16


@op("v_cvt_pkaccum_u8_f32")
def pkaccum(x: Lane, a: int, b: int) -> int:
    """Byte b of the destination becomes a, the others stay."""
    shift = 8 * (b & 3)
    byte = to_integer(x, F32, a, "u8", x.mode.round32)
    return x.old & ~(0xFF << shift) | byte << shift


# ---- sums of absolute differences over four windows of a


def windows(a: int, b: int, is_masked: bool) -> list[int]:
    """Bytes i to i + 3 of a against b; masked: zeros of b don't count."""
    left, right = a.to_bytes(8, "little"), b.to_bytes(4, "little")
    return [
        sum(abs(left[i + k] - q) for k, q in enumerate(right) if q or not is_masked)
        for i in range(4)
    ]


def _sums(a: int, b: int, c: int, is_masked: bool, bits: int) -> Parts:
    mask = (1 << bits) - 1
    return Parts(
        tuple(
            (bits * i, f"u{bits}", total + (c >> bits * i & mask))
            for i, total in enumerate(windows(a, b, is_masked))
        )
    )


op("v_qsad_pk_u16_u8")(lambda x, a, b, c: _sums(a, b, c, False, 16))
op("v_mqsad_pk_u16_u8")(lambda x, a, b, c: _sums(a, b, c, True, 16))
op("v_mqsad_u32_u8")(lambda x, a, b, c: _sums(a, b, c, True, 32))

# ---- 2/pi: 53 of its bits, for the reduction of an argument with a large exponent

_FRACTION_BITS = 1201  # that the instruction knows


def _two_over_pi() -> int:
    with mpmath.workprec(2 * _FRACTION_BITS):
        return int(mpmath.floor(mpmath.ldexp(2 / mpmath.pi, _FRACTION_BITS)))


_TWO_OVER_PI = _two_over_pi()


@op("v_trig_preop_f64", keeps_denormals=True, rounds_nearest=True)
def trig_preop(x: Lane, a: int, b: int) -> Bits:
    """Segment b of 2/pi, moved on by what the exponent of a is above 1077."""
    exponent = soft.magnitude(F64, a) >> 52
    shift = 53 * (b & 31) + max(0, exponent - 1077)
    kept = (_TWO_OVER_PI << shift & ((1 << _FRACTION_BITS) - 1)) >> (_FRACTION_BITS - 53)
    scale = -53 - shift + (128 if exponent >= 1968 else 0)
    return soft.rounded(F64, (0, kept, scale), Env(0))


# ---- the same as newer instructions

_legacy_fixup = fixup(F16, 1 << 20)  # a quotient of halves needs no help with its range
op("v_div_fixup_f16", keeps_denormals=True)(_legacy_fixup)
op("v_div_fixup_legacy_f16", keeps_denormals=True)(_legacy_fixup)


op("v_exp_legacy_f32", rounds_nearest=True)(exp(F32))
op("v_log_legacy_f32", rounds_nearest=True)(log(F32))
