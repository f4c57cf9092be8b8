"""What the tests of this folder covered: lines "mnemonic,target,encoding,cases" for tegula-sim.

Each test writes a part; when all have ended, the parts become build/isa-tested.csv.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from .forms import ROOT, Form

PARTS = ROOT / "build" / "isa-tested"
WHOLE = ROOT / "build" / "isa-tested.csv"


def write(part: str, target: str, rows: Iterable[tuple[Form, int]]) -> None:
    """The forms of one test that did what their oracle says, and on how many cases each."""
    PARTS.mkdir(parents=True, exist_ok=True)
    lines = [f"{form.mnemonic},{target},{form.encoding},{cases}\n" for form, cases in rows]
    (PARTS / f"{part}-{target}.csv").write_text("".join(lines))


def forget(part: str, target: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        (PARTS / f"{part}-{target}.csv").unlink()


def join() -> None:
    parts: list[Path] = sorted(PARTS.glob("*.csv"))
    if parts:
        WHOLE.write_text("".join(p.read_text() for p in parts))
