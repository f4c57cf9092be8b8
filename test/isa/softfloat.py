"""Floating point with integers only: one exact result, one rounding.

A finite value is (sign, m, e) for (-1)^sign * m * 2^e with an integer m >= 0. Every operation is
computed exactly on such triples and rounded once by ``rounded``. Results that are not a number are
the object ``NAN``: which NaN an operation makes is open, that it makes one is not. ``ANY`` stands
for what descriptions leave open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class _Result:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


NAN = _Result("NAN")
ANY = _Result("ANY")
Value = tuple[int, int, int]
Bits = Any  # an int, NAN, or a tuple of ints that are all right


@dataclass(frozen=True)
class Format:
    """A binary format: ``fraction`` bits below the hidden one, largest exponent field special."""

    name: str
    exponent: int
    fraction: int

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def lowest(self) -> int:
        """Exponent of the last bit of the smallest normal number."""
        return 1 - self.bias - self.fraction

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.fraction

    @property
    def quiet(self) -> int:
        return 1 << (self.fraction - 1)

    @property
    def largest(self) -> int:
        return self.infinity - 1

    @property
    def one(self) -> int:
        return self.bias << self.fraction


F16 = Format("f16", 5, 10)
BF16 = Format("bf16", 8, 7)
F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52)


@dataclass(frozen=True)
class Env:
    """Rounding (0 nearest even, 1 up, 2 down, 3 to zero), and whether denormals are kept."""

    rounding: int = 0
    keep_in: bool = True
    keep_out: bool = True


EXACT = Env()


def magnitude(f: Format, x: int) -> int:
    return x & (f.sign - 1)


def is_nan(f: Format, x: int) -> bool:
    return magnitude(f, x) > f.infinity


def is_signalling(f: Format, x: int) -> bool:
    return is_nan(f, x) and not x & f.quiet


def is_infinite(f: Format, x: int) -> bool:
    return magnitude(f, x) == f.infinity


def is_denormal(f: Format, x: int) -> bool:
    return 0 < magnitude(f, x) < 1 << f.fraction


def is_zero(f: Format, x: int) -> bool:
    return magnitude(f, x) == 0


def negative(f: Format, x: int) -> int:
    return int(x & f.sign != 0)


def flushed(f: Format, x: int, keep: bool) -> int:
    return x & f.sign if not keep and is_denormal(f, x) else x


def value(f: Format, x: int) -> Value:
    """The triple of a finite number."""
    exponent = magnitude(f, x) >> f.fraction
    m = x & ((1 << f.fraction) - 1)
    if exponent:
        m |= 1 << f.fraction
    return negative(f, x), m, max(exponent, 1) - f.bias - f.fraction


def shifted(m: int, shift: int) -> tuple[int, int]:
    """(m * 2^-shift rounded down, what was lost: 0 none, 1 below half, 2 half, 3 above half)."""
    if shift <= 0:
        return m << -shift, 0
    kept, rest, half = m >> shift, m & ((1 << shift) - 1), 1 << (shift - 1)
    return kept, 0 if rest == 0 else 1 if rest < half else 2 if rest == half else 3


def rounds_up(sign: int, kept: int, lost: int, rounding: int) -> bool:
    if lost == 0 or rounding == 3:
        return False
    if rounding == 0:
        return lost == 3 or (lost == 2 and bool(kept & 1))
    return (rounding == 1) != bool(sign)


def round_integer(sign: int, m: int, e: int, rounding: int) -> int:
    """(-1)^sign * m * 2^e as an integer."""
    kept, lost = shifted(m, -e)
    kept += rounds_up(sign, kept, lost, rounding)
    return -kept if sign else kept


def rounded(f: Format, v: Value, env: Env) -> int:
    """The number of ``f`` for an exact value; the sign of a zero is the triple's."""
    sign, m, e = v
    top = f.sign if sign else 0
    if m == 0:
        return top
    shift = m.bit_length() - (f.fraction + 1)  # to a significand of full precision
    if not env.keep_out and _is_tiny(f, sign, m, e, shift, env.rounding):
        return top
    shift = max(shift, f.lowest - e)
    kept, lost = shifted(m, shift)
    kept += rounds_up(sign, kept, lost, env.rounding)
    if kept >> (f.fraction + 1):
        kept, shift = kept >> 1, shift + 1
    field = e + shift - f.lowest + 1 if kept >> f.fraction else 0
    if field >= (1 << f.exponent) - 1:
        to_infinity = env.rounding == 0 or rounds_up(sign, 0, 3, env.rounding)
        return top | (f.infinity if to_infinity else f.largest)
    return top | field << f.fraction | (kept & ((1 << f.fraction) - 1))


def _is_tiny(f: Format, sign: int, m: int, e: int, shift: int, rounding: int) -> bool:
    """Below the normal numbers even after rounding to full precision."""
    kept, lost = shifted(m, shift)
    kept += rounds_up(sign, kept, lost, rounding)
    return kept.bit_length() + e + shift < f.lowest + f.fraction + 1


def sum_of(terms: list[Value], rounding: int) -> Value:
    """The exact sum. Zero from opposite signs is -0 only when rounding down."""
    lowest = min(e for _, _, e in terms)
    total = sum((-m if s else m) << (e - lowest) for s, m, e in terms)
    if total:
        return int(total < 0), abs(total), lowest
    signs = {s for s, _, _ in terms}
    return (signs.pop() if len(signs) == 1 else int(rounding == 2)), 0, lowest


def product_of(a: Value, b: Value) -> Value:
    return a[0] ^ b[0], a[1] * b[1], a[2] + b[2]


def add(f: Format, a: int, b: int, env: Env = EXACT) -> Bits:
    a, b = flushed(f, a, env.keep_in), flushed(f, b, env.keep_in)
    if is_nan(f, a) or is_nan(f, b):
        return NAN
    if is_infinite(f, a) or is_infinite(f, b):
        if is_infinite(f, a) and is_infinite(f, b) and a != b:
            return NAN
        return a if is_infinite(f, a) else b
    return rounded(f, sum_of([value(f, a), value(f, b)], env.rounding), env)


def mul(f: Format, a: int, b: int, env: Env = EXACT) -> Bits:
    a, b = flushed(f, a, env.keep_in), flushed(f, b, env.keep_in)
    if is_nan(f, a) or is_nan(f, b):
        return NAN
    sign = (a ^ b) & f.sign
    if is_infinite(f, a) or is_infinite(f, b):
        return NAN if is_zero(f, a) or is_zero(f, b) else sign | f.infinity
    return rounded(f, product_of(value(f, a), value(f, b)), env)


def fma(f: Format, a: int, b: int, c: int, env: Env = EXACT) -> Bits:
    a, b, c = (flushed(f, x, env.keep_in) for x in (a, b, c))
    if is_nan(f, a) or is_nan(f, b) or is_nan(f, c):
        return NAN
    if is_infinite(f, a) or is_infinite(f, b):
        product = mul(f, a, b)
        if product is NAN or (is_infinite(f, c) and c != product):
            return NAN
        return product
    if is_infinite(f, c):
        return c
    exact = sum_of([product_of(value(f, a), value(f, b)), value(f, c)], env.rounding)
    return rounded(f, exact, env)


def convert(to: Format, f: Format, x: int, env: Env = EXACT) -> Bits:
    """Between formats; ``env`` holds the flushing of x's format and of the result's."""
    x = flushed(f, x, env.keep_in)
    if is_nan(f, x):
        return NAN
    if is_infinite(f, x):
        return (to.sign if negative(f, x) else 0) | to.infinity
    return rounded(to, value(f, x), env)


def from_integer(f: Format, x: int, rounding: int = 0) -> int:
    return rounded(f, (int(x < 0), abs(x), 0), Env(rounding))


def order(f: Format, x: int) -> int:
    """A key that sorts numbers; -0 and +0 are equal."""
    return -magnitude(f, x) if negative(f, x) else magnitude(f, x)
