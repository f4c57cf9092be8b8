"""The tool and a code object for it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tegula import knobs

Tool = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("tool") / "kernels.co"
    flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950"]
    source = Path(__file__).parent / "kernels.cl"
    flags += ["-nogpulib", "-O1", "-w", "-cl-kernel-arg-info"]
    subprocess.run(["clang-22", *flags, str(source), "-o", str(output)], check=True)
    return output


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Runs the tool in an empty folder and checks its exit status."""
    binary = str((Path(knobs.get("native_dir")) / "bin" / "tegula-sim").resolve())

    def run(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        command = [binary, *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == status, done.stdout + done.stderr
        if status in (1, 2) and words:
            assert len(done.stderr.splitlines()) == 1, done.stderr
            assert done.stderr.startswith("tegula-sim: ")
        return done

    return run
