"""The real worker survives a fatal error, a stack overflow and an endless compile of LLVM."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stages
import tegula
from tegula.compiler import service
from tegula.compiler.pool import pool
from tegula.compiler.program import program
from tegula.frontend.module import Module
from tegula.kernels import softmax


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Module:
    """A kernel to compile, and a compiler in place that fails when it is told to."""
    monkeypatch.setenv("TEGULA_CACHE", "0")
    monkeypatch.setenv("TEGULA_REPRODUCER_DIR", str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tegula-compile").symlink_to(stages.tools / "tegula-test-compile")
    x = np.zeros((2, 64), dtype=ml_dtypes.bfloat16)
    traced = softmax.trace(x, x.copy(), target="gfx950")
    monkeypatch.setenv("TEGULA_NATIVE_DIR", str(tmp_path))
    return traced


def test_the_compiler_itself_has_no_faults_to_plant(module: Module, monkeypatch: Any) -> None:
    monkeypatch.delenv("TEGULA_NATIVE_DIR")
    with pytest.raises(tegula.Error, match="unknown option 'fault'"):
        service.run(module, "gfx950", "object", {"fault": "fatal"})


@pytest.mark.parametrize("fault", ["fatal", "stack", "hang"])
def test_fault_becomes_an_internal_error_and_the_next_compile_works(
    module: Module, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = service.run(module, "gfx950", "object")[1]
    if fault == "hang":
        monkeypatch.setenv("TEGULA_COMPILE_TIMEOUT", "2")
    with pytest.raises(tegula.InternalError) as caught:
        service.run(module, "gfx950", "object", {"fault": fault})
    assert caught.value.reproducer is not None
    assert module.text in Path(caught.value.reproducer).read_text()
    monkeypatch.setenv("TEGULA_COMPILE_TIMEOUT", "120")
    assert service.run(module, "gfx950", "object")[1] == whole


def least_memory() -> int:
    """MB that the compiler takes before it compiles anything, in its own words."""
    command = [program(), "--memory-limit", "1", "-"]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    found = re.search(r"the compiler itself takes (\d+) MB", said)
    assert found is not None, said
    return int(found.group(1))


@pytest.mark.parametrize("more", [2, 16, 32])
def test_exhausted_memory_is_named(
    module: Module, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    monkeypatch.delenv("TEGULA_NATIVE_DIR")
    limit = least_memory() + more
    monkeypatch.setenv("TEGULA_COMPILE_MEMORY", str(limit))
    pool().close()  # a worker keeps the limit it was started with
    with pytest.raises(tegula.InternalError, match=f"out of memory: .* {limit} MB") as caught:
        service.run(module, "gfx950", "object")
    assert caught.value.label == "compile.memory.c1"
    pool().close()
    monkeypatch.delenv("TEGULA_COMPILE_MEMORY")
    assert service.run(module, "gfx950", "object")[1].startswith(b"\x7fELF")
