"""Inputs: edges of each type, numbers that meet each other, and random bits."""

from __future__ import annotations

import random

from .softfloat import BF16, F16, F32, F64, Format

FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}
_INTEGER_BITS = {"16": 16, "32": 32, "64": 64, "128": 128}


def width_of(kind: str) -> int:
    """Bits of one value of an operand type such as "f32", "b64", "v2f16"."""
    if kind.startswith("v2"):
        return 2 * width_of(kind[2:])
    if kind in FORMATS:
        return FORMATS[kind].width
    return _INTEGER_BITS[kind.lstrip("biu")]


def float_edges(f: Format) -> list[int]:
    ulp, one = 1, f.one
    smallest = 1 << f.fraction
    positive = [
        0, 1, 2, smallest - 1, smallest, smallest + 1, one, one + ulp, one - ulp,
        one + (1 << (f.fraction - 1)), one + (1 << f.fraction), one - (1 << f.fraction),
        f.largest, f.largest - 1, f.infinity, f.infinity | f.quiet, f.infinity | 1,
        f.infinity | f.quiet | 3, f.infinity | (f.quiet >> 1),
        (f.bias + f.fraction) << f.fraction, ((f.bias + f.fraction) << f.fraction) | 1,
        ((f.bias + f.fraction - 1) << f.fraction) | 1,
    ]  # fmt: skip
    return positive + [x | f.sign for x in positive]


def float_value(f: Format, rng: random.Random) -> int:
    choice = rng.random()
    if choice < 0.3:
        return rng.choice(float_edges(f))
    if choice < 0.5:
        return rng.getrandbits(f.width)
    sign = rng.getrandbits(1) << (f.width - 1)
    fraction = rng.getrandbits(f.fraction)
    if choice < 0.75:  # few bits: exact results and ties
        fraction &= -1 << rng.randrange(f.fraction // 2, f.fraction)
    spread = rng.choice((1, 3, f.fraction + 3))
    exponent = f.bias + rng.randint(-spread, spread)
    if choice > 0.93:  # near the smallest normal number
        exponent = rng.randint(0, f.fraction // 2)
    limit = (1 << f.exponent) - 1
    return sign | min(max(exponent, 0), limit) << f.fraction | fraction


def integer_value(bits: int, rng: random.Random) -> int:
    mask, choice = (1 << bits) - 1, rng.random()
    if choice < 0.35:
        top = 1 << (bits - 1)
        edges = (0, 1, 2, -1, -2, top, top - 1, top + 1, bits, bits - 1, bits // 2, 0x55555555)
        return rng.choice(edges) & mask
    if choice < 0.6:
        return rng.randint(-70, 70) & mask
    if choice < 0.75:
        return (1 << rng.randrange(bits)) | (1 << rng.randrange(bits))
    return rng.getrandbits(bits)


def value(kind: str, rng: random.Random) -> int:
    """Bits of one value of an operand type."""
    if kind.startswith("v2"):
        half = width_of(kind[2:])
        return value(kind[2:], rng) | value(kind[2:], rng) << half
    if kind in FORMATS:
        return float_value(FORMATS[kind], rng)
    return integer_value(width_of(kind), rng)
