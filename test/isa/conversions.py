"""Cases of conversions with random bits or a scale (VOP3): v_cvt_sr_*, v_cvt_scalef32_*."""

from __future__ import annotations

import random
import re
from typing import Any

from . import softfloat as soft
from .forms import Form
from .machine import LANES, Case, Expected, Mode, Output, expected_bits, fields
from .memory import draw_state
from .ops_small import nans, overflowed
from .smallfloat import Small, format_named
from .softfloat import BF16, F16, F32, NAN, Format, Value
from .valu import names, register, set_vector
from .values import float_value

A, B, C, D = 16, 48, 80, 112  # first registers: up to 32 each
WIDE = {"f32": F32, "f16": F16, "bf16": BF16}


def has_oracle(form: Form) -> bool:
    return form.base == "VOP3" and form.mnemonic.startswith(("v_cvt_sr_", "v_cvt_scalef32_"))


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    return Conversion(form, rng, index).draw()


class Conversion:
    """One case; the parts of the mnemonic say what goes where."""

    def __init__(self, form: Form, rng: random.Random, index: int) -> None:
        self.form, self.rng = form, rng
        self.case = Case("")
        draw_state(self.case, rng, index)
        self.ovfl = rng.random() < 0.3
        self.case.mode = Mode(ovfl=self.ovfl)
        name = form.mnemonic.removeprefix("v_cvt_").removeprefix("scalef32_")
        self.scaled = "scalef32" in form.mnemonic
        self.random = name.startswith("sr_")
        name = name.removeprefix("sr_")
        found = re.fullmatch(r"(2xpk16_|pk32_|pk_)?(\w+?)_(\w+)", name)
        assert found, name
        self.pack, self.to, self.source = found[1] or "", found[2], found[3]
        self.lanes: dict[str, list[int]] = {}
        self.scales = [127] * LANES
        self.op_sel = 0

    def draw(self) -> Case:
        if self.to in WIDE and self.source in WIDE:
            self.random_halves()
        elif self.source in WIDE:
            self.encode()
        else:
            self.decode()
        return self.case

    # ---- operands

    def registers(self, role: str, first: int, lanes: list[int]) -> str:
        width = self.form.operand(role).width
        set_vector(self.case, names("v", first, width), lanes)
        return register("v", first, width)

    def random_word(self, first: int, role: str) -> tuple[str, list[int]]:
        lanes = [self.rng.choice((0, 0xFFFFFFFF, self.rng.getrandbits(32))) for _ in range(LANES)]
        return self.registers(role, first, lanes), lanes

    def scale(self, first: int, role: str) -> str:
        """Only the exponent field counts."""
        self.scales = [self.rng.randint(100, 150) for _ in range(LANES)]
        noise = (self.rng.getrandbits(32) & 0x007FFFFF for _ in range(LANES))
        return self.registers(
            role, first, [e << 23 | n for e, n in zip(self.scales, noise, strict=True)]
        )

    def finish(self, results: list[Expected], operands: list[str], bits: int) -> None:
        """The destination, of which ``op_sel`` may pick a part of ``bits``."""
        width = self.form.operand("d").width
        old = [self.rng.getrandbits(32 * width) for _ in range(LANES)]
        set_vector(self.case, names("v", D, width), old)
        expected: list[Expected] = []
        for lane in range(LANES):
            if not self.case.exec >> lane & 1:
                expected.append(old[lane])
            elif bits >= 32:
                expected.append(results[lane])
            else:
                expected.append(self.placed(results[lane], old[lane], bits))
        self.case.outputs.append(Output(names("v", D, width), expected))
        sources = sum(o.role in "abc" for o in self.form.row.operands)
        count = 4 if "opselbyte" in self.form.row.modifiers else sources + 1
        values = [self.op_sel >> i & 1 for i in range(count - 1)] + [self.op_sel >> 3 & 1]
        if count == 4:
            values = [self.op_sel >> i & 1 for i in range(4)]
        suffix = f" op_sel:[{','.join(map(str, values))}]" if self.op_sel else ""
        operands = [register("v", D, width), *operands]
        self.case.text = f"{self.form.assembly_name} {', '.join(operands)}{suffix}"

    def placed(self, result: Expected, old: int, bits: int) -> Expected:
        part = self.op_sel >> 3 if bits == 16 else self.op_sel >> 2
        shift = bits * part
        above = 32 - shift - bits
        parts = [(shift, bits, result)]
        parts += [(0, shift, old & ((1 << shift) - 1))] if shift else []
        parts += [(shift + bits, above, old >> (shift + bits))] if above else []
        return fields(parts)

    # ---- to small formats

    def value_of(self, f: Format, bits: int, lane: int) -> Value:
        sign, m, e = soft.value(f, bits)
        return sign, m, e - (self.scales[lane] - 127)

    def draw_wide(self, f: Format) -> int:
        """Near the range of the small formats once it has been divided by the scale."""
        while True:
            bits = float_value(f, self.rng)
            if self.rng.random() < 0.1 and self.to in ("fp8", "bf8"):
                return bits
            if soft.magnitude(f, bits) < f.infinity:
                return bits

    def code(self, small: Small, f: Format, bits: int, lane: int, random_: int | None) -> Any:
        if soft.is_nan(f, bits):
            return nans(small) or soft.ANY
        sign = soft.negative(f, bits)
        saturates = self.ovfl or small.width < 8
        if soft.is_infinite(f, bits):
            return overflowed(small, sign, saturates)
        v = self.value_of(f, bits, lane)
        drawn = small.encode(v) if random_ is None else small.truncated(v, random_)
        if drawn is None:
            return soft.ANY
        code, too_large = drawn
        return overflowed(small, sign, saturates) if too_large else code

    def encode(self) -> None:
        """Elements of a (and b), perhaps with random bits, then the scale."""
        f, small = WIDE[self.source], format_named(self.to, self.form.target)
        count = self.element_count(small)
        per_source = count // 2 if self.two_sources() else count
        texts = []
        for role, first in [("a", A)] + ([("b", B)] if self.two_sources() else []):
            elements = [[self.draw_wide(f) for _ in range(per_source)] for _ in range(LANES)]
            self.lanes[role] = [
                sum(x << (f.width * i) for i, x in enumerate(lane)) for lane in elements
            ]
            texts.append(self.registers(role, first, self.lanes[role]))
        random_words = None
        next_role = iter("bc" if "b" not in self.lanes else "c")
        if self.random:
            text, random_words = self.random_word(B, next(next_role))
            texts.append(text)
        if self.scaled:
            texts.append(self.scale(C, next(next_role)))
        bits = count * small.width
        if bits < 32:
            parts = 32 // bits
            if not (self.random and "fp4" in self.to):  # reported to be broken on silicon
                self.op_sel = self.rng.randrange(parts) << (3 if parts == 2 else 2)
        results = [self.encoded_lane(small, f, lane, count, random_words) for lane in range(LANES)]
        self.finish(results, texts, bits)

    def two_sources(self) -> bool:
        """pk_fp8_f32 and the like take one value of each of two registers."""
        return self.pack == "2xpk16_" or (
            self.pack == "pk_" and self.source == "f32" and not self.random
        )

    def element_count(self, small: Small) -> int:
        if self.pack in ("2xpk16_", "pk32_"):
            return 32
        return 2 if self.pack == "pk_" else 1

    def element(self, f: Format, lane: int, number: int) -> int:
        """Element of the result: interleaved if two registers give them."""
        role = "a"
        if "b" in self.lanes:
            role, number = "ab"[number % 2], number // 2
        return self.lanes[role][lane] >> (f.width * number) & ((1 << f.width) - 1)

    def encoded_lane(
        self, small: Small, f: Format, lane: int, count: int, random_words: list[int] | None
    ) -> Expected:
        word = random_words[lane] if random_words else None
        parts: list[tuple[int, int, Expected]] = []
        for number in range(count):
            code = self.code(small, f, self.element(f, lane, number), lane, word)
            parts.append(
                (small.width * number, small.width, expected_bits(code, None, self.case.mode))
            )
            if word is not None:
                word = (word << 1 ^ (197 if word >> 31 else 0)) & 0xFFFFFFFF
        return fields(parts)

    # ---- from small formats

    def decode(self) -> None:
        f, small = WIDE[self.to], format_named(self.source, self.form.target)
        count = self.element_count(small)
        width = self.form.operand("a").width
        self.lanes["a"] = [self.rng.getrandbits(32 * width) for _ in range(LANES)]
        texts = [self.registers("a", A, self.lanes["a"]), self.scale(B, "b")]
        bits = count * small.width
        place = 0
        if bits < 32:
            self.op_sel = self.rng.randrange(2 if bits == 16 else 4)
            place = bits * self.op_sel
        high = count * f.width == 16 and self.rng.random() < 0.5
        self.op_sel |= 8 * high
        results = []
        for lane in range(LANES):
            parts: list[tuple[int, int, Expected]] = []
            for number in range(count):
                code = self.lanes["a"][lane] >> (place + small.width * number)
                value = self.decoded(small, f, code & ((1 << small.width) - 1), lane)
                parts.append((f.width * number, f.width, expected_bits(value, f, self.case.mode)))
            results.append(fields(parts))
        self.finish(results, texts, count * f.width)

    def decoded(self, small: Small, f: Format, code: int, lane: int) -> Any:
        if small.is_nan(code):
            return NAN
        top = f.sign if code & small.sign else 0
        if small.is_infinite(code):
            return top | f.infinity
        sign, m, e = small.value(code)
        result = soft.rounded(f, (sign, m, e + self.scales[lane] - 127), soft.EXACT)
        if soft.is_infinite(f, result) and self.ovfl:  # FP16_OVFL is about 8-bit results and f16
            return soft.ANY
        return result

    # ---- stochastic rounding to 16 bits

    def random_halves(self) -> None:
        """One of the two neighbours; which random bits count is open, but none means down."""
        f, to = WIDE[self.source], WIDE[self.to]
        lanes = [float_value(f, self.rng) for _ in range(LANES)]
        texts = [self.registers("a", A, lanes)]
        text, words = self.random_word(B, "b")
        texts.append(text)
        self.op_sel = 8 * self.rng.getrandbits(1)
        results = []
        for a, word in zip(lanes, words, strict=True):
            down = soft.convert(to, f, a, soft.Env(3))
            up = soft.convert(to, f, a, soft.Env(1 if not soft.negative(f, a) else 2))
            large = down is not NAN and soft.magnitude(to, down) >= to.largest
            choice = down if down is NAN or (word == 0 and not large) else (down, up)
            if self.ovfl and soft.magnitude(f, a) >= f.infinity:
                choice = soft.ANY
            if self.ovfl and large:
                choice = soft.ANY
            results.append(expected_bits(choice, to, self.case.mode))
        self.finish(results, texts, 16)
