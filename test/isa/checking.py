"""Runs drawn cases, judges them, and records what was covered."""

from __future__ import annotations

import random

import sampling

from . import record
from .forms import Form
from .machine import Case, Kernel, count, run
from .parts import Part

#: Cases of a form: 64 lanes each for vector instructions.
CASES, CASES_FULL = 8, 40
ENOUGH = 8


def cases_of(form: Form, part: Part) -> list[Case]:
    """The cases of a form, from a seed of its own."""
    rng = random.Random(f"{form.name}.{form.target}")
    number = part.times * (CASES_FULL if sampling.full else CASES)
    return [part.draw(form, rng, i) for i in range(number)]


def check(part: Part, target: str) -> None:
    """Every form of the part does what its oracle says, in enough cases."""
    record.forget(part.name, target)
    drawn = {f.name.replace(".", "_"): (f, cases_of(f, part)) for f in part.forms(target)}
    assert drawn, "no form of this part"
    rare = [name for name, (_, cases) in drawn.items() if count(cases) < ENOUGH]
    assert not rare, f"fewer than {ENOUGH} cases: {rare}"
    faults = run(target, [Kernel(n, c, **part.resources) for n, (_, c) in drawn.items()])
    good = [(form, count(cases)) for name, (form, cases) in drawn.items() if name not in faults]
    record.write(part.name, target, good)
    listed = [f"{n} ({len(f)} of its cases): {f[0]}" for n, f in faults.items()]
    assert not faults, f"{len(faults)} of {len(drawn)} forms differ\n" + "\n".join(listed[:20])
