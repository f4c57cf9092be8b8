"""Simulated devices for code of other compilers, and what clang makes of kernels.cl."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import tegula.sim
from reports import TARGETS, some_threads

CLANG = "clang-22"


@pytest.fixture(params=TARGETS)
def device(request: pytest.FixtureRequest) -> tegula.sim.Device:
    return tegula.sim.Device(request.param, threads=some_threads(request.node.name))


@pytest.fixture(scope="session")
def clang_objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """kernels.cl as one code object a target."""
    folder = tmp_path_factory.mktemp("clang")
    objects = {}
    for target in TARGETS:
        output = folder / f"{target}.co"
        source = Path(__file__).parent / "kernels.cl"
        flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}"]
        command = [CLANG, *flags, "-nogpulib", "-O2", "-g", "-w", str(source), "-o", str(output)]
        subprocess.run(command, check=True)
        objects[target] = output.read_bytes()
    return objects
