"""Cases of buffer instructions: descriptors, addressing modes, the range check, loads into LDS."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .atomics import updated
from .flat import data_of, lds_access, lds_place, set_old, store_to_lds
from .forms import Form
from .machine import LANES, Case
from .memory import (
    GUARD,
    IMAGE,
    LDS_BYTES,
    Access,
    Image,
    access_of,
    active,
    draw_state,
    expect_destination,
    expect_global,
    expect_lds,
    loaded,
    offset_text,
    set_global,
    set_lds,
)
from .valu import register, set_vector

ADDRESS, DATA, DESTINATION = 8, 12, 48
FORMAT = 0x00027000  # 32 bits a component, float: what compilers write


@dataclass
class Layout:
    """How the lanes of a case address the buffer; offsets and strides in bytes."""

    mode: str  # "", "offen", "idxen", "idxen offen"
    stride: int
    records: int
    scalar: int  # the scalar offset
    constant: int  # the instruction's offset
    index: list[int]
    offset: list[int]  # of the vector register

    def place(self, lane: int) -> int:
        """From the descriptor's base."""
        inside = self.index[lane] * self.stride + self.offset[lane] + self.constant
        return self.scalar + inside

    def is_outside(self, lane: int, by: int) -> bool:
        """The scalar offset takes no part."""
        if "idxen" in self.mode:
            return self.index[lane] >= self.records
        return self.offset[lane] + self.constant + by >= self.records


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case = Case("")
    if form.mnemonic in ("buffer_inv", "buffer_wbl2"):
        draw_state(case, rng, index)
        case.text = form.mnemonic + rng.choice(("", " sc1", " sc0 sc1"))
    elif form.encoding == "MUBUF_LDS":
        to_lds(case, form, rng, index)
    else:
        access_case(case, form, rng, index)
    return case


def has_oracle(form: Form) -> bool:
    if "_format_" in form.mnemonic:
        return False
    if form.encoding == "MUBUF_LDS" or form.mnemonic in ("buffer_inv", "buffer_wbl2"):
        return True
    return form.encoding == "MUBUF" and access_of(form.mnemonic) is not None


def draw_layout(rng: random.Random, access: Access, index: int, alone: bool) -> Layout:
    step = 4 if access.size > 4 else access.size
    if access.kind == "atomic":
        step = access.size
    mode = ("offen", "idxen", "idxen offen", "offen", "" if not alone else "idxen")[index % 5]
    scalar = 8 * rng.randrange(16)
    if "idxen" in mode:
        return indexed(rng, access, mode, scalar, step, alone)
    limit = IMAGE - scalar
    records = limit // 8 * 8 - 8 * rng.randrange(32)
    constant = step * rng.randrange(64 // step)
    count = (limit - constant - access.size) // step + 1
    if mode == "":
        offsets, constant = [0] * LANES, step * rng.randrange(count)
    elif alone:
        size = 16 if access.size == 12 else access.size
        slots = rng.sample(range((limit - constant) // size), LANES)
        offsets = [size * s for s in slots]
        constant = constant // size * size
    else:
        offsets = [step * rng.randrange(count) for _ in range(LANES)]
    for lane in range(LANES):  # far outside, as kernels do to turn a lane off
        if mode and rng.random() < 0.1:
            offsets[lane] = 0x80000000 + 64 * lane
    return Layout(mode, 0, records, scalar, constant & 4095, [0] * LANES, offsets)


def indexed(
    rng: random.Random, access: Access, mode: str, scalar: int, step: int, alone: bool
) -> Layout:
    smallest = 16 if access.size == 12 else max(4, access.size)
    stride = smallest if alone else rng.choice((16, 32, 64))
    records = (IMAGE - scalar) // stride
    indices = rng.sample(range(records), LANES) if alone and records >= LANES else None
    if indices is None:
        indices = [rng.randrange(records) for _ in range(LANES)]
    if alone and records < LANES:
        scalar, stride = 0, smallest
        indices = rng.sample(range(IMAGE // stride), LANES)
        records = IMAGE // stride
    room = (stride - access.size) // step
    constant = step * rng.randint(0, room)
    rest = (stride - access.size - constant) // step
    offsets = [step * rng.randint(0, rest) if "offen" in mode else 0 for _ in range(LANES)]
    limit = max(1, records - rng.randrange(8))
    return Layout(mode, stride, limit, scalar, constant, indices, offsets)


def set_descriptor(case: Case, layout: Layout) -> None:
    """s[44:47]; the image's first byte is the descriptor's base."""
    case.setup += [
        f"s_add_u32 s44, s40, {GUARD}", "s_addc_u32 s45, s41, 0",
        f"s_or_b32 s45, s45, {layout.stride << 16:#x}", f"s_mov_b32 s46, {layout.records}",
        f"s_mov_b32 s47, {FORMAT:#x}",
    ]  # fmt: skip


def set_operands(case: Case, layout: Layout, rng: random.Random) -> str:
    """Registers of the address; the text from the address on."""
    if "idxen" in layout.mode:
        set_vector(case, (f"v{ADDRESS}",), layout.index)
        if "offen" in layout.mode:
            set_vector(case, (f"v{ADDRESS + 1}",), layout.offset)
    else:
        set_vector(case, (f"v{ADDRESS}",), layout.offset)
    address = {"": "off", "idxen offen": f"v[{ADDRESS}:{ADDRESS + 1}]"}.get(
        layout.mode, f"v{ADDRESS}"
    )
    scalar = "s20"
    case.scalars["s20"] = layout.scalar
    if layout.scalar <= 64 and rng.random() < 0.5:
        scalar = str(layout.scalar)
    tail = f" {layout.mode}" if layout.mode else ""
    return f"{address}, s[44:47], {scalar}{tail}{offset_text(layout.constant)}"


def read(layout: Layout, image: Image, lane: int, size: int) -> int:
    """Dwords outside are 0, each by itself."""
    part = min(size, 4)
    return sum(
        image.load(layout.place(lane) + by, part) << (8 * by)
        for by in range(0, size, part)
        if not layout.is_outside(lane, by)
    )


def access_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    access = access_of(form.mnemonic)
    assert access is not None
    draw_state(case, rng, index, access)
    image = Image(access, rng)
    set_global(case, image, rng)
    alone = access.kind == "store" or (access.kind == "atomic" and rng.random() < 0.6)
    layout = draw_layout(rng, access, index, alone)
    set_descriptor(case, layout)
    text = set_operands(case, layout, rng)
    kind = "a" if index % 3 == 2 else "v"
    data = data_of(case, form, rng, access, kind)
    dwords = form.operand("d" if access.kind == "load" else "data").width
    results = {}
    returns = access.kind == "atomic" and rng.random() < 0.6
    if access.kind == "load":
        set_old(case, rng, dwords, kind)
    for lane in active(case):
        if access.kind == "load":
            results[lane] = loaded(access, read(layout, image, lane, access.size))
        elif access.kind == "store":
            write(layout, image, lane, access, data[0][lane])
        else:
            results[lane] = exchange(layout, image, lane, access, data[0][lane], case, dwords)
    moved = register(kind, DESTINATION if access.kind == "load" else DATA, dwords)
    if access.kind == "load":
        expect_destination(case, DESTINATION, dwords, results, kind)
    elif returns:
        expect_destination(case, DATA, dwords, results, kind)
    expect_global(case, image)
    case.text = f"{form.mnemonic} {moved}, {text}{' sc0' if returns else ''}"


def write(layout: Layout, image: Image, lane: int, access: Access, bits: int) -> None:
    bits >>= 16 if access.half == "high" else 0
    part = min(access.size, 4)
    for by in range(0, access.size, part):
        if not layout.is_outside(lane, by):
            image.store(layout.place(lane) + by, part, bits >> (8 * by))


def exchange(
    layout: Layout, image: Image, lane: int, access: Access, bits: int, case: Case, dwords: int
) -> int:
    """All or nothing; the old value replaces the low part of the data."""
    rest = bits >> (8 * access.size) << (8 * access.size)
    if layout.is_outside(lane, 0):
        return rest
    place = layout.place(lane)
    old = image.load(place, access.size)
    new = updated(access.operation, old, [bits], 8 * access.size, False, case.mode)
    image.store(place, access.size, new)
    return old | (rest if dwords * 4 > access.size else 0)


def to_lds(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """What lies outside the buffer arrives as zeros."""
    access = lds_access(form.mnemonic)
    draw_state(case, rng, index)
    image, lds_image = Image(access, rng), Image(access, rng)
    base = 256 * rng.randrange(20, (LDS_BYTES - IMAGE) // 256)
    set_global(case, image, rng)
    set_lds(case, lds_image, base)
    layout = draw_layout(rng, access, index, False)
    if access.size < 4:
        layout.constant &= ~3
    place = lds_place(rng, base, access)
    case.m0 = base + place - layout.constant
    set_descriptor(case, layout)
    text = set_operands(case, layout, rng)
    for lane in active(case):
        store_to_lds(lds_image, access, place, lane, read(layout, image, lane, access.size))
    expect_global(case, image)
    expect_lds(case, lds_image)
    case.text = f"{form.mnemonic} {text} lds"
