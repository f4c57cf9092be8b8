"""Numerics by name: chains of fma, fused sums, and transcendentals with the stated error."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sampling
import tegula
import tegula.sim
from isa import fused, machine, matrix
from isa import softfloat as soft
from isa.forms import TARGETS, Form, forms
from isa.machine import LANES, Case, Expected, Kernel, Output
from isa.matrix_layout import Shape, scale_lane
from isa.smallfloat import format_named
from isa.softfloat import F32, NAN, Value
from isa.valu import names, set_vector

FUSED = "cdna3-fused"


class FusedProduct(matrix.Product):
    """Real numbers, added up as the fused mode has it."""

    def draw(self) -> Case:
        self.real = self.kinds[0] != "i8"
        return super().draw()

    def real_element(self, f: Any, kind: str) -> int:
        while True:
            bits = super().real_element(f, kind)
            if f is None or soft.magnitude(f, bits) < f.infinity:
                small = None if f else format_named(kind, self.form.target)
                width = matrix.bits_of(kind)
                if small is None:
                    return bits
                code = bits & ((1 << width) - 1)
                if not small.is_nan(code) and not small.is_infinite(code):
                    return code

    def c_element(self) -> int:
        while True:
            bits = super().c_element()
            if self.shape.d != "f32" or soft.magnitude(F32, bits) < F32.infinity:
                return bits

    def chain(self, pairs: list[tuple[int, int]], c: int, i: int, j: int) -> Any:
        of = fused.rules("fp8" if self.mixed else self.kinds[0], self.shape.k)
        if of is None:
            return super().chain(pairs, c, i, j)
        for first in range(0, self.shape.k, of.group):
            part = range(first, first + of.group)
            c = fused.group_sum([self.product(*pairs[k], i, j, k) for k in part], c, of)
            if c is NAN or soft.magnitude(F32, c) >= F32.infinity:
                return c if c is NAN or first + of.group >= self.shape.k else soft.ANY
        return c

    def product(self, x: int, y: int, i: int, j: int, k: int) -> fused.Product:
        (p, e_p), (q, e_q) = (self.parts(code, which) for which, code in enumerate((x, y)))
        sign, m, e = soft.product_of(p, q)
        moved = 0  # zeros have no scale
        if self.scaled:
            moved += (self.scales[0][scale_lane(self.shape.m, i, k)] - 127) if p[1] else 0
            moved += (self.scales[1][scale_lane(self.shape.n, j, k)] - 127) if q[1] else 0
        by = self.scale(i, j, k)
        return fused.Product(-m if sign else m, e + by, e_p + e_q + moved)

    def parts(self, code: int, which: int) -> tuple[Value, int]:
        kind = self.kinds[which]
        f = matrix.IEEE.get(kind) or format_named(kind, self.form.target)
        v = soft.value(f, code) if kind in matrix.IEEE else f.value(code)  # type: ignore[union-attr,arg-type]
        return v, fused.exponent(v, fused.lowest_of(f))


def dense(target: str) -> list[Form]:
    return [f for f in forms(target) if matrix.has_oracle(f)]


@pytest.mark.parametrize("target", TARGETS)
def test_fused_sums(target: str) -> None:
    kernels = []
    for form in dense(target):
        rng = random.Random(f"fused.{form.name}.{target}")
        cases = [FusedProduct(form, rng, i).draw() for i in range(8 if sampling.full else 2)]
        kernels.append(Kernel(form.name, cases))
    faults = machine.run(target, kernels, numerics=FUSED)
    assert not faults, [f"{n}: {f[0]}" for n, f in faults.items()][:20]


@pytest.mark.parametrize("numerics", tegula.sim.NUMERICS)
@pytest.mark.parametrize("target", TARGETS)
def test_integers_are_exact_in_every_mode(target: str, numerics: str) -> None:
    kernels = []
    for form in dense(target):
        rng = random.Random(f"exact.{form.name}.{target}")
        kernels.append(Kernel(form.name, [matrix.Product(form, rng, i).draw() for i in (0, 1)]))
    assert not machine.run(target, kernels, numerics=numerics)


# ---- the special cases of the document


@dataclass(frozen=True)
class Special:
    """One sum: pairs of f32 numbers for the first k, C, and the result of each mode."""

    name: str
    kind: str
    pairs: tuple[tuple[float, float], ...]
    c: float
    chain: Expected
    fused: Expected


def f32(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


def is_nan(bits: int) -> bool:
    return soft.is_nan(F32, bits)


BELOW_ONE = F32.one - 1  # 1 - 2^-24
NONE = (0.0, 0.0)
SPECIAL = (
    Special("an accumulator far below one is floored, so that it counts as -2^-24", "f16",
            ((1.0, 1.0),), -(2.0**-60), F32.one, BELOW_ONE),
    Special("not if it is positive", "f16", ((1.0, 1.0),), 2.0**-60, F32.one, F32.one),
    Special("8-bit floats drop it", "fp8", ((1.0, 1.0),), -(2.0**-60), F32.one, F32.one),
    Special("products are cut towards zero under the largest", "bf16",
            ((1.0, 1.0), (-(2.0**-25), 1.0)), 0.0, f32(1 - 2.0**-25), F32.one),
    Special("what is cut does not come back in the same group", "bf16",
            ((1.0, 1.0), (2.0**-26, 1.0), (-1.0, 1.0)), 0.0, 0, 0),
    Special("the chain rounds each step, the group once", "bf16",
            ((1.0, 1.0), (2.0**-24, 1.0), (2.0**-24, 1.0)), 0.0, F32.one, F32.one + 1),
    Special("a product beyond f32 is infinite", "bf16",
            ((2.0**100, 2.0**100), (-(2.0**127), 1.0)), 0.0, F32.infinity, F32.infinity),
    Special("of both signs it is no number", "bf16",
            ((2.0**100, 2.0**100), (-(2.0**100), 2.0**100)), 0.0, lambda b: True, is_nan),
    Special("infinite operands come through", "bf16",
            ((float("-inf"), 1.0), (1.0, 1.0)), 5.0, F32.sign | F32.infinity,
            F32.sign | F32.infinity),
    Special("infinity times zero is no number", "f16", ((float("inf"), 0.0),), 1.0, is_nan, is_nan),
    Special("subnormal inputs take part", "f16", ((2.0**-24, 2.0**-24), (2.0**-24, 1.0)), 0.0,
            f32(2.0**-24 + 2.0**-48) , f32(2.0**-24 + 2.0**-48)),
    Special("bits below 2^-31 of the largest are dropped before the only rounding", "bf16",
            ((2.0**-24, 1.0), (2.0**-40, 1.0)), 1.0, F32.one, F32.one),
    Special("downwards, if the sum is negative", "bf16",
            ((-(2.0**-25), 1.0), (-(2.0**-40), 1.0)), 1.0, F32.one, BELOW_ONE),
    Special("each group of eight rounds", "bf16", ((1.0, 1.0), (2.0**-24, 1.0), *[NONE] * 6,
            (2.0**-24, 1.0)), 0.0, F32.one, F32.one),
    Special("of 8-bit floats, odd products are floored against even ones", "fp8",
            ((128.0, 128.0), (-(2.0**-6), 2.0**-6)), 0.0, f32(16384), f32(16384 - 2.0**-10)),
    Special("and cut towards zero against each other", "fp8",
            ((128.0, 128.0), NONE, (-(2.0**-6), 2.0**-6)), 0.0, f32(16384), f32(16384)),
    Special("their accumulator counts down to 2^-25 of the largest", "fp8",
            ((1.0, 1.0),), -(2.0**-25), F32.one, BELOW_ONE),
    Special("not below", "fp8", ((1.0, 1.0),), -(2.0**-26), F32.one, F32.one),
    Special("products are not normalised: 1.5 squared has exponent 0", "bf16",
            ((1.5, 1.5), (2.0**-24, 1.0)), -2.25, f32(2.0**-24), f32(2.0**-24)),
    Special("a subnormal has the exponent of the smallest normal number", "f16",
            ((2.0**-24, 2.0**-24), (2.0**-24, 1.0)), -(2.0**-24), f32(2.0**-48), 0),
    Special("a zero has exponent -126, which takes part", "bf16",
            ((0.0, 2.0**127), (2.0**-30, 1.0)), 0.0, f32(2.0**-30), 0),
    Special("an infinite accumulator stays", "f16", ((1.0, 1.0),), float("inf"), F32.infinity,
            F32.infinity),
    Special("but for the other infinity", "f16", ((float("-inf"), 1.0),), float("inf"), is_nan,
            is_nan),
    Special("no number in, no number out", "bf16", ((1.0, 1.0),), float("nan"), is_nan, is_nan),
    Special("xf32 has ten bits of fraction", "xf32", ((1 + 2.0**-11 + 2.0**-20, 1.0),), 0.0,
            F32.one, F32.one),
    Special("and groups of four", "xf32", ((1.0, 1.0), (2.0**-24, 1.0), NONE, NONE,
            (2.0**-24, 1.0)), 0.0, F32.one, F32.one),
    Special("which round once", "xf32", ((1.0, 1.0), (2.0**-24, 1.0), (2.0**-24, 1.0)), 0.0,
            F32.one, F32.one + 1),
    Special("results may be subnormal", "bf16", ((2.0**-100, 2.0**-40),), 0.0, f32(2.0**-140),
            f32(2.0**-140)),
)  # fmt: skip
MNEMONICS = {"f16": "v_mfma_f32_16x16x16_f16", "bf16": "v_mfma_f32_16x16x16_bf16",
             "fp8": "v_mfma_f32_16x16x32_fp8_fp8", "xf32": "v_mfma_f32_16x16x8_xf32"}  # fmt: skip


def special_case(special: Special, target: str, expected: Expected) -> Case:
    """Row 0 of A and column 0 of B hold the pairs."""
    mnemonic = MNEMONICS[special.kind]
    shape = Shape.of(mnemonic)
    bits = matrix.bits_of(special.kind)
    lanes = [[0] * LANES, [0] * LANES]
    for k, pair in enumerate(special.pairs):
        for which, x in enumerate(pair):
            lane, item = shape.a_place(0, 0, k) if which == 0 else shape.b_place(0, k, 0)
            lanes[which][lane] |= code_of(special.kind, x, target) << (bits * item)
    case = Case(f"{mnemonic} v[64:67], v[16:17], v[32:33], v[48:51]")
    for first, values in ((16, lanes[0]), (32, lanes[1])):
        set_vector(case, names("v", first, 2), values)
    lane, item = shape.d_place(0, 0, 0)
    set_vector(case, names("v", 48, 4), [f32(special.c) << 32 * item if i == lane else 0
                                         for i in range(LANES)])  # fmt: skip
    wanted: list[Expected] = [(lambda b: True)] * LANES
    wanted[lane] = expected
    case.outputs.append(Output((f"v{64 + item}",), wanted))
    return case


def code_of(kind: str, x: float, target: str) -> int:
    if kind == "fp8":
        return format_named(kind, target).encode(soft.value(F32, f32(x)))[0]
    return int(soft.convert(matrix.IEEE[kind], F32, f32(x)))


@pytest.mark.parametrize("numerics", tegula.sim.NUMERICS)
@pytest.mark.parametrize("target", TARGETS)
def test_special_cases(target: str, numerics: str) -> None:
    kernels = []
    there = {form.mnemonic for form in forms(target)}
    for number, special in enumerate(SPECIAL):
        if MNEMONICS[special.kind] not in there:
            assert (special.kind, target) == ("xf32", "gfx950")
            continue
        expected = special.fused if numerics == FUSED else special.chain
        kernels.append(Kernel(f"special{number}", [special_case(special, target, expected)]))
    faults = machine.run(target, kernels, numerics=numerics)
    assert not faults, {SPECIAL[int(n[7:])].name: f[0] for n, f in faults.items()}


# ---- what overflows under MODE.FP16_OVFL


@pytest.mark.parametrize("numerics", tegula.sim.NUMERICS)
@pytest.mark.parametrize("target", TARGETS)
def test_overflowing_sums_are_clamped(target: str, numerics: str) -> None:
    large = Special("", "bf16", ((2.0**127, 1.0), (2.0**127, 1.0)), 0.0, 0, 0)
    infinite = Special("", "bf16", ((float("inf"), 1.0),), 0.0, 0, 0)
    cases = [special_case(large, target, F32.infinity), special_case(large, target, F32.largest),
             special_case(infinite, target, F32.infinity)]  # fmt: skip
    cases[1].mode = cases[2].mode = machine.Mode(ovfl=True)
    assert not machine.run(target, [Kernel("overflow", cases)], numerics=numerics)


@pytest.mark.parametrize("target", TARGETS)
def test_overflowing_integer_sums_saturate(target: str) -> None:
    """A of -128 and B of 127 in 32 products, on top of the smallest number."""
    text = "v_mfma_i32_16x16x32_i8 v[64:67], v[16:17], v[32:33], v[48:51]"
    cases = []
    for ovfl, expected in ((False, (1 << 31) - 32 * 128 * 127), (True, 1 << 31)):
        case = Case(text, mode=machine.Mode(ovfl=ovfl))
        set_vector(case, names("v", 16, 2), [0x8080808080808080] * LANES)
        set_vector(case, names("v", 32, 2), [0x7F7F7F7F7F7F7F7F] * LANES)
        set_vector(case, names("v", 48, 4), [sum(1 << 31 + 32 * i for i in range(4))] * LANES)
        case.outputs += [Output((f"v{64 + i}",), [expected] * LANES) for i in range(4)]
        cases.append(case)
    assert not machine.run(target, [Kernel("saturates", cases)])


# ---- names


def test_names_are_checked_and_printed() -> None:
    with pytest.raises(tegula.ArgumentError, match="fma-chain or cdna3-fused"):
        tegula.sim.Device("gfx942", numerics="exact")
    with pytest.raises(tegula.ArgumentError, match="exact or 1ulp"):
        tegula.sim.Device("gfx942", transcendentals="2ulp")
    kernel = Kernel("named", [Case("s_trap 2")])
    writer = machine.Writer(kernel)
    code = machine.assemble("gfx942", machine.kernel_text(kernel, writer))
    arrays = np.zeros((1, 64), np.uint32), np.zeros((writer.rows_out, 64), np.uint32)
    for numerics in tegula.sim.NUMERICS:
        device = tegula.sim.Device("gfx942", threads=1, numerics=numerics, schedule="random")
        with pytest.raises(tegula.LaunchError, match=f"numerics {numerics}, schedule random"):
            device.load(code)["named"].launch(1, 64, *arrays)


# ---- transcendentals


@pytest.mark.parametrize("target", TARGETS)
def test_transcendentals_may_be_off_by_the_stated_error(target: str) -> None:
    """At most one ulp either way (2^29 of f64), sometimes none, and the same each time."""
    rng = random.Random(5)
    inputs = [f32(rng.uniform(0.01, 100)) for _ in range(LANES)]
    wide = [int(np.float64(rng.uniform(0.01, 100)).view(np.uint64)) for _ in range(LANES)]
    exact = outputs(target, inputs, wide)
    off = outputs(target, inputs, wide, transcendentals="1ulp")
    assert off == outputs(target, inputs, wide, transcendentals="1ulp")
    for name, right in exact.items():
        unit = 1 << 29 if name.endswith("f64") else 1
        steps = {(b - a) / unit for a, b in zip(right, off[name], strict=True)}
        assert steps == {-1, 0, 1}, name


TRANSCENDENTALS = ("v_rcp_f32", "v_rsq_f32", "v_sqrt_f32", "v_exp_f32", "v_log_f32", "v_sin_f32",
                   "v_rcp_f16", "v_sqrt_f16", "v_rcp_f64", "v_sqrt_f64")  # fmt: skip


def outputs(target: str, inputs: list[int], wide: list[int], **device: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    kernels = []
    for name in TRANSCENDENTALS:
        is_wide = name.endswith("f64")
        case = Case(f"{name}_e32 v[48:49], v[8:9]" if is_wide else f"{name}_e32 v48, v8")
        values = wide if is_wide else inputs
        if name.endswith("f16"):
            values = [int(np.uint32(x).view(np.float32).astype(np.float16).view(np.uint16))
                      for x in inputs]  # fmt: skip
        set_vector(case, names("v", 8, 2 if is_wide else 1), values)
        registers = names("v", 48, 2 if is_wide else 1)
        seen = found.setdefault(name, [])

        def keep(bits: int, seen: list[int] = seen) -> bool:
            seen.append(bits)
            return True

        case.outputs.append(Output(registers, [keep] * LANES))
        kernels.append(Kernel(name, [case]))
    assert not machine.run(target, kernels, **device)
    return found
