"""The real worker survives a fatal error, a stack overflow and an endless compile of LLVM."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tegula
from tegula.compiler import service
from tegula.frontend.module import Module
from tegula.kernels import softmax


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Module:
    monkeypatch.setenv("TEGULA_CACHE", "0")
    monkeypatch.setenv("TEGULA_REPRODUCER_DIR", str(tmp_path))
    x = np.zeros((2, 64), dtype=ml_dtypes.bfloat16)
    return softmax.trace(x, x.copy(), target="gfx950")


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
