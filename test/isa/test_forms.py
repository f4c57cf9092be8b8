"""Every form that the device executes does what its oracle says, in at least 8 cases."""

from __future__ import annotations

import random

import pytest

from isa import checking
from isa.forms import TARGETS, forms
from isa.machine import count
from isa.parts import PARTS, Part, part_of
from isa.test_control import ENDING


@pytest.mark.parametrize("part", PARTS, ids=str)
@pytest.mark.parametrize("target", TARGETS)
def test_part(target: str, part: Part) -> None:
    checking.check(part, target)


@pytest.mark.parametrize("target", TARGETS)
def test_every_form_has_an_oracle(target: str) -> None:
    """A form that is executed and not compared with anything must not exist."""
    without = [f.name for f in forms(target) if part_of(f) is None and f.mnemonic not in ENDING]
    assert not without, f"no cases: {', '.join(without)}"
    assert all(p.forms(target) for p in PARTS)


@pytest.mark.parametrize("target", TARGETS)
def test_there_are_20000_cases(target: str) -> None:
    """Without the matrix instructions, whose cases are slow to draw."""
    rng = random.Random(0)
    total = 0
    for part in PARTS:
        if part.name not in ("matrix", "sparse"):
            drawn = [part.draw(form, rng, 1) for form in part.forms(target)]
            total += checking.CASES * part.times * count(drawn)
    assert total >= 20_000
