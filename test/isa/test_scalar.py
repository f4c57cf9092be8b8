"""Scalar arithmetic and what changes nothing: SOP1, SOP2, SOPC, SOPK, SOPP, cache control."""

from __future__ import annotations

import pytest

from isa import checking, scalar
from isa.forms import TARGETS, forms
from isa.ops_scalar import NOTHING, SCALAR

ENCODINGS = ("SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM")


@pytest.mark.parametrize("target", TARGETS)
def test_scalar_instructions(target: str) -> None:
    known = SCALAR.keys() | NOTHING.keys()
    found = [f for f in forms(target) if f.encoding in ENCODINGS and f.mnemonic in known]
    checking.check("scalar", target, found, scalar.draw_case, times=3)
