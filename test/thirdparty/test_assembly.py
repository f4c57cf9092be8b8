"""production.s: hand-written kernels against NumPy, sanitizers on, no report."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tegula.sim
from reports import objections

TARGETS = ("gfx942", "gfx950")
LANES = np.arange(64)
CASES: dict[str, Callable[[Any, np.random.Generator], None]] = {}
Launch = Callable[..., np.ndarray]


def case(function: Callable[[Any, np.random.Generator], None]) -> Any:
    CASES[function.__name__] = function
    return function


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    made = {}
    for target in TARGETS:
        output = tmp_path_factory.mktemp("assembly") / f"{target}.co"
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-g"]
        source = str(Path(__file__).parent / "production.s")
        subprocess.run([*command, source, "-o", str(output)], check=True)
        made[target] = output.read_bytes()
    return made


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_right_and_clean(objects: dict[str, bytes], target: str, name: str) -> None:
    module = tegula.sim.Device(target, threads=2, seconds_limit=60).load(objects[target])
    assert sorted(module) == sorted(CASES)

    def launch(out: np.ndarray, x: np.ndarray, n: int = 0, groups: int = 1, block: int = 64) -> Any:
        run = module[name].launch(groups, block, out, x, np.int32(n), np.int32(0))
        noted = objections(run.findings)
        assert not noted, noted[0].text
        return out

    CASES[name](launch, np.random.default_rng(5))


def test_a_trace_names_the_register_that_is_written(objects: dict[str, bytes]) -> None:
    kernel = tegula.sim.Device("gfx942").load(objects["gfx942"])["vgpr_index"]
    with kernel.debug(1, 64, zeros(64), zeros(64), np.int32(3), np.int32(0)) as debugger:
        debugger.trace()
        debugger.finish()
        trace = {t["instruction"]: t["writes"] for t in debugger.traced()}
    assert trace["v_mov_b32_e32 v16, v3"] == {"v19": trace["v_add_u32_e32 v3, v8, v0"]["v3"]}


def ints(rng: np.random.Generator, *shape: int, low: int = 0, high: int = 1000) -> np.ndarray:
    return rng.integers(low, high, shape).astype(np.int32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int32)


@case
def vskip(launch: Any, rng: Any) -> None:
    for n in range(4):
        x = ints(rng, 64)
        skipped = n in (1, 2)
        want = x + 111 if skipped else 3 * x + 1111
        assert np.array_equal(launch(zeros(64), x, n), want)


@case
def vgpr_index(launch: Any, rng: Any) -> None:
    for n in (0, 3, 7):
        row = np.full((8, 64), 7)
        row[n] = 10 * n + LANES
        want = np.zeros(64, int)
        for r in row:
            want = want * 3 + r
        assert np.array_equal(launch(zeros(64), ints(rng, 64), n), want)


@case
def newbcast(launch: Any, rng: Any) -> None:
    x = ints(rng, 64)
    rows = x.reshape(4, 16)
    want = np.repeat(1000 * rows[:, 5] + rows.sum(axis=1), 16)
    assert np.array_equal(launch(zeros(64), x), want)


@case
def sdwa(launch: Any, rng: Any) -> None:
    x = rng.integers(-(2**31), 2**31, 64).astype(np.int32)
    b = x.view(np.uint8).reshape(64, 4).astype(np.int64)
    total = (b.sum(axis=1) & 0xFFFF) << 16 | 0x1234
    high, word = x >> 24, x.astype(np.int16)
    want = np.where(word < high, high, total.astype(np.int32))
    assert np.array_equal(launch(zeros(64), x), want)


@case
def lds_dma(launch: Any, rng: Any) -> None:
    x = ints(rng, 256)
    want = x[np.arange(256) ^ 255] - x
    assert np.array_equal(launch(zeros(256), x, 4 * 256, block=256), want)


@case
def flushed(launch: Any, rng: Any) -> None:
    x = rng.standard_normal(64).astype(np.float32)
    x[:32] *= np.float32(2.0**-127)  # most of them denormal
    x[:4] = [1e-40, -1e-40, 0, -0.0]
    bits = x.view(np.int32)
    flat = np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)
    doubled = (flat + flat).astype(np.float32).view(np.int32)
    want = doubled ^ flat.view(np.int32) ^ bits
    assert np.array_equal(launch(zeros(64), bits), want)


@case
def not_ieee(launch: Any, rng: Any) -> None:
    x = rng.standard_normal(64).astype(np.float32)
    x[::5] = np.nan
    bits = x.view(np.int32).copy()
    bits[5] = 0x7F800001  # signalling
    want = np.where(np.isnan(bits.view(np.float32)), np.float32(0), 2 * x)
    found = launch(zeros(64), bits).view(np.float32)
    assert np.array_equal(found, want)


@case
def ping_pong(launch: Any, rng: Any) -> None:
    """a lane's four halves: row lane % 16, columns 4 · (lane // 16) on; A and B are the same."""
    x = rng.integers(-3, 4, (4, 8, 64, 4)).astype(np.float16)
    out = np.full(4 * 512, np.nan, np.float32)
    launch(out, x, 0, block=512)
    a = x.astype(np.float32).reshape(4, 8, 4, 16, 4).transpose(0, 1, 3, 2, 4).reshape(4, 8, 16, 16)
    d = (a @ a.transpose(0, 1, 3, 2)).sum(axis=0)  # (wave, i, j)
    found = out.reshape(4, 8, 4, 16)  # register, wave, i // 4, j
    assert np.array_equal(found.transpose(1, 2, 0, 3).reshape(8, 16, 16), d)


@case
def swizzled(launch: Any, rng: Any) -> None:
    x = ints(rng, 2 * 8 * 4 + 16)
    record, field = LANES & 15, LANES >> 4
    at = 16 + (record // 8 * 4 + field) * 8 + record % 8  # in dwords, 16 of soffset
    assert np.array_equal(launch(zeros(64), x), x[at])


@case
def structured(launch: Any, rng: Any) -> None:
    x = ints(rng, 64)
    want = np.where(LANES < 12, x[(np.minimum(LANES, 11) * 16 + 32 + 4) // 4], 0)
    assert np.array_equal(launch(zeros(64), x), want)


@case
def masked_loop(launch: Any, rng: Any) -> None:
    x = ints(rng, 64, low=1)
    assert np.array_equal(launch(zeros(64), x, 360), np.gcd(x, 360))


@case
def code_table(launch: Any, rng: Any) -> None:
    assert np.array_equal(launch(zeros(64), ints(rng, 64)), 11 * LANES + 22 + 33)


@case
def lane_counts(launch: Any, rng: Any) -> None:
    x = ints(rng, 64, high=3)
    x[:2] = [0, 2]
    flags = x != 0
    want = np.cumsum(flags) - flags + 2  # the first one that is set
    want[63] = flags.sum()
    assert np.array_equal(launch(zeros(64), x), want)


@case
def last_one(launch: Any, rng: Any) -> None:
    out = launch(zeros(8), zeros(1), 7, groups=7)
    assert out.tolist() == [*(i * i for i in range(7)), sum(i * i for i in range(7))]


@case
def three_spaces(launch: Any, rng: Any) -> None:
    x = ints(rng, 64)
    assert np.array_equal(launch(zeros(64), x), x * 257)


@case
def scratch_forms(launch: Any, rng: Any) -> None:
    word = LANES + 2 & ~0xFF00 | LANES + 3 << 8
    assert np.array_equal(launch(zeros(64), ints(rng, 64)), LANES + 1 + word + 2 * LANES + 5)


@case
def recursion(launch: Any, rng: Any) -> None:
    assert np.array_equal(launch(zeros(64), ints(rng, 64), 9), LANES + 45)


@case
def own_order(launch: Any, rng: Any) -> None:
    assert np.array_equal(launch(zeros(64), ints(rng, 64)), (LANES + 3) * 7 + LANES)


@case
def one_by_one(launch: Any, rng: Any) -> None:
    x = ints(rng, 3, 64)
    want = 2 * x[0] + x[1] + x[2] + LANES + (LANES ^ 1)
    assert np.array_equal(launch(zeros(64), x), want)
