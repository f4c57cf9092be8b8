"""Floating-point arithmetic of the VALU in its three formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import softfloat as soft
from .ops import Lane, Parts, op, signed, two_halves
from .softfloat import BF16, EXACT, F16, F32, F64, NAN, Bits, Env, Format

FORMATS = {"f16": F16, "f32": F32, "f64": F64}


def flush_in(x: Lane, f: Format, *sources: int) -> list[int]:
    return [soft.flushed(f, s, x.env(f).keep_in) for s in sources]


def flush_out(x: Lane, f: Format, result: int) -> int:
    return soft.flushed(f, result, x.env(f).keep_out)


def negated(f: Format, a: int) -> int:
    return a ^ f.sign


# ---- minimum, maximum, median


def _rank(f: Format, a: int) -> tuple[int, int]:
    """-0 is below +0."""
    return soft.order(f, a), -soft.negative(f, a)


def extreme(x: Lane, f: Format, a: int, b: int, largest: bool) -> int:
    """Of two values; NaNs lose, but with IEEE a signalling one wins and becomes quiet."""
    if x.mode.ieee:
        for s in (a, b):
            if soft.is_signalling(f, s):
                return s | f.quiet
    if soft.is_nan(f, a):
        return b
    if soft.is_nan(f, b):
        return a
    return max(a, b, key=lambda s: _rank(f, s)) if largest else min(a, b, key=lambda s: _rank(f, s))


def extreme_of(x: Lane, f: Format, sources: tuple[int, ...], largest: bool) -> int:
    a, *rest = flush_in(x, f, *sources)
    for b in rest:
        a = extreme(x, f, a, b, largest)
    return flush_out(x, f, a)


def median(x: Lane, f: Format, sources: tuple[int, ...]) -> int:
    """Any NaN: the smallest; else the middle one."""
    if any(soft.is_nan(f, s) for s in sources):
        return extreme_of(x, f, sources, False)
    middle = sorted(flush_in(x, f, *sources), key=lambda s: _rank(f, s))[1]
    return flush_out(x, f, middle)


def propagating(x: Lane, f: Format, sources: tuple[int, ...], largest: bool) -> Bits:
    """minimum3 and maximum3: a NaN among the sources is the result."""
    if any(soft.is_nan(f, s) for s in sources):
        return NAN
    return extreme_of(x, f, sources, largest)


# ---- parts of numbers


def to_integral(x: Lane, f: Format, a: int, rounding: int) -> Bits:
    [a] = flush_in(x, f, a)
    if soft.is_nan(f, a):
        return NAN
    if soft.is_infinite(f, a):
        return a
    whole = soft.round_integer(*soft.value(f, a), rounding)
    return soft.rounded(f, (soft.negative(f, a), abs(whole), 0), EXACT)


def fract(x: Lane, f: Format, a: int) -> Bits:
    """a - floor(a), below 1 whatever the rounding (LLVM: min of it and the number before 1)."""
    [a] = flush_in(x, f, a)
    if soft.is_nan(f, a) or soft.is_infinite(f, a):
        return NAN
    floor = soft.round_integer(*soft.value(f, a), 2)
    down = (int(floor > 0), abs(floor), 0)
    rest = soft.sum_of([soft.value(f, a), down], x.env(f).rounding)
    if not rest[1]:  # the sign of the zero of a - a is open when rounding down
        return (0, f.sign) if x.env(f).rounding == 2 else 0
    return min(soft.rounded(f, rest, x.env(f)), f.one - 1)


def ldexp(x: Lane, f: Format, a: int, exponent: int) -> Bits:
    [a] = flush_in(x, f, a)
    if soft.is_nan(f, a):
        return NAN
    if soft.is_infinite(f, a):
        return a
    sign, m, e = soft.value(f, a)
    return soft.rounded(f, (sign, m, e + min(max(exponent, -5000), 5000)), x.env(f))


def frexp_exponent(x: Lane, f: Format, a: int) -> int:
    """e with |a| = m * 2^e, m in [1/2, 1); 0 for zeros, infinities and NaNs."""
    [a] = flush_in(x, f, a)
    if soft.is_nan(f, a) or soft.is_infinite(f, a) or soft.is_zero(f, a):
        return 0
    _, m, e = soft.value(f, a)
    return m.bit_length() + e


def frexp_mantissa(x: Lane, f: Format, a: int) -> Bits:
    [a] = flush_in(x, f, a)
    if soft.is_nan(f, a):
        return NAN, a
    if soft.is_infinite(f, a) or soft.is_zero(f, a):
        return a
    sign, m, _ = soft.value(f, a)
    return soft.rounded(f, (sign, m, -m.bit_length()), EXACT)


# ---- one oracle a mnemonic and format

_Make = Callable[[Format], Callable[..., Any]]


def _each(pattern: str, make: _Make, formats: str = "f16 f32 f64") -> None:
    for name in formats.split():
        op(pattern.format(name))(make(FORMATS[name]))


_each("v_add_{}", lambda f: lambda x, a, b: soft.add(f, a, b, x.env(f)))
_each("v_mul_{}", lambda f: lambda x, a, b: soft.mul(f, a, b, x.env(f)))
_each("v_sub_{}", lambda f: lambda x, a, b: soft.add(f, a, negated(f, b), x.env(f)), "f16 f32")
_each("v_subrev_{}", lambda f: lambda x, a, b: soft.add(f, b, negated(f, a), x.env(f)), "f16 f32")
_each("v_fma_{}", lambda f: lambda x, a, b, c: soft.fma(f, a, b, c, x.env(f)))
_each("v_fmac_{}", lambda f: lambda x, a, b: soft.fma(f, a, b, x.old, x.env(f)), "f32 f64")
_each("v_fmamk_{}", lambda f: lambda x, a, k, b: soft.fma(f, a, k, b, x.env(f)), "f32")
_each("v_fmaak_{}", lambda f: lambda x, a, b, k: soft.fma(f, a, b, k, x.env(f)), "f32")
_each("v_min_{}", lambda f: lambda x, *s: extreme_of(x, f, s, False))
_each("v_max_{}", lambda f: lambda x, *s: extreme_of(x, f, s, True))
_each("v_min3_{}", lambda f: lambda x, *s: extreme_of(x, f, s, False), "f16 f32")
_each("v_max3_{}", lambda f: lambda x, *s: extreme_of(x, f, s, True), "f16 f32")
_each("v_med3_{}", lambda f: lambda x, *s: median(x, f, s), "f16 f32")
_each("v_minimum3_{}", lambda f: lambda x, *s: propagating(x, f, s, False), "f32")
_each("v_maximum3_{}", lambda f: lambda x, *s: propagating(x, f, s, True), "f32")
_each("v_trunc_{}", lambda f: lambda x, a: to_integral(x, f, a, 3))
_each("v_ceil_{}", lambda f: lambda x, a: to_integral(x, f, a, 1))
_each("v_floor_{}", lambda f: lambda x, a: to_integral(x, f, a, 2))
_each("v_rndne_{}", lambda f: lambda x, a: to_integral(x, f, a, 0))
_each("v_fract_{}", lambda f: lambda x, a: fract(x, f, a))
_each("v_frexp_mant_{}", lambda f: lambda x, a: frexp_mantissa(x, f, a))
_each("v_frexp_exp_i32_{}", lambda f: lambda x, a: frexp_exponent(x, f, a), "f32 f64")
_each("v_frexp_exp_i16_{}", lambda f: lambda x, a: frexp_exponent(x, f, a), "f16")
_each("v_ldexp_{}", lambda f: lambda x, a, b: ldexp(x, f, a, signed(b, 32)), "f32 f64")
_each("v_ldexp_{}", lambda f: lambda x, a, b: ldexp(x, f, a, signed(b, 16)), "f16")


def mad_f16(x: Lane, a: int, b: int, c: int) -> Bits:
    """Two roundings."""
    product = soft.mul(F16, a, b, x.env(F16))
    return NAN if product is NAN else soft.add(F16, product, c, x.env(F16))


op("v_mad_f16", "v_mad_legacy_f16")(mad_f16)
op("v_mac_f16")(lambda x, a, b: mad_f16(x, a, b, x.old & 0xFFFF))
op("v_madmk_f16")(lambda x, a, k, b: mad_f16(x, a, k, b))
op("v_madak_f16")(lambda x, a, b, k: mad_f16(x, a, b, k))
op("v_fma_legacy_f16")(lambda x, a, b, c: soft.fma(F16, a, b, c, x.env(F16)))


@op("v_mul_legacy_f32")
def mul_legacy(x: Lane, a: int, b: int) -> Bits:
    """0 times anything is +0."""
    a, b = flush_in(x, F32, a, b)
    if soft.is_zero(F32, a) or soft.is_zero(F32, b):
        return 0
    return soft.mul(F32, a, b, x.env(F32))


# ---- division


def fixup(f: Format, underflow: int) -> Callable[..., Any]:
    """v_div_fixup(quotient, denominator, numerator): the special cases of a division."""

    def div_fixup(x: Lane, q: int, den: int, num: int) -> Bits:
        q, den, num = flush_in(x, f, q, den, num)
        sign = (den ^ num) & f.sign
        if soft.is_nan(f, num) or soft.is_nan(f, den):
            return NAN
        zeros = soft.is_zero(f, num), soft.is_zero(f, den)
        infinities = soft.is_infinite(f, num), soft.is_infinite(f, den)
        if all(zeros) or all(infinities):
            return NAN
        if zeros[1] or infinities[0]:
            return sign | f.infinity
        if infinities[1] or zeros[0]:
            return sign
        difference = _field(f, num) - _field(f, den)
        if difference < -underflow:
            return _either(x, f, sign, 0)
        if soft.magnitude(f, den) >> f.fraction == (1 << f.exponent) - 1:
            return sign | f.infinity
        if soft.is_nan(f, q):  # open: the macro makes none for such operands
            return NAN, sign | f.infinity
        return sign | soft.magnitude(f, q)

    return div_fixup


def _field(f: Format, a: int) -> int:
    return soft.magnitude(f, a) >> f.fraction


def _either(x: Lane, f: Format, sign: int, result: int) -> int:
    return sign | result


for _name, _format, _limit in (("f32", F32, 150), ("f64", F64, 1075)):
    op(f"v_div_fixup_{_name}", keeps_denormals=True)(fixup(_format, _limit))


def fmas(f: Format, scale: int) -> Callable[..., Any]:
    """v_div_fmas: fma, and where VCC says so undo v_div_scale; input denormals are kept.

    v_div_scale multiplies the denominator of a large quotient or the numerator of a small one. So
    the factor is 2^scale if the addend, which is near the quotient, is 2 or more, else its inverse.
    Whether the fma is rounded before the factor is open.
    """

    def div_fmas(x: Lane, a: int, b: int, c: int) -> Bits:
        env = Env(x.env(f).rounding, True, x.env(f).keep_out)
        result = soft.fma(f, a, b, c, env)
        if not x.carry or any(soft.magnitude(f, s) >= f.infinity for s in (a, b, c)):
            return result
        by = scale if _field(f, c) > f.bias else -scale
        terms = [soft.product_of(soft.value(f, a), soft.value(f, b)), soft.value(f, c)]
        sign, m, e = soft.sum_of(terms, env.rounding)
        once = soft.rounded(f, (sign, m, e + by), env)
        if soft.is_infinite(f, result):
            return once, result
        sign, m, e = soft.value(f, result)  # rounded before the factor and after
        return once, soft.rounded(f, (sign, m, e + by), env)

    return div_fmas


op("v_div_fmas_f32", plain=True)(fmas(F32, 64))
op("v_div_fmas_f64", plain=True)(fmas(F64, 128))


def scale(f: Format, far: int, shift: int, low: int) -> Callable[..., Any]:
    """v_div_scale(s0, denominator, numerator): s0, perhaps scaled; whether v_div_fmas scales back.

    s0 is one of the other two. Exponents are compared as fields, quotients as exact numbers.
    """

    def div_scale(x: Lane, s0: int, den: int, num: int) -> Any:
        up, down = scaled(f, s0, shift), scaled(f, s0, -shift)
        if soft.is_zero(f, den) or soft.is_zero(f, num):
            return NAN, 0
        if _field(f, num) - _field(f, den) >= far:
            return (up if s0 == den else s0), 1
        if soft.is_denormal(f, den):
            return up, 0
        small, tiny = is_tiny(f, f.one, den), is_tiny(f, num, den)
        if small and tiny:  # multiplied it may overflow; the macro is right if it is divided
            return ((up, down) if s0 == den else s0), 1
        if small:
            return down, 0
        if tiny:
            return (up if s0 == num else s0), 1
        return (up if _field(f, num) <= low else s0), 0

    return div_scale


def scaled(f: Format, a: int, shift: int) -> Bits:
    if soft.is_nan(f, a):
        return NAN
    if soft.is_infinite(f, a):
        return a
    sign, m, e = soft.value(f, a)
    return soft.rounded(f, (sign, m, e + shift), EXACT)


def is_tiny(f: Format, num: int, den: int) -> bool:
    """Whether the quotient of finite numbers is a denormal one."""
    if any(soft.magnitude(f, s) >= f.infinity for s in (num, den)):
        return False
    (_, m, e), (_, n, d) = soft.value(f, num), soft.value(f, den)
    quotient, rest = divmod(m << 3 * f.width, n)
    exact = (0, quotient << 1 | (rest != 0), e - d - 3 * f.width - 1)
    return soft.is_denormal(f, soft.rounded(f, exact, EXACT))


op("v_div_scale_f32", keeps_denormals=True, plain=True)(scale(F32, 96, 64, 23))
op("v_div_scale_f64", keeps_denormals=True, plain=True)(scale(F64, 768, 128, 53))


# ---- comparisons

_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "f": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "lg": lambda a, b: a != b,
    "ne": lambda a, b: a != b, "ge": lambda a, b: a >= b, "t": lambda a, b: True,
}  # fmt: skip
_NEGATED = {"nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt"}


def compare(f: Format, name: str) -> Callable[..., bool]:
    """Ordered relations are false for NaNs, their negations true; o and u ask for NaNs."""

    def compared(x: Lane, a: int, b: int) -> bool:
        a, b = flush_in(x, f, a, b)
        unordered = soft.is_nan(f, a) or soft.is_nan(f, b)
        if name in ("o", "u"):
            return unordered == (name == "u")
        if name in ("f", "tru"):
            return name == "tru"
        relation = _RELATIONS[_NEGATED.get(name, name)]
        holds = not unordered and relation(soft.order(f, a), soft.order(f, b))
        return holds != (name in _NEGATED)

    return compared


def compare_integers(bits: int, is_signed: bool, name: str) -> Callable[..., bool]:
    def compared(x: Lane, a: int, b: int) -> bool:
        keys = (signed(a, bits), signed(b, bits)) if is_signed else (a, b)
        return _RELATIONS[name](*keys)

    return compared


def classify(f: Format) -> Callable[..., bool]:
    """Bits of b: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf."""

    def classified(x: Lane, a: int, b: int) -> bool:
        if soft.is_nan(f, a):
            return bool(b >> (0 if soft.is_signalling(f, a) else 1) & 1)
        kind = 0 if soft.is_infinite(f, a) else 1
        if soft.is_denormal(f, a):
            kind = 2
        if soft.is_zero(f, a):
            kind = 3
        return bool(b >> (2 + kind if soft.negative(f, a) else 9 - kind) & 1)

    return classified


_FLOAT_RELATIONS = "f lt eq le gt lg ge o u nge nlg ngt nle neq nlt tru".split()
for _prefix in ("v_cmp", "v_cmpx"):
    for _name, _format in FORMATS.items():
        op(f"{_prefix}_class_{_name}")(classify(_format))
        for _relation in _FLOAT_RELATIONS:
            op(f"{_prefix}_{_relation}_{_name}")(compare(_format, _relation))
    for _bits in (16, 32, 64):
        for _kind in "iu":
            for _relation in ("f", "lt", "eq", "le", "gt", "ne", "ge", "t"):
                _oracle = compare_integers(_bits, _kind == "i", _relation)
                op(f"{_prefix}_{_relation}_{_kind}{_bits}")(_oracle)


# ---- dot products that accumulate into the destination


def dot2(f: Format, a: int, b: int, c: int) -> Bits:
    """Denormals flushed in and out, MODE ignored; low product, then high product, onto c."""
    env = Env(0, False, False)
    for shift in (0, 16):
        wide = (soft.convert(F32, f, s >> shift & 0xFFFF, Env(0, False, True)) for s in (a, b))
        p, q = wide
        if p is NAN or q is NAN or c is NAN:
            return NAN
        c = soft.fma(F32, p, q, c, env)
    return c


@op("v_pk_fmac_f16")
def pk_fmac(x: Lane, a: int, b: int) -> Parts:
    low, high = (
        soft.fma(F16, *(s >> shift & 0xFFFF for s in (a, b, x.old)), x.env(F16))
        for shift in (0, 16)
    )
    return two_halves(F16, low, high)


op("v_dot2c_f32_f16")(lambda x, a, b: dot2(F16, a, b, x.old))
op("v_dot2c_f32_bf16")(lambda x, a, b: dot2(BF16, a, b, x.old))
