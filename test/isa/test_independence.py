"""The oracles share with the executor only the public API and the tables of operand shapes."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parent
OUTSIDE = {"numpy", "ml_dtypes", "mpmath", "pytest", "tegula", "isa", "sampling"}
STANDARD = {
    "__future__", "ast", "collections", "contextlib", "csv", "dataclasses", "fractions",
    "functools", "importlib", "itertools", "math", "pathlib", "random", "re", "struct",
    "subprocess", "sys", "tempfile", "typing",
}  # fmt: skip


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names


def test_the_oracles_import_nothing_of_the_simulator() -> None:
    for path in FOLDER.glob("*.py"):
        for name in imported(ast.parse(path.read_text())):
            assert name.split(".")[0] in OUTSIDE | STANDARD, f"{path.name} imports {name}"
            assert not name.startswith("tegula.") or name == "tegula.sim", path.name


def test_the_oracles_read_no_source_but_the_tables() -> None:
    for path in FOLDER.glob("*.py"):
        if path != Path(__file__):
            text = path.read_text()
            assert "Exec" not in text and "libtegula" not in text, path.name
            assert '"Sim"' not in text or path.name == "forms.py", path.name
