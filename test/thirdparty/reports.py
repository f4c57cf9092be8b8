"""How kernels of other compilers are run, and what of the findings tests object to."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import tegula.sim

TARGETS = ("gfx942", "gfx950")


def some_threads(name: str) -> int:
    """1, 2 or 3 host threads: a test's own number, always the same."""
    return 1 + zlib.crc32(name.encode()) % 3


def objections(findings: Iterable[tegula.sim.Finding]) -> list[tegula.sim.Finding]:
    """All but one note: M0 written right before a load to LDS, which every target allows."""
    note = "a load to LDS uses it"
    return [
        f
        for f in findings
        if not (f.severity == "note" and f.kind == "wait-states" and note in f.text)
    ]
