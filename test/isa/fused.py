"""The sum of products that MMA-Sim publishes for CDNA3, with integers only.

A value is a significand times 2 to its exponent, which is not below that of the format's smallest
normal number; a zero has exponent -126. Products are not normalised. Each product of a group is cut
to 24 fractional bits under the group's largest exponent, towards zero; the sum is floored at 31 and
the accumulator at 24 bits under the larger of both exponents; one rounding ends a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import softfloat as soft
from .smallfloat import Small
from .softfloat import EXACT, F32, NAN, Format, Value

ZERO = -126


@dataclass(frozen=True)
class Rules:
    """Products in a group; 8-bit floats add even and odd k apart and drop far accumulators."""

    group: int
    even_and_odd: bool = False


def rules(kind: str, depth: int) -> Rules | None:
    """None: one fma after the other, as without this mode."""
    if kind in ("f32", "f64", "i8"):
        return None
    if kind in ("f16", "bf16"):
        return Rules(min(8, depth))
    return Rules(4) if kind == "xf32" else Rules(16, True)


def exponent(v: Value, lowest: int) -> int:
    _, m, e = v
    return max(e + m.bit_length() - 1, lowest) if m else ZERO


def lowest_of(f: Format | Small) -> int:
    return 1 - f.bias


def scaled(m: int, e: int, places: int, floor: bool) -> int:
    """m * 2^e as an integer number of 2^-places; cut towards zero, or down."""
    shift = e + places
    if shift >= 0:
        return m << shift
    if floor or m >= 0:
        return m >> -shift
    return -(-m >> -shift)


def number(v: Value) -> int:
    return -v[1] if v[0] else v[1]


@dataclass
class Product:
    """Exact value n * 2^e, and the exponent that it takes part with."""

    n: int
    e: int
    exponent: int


def summed(products: list[Product]) -> tuple[int, int]:
    """(sum in units of 2^(E - 24), E)"""
    most = max(p.exponent for p in products)
    return sum(scaled(p.n, p.e - most, 24, False) for p in products), most


def group_sum(products: list[Product], acc: int, of: Rules) -> Any:
    """acc and the result as f32 bits."""
    large = {p.n > 0 for p in products if abs(p.n) and p.e + abs(p.n).bit_length() > 128}
    if large:
        return NAN if len(large) == 2 else F32.infinity | (0 if large == {True} else F32.sign)
    if of.even_and_odd and len(products) > 1:
        parts = [summed(products[0::2]), summed(products[1::2])]
        most = max(e for _, e in parts)
        s = sum(n >> (most - e) for n, e in parts)
    else:
        s, most = summed(products)
    v = soft.value(F32, acc)
    e = exponent(v, -126)
    top = max(most, e)
    c = scaled(number(v), v[2] - top, 24, True)
    if of.even_and_odd and e < top - 25:
        c = 0
    total = scaled(s, most - top - 24, 31, True) + (c << 7)
    return soft.rounded(F32, (int(total < 0), abs(total), top - 31), EXACT)
