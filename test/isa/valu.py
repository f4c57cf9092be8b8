"""Cases of vector instructions: operands, modifiers and state drawn, results from the oracles.

Everything around an operation is here, as the document has it: constants, SDWA selects, DPP
controls, op_sel, neg/abs, omod, clamp, which half of a register a 16-bit result leaves alone, EXEC.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from . import softfloat as soft
from .forms import Form
from .machine import (
    ALL,
    DEFAULT_MODE,
    LANES,
    Case,
    Expected,
    Mode,
    Output,
    expected_bits,
    fields,
)
from .ops import Lane, Op, Parts, saturated
from .oracles import OPS
from .softfloat import NAN, Format
from .values import FORMATS, float_value, value, width_of

SOURCES = ("a", "b", "c")
#: VOP3 instructions without op_sel that leave bits 31:16 alone; those with op_sel all do.
KEEPS_HIGH = {"v_mac_f16", "v_madmk_f16", "v_madak_f16"}
INLINE_FLOATS = {"0.5": 0.5, "-0.5": -0.5, "1.0": 1.0, "-1.0": -1.0, "2.0": 2.0, "-2.0": -2.0,
                 "4.0": 4.0, "-4.0": -4.0}  # fmt: skip
ONE_OVER_TWO_PI = {"f16": 0x3118, "f32": 0x3E22F983, "f64": 0x3FC45F306DC9C882}
_EXACT = {0.5: (0, 1, -1), 1.0: (0, 1, 0), 2.0: (0, 1, 1), 4.0: (0, 1, 2)}


def exec_masks(rng: random.Random) -> list[int]:
    one = 1 << rng.randrange(LANES)
    drawn = rng.getrandbits(LANES)
    return [ALL, drawn, ALL, 0x5555555555555555, one, ALL, rng.getrandbits(LANES), 0]


def draw_mode(rng: random.Random, of: Op) -> Mode:
    flags = [rng.random() < 0.5 for _ in range(2)]
    rounding = [0 if of.rounds_nearest else rng.randrange(4) for _ in range(2)]
    denorms = [3 if of.keeps_denormals else rng.randrange(4) for _ in range(2)]
    return Mode(*rounding, *denorms, *flags, ovfl=of.overflow_mode and rng.random() < 0.5)


@dataclass
class Source:
    """A source as written, and its register's (or constant's) bits in each lane."""

    role: str
    kind: str  # "f32", "b64", "v2f16" …
    text: str
    bits: list[int]
    is_vector: bool = True
    is_constant: bool = False
    neg: bool = False
    abs: bool = False
    sext: bool = False
    select: int = 6  # SDWA: bytes 0-3, words 4-5, dword
    high: bool = False  # op_sel

    def modified(self) -> str:
        if self.sext:
            return f"sext({self.text})"
        text = f"|{self.text}|" if self.abs else self.text
        if self.neg and self.is_constant and not self.abs:
            return f"neg({text})"
        return f"-{text}" if self.neg else text


@dataclass
class Draft:
    """A case while it is being drawn."""

    form: Form
    rng: random.Random
    case: Case = field(default_factory=lambda: Case(""))
    sources: dict[str, Source] = field(default_factory=dict)
    suffix: list[str] = field(default_factory=list)
    clamp: bool = False
    omod: int = 0  # 1: times 2, 2: times 4, 3: half
    op_sel: int = 0
    dst_select: int = 6
    dst_unused: int = 0
    moved: list[int | None] | None = None  # DPP: source lane, -1 for a zero, None to leave alone
    immediate: int = 0

    @property
    def modifiers(self) -> set[str]:
        found: set[str] = self.form.row.modifiers
        return found


# ---- operands


def kind_of(operand: Any) -> str:
    """An operand's type; registers without one are an integer."""
    return f"b{32 * operand.width}" if operand.type == "raw" else str(operand.type)


def register(name: str, first: int, dwords: int) -> str:
    return f"{name}{first}" if dwords == 1 else f"{name}[{first}:{first + dwords - 1}]"


def names(name: str, first: int, dwords: int) -> tuple[str, ...]:
    return tuple(f"{name}{first + i}" for i in range(dwords))


def vector_source(d: Draft, role: str, kind: str, dwords: int, first: int) -> Source:
    """64 lanes of their own; what lies above a 16-bit value is noise."""
    bits = []
    for _ in range(LANES):
        drawn = value(kind, d.rng)
        if width_of(kind) == 16:
            other = value(kind, d.rng) if "opsel" in d.modifiers else d.rng.getrandbits(16)
            drawn |= other << 16
        bits.append(drawn)
    set_vector(d.case, names("v", first, dwords), bits)
    return Source(role, kind, register("v", first, dwords), bits)


def set_vector(case: Case, registers: tuple[str, ...], bits: list[int]) -> None:
    for i, name in enumerate(registers):
        case.vectors[name] = [b >> (32 * i) & 0xFFFFFFFF for b in bits]


def scalar_source(d: Draft, role: str, kind: str, dwords: int) -> Source:
    first = {"a": 20, "b": 24, "c": 28}[role]
    bits = value(kind, d.rng)
    if width_of(kind) == 16:
        bits |= d.rng.getrandbits(16) << 16
    for i in range(dwords):
        d.case.scalars[f"s{first + i}"] = bits >> (32 * i) & 0xFFFFFFFF
    return Source(role, kind, register("s", first, dwords), [bits] * LANES, is_vector=False)


def inline_constant(d: Draft, role: str, kind: str) -> Source:
    width = width_of(kind)
    number = d.rng.choice((0, 1, -1, 2, 7, 16, 31, 32, 33, 63, 64, -16, d.rng.randint(-16, 64)))
    text, bits = str(number), number & ((1 << width) - 1)
    f = FORMATS.get(kind, FORMATS["f32"] if width == 32 else None)
    if f is not None and d.rng.random() < 0.5:
        text, bits = inline_float(d.rng, f, kind)
    return Source(role, kind, text, [bits] * LANES, is_vector=False, is_constant=True)


def inline_float(rng: random.Random, f: Format, kind: str) -> tuple[str, int]:
    text = rng.choice([*INLINE_FLOATS, "0.15915494309189532"])
    if text not in INLINE_FLOATS:
        return text, ONE_OVER_TWO_PI[f.name]
    number = INLINE_FLOATS[text]
    bits = soft.rounded(f, _EXACT[abs(number)], soft.EXACT)
    return text, bits | (f.sign if number < 0 else 0)


def literal(d: Draft, role: str, kind: str) -> Source:
    """32 bits; a 16-bit operand takes the low ones, f64 has them above 32 zeros."""
    width = width_of(kind)
    if width == 64:
        bits = d.rng.getrandbits(31) | 1 << 30
        text = hex(bits)
        bits = bits << 32 if kind == "f64" else bits
    else:
        bits = value(kind, d.rng) | 1 << (width - 2) | 0x80  # no inline constant
        bits ^= 0x100 if bits >> (width - 1) else 0
        text = hex(bits)
    return Source(role, kind, text, [bits] * LANES, is_vector=False, is_constant=True)


def draw_sources(d: Draft, index: int) -> None:
    """At most one scalar register or literal, the latter only in the short encodings."""
    row, base = d.form.row, d.form.base
    reads_mask = "rvcc" in row.flags or any(o.role == "mask" for o in row.operands)
    scalars, literals = (0 if reads_mask else 1), (1 if base in ("VOP1", "VOP2", "VOPC") else 0)
    if any(o.role == "k" for o in row.operands):
        scalars = 0
    sdwa, dpp = d.form.encoding.endswith("_SDWA"), d.form.encoding.endswith("_DPP")
    for number, operand in enumerate(o for o in row.operands if o.role in SOURCES):
        first = 8 + 8 * number
        choice = d.rng.random() if index and operand.kind == "Src" and not dpp else 0.0
        if sdwa:
            choice = 0.45 if choice > 0.75 else 0.0
        source = None
        if 0.4 < choice < 0.6 and scalars:
            source, scalars = scalar_source(d, operand.role, operand.type, operand.width), 0
        elif 0.6 <= choice < 0.85 and operand.type[:2] != "v2" and operand.type != "bf16":
            source = inline_constant(d, operand.role, operand.type)
        elif (
            choice >= 0.85
            and literals
            and scalars
            and operand.type[:2] != "v2"
            and operand.type != "bf16"
        ):
            source, literals = literal(d, operand.role, operand.type), 0
            scalars = 0
        if operand.role == "a" and d.form.mnemonic.startswith("v_div_scale"):
            continue
        if source is None:
            source = vector_source(d, operand.role, kind_of(operand), operand.width, first)
        d.sources[operand.role] = source
    if d.form.mnemonic.startswith("v_div_scale"):  # the first source is one of the others
        other = d.sources["bc"[index % 2]]
        d.sources = {"a": replace(other, role="a"), **d.sources}


# ---- modifiers


def is_float(kind: str) -> bool:
    return kind.removeprefix("v2") in FORMATS


def draw_modifiers(d: Draft, index: int) -> None:
    long = d.form.encoding in ("VOP3", "VOP3P")
    sdwa, dpp = d.form.encoding.endswith("_SDWA"), d.form.encoding.endswith("_DPP")
    if index and (long or sdwa or dpp):
        for source in d.sources.values():
            if is_float(source.kind):
                source.neg = "neg" in d.modifiers and d.rng.random() < 0.4
                source.abs = "abs" in d.modifiers and d.rng.random() < 0.3
    if d.form.mnemonic.startswith("v_div_scale"):
        d.sources["a"].neg = d.sources["bc"[index % 2]].neg
    if (
        index
        and (long or sdwa)
        and not OPS[d.form.mnemonic].plain
        and d.form.encoding != "VOPC_SDWA"
    ):
        d.clamp = "clamp" in d.modifiers and d.rng.random() < 0.4
        if "omod" in d.modifiers and d.rng.random() < 0.5:
            d.omod = d.rng.randrange(1, 4)
    if index and long and "opsel" in d.modifiers:
        draw_op_sel(d)
    d.suffix += ["clamp"] if d.clamp else []
    d.suffix += [("mul:2", "mul:4", "div:2")[d.omod - 1]] if d.omod else []
    if sdwa:
        draw_sdwa(d, index)
    if dpp:
        draw_dpp(d, index)


def draw_op_sel(d: Draft) -> None:
    count = len(d.sources)
    for i, source in enumerate(d.sources.values()):
        if width_of(source.kind) == 16 and source.is_vector and d.rng.random() < 0.5:
            source.high, d.op_sel = True, d.op_sel | 1 << i
    if width_of(d.form.operand("d").type) == 16 and d.rng.random() < 0.5:
        d.op_sel |= 8
    bits = [d.op_sel >> i & 1 for i in range(count)] + [d.op_sel >> 3]
    if d.op_sel:
        d.suffix.append(f"op_sel:[{','.join(map(str, bits))}]")


SELECTS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")


def draw_sdwa(d: Draft, index: int) -> None:
    if d.form.base != "VOPC" and "sdwasrc" not in d.modifiers:
        d.dst_select, d.dst_unused = (d.rng.randrange(7), d.rng.randrange(3)) if index else (6, 0)
        d.suffix += [f"dst_sel:{SELECTS[d.dst_select]}", f"dst_unused:{UNUSED[d.dst_unused]}"]
    for i, source in enumerate(d.sources.values()):
        source.select = d.rng.randrange(7)
        if "sdwasrc" in d.modifiers:  # the byte or word that is converted
            source.select = d.rng.choice((4, 5) if "_pk_" in d.form.mnemonic else (0, 1, 2, 3))
        d.suffix.append(f"src{i}_sel:{SELECTS[source.select]}")
        may_extend = not is_float(source.kind) and "sdwasrc" not in d.modifiers
        source.sext = may_extend and d.rng.random() < 0.4


DPP_CONTROLS: list[tuple[str, Callable[[int], int | None]]] = [
    *[(f"row_shl:{n}", lambda i, n=n: i + n if i % 16 + n < 16 else None) for n in (1, 3, 15)],
    *[(f"row_shr:{n}", lambda i, n=n: i - n if i % 16 >= n else None) for n in (1, 4, 15)],
    *[(f"row_ror:{n}", lambda i, n=n: i // 16 * 16 + (i - n) % 16) for n in (1, 7, 15)],
    ("wave_shl:1", lambda i: i + 1 if i < 63 else None),
    ("wave_rol:1", lambda i: (i + 1) % 64),
    ("wave_shr:1", lambda i: i - 1 if i else None),
    ("wave_ror:1", lambda i: (i - 1) % 64),
    ("row_mirror", lambda i: i ^ 15),
    ("row_half_mirror", lambda i: i ^ 7),
    ("row_bcast:15", lambda i: i // 16 * 16 - 1 if i >= 16 else None),
    ("row_bcast:31", lambda i: 31 if i >= 32 else None),
    *[(f"row_newbcast:{n}", lambda i, n=n: i // 16 * 16 + n) for n in (0, 6, 15)],
]


def draw_dpp(d: Draft, index: int) -> None:
    wide = any(o.width == 2 and o.kind != "Mask" for o in d.form.row.operands)
    text, source_of = DPP_CONTROLS[(index * 5 + d.rng.randrange(5)) % len(DPP_CONTROLS)]
    if wide:
        text, source_of = d.rng.choice(DPP_CONTROLS[-3:])
    elif index % 4 == 0:
        perm = [d.rng.randrange(4) for _ in range(4)]
        text = f"quad_perm:[{','.join(map(str, perm))}]"
        source_of = lambda i: i // 4 * 4 + perm[i % 4]  # noqa: E731
    rows, banks = (15, 15) if index < 3 else (d.rng.randrange(16), d.rng.choice((15, 5, 15, 12)))
    zero = d.rng.random() < 0.5
    d.suffix += [text, f"row_mask:{rows:#x}", f"bank_mask:{banks:#x}"]
    d.suffix += ["bound_ctrl:1"] if zero else []
    d.moved = []
    for lane in range(LANES):
        source = source_of(lane)
        if source is not None and not d.case.exec >> source & 1:
            source = None
        if source is None:
            source = -1 if zero else None
        enabled = rows >> (lane // 16) & 1 and banks >> (lane % 16 // 4) & 1
        d.moved.append(source if enabled else None)


# ---- what a lane reads and writes


def fetched(d: Draft, source: Source, lane: int) -> int:
    """The bits that the operation sees."""
    bits = source.bits[lane]
    if d.moved is not None and source.role == "a":
        moved = d.moved[lane]
        assert moved is not None
        bits = 0 if moved < 0 else source.bits[moved]
    width = width_of(source.kind)
    if d.form.encoding.endswith("_SDWA"):
        bits = selected(bits, source.select, source.sext)
    if source.high:
        bits >>= 16
    bits &= (1 << width) - 1
    if d.form.mnemonic.startswith("v_dot2c_f32"):  # the guide: abs is neg of the high half
        return bits ^ source.neg << 15 ^ source.abs << 31
    return signs(bits, source.kind, source.neg, source.abs)


def selected(bits: int, select: int, sext: bool) -> int:
    shift, width = select_field(select)
    bits = bits >> shift & ((1 << width) - 1)
    if sext and bits >> (width - 1):
        bits -= 1 << width
    return bits & 0xFFFFFFFF


def select_field(select: int) -> tuple[int, int]:
    """(first bit, bits) of an SDWA select."""
    if select == 6:
        return 0, 32
    return (8 * select, 8) if select < 4 else (16 * (select - 4), 16)


def signs(bits: int, kind: str, neg: bool, abs_: bool) -> int:
    """abs first, then neg; both halves of a packed value."""
    if not (neg or abs_):
        return bits
    f = FORMATS[kind.removeprefix("v2")]
    for shift in (0, f.width) if kind.startswith("v2") else (0,):
        bits &= ~(f.sign << shift) if abs_ else -1
        bits ^= f.sign << shift if neg else 0
    return bits


def finished(d: Draft, result: Any, kind: str, clamp_kind: str | None) -> Any:
    """omod and clamp on a result; integers wrap."""
    f = FORMATS.get(kind)
    if isinstance(result, Parts):
        parts = ((shift, part, finished(d, bits, part, None)) for shift, part, bits in result.parts)
        return Parts(tuple(parts))
    if result is soft.ANY or callable(result):
        return result
    if isinstance(result, tuple):
        return tuple(finished(d, one, kind, clamp_kind) for one in result)
    if f is not None:
        return float_clamped(d, f, with_omod(d, f, result))
    kind = clamp_kind or kind
    if d.clamp and kind[0] in "iu":
        result = saturated(result, kind)
    return result & ((1 << width_of(kind)) - 1)


def with_omod(d: Draft, f: Format, result: Any) -> Any:
    """Only with output denormals off and IEEE off; it leaves no -0."""
    env = d.case.mode.env(f)
    if not d.omod or env.keep_out or d.case.mode.ieee or result is NAN:
        return result
    if soft.is_nan(f, result):
        return NAN
    if soft.is_zero(f, result):
        return 0
    if soft.is_infinite(f, result):
        return result
    sign, m, e = soft.value(f, result)
    return soft.rounded(f, (sign, m, e + (0, 1, 2, -1)[d.omod]), env)


def float_clamped(d: Draft, f: Format, result: Any) -> Any:
    if not d.clamp:
        return result
    if result is NAN or soft.is_nan(f, result):
        return 0 if d.case.mode.dx10 else NAN  # which one is open
    if soft.negative(f, result):
        return 0
    return min(result, f.one)


def merged(d: Draft, result: Any, kind: str, old: int) -> Expected:
    """The destination's register after a write of the result."""
    if isinstance(result, Parts):
        return fields(
            [
                (shift, width_of(part), expected_bits(bits, FORMATS.get(part), d.case.mode))
                for shift, part, bits in result.parts
            ]
        )
    bits = expected_bits(result, FORMATS.get(kind), d.case.mode)
    width = width_of(kind)
    if d.form.encoding.endswith("_SDWA") and "sdwasrc" not in d.modifiers:
        return sdwa_merged(d, bits, width, old)
    if width != 16:
        return bits
    if "opsel" not in d.modifiers and d.form.mnemonic not in KEEPS_HIGH:
        return fields([(0, 16, bits), (16, 16, 0)])
    if d.op_sel & 8:
        return fields([(0, 16, old & 0xFFFF), (16, 16, bits)])
    return fields([(0, 16, bits), (16, 16, old >> 16)])


def sdwa_merged(d: Draft, bits: Expected, width: int, old: int) -> Expected:
    shift, count = select_field(d.dst_select)
    if not isinstance(bits, int):  # one of several: kept whole only if it fits
        if count < width:
            return lambda _: True
        rest = old if d.dst_unused == 2 else 0
        if d.dst_unused == 1 and count < 32:
            return lambda _: True
        above = rest >> (shift + width) if count == width else 0
        parts: list[tuple[int, int, Expected]] = [(shift, width, bits)]
        parts += [(0, shift, rest & ((1 << shift) - 1))] if shift else []
        parts += [(shift + width, 32 - shift - width, above)] if shift + width < 32 else []
        return fields(parts)
    bits &= (1 << count) - 1
    if d.dst_unused == 2:
        return old & ~(((1 << count) - 1) << shift) & 0xFFFFFFFF | bits << shift
    if d.dst_unused == 1 and bits >> (count - 1):
        bits -= 1 << count
    return bits << shift & 0xFFFFFFFF


# ---- a whole case


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    """One case of a form; the first of each has plain operands and modifiers."""
    d = Draft(form, rng)
    d.case.exec = exec_masks(rng)[index % 8]
    d.case.vcc, d.case.scc = rng.getrandbits(64), rng.getrandbits(1)
    uses_floats = any(is_float(o.type) for o in form.row.operands)
    d.case.mode = draw_mode(rng, OPS[form.mnemonic]) if index > 1 and uses_floats else DEFAULT_MODE
    if form.base == "VOP3" and form.operand("mask") is not None:
        d.case.scalars |= {"s34": rng.getrandbits(32), "s35": rng.getrandbits(32)}
    draw_sources(d, index)
    draw_modifiers(d, index)
    immediate = form.operand("k")
    if immediate is not None:
        d.immediate = value(immediate.type, rng)
    if form.mnemonic.startswith("v_bitop3"):
        d.immediate = rng.getrandbits(8)
        d.suffix.insert(0, f"bitop3:{d.immediate:#x}")
    write(d, index)
    return d.case


def write(d: Draft, index: int) -> None:
    """Destinations, expected results and the text."""
    operand = d.form.operand("d")
    if operand.kind == "Mask":
        result_mask(d, "d")
        return
    old = [d.rng.getrandbits(32 * operand.width) for _ in range(LANES)]
    first = 48
    overwritten = d.sources[SOURCES[index % len(d.sources)]] if d.sources else None
    if index % 4 == 3 and overwritten and overwritten.text[0] == "v":
        if width_of(overwritten.kind) <= 32 * operand.width and operand.width < 3:
            first = int(overwritten.text.strip("v[").split(":")[0])
            old = [b | o >> 32 << 32 if width_of(overwritten.kind) <= 32 and operand.width == 2
                   else b for b, o in zip(overwritten.bits, old, strict=True)]  # fmt: skip
    registers = names("v", first, operand.width)
    set_vector(d.case, registers, old)
    if d.form.operand("d2") is not None:
        expected = result_mask(d, "d2", old)
    else:
        expected = [lane_result(d, lane, old[lane]) for lane in range(LANES)]
    d.case.outputs.append(Output(registers, expected))
    d.case.text = text_of(d, register("v", first, operand.width))


def is_written(d: Draft, lane: int) -> bool:
    return bool(d.case.exec >> lane & 1) and (d.moved is None or d.moved[lane] is not None)


def mask_bits(d: Draft) -> int:
    """The lane mask that the instruction reads: VCC, or an SGPR pair in VOP3."""
    if d.form.base == "VOP3" and d.form.operand("mask") is not None:
        return d.case.scalars["s34"] | d.case.scalars["s35"] << 32
    return d.case.vcc


def computed(d: Draft, lane: int, old: int) -> Any:
    """What the oracle says, before omod and clamp."""
    row = d.form.row
    x = Lane(d.form.target, d.case.mode, lane, old, 0, d.op_sel, d.immediate)
    if d.form.operand("mask") is not None or "rvcc" in row.flags:
        x.carry = mask_bits(d) >> lane & 1
    sources = [
        d.immediate if o.role == "k" else fetched(d, d.sources[o.role], lane)
        for o in row.operands
        if o.role in (*SOURCES, "k")
    ]
    return OPS[d.form.mnemonic].function(x, *sources)


def lane_result(d: Draft, lane: int, old: int) -> Expected:
    if not is_written(d, lane):
        return old
    kind = kind_of(d.form.operand("d"))
    return merged(d, finished(d, computed(d, lane, old), kind, clamp_of(d)), kind, old)


def clamp_of(d: Draft) -> str | None:
    return OPS[d.form.mnemonic].clamp


def result_mask(d: Draft, role: str, old: list[int] | None = None) -> list[Expected]:
    """A lane mask as a result (role d), or beside one (d2); lanes that don't take part give 0."""
    mask, kind = 0, d.form.operand("d").type
    expected: list[Expected] = []
    for lane in range(LANES):
        before = old[lane] if old else 0
        if not is_written(d, lane):
            expected.append(before)
            continue
        result = computed(d, lane, before)
        value_, bit = result if old else (0, result)
        mask |= int(bool(bit)) << lane
        if old:
            expected.append(merged(d, finished(d, value_, kind, clamp_of(d)), kind, before))
    in_vcc = d.form.base == "VOPC" and not d.form.encoding.endswith("_SDWA")
    in_vcc = in_vcc or d.form.base == "VOP2" or d.rng.random() < 0.25
    if "wexec" in d.form.row.flags:
        d.case.after["exec"] = mask
    if in_vcc:
        d.case.after["vcc"] = mask
    else:
        d.case.scalars |= {"s36": 0x12345678, "s37": 0x9ABCDEF0}
        d.case.outputs.append(Output(("s36", "s37"), [mask]))
    place = "vcc" if in_vcc else "s[36:37]"
    if role == "d":
        d.case.text = text_of(d, place)
    else:
        d.suffix.append("\0" + place)  # text_of puts it behind the destination
    return expected


def text_of(d: Draft, destination: str) -> str:
    mask = next((s[1:] for s in d.suffix if s.startswith("\0")), None)
    operands = []
    for operand in d.form.row.operands:
        if operand.role == "d":
            operands.append(destination)
        elif operand.role == "d2":
            operands.append(str(mask))
        elif operand.role == "mask":
            operands.append("s[34:35]" if d.form.base == "VOP3" else "vcc")
        elif operand.role == "k":
            operands.append(hex(d.immediate))
        else:
            operands.append(d.sources[operand.role].modified())
    suffix = " ".join(s for s in d.suffix if not s.startswith("\0"))
    return f"{d.form.assembly_name} {', '.join(operands)} {suffix}".strip()


def draw_float(kind: str, rng: random.Random) -> int:
    return float_value(FORMATS[kind], rng)
