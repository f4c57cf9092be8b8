"""The Python blocks of the guide and of the README run as they stand."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: What the README's reader brings along.
READERS = """
import ml_dtypes, numpy as np, torch
x = np.ones((3, 64), np.float32); w = np.ones(64, np.float32)
out = np.empty_like(x); rstd = np.empty((3, 1), np.float32)
"""
MODEL = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.RMSNorm(64)).bfloat16().eval()
x = torch.randn(5, 64).bfloat16()
"""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def run(text: str, path: Path) -> ModuleType:
    """Kernels are read from their file, so the text is one."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_guide(tmp_path: Path) -> None:
    found = blocks("docs/guide.md")
    assert len(found) == 13
    run("\n".join(found), tmp_path / "guide.py")


def test_the_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, launch, model = blocks("README.md")
    module = run(kernel + READERS + launch, tmp_path / "readme_kernel.py")
    assert abs(module.out - 1).max() < 1e-4
    assert "cdna.kernel @rms_norm" in capsys.readouterr().out
    run(MODEL + model, tmp_path / "readme_model.py")
    report = capsys.readouterr().out
    assert re.search(r"mm +tegula +1", report) and re.search(r"rms_norm +tegula +1", report)
