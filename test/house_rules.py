"""Check the rules that a formatter can't: file length, architecture names, environment."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 800
SOURCE = re.compile(r"\.(c|cc|cpp|h|hpp|td|py)$")
OWN_ARCHITECTURES = ("lib/Target/", "lib/Sim/")  # the only folders that may name an architecture


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [f for f in listing.stdout.splitlines() if SOURCE.search(f) and (ROOT / f).exists()]


def faults(path: str) -> Iterator[str]:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    if len(lines) > LONGEST_FILE:
        yield f"{path}: {len(lines)} lines, at most {LONGEST_FILE}"
    in_library = path.startswith(("lib/", "dialects/"))
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if in_library and re.search(r"\bgetenv\s*\(", code):
            yield f"{path}:{number}: the library reads no environment"
        if in_library and not path.startswith(OWN_ARCHITECTURES) and not path.endswith(".td"):
            if re.search(r"gfx9\d", code):
                yield f"{path}:{number}: architecture named outside lib/Target and lib/Sim"


def main() -> int:
    found = [fault for path in tracked() for fault in faults(path)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
