"""Cases of scalar instructions: operands, constants and state drawn, results from the oracles."""

from __future__ import annotations

import random

from .forms import Form
from .machine import Case, Output
from .ops_scalar import NOTHING, SCALAR, Scalar
from .values import integer_value, value

NAMES = {"a": 20, "b": 24, "d": 28}
#: Inline constants of 32-bit and 64-bit operands: f32 and f64 patterns.
FLOATS = {"0.5": (0x3F000000, 0x3FE0000000000000), "-4.0": (0xC0800000, 0xC010000000000000),
          "1.0": (0x3F800000, 0x3FF0000000000000)}  # fmt: skip


def pair(first: int, width: int) -> str:
    return f"s{first}" if width == 1 else f"s[{first}:{first + 1}]"


def set_scalar(case: Case, first: int, width: int, bits: int) -> None:
    for i in range(width):
        case.scalars[f"s{first + i}"] = bits >> (32 * i) & 0xFFFFFFFF


def draw_source(
    case: Case, form: Form, operand: object, rng: random.Random, plain: bool
) -> tuple[str, int]:
    """(text, bits): a register, VCC, EXEC, M0, SCC, an inline constant or a literal."""
    role, kind, width = operand.role, operand.type, operand.width  # type: ignore[attr-defined]
    mask = (1 << 32 * width) - 1
    choice = 0.0 if plain or operand.kind != "SSrc" else rng.random()  # type: ignore[attr-defined]
    if choice > 0.85 and "literal" not in form_state(case):
        case.scalars["literal"] = 1
        bits = rng.getrandbits(31) | 1 << 20
        return hex(bits), bits
    if choice > 0.65:
        number = rng.choice((0, 1, -1, 31, 32, 63, 64, -16, rng.randint(-16, 64)))
        if rng.random() < 0.2:
            text = rng.choice([*FLOATS])
            return text, FLOATS[text][width - 1]
        return str(number), number & mask
    if choice > 0.5:
        special = {"vcc_lo": case.vcc & 0xFFFFFFFF, "exec_hi": case.exec >> 32, "m0": case.m0,
                   "src_scc": case.scc, "vcc_hi": case.vcc >> 32}  # fmt: skip
        if width == 2:
            special = {"vcc": case.vcc, "exec": case.exec}
        text = rng.choice([*special])
        return text, special[text]
    bits = integer_value(32 * width, rng) if kind.startswith(("b", "i", "u")) else value(kind, rng)
    if form.mnemonic.startswith("s_bfe") and role == "b":
        bits = rng.randrange(64) | rng.choice((0, 1, 5, 16, 32, 33, 64, 127)) << 16
    set_scalar(case, NAMES[role], width, bits)
    return pair(NAMES[role], width), bits


def form_state(case: Case) -> set[str]:
    return {"literal"} & set(case.scalars)


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    if form.mnemonic in NOTHING:
        return quiet_case(form, rng)
    case = base_case(rng)
    sources, texts = [], {}
    for operand in form.row.operands:
        if operand.role in ("a", "b"):
            texts[operand.role], bits = draw_source(case, form, operand, rng, index == 0)
            sources.append(bits)
    case.scalars.pop("literal", None)
    destination = form.operand("d")
    old, place = 0, None
    if destination is not None:
        place = draw_destination(case, form, rng, destination.width, index, texts)
        old = read_pair(case, place, destination.width)
    simm = integer_value(16, rng)
    state = Scalar(case.scc, case.exec, old, simm)
    result, scc = SCALAR[form.mnemonic](state, *sources)
    case.after = dict(state.after)
    if scc is not None:
        case.after["scc"] = scc
    if place is not None:
        assert result is not None
        write_pair(case, place, destination.width, result)
        texts["d"] = place if place == "vcc" else pair(int(place[1:]), destination.width)
    operands = [str(simm) if o.role == "imm" else texts[o.role] for o in form.row.operands]
    case.text = f"{form.assembly_name} {', '.join(operands)}"
    return case


def base_case(rng: random.Random) -> Case:
    exec_ = rng.choice((rng.getrandbits(64), (1 << 64) - 1, 0, 1 << rng.randrange(64)))
    case = Case("", exec=exec_, vcc=rng.getrandbits(64), scc=rng.getrandbits(1))
    case.m0 = rng.getrandbits(32)
    return case


def quiet_case(form: Form, rng: random.Random) -> Case:
    """Nothing changes: not the registers either that are shown here."""
    case = base_case(rng)
    set_scalar(case, 20, 2, rng.getrandbits(64))
    case.outputs = [Output(("s20", "s21"), [case.scalars["s20"] | case.scalars["s21"] << 32])]
    case.text = form.assembly_name + NOTHING[form.mnemonic](rng)
    return case


def draw_destination(
    case: Case, form: Form, rng: random.Random, width: int, index: int, texts: dict[str, str]
) -> str:
    """A register of its own, that of a source, or VCC."""
    same = [t for t in texts.values() if t[0] == "s" and t[1] != "r" and (":" in t) == (width == 2)]
    if index % 4 == 3 and same:
        return "s" + same[0].strip("s[").split(":")[0].rstrip("]")
    if width == 2 and index % 5 == 4:
        return "vcc"
    set_scalar(case, NAMES["d"], width, rng.getrandbits(32 * width))
    return f"s{NAMES['d']}"


def read_pair(case: Case, place: str, width: int) -> int:
    if place == "vcc":
        return case.vcc
    first = int(place[1:])
    return sum(case.scalars[f"s{first + i}"] << 32 * i for i in range(width))


def write_pair(case: Case, place: str, width: int, result: int) -> None:
    if place == "vcc":
        case.after["vcc"] = result
    else:
        first = int(place[1:])
        case.outputs.append(Output(tuple(f"s{first + i}" for i in range(width)), [result]))
