"""Compare the labels of the code, of the dialect's README, of the invalid tests and of Python.

Every label the code can print has a row in the README and a test that provokes it, and nothing
else has; the class in the row is the one Python raises. A label built from the op's name
(`<< op->getName() << ".c1]"`) counts through its tests.
"""

import re
import sys
import types
from pathlib import Path

SHARED_CHECKS = {
    *("tile.dim", "tile.stride", "tile.index", "tile.load", "tile.store", "tile.valid"),
    *("tile.tile_id", "tile.num_tiles"),
}
LABEL = re.compile(r"\[(tile\.[a-z_]+(?:\.c\d+)?)\]")


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
    code = labels([*root.glob("dialects/tile/*.cpp"), *root.glob("lib/TileTransforms/*.cpp")])
    quoted = re.compile(r'"(tile\.[a-z_]+\.c\d+)"')  # labels handed to a shared check
    code |= {n for p in root.glob("dialects/tile/*.cpp") for n in quoted.findall(p.read_text())}
    folders = ("test/dialects/tile", "test/lib/TileTransforms")
    tests = labels([path for folder in folders for path in root.glob(f"{folder}/*.mlir")])
    table = (root / "dialects/tile/README.md").read_text()
    rows = dict(re.findall(r"^\| `(tile\.[a-z_]+(?:\.c\d+)?)` \|.*\| (\w+) \|$", table, re.M))
    readme = set(rows)
    wrong = {label for label, name in rows.items() if name != raised(root, label)}
    by_name = {label for label in tests if label.rsplit(".", 1)[0] in SHARED_CHECKS}
    for title, missing in (
        ("no test provokes", (code | readme) - tests),
        ("the README lacks", (code | tests) - readme),
        ("Python raises another class for", wrong),
        ("the code never prints", (readme | tests) - code - by_name),
    ):
        if missing:
            sys.exit(f"{title}: {', '.join(sorted(missing))}")


main()
