"""Cases of matrix instructions whose A is 4:2 sparse: two of every four k, named by index bits."""

from __future__ import annotations

import random
from typing import Any

from .forms import Form
from .machine import LANES, Case
from .matrix import B, C, Product, bits_of
from .matrix_layout import Place, dense, sparse_place
from .valu import names, register, set_vector

A, INDEX = 16, 12


def has_oracle(form: Form) -> bool:
    return form.mnemonic.startswith("v_smfmac_")


def draw_case(form: Form, rng: random.Random, index: int) -> Case:
    return SparseProduct(form, rng, index).draw_sparse()


class SparseProduct(Product):
    """As a dense product, with zeros of A where the index bits don't point."""

    @property
    def halves(self) -> int:
        """Shapes of gfx950 hold k in two halves, one behind the other in every lane."""
        depth = self.shape.k * self.shape.m * bits_of(self.kinds[0]) // 16
        return 2 if depth > 16 * 32 else 1

    @property
    def depth(self) -> int:
        return self.shape.k // self.halves

    def place(self, which: int, key: tuple[int, int, int]) -> Place:
        """Of B; each half of k as a dense product of half the depth has it."""
        _, k, j = key
        lane, item = dense(self.shape.n, self.depth, 1, 0, j, k % self.depth)
        return lane, item + self.depth // (64 // self.shape.n) * (k // self.depth)

    def draw_sparse(self) -> Case:
        s = self.shape
        self.real = False
        b = {(0, k, j): self.element(self.kinds[1]) for _, k, j in self.all(s.k, s.n)}
        a, a_text, index_text = self.draw_a()
        b_text = self.operand(1, b, B)
        c, c_text = self.draw_c()
        self.d_first, self.d_kind = C, c_text[0]
        self.expect(a, b, c)
        cbsz, abid, _ = self.broadcast
        suffix = (f" cbsz:{cbsz}" if cbsz else "") + (f" abid:{abid}" if abid else "")
        operands = ", ".join((c_text, a_text, b_text, index_text))
        self.case.text = f"{self.form.mnemonic} {operands}{suffix}"
        return self.case

    def constant(self) -> tuple[str, int]:
        raise AssertionError("C is a register here")

    def draw_c(self) -> tuple[dict[tuple[int, int, int], int], str]:
        self.index += self.index % 8 == 2  # no constants
        return super().draw_c()

    def readers(self, a: Any, b: Any) -> Any:
        return (lambda block, i, k: a.get((block, i, k), 0)), (lambda block, k, j: b[block, k, j])

    def draw_a(self) -> tuple[dict[tuple[int, int, int], int], str, str]:
        """(dense A, text of the values, text of the index register)"""
        bits, s = bits_of(self.kinds[0]), self.shape
        groups = self.depth // (64 // s.m) // 4  # of a lane, in one half
        fields = groups * self.halves * 4  # index bits of a lane
        sets = 32 // fields
        chosen = self.rng.randrange(sets)
        cbsz = self.rng.choice((0, 0, 1)) if sets > 1 else 0
        self.broadcast = (cbsz, chosen, 0)
        used = 0 if cbsz else chosen
        values, indices = [0] * LANES, [self.rng.getrandbits(32) for _ in range(LANES)]
        a: dict[tuple[int, int, int], int] = {}
        for i in range(s.m):
            for k in range(0, s.k, 4):
                half, inside = divmod(k, self.depth)
                lane, group, _ = sparse_place(s.m, self.depth, i, inside)
                group += half * groups
                pair = sorted(self.rng.sample(range(4), 2))
                shift = fields * used + 4 * group
                indices[lane] &= ~(15 << shift)
                indices[lane] |= (pair[0] | pair[1] << 2) << shift
                for number, position in enumerate(pair):
                    code = self.element(self.kinds[0])
                    values[lane] |= code << (bits * (2 * group + number))
                    a[0, i, k + position] = code
        count = self.form.operand("a").width
        kind = "a" if self.index % 8 == 3 else "v"
        set_vector(self.case, names(kind, A, count), values)
        set_vector(self.case, (f"v{INDEX}",), indices)
        return a, register(kind, A, count), f"v{INDEX}"
