"""kernels.cl for one target, and a device that runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import tegula.sim

TARGET = "gfx950"


@pytest.fixture(scope="session")
def code_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("sim") / "kernels.co"
    flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={TARGET}"]
    flags += ["-cl-kernel-arg-info"]
    source = Path(__file__).parent / "kernels.cl"
    command = ["clang-22", *flags, "-nogpulib", "-O1", "-g", "-w", str(source), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


@pytest.fixture
def module(code_path: Path) -> tegula.sim.Module:
    return tegula.sim.Device(TARGET, threads=1).load(code_path)
