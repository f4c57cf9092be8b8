"""Kernels written to files, so that they have source text like a user's."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

_numbers = itertools.count()


@pytest.fixture
def module(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Imports source text as a module of its own."""

    def load(text: str) -> ModuleType:
        return load_module(text, tmp_path)

    return load


def load_module(text: str, folder: Path) -> ModuleType:
    name = f"kernels_under_test_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
