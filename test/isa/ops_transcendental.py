"""Roots, reciprocals, exponentials and the like: the exact value, rounded to nearest once.

f32 forms flush denormals in and out whatever MODE says. The f64 forms are seeds for Newton's
method: within 2^29 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import mpmath

from . import softfloat as soft
from .ops import Lane, op
from .softfloat import F16, F32, F64, NAN, Bits, Env, Format, Value

PRECISION = 160  # bits of a result before it is rounded; with a bit for what lies below them


def sticky(m: int, is_exact: bool) -> int:
    return m << 1 | (not is_exact)


def reciprocal(v: Value) -> Value:
    sign, m, e = v
    numerator = 1 << (m.bit_length() + PRECISION)
    q, rest = divmod(numerator, m)
    return sign, sticky(q, rest == 0), -(m.bit_length() + PRECISION) - 1 - e


def root(v: Value) -> Value:
    _, m, e = v
    shift = 2 * PRECISION + (e & 1)
    r = isqrt(m << shift)
    return 0, sticky(r, r * r == m << shift), (e - shift) // 2 - 1


def reciprocal_root(v: Value) -> Value:
    """1 / sqrt(m 2^e) as the root of a quotient, both cut with what they lose in the last bit."""
    _, m, e = v
    odd = e & 1
    q, rest = divmod(1 << (4 * PRECISION), m << odd)
    r = isqrt(q)
    return 0, sticky(r, rest == 0 and r * r == q), -2 * PRECISION - (e - odd) // 2 - 1


def of_mpf(x: Any) -> Value:
    """An inexact result of mpmath."""
    sign, m, e, _ = x._mpf_
    return int(sign), sticky(int(m), False), int(e) - 1


def number(v: Value) -> Any:
    return mpmath.ldexp(mpmath.mpf(-v[1] if v[0] else v[1]), v[2])


def exponential(v: Value) -> Value:
    sign, m, e = v
    if e + m.bit_length() > 20:  # far beyond every format
        return (0, 1, -5000) if sign else (0, 1, 5000)
    whole, lost = soft.shifted(m, -e)
    if not lost:
        return 0, 1, -whole if sign else whole
    with mpmath.workprec(2 * PRECISION):
        return of_mpf(mpmath.power(2, number(v)))


def logarithm(v: Value) -> Value:
    _, m, e = v
    if m & (m - 1) == 0:
        exponent = e + m.bit_length() - 1
        return int(exponent < 0), abs(exponent), 0
    with mpmath.workprec(2 * PRECISION):
        return of_mpf(mpmath.log(number(v), 2))


def sine(v: Value, quarter: int) -> Value | None:
    """sin(2 pi (v + quarter/4)); None for a zero whose sign is open."""
    sign, m, e = v
    e, m = min(e, -2), m << max(0, e + 2)
    turns = ((-m if sign else m) + (quarter << (-e - 2))) % (1 << -e)
    if turns % (1 << (-e - 2)) == 0:
        return (None, (0, 1, 0), None, (1, 1, 0))[turns >> (-e - 2)]
    with mpmath.workprec(2 * PRECISION):
        return of_mpf(mpmath.sinpi(mpmath.ldexp(mpmath.mpf(turns), e + 1)))


# ---- by format


def flushes(f: Format) -> Env:
    return Env(0, f is not F32, f is not F32)


def positive_only(f: Format, of: Callable[[Value], Value], at_zero: Callable[[int], int]) -> Any:
    """A function of positive numbers; negative ones make a NaN."""

    def function(x: Lane, a: int) -> Bits:
        env = flushes(f)
        a = soft.flushed(f, a, env.keep_in)
        if soft.is_zero(f, a):
            return at_zero(soft.negative(f, a))
        if soft.is_nan(f, a) or soft.negative(f, a):
            return NAN
        if soft.is_infinite(f, a):
            return 0 if of is reciprocal_root else a
        return soft.rounded(f, of(soft.value(f, a)), env)

    return function


def rcp(f: Format) -> Any:
    def function(x: Lane, a: int) -> Bits:
        env = flushes(f)
        a = soft.flushed(f, a, env.keep_in)
        sign = a & f.sign
        if soft.is_nan(f, a):
            return NAN
        if soft.is_zero(f, a) or soft.is_infinite(f, a):
            return sign | (f.infinity if soft.is_zero(f, a) else 0)
        return soft.rounded(f, reciprocal(soft.value(f, a)), env)

    return function


def exp(f: Format) -> Any:
    def function(x: Lane, a: int) -> Bits:
        env = flushes(f)
        a = soft.flushed(f, a, env.keep_in)
        if soft.is_nan(f, a):
            return NAN
        if soft.is_infinite(f, a):
            return 0 if soft.negative(f, a) else a
        return soft.rounded(f, exponential(soft.value(f, a)), env)

    return function


def wave(f: Format, quarter: int) -> Any:
    """Revolutions; beyond 256 of them results are open."""

    def function(x: Lane, a: int) -> Bits:
        env = flushes(f)
        a = soft.flushed(f, a, env.keep_in)
        if soft.is_nan(f, a):
            return NAN
        if soft.magnitude(f, a) > (f.bias + 8) << f.fraction:
            return soft.ANY
        if soft.is_zero(f, a) and not quarter:
            return a
        result = sine(soft.value(f, a), quarter)
        return (0, f.sign) if result is None else soft.rounded(f, result, env)

    return function


def _minus_infinity(f: Format) -> Callable[[int], int]:
    return lambda negative: f.sign | f.infinity


def _signed_infinity(f: Format) -> Callable[[int], int]:
    return lambda negative: (f.sign if negative else 0) | f.infinity


def _signed_zero(f: Format) -> Callable[[int], int]:
    return lambda negative: f.sign if negative else 0


def log(f: Format) -> Any:
    return positive_only(f, logarithm, _minus_infinity(f))


_OPEN = {"keeps_denormals": True, "rounds_nearest": True}
for _f in (F16, F32):
    _properties = {"rounds_nearest": True, "keeps_denormals": _f is F16}
    op(f"v_exp_{_f.name}", **_properties)(exp(_f))
    op(f"v_log_{_f.name}", **_properties)(log(_f))
    op(f"v_rsq_{_f.name}", **_properties)(positive_only(_f, reciprocal_root, _signed_infinity(_f)))
    op(f"v_sqrt_{_f.name}", **_properties)(positive_only(_f, root, _signed_zero(_f)))
    op(f"v_rcp_{_f.name}", **_properties)(rcp(_f))
    op(f"v_sin_{_f.name}", **_properties)(wave(_f, 0))
    op(f"v_cos_{_f.name}", **_properties)(wave(_f, 1))
op("v_rcp_iflag_f32", rounds_nearest=True)(rcp(F32))


def seed(function: Callable[..., Bits]) -> Callable[..., Any]:
    """The f64 forms: near the exact result; what is no finite number is exact."""

    def near(x: Lane, a: int) -> Any:
        exact = function(x, a)
        if exact is NAN or soft.is_infinite(F64, exact) or soft.is_zero(F64, exact):
            return exact
        if soft.is_denormal(F64, exact) or soft.magnitude(F64, exact) > F64.infinity - (1 << 52):
            return soft.ANY  # the seed may leave the range of normal numbers
        return lambda bits: abs(bits - exact) <= 1 << 29

    return near


op("v_rcp_f64", plain=True, **_OPEN)(seed(rcp(F64)))
op("v_sqrt_f64", plain=True, **_OPEN)(seed(positive_only(F64, root, _signed_zero(F64))))
op("v_rsq_f64", plain=True, **_OPEN)(
    seed(positive_only(F64, reciprocal_root, _signed_infinity(F64)))
)
