"""A compiler for tests of its client."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_compiler import SCRIPT

from tegula.compiler import cache
from tegula.compiler.program import description
from tegula.native import binding


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Installs a script as the compiler; every test has its own cache and reproducers."""
    binding("_runtime")  # the real one: only the compiler is another
    described = json.dumps(description())
    monkeypatch.setenv("TEGULA_NATIVE_DIR", str(tmp_path / "native"))
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TEGULA_REPRODUCER_DIR", str(tmp_path / "reproducers"))
    monkeypatch.setenv("TEGULA_COMPILE_TIMEOUT", "20")
    monkeypatch.setattr(cache, "_warned", False)

    def install(behaviour: str) -> Path:
        path = tmp_path / "native" / "bin" / "tegula-compile"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            SCRIPT.format(python=sys.executable, described=described, behaviour=behaviour)
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return tmp_path

    return install
