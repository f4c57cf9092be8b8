"""The OpenCL suite of the simulator's unit tests, by its results and by what is reported.

Its kernels were written to have many instructions, not to compute something: an oracle says what a
kernel does, by the documents, whatever its name is. Some are faulty: launches report just that.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import suite_integer_cases  # noqa: F401
import suite_kernel_cases  # noqa: F401
import suite_product_cases  # noqa: F401
import tegula.sim
from suite_runner import CASES, Launcher

SOURCE = Path(__file__).parents[1] / "unit" / "sim" / "isa-suite.cl"
LEVELS = ("O0", "O3")
TARGETS = ("gfx942", "gfx950")
ONLY_GFX950 = {"g950", "mx", "q950"}


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    made, folder = {}, tmp_path_factory.mktemp("suite")
    for target in TARGETS:
        for level in LEVELS:
            flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-w"]
            flags += [f"-mcpu={target}", f"-{level}", str(SOURCE), "-o", str(folder / "suite.co")]
            subprocess.run(["clang-22", *flags], check=True)
            made[target, level] = (folder / "suite.co").read_bytes()
    return made


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", TARGETS)
def test_results_and_reports(
    objects: dict[tuple[str, str], bytes], target: str, level: str
) -> None:
    module = tegula.sim.Device(target, threads=2, seconds_limit=60).load(objects[target, level])
    for name, check in CASES.items():
        if target == "gfx950" or name not in ONLY_GFX950:
            check(Launcher(module[name], target), np.random.default_rng(11))


def test_every_kernel_has_an_oracle(objects: dict[tuple[str, str], bytes]) -> None:
    kernels = re.findall(r"^kernel (?:WG\(\d+\) )?void (\w+)\(", SOURCE.read_text(), re.MULTILINE)
    assert sorted(kernels) == sorted(CASES)
    assert set(tegula.sim.Device("gfx950").load(objects["gfx950", "O3"])) >= set(kernels)
