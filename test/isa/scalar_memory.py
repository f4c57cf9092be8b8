"""Cases of scalar loads, stores and atomics."""

from __future__ import annotations

import random
import re

from .atomics import updated
from .forms import Form
from .machine import Case, Output
from .memory import GUARD, IMAGE, Access, Image, access_of, expect_global, set_global
from .scalar import base_case, set_scalar

DATA = 52  # first data register; even, and a multiple of 4


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case = base_case(rng)
    if form.mnemonic in ("s_memtime", "s_memrealtime"):
        clock(case, form)
    elif form.mnemonic.startswith(("s_atc_probe", "s_dcache_discard")):
        image = Image(Access("load", 4), rng)
        set_global(case, image, rng)
        probe(case, form, rng)
    else:
        access_case(case, form, rng, index)
    return case


def has_oracle(form: Form) -> bool:
    found = re.match(
        r"s_(buffer_)?(load|store)_dword|s_(buffer_)?atomic|s_mem(real)?time", form.mnemonic
    )
    probes = form.mnemonic.startswith(("s_atc_probe", "s_dcache_discard"))
    return form.encoding == "SMEM" and (bool(found) or probes)


def clock(case: Case, form: Form) -> None:
    """Later is not less."""
    case.text = (
        f"{form.mnemonic} s[20:21]\ns_waitcnt lgkmcnt(0)\n{form.mnemonic} s[22:23]\n"
        "s_waitcnt lgkmcnt(0)\ns_sub_u32 s24, s22, s20\ns_subb_u32 s25, s23, s21"
    )
    case.after["scc"] = 0
    case.outputs.append(Output(("s24", "s25"), [lambda bits: bits < 1 << 32]))


def probe(case: Case, form: Form, rng: random.Random) -> None:
    """Nothing that can be seen."""
    width = form.operand("base").width
    base = "s[40:41]" if width == 2 else "s[44:47]"
    case.setup += [
        "s_mov_b64 s[44:45], s[40:41]",
        f"s_mov_b32 s46, {IMAGE}",
        "s_mov_b32 s47, 0x27000",
    ]
    first = f"{rng.randrange(8)}, " if "probe" in form.mnemonic else ""
    case.text = f"{form.mnemonic} {first}{base}, {hex(4 * rng.randrange(16))}"


def data_register(dwords: int) -> str:
    return f"s{DATA}" if dwords == 1 else f"s[{DATA}:{DATA + dwords - 1}]"


def access_case(case: Case, form: Form, rng: random.Random, index: int) -> None:
    role = "d" if "_load_" in form.mnemonic else "data"
    dwords = form.operand(role).width
    access = access_of(form.mnemonic) or Access(role == "d" and "load" or "store", 4)
    image = Image(access, rng)
    set_global(case, image, rng)
    size = access.size if access.kind == "atomic" else 4 * dwords
    step = access.size if access.kind == "atomic" else 4
    place = step * rng.randrange((IMAGE - size) // step + 1)
    records = IMAGE
    if "buffer" in form.mnemonic:
        records = 4 * rng.randrange(8, IMAGE // 4)
        set_buffer(case, records)
    offset = set_offset(case, form, rng, place)
    for i in range(dwords):
        set_scalar(case, DATA + i, 1, rng.getrandbits(32))
    returns = access.kind == "atomic" and index % 3 > 0
    if access.kind == "atomic":
        atomic(case, form, rng, access, image, place, records, dwords, returns)
    else:
        for i in range(dwords):
            inside = place + 4 * i < records
            if role == "d":
                bits = image.load(place + 4 * i, 4) if inside else 0
                case.outputs.append(Output((f"s{DATA + i}",), [bits]))
            elif inside:
                image.store(place + 4 * i, 4, case.scalars[f"s{DATA + i}"])
    expect_global(case, image)
    base = "s[44:47]" if "buffer" in form.mnemonic else "s[42:43]"
    glc = " glc" if returns else ""
    case.text = f"{form.mnemonic} {data_register(dwords)}, {base}, {offset}{glc}"
    if access.kind != "load":
        case.text += "\ns_waitcnt lgkmcnt(0)\ns_dcache_wb"


def set_buffer(case: Case, records: int) -> None:
    case.setup += [
        f"s_add_u32 s44, s40, {GUARD}", "s_addc_u32 s45, s41, 0", f"s_mov_b32 s46, {records}",
        "s_mov_b32 s47, 0x27000",
    ]  # fmt: skip


def set_offset(case: Case, form: Form, rng: random.Random, place: int) -> str:
    """Immediate, register, or both; bits 1:0 of the address don't count."""
    loose = 0 if "atomic" in form.mnemonic else rng.randrange(4)
    choice = rng.randrange(3)
    if "buffer" in form.mnemonic:
        if choice:
            case.scalars["s20"] = place + loose
            return "s20"
        return hex(place + loose)
    shift = rng.choice((0, 4 * rng.randint(-5000, 5000)))  # the base lies elsewhere
    case.setup += [
        f"s_add_u32 s42, s40, {GUARD + 40000 - shift}", "s_addc_u32 s43, s41, 0",
        "s_sub_u32 s42, s42, 40000", "s_subb_u32 s43, s43, 0",
    ]  # fmt: skip
    total = place + shift
    if choice == 0 or total < 0:
        return hex(total + loose) if total >= 0 else f"-{hex(-total)}"
    if choice == 1:
        case.scalars["s20"] = total + loose
        return "s20"
    immediate = 4 * rng.randint(0, total // 4)
    case.scalars["s20"] = total - immediate
    return f"s20 offset:{hex(immediate)}"


def atomic(
    case: Case,
    form: Form,
    rng: random.Random,
    access: Access,
    image: Image,
    place: int,
    records: int,
    dwords: int,
    returns: bool,
) -> None:
    operand = sum(case.scalars[f"s{DATA + i}"] << (32 * i) for i in range(dwords))
    inside = place + access.size <= records  # all or nothing
    old = image.load(place, access.size) if inside else 0
    if access.operation == "cmpswap" and rng.random() < 0.6:  # let the comparison hold
        bits = 8 * access.size
        operand = operand & ((1 << bits) - 1) | old << bits
        for i in range(dwords):
            case.scalars[f"s{DATA + i}"] = operand >> (32 * i) & 0xFFFFFFFF
    if inside:
        new = updated(access.operation, old, [operand], 8 * access.size, False, case.mode)
        image.store(place, access.size, new)
    if returns:
        for i in range(access.size // 4):
            case.outputs.append(Output((f"s{DATA + i}",), [old >> (32 * i) & 0xFFFFFFFF]))
