"""What of a launch's findings a test of right kernels objects to."""

from __future__ import annotations

from collections.abc import Iterable

import tegula.sim


def objections(findings: Iterable[tegula.sim.Finding]) -> list[tegula.sim.Finding]:
    """All but one note: M0 written right before a load to LDS, which every target allows."""
    note = "a load to LDS uses it"
    return [
        f
        for f in findings
        if not (f.severity == "note" and f.kind == "wait-states" and note in f.text)
    ]
