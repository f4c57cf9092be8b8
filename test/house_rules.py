"""Check the rules that a formatter can't: file length, architecture names, environment."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 800
SOURCE = re.compile(r"\.(c|cc|cpp|h|hpp|td|py)$")
# The only places that may name an architecture; in Python, texts may give one as an example.
OWN_ARCHITECTURES = ("lib/Target/", "lib/Sim/", "tools/tegula-sim/")
LIBRARY = ("lib/", "dialects/", "include/", "tools/")


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [f for f in listing.stdout.splitlines() if SOURCE.search(f) and (ROOT / f).exists()]


def without_comments(text: str) -> str:
    """C or C++ without comments, line for line."""
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
    return re.sub(r"//.*", "", text)


def library_faults(path: str, text: str) -> Iterator[str]:
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if re.search(r"\bgetenv\s*\(", line) and not path.startswith("tools/"):
            yield f"{path}:{number}: the library reads no environment"
        if re.search(r"gfx9\d", line) and not path.startswith(OWN_ARCHITECTURES):
            yield f"{path}:{number}: architecture named outside lib/Target and lib/Sim"


def python_faults(path: str, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and re.fullmatch(r"(sim:)?gfx\w+", str(node.value)):
            yield f"{path}:{node.lineno}: architecture as data; tegula.targets asks the compiler"


def faults(path: str) -> Iterator[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    if text.count("\n") > LONGEST_FILE:
        yield f"{path}: {text.count(chr(10))} lines, at most {LONGEST_FILE}"
    if path.startswith(LIBRARY) and not path.endswith(".py"):
        yield from library_faults(path, text)
    if path.startswith("python/tegula/"):
        yield from python_faults(path, text)


def main() -> int:
    found = [fault for path in tracked() for fault in faults(path)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
