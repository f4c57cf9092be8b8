"""Writes docs/accuracy.md: how far the library's kernels are from float64, family by family.

    PYTHONPATH=python .venv/bin/python test/numerics/accuracy.py [FAMILY…]

runs every case of these families (all, if none is named) on both simulated devices and rewrites
their rows. ``test_accuracy.py`` runs the same cases (a sample of them without ``--full``) and holds
them against the page. A module that has families is named in ``MODULES``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import tegula
from tegula import targets

PATH = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
MODULES = ("norm_families", "softmax_families", "quantize_families", "format_families")
TITLE = """# How accurate the kernels are

Each case runs a kernel of `tegula.kernels` on a simulated device and compares every element with
float64. *Error* is the largest one of all cases, in the unit of its family; *bound* is what the
tests allow. The same inputs give the same bits, so the figures are exact.

This page is written by `test/numerics/accuracy.py`; `test/numerics/test_accuracy.py` compares it
with what it measures.
"""
HEADS = ("family", "variant", "target", "cases", "error", "bound", "unit")
Row = dict[str, str]


@dataclass(frozen=True)
class Family:
    """Cases of one kernel: each variant with each size.

    ``measure`` runs a case on the device in force, checks what has no figure (guards, exceptions)
    by ``assert``, and returns the largest error in ``unit``; at most ``bound`` is right.
    ``sampled`` is how many sizes a variant runs without ``--full``.
    """

    name: str
    variants: Sequence[str]
    sizes: Sequence[Any]
    measure: Callable[[str, Any], float]
    bound: Callable[[str], float]
    unit: str
    sampled: int = 3


def families() -> list[Family]:
    return [family for name in MODULES for family in import_module(name).FAMILIES]


def measured(family: Family, variant: str, size: Any, target: str) -> float:
    with tegula.device(f"sim:{target}", threads=1):
        return family.measure(variant, size)


def rows(chosen: Sequence[Family]) -> list[Row]:
    """Every case of some families, run."""
    found = []
    for family in chosen:
        for variant in family.variants:
            for target in targets.names():
                worst = max(measured(family, variant, size, target) for size in family.sizes)
                found.append({**head(family, variant, target), "error": f"{worst:.3g}"})
    return found


def head(family: Family, variant: str, target: str) -> Row:
    """A row but for its error."""
    bound = f"{family.bound(variant):g}"
    values = (family.name, variant, target, str(len(family.sizes)), "", bound, family.unit)
    return dict(zip(HEADS, values, strict=True))


def key(row: Row) -> tuple[str, str, str]:
    return row["family"], row["variant"], row["target"]


def read() -> list[Row]:
    """The rows of the page."""
    lines = [line for line in PATH.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
    return [dict(zip(HEADS, line, strict=True)) for line in cells]


def page(table: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
    lines += ["| " + " | ".join(row[name] for name in HEADS) + " |" for row in table]
    return TITLE + "\n" + "\n".join(lines) + "\n"


def main(names: Sequence[str]) -> None:
    """Measure and write; rows of other families stay as they are."""
    known = families()
    unknown = set(names) - {family.name for family in known}
    if unknown:
        sys.exit(f"no family {', '.join(sorted(unknown))}")
    found = rows([family for family in known if not names or family.name in names])
    kept = {key(row): row for row in (read() if PATH.exists() else [])}
    kept.update({key(row): row for row in found})
    order = [
        (family.name, variant, target)
        for family in known
        for variant in family.variants
        for target in targets.names()
    ]
    PATH.write_text(page([kept[name] for name in order if name in kept]))


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))  # as pytest has it
    main(sys.argv[1:])
