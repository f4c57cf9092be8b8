"""The layout formulas themselves."""

from __future__ import annotations

import pytest

from isa import matrix
from isa.forms import TARGETS, forms
from isa.matrix_layout import Shape


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_fill_their_registers(target: str) -> None:
    """Every place of an operand holds one element, and no other place is named."""
    for form in forms(target):
        if not matrix.has_oracle(form) or "f8f6f4" in form.mnemonic:
            continue
        s = Shape.of(form.mnemonic)
        d = {s.d_place(b, i, j) for b in range(s.blocks) for i in range(s.m) for j in range(s.n)}
        items = form.operand("d").width // (2 if s.d == "f64" else 1)
        assert d == {(lane, item) for lane in range(64) for item in range(items)}, form.mnemonic
        a = {s.a_place(b, i, k) for b in range(s.blocks) for i in range(s.m) for k in range(s.k)}
        per_lane = form.operand("a").width * 32 // matrix.bits_of(s.a)
        assert a == {(lane, item) for lane in range(64) for item in range(per_lane)}, form.mnemonic
