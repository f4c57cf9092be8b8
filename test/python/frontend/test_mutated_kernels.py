"""2,000 kernels spoilt at random: each raises an error with a label, at a line of the kernel."""

from __future__ import annotations

import ast
import itertools
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus import CORPUS, PRELUDE
from loading import load_module
from mutators import MUTATORS

import tegula as tg

COUNT, SEED = 2000, 20261130


@dataclass(frozen=True)
class Spoilt:
    """A malformed kernel: the correct one's name, what was done to it, and what may be said."""

    base: str
    mutator: str
    text: str
    labels: tuple[str, ...]


def spoil(number: int) -> Spoilt | None:
    """The kernel of a number; its seed is the number's alone."""
    r = random.Random(SEED * 100_003 + number)
    base = r.choice(sorted(CORPUS))
    function = ast.parse(CORPUS[base][0]).body[0]
    assert isinstance(function, ast.FunctionDef)
    mutator = MUTATORS[number % len(MUTATORS)]
    labels = mutator(function, r)
    if labels is None:
        return None
    text = ast.unparse(ast.fix_missing_locations(function))
    return Spoilt(base, mutator.__name__, text, labels)


def spoilt_kernels() -> list[Spoilt]:
    """The first COUNT different ones."""
    seen: dict[str, Spoilt] = {}
    for number in itertools.count():
        if len(seen) == COUNT:
            return list(seen.values())
        if (found := spoil(number)) is not None:
            seen.setdefault(found.text, found)
    raise AssertionError


def fault_of(kernel: Spoilt, folder: Path) -> str | None:
    """What is wrong with how it is refused; None when it is refused as it should be."""
    with pytest.raises(tg.Error) as caught:
        module = load_module(PRELUDE + kernel.text + "\n", folder)
        getattr(module, kernel.base).compile(*CORPUS[kernel.base][1](), target="gfx950")
    error = caught.value
    if isinstance(error, tg.InternalError) or not error.label:
        return f"{type(error).__name__} {error.label}: {error}"
    if not error.label.startswith(kernel.labels):
        return f"{error.label}, not {kernel.labels}: {error}"
    first, last = PRELUDE.count("\n") + 1, PRELUDE.count("\n") + kernel.text.count("\n") + 1
    if error.span is None or not first <= error.span.line <= last:
        return f"{error.label} at {error.span}"
    return None


@pytest.mark.parametrize("base", sorted(CORPUS))
def test_the_corpus_compiles(base: str, tmp_path: Path) -> None:
    text, arguments = CORPUS[base]
    module = load_module(PRELUDE + text, tmp_path)
    assert getattr(module, base).compile(*arguments(), target="gfx950").code_object


def test_spoilt_kernels(tmp_path: Path) -> None:
    kernels = spoilt_kernels()
    assert len({kernel.mutator for kernel in kernels}) == len(MUTATORS)
    faults = []
    for kernel in kernels:
        try:
            fault = fault_of(kernel, tmp_path)
        except pytest.fail.Exception as accepted:
            fault = str(accepted)
        if fault:
            faults.append(f"--- {kernel.mutator}: {fault}\n{kernel.text}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:20])
