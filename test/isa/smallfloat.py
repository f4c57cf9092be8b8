"""Formats of 8, 6 and 4 bits: decoding, and encoding to nearest or with random bits."""

from __future__ import annotations

from dataclasses import dataclass

from .softfloat import Value, rounds_up, shifted


@dataclass(frozen=True)
class Small:
    """``fnuz``: one NaN, at the code of -0; ``ieee``: infinities; ``nan``: a NaN at all."""

    name: str
    exponent: int
    fraction: int
    bias: int
    largest: int
    nan: int | None = None
    ieee: bool = False
    fnuz: bool = False

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    def is_nan(self, code: int) -> bool:
        if self.fnuz:
            return code == self.sign
        if self.ieee:
            return code & (self.sign - 1) > self.infinity
        return self.nan is not None and code & (self.sign - 1) == self.nan

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.fraction

    def is_infinite(self, code: int) -> bool:
        return self.ieee and code & (self.sign - 1) == self.infinity

    def value(self, code: int) -> Value:
        """The exact value of a finite code."""
        exponent = (code & (self.sign - 1)) >> self.fraction
        m = code & ((1 << self.fraction) - 1)
        m |= (1 << self.fraction) if exponent else 0
        return int(code & self.sign != 0), m, max(exponent, 1) - self.bias - self.fraction

    def encode(self, v: Value) -> tuple[int, bool]:
        """(nearest code, whether the value is too large); ties to even."""
        sign, m, e = v
        top = self.sign if sign else 0
        lowest = 1 - self.bias - self.fraction
        shift = max(m.bit_length() - (self.fraction + 1), lowest - e)
        kept, lost = shifted(m, shift)
        kept += rounds_up(sign, kept, lost, 0)
        if kept >> (self.fraction + 1):
            kept, shift = kept >> 1, shift + 1
        return self.packed(top, kept, e + shift - lowest + 1)

    def packed(self, top: int, kept: int, exponent: int) -> tuple[int, bool]:
        """The code of a rounded significand, hidden bit included if it is normal."""
        field = exponent if kept >> self.fraction else 0
        code = field << self.fraction | kept & ((1 << self.fraction) - 1)
        if code > self.largest or field > 40:
            return top | self.largest, True
        if self.fnuz and code == 0:
            return 0, False
        return top | code, False

    def truncated(self, v: Value, random: int) -> tuple[int, bool] | None:
        """With random bits, given as a fraction of 2^32, added to what would be cut off.

        None for results that are denormal: how the bits are aligned then is open.
        """
        sign, m, e = v
        shift = m.bit_length() - (self.fraction + 1)
        lowest = 1 - self.bias - self.fraction
        if m == 0:
            return self.encode(v)
        if shift < lowest - e:
            return None
        wide = max(0, -shift)  # make room, so that there is something to add to
        m, e, shift = m << wide, e - wide, shift + wide
        bits = 23 - self.fraction  # an f32 has this many to lose
        unit = random >> (32 - bits)
        if shift >= bits:
            m += unit << (shift - bits)
        else:
            m, e, shift = m << (bits - shift), e - (bits - shift), bits
            m += unit
        kept = m >> shift
        if kept >> (self.fraction + 1):
            kept, shift = kept >> 1, shift + 1
        return self.packed(self.sign if sign else 0, kept, e + shift - lowest + 1)


E4M3 = Small("e4m3", 4, 3, 7, 0x7E, nan=0x7F)
E5M2 = Small("e5m2", 5, 2, 15, 0x7B, ieee=True, nan=0x7F)
E4M3_FNUZ = Small("e4m3fnuz", 4, 3, 8, 0x7F, nan=0x80, fnuz=True)
E5M2_FNUZ = Small("e5m2fnuz", 5, 2, 16, 0x7F, nan=0x80, fnuz=True)
E2M3 = Small("e2m3", 2, 3, 1, 0x1F)
E3M2 = Small("e3m2", 3, 2, 3, 0x1F)
E2M1 = Small("e2m1", 2, 1, 1, 0x7)


def format_named(name: str, target: str) -> Small:
    """fp8, bf8, fp6, bf6 or fp4; the 8-bit ones depend on the target."""
    old = target == "gfx942"
    return {
        "fp8": E4M3_FNUZ if old else E4M3, "bf8": E5M2_FNUZ if old else E5M2, "fp6": E2M3,
        "bf6": E3M2, "fp4": E2M1,
    }[name]  # fmt: skip
