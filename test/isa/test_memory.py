"""Instructions that touch memory."""

from __future__ import annotations

import pytest

from isa import checking, lds
from isa.forms import TARGETS, forms
from isa.memory import LDS_BYTES


@pytest.mark.parametrize("target", TARGETS)
def test_lds(target: str) -> None:
    found = [f for f in forms(target) if lds.has_oracle(f)]
    checking.check("lds", target, found, lds.draw_case, lds=LDS_BYTES)
