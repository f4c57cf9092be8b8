"""Runs drawn cases, judges them, and records what was covered."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

import sampling

from . import known, record
from .forms import Form
from .machine import Case, Kernel, count, run

#: Cases of a form: 64 lanes each for vector instructions.
CASES, CASES_FULL = 8, 40
Draw = Callable[[Form, random.Random, int], Case]


def cases_of(form: Form, draw: Draw, times: int = 1) -> list[Case]:
    """The cases of a form, from a seed of its own."""
    rng = random.Random(f"{form.name}.{form.target}")
    number = times * (CASES_FULL if sampling.full else CASES)
    return [draw(form, rng, i) for i in range(number)]


def check(
    part: str, target: str, forms: Iterable[Form], draw: Draw, times: int = 1, **resources: int
) -> None:
    """Every form does what its oracle says; those of known.py may differ, and don't count."""
    record.forget(part, target)
    drawn = {form.name.replace(".", "_"): (form, cases_of(form, draw, times)) for form in forms}
    assert drawn, "no form of this part"
    judge(
        part, target, drawn, run(target, [Kernel(n, c, **resources) for n, (_, c) in drawn.items()])
    )


def judge(
    part: str,
    target: str,
    drawn: dict[str, tuple[Form, list[Case]]],
    faults: dict[str, list[str]],
) -> None:
    good = [(form, count(cases)) for name, (form, cases) in drawn.items() if name not in faults]
    record.write(part, target, good)
    wrong = {n: f for n, f in faults.items() if known.reason(drawn[n][0].name) is None}
    listed = [f"{name} ({len(faults)} of its cases): {faults[0]}" for name, faults in wrong.items()]
    assert not wrong, f"{len(wrong)} of {len(drawn)} forms differ\n" + "\n".join(listed[:20])
    if faults:
        pytest.xfail(f"known differences: {', '.join(sorted(faults))}")
