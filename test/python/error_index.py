"""Writes docs/errors.md: every label with an example of what is wrong, and what is said to cure it.

    PYTHONPATH=python .venv/bin/python test/python/error_index.py

The labels and their classes are the rows of the READMEs; the examples are those of the tests, and
what is said is what the compiler says of them when this runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("test", "test/python", "test/python/frontend", "test/python/compiler")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

from loading import load_module  # noqa: E402
from malformed import CASES as FRONT_CASES  # noqa: E402
from malformed import HEAD, PRELUDE, arrays  # noqa: E402
from test_labels import rows  # noqa: E402
from verifier_cases import CASES as VERIFIER_CASES  # noqa: E402

import tegula as tg  # noqa: E402
from tegula import labels  # noqa: E402

PATH = ROOT / "docs" / "errors.md"
TITLE = """# Errors, by label

Each message of the compiler ends with its label. Here is each label with something wrong, from the
tests, and what is said of it. `call.argument` names an argument of a call, what was found and what
was expected. An `InternalError` is a fault of Tegula: please report it with the file it names.

This page is written by `test/python/error_index.py`; a test compares it with what is said today.
"""
#: Whole modules for labels whose fault is not in a kernel's body; the last line raises.
MODULES = {
    "front.branch.returns": """@tg.function
def half(x, n):
    if n > 0:
        return x / 2.0
@tg.kernel(grid=lambda x: (1,))
def k(x: "N", n: tg.i32):
    y = half(tg.load(x, (0,), (16,)), n)
k.trace(zeros(16), 1, target="gfx950")""",
    "front.const.auto": """@tg.kernel(grid=lambda x: (1,))
def k(x: "N", *, T: tg.tile = tg.auto):
    t = tg.zeros((T,), tg.f32)
k.trace(zeros(16), target="gfx950")""",
    "front.name.grid": """@tg.kernel(grid=lambda z: (1,))
def k(x: "N"):
    pass
k.trace(zeros(16), target="gfx950")""",
    "front.shape.grid": """@tg.kernel(grid=lambda x: (1, 1, 1, 1))
def k(x: "N"):
    pass
k.trace(zeros(16), target="gfx950")""",
    "front.type.grid": """@tg.kernel(grid=lambda x: (x.shape[0] / 2,))
def k(x: "N"):
    pass
k.trace(zeros(16), target="gfx950")""",
    "front.shape.tile_id": """@tg.kernel(grid=lambda x: tg.num_tiles(x, (16, 16)))
def k(x: "M N"):
    m, n = tg.tile_id(x, (16, 8))
k.trace(zeros(16, 16), target="gfx950")""",
    "front.syntax.grid": """@tg.kernel
def k(x: "N"):
    pass""",
    "front.syntax.option": """@tg.kernel(grid=lambda x: (1,), denormals="zero")
def k(x: "N"):
    pass""",
    "front.syntax.outside": """tg.program_id(0)""",
    "front.syntax.parameter": """@tg.kernel(grid=lambda x: (1,))
def k(x: "N", y: int):
    pass
k.trace(zeros(16), 1, target="gfx950")""",
    "front.syntax.recursion": """@tg.function
def again(x):
    return again(x)
@tg.kernel(grid=lambda x: (1,))
def k(x: "N"):
    y = again(tg.load(x, (0,), (16,)))
k.trace(zeros(16), target="gfx950")""",
    "front.syntax.source": """space = dict(tg=tg)
exec("@tg.kernel(grid=lambda x: (1,))\\ndef k(x: 'N'): pass", space)
space["k"].trace(zeros(16), target="gfx950")""",
    "front.schedule.field": """softmax.with_schedule(gfx950=dict(wave=(2, 2)))""",
    "front.schedule.value": """softmax.with_schedule(gfx950=dict(lds="cache"))""",
    "front.schedule.target": """softmax.with_schedule(gfx1100=dict(waves=(2, 2)))""",
    "front.target.name": """softmax.compile(zeros(4, 64), zeros(4, 64), target="gfx90")""",
}
MODULE_HEAD = """import numpy as np
import tegula as tg
from tegula.kernels import softmax
zeros = lambda *shape: np.zeros(shape, np.float32)
"""
SAID = re.compile(r"^.*?:(\d+):\d+: error: (.*?) \[([\w.]+)\]$", re.M)


@dataclass
class Entry:
    """What is wrong, and what is said."""

    wrong: str = ""
    said: str = ""


def entry_of(wrong: str, error: tg.Error) -> Entry:
    said = f"{error.message}; {error.help}" if error.help else error.message
    return Entry(wrong, " ".join(said.split()))


def python_entries() -> dict[str, Entry]:
    """The first example of each label in the tests' malformed kernels."""
    first: dict[str, str] = {}
    for label, body in (*FRONT_CASES, *VERIFIER_CASES):
        first.setdefault(label, body)
    parts = [PRELUDE]
    for number, body in enumerate(first.values()):
        parts.append(HEAD.format(name=f"k{number}") + textwrap.indent(body, "    ") + "\n")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        module = load_module("\n".join(parts), Path(folder))
        for number, (label, body) in enumerate(first.items()):
            try:
                getattr(module, f"k{number}").compile(*arrays(), target="gfx950")
            except tg.Error as error:
                found[label] = entry_of(body.replace(" #!", ""), error)
    return found


def module_entries() -> dict[str, Entry]:
    """What loading each of MODULES raises; it must be its label."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for label, text in MODULES.items():
            try:
                load_module(MODULE_HEAD + text + "\n", Path(folder))
            except tg.Error as error:
                assert error.label == label, f"{error.label}, not {label}"
                found[label] = entry_of(text, error)
    assert set(found) == set(MODULES)
    return found


def lit_commands(path: Path) -> list[list[str]]:
    """The commands of a test that expects errors, without the option that swallows them."""
    commands = []
    for line in re.findall(r"// RUN: (tegula-opt .*-verify-diagnostics.*)", path.read_text()):
        words = [word.strip("\"'") for word in line.split("|")[0].split()]
        commands.append(
            [
                str(path) if word == "%s" else word
                for word in words[1:]
                if "verify-diagnostics" not in word and word not in ("2>&1", "-o", "/dev/null")
            ]
        )
    return commands


def lit_entries(tools: Path) -> dict[str, Entry]:
    """Examples of the lit tests, by the label that tegula-opt gives at their line."""
    found: dict[str, Entry] = {}
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        lines = path.read_text().splitlines()
        for command in lit_commands(path):
            done = subprocess.run(
                [tools / "tegula-opt", *command, "-mlir-print-op-on-diagnostic=false"],
                capture_output=True,
                text=True,
                check=False,
            )
            for line, said, label in SAID.findall(done.stderr):
                if 0 < int(line) <= len(lines):
                    found.setdefault(label, Entry(lines[int(line) - 1].strip(), said))
    return found


def cell(text: str, code: bool = False) -> str:
    """Text that fits one cell of a table."""
    lines = [line for line in text.splitlines() if line.strip()]
    quoted = [f"`{line.replace('|', chr(92) + '|')}`" if code else line for line in lines]
    joined = "<br>".join(quoted)
    return joined if code else joined.replace("|", "\\|")


def page(tools: Path) -> str:
    """The page as it should be."""
    examples = {**lit_entries(tools), **python_entries(), **module_entries()}
    parts = [TITLE]
    by_family: dict[str, list[str]] = {}
    for label, row in sorted(rows().items()):
        entry = examples.get(label, Entry(said=row.rule))
        cls = labels.class_of(label).__name__
        line = f"| `{label}` | {cls} | {cell(entry.wrong, code=True)} | {cell(entry.said)} |"
        by_family.setdefault(label.split(".")[0], []).append(line)
    for family, lines in sorted(by_family.items()):
        parts.append(
            f"\n## {family}\n\n| label | class | wrong | what is said |\n|---|---|---|---|"
        )
        parts += lines
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PATH.write_text(page(ROOT / "build" / "bin"))
