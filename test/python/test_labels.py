"""Every label stands in the code, in one README and in a test, and raises what its row says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

import stages
import tegula
from tegula import labels
from tegula.frontend import unsupported

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("dialects", "lib", "tools", "python/tegula")
#: A rule (``tile.mma.c2``) or a normal form (``tile.tails_split``); the front end's have words.
RULE = r"(?:tile|cdna|compile|object)\.[a-z_]+\.c\d+"
LABEL = re.compile(rf"\b(?:{RULE}|front\.[a-z]+\.[a-z_]+)\b")
FORM = re.compile(r'StringLiteral k\w+Attr = "((?:tile|cdna)\.\w+)"')
#: Messages of checks that several ops share end in the op's name and ``.c1``.
SHARED = re.compile(r'<<\s*(?:name|op->getName\(\))\s*<<\s*"\.(c\d+)\]"')
SHARED_ENTRY = re.compile(r'"([a-z_]+\.c\d+)"')
#: Nothing that a test can do provokes these.
NOT_PROVOKED = {"object.llvm.c1": "an LLVM without this back end"}


def texts(folders: Iterable[str], *suffixes: str) -> dict[Path, str]:
    return {
        path: path.read_text()
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes and "_native" not in path.parts
    }


def found_in(files: dict[Path, str]) -> set[str]:
    return {label for text in files.values() for label in LABEL.findall(text)}


def forms() -> set[str]:
    """Attributes that the verifiers enforce; their name is the label."""
    names = set(FORM.findall((ROOT / "dialects/tile/Tile.h").read_text()))
    names |= set(FORM.findall((ROOT / "dialects/cdna/Cdna.h").read_text()))
    # Attributes that are no forms; the last is a form whose errors are those of tile.target.c1.
    arguments = {"tile.name", "tile.alias", "tile.large", "tile.workspace", "tile.zeroed"}
    facts = {"tile.records", "tile.asserts", "tile.record_sites", "tile.order_dependent"}
    return names - arguments - facts - {"tile.legal_for_target"}


def in_code() -> set[str]:
    files = texts(SOURCES, ".cpp", ".h", ".py")
    files.pop(ROOT / "python/tegula/labels.py")
    tables = (*unsupported.STATEMENTS.values(), *unsupported.EXPRESSIONS.values())
    return found_in(files) | forms() | {f"front.syntax.{suffix}" for suffix, _, _ in tables}


def composed() -> set[tuple[str, str]]:
    """(dialect, rule) of messages whose middle part is an op's name, and labels handed to them."""
    pairs = set()
    for path, text in texts(("dialects",), ".cpp").items():
        pairs |= {(path.parent.name, rule) for rule in SHARED.findall(text)}
        pairs |= {(path.parent.name, label) for label in SHARED_ENTRY.findall(text)}
    return pairs


class Row(NamedTuple):
    """What a README says of a label."""

    rule: str
    cls: str  # "" where the table has no classes
    files: list[str]


def rows() -> dict[str, Row]:
    """The row of each label; one row may list several of a family."""
    result: dict[str, Row] = {}
    for path, text in texts((*SOURCES, "."), ".md").items():
        if path.name != "README.md" or path.is_relative_to(ROOT / "build"):
            continue
        for line in text.splitlines():
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            names = re.findall(r"`([\w.]+)`", cells[0])
            if not line.startswith("|") or not names:
                continue
            family = names[0].rpartition(".")[0]
            for name in (names[0], *(family + suffix for suffix in names[1:])):
                if LABEL.fullmatch(name) or name in forms():
                    cls = cells[-1] if len(cells) > 2 else ""
                    seen = result.setdefault(name, Row(cells[1], cls, [])).files
                    if str(path) not in seen:
                        seen.append(str(path))
    return result


def in_tests() -> set[str]:
    files = texts(("test",), ".cpp", ".mlir", ".py")
    files.pop(Path(__file__).resolve())
    text = "\n".join(files.values())
    return found_in(files) | {form for form in forms() if f"[{form}]" in text}


def test_every_label_of_the_code_has_a_row() -> None:
    assert in_code() - set(rows()) == set()


def test_every_row_is_a_label_of_the_code() -> None:
    known, parts = in_code(), composed()
    for label in set(rows()) - known:
        dialect, rest = label.split(".", 1)
        rule = rest.rpartition(".")[2]
        assert (dialect, rule) in parts or (dialect, rest) in parts, label


def test_every_label_has_one_row() -> None:
    twice = {label: row.files for label, row in rows().items() if len(row.files) > 1}
    assert not twice


def test_every_label_has_a_test() -> None:
    assert set(rows()) - in_tests() == set(NOT_PROVOKED)
    unknown = {label for label in in_tests() - set(rows()) if not label.startswith("front.")}
    assert unknown == set()


def test_rows_name_the_class_that_is_raised() -> None:
    classes = {name for name in vars(tegula.errors) if name[0].isupper()}
    for label, row in rows().items():
        if row.cls in classes:
            assert labels.class_of(label).__name__ == row.cls, label
        elif label.startswith("front."):
            assert labels.class_of(label) is not tegula.InternalError, label


def test_the_table_of_classes_has_no_other_rules() -> None:
    listed = {prefix for prefix in labels.known_prefixes() if re.fullmatch(RULE, prefix)}
    assert listed - set(rows()) == set()


def test_the_index_is_up_to_date() -> None:
    """docs/errors.md is what error_index.py writes."""
    import error_index  # it imports this file

    written = error_index.PATH.read_text().splitlines()
    assert written == error_index.page(stages.tools).splitlines(), (
        "run PYTHONPATH=python .venv/bin/python test/python/error_index.py"
    )


def test_the_status_table_is_up_to_date() -> None:
    """docs/status.md is what status_table.py writes."""
    import status_table

    assert status_table.PATH.read_text() == status_table.page(), (
        "run PYTHONPATH=python .venv/bin/python test/python/status_table.py"
    )


@pytest.mark.parametrize("folder", SOURCES)
def test_the_checks_see_every_folder(folder: str) -> None:
    assert found_in(texts((folder,), ".cpp", ".h", ".py")) or folder == "tools"
