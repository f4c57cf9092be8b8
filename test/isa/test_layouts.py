"""One-hot matrices: where each element of each matrix instruction lies, place by place.

Every workgroup multiplies matrices of which one is 1 at a single place (a lane and an item of its
registers) and else 0. The product must be one row of the other matrix, or one column, where the
layout formulas say; everything else must be 0. Other tests' random products could be right with the
same permutation of k in both operands; here each operand is looked at by itself.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import sampling
import tegula.sim
from isa import matrix, sparse
from isa import softfloat as soft
from isa.forms import TARGETS, Form, forms
from isa.machine import LANES, assemble
from isa.matrix_layout import Place, scale_lane, sparse_place
from isa.smallfloat import format_named

NUMBERS = (1, 2, 3, 4, -1, -2, -3, -4)
PLACES = 96  # of an operand, unless in a full run
Key = tuple[int, int, int]


@dataclass(frozen=True)
class Variant:
    """A form, and the formats of A and B where the form leaves them open."""

    form: Form
    kinds: tuple[str, str]

    @property
    def name(self) -> str:
        return f"{self.form.mnemonic}_{self.kinds[0]}_{self.kinds[1]}"


def variants(target: str) -> list[Variant]:
    """Every matrix form; f8f6f4 with each of the 25 pairs of formats."""
    found = []
    for form in forms(target):
        if matrix.has_oracle(form) and "f8f6f4" in form.mnemonic:
            found += [Variant(form, pair) for pair in product(matrix.SMALL_CODES, repeat=2)]
        elif matrix.has_oracle(form) or sparse.has_oracle(form):
            shape = matrix.Shape.of(form.mnemonic)
            found.append(Variant(form, (shape.a, shape.b)))
    return found


class Layout:
    """Places of the elements of A and B, by the formulas, and what else the instruction reads."""

    def __init__(self, variant: Variant) -> None:
        self.form, self.kinds = variant.form, variant.kinds
        self.rng = random.Random(f"layout.{variant.name}.{variant.form.target}")
        self.is_sparse = sparse.has_oracle(variant.form)
        of = sparse.SparseProduct if self.is_sparse else matrix.Product
        self.product = of(variant.form, self.rng, 1)
        self.product.kinds = list(variant.kinds)
        self.shape = self.product.shape
        self.scales = [[127] * LANES, [127] * LANES]
        self.bytes = [self.rng.randrange(4) for _ in range(2)]
        if self.product.scaled:
            self.scales = [[self.rng.randrange(125, 130) for _ in range(LANES)] for _ in range(2)]
        self.index, self.chosen = [self.rng.getrandbits(32) for _ in range(LANES)], 0
        self.places: list[dict[Place, Key]] = [{}, {}]
        self.fill_places()

    def fill_places(self) -> None:
        s = self.shape
        for b, k, j in self.product.all(s.k, s.n):
            self.places[1][self.product.place(1, (b, k, j))] = (b, k, j)
        if self.is_sparse:
            self.fill_sparse()
            return
        for b, i, k in self.product.all(s.m, s.k):
            self.places[0][self.product.place(0, (b, i, k))] = (b, i, k)

    def fill_sparse(self) -> None:
        """Two of four k are stored, in the order of the index bits."""
        s, p = self.shape, self.product
        assert isinstance(p, sparse.SparseProduct)
        groups = p.depth // (LANES // s.m) // 4
        fields = groups * p.halves * 4
        self.chosen = self.rng.randrange(32 // fields)
        for i in range(s.m):
            for k in range(0, s.k, 4):
                half, inside = divmod(k, p.depth)
                lane, group, _ = sparse_place(s.m, p.depth, i, inside)
                group += half * groups
                pair = sorted(self.rng.sample(range(4), 2))
                shift = fields * self.chosen + 4 * group
                self.index[lane] &= ~(15 << shift)
                self.index[lane] |= (pair[0] | pair[1] << 2) << shift
                for number, position in enumerate(pair):
                    self.places[0][lane, 2 * group + number] = (0, i, k + position)

    def code(self, which: int, number: int) -> int:
        kind = self.kinds[which]
        if kind == "i8":
            return number & 0xFF
        v = (int(number < 0), abs(number), 0)
        if kind in matrix.IEEE:
            return int(soft.rounded(matrix.IEEE[kind], v, soft.EXACT))
        return format_named(kind, self.form.target).encode(v)[0]

    def registers(self, which: int) -> int:
        if self.product.mixed:
            return matrix.bits_of(self.kinds[which])
        return int(self.form.operand("ab"[which]).width)

    def words(self, which: int, codes: dict[Place, int]) -> np.ndarray:
        """[register][lane]"""
        count, bits = self.registers(which), matrix.bits_of(self.kinds[which])
        lanes = [0] * LANES
        for (lane, item), code in codes.items():
            lanes[lane] |= code << (bits * item)
        rows = [[v >> (32 * r) & 0xFFFFFFFF for v in lanes] for r in range(count)]
        return np.array(rows, np.uint32)

    def scale(self, i: int, j: int, k: int) -> float:
        e = self.scales[0][scale_lane(self.shape.m, i, k)]
        e += self.scales[1][scale_lane(self.shape.n, j, k)]
        return float(2.0 ** (e - 254))

    def scale_words(self) -> np.ndarray:
        return np.array(
            [[s << (8 * byte) for s in side]
             for side, byte in zip(self.scales, self.bytes, strict=True)], np.uint32,
        )  # fmt: skip

    def text(self) -> str:
        count = self.form.operand("d").width
        a, b = self.registers(0), self.registers(1)
        d = matrix.register("v", 64, count)
        operands = [d, matrix.register("v", 16, a), matrix.register("v", 32, b)]
        suffix = ""
        if self.is_sparse:
            operands.append("v8")
            suffix = f" abid:{self.chosen}" if self.chosen else ""
        else:
            operands.append("0")
        if self.product.scaled:
            operands += ["v8", "v9"]
            low, high = [x & 1 for x in self.bytes], [x >> 1 for x in self.bytes]
            suffix = f" op_sel:[{low[0]},{low[1]},0] op_sel_hi:[{high[0]},{high[1]},0]"
        if self.product.mixed:
            codes = [matrix.SMALL_CODES.index(k) for k in self.kinds]
            suffix += f" cbsz:{codes[0]}" if codes[0] else ""
            suffix += f" blgp:{codes[1]}" if codes[1] else ""
        return f"{self.form.mnemonic} {', '.join(operands)}{suffix}"

    def kernel(self, name: str) -> str:
        """Each workgroup has matrices and a product of its own; strides may be 0."""
        count = self.form.operand("d").width
        loads = [
            f"global_load_dword v{first + r}, v1, s[{base}:{base + 1}] offset:{256 * r}"
            for first, base, number in ((16, 20, self.registers(0)), (32, 22, self.registers(1)),
                                        (8, 8, 2))
            for r in range(number)
        ]  # fmt: skip
        pointers = [
            f"s_mul_i32 s30, s2, s{stride}\ns_mul_hi_u32 s31, s2, s{stride}\n"
            f"s_add_u32 s{to}, s{base}, s30\ns_addc_u32 s{to + 1}, s{base + 1}, s31"
            for base, stride, to in ((4, 12, 20), (6, 13, 22), (10, 14, 24))
        ]
        zeros = [f"v_mov_b32_e32 v{64 + r}, 0" for r in range(count)]
        stores = [
            f"global_store_dword v2, v{64 + r}, s[24:25]\nv_add_u32_e32 v2, 256, v2"
            for r in range(count)
        ]
        lines = ["s_load_dwordx8 s[4:11], s[0:1], 0x0", "s_load_dwordx4 s[12:15], s[0:1], 0x20",
                 "v_lshlrev_b32_e32 v1, 2, v0", "v_mov_b32_e32 v2, v1", "s_waitcnt lgkmcnt(0)",
                 *pointers, *loads, *zeros, "s_waitcnt vmcnt(0)", "s_nop 4", self.text(),
                 "s_nop 15", "s_nop 15", *stores, "s_endpgm"]  # fmt: skip
        body = "\n".join(lines)
        return f"""
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
{body}
.rodata
.p2align 6
.amdhsa_kernel {name}
.amdhsa_kernarg_size 48
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr 128
.amdhsa_next_free_sgpr 40
.amdhsa_accum_offset 128
.end_amdhsa_kernel
"""


def run(layout: Layout, handle: Any, which: int) -> None:
    """``which`` is the operand that is one-hot: 0 for A."""
    rng, s, other = layout.rng, layout.shape, 1 - which
    elements = {place: rng.choice(NUMBERS) for place in layout.places[other]}
    dense = {layout.places[other][p]: n for p, n in elements.items()}
    full = layout.words(other, {p: layout.code(other, n) for p, n in elements.items()})
    places = sorted(layout.places[which])
    if not sampling.full and len(places) > PLACES:
        places = rng.sample(places, PLACES)
    ones = np.stack([layout.words(which, {p: layout.code(which, 1)}) for p in places])
    count = layout.form.operand("d").width
    out = np.full((len(places), count, LANES), 0xDEADBEEF, np.uint32)
    extra = layout.scale_words()
    if layout.is_sparse:
        extra = np.array([layout.index, layout.index], np.uint32)
    a, b = (ones, full) if which == 0 else (full, ones)
    strides = [0 if x is full else x[0].nbytes for x in (a, b)]
    arguments = [a, b, extra, out, *map(np.uint32, strides), np.uint32(out[0].nbytes), np.uint32(0)]
    handle.launch(len(places), 64, *arguments)
    right = np.zeros((len(places), s.blocks, s.m, s.n))
    for n, place in enumerate(places):
        block, x, y = layout.places[which][place]
        if which == 0:
            right[n, block, x] = [
                dense[block, y, j] * layout.scale(x, j, y) if (block, y, j) in dense else 0
                for j in range(s.n)
            ]
        else:
            right[n, block, :, y] = [
                dense[block, i, x] * layout.scale(i, y, x) if (block, i, x) in dense else 0
                for i in range(s.m)
            ]
    found = gathered(layout, out)
    bad = np.argwhere((found != right).any(axis=(1, 2, 3)))
    assert not len(bad), f"{layout.text()}: operand {'AB'[which]} at {places[bad[0][0]]}"


def gathered(layout: Layout, out: np.ndarray) -> np.ndarray:
    """D[launch][block][i][j] from its registers."""
    s = layout.shape
    kind = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[s.d]
    if s.d == "f64":
        pairs = out.reshape(len(out), -1, 2, LANES).astype(np.uint64)
        values = (pairs[:, :, 0] | pairs[:, :, 1] << np.uint64(32)).view(kind)
    else:
        values = out.view(kind)
    lanes = np.empty((s.blocks, s.m, s.n), int)
    items = np.empty_like(lanes)
    for key in layout.product.all(s.m, s.n):
        lanes[key], items[key] = s.d_place(*key)
    result: np.ndarray = values[:, items, lanes].astype(float)
    return result


@pytest.mark.parametrize("target", TARGETS)
def test_every_place_of_every_operand(target: str) -> None:
    layouts = [(v.name, Layout(v)) for v in variants(target)]
    code = assemble(target, "".join(layout.kernel(name) for name, layout in layouts))
    module = tegula.sim.Device(target, threads=1).load(code)
    for name, layout in layouts:
        for which in range(2):
            run(layout, module[name], which)


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_fill_their_registers(target: str) -> None:
    """Every place of an operand holds one element, and no other place is named."""
    for variant in variants(target):
        layout = Layout(variant)
        s, form = layout.shape, variant.form
        d = {s.d_place(b, i, j) for b, i, j in layout.product.all(s.m, s.n)}
        items = form.operand("d").width // (2 if s.d == "f64" else 1)
        assert d == {(lane, item) for lane in range(LANES) for item in range(items)}, variant.name
        for which in range(2):
            bits = matrix.bits_of(layout.kinds[which])
            per_lane = layout.registers(which) * 32 // bits
            every = {(lane, item) for lane in range(LANES) for item in range(per_lane)}
            assert set(layout.places[which]) == every, variant.name
