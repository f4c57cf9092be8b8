"""Imports source text from a file, so that kernels have source like a user's."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

_numbers = itertools.count()


def load_module(text: str, folder: Path) -> ModuleType:
    name = f"kernels_under_test_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
