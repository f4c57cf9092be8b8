"""Kernels written to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from loading import load_module


@pytest.fixture
def module(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Imports source text as a module of its own."""

    def load(text: str) -> ModuleType:
        return load_module(text, tmp_path)

    return load
