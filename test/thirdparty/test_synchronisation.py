"""Waves and workgroups that wait for each other in unusual ways: right, and without a report.

synchronisation.cl at three levels of optimisation, in every schedule.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula.sim
from reports import TARGETS

LEVELS = ("O0", "O2", "O3")
SCHEDULES = ("fifo", "random", "adversarial")
CASES: dict[str, Callable[[Any, np.random.Generator], None]] = {}


def case(function: Callable[[Any, np.random.Generator], None]) -> Any:
    CASES[function.__name__] = function
    return function


def zeros(*shape: int, kind: Any = np.int32) -> np.ndarray:
    return np.zeros(shape, kind)


def ints(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-999, 999, shape).astype(np.int32)


def powers(times: int) -> int:
    """What so many turns under a lock make of 0."""
    value = 0
    for _ in range(times):
        value = value * 3 + 1
    return value


def i32(value: int) -> np.int32:
    return np.int32(value)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    made, output = {}, tmp_path_factory.mktemp("synchronisation") / "code.co"
    source = str(Path(__file__).parent / "synchronisation.cl")
    for target in TARGETS:
        for level in LEVELS:
            flags = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-g"]
            flags += ["-w", f"-mcpu={target}", f"-{level}", source, "-o", str(output)]
            subprocess.run(["clang-22", *flags], check=True)
            made[target, level] = output.read_bytes()
    return made


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", TARGETS)
def test_right_and_clean(
    objects: dict[tuple[str, str], bytes], target: str, level: str, schedule: str
) -> None:
    device = tegula.sim.Device(target, threads=2, schedule=schedule, seed=3, seconds_limit=60)
    module = device.load(objects[target, level])
    assert set(module) == set(CASES)
    for name, check in CASES.items():

        def run(groups: int, block: int, *values: Any, name: str = name) -> None:
            done = module[name].launch(groups, block, *values)
            assert not done.findings, done.findings[0].text

        check(run, np.random.default_rng(4))


@case
def barrier_of_atomics(run: Any, rng: Any) -> None:
    x, out = ints(rng, 256), zeros(256)
    run(1, 256, out, x)
    v = x.copy()
    for _ in range(3):
        v = v + np.roll(v, -64)
    assert np.array_equal(out, v)


def boxes(run: Any, rng: Any, *more: Any) -> None:
    x, out = ints(rng, 320), zeros(320)
    run(1, 128, out, x, *more)
    assert np.array_equal(out, x)


@case
def flags_in_lds(run: Any, rng: Any) -> None:
    boxes(run, rng)


@case
def fences_in_lds(run: Any, rng: Any) -> None:
    boxes(run, rng)


@case
def flags_in_memory(run: Any, rng: Any) -> None:
    boxes(run, rng, zeros(64), zeros(64))


@case
def tickets_in_lds(run: Any, rng: Any) -> None:
    out = zeros(256)
    run(1, 256, out)
    assert (out == powers(16)).all()


@case
def petersons_lock(run: Any, rng: Any) -> None:
    out = zeros(128)
    run(1, 128, out)
    assert (out == powers(10)).all()


@case
def semaphores(run: Any, rng: Any) -> None:
    x, out = ints(rng, 768), zeros(768)
    run(1, 128, out, x)
    assert np.array_equal(out, x)


@case
def token_ring(run: Any, rng: Any) -> None:
    x, out = ints(rng, 256), zeros(256)
    run(1, 256, out, x, zeros(4))
    assert np.array_equal(out, np.tile(x.reshape(4, 64).sum(0) * 6, 4))


@case
def one_wave(run: Any, rng: Any) -> None:
    x, out = ints(rng, 64), zeros(64)
    run(1, 64, out, x)
    assert np.array_equal(out, x[::-1])


@case
def ping_pong(run: Any, rng: Any) -> None:
    x, out = ints(rng, 192), zeros(192)
    run(1, 128, out, x)
    assert np.array_equal(out, x)


@case
def tickets(run: Any, rng: Any) -> None:
    s = zeros(1)
    run(9, 64, s, zeros(64))
    assert s[0] == powers(9)


@case
def looks_then_asks(run: Any, rng: Any) -> None:
    x, s = ints(rng, 5, 128), zeros(128)
    run(5, 128, s, zeros(1), x)
    assert np.array_equal(s, x.sum(0))


@case
def last_of_fences(run: Any, rng: Any) -> None:
    x, out = ints(rng, 5, 128), zeros(128)
    run(5, 128, out, zeros(640), zeros(1), x, i32(5))
    assert np.array_equal(out, (x + 1).sum(0))


@case
def last_work_item(run: Any, rng: Any) -> None:
    out = zeros(1)
    run(3, 64, out, zeros(192), zeros(1), i32(192))
    assert out[0] == 192 * 191 // 2


@case
def grid_barriers(run: Any, rng: Any) -> None:
    out = zeros(3, 5, 128)
    run(5, 128, out, zeros(2 * 640), zeros(64), i32(5))
    groups, items, rounds = np.arange(5)[:, None], np.arange(128), np.arange(3)[:, None, None]
    want = (groups + 1) % 5 * 100 + items + rounds
    assert np.array_equal(out, want)


@case
def look_back(run: Any, rng: Any) -> None:
    x, out = np.abs(ints(rng, 6, 8)), zeros(6)
    run(6, 64, out, zeros(6, kind=np.int64), x)
    assert np.array_equal(out, np.cumsum(x.sum(1)))


@case
def queue(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(6, 64, out, zeros(320), zeros(5), zeros(1), i32(6))
    assert np.array_equal(out, np.arange(64) * 35)


@case
def tree(run: Any, rng: Any) -> None:
    s = zeros(16)
    run(8, 64, s, zeros(16), i32(8))
    assert s[1] == 36


@case
def pointers(run: Any, rng: Any) -> None:
    out, data = zeros(64), zeros(64)
    run(2, 64, out, data, zeros(1, kind=np.int64))
    assert np.array_equal(out, np.arange(64) ** 2)


@case
def seqlock(run: Any, rng: Any) -> None:
    out = np.full(4, 9, np.int32)
    run(4, 64, out, zeros(64), zeros(64))
    assert not out[1:].any()


@case
def readers_and_a_writer(run: Any, rng: Any) -> None:
    out, data = np.full(9, 9, np.int32), zeros(64)
    run(9, 64, out, zeros(1), data)
    assert data[0] == 3 and not out[[1, 2, 4, 5, 7, 8]].any()


@case
def histogram_then_read(run: Any, rng: Any) -> None:
    x, out = rng.integers(0, 64, 256).astype(np.int32), zeros(64)
    run(4, 64, out, zeros(64), x, zeros(1), i32(4))
    assert np.array_equal(out, np.bincount(x, minlength=64))


@case
def volatile_flag(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(2, 64, out, zeros(64), zeros(1))
    assert np.array_equal(out, np.arange(64) + 9)


@case
def gives_up(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(2, 64, out, zeros(64), zeros(1))
    assert np.array_equal(out, np.arange(64) + 5)


@case
def any_of_many(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(5, 64, out, zeros(320), zeros(5), i32(5))
    assert np.array_equal(out, np.arange(64) * 4 + 100)


@case
def each_its_own(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(2, 64, out, zeros(64), zeros(64))
    assert np.array_equal(out, np.arange(64) * 3)


@case
def release_sequence(run: Any, rng: Any) -> None:
    out = zeros(64)
    run(3, 64, out, zeros(64), zeros(1))
    assert np.array_equal(out, np.arange(64) * 7 + 1)


@case
def once(run: Any, rng: Any) -> None:
    out = zeros(7, 128)
    run(7, 128, out, zeros(32), zeros(1))
    assert np.array_equal(out, np.tile(np.arange(32) ** 2 + 6, (7, 4)))


@case
def list_drained(run: Any, rng: Any) -> None:
    out, nodes = zeros(2), 6 * 64
    run(6, 64, out, zeros(nodes), zeros(nodes), zeros(1), zeros(1), i32(6))
    assert out.tolist() == [3 * nodes * (nodes - 1) // 2 + nodes, nodes]


@case
def queue_lock(run: Any, rng: Any) -> None:
    out = zeros(1)
    run(3, 128, out, zeros(1), zeros(7), zeros(7))
    assert out[0] == powers(18)


@case
def joined_sets(run: Any, rng: Any) -> None:
    parent, edges = np.arange(200, dtype=np.int32), rng.integers(0, 200, (150, 2)).astype(np.int32)
    run(3, 64, parent, edges, i32(150))
    sets = np.arange(200)
    for a, b in edges:
        sets[np.isin(sets, sets[[a, b]])] = min(sets[a], sets[b])
    while not np.array_equal(parent, parent[parent]):
        parent = parent[parent]
    assert np.array_equal(parent, sets)


@case
def stages(run: Any, rng: Any) -> None:
    x, out = ints(rng, 8, 64), zeros(3, 64)
    run(1, 256, out, x, i32(8))
    for wave in (1, 2, 3):
        total = np.zeros(64, np.int64)
        for row in x:
            total = total * wave + np.roll(row, -wave)
        assert np.array_equal(out[wave - 1], total)


@case
def dekkers_lock(run: Any, rng: Any) -> None:
    out = zeros(1)
    run(2, 64, out, zeros(2), zeros(1))
    assert out[0] == powers(10)


@case
def growing_queue(run: Any, rng: Any) -> None:
    out, queue, ready, nodes = zeros(8), zeros(64), zeros(64), 60
    ready[0] = 1
    one = np.ones(1, np.int32)
    run(4, 64, out, queue, ready, zeros(1), one.copy(), one.copy(), i32(nodes))
    expected = zeros(8)
    np.add.at(expected, np.arange(nodes) & 7, np.arange(nodes))
    assert np.array_equal(out, expected)


@case
def stealing(run: Any, rng: Any) -> None:
    out = zeros(20)
    run(4, 64, out, zeros(20), zeros(1), zeros(1), zeros(1), i32(20))
    assert (out == 1).all()
