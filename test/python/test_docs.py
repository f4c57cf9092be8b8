"""The blocks of the guide and of the READMEs run as they stand, and print what is written there."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.torch

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str, language: str = "python") -> list[str]:
    text = (ROOT / page).read_text()
    fenced: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [block for found, block in fenced if found == language]


def shell(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run commands as somebody who has activated the virtual environment."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


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
    assert len(found) == 17
    run("\n".join(found), tmp_path / "guide.py")


def test_the_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, launch, model = blocks("README.md")
    module = run(kernel + launch, tmp_path / "readme_kernel.py")
    x = module.x.astype(np.float64)
    right = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(module.out, right, rtol=2e-6)
    assert "cdna.kernel @rms_norm" in capsys.readouterr().out
    tegula.torch.reset_report()
    run(model, tmp_path / "readme_model.py")
    assert capsys.readouterr().out in blocks("README.md", "")


def test_the_readme_ahead_of_time(tmp_path: Path) -> None:
    [command] = [block for block in blocks("README.md", "") if block.startswith("tegula compile")]
    done = shell(command, tmp_path)
    assert done.returncode == 0 and done.stdout == "out/gemm.json\n"
    assert (tmp_path / "out" / "gemm.h").exists()
    program = tegula.load_program(tmp_path / "out" / "gemm.json")
    a, b = np.eye(8, 24, dtype=ml_dtypes.bfloat16), np.ones((40, 24), ml_dtypes.bfloat16).T
    for target in tegula.targets.names():
        c = np.zeros((8, 40), np.float32)
        with tegula.device(f"sim:{target}"):
            program(a, b, c)
        assert (c == 1).all()


def test_from_a_source_file_to_a_report(tmp_path: Path) -> None:
    """The walk in tegula-sim's README; addresses are masked, and the folder is left out."""
    page = "tools/tegula-sim/README.md"
    [source], [printed] = blocks(page, "c"), blocks(page, "")
    walk = blocks(page, "sh")[1]

    def shown(text: str) -> str:
        return re.sub(r"0x[0-9a-f]{9,}", "ADDRESS", text.replace(f"{tmp_path}/", "…/"))

    (tmp_path / "axpy.cl").write_text(source)
    done = shell(walk, tmp_path)
    assert done.returncode == 3 and shown(done.stdout).startswith(shown(printed)), done.stdout
    [report] = [block for block in blocks("README.md", "") if block.startswith("error: ")]
    head, *places = shown(report).splitlines()
    assert head.removesuffix("…") in shown(done.stdout) and "\n".join(places) in shown(done.stdout)

    (tmp_path / "axpy.cl").write_text(source.replace("<=", "<"))
    done = shell(walk, tmp_path)
    assert done.returncode == 0 and "error" not in done.stdout
    assert np.array_equal(np.load(tmp_path / "y.npy"), 2.5 * np.load(tmp_path / "x.npy"))
