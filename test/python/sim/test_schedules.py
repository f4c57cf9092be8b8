"""Orders of execution and limits: every option changes what comes out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tegula
from tegula.sim import Device, Module

KERNELS = Path(__file__).resolve().parents[2] / "unit" / "sim" / "schedule" / "kernels.cl"


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scheduler's own kernels, which the C++ tests use too."""
    output = tmp_path_factory.mktemp("schedules") / "kernels.co"
    flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-w"]
    command = ["clang-22", *flags, "-nogpulib", "-O2", str(KERNELS), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


def order(path: Path, schedule: str) -> list[int]:
    """Workgroups in the order in which they took a number."""
    taken, counter = np.full(6, -1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    device = Device("gfx950", schedule=schedule, seed=3, threads=2)
    device.load(path)["take_numbers"].launch(6, 64, taken, counter)
    result: list[int] = taken.tolist()
    return result


def test_schedules_differ(waiting: Path) -> None:
    orders = [order(waiting, schedule) for schedule in ("fifo", "random", "adversarial")]
    assert orders[0] == [0, 1, 2, 3, 4, 5] and orders[2][-1] == 0
    assert all(sorted(o) == orders[0] for o in orders) and orders[1] != orders[0] != orders[2]


def test_what_is_ordered_says_why(waiting: Path) -> None:
    x, total = np.ones(640, dtype=np.float32), np.zeros(1, dtype=np.float32)
    run = Device("gfx950", threads=2).load(waiting)["float_sum"].launch(10, 64, total, x)
    assert run.stats.threads == 1 and "global_atomic_add_f32" in run.stats.ordered_by
    device = Device("gfx950", threads=2, unordered_threads=True)
    run = device.load(waiting)["float_sum"].launch(10, 64, total, x)
    assert run.stats.threads == 2 and run.stats.ordered_by == "" and total[0] == 1280


def launch_forever(module: Module) -> None:
    module["waits_forever"].launch(1, 64, np.zeros(1, dtype=np.int32))


def test_a_deadlock_is_reported(waiting: Path) -> None:
    with pytest.raises(tegula.LaunchError, match="deadlock: no wave can go on: 1 of 1 workgroups"):
        launch_forever(Device("gfx950").load(waiting))


def test_a_limit_of_seconds(waiting: Path) -> None:
    module = Device("gfx950", seconds_limit=0.02).load(waiting)
    out, flag = np.zeros(64, dtype=np.int32), np.zeros(1, dtype=np.int32)
    with pytest.raises(tegula.LaunchError, match=r"more than 0\.02 seconds"):
        module["waits_a_while"].launch(1, 64, out, flag, np.int32(2**30))
    with pytest.raises(tegula.Error, match="seconds_limit"):
        Device("gfx950", seconds_limit=-1)
