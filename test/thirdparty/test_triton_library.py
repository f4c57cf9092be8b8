"""Triton's code objects of many kinds of kernels: right, and without a report.

All sanitizers are on and nothing is suppressed; a warning fails, too. ``make test`` runs each
kernel once a target and draws some of the other configurations; ``--full`` runs all of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import triton

import sampling
import tegula.sim
import triton_peer_cases
import triton_product_cases
import triton_row_cases
from reports import objections, some_threads
from triton_cases import Case, Launch, cases, compile_launch

LEAST = 40  # different kernels a target, by the issue
OTHERS = 4  # configurations drawn in a short run
CASES: dict[tuple[str, str], Case] = {
    (target, name): case
    for module in (triton_row_cases, triton_product_cases)
    for name, case in cases(module).items()
    for target in triton_peer_cases.BOTH
}


def build(target: str, name: str) -> Launch:
    return CASES[target, name](target, np.random.default_rng(zlib.crc32(name.encode())))


def chosen() -> list[tuple[str, str]]:
    """What this run launches. Of kernels with several configurations the first is always there."""
    firsts, others, seen = list(CASES), [], set()
    for name, (case, on) in triton_peer_cases.TABLE.items():
        for target in on:
            CASES[target, name] = case
            if name in triton_peer_cases.RACY:
                continue
            kernel = (target, build(target, name).kernel.fn.__name__)
            (others if kernel in seen else firsts).append((target, name))
            seen.add(kernel)
    return firsts + sampling.sample(others, OTHERS)


CHOSEN = chosen()


@pytest.fixture(scope="module", autouse=True)
def cache(request: pytest.FixtureRequest) -> None:
    """What Triton compiled stays in the build folder: the next run only executes it."""
    folder = Path(request.config.rootpath) / request.config.getoption("--build") / "triton"
    triton.knobs.cache.dir = str(folder)


def run(
    target: str, name: str, schedule: str = "fifo"
) -> tuple[Launch, tuple[tegula.sim.Finding, ...]]:
    """The launch after it ran, its results checked, and what was reported."""
    launch = build(target, name)
    threads = some_threads(target + name)
    device = tegula.sim.Device(target, threads=threads, schedule=schedule, seed=5, seconds_limit=60)
    compiled = compile_launch(launch, target)
    values = [launch.args[n] for n in launch.kernel.arg_names if n not in launch.constants]
    done = tegula.sim.launch_triton(device, compiled, launch.grid, *values, check=False)
    launch.check()
    return launch, tuple(objections(done.findings))


@pytest.mark.parametrize("target, name", CHOSEN)
def test_right_and_clean(target: str, name: str, record_property: Callable[..., None]) -> None:
    launch, findings = run(target, name)
    assert not findings, findings[0].text
    record_property("triton_kernel", (target, launch.kernel.fn.__name__))


TOGETHER = ("chained_prefix_sum", "grid_barrier", "split_k_ticket", "locked_sum")


@pytest.mark.parametrize("schedule", ["adversarial", "random"])
@pytest.mark.parametrize("name", TOGETHER)
def test_workgroups_that_wait_for_each_other(name: str, schedule: str) -> None:
    _, findings = run("gfx950", name, schedule)
    assert not findings, findings[0].text


@pytest.mark.parametrize("name", sampling.sample(sorted(triton_peer_cases.RACY), 1))
def test_a_race_of_tritons_is_found(name: str) -> None:
    """RACY says what goes wrong; results are right while LDS keeps to the order of issue."""
    [target] = triton_peer_cases.TABLE[name][1]
    _, findings = run(target, name)
    assert {f.kind for f in findings} == {"lds-race"}
    one = findings[0]
    assert one.details["earlier_instruction"].startswith(triton_peer_cases.RACY[name])


@pytest.mark.parametrize("target", triton_peer_cases.BOTH)
def test_there_are_enough_kernels(target: str) -> None:
    kernels = {build(t, name).kernel.fn.__name__ for t, name in CHOSEN if t == target}
    assert len(kernels) >= LEAST
