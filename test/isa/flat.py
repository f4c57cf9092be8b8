"""Cases of FLAT, GLOBAL and SCRATCH instructions, and of loads from global memory into LDS."""

from __future__ import annotations

import random
import re

from .forms import Form
from .machine import LANES, Case, Output
from .memory import (
    GUARD,
    IMAGE,
    LDS_BYTES,
    SIZES,
    Access,
    Image,
    access_of,
    active,
    draw_registers,
    draw_state,
    expect_destination,
    expect_global,
    expect_lds,
    is_floating,
    loaded,
    must_be_alone,
    offset_text,
    perform,
    places,
    set_global,
    set_lds,
)
from .valu import names, register, set_vector

ADDRESS, DATA, DESTINATION = 8, 12, 48
PRIVATE = 64  # bytes of scratch of a lane
SCRATCH_BYTES = 256


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case = Case("")
    if form.mnemonic.startswith("scratch_load_lds_"):
        scratch_to_lds(case, form, rng, index)
    elif "_load_lds_" in form.mnemonic:
        to_lds(case, form, rng, index)
    elif form.encoding == "SCRATCH":
        scratch(case, form, rng, index)
    else:
        shared(case, form, rng, index)
    return case


def has_oracle(form: Form) -> bool:
    if form.encoding not in ("FLAT", "GLOBAL", "SCRATCH"):
        return False
    return "_load_lds_" in form.mnemonic or access_of(form.mnemonic) is not None


# ---- global and flat


def shared(case: Case, form: Form, rng: random.Random, index: int) -> None:
    access = access_of(form.mnemonic)
    assert access is not None
    draw_state(case, rng, index, access)
    image = Image(access, rng)
    set_global(case, image, rng)
    where = places(access, rng, IMAGE, must_be_alone(access, rng))
    if access.kind == "load" and rng.random() < 0.3:
        where = [rng.randrange(IMAGE - access.size + 1) for _ in where]  # any alignment
    in_lds = flat_lanes(case, form, rng, access)
    lds_image = set_lds_lanes(case, rng, access) if in_lds else None
    offset = set_address(case, form, rng, where, in_lds, lds_image)
    returns = access.kind == "load" or (access.kind == "atomic" and rng.random() < 0.6)
    kind = "a" if index % 3 == 2 and not is_floating(access.operation) else "v"
    data = data_of(case, form, rng, access, kind)
    dwords = 0
    if returns:
        dwords = max(1, access.size // 4)
        set_old(case, rng, dwords, kind)
    outside = {i: where[i] for i in range(LANES) if i not in in_lds}
    results = perform(case, access, image, outside, data, False)
    if lds_image is not None:
        inside = {i: where[i] for i in in_lds}
        results |= perform(case, access, lds_image[0], inside, data, True)
        expect_lds(case, lds_image[0])
    if returns:
        expect_destination(case, DESTINATION, dwords, results, kind)
    expect_global(case, image)
    write_text(case, form, access, kind, returns, offset)


def data_of(
    case: Case, form: Form, rng: random.Random, access: Access, kind: str
) -> list[list[int]]:
    operand = form.operand("data")
    if operand is None:
        return []
    lanes = draw_registers(case, rng, DATA, operand.width, access)
    if kind == "a":
        for i in range(operand.width):
            case.vectors[f"a{DATA + i}"] = case.vectors.pop(f"v{DATA + i}")
    return [lanes]


def set_old(case: Case, rng: random.Random, dwords: int, kind: str) -> None:
    lanes = [rng.getrandbits(32 * dwords) for _ in range(LANES)]
    set_vector(case, names(kind, DESTINATION, dwords), lanes)


def flat_lanes(case: Case, form: Form, rng: random.Random, access: Access) -> set[int]:
    """Lanes whose flat address lies in the aperture of LDS."""
    if form.encoding != "FLAT" or is_floating(access.operation) or rng.random() < 0.5:
        return set()
    mask = rng.choice((rng.getrandbits(LANES), (1 << LANES) - 1))
    case.scalars |= {"s46": mask & 0xFFFFFFFF, "s47": mask >> 32}
    return {i for i in range(LANES) if mask >> i & 1}


def set_lds_lanes(case: Case, rng: random.Random, access: Access) -> tuple[Image, int]:
    image, base = Image(access, rng), 256 * rng.randrange((LDS_BYTES - IMAGE) // 256)
    set_lds(case, image, base)
    return image, base


def set_address(
    case: Case,
    form: Form,
    rng: random.Random,
    where: list[int],
    in_lds: set[int],
    lds_image: tuple[Image, int] | None,
) -> str:
    """The address operands' registers; returns the text of scalar base and offset."""
    if form.encoding == "FLAT":
        top = 4095 if lds_image is None else min(4095, lds_image[1])
        offset = rng.choice((0, rng.randint(0, top)))
    else:
        offset = rng.choice((0, rng.randint(-4096, GUARD)))
    lanes = [GUARD + w - offset if GUARD + w >= offset else 0 for w in where]
    uses_base = form.encoding == "GLOBAL" and rng.random() < 0.5
    if uses_base:
        set_vector(case, (f"v{ADDRESS}",), lanes)
        return f"s[40:41]{offset_text(offset)}"
    bias = 4096  # so that the added number is never negative
    set_vector(case, ("v30",), [n + bias for n in (GUARD + w - offset for w in where)])
    case.setup += [
        f"s_sub_u32 s42, s40, {bias}", "s_subb_u32 s43, s41, 0", "v_mov_b32_e32 v31, s43",
        f"v_add_co_u32_e32 v{ADDRESS}, vcc, s42, v30",
        f"v_addc_co_u32_e32 v{ADDRESS + 1}, vcc, 0, v31, vcc",
    ]  # fmt: skip
    if lds_image is not None:
        set_vector(case, ("v32",), [lds_image[1] + w - offset for w in where])
        case.setup += [
            "s_mov_b64 s[42:43], src_shared_base", "v_mov_b32_e32 v33, s43",
            f"v_cndmask_b32_e64 v{ADDRESS}, v{ADDRESS}, v32, s[46:47]",
            f"v_cndmask_b32_e64 v{ADDRESS + 1}, v{ADDRESS + 1}, v33, s[46:47]",
        ]  # fmt: skip
    return ("off" if form.encoding == "GLOBAL" else "") + offset_text(offset)


def write_text(
    case: Case, form: Form, access: Access, kind: str, returns: bool, offset: str
) -> None:
    base = offset.split(" ")[0]
    wide = 1 if base.startswith("s[") else 2
    operands = []
    for operand in form.row.operands:
        if operand.role == "d" and returns:
            operands.append(register(kind, DESTINATION, max(1, access.size // 4)))
        elif operand.role == "addr":
            operands.append(register("v", ADDRESS, wide))
        elif operand.role == "data":
            operands.append(register(kind, DATA, operand.width))
    if form.encoding == "GLOBAL":
        operands.append(base)
    rest = offset[len(base) :]
    if returns and access.kind == "atomic":
        rest += " sc0"
    case.text = f"{form.mnemonic} {', '.join(operands)}{rest}"


# ---- scratch: each lane has its own


def scratch(case: Case, form: Form, rng: random.Random, index: int) -> None:
    access = access_of(form.mnemonic)
    assert access is not None
    draw_state(case, rng, index, access)
    images = private_images(case, access, rng)
    step = min(4, access.size)
    where = [step * rng.randrange((PRIVATE - access.size) // step + 1) for _ in range(LANES)]
    uses_vector, uses_scalar = index % 2 == 0, rng.random() < 0.5
    if not uses_vector:
        where = [where[0]] * LANES
    offset = rng.choice((0, rng.randint(-100, min(where))))
    scalar = rng.randint(0, min(where) - offset) if uses_scalar else 0
    case.scalars["s20"] = scalar
    set_vector(case, (f"v{ADDRESS}",), [w - offset - scalar for w in where])
    if not uses_vector:
        if not uses_scalar:
            offset = where[0]
        case.scalars["s20"] = where[0] - offset
    data = data_of(case, form, rng, access, "v")
    dwords = max(1, access.size // 4)
    results = {}
    if access.kind == "load":
        set_old(case, rng, dwords, "v")
    for lane in active(case):
        if access.kind == "load":
            results[lane] = loaded(access, images[lane].load(where[lane], access.size))
        else:
            bits = data[0][lane] >> (16 if access.half == "high" else 0)
            images[lane].store(where[lane], access.size, bits)
    if access.kind == "load":
        expect_destination(case, DESTINATION, dwords, results)
    expect_private(case, images)
    address = f"v{ADDRESS}" if uses_vector else "off"
    moved = register("v", DESTINATION if access.kind == "load" else DATA, dwords)
    operands = [moved, address] if access.kind == "load" else [address, moved]
    operands.append("s20" if uses_scalar else "off")
    case.text = f"{form.mnemonic} {', '.join(operands)}{offset_text(offset)}"


def private_images(case: Case, access: Access, rng: random.Random) -> list[Image]:
    images = [Image(access, rng, PRIVATE) for _ in range(LANES)]
    for i in range(PRIVATE // 4):
        case.vectors[f"v{70 + i}"] = [image.load(4 * i, 4) for image in images]
        case.setup.append(f"scratch_store_dword off, v{70 + i}, off offset:{4 * i}")
        case.teardown.append(f"scratch_load_dword v{90 + i}, off, off offset:{4 * i}")
    case.setup.append("s_waitcnt vmcnt(0)")
    case.teardown.append("s_waitcnt vmcnt(0)")
    return images


def expect_private(case: Case, images: list[Image]) -> None:
    for i in range(PRIVATE // 4):
        case.outputs.append(Output((f"v{90 + i}",), [image.load(4 * i, 4) for image in images]))


# ---- into LDS


def lds_slot(size: int) -> int:
    """Bytes between the places of two lanes."""
    return 4 if size <= 4 else 16


def lds_access(mnemonic: str) -> Access:
    found = re.search(r"_(ubyte|sbyte|ushort|sshort|dwordx3|dwordx4|dword)$", mnemonic)
    assert found
    return Access("load", SIZES[found[1]], found[1][0] == "s")


def store_to_lds(image: Image, access: Access, place: int, lane: int, bits: int) -> None:
    """The lane's number is its position; less than a dword is extended to one."""
    image.store(place + lds_slot(access.size) * lane, max(4, access.size), loaded(access, bits))


def lds_place(rng: random.Random, base: int, access: Access) -> int:
    """Where the first lane's data go in an LDS image."""
    return 4 * rng.randrange((IMAGE - LANES * lds_slot(access.size)) // 4 + 1)


def to_lds(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """M0 and the instruction's offset give the first lane's place; the offset counts twice."""
    access = lds_access(form.mnemonic)
    draw_state(case, rng, index)
    image, lds_image = Image(access, rng), Image(access, rng)
    base = 256 * rng.randrange(4, (LDS_BYTES - IMAGE) // 256)
    set_global(case, image, rng)
    set_lds(case, lds_image, base)
    where = places(access, rng, IMAGE, False)
    place = lds_place(rng, base, access)
    offset = 4 * rng.randint(-200, 200)
    case.m0 = base + place - offset
    uses_base = rng.random() < 0.5
    lanes = [GUARD + w - offset for w in where]
    if uses_base:
        set_vector(case, (f"v{ADDRESS}",), lanes)
    else:
        set_vector(case, ("v30",), lanes)
        case.setup += [
            "v_mov_b32_e32 v31, s41", f"v_add_co_u32_e32 v{ADDRESS}, vcc, s40, v30",
            f"v_addc_co_u32_e32 v{ADDRESS + 1}, vcc, 0, v31, vcc",
        ]  # fmt: skip
    for lane in active(case):
        store_to_lds(lds_image, access, place, lane, image.load(where[lane], access.size))
    expect_global(case, image)
    expect_lds(case, lds_image)
    address = f"v{ADDRESS}, s[40:41]" if uses_base else f"v[{ADDRESS}:{ADDRESS + 1}], off"
    case.text = f"{form.mnemonic} {address}{offset_text(offset)}"


def scratch_to_lds(case: Case, form: Form, rng: random.Random, index: int) -> None:
    """The same from the lane's private memory: a vector and a scalar offset, or neither."""
    access = lds_access(form.mnemonic)
    draw_state(case, rng, index)
    images = private_images(case, access, rng)
    lds_image = Image(access, rng)
    base = 256 * rng.randrange(4, (LDS_BYTES - IMAGE) // 256)
    set_lds(case, lds_image, base)
    place = lds_place(rng, base, access)
    uses_vector, uses_scalar = rng.random() < 0.6, rng.random() < 0.5
    where = places(access, rng, PRIVATE // 2, False)
    if not uses_vector:
        where = [where[0]] * LANES
    offset = 4 * rng.randint(0, PRIVATE // 8 - 1)
    scalar = rng.randint(0, min(where)) if uses_scalar else 0
    case.m0 = base + place - offset
    case.scalars["s20"] = scalar
    if not uses_vector and not uses_scalar:  # the offset alone
        where = [0] * LANES
    elif not uses_vector:
        case.scalars["s20"] = scalar = where[0]
    set_vector(case, (f"v{ADDRESS}",), [w - scalar for w in where])
    for lane in active(case):
        bits = images[lane].load(where[lane] + offset, access.size)
        store_to_lds(lds_image, access, place, lane, bits)
    expect_private(case, images)
    expect_lds(case, lds_image)
    address = f"v{ADDRESS}" if uses_vector else "off"
    operands = f"{address}, {'s20' if uses_scalar else 'off'}"
    case.text = f"{form.mnemonic} {operands}{offset_text(offset)}"
