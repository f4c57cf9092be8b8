"""Cases of LDS instructions."""

from __future__ import annotations

import random

from .forms import Form
from .machine import LANES, Case
from .memory import (
    IMAGE,
    LDS_BYTES,
    Access,
    Image,
    access_of,
    active,
    draw_registers,
    draw_state,
    expect_destination,
    expect_lds,
    loaded,
    must_be_alone,
    offset_text,
    perform,
    places,
    set_lds,
    set_vector,
)
from .valu import names, register

ADDRESS, DATA, DATA2, DESTINATION = 8, 12, 20, 48
WORD = Access("load", 4)


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    for pattern, draw in SPECIAL:
        if form.mnemonic.startswith(pattern):
            case = Case("")
            draw(case, form, rng, index)
            return case
    return plain_case(form, rng, index)


def start(case: Case, rng: random.Random, index: int, access: Access) -> tuple[Image, int]:
    """(image, its place in LDS)"""
    draw_state(case, rng, index, access)
    image, base = Image(access, rng), 256 * rng.randrange((LDS_BYTES - IMAGE) // 256)
    set_lds(case, image, base)
    return image, base


def set_addresses(case: Case, base: int, where: list[int], offset: int) -> None:
    lanes = [base + w - offset for w in where]
    set_vector(case, (f"v{ADDRESS}",), lanes)


def draw_offset(rng: random.Random, base: int, where: list[int], limit: int = 65535) -> int:
    return rng.choice((0, rng.randint(0, min(limit, base + min(where)))))


def data_of(case: Case, form: Form, rng: random.Random, access: Access) -> list[list[int]]:
    """Lanes of each data operand."""
    found = []
    for role, first in (("data", DATA), ("data2", DATA2)):
        operand = form.operand(role)
        if operand is not None:
            found.append(draw_registers(case, rng, first, operand.width, access))
    return found


def operands_of(form: Form) -> str:
    texts = {"d": DESTINATION, "addr": ADDRESS, "data": DATA, "data2": DATA2}
    return ", ".join(register("v", texts[o.role], o.width) for o in form.row.operands)


def old_destination(case: Case, rng: random.Random, dwords: int) -> None:
    lanes = [rng.getrandbits(32 * dwords) for _ in range(LANES)]
    set_vector(case, names("v", DESTINATION, dwords), lanes)


def plain_case(form: Form, rng: random.Random, index: int) -> Case:
    access = access_of(form.mnemonic)
    assert access is not None, form.mnemonic
    case = Case("")
    image, base = start(case, rng, index, access)
    where = places(access, rng, IMAGE, must_be_alone(access, rng))
    offset = draw_offset(rng, base, where)
    set_addresses(case, base, where, offset)
    data = data_of(case, form, rng, access)
    destination = form.operand("d")
    if destination is not None:
        old_destination(case, rng, destination.width)
    results = perform(case, access, image, dict(enumerate(where)), data, True)
    if destination is not None:
        expect_destination(case, DESTINATION, destination.width, results)
    expect_lds(case, image)
    case.text = f"{form.mnemonic} {operands_of(form)}{offset_text(offset)}"
    return case


# ---- two places of one lane


def two_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """read2, write2, wrxchg2: offsets count elements, or 64 of them."""
    size = 8 if form.mnemonic.endswith("64") else 4
    access = Access("load", size)
    scale = size * (64 if "st64" in form.mnemonic else 1)
    image, base = start(case, rng, index, access)
    limit = IMAGE // 2 if "st64" in form.mnemonic else IMAGE - 16 * size
    offsets = [o * scale for o in pick_offsets(rng, scale, size)]
    alone = "read" not in form.mnemonic
    step = size if alone else None
    where = [w * size for w in range(LANES)] if step else places(access, rng, limit, False)
    if alone:
        rng.shuffle(where)
        offsets = separated(rng, scale)
    set_addresses(case, base, where, 0)
    data = data_of(case, form, rng, Access("store", size))
    destination = form.operand("d")
    if destination is not None:
        old_destination(case, rng, destination.width)
    results = {}
    for lane in active(case):
        at = [where[lane] + o for o in offsets]
        results[lane] = sum(image.load(p, size) << (8 * size * i) for i, p in enumerate(at))
        for i, lanes in enumerate(data):
            image.store(at[i], size, lanes[lane])
    if destination is not None:
        expect_destination(case, DESTINATION, destination.width, results)
    expect_lds(case, image)
    fields = [f" offset{i}:{o // scale}" for i, o in enumerate(offsets) if o]
    case.text = f"{form.mnemonic} {operands_of(form)}{''.join(fields)}"


def pick_offsets(rng: random.Random, scale: int, size: int) -> list[int]:
    top = (IMAGE // 2 - size) // scale if scale > 8 else 15
    return [rng.randint(0, top) for _ in range(2)]


def separated(rng: random.Random, scale: int) -> list[int]:
    """Two offsets whose places never meet: 64 elements apart."""
    if scale > 8:
        first = rng.randrange(IMAGE // scale - 1)
        second = rng.randrange(first + 1, IMAGE // scale)
        return [o * scale for o in rng.sample((first, second), 2)]
    return [o * scale for o in rng.sample((0, 64 + rng.randrange(64)), 2)]


# ---- places that come from M0


def addtid_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """M0[15:0] + offset + 4 * lane."""
    image, base = start(case, rng, index, WORD)
    place = 4 * rng.randrange((IMAGE - 256) // 4)
    offset = rng.choice((0, rng.randrange(base + place + 1) & ~3))
    case.m0 = base + place - offset
    first = DATA if "write" in form.mnemonic else DESTINATION
    lanes = [rng.getrandbits(32) for _ in range(LANES)]
    set_vector(case, (f"v{first}",), lanes)
    results = {}
    for lane in active(case):
        if "write" in form.mnemonic:
            image.store(place + 4 * lane, 4, lanes[lane])
        else:
            results[lane] = image.load(place + 4 * lane, 4)
    if results:
        expect_destination(case, DESTINATION, 1, results)
    expect_lds(case, image)
    case.text = f"{form.mnemonic} v{first}{offset_text(offset)}"


def append_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """One counter at M0 + offset moves by the number of active lanes; all get its old value."""
    image, base = start(case, rng, index, WORD)
    case.exec = case.exec or 1
    place = 4 * rng.randrange(IMAGE // 4)
    offset = rng.choice((0, rng.randrange(base + place + 1) & ~3))
    case.m0 = base + place - offset
    old_destination(case, rng, 1)
    old, count = image.load(place, 4), case.exec.bit_count()
    image.store(place, 4, old + count if "append" in form.mnemonic else old - count)
    expect_destination(case, DESTINATION, 1, dict.fromkeys(active(case), old))
    expect_lds(case, image)
    case.text = f"{form.mnemonic} v{DESTINATION}{offset_text(offset)}"


# ---- data moves between lanes: no LDS is touched


def permute_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """permute pushes, bpermute pulls; lane = (address + offset) / 4 mod 64."""
    draw_state(case, rng, index)
    offset = rng.choice((0, 4 * rng.randrange(64)))
    targets = [rng.randrange(1024) for _ in range(LANES)]
    if rng.random() < 0.5:
        targets = [4 * t for t in rng.sample(range(LANES), LANES)]
    set_vector(case, (f"v{ADDRESS}",), targets)
    data = draw_registers(case, rng, DATA, 1, WORD)
    old_destination(case, rng, 1)
    lane_of = [(t + offset) // 4 % LANES for t in targets]
    if "bpermute" in form.mnemonic:
        results = {i: data[lane_of[i]] if case.exec >> lane_of[i] & 1 else 0 for i in active(case)}
    else:
        pushed = {lane_of[i]: data[i] for i in active(case)}  # the highest lane is last
        results = {i: pushed.get(i, 0) for i in active(case)}
    expect_destination(case, DESTINATION, 1, results)
    case.text = f"{form.mnemonic} {operands_of(form)}{offset_text(offset)}"


def swizzle_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    draw_state(case, rng, index)
    quad = 0x8000 | rng.getrandbits(8)
    offset = quad if rng.random() < 0.4 else rng.getrandbits(15)
    data = draw_registers(case, rng, ADDRESS, 1, WORD)
    old_destination(case, rng, 1)
    results = {}
    for lane in active(case):
        source = swizzled(offset, lane)
        results[lane] = data[source] if case.exec >> source & 1 else 0
    expect_destination(case, DESTINATION, 1, results)
    case.text = f"{form.mnemonic} {operands_of(form)}{offset_text(offset)}"


def swizzled(offset: int, lane: int) -> int:
    if offset & 0x8000:
        return lane & ~3 | offset >> 2 * (lane & 3) & 3
    low = (lane & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31
    return lane & 32 | low


# ---- transposing reads


def transpose_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """In each group of 16 lanes: every lane fetches its own place, then gets one column."""
    bits = int(form.mnemonic.rsplit("_b", 1)[1])
    dwords = form.operand("d").width
    access = Access("load", 4 * dwords)
    image, base = start(case, rng, index, access)
    case.exec = (1 << LANES) - 1
    where = places(access, rng, IMAGE, False)
    set_addresses(case, base, where, 0)
    old_destination(case, rng, dwords)
    rows = [image.load(w, 4 * dwords) for w in where]
    results = {lane: transposed(rows, lane, bits) for lane in range(LANES)}
    expect_destination(case, DESTINATION, dwords, results)
    expect_lds(case, image)
    case.text = f"{form.mnemonic} {operands_of(form)}"


def transposed(rows: list[int], lane: int, bits: int) -> int:
    group, t = lane & ~15, lane & 15
    mask = (1 << bits) - 1

    def element(source: int, number: int) -> int:
        return rows[group + source] >> (bits * number) & mask

    if bits == 16:
        items = [element(t // 4 + 4 * j, t % 4) for j in range(4)]
    elif bits == 8:
        items = [element(t // 8 + 2 * j, t % 8) for j in range(8)]
    else:
        items = [element(j, t) for j in range(16)]
    return sum(item << (bits * j) for j, item in enumerate(items))


def condxchg_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """Each dword of the pair is replaced, its top bit cleared, if the new one has bit 31 set."""
    access = Access("load", 8)
    image, base = start(case, rng, index, access)
    where = places(access, rng, IMAGE, True)
    offset = draw_offset(rng, base, where) & ~7
    set_addresses(case, base, where, offset)
    data = draw_registers(case, rng, DATA, 2, Access("store", 8))
    old_destination(case, rng, 2)
    results = {}
    for lane in active(case):
        results[lane] = image.load(where[lane], 8)
        for i in range(2):
            new = data[lane] >> (32 * i) & 0xFFFFFFFF
            if new >> 31:
                image.store(where[lane] + 4 * i, 4, new & 0x7FFFFFFF)
    expect_destination(case, DESTINATION, 2, results)
    expect_lds(case, image)
    case.text = f"{form.mnemonic} {operands_of(form)}{offset_text(offset)}"


def nop_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    image, _ = start(case, rng, index, WORD)
    expect_lds(case, image)
    case.text = form.mnemonic


SPECIAL = [
    ("ds_read2", two_case), ("ds_write2", two_case), ("ds_wrxchg2", two_case),
    ("ds_read_addtid", addtid_case), ("ds_write_addtid", addtid_case),
    ("ds_append", append_case), ("ds_consume", append_case), ("ds_permute", permute_case),
    ("ds_bpermute", permute_case), ("ds_swizzle", swizzle_case),
    ("ds_read_b64_tr", transpose_case), ("ds_read_b96_tr", transpose_case),
    ("ds_condxchg", condxchg_case), ("ds_nop", nop_case),
]  # fmt: skip


def has_oracle(form: Form) -> bool:
    special = any(form.mnemonic.startswith(p) for p, _ in SPECIAL)
    return form.encoding == "DS" and (special or access_of(form.mnemonic) is not None)


__all__ = ["draw_case", "has_oracle", "loaded"]
