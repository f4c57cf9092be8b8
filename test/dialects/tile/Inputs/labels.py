"""Compare the labels of the code, of the dialect's README and of the invalid tests.

Every label the code can print has a row in the README and a test that provokes it, and nothing
else has. A label built from the op's name (`<< op->getName() << ".c1]"`) counts through its tests.
"""

import re
import sys
from pathlib import Path

LABEL = re.compile(r"\[(tile\.[a-z_]+(?:\.c\d+)?)\]")


def labels(paths: list[Path]) -> set[str]:
    return {label for path in paths for label in LABEL.findall(path.read_text())}


def main() -> None:
    root = Path(sys.argv[1])
    code = labels([*root.glob("dialects/tile/*.cpp"), *root.glob("lib/TileTransforms/*.cpp")])
    quoted = re.compile(r'"(tile\.[a-z_]+\.c\d+)"')  # labels handed to a shared check
    code |= {n for p in root.glob("dialects/tile/*.cpp") for n in quoted.findall(p.read_text())}
    tests = labels([*root.glob("test/dialects/tile/*.mlir"), *root.glob("test/lib/TileTransforms/*.mlir")])
    readme = set(re.findall(r"^\| `(tile\.[a-z_]+(?:\.c\d+)?)` \|", (root / "dialects/tile/README.md").read_text(), re.M))
    by_name = {label for label in tests if label.rsplit(".", 1)[0] in (
        "tile.dim", "tile.stride", "tile.index", "tile.load", "tile.store", "tile.valid", "tile.tile_id",
        "tile.num_tiles")}
    for title, missing in (
        ("no test provokes", (code | readme) - tests),
        ("the README lacks", (code | tests) - readme),
        ("the code never prints", (readme | tests) - code - by_name),
    ):
        if missing:
            sys.exit(f"{title}: {', '.join(sorted(missing))}")


main()
