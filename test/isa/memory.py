"""Cases of instructions that touch memory: LDS, flat, global, scratch and buffer accesses.

Each case has a small image of the memory it may touch. Loads read any place of it, stores and most
atomics go to places of their own; atomics that meet do so in ascending order of lanes.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from . import softfloat as soft
from .atomics import updated
from .forms import Form
from .machine import ALL, DEFAULT_MODE, LANES, Case, Mode, Output, Region
from .softfloat import BF16, F16, F32, F64, Format
from .valu import exec_masks, names, register, set_vector
from .values import float_value

IMAGE = 2048  # bytes; 64 lanes of 16 bytes take half of it
ROWS = IMAGE // 256
GUARD = 1024  # bytes around an image in global memory that nobody may touch
LDS_BYTES = 24 * 1024


@dataclass(frozen=True)
class Access:
    """What a mnemonic does to one place: bytes, and how a register holds them."""

    kind: str  # "load", "store", "atomic"
    size: int
    sign: bool = False
    half: str = ""  # d16 forms: "low", "high"
    operation: str = ""
    returns: bool = False


SIZES = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4,
         "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "b8": 1, "u8": 1, "i8": 1, "b16": 2, "u16": 2,
         "i16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}  # fmt: skip
DS_OPERATIONS = {"and": "and", "or": "or", "xor": "xor", "add": "add", "sub": "sub",
                 "rsub": "rsub", "inc": "inc", "dec": "dec", "wrxchg": "swap", "mskor": "mskor",
                 "wrap": "wrap"}  # fmt: skip


def access_of(mnemonic: str) -> Access | None:
    """From the parts of a mnemonic; None if it is no plain load, store or atomic."""
    if found := re.fullmatch(r"(?:\w+_load|ds_read)_(\w+?)(_d16)?(_hi)?", mnemonic):
        kind, d16, high = found.groups()
        if kind in SIZES:
            half = ("high" if high else "low") if d16 else ""
            return Access("load", SIZES[kind], kind[0] in "si", half)
    if found := re.fullmatch(r"(?:\w+_store|ds_write)_(\w+?)(_d16_hi)?", mnemonic):
        if found[1] in SIZES:
            return Access("store", SIZES[found[1]], half="high" if found[2] else "")
    if found := re.fullmatch(r"(?:s|s_buffer|flat|global|buffer)_atomic_(\w+?)(_x2)?", mnemonic):
        size = 8 if found[2] or found[1].endswith("f64") else 4
        return Access("atomic", size, operation=found[1])
    if mnemonic.startswith("ds_"):
        return ds_atomic(mnemonic)
    return None


def ds_atomic(mnemonic: str) -> Access | None:
    found = re.fullmatch(r"ds_(\w+?)(_rtn)?_([biuf]|bf)(16|32|64)", mnemonic)
    if not found:
        return None
    name, returns, kind, bits = found[1], bool(found[2]), found[3], int(found[4])
    size = 8 if bits == 64 else 4
    if name in ("min", "max") and kind in "iu":
        name = {"i": "s", "u": "u"}[kind] + name
    elif kind in ("f", "bf") and name != "cmpst":
        name = f"{name}_{kind}{bits}"
    elif name == "cmpst":
        name = "cmpst_f" if kind == "f" else "cmpst"
    elif name in DS_OPERATIONS:
        name = DS_OPERATIONS[name]
    else:
        return None
    return Access("atomic", size, operation=name, returns=returns)


def is_floating(operation: str) -> bool:
    return bool(re.search(r"_b?f(16|32|64)?$", operation))


def format_of(operation: str, size: int) -> Format:
    kind = operation.rsplit("_", 1)[1]
    if kind == "f":
        return F32 if size == 4 else F64
    return {"f32": F32, "f64": F64, "f16": F16, "bf16": BF16}[kind]


def draw_word(access: Access, rng: random.Random) -> int:
    """Bits of one operand or of memory; floats are no NaNs and meet without overflow."""
    if not is_floating(access.operation):
        return rng.choice((rng.getrandbits(8 * access.size), rng.getrandbits(3)))
    f = format_of(access.operation, access.size)
    count = 8 * access.size // f.width
    return sum(draw_finite(f, rng) << (i * f.width) for i in range(count))


def draw_finite(f: Format, rng: random.Random) -> int:
    """No overflow when such numbers meet; sums in f32 are no denormals, which may be flushed."""
    while True:
        bits = float_value(f, rng)
        exponent = soft.magnitude(f, bits) >> f.fraction
        if exponent < f.bias + f.bias // 2 and not (f is F32 and 0 < exponent < 30):
            return bits


# ---- memory


class Image:
    """Bytes of one memory, as they are before and as the oracle changes them."""

    def __init__(self, access: Access, rng: random.Random, size: int = IMAGE) -> None:
        words = (draw_word(access, rng) for _ in range(size // access.size + 1))
        self.data = bytearray(b"".join(w.to_bytes(access.size, "little") for w in words)[:size])
        self.before = bytes(self.data)

    def load(self, place: int, size: int) -> int:
        return int.from_bytes(self.data[place : place + size], "little")

    def store(self, place: int, size: int, bits: int) -> None:
        self.data[place : place + size] = (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def places(access: Access, rng: random.Random, limit: int, is_alone: bool) -> list[int]:
    """A place of the image for each lane, naturally aligned; one of its own if ``is_alone``."""
    step = 16 if access.size == 12 else access.size
    slots = limit // step
    if is_alone:
        chosen = rng.sample(range(slots), LANES)
    else:
        few = rng.choice((slots, slots, 4))
        chosen = [rng.randrange(few) for _ in range(LANES)]
    return [c * step for c in chosen]


def must_be_alone(access: Access, rng: random.Random) -> bool:
    return access.kind == "store" or (access.kind == "atomic" and rng.random() < 0.6)


# ---- registers


def loaded(access: Access, bits: int) -> int:
    """What a register (or several) holds of the bytes that were read."""
    width = 8 * access.size
    if access.sign and bits >> (width - 1):
        bits -= 1 << width
    if access.half:
        return (bits & 0xFFFF) << (16 if access.half == "high" else 0)
    return bits & ((1 << max(32, width)) - 1)


def stored(access: Access, bits: int) -> int:
    return bits >> 16 if access.half == "high" else bits


def draw_registers(
    case: Case, rng: random.Random, first: int, dwords: int, access: Access
) -> list[int]:
    """64 lanes of data, in vector registers from ``first``."""
    if access.kind == "atomic":
        count = 4 * dwords // access.size
        lanes = [
            sum(draw_word(access, rng) << (8 * access.size * i) for i in range(count))
            for _ in range(LANES)
        ]
    else:
        lanes = [rng.getrandbits(32 * dwords) for _ in range(LANES)]
    set_vector(case, names("v", first, dwords), lanes)
    return lanes


def draw_state(case: Case, rng: random.Random, index: int, access: Access | None = None) -> None:
    case.exec = exec_masks(rng)[index % 8]
    case.vcc, case.scc = rng.getrandbits(64), rng.getrandbits(1)
    if access and is_floating(access.operation) and index > 1:
        denorms = [rng.randrange(4) for _ in range(2)]
        if "bf16" in access.operation or access.operation[:3] in ("min", "max"):
            denorms = [3, 3]  # whether they are flushed in what is stored is open
        case.mode = Mode(rng.randrange(4), rng.randrange(4), denorms[0], denorms[1])


def active(case: Case) -> list[int]:
    return [lane for lane in range(LANES) if case.exec >> lane & 1]


# ---- putting images into memory and getting them out


def set_lds(case: Case, image: Image, base: int) -> None:
    """The image lies in LDS at ``base`` and is compared afterwards."""
    for row in range(ROWS):
        part = image.before[256 * row : 256 * (row + 1)]
        words = [int.from_bytes(part[4 * i : 4 * i + 4], "little") for i in range(LANES)]
        case.vectors[f"v{100 + row}"] = words
        case.setup.append(f"ds_write_b32 v1, v{100 + row} offset:{base + 256 * row}")
        case.teardown.append(f"ds_read_b32 v{110 + row}, v1 offset:{base + 256 * row}")
    case.setup.append("s_waitcnt lgkmcnt(0)")
    case.teardown.append("s_waitcnt lgkmcnt(0)")


def expect_lds(case: Case, image: Image) -> None:
    for row in range(ROWS):
        part = image.data[256 * row : 256 * (row + 1)]
        words = [int.from_bytes(part[4 * i : 4 * i + 4], "little") for i in range(LANES)]
        case.outputs.append(Output((f"v{110 + row}",), list(words)))


def set_global(case: Case, image: Image, rng: random.Random) -> None:
    """The image lies in global memory, GUARD bytes behind s[40:41], between bytes of noise."""
    noise = rng.randbytes(GUARD)
    case.region = Region(noise + image.before + noise, bytearray(noise + image.before + noise))


def expect_global(case: Case, image: Image) -> None:
    assert case.region is not None
    case.region.after[GUARD : GUARD + IMAGE] = image.data


def expect_destination(
    case: Case, first: int, dwords: int, results: dict[int, int], kind: str = "v"
) -> None:
    """Lanes without a result keep what was there; so does the next register."""
    registers = names(kind, first, dwords)
    old = [
        sum(case.vectors[name][lane] << (32 * i) for i, name in enumerate(registers))
        for lane in range(LANES)
    ]
    expected = [results.get(lane, old[lane]) for lane in range(LANES)]
    case.outputs.append(Output(registers, list(expected)))


def perform(
    case: Case,
    access: Access,
    image: Image,
    where: dict[int, int],
    data: list[list[int]],
    in_lds: bool,
) -> dict[int, int]:
    """Do the accesses of the active lanes, ascending; what each returns to its register."""
    results = {}
    for lane in active(case):
        if lane not in where:
            continue
        place = where[lane]
        old = image.load(place, access.size)
        if access.kind == "load":
            results[lane] = loaded(access, old)
        elif access.kind == "store":
            image.store(place, access.size, stored(access, data[0][lane]))
        else:
            operands = [d[lane] for d in data]
            new = updated(access.operation, old, operands, 8 * access.size, in_lds, case.mode)
            image.store(place, access.size, new)
            results[lane] = old
    return results


def offset_text(offset: int) -> str:
    return f" offset:{offset}" if offset else ""


__all__ = [
    "ALL", "DEFAULT_MODE", "Access", "Form", "Image", "access_of", "active", "draw_registers",
    "draw_state", "expect_destination", "expect_global", "expect_lds", "loaded", "must_be_alone",
    "offset_text", "perform", "places", "register", "set_global", "set_lds", "set_vector",
]  # fmt: skip
