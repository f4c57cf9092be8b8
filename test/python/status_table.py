"""Writes docs/status.md: every op of the tile dialect and what there is of it.

    PYTHONPATH=python .venv/bin/python test/python/status_table.py

Read off the sources: the ops' definitions, the list of lowerings, the interpreter, the tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tegula.interpreter  # noqa: F401 - it registers the primitives
from tegula.compiler.program import description
from tegula.interpreter.run import PackedArray
from tegula.interpreter.tile import Tile
from tegula.interpreter.view import View
from tegula.language import dtypes
from tegula.language.primitives import EAGER

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "docs" / "status.md"
TITLE = """# Status of the tile dialect

What there is of each op: a verifier (its rules are in [errors.md](errors.md)), folds or canonical
forms, a meaning in `interpret`, a lowering on each target, and the files of tests that name it or
what writes it in Python. Products list the operand types of `tile.mma` that the target's matrix
cores take; what they take beyond (codes of 4 and 6 bits, scales of blocks) has no op yet.

This page is written by `test/python/status_table.py`; a test compares it with the sources.
"""
DEFINITION = re.compile(
    r"^def Tile_(\w+Op)\s*:\s*Tile_\w+<\s*\"(\w+)\"(.*?)(?=^def |\Z)", re.M | re.S
)
#: What means an op in the interpreter where it is no primitive of the op's name.
MEANINGS: dict[str, tuple[Any, str]] = {
    "kernel": (tegula.interpreter, "run"),
    "func": (tegula.interpreter, "run"),
    "return": (tegula.interpreter, "run"),
    "resident": (EAGER, "persistent"),
    "dim": (View, "shape"),
    "stride": (View, "strides"),
    "slice": (View, "__getitem__"),
    "index": (View, "__getitem__"),
    "expand": (View, "__getitem__"),
    "permute_view": (View, "T"),
    "broadcast": (EAGER, "broadcast_to"),
    "reshape": (Tile, "reshape"),
    "transpose": (EAGER, "permute"),
    "cast": (Tile, "to"),
    "math": (EAGER, "exp2"),
    "reduce": (EAGER, "sum"),
    "concat": (EAGER, "cat"),
    "extract": (EAGER, "split"),
    "element": (Tile, "__bool__"),
    "assert": (EAGER, "assert_"),
    "exit": (EAGER, "assert_"),
    "atomic_rmw": (EAGER, "atomic_add"),
    "reduce_region": (EAGER, "reduce"),
    "yield": (EAGER, "scan"),
    "pack": (PackedArray, "write_back"),
    "unpack": (PackedArray, "write_back"),
}
#: What only passes write: grids that a launch cannot have are refused before there is anything to
#: assume, and a workgroup arrives where one loop was split over several.
WITHOUT_MEANING = {"assume", "arrive"}


@dataclass(frozen=True)
class Op:
    """An op's definition."""

    cls: str
    name: str
    body: str


def ops() -> list[Op]:
    files = sorted((ROOT / "dialects" / "tile").glob("*.td"))
    return [Op(*m.groups()) for file in files for m in DEFINITION.finditer(file.read_text())]


def has_fold(op: Op, folds: str) -> bool:
    named = any(f"let {word} = 1" in op.body for word in ("hasFolder", "hasCanonicalizeMethod"))
    return named or "hasCanonicalizer = 1" in op.body or f"{op.cls}::" in folds


def is_interpreted(op: Op) -> bool:
    owner, name = MEANINGS.get(op.name, (EAGER, op.name))
    found = name in owner if isinstance(owner, dict) else hasattr(owner, name)
    assert found or op.name in WITHOUT_MEANING, f"tile.{op.name} has no meaning in interpret"
    return found


def products(target: dict[str, Any]) -> str:
    """What tile.mma.c4 allows and an instruction takes."""
    allowed = {dtype.name for dtype in dtypes.ALL if dtype.bits >= 8}
    return " ".join(sorted({r["a"] for r in target["mfma"] if r["a"] == r["b"]} & allowed))


def files_of_tests(op: Op) -> int:
    """Files below test/ that name the op, or the primitive that writes it."""
    names = [rf"\btile\.{op.name}\b"]
    owner, name = MEANINGS.get(op.name, (EAGER, op.name))
    if owner is EAGER:
        names.append(rf"\btg\.{name}\b")
    pattern = re.compile("|".join(names))
    files = [*(ROOT / "test").rglob("*.mlir"), *(ROOT / "test").rglob("*.py")]
    return sum(1 for file in files if pattern.search(file.read_text()))


def page() -> str:
    """The page as it should be."""
    files = [ROOT / "dialects" / "tile" / "TileLowerings.cpp"]
    files += sorted((ROOT / "lib" / "TileTransforms").glob("Expand*.cpp"))  # into other tile ops
    lowered = "\n".join(file.read_text() for file in files)
    folds = (ROOT / "dialects" / "tile" / "TileViewFolds.cpp").read_text()
    targets = description()["targets"]
    names = [target["name"] for target in targets]
    heads = ["op", "verifier", "folds", "interpret", *names, "test files"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for op in sorted(ops(), key=lambda op: op.name):
        done = op.cls in ("KernelOp", "FuncOp") or re.search(rf"\b{op.cls}\b", lowered)
        verified = "hasVerifier = 1" in op.body
        cells = [f"`tile.{op.name}`", _mark(verified), _mark(has_fold(op, folds))]
        cells.append(_mark(is_interpreted(op)))
        for target in targets:
            cells.append(products(target) if op.name == "mma" else _mark(bool(done)))
        lines.append("| " + " | ".join([*cells, str(files_of_tests(op))]) + " |")
    return TITLE + "\n" + "\n".join(lines) + "\n"


def _mark(present: bool) -> str:
    return "yes" if present else "–"


if __name__ == "__main__":
    PATH.write_text(page())
