"""Cases of matrix instructions: dense, broadcast, scaled. Integers are exact; floats go one fma
after the other, k ascending; one-hot matrices prove the layouts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from . import softfloat as soft
from .forms import Form
from .machine import DEFAULT_MODE, LANES, Case, Expected, Mode, Output, expected_bits
from .matrix_layout import Place, Shape, scale_lane, small_float
from .memory import draw_state
from .ops import signed
from .smallfloat import Small, format_named
from .softfloat import BF16, F16, F32, F64, NAN, Format, Value
from .valu import inline_float, names, register, set_vector
from .values import float_value

A, B, C, D, SCALES = 16, 32, 64, 128, 10
IEEE = {"f32": F32, "xf32": F32, "f16": F16, "bf16": BF16, "f64": F64}
SMALL_CODES = ("fp8", "bf8", "fp6", "bf6", "fp4")
CHECKED = 48  # elements of D that are computed where that is slow


def has_oracle(form: Form) -> bool:
    return form.mnemonic.startswith("v_mfma_")


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    return Product(form, rng, index).draw()


def bits_of(kind: str) -> int:
    if kind in IEEE:
        return IEEE[kind].width
    return {"i8": 8, "fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}[kind]


class Product:
    """One instruction: element codes of A, B and C by place, and how they are multiplied."""

    def __init__(self, form: Form, rng: random.Random, index: int) -> None:
        self.form, self.rng, self.index = form, rng, index
        self.shape = Shape.of(form.mnemonic)
        self.mixed = self.shape.a == "f8f6f4"
        self.kinds = [self.shape.a, self.shape.b]
        if self.mixed:
            self.kinds = [rng.choice(SMALL_CODES) for _ in range(2)]
        self.scaled = "_scale_" in form.mnemonic
        self.case = Case("")
        draw_state(self.case, rng, index)  # EXEC does not matter
        self.case.mode = DEFAULT_MODE
        self.real = index % 8 == 7 and not self.mixed and self.kinds[0] != "i8"
        self.broadcast = (0, 0, 0)  # cbsz, abid, blgp
        self.scales = [[127] * LANES, [127] * LANES]

    # ---- drawing

    def element(self, kind: str) -> int:
        """Small integers (or halves of them), so that every sum is exact."""
        if kind == "i8":
            return self.rng.getrandbits(8)
        if self.real:
            return self.real_element(IEEE.get(kind), kind)
        number = self.rng.choice((0, 0, 1, 2, 3, 4, -1, -2, -3, -4))
        v: Value = (int(number < 0), abs(number), 0)
        if kind in IEEE:
            return soft.rounded(IEEE[kind], v, soft.EXACT)
        v = (v[0], v[1], self.rng.choice((0, 0, -1)) if v[1] % 2 else 0)
        return format_named(kind, self.form.target).encode(v)[0]

    def real_element(self, f: Format | None, kind: str) -> int:
        if f is None:
            return self.rng.getrandbits(8)
        bits = float_value(f, self.rng)
        if kind == "xf32":
            bits &= ~0x1FFF  # it has ten bits of fraction
        return bits

    def draw(self) -> Case:
        s = self.shape
        a = {(b, i, k): self.element(self.kinds[0]) for b, i, k in self.all(s.m, s.k)}
        b_ = {(b, k, j): self.element(self.kinds[1]) for b, k, j in self.all(s.k, s.n)}
        if self.index % 8 == 0:  # one element of A: a row of D is a row of B
            chosen = self.rng.choice(list(a))
            one = self.one(self.kinds[0])
            a = {place: one if place == chosen else 0 for place in a}
        self.draw_fields()
        texts = [self.operand(0, a, A), self.operand(1, b_, B)]
        c, c_text = self.draw_c()
        if self.scaled:
            self.draw_scales()
        d_text = self.destination(c_text)
        self.expect(a, b_, c)
        self.write(d_text, texts, c_text)
        return self.case

    def all(self, rows: int, columns: int) -> list[tuple[int, int, int]]:
        return [
            (b, r, c) for b in range(self.shape.blocks) for r in range(rows) for c in range(columns)
        ]

    def one(self, kind: str) -> int:
        if kind == "i8":
            return 1
        if kind in IEEE:
            return IEEE[kind].one
        return format_named(kind, self.form.target).encode((0, 1, 0))[0]

    def draw_fields(self) -> None:
        """cbsz and abid spread blocks of A, blgp permutes lanes of B; of f64 blgp negates."""
        s = self.shape
        if self.mixed:
            codes = [SMALL_CODES.index(k) for k in self.kinds]
            self.broadcast = (codes[0], 0, codes[1])
        elif s.d == "f64":
            self.broadcast = (0, 0, self.rng.randrange(8) if self.index > 1 else 0)
        elif s.blocks > 1 and self.index % 8 in (4, 5):
            cbsz = self.rng.randint(0, s.blocks.bit_length() - 1)
            blgp = self.rng.randrange(8)
            self.broadcast = (cbsz, self.rng.randrange(1 << cbsz), blgp)

    def register_count(self, which: int) -> int:
        if self.mixed:
            return bits_of(self.kinds[which])
        width: int = self.form.operand("ab"[which]).width
        return width

    def place(self, which: int, key: tuple[int, int, int]) -> Place:
        block, x, y = key
        if self.mixed:
            outer, k = (x, y) if which == 0 else (y, x)
            extent = self.shape.m if which == 0 else self.shape.n
            return small_float(extent, bits_of(self.kinds[which]), outer, k)
        return self.shape.a_place(block, x, y) if which == 0 else self.shape.b_place(block, x, y)

    def operand(self, which: int, elements: dict[tuple[int, int, int], int], first: int) -> str:
        bits = bits_of(self.kinds[which])
        lanes = [0] * LANES
        for key, code in elements.items():
            lane, item = self.place(which, key)
            lanes[lane] |= code << (bits * item)
        count = self.register_count(which)
        assert all(v < 1 << (32 * count) for v in lanes)
        kind = "a" if self.index % 8 in (3, 3 + which) else "v"
        set_vector(self.case, names(kind, first, count), lanes)
        return register(kind, first, count)

    def draw_c(self) -> tuple[dict[tuple[int, int, int], int], str]:
        """C's elements by place, and its text: registers, or one constant for all."""
        s = self.shape
        keys = self.all(s.m, s.n)
        if self.index % 8 == 2:
            text, bits = self.constant()
            return dict.fromkeys(keys, bits), text
        c = {key: self.c_element() for key in keys}
        width = bits_of(s.d) if s.d != "i32" else 32
        lanes = [0] * LANES
        for key, code in c.items():
            lane, item = s.d_place(*key)
            lanes[lane] |= code << (width * item)
        count = self.form.operand("d").width
        kind = "a" if self.index % 8 in (3, 6) else "v"
        set_vector(self.case, names(kind, C, count), lanes)
        return c, register(kind, C, count)

    def c_element(self) -> int:
        if self.shape.d == "i32":
            return self.rng.getrandbits(32)
        f = IEEE[self.shape.d]
        if self.real:
            return float_value(f, self.rng)
        number = self.rng.randint(-1000, 1000)
        return soft.from_integer(f, number)

    def constant(self) -> tuple[str, int]:
        width = 64 if self.shape.d == "f64" else 32
        if self.shape.d != "i32" and self.rng.random() < 0.7:
            text, bits = inline_float(self.rng, IEEE[self.shape.d], self.shape.d)
            return (text, bits) if text != "0.15915494309189532" else ("0", 0)
        number = self.rng.randint(-16, 64) if self.shape.d == "i32" else 0
        return str(number), number & ((1 << width) - 1)

    def destination(self, c_text: str) -> str:
        """Registers of its own, or those of C."""
        count = self.form.operand("d").width
        kind = c_text[0] if c_text[0] in "av" else "v"
        self.d_first = C if self.index % 2 and c_text[0] in "av" else D
        if self.d_first == D:
            lanes = [self.rng.getrandbits(32 * count) for _ in range(LANES)]
            set_vector(self.case, names(kind, D, count), lanes)
        self.d_kind = kind
        return register(kind, self.d_first, count)

    def draw_scales(self) -> None:
        """One byte of a register for each operand, picked by op_sel and op_sel_hi."""
        self.bytes = [self.rng.randrange(4) for _ in range(2)]
        for which in range(2):
            scales = [self.rng.choice((125, 126, 127, 128)) for _ in range(LANES)]
            self.scales[which] = scales
            words = []
            for scale in scales:
                word = self.rng.getrandbits(32)
                shift = 8 * self.bytes[which]
                words.append(word & ~(0xFF << shift) | scale << shift)
            set_vector(self.case, (f"v{SCALES + which}",), words)

    # ---- the product

    def expect(
        self,
        a: dict[tuple[int, int, int], int],
        b: dict[tuple[int, int, int], int],
        c: dict[tuple[int, int, int], int],
    ) -> None:
        s = self.shape
        keys = self.all(s.m, s.n)
        checked = set(keys)
        if self.real:
            checked = set(self.rng.sample(keys, min(CHECKED, len(keys))))
        width = 64 if s.d == "f64" else 32
        count = self.form.operand("d").width * 32 // width
        results: list[list[Expected]] = [[(lambda _: True)] * count for _ in range(LANES)]
        a_of, b_of = self.readers(a, b)
        for key in checked:
            lane, item = s.d_place(*key)
            results[lane][item] = self.dot(key, a_of, b_of, c[key])
        for item in range(count):
            first = self.d_first + item * width // 32
            registers = names(self.d_kind, first, width // 32)
            self.case.outputs.append(Output(registers, [results[x][item] for x in range(LANES)]))

    def readers(self, a: Any, b: Any) -> tuple[Callable[..., int], Callable[..., int]]:
        """A and B as the multiplier sees them."""
        cbsz, abid, blgp = self.broadcast
        if self.mixed or self.shape.d == "f64":
            return (lambda b_, i, k: a[b_, i, k]), (lambda b_, k, j: b[b_, k, j])

        def a_of(block: int, i: int, k: int) -> int:
            return int(a[(block & ~((1 << cbsz) - 1)) + abid, i, k])

        by_place = {self.place(1, key): code for key, code in b.items()}

        def b_of(block: int, k: int, j: int) -> int:
            lane, item = self.shape.b_place(block, k, j)
            return by_place[lane_read(lane, blgp), item]

        return a_of, b_of

    def dot(
        self, key: tuple[int, int, int], a_of: Callable[..., int], b_of: Callable[..., int], c: int
    ) -> Expected:
        block, i, j = key
        pairs = [(a_of(block, i, k), b_of(block, k, j)) for k in range(self.shape.k)]
        if self.shape.d == "i32":
            total = c + sum(signed(x, 8) * signed(y, 8) for x, y in pairs)
            return total & 0xFFFFFFFF
        if self.shape.d == "f64":
            return self.dot_f64(pairs, c)
        return expected_bits(self.chain(pairs, c, i, j), F32, self.case.mode)

    def chain(self, pairs: list[tuple[int, int]], c: int, i: int, j: int) -> Any:
        """acc = fma(a, b, acc), k ascending."""
        if not self.real:
            return self.exact(pairs, c, i, j)
        for x, y in pairs:
            wide = [self.wide(code, kind) for code, kind in zip((x, y), self.kinds, strict=True)]
            if c is NAN or wide[0] is NAN or wide[1] is NAN:
                return NAN
            c = soft.fma(F32, wide[0], wide[1], c)
        return c

    def wide(self, code: int, kind: str) -> Any:
        if kind in IEEE:
            return soft.convert(F32, IEEE[kind], code)
        small = format_named(kind, self.form.target)
        if small.is_nan(code):
            return NAN
        if small.is_infinite(code):
            return (F32.sign if code & small.sign else 0) | F32.infinity
        return soft.rounded(F32, small.value(code), soft.EXACT)

    def exact(self, pairs: list[tuple[int, int]], c: int, i: int, j: int) -> int:
        """The same where nothing is rounded; a zero has the sign that adding gives it."""
        total = number(F32, c)
        for k, (x, y) in enumerate(pairs):
            p, q = self.exactly(x, 0), self.exactly(y, 1)
            if p and q:
                total += p * q * 2.0 ** self.scale(i, j, k)
        if total == 0:
            return 0
        bits = int(np.array([total], np.float32).view(np.uint32)[0])
        assert number(F32, bits) == total, "a sum that is not exact"
        return bits

    def exactly(self, code: int, which: int) -> float:
        kind = self.kinds[which]
        if kind in IEEE:
            return number(IEEE[kind], code)
        sign, m, e = format_named(kind, self.form.target).value(code)
        return float((-m if sign else m) * 2.0**e)

    def scale(self, i: int, j: int, k: int) -> int:
        if not self.scaled:
            return 0
        of_a = self.scales[0][scale_lane(self.shape.m, i, k)]
        of_b = self.scales[1][scale_lane(self.shape.n, j, k)]
        return of_a + of_b - 254

    def dot_f64(self, pairs: list[tuple[int, int]], c: int) -> Expected:
        blgp = self.broadcast[2]
        signs = [F64.sign if blgp >> bit & 1 else 0 for bit in range(3)]
        acc: Any = c ^ signs[2]
        for x, y in pairs:
            if acc is NAN:
                break
            acc = soft.fma(F64, x ^ signs[0], y ^ signs[1], acc)
        return expected_bits(acc, F64, self.case.mode)

    def write(self, d_text: str, texts: list[str], c_text: str) -> None:
        cbsz, abid, blgp = self.broadcast
        operands = [d_text, *texts, c_text]
        suffix = ""
        if self.scaled:
            operands += [f"v{SCALES}", f"v{SCALES + 1}"]
            low, high = [b & 1 for b in self.bytes], [b >> 1 for b in self.bytes]
            suffix = f" op_sel:[{low[0]},{low[1]},0] op_sel_hi:[{high[0]},{high[1]},0]"
        suffix += f" cbsz:{cbsz}" if cbsz else ""
        suffix += f" abid:{abid}" if abid else ""
        if blgp and self.shape.d == "f64":
            suffix += f" neg:[{blgp & 1},{blgp >> 1 & 1},{blgp >> 2}]"
        elif blgp:
            suffix += f" blgp:{blgp}"
        self.case.text = f"{self.form.mnemonic} {', '.join(operands)}{suffix}"


def number(f: Format, bits: int) -> float:
    sign, m, e = soft.value(f, bits)
    return float((-m if sign else m) * 2.0**e)


def lane_read(lane: int, blgp: int) -> int:
    """The lane of B that is read in place of ``lane``."""
    if blgp == 0:
        return lane
    if blgp == 1:
        return lane % 32
    if blgp == 2:
        return lane % 32 + 32
    if blgp == 3:
        return (lane + 16) % 64
    return lane % 16 + 16 * (blgp - 4)


__all__ = ["Mode", "Product", "Small", "draw_case", "has_oracle"]
