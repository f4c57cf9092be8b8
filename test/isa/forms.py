"""What the device executes (its public list), with the operand shapes of the instruction tables."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tegula.sim

ROOT = Path(__file__).resolve().parent.parent.parent
TARGETS = ("gfx942", "gfx950")
_TABLES = {"VOP3P-MAI": "MAI", "VOP3PX2": "MAIX2"}
_BITS = {"gfx942": 1, "gfx950": 2}


@dataclass(frozen=True)
class Form:
    """A mnemonic in one encoding on one target; ``row`` holds the shapes of its operands."""

    mnemonic: str
    target: str
    encoding: str
    row: Any

    @property
    def base(self) -> str:
        """The encoding without SDWA or DPP."""
        return self.encoding.removesuffix("_SDWA").removesuffix("_DPP")

    @property
    def name(self) -> str:
        return f"{self.mnemonic}.{self.encoding}".replace("-", "_")

    def operand(self, role: str) -> Any:
        return next((o for o in self.row.operands if o.role == role), None)

    @property
    def assembly_name(self) -> str:
        """The mnemonic with the suffix that picks this encoding."""
        if self.encoding.endswith("_SDWA"):
            return self.mnemonic + "_sdwa"
        if self.encoding.endswith("_DPP"):
            return self.mnemonic + "_dpp"
        return self.mnemonic + (
            ("_e64" if self.base == "VOP3" else "_e32") if self.row.suffix else ""
        )


@cache
def _rows() -> dict[tuple[str, str, int], Any]:
    folder = ROOT / "lib" / "Sim" / "Decode"
    spec = importlib.util.spec_from_file_location("isa_tables", folder / "gen.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    sys.modules["isa_tables"] = tables
    spec.loader.exec_module(tables)
    rows = tables.read_rows(folder / "isa")
    tables.check(rows)
    return {(r.mnemonic, r.encoding, bit): r for r in rows for bit in (1, 2) if r.archs & bit}


@cache
def forms(target: str) -> tuple[Form, ...]:
    """Every form that the device executes on a target."""
    found = []
    for mnemonic, of, encoding in tegula.sim.instructions():
        if of == target:
            base = encoding.removesuffix("_SDWA").removesuffix("_DPP")
            row = _rows()[mnemonic, _TABLES.get(base, base), _BITS[target]]
            found.append(Form(mnemonic, target, encoding, row))
    return tuple(found)


def select(target: str, encodings: Iterable[str]) -> list[Form]:
    wanted = set(encodings)
    return [f for f in forms(target) if f.encoding in wanted]
