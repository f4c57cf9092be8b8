"""Cases of typed buffer accesses: elements of a data format and a number format.

Names of data formats begin with the highest bits. What is read becomes a dword (an f32 or an
integer) or a half of that; components that an element lacks are 0, 0, 0, 1. Descriptors also say
where components go; tbuffer instructions have their own format and keep the order.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from . import softfloat as soft
from .buffer import DATA, DESTINATION, Layout, draw_layout, set_descriptor, set_operands
from .flat import set_old
from .forms import Form
from .machine import LANES, Case, Expected, Output, expected_bits, fields
from .memory import (
    LDS_BYTES,
    Access,
    Image,
    active,
    draw_state,
    expect_global,
    expect_lds,
    set_global,
    set_lds,
)
from .ops import signed
from .softfloat import EXACT, F16, F32, NAN, Format, Value
from .valu import names, register, set_vector
from .values import float_value

DATA_FORMATS = {
    "8": 1, "16": 2, "8_8": 3, "32": 4, "16_16": 5, "10_11_11": 6, "11_11_10": 7, "10_10_10_2": 8,
    "2_10_10_10": 9, "8_8_8_8": 10, "32_32": 11, "16_16_16_16": 12, "32_32_32": 13,
    "32_32_32_32": 14,
}  # fmt: skip
NUMBERS = {"UNORM": 0, "SNORM": 1, "USCALED": 2, "SSCALED": 3, "UINT": 4, "SINT": 5, "FLOAT": 7}
F11, F10 = Format("f11", 5, 6), Format("f10", 5, 5)  # unsigned: no sign bit is stored


@dataclass
class Element:
    data: str
    number: str
    select: list[int]  # 0, 1, or 4 + component

    @property
    def bits(self) -> list[int]:
        """Of the components, from the lowest bit on."""
        return [int(b) for b in reversed(self.data.split("_"))]

    @property
    def size(self) -> int:
        return sum(self.bits) // 8

    @property
    def is_integer(self) -> bool:
        return self.number in ("UINT", "SINT")

    def format(self, bits: int) -> Format:
        return {10: F10, 11: F11, 16: F16, 32: F32}[bits]


def has_oracle(form: Form) -> bool:
    return "_format_" in form.mnemonic


def draw_element(form: Form, rng: random.Random, components: int, is_store: bool) -> Element:
    while True:
        data, number = rng.choice([*DATA_FORMATS]), rng.choice([*NUMBERS])
        bits = [int(b) for b in data.split("_")]
        small = min(bits) < 10 and number == "FLOAT"
        wide = max(bits) == 32 and number in ("UNORM", "SNORM", "USCALED", "SSCALED")
        packed = max(bits) in (10, 11)
        if small or wide or (is_store and number in ("USCALED", "SSCALED")):
            continue
        if is_store and (len(bits) > components or (packed and number == "FLOAT")):
            continue
        select = [4, 5, 6, 7]
        if form.encoding != "MTBUF" and not is_store:
            select = [rng.choice((0, 1, 4, 5, 6, 7)) if rng.random() < 0.4 else 4 + i
                      for i in range(4)]  # fmt: skip
        return Element(data, number, select)


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case, is_store = Case(""), "_store_" in form.mnemonic
    components = len(form.mnemonic.rsplit("_", 1)[1])
    element = draw_element(form, rng, components, is_store)
    access = Access("store" if is_store else "load", element.size)
    draw_state(case, rng, index)
    image = Image(access, rng)
    set_global(case, image, rng)
    layout = draw_layout(rng, access, index, is_store)
    layout.constant = layout.constant // access.size * access.size if is_store else layout.constant
    align(layout, min(4, access.size))
    set_descriptor(case, layout)
    if form.encoding == "MTBUF":
        case.setup[-1] = "s_mov_b32 s47, 0x8000"  # any format, so that it is bound
    else:
        word = NUMBERS[element.number] << 12 | DATA_FORMATS[element.data] << 15
        word |= sum(s << (3 * i) for i, s in enumerate(element.select))
        case.setup[-1] = f"s_mov_b32 s47, {word:#x}"
    Typed(case, form, rng, element, image, layout, components, index).write()
    return case


def align(layout: Layout, step: int) -> None:
    """Everything to the element's alignment, so that dropped address bits don't matter."""
    layout.constant -= layout.constant % step
    layout.scalar -= layout.scalar % step
    layout.offset = [o - o % step for o in layout.offset]


@dataclass
class Typed:
    case: Case
    form: Form
    rng: random.Random
    element: Element
    image: Image
    layout: Layout
    components: int
    index: int

    def outside(self, lane: int) -> bool:
        """All of an element is in range, or none."""
        return self.layout.is_outside(lane, 0) or self.layout.is_outside(
            lane, self.element.size - 1
        )

    def write(self) -> None:
        mnemonic = self.form.mnemonic
        text = set_operands(self.case, self.layout, self.rng)
        if self.form.encoding == "MTBUF":
            e = self.element
            name = f"format:[BUF_DATA_FORMAT_{e.data},BUF_NUM_FORMAT_{e.number}]"
            text = re.sub(r"(s\[44:47\], \w+)", rf"\1 {name}", text)
        if self.form.encoding == "MUBUF_LDS":
            self.to_lds(text)
            return
        is_store = "_store_" in mnemonic
        kind = "a" if self.index % 3 == 2 else "v"
        dwords = self.form.operand("data" if is_store else "d").width
        first = DATA if is_store else DESTINATION
        if is_store:
            self.store(kind, dwords)
        else:
            self.load(kind, dwords)
        expect_global(self.case, self.image)
        self.case.text = f"{mnemonic} {register(kind, first, dwords)}, {text}"

    # ---- loads

    def load(self, kind: str, dwords: int) -> None:
        set_old(self.case, self.rng, dwords, kind)
        registers = names(kind, DESTINATION, dwords)
        expected: list[Expected] = []
        for lane in range(LANES):
            if self.case.exec >> lane & 1:
                expected.append(self.loaded(lane))
            else:
                old = (
                    self.case.vectors[name][lane] << (32 * i) for i, name in enumerate(registers)
                )
                expected.append(sum(old))
        self.case.outputs.append(Output(registers, expected))

    def results(self, lane: int) -> list[Any]:
        """The dwords, before any of them is halved."""
        if self.outside(lane):
            return [0] * 4
        e, place = self.element, self.layout.place(lane)
        raw, at = self.image.load(place, e.size), 0
        found: list[Any] = [0, 0, 0, 1 if e.is_integer else F32.one]
        for i, bits in enumerate(e.bits):
            found[i] = read(e, bits, raw >> at & ((1 << bits) - 1))
            at += bits
        one = 1 if e.is_integer else F32.one
        return [found[s - 4] if s >= 4 else one * s for s in e.select]

    def loaded(self, lane: int) -> Expected:
        results = self.results(lane)[: self.components]
        f = None if self.element.is_integer else F32
        if "_d16_" not in self.form.mnemonic:
            parts = [(32 * i, 32, expected_bits(r, f, self.case.mode))
                     for i, r in enumerate(results)]  # fmt: skip
            return fields(parts)
        halves = [self.half(r) for r in results]
        if "_hi_" in self.form.mnemonic:
            return fields([(0, 16, 0), (16, 16, halves[0])])
        halves += [0] * (len(halves) % 2)
        return fields([(16 * i, 16, h) for i, h in enumerate(halves)])

    def half(self, result: Any) -> Expected:
        if self.element.is_integer:
            return int(result) & 0xFFFF
        half = NAN if result is NAN else soft.convert(F16, F32, result)
        return expected_bits(half, F16, self.case.mode)

    def to_lds(self, text: str) -> None:
        base = 256 * self.rng.randrange(20, (LDS_BYTES - 2048) // 256)
        lds = Image(Access("load", 4), self.rng)
        set_lds(self.case, lds, base)
        place = 4 * self.rng.randrange(256)
        self.case.m0 = base + place - self.layout.constant // 4 * 4  # whole dwords are written
        for lane in active(self.case):
            result = self.results(lane)[0]
            lds.store(place + 4 * lane, 4, F32.infinity | F32.quiet
                      if result is NAN else result)  # fmt: skip
        expect_global(self.case, self.image)
        expect_lds(self.case, lds)
        self.case.text = f"{self.form.mnemonic} {text} lds"

    # ---- stores

    def store(self, kind: str, dwords: int) -> None:
        e = self.element
        halves = "_d16_" in self.form.mnemonic
        lanes = []
        for lane in range(LANES):
            values = [self.stored_value(bits) for bits in e.bits]
            values += [self.rng.getrandbits(16 if halves else 32)] * (self.components - len(values))
            width = 16 if halves else 32
            if halves:
                values = [v if e.is_integer else soft.convert(F16, F32, v) for v in values]
            word = sum((v & ((1 << width) - 1)) << (width * i) for i, v in enumerate(values))
            if "_hi_" in self.form.mnemonic:
                word = word << 16 | self.rng.getrandbits(16)
            lanes.append(word & ((1 << 32 * dwords) - 1))
            if self.case.exec >> lane & 1 and not self.outside(lane):
                self.put(lane, values)
        set_vector(self.case, names(kind, DATA, dwords), lanes)

    def stored_value(self, bits: int) -> int:
        """A number that fits: what happens to larger integers is open, and so are NaNs."""
        e = self.element
        if e.number == "UINT":
            return self.rng.getrandbits(min(bits, 16 if "_d16_" in self.form.mnemonic else 32))
        if e.number == "SINT":
            width = min(bits, 16 if "_d16_" in self.form.mnemonic else 32)
            return signed(self.rng.getrandbits(width), width) & 0xFFFFFFFF
        while True:
            v = float_value(F32, self.rng)
            half = soft.convert(F16, F32, v) if soft.magnitude(F32, v) < F32.infinity else NAN
            if half is not NAN and soft.magnitude(F16, half) < F16.infinity:
                return v

    def put(self, lane: int, values: list[int]) -> None:
        e, raw, at = self.element, 0, 0
        halves = "_d16_" in self.form.mnemonic and not e.is_integer
        for bits, v in zip(e.bits, values, strict=False):
            wide = soft.convert(F32, F16, v & 0xFFFF) if halves else v
            raw |= written(e, bits, int(wide)) << at
            at += bits
        self.image.store(self.layout.place(lane), e.size, raw)


def read(e: Element, bits: int, raw: int) -> Any:
    """A component as a dword."""
    if e.number == "UINT":
        return raw
    if e.number == "SINT":
        return signed(raw, bits) & 0xFFFFFFFF
    if e.number == "FLOAT":
        f = e.format(bits)
        if f is F32:  # as it is
            return raw
        return NAN if soft.is_nan(f, raw) else soft.convert(F32, f, raw)
    if e.number == "UNORM":
        return quotient(raw, (1 << bits) - 1)
    if e.number == "SNORM":
        return quotient(max(signed(raw, bits), -((1 << (bits - 1)) - 1)), (1 << (bits - 1)) - 1)
    return soft.from_integer(F32, raw if e.number == "USCALED" else signed(raw, bits))


def quotient(a: int, b: int) -> Any:
    """a / b, rounded once."""
    q, rest = divmod(abs(a) << 80, b)
    v: Value = (int(a < 0), q << 1 | (rest != 0), -81)
    return soft.rounded(F32, v, EXACT)


def written(e: Element, bits: int, v: int) -> int:
    """A dword as a component: clamped to its range, to the nearest."""
    mask = (1 << bits) - 1
    if e.is_integer:
        return v & mask
    if e.number == "FLOAT":
        return v & mask if bits == 32 else int(soft.convert(F16, F32, v))
    most = mask if e.number == "UNORM" else mask >> 1
    sign, m, power = soft.value(F32, v)
    if sign and e.number == "UNORM":
        return 0
    if soft.magnitude(F32, v) >= F32.one:
        return (-most if sign else most) & mask
    return int(soft.round_integer(sign, m * most, power, 0)) & mask
