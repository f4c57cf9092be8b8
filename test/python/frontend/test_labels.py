"""Every label of the front end stands in its README, in the code, and in a test."""

from __future__ import annotations

import re
from pathlib import Path

import tegula
from tegula.frontend import unsupported
from tegula.labels import class_of

PACKAGE = Path(tegula.__file__).parent
TESTS = Path(__file__).parent


def documented() -> set[str]:
    """Labels of the README's table: ``front.type.operand`` `.view` is two of one family."""
    labels = set()
    for row in (PACKAGE / "frontend" / "README.md").read_text().splitlines():
        if row.startswith("| `front."):
            first, *rest = re.findall(r"`([\w.]+)`", row.split("|")[1])
            family = first.rpartition(".")[0]
            labels |= {first, *(family + suffix for suffix in rest)}
    return labels


def used() -> set[str]:
    """Labels in the source text."""
    tables = (*unsupported.STATEMENTS.values(), *unsupported.EXPRESSIONS.values())
    labels = {f"front.syntax.{suffix}" for suffix, _, _ in tables}
    for path in PACKAGE.rglob("*.py"):
        labels |= set(re.findall(r'"(front\.\w+\.\w+)"', path.read_text()))
    return labels


def test_documented_labels_are_the_used_ones() -> None:
    assert documented() == used()


def test_every_label_has_a_class_and_a_test() -> None:
    text = "\n".join(path.read_text() for path in TESTS.glob("*.py"))
    tested = set(re.findall(r"\bfront\.\w+\.\w+", text))
    for label in used():
        assert class_of(label) is not tegula.InternalError
    assert used() <= tested, used() - tested
