"""Every malformed kernel raises the class of its rule, at its line, and nothing else."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import ModuleType

import pytest
from loading import load_module
from malformed import CASES, HEAD, PRELUDE, arrays

import tegula as tg
from tegula.labels import class_of


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, list[str]]:
    """One module with all malformed kernels, and its lines."""
    parts = [PRELUDE]
    for number, (_, body) in enumerate(CASES):
        parts.append(HEAD.format(name=f"k{number}") + textwrap.indent(body, "    ") + "\n")
    text = "\n".join(parts)
    folder: Path = tmp_path_factory.mktemp("malformed")
    return load_module(text, folder), text.splitlines()


@pytest.mark.parametrize("number", range(len(CASES)), ids=[label for label, _ in CASES])
def test_malformed_kernel(kernels: tuple[ModuleType, list[str]], number: int) -> None:
    module, lines = kernels
    label, body = CASES[number]
    kernel = getattr(module, f"k{number}")
    with pytest.raises(tg.Error) as caught:
        kernel.trace(*arrays(), target="gfx950")
    error = caught.value
    assert error.label == label, str(error)
    assert type(error) is class_of(label)
    assert error.span is not None and error.span.file.startswith("kernels_under_test_")
    first = kernel.definition.tree.node.lineno
    wanted = next(n for n in range(first, len(lines) + 1) if "#!" in lines[n - 1])
    assert error.span.line == wanted, str(error)
    assert "^" in str(error)


def test_table_is_broad() -> None:
    labels = {label for label, _ in CASES}
    assert len(CASES) >= 200
    assert len(labels) >= 40
