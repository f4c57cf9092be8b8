"""Cases of packed arithmetic, dot products and mixed-precision fma (VOP3P)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import softfloat as soft
from .forms import Form
from .machine import (
    DEFAULT_MODE,
    LANES,
    Case,
    Expected,
    Mode,
    Output,
    expected_bits,
    fields,
    holds,
)
from .ops import Lane, saturated, signed
from .ops_float import dot2, extreme_of, propagating
from .ops_integer import dot
from .softfloat import BF16, F16, F32, NAN, Bits, Env, Format
from .valu import exec_masks, inline_float, names, register, set_vector
from .values import FORMATS, value, width_of

M16 = 0xFFFF


def flush(x: Lane, f: Format, *sources: int) -> tuple[int, ...]:
    return tuple(soft.flushed(f, s, x.env(f).keep_in) for s in sources)


def _s(value_: int) -> int:
    return signed(value_, 16)


#: One half of a packed result; integers are exact, for the clamp.
HALVES: dict[str, tuple[Callable[..., Any], str]] = {
    "v_pk_mad_i16": (lambda x, a, b, c: _s(a) * _s(b) + _s(c), "i16"),
    "v_pk_mad_u16": (lambda x, a, b, c: a * b + c, "u16"),
    "v_pk_mul_lo_u16": (lambda x, a, b: a * b, "u16"),
    "v_pk_add_i16": (lambda x, a, b: _s(a) + _s(b), "i16"),
    "v_pk_sub_i16": (lambda x, a, b: _s(a) - _s(b), "i16"),
    "v_pk_add_u16": (lambda x, a, b: a + b, "u16"),
    "v_pk_sub_u16": (lambda x, a, b: a - b, "u16"),
    "v_pk_min_i16": (lambda x, a, b: min(_s(a), _s(b)), "i16"),
    "v_pk_max_i16": (lambda x, a, b: max(_s(a), _s(b)), "i16"),
    "v_pk_min_u16": (lambda x, a, b: min(a, b), "u16"),
    "v_pk_max_u16": (lambda x, a, b: max(a, b), "u16"),
    "v_pk_lshlrev_b16": (lambda x, a, b: b << (a & 15), ""),
    "v_pk_lshrrev_b16": (lambda x, a, b: b >> (a & 15), ""),
    "v_pk_ashrrev_i16": (lambda x, a, b: _s(b) >> (a & 15), ""),
    "v_pk_add_f16": (lambda x, a, b: soft.add(F16, a, b, x.env(F16)), "f16"),
    "v_pk_mul_f16": (lambda x, a, b: soft.mul(F16, a, b, x.env(F16)), "f16"),
    "v_pk_fma_f16": (lambda x, a, b, c: soft.fma(F16, a, b, c, x.env(F16)), "f16"),
    "v_pk_min_f16": (lambda x, *s: extreme_of(x, F16, s, False), "f16"),
    "v_pk_max_f16": (lambda x, *s: extreme_of(x, F16, s, True), "f16"),
    "v_pk_minimum3_f16": (lambda x, *s: propagating(x, F16, s, False), "f16"),
    "v_pk_maximum3_f16": (lambda x, *s: propagating(x, F16, s, True), "f16"),
    "v_pk_add_f32": (lambda x, a, b: soft.add(F32, a, b, x.env(F32)), "f32"),
    "v_pk_mul_f32": (lambda x, a, b: soft.mul(F32, a, b, x.env(F32)), "f32"),
    "v_pk_fma_f32": (lambda x, a, b, c: soft.fma(F32, a, b, c, x.env(F32)), "f32"),
}


@dataclass
class Draft:
    """Sources as 64 lanes of bits, and the selecting bits of the instruction."""

    form: Form
    rng: random.Random
    case: Case = field(default_factory=lambda: Case(""))
    texts: list[str] = field(default_factory=list)
    lanes: list[list[int]] = field(default_factory=list)
    sel: list[int] = field(default_factory=list)
    sel_hi: list[int] = field(default_factory=list)
    neg: list[int] = field(default_factory=list)
    neg_hi: list[int] = field(default_factory=list)
    halved: list[int] = field(default_factory=list)  # sources without a documented high dword
    clamp: bool = False

    @property
    def is_mixed(self) -> bool:
        return self.form.mnemonic.startswith("v_fma_mix")

    def operands(self) -> list[str]:
        """Sources as written: mixed instructions have signs there, packed ones in the suffix."""
        if not self.is_mixed:
            return self.texts
        texts = [f"|{t}|" if a else t for t, a in zip(self.texts, self.neg_hi, strict=True)]
        return [f"-{t}" if n else t for t, n in zip(texts, self.neg, strict=True)]

    def suffix(self) -> str:
        lists = [("op_sel", self.sel, 0), ("op_sel_hi", self.sel_hi, int(not self.is_mixed))]
        if not self.is_mixed:
            lists += [("neg_lo", self.neg, 0), ("neg_hi", self.neg_hi, 0)]
        parts = [
            f" {name}:[{','.join(map(str, bits))}]"
            for name, bits, usual in lists
            if any(b != usual for b in bits)
        ]
        return "".join(parts) + (" clamp" if self.clamp else "")


def has_oracle(form: Form) -> bool:
    return form.encoding == "VOP3P" and (form.mnemonic in HALVES or form.mnemonic in SPECIAL)


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    d = Draft(form, rng)
    d.case.exec = exec_masks(rng)[index % 8]
    d.case.vcc, d.case.scc = rng.getrandbits(64), rng.getrandbits(1)
    draw_sources(d, index)
    draw_bits(d, index)
    uses_floats = any("f" in o.type for o in form.row.operands)
    d.case.mode = draw_mode(rng) if index > 1 and uses_floats else DEFAULT_MODE
    width = form.operand("d").width
    old = [rng.getrandbits(32 * width) for _ in range(LANES)]
    registers = names("v", 48, width)
    set_vector(d.case, registers, old)
    expected: list[Expected] = [
        lane_result(d, lane, old[lane]) if d.case.exec >> lane & 1 else old[lane]
        for lane in range(LANES)
    ]
    d.case.outputs.append(Output(registers, expected))
    operands = [register("v", 48, width), *d.operands()]
    d.case.text = f"{form.assembly_name} {', '.join(operands)}{d.suffix()}"
    return d.case


def draw_mode(rng: random.Random) -> Mode:
    draw = [rng.randrange(4) for _ in range(4)]
    return Mode(*draw, dx10=rng.random() < 0.5, ieee=rng.random() < 0.5)


def draw_sources(d: Draft, index: int) -> None:
    scalars = 1
    sources = [o for o in d.form.row.operands if o.role in "abc"]
    for number, operand in enumerate(sources):
        choice = d.rng.random() if index else 0.0
        if 0.6 < choice < 0.8 and scalars:
            scalars = 0
            bits = value(operand.type, d.rng)
            first = 20 + 4 * number
            for i in range(operand.width):
                d.case.scalars[f"s{first + i}"] = bits >> (32 * i) & 0xFFFFFFFF
            d.texts.append(register("s", first, operand.width))
            d.lanes.append([bits] * LANES)
        elif choice >= 0.8 and constant(d, operand.type):
            if operand.type == "v2f32":
                d.halved.append(number)
        else:
            lanes = [value(operand.type, d.rng) for _ in range(LANES)]
            set_vector(d.case, names("v", 8 + 8 * number, operand.width), lanes)
            d.texts.append(register("v", 8 + 8 * number, operand.width))
            d.lanes.append(lanes)


def constant(d: Draft, kind: str) -> bool:
    """An inline constant: 32 bits of an integer, or a pattern in the low half of a packed pair."""
    if "bf16" in kind or d.is_mixed:
        return False
    part = kind.removeprefix("v2")
    if part in ("f16", "f32") and d.rng.random() < 0.6:
        text, bits = inline_float(d.rng, FORMATS[part], part)
    else:
        number = d.rng.randint(-16, 64)
        text, bits = str(number), number & 0xFFFFFFFF
    d.texts.append(text)
    d.lanes.append([bits] * LANES)
    return True


def draw_bits(d: Draft, index: int) -> None:
    count, modifiers, rng = len(d.texts), d.form.row.modifiers, d.rng
    d.sel, d.sel_hi, d.neg, d.neg_hi = [0] * count, [1] * count, [0] * count, [0] * count
    mixed = d.is_mixed
    if mixed:
        d.sel_hi = [0] * count
    if not index:
        return
    if "opsel" in modifiers and "dot" not in d.form.mnemonic:  # the assembler has none there
        d.sel = [rng.getrandbits(1) for _ in range(count)]
        d.sel_hi = [rng.getrandbits(1) for _ in range(count)]
    for i in d.halved:
        d.sel[i] = 0
        if d.form.mnemonic != "v_pk_mov_b32":  # it has no use for op_sel_hi
            d.sel_hi[i] = 0
    floats = [o.type.removeprefix("v2") in FORMATS for o in d.form.row.operands if o.role in "abc"]
    packed = d.form.mnemonic in HALVES or mixed or "dot2_f32" in d.form.mnemonic
    if packed and ("neglohi" in modifiers or mixed):
        d.neg = [int(f and rng.random() < 0.4) for f in floats]
        d.neg_hi = [int(f and rng.random() < 0.4) for f in floats]
    if "dot2_f32" in d.form.mnemonic:  # halves of the addend do not exist
        d.neg[2], d.neg_hi[2] = 0, 0
    d.clamp = "clamp" in modifiers and rng.random() < 0.4
    if d.form.mnemonic.startswith(("v_pk_lshl", "v_pk_lshr", "v_pk_ashr")):
        d.clamp = False


# ---- results


def clamped(d: Draft, result: Any, kind: str) -> Any:
    f = FORMATS.get(kind)
    if f is None:
        if d.clamp and kind:
            result = saturated(result, kind)
        return result & ((1 << (width_of(kind) if kind else 16)) - 1)
    if not d.clamp:
        return result
    if result is NAN or soft.is_nan(f, result):
        return 0 if d.case.mode.dx10 else NAN  # which one is open
    return 0 if soft.negative(f, result) else min(result, f.one)


def part_of(d: Draft, source: int, lane: int, high: bool, f: Format | None, bits: int) -> int:
    """The half (or dword) of a source that a half of the result sees."""
    pick = (d.sel_hi if high else d.sel)[source]
    part = d.lanes[source][lane] >> (bits * pick) & ((1 << bits) - 1)
    if f is not None and (d.neg_hi if high else d.neg)[source]:
        part ^= f.sign
    return part


def lane_result(d: Draft, lane: int, old: int) -> Expected:
    x = Lane(d.form.target, d.case.mode, lane, old)
    special = SPECIAL.get(d.form.mnemonic)
    if special is not None:
        return special(d, x, lane)
    function, kind = HALVES[d.form.mnemonic]
    f, bits = FORMATS.get(kind), 32 if kind == "f32" else 16
    parts: list[tuple[int, int, Expected]] = []
    for high in (False, True):
        sources = [part_of(d, i, lane, high, f, bits) for i in range(len(d.lanes))]
        result = clamped(d, function(x, *sources), kind)
        parts.append((bits * high, bits, expected_bits(result, f, d.case.mode)))
    return fields(parts)


def pk_mov(d: Draft, x: Lane, lane: int) -> Expected:
    low = d.lanes[0][lane] >> (32 * d.sel[0]) & 0xFFFFFFFF
    return low | (d.lanes[1][lane] >> (32 * d.sel[1]) & 0xFFFFFFFF) << 32


def mix_source(d: Draft, x: Lane, i: int, lane: int) -> Bits:
    """An f32, or with op_sel_hi the half of it that op_sel picks; abs (neg_hi) before neg."""
    bits, f = d.lanes[i][lane], F32
    if d.sel_hi[i]:
        bits, f = bits >> (16 * d.sel[i]) & M16, F16
    bits &= ~f.sign if d.neg_hi[i] else -1
    bits ^= f.sign if d.neg[i] else 0
    return soft.convert(F32, f, bits, Env(0, x.env(f).keep_in, True))


def mix(d: Draft, x: Lane, lane: int) -> Bits:
    sources = [mix_source(d, x, i, lane) for i in range(3)]
    if any(s is NAN for s in sources):
        return NAN
    env = x.env(F32)
    return soft.fma(F32, *sources, Env(env.rounding, True, env.keep_out))  # type: ignore[arg-type]


def fma_mix(d: Draft, x: Lane, lane: int) -> Expected:
    return expected_bits(clamped(d, mix(d, x, lane), "f32"), F32, d.case.mode)


def fma_mix_half(shift: int) -> Callable[..., Expected]:
    """The f32 result rounded again, into one half; the other stays (LLVM folds a truncation)."""

    def result(d: Draft, x: Lane, lane: int) -> Expected:
        wide = mix(d, x, lane)
        env = x.env(F16)
        half = (
            NAN
            if wide is NAN
            else soft.convert(F16, F32, wide, Env(env.rounding, True, env.keep_out))
        )
        bits = expected_bits(clamped(d, half, "f16"), F16, d.case.mode)
        other = x.old >> (16 - shift) & M16
        return fields([(shift, 16, bits), (16 - shift, 16, other)])

    return result


def dot2_sources(d: Draft, lane: int, f: Format | None) -> tuple[int, int]:
    """a and b with the halves where op_sel and op_sel_hi put them."""
    packed = []
    for i in range(2):
        low, high = (part_of(d, i, lane, h, f, 16) for h in (False, True))
        packed.append(low | high << 16)
    return packed[0], packed[1]


def dot2_f16(d: Draft, x: Lane, lane: int) -> Expected:
    a, b = dot2_sources(d, lane, F16)
    c = d.lanes[2][lane]
    return expected_bits(clamped(d, dot2(F16, a, b, c), "f32"), F32, d.case.mode)


def dot2_bf16(d: Draft, x: Lane, lane: int) -> Expected:
    """The products first, then the addend; rounded after each sum, or only at the end."""
    a, b = dot2_sources(d, lane, BF16)
    env = Env(0, False, False)
    c = soft.flushed(F32, d.lanes[2][lane], False)
    wide = [
        soft.convert(F32, BF16, s >> shift & M16, Env(0, False, True))
        for shift in (0, 16)
        for s in (a, b)
    ]
    if any(w is NAN for w in wide):
        return expected_bits(clamped(d, NAN, "f32"), F32, d.case.mode)
    right = []
    for inner in (env, Env(0, False, True)):  # whether intermediate results are flushed is open
        first = soft.mul(F32, wide[0], wide[1], inner)
        both = NAN if first is NAN else soft.fma(F32, wide[2], wide[3], first, inner)
        result = NAN if both is NAN else soft.add(F32, both, c, Env(0, True, False))
        right.append(expected_bits(clamped(d, result, "f32"), F32, d.case.mode))
    return lambda bits: any(holds(one, bits) for one in right)


def dot_integer(bits: int, is_signed: bool) -> Callable[..., Expected]:
    def result(d: Draft, x: Lane, lane: int) -> Expected:
        a, b = d.lanes[0][lane], d.lanes[1][lane]
        if bits == 16:
            a, b = dot2_sources(d, lane, None)
        total = dot(a, b, d.lanes[2][lane], bits, is_signed)
        return int(clamped(d, total, "i32" if is_signed else "u32"))

    return result


SPECIAL: dict[str, Callable[..., Expected]] = {
    "v_pk_mov_b32": pk_mov, "v_fma_mix_f32": fma_mix,
    "v_fma_mixlo_f16": fma_mix_half(0), "v_fma_mixhi_f16": fma_mix_half(16),
    "v_dot2_f32_f16": dot2_f16, "v_dot2_f32_bf16": dot2_bf16,
    "v_dot2_i32_i16": dot_integer(16, True), "v_dot2_u32_u16": dot_integer(16, False),
    "v_dot4_i32_i8": dot_integer(8, True), "v_dot4_u32_u8": dot_integer(8, False),
    "v_dot8_i32_i4": dot_integer(4, True), "v_dot8_u32_u4": dot_integer(4, False),
}  # fmt: skip
