"""Compare the labels of the code, of the dialect's README, of the invalid tests and of Python.

Every label the code can print has a row in the README and a test that provokes it, and nothing
else has; the class in the row is the one Python raises. Labels made from an op's name count
through their tests.
"""

import re
import sys
import types
from pathlib import Path

LABEL = re.compile(r"\[(cdna\.[a-z_]+\.c\d+)\]")
#: Checks that several ops share; their messages take the op's name.
SHARED = ("cdna.load", "cdna.store", "cdna.async_copy", "cdna.lds_store", "cdna.lds_load")
#: Printed by lib/Layout, whose own tests provoke them, or by passes of lib/CdnaTransforms.
ELSEWHERE = {"cdna.layout.c2", "cdna.layout.c3", "cdna.layout.c5", "cdna.layout.c6"}


def labels(paths: list[Path]) -> set[str]:
    return {label for path in paths for label in LABEL.findall(path.read_text())}


def raised(root: Path, label: str) -> str:
    package = types.ModuleType("tegula")  # the package without its imports
    package.__path__ = [str(root / "python/tegula")]
    sys.modules.setdefault("tegula", package)
    from tegula.labels import class_of

    return class_of(label).__name__


def main() -> None:
    root = Path(sys.argv[1])
    sources = [*root.glob("dialects/cdna/*.cpp"), *root.glob("lib/CdnaToROCDL/*.cpp")]
    code = labels(sources) | ELSEWHERE
    quoted = re.compile(r'"([a-z_]+\.c\d+)"')  # labels handed to a shared check
    code |= {f"cdna.{n}" for p in sources for n in quoted.findall(p.read_text())}
    folders = ("test/dialects/cdna", "test/lib/CdnaToROCDL")
    tests = labels([p for folder in folders for p in root.glob(f"{folder}/*.mlir")])
    table = (root / "dialects/cdna/README.md").read_text()
    rows = dict(re.findall(r"^\| `(cdna\.[a-z_]+\.c\d+)` \|.*\| (\w+) \|$", table, re.M))
    wrong = {label for label, name in rows.items() if name != raised(root, label)}
    shared = {label for label in tests if label.rsplit(".", 1)[0] in SHARED}
    for title, missing in (
        ("no test provokes", (code | set(rows)) - tests),
        ("the README lacks", (code | tests) - set(rows)),
        ("Python raises another class for", wrong),
        ("the code never prints", (set(rows) | tests) - code - shared),
    ):
        if missing:
            sys.exit(f"{title}: {', '.join(sorted(missing))}")


main()
