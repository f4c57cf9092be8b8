"""Cases of instructions that move data between lanes or register files, or touch none."""

from __future__ import annotations

import random
from collections.abc import Callable

from .forms import Form
from .machine import LANES, Case, Expected, Output
from .memory import draw_state
from .valu import set_vector
from .values import integer_value

Draw = Callable[[Case, Form, random.Random], None]
DRAWS: dict[str, Draw] = {}


def draws(*names: str) -> Callable[[Draw], Draw]:
    def register(function: Draw) -> Draw:
        for name in names:
            DRAWS[name] = function
        return function

    return register


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    case = Case("")
    draw_state(case, rng, index)
    case.m0 = rng.getrandbits(32)
    DRAWS[form.mnemonic](case, form, rng)
    return case


def vector(case: Case, rng: random.Random, name: str) -> list[int]:
    lanes = [integer_value(32, rng) for _ in range(LANES)]
    set_vector(case, (name,), lanes)
    return lanes


def expect(case: Case, name: str, new: list[int], old: list[int]) -> None:
    """The new value in active lanes."""
    lanes: list[Expected] = [
        n if case.exec >> i & 1 else o for i, (n, o) in enumerate(zip(new, old, strict=True))
    ]
    case.outputs.append(Output((name,), lanes))


def lane_select(case: Case, rng: random.Random) -> tuple[str, int]:
    """A lane number as written; numbers beyond 63 wrap."""
    number = rng.choice((rng.randrange(64), rng.randrange(64), rng.getrandbits(32)))
    choice = rng.randrange(3)
    if choice == 0:
        number = rng.randrange(65)
        return str(number), number % 64
    if choice == 1:
        case.m0 = number
        return "m0", number % 64
    case.scalars["s20"] = number
    return "s20", number % 64


@draws("v_readlane_b32")
def readlane(case: Case, form: Form, rng: random.Random) -> None:
    data = vector(case, rng, "v8")
    text, lane = lane_select(case, rng)
    case.text = f"v_readlane_b32 s30, v8, {text}"
    case.outputs.append(Output(("s30",), [data[lane]]))


@draws("v_readfirstlane_b32")
def readfirstlane(case: Case, form: Form, rng: random.Random) -> None:
    data = vector(case, rng, "v8")
    lane = (case.exec & -case.exec).bit_length() - 1 if case.exec else 0
    case.text = "v_readfirstlane_b32 s30, v8"
    case.outputs.append(Output(("s30",), [data[lane]]))


@draws("v_writelane_b32")
def writelane(case: Case, form: Form, rng: random.Random) -> None:
    """One lane, whatever EXEC says; a literal does not exist here."""
    old = vector(case, rng, "v48")
    text, lane = lane_select(case, rng)
    number = rng.randint(-16, 64)
    source, value = str(number), number & 0xFFFFFFFF
    if text.isdigit() and rng.random() < 0.7:  # at most one scalar register
        source, value = "s24", rng.getrandbits(32)
        case.scalars["s24"] = value
    case.text = f"v_writelane_b32 v48, {source}, {text}"
    case.outputs.append(Output(("v48",), [*old[:lane], value, *old[lane + 1 :]]))


@draws("v_swap_b32")
def swap(case: Case, form: Form, rng: random.Random) -> None:
    a, b = vector(case, rng, "v8"), vector(case, rng, "v48")
    case.text = "v_swap_b32 v48, v8"
    expect(case, "v48", a, b)
    expect(case, "v8", b, a)


@draws("v_permlane16_swap_b32", "v_permlane32_swap_b32")
def permlane_swap(case: Case, form: Form, rng: random.Random) -> None:
    """The upper rows of the first register and the lower ones of the second change places.

    With lanes turned off this is not documented, so all are on."""
    case.exec = (1 << LANES) - 1
    size = 16 if "16" in form.mnemonic else 32
    d, s = vector(case, rng, "v48"), vector(case, rng, "v8")
    new_d = [s[i - size] if i & size else d[i] for i in range(LANES)]
    new_s = [s[i] if i & size else d[i + size] for i in range(LANES)]
    case.text = f"{form.assembly_name} v48, v8"
    expect(case, "v48", new_d, d)
    expect(case, "v8", new_s, s)


@draws("v_accvgpr_read_b32")
def accvgpr_read(case: Case, form: Form, rng: random.Random) -> None:
    a, old = vector(case, rng, "a8"), vector(case, rng, "v48")
    case.text = "v_accvgpr_read_b32 v48, a8"
    expect(case, "v48", a, old)


@draws("v_accvgpr_write_b32")
def accvgpr_write(case: Case, form: Form, rng: random.Random) -> None:
    a, old = vector(case, rng, "v8"), vector(case, rng, "a48")
    source = "v8"
    if rng.random() < 0.3:
        number = rng.randint(-16, 64)
        source, a = str(number), [number & 0xFFFFFFFF] * LANES
    case.text = f"v_accvgpr_write_b32 a48, {source}"
    expect(case, "a48", a, old)


@draws("v_accvgpr_mov_b32")
def accvgpr_mov(case: Case, form: Form, rng: random.Random) -> None:
    a, old = vector(case, rng, "a8"), vector(case, rng, "a48")
    case.text = "v_accvgpr_mov_b32 a48, a8"
    expect(case, "a48", a, old)


@draws("v_nop", "v_clrexcp")
def nothing(case: Case, form: Form, rng: random.Random) -> None:
    a = vector(case, rng, "v8")
    case.text = form.mnemonic
    case.outputs.append(Output(("v8",), list(a)))
