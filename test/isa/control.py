"""Cases of branches, calls, MODE and register indexing: short programs with their outcome."""

from __future__ import annotations

import random
from collections.abc import Callable

from .forms import Form
from .machine import DEFAULT_MODE, LANES, Case, Output
from .scalar import base_case, set_scalar

Program = Callable[[Case, random.Random], None]
PROGRAMS: dict[str, Program] = {}


def program(*names: str) -> Callable[[Program], Program]:
    def register(function: Program) -> Program:
        for name in names:
            PROGRAMS[name] = function
        return function

    return register


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case = base_case(rng)
    case.text = form.mnemonic  # replaced by the program's
    PROGRAMS[form.mnemonic](case, rng)
    return case


def labels(rng: random.Random, count: int) -> list[str]:
    stem = f".L{rng.getrandbits(60):x}"
    return [f"{stem}_{i}" for i in range(count)]


def expect(case: Case, **scalars: int) -> None:
    case.outputs += [Output((name,), [value]) for name, value in scalars.items()]


def lines(*text: str) -> str:
    return "\n".join(text)


# ---- branches

TAKEN: dict[str, Callable[[Case], bool]] = {
    "s_branch": lambda c: True,
    "s_cbranch_scc0": lambda c: not c.scc, "s_cbranch_scc1": lambda c: bool(c.scc),
    "s_cbranch_vccz": lambda c: not c.vcc, "s_cbranch_vccnz": lambda c: bool(c.vcc),
    "s_cbranch_cdbgsys": lambda c: False, "s_cbranch_cdbguser": lambda c: False,
    "s_cbranch_cdbgsys_or_user": lambda c: False,  # nobody debugs
    "s_cbranch_cdbgsys_and_user": lambda c: False,
    "s_cbranch_execz": lambda c: not c.exec, "s_cbranch_execnz": lambda c: bool(c.exec),
}  # fmt: skip


@program(*TAKEN)
def branch(case: Case, rng: random.Random) -> None:
    """Forwards over an instruction, or backwards to one."""
    mnemonic = case.text
    case.vcc = rng.choice((0, 1 << rng.randrange(64), case.vcc))
    taken = TAKEN[mnemonic](case)
    back, start, end = labels(rng, 3)
    set_scalar(case, 20, 2, 0)
    filler = ["s_nop 0"] * rng.randrange(20)
    if rng.random() < 0.5:
        case.text = lines(f"{mnemonic} {end}", *filler, "s_mov_b32 s20, 5", f"{end}:")
        expect(case, s20=0 if taken else 5)
        return
    case.text = lines(
        f"s_branch {start}", f"{back}:", "s_mov_b32 s21, 7", *filler, f"s_branch {end}",
        f"{start}:", f"{mnemonic} {back}", "s_mov_b32 s20, 5", f"{end}:",
    )  # fmt: skip
    expect(case, s20=0 if taken else 5, s21=7 if taken else 0)


# ---- program counter

_SCC_KNOWN = "s_cmp_eq_u32 0, 0"


def address_of(low: int, target: str, anchor: str) -> list[str]:
    """s[low:low+1] = address of a label."""
    return [
        f"s_getpc_b64 s[{low}:{low + 1}]",
        f"{anchor}:",
        f"s_add_u32 s{low}, s{low}, {target}-{anchor}",
        f"s_addc_u32 s{low + 1}, s{low + 1}, 0",
    ]


@program("s_getpc_b64")
def getpc(case: Case, rng: random.Random) -> None:
    """Two of them, as far apart as the instructions between them."""
    count = rng.randrange(30)
    case.text = lines(
        "s_getpc_b64 s[20:21]", *["s_nop 0"] * count, "s_getpc_b64 s[22:23]",
        "s_sub_u32 s24, s22, s20", "s_subb_u32 s25, s23, s21", _SCC_KNOWN,
    )  # fmt: skip
    case.after["scc"] = 1
    expect(case, s24=4 * count + 4, s25=0)


@program("s_setpc_b64")
def setpc(case: Case, rng: random.Random) -> None:
    target, anchor = labels(rng, 2)
    set_scalar(case, 24, 2, 0)
    case.text = lines(
        *address_of(20, target, anchor), "s_setpc_b64 s[20:21]", "s_mov_b32 s24, 1",
        *["s_nop 0"] * rng.randrange(20), f"{target}:", "s_mov_b32 s25, 2", _SCC_KNOWN,
    )  # fmt: skip
    case.after["scc"] = 1
    expect(case, s24=0, s25=2)


@program("s_swappc_b64")
def swappc(case: Case, rng: random.Random) -> None:
    """There and back: the return address is that of the next instruction."""
    target, anchor, end = labels(rng, 3)
    set_scalar(case, 24, 2, 0)
    case.text = lines(
        *address_of(20, target, anchor), "s_swappc_b64 s[22:23], s[20:21]",
        "s_add_u32 s24, s24, 3", f"s_branch {end}", *["s_nop 0"] * rng.randrange(20),
        f"{target}:", "s_add_u32 s25, s25, 5", "s_setpc_b64 s[22:23]", f"{end}:", _SCC_KNOWN,
    )  # fmt: skip
    case.after["scc"] = 1
    expect(case, s24=3, s25=5)


@program("s_call_b64")
def call(case: Case, rng: random.Random) -> None:
    target, end = labels(rng, 2)
    set_scalar(case, 24, 2, 0)
    case.text = lines(
        f"s_call_b64 s[22:23], {target}", "s_mov_b32 s24, 3", f"s_branch {end}",
        *["s_nop 0"] * rng.randrange(20), f"{target}:", "s_mov_b32 s25, 5",
        "s_setpc_b64 s[22:23]", f"{end}:",
    )  # fmt: skip
    expect(case, s24=3, s25=5)


# ---- MODE


def field(rng: random.Random) -> tuple[int, int]:
    """(offset, size) within bits 9:0."""
    offset = rng.randrange(10)
    return offset, rng.randint(1, 10 - offset)


@program("s_getreg_b32")
def getreg(case: Case, rng: random.Random) -> None:
    offset, size = field(rng)
    case.text = f"s_getreg_b32 s20, hwreg(HW_REG_MODE, {offset}, {size})"
    expect(case, s20=DEFAULT_MODE.low_word() >> offset & ((1 << size) - 1))


def set_mode(case: Case, rng: random.Random, value: int, text: str) -> None:
    offset, size = field(rng)
    mask = (1 << size) - 1
    mode = DEFAULT_MODE.low_word() & ~(mask << offset) | (value & mask) << offset
    case.text = lines(
        text.format(f"hwreg(HW_REG_MODE, {offset}, {size})"), "s_nop 7",
        "s_getreg_b32 s21, hwreg(HW_REG_MODE, 0, 10)",
    )  # fmt: skip
    expect(case, s21=mode)


@program("s_setreg_b32")
def setreg(case: Case, rng: random.Random) -> None:
    value = rng.getrandbits(32)
    set_scalar(case, 20, 1, value)
    set_mode(case, rng, value, "s_setreg_b32 {}, s20")


@program("s_setreg_imm32_b32")
def setreg_imm(case: Case, rng: random.Random) -> None:
    value = rng.getrandbits(32)
    set_mode(case, rng, value, f"s_setreg_imm32_b32 {{}}, {value:#x}")


@program("s_setvskip")
def setvskip(case: Case, rng: random.Random) -> None:
    """A set bit of the first operand, picked by the second, turns vector instructions off."""
    word, bit = rng.getrandbits(32), rng.randrange(32)
    set_scalar(case, 20, 1, word)
    vector(case, rng, "v8")
    old = vector(case, rng, "v40")
    new = masked(case, case.vectors["v8"], old)
    case.text = lines(
        f"s_setvskip s20, {bit}", "v_mov_b32_e32 v40, v8", "s_mov_b32 s21, 9", "s_setvskip 0, 0"
    )
    case.outputs.append(Output(("v40",), list(old if word >> bit & 1 else new)))
    expect(case, s21=9)


def vector(case: Case, rng: random.Random, name: str) -> list[int]:
    case.vectors[name] = [rng.getrandbits(32) for _ in range(LANES)]
    return case.vectors[name]


def masked(case: Case, new: list[int], old: list[int]) -> list[int]:
    return [n if case.exec >> i & 1 else o for i, (n, o) in enumerate(zip(new, old, strict=True))]


# ---- indexing of vector registers

SRC0, SRC1, DST = 1, 2, 8


def indexed_add(case: Case, rng: random.Random, index: int, mask: int) -> None:
    """v40 = v8 + v16, each operand moved by the index if its bit of the mask is set."""
    for first in (8, 16, 40):
        for i in range(4):
            vector(case, rng, f"v{first + i}")
    a, b, d = (
        base + (index if mask & bit else 0) for base, bit in ((8, SRC0), (16, SRC1), (40, DST))
    )
    total = [
        (x + y) & 0xFFFFFFFF
        for x, y in zip(case.vectors[f"v{a}"], case.vectors[f"v{b}"], strict=True)
    ]
    for i in range(4):
        name = f"v{40 + i}"
        old = case.vectors[name]
        case.outputs.append(Output((name,), list(masked(case, total, old) if 40 + i == d else old)))


def modes(mask: int) -> str:
    names = [n for n, bit in (("SRC0", SRC0), ("SRC1", SRC1), ("DST", DST)) if mask & bit]
    return f"gpr_idx({','.join(names)})"


def m0_with(m0: int, index: int, mask: int) -> int:
    return m0 & ~0xF0FF | index & 0xFF | mask << 12


def index_word(case: Case, rng: random.Random, register: int) -> int:
    index = rng.randrange(4)
    set_scalar(case, register, 1, rng.getrandbits(24) << 8 | index)
    return index


def mask_of(rng: random.Random) -> int:
    return rng.choice((SRC0, SRC1, DST, SRC0 | DST, SRC0 | SRC1 | DST, SRC1 | DST))


_ADD = "v_add_u32_e32 v40, v8, v16"


@program("s_set_gpr_idx_on", "s_set_gpr_idx_off")
def gpr_idx_on(case: Case, rng: random.Random) -> None:
    index, mask = index_word(case, rng, 20), mask_of(rng)
    indexed_add(case, rng, index, mask)
    after = vector(case, rng, "v60")  # untouched by an index that is off again
    case.text = lines(
        f"s_set_gpr_idx_on s20, {modes(mask)}", _ADD, "s_set_gpr_idx_off",
        "v_mov_b32_e32 v60, v8",
    )  # fmt: skip
    case.outputs.append(Output(("v60",), list(masked(case, case.vectors["v8"], after))))
    case.after["m0"] = m0_with(case.m0, index, mask)


@program("s_set_gpr_idx_idx")
def gpr_idx_idx(case: Case, rng: random.Random) -> None:
    index_word(case, rng, 20)
    index, mask = index_word(case, rng, 21), mask_of(rng)
    indexed_add(case, rng, index, mask)
    case.text = lines(
        f"s_set_gpr_idx_on s20, {modes(mask)}", "s_set_gpr_idx_idx s21", _ADD, "s_set_gpr_idx_off"
    )
    case.after["m0"] = m0_with(case.m0, index, mask)


@program("s_set_gpr_idx_mode")
def gpr_idx_mode(case: Case, rng: random.Random) -> None:
    index, mask = index_word(case, rng, 20), mask_of(rng)
    indexed_add(case, rng, index, mask)
    case.text = lines(
        f"s_set_gpr_idx_on s20, {modes(mask_of(rng))}", f"s_set_gpr_idx_mode {modes(mask)}", _ADD,
        "s_set_gpr_idx_off",
    )  # fmt: skip
    case.after["m0"] = m0_with(case.m0, index, mask)


# ---- indexing of scalar registers


@program("s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64")
def movrel(case: Case, rng: random.Random) -> None:
    mnemonic, width = case.text, 2 if case.text.endswith("64") else 1
    case.m0 = rng.randrange(0, 8, width)
    for first in (20, 40):
        for i in range(10):
            set_scalar(case, first + i, 1, rng.getrandbits(32))
    a, d = (20 + case.m0, 40) if "movrels" in mnemonic else (20, 40 + case.m0)
    last = f":{{}}{']'}"
    names = [f"s{r}" if width == 1 else f"s[{r}{last.format(r + 1)}" for r in (40, 20)]
    case.text = f"{mnemonic} {names[0]}, {names[1]}"
    for i in range(10):
        source = a + 40 + i - d if d <= 40 + i < d + width else 40 + i
        case.outputs.append(Output((f"s{40 + i}",), [case.scalars[f"s{source}"]]))
