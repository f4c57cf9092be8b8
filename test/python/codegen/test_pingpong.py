"""Ping-pong: of the two groups of waves that share the SIMDs one multiplies while the other moves.

In the machine code: products stand alone between two barriers, at a raised priority, and everything
that moves data between the next two; one group falls a barrier behind before the loop, the other
waits for it after.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from loops import disassemble, hottest_loop
from stages import passes
from tegula import runtime
from tegula.kernels import gemm
from tegula.sim import Device

BF16 = ml_dtypes.bfloat16
CASES = {
    "gfx950 direct": ("gfx950", dict(lds="direct", stages=2), (128, 256, 64)),
    "gfx950 ring": ("gfx950", dict(lds="direct", stages=3), (128, 128, 64)),
    "gfx950 one step": ("gfx950", dict(lds="direct", stages=4), (128, 256, 32)),
    "gfx950 register": ("gfx950", dict(lds="register", stages=2), (128, 256, 64)),
    "gfx942 register": ("gfx942", dict(lds="register", stages=2), (128, 256, 32)),
}
ORDERS = [("fifo", 0), *((s, seed) for s in ("random", "adversarial") for seed in (1, 2, 3))]


def compiled(case: str, k: int, waves: tuple[int, int] = (2, 4)) -> tuple[Any, dict[str, Any], Any]:
    target, schedule, (bm, bn, bk) = CASES[case]
    m, n = 2 * bm - 6, bn
    rng = np.random.default_rng(k)
    a, b = (rng.integers(-2, 3, s).astype(BF16) for s in ((m, k), (n, k)))
    c = np.full((m, n), np.nan, np.float32)
    kernel = gemm.with_schedule(**{target: dict(waves=waves, pingpong=True, **schedule)})
    options = dict(BM=bm, BN=bn, BK=bk, target=target)
    views = {"a": a, "b": b.T, "c": c}
    done = kernel.compile(*views.values(), **options)
    return done, views, kernel.ir("cdna", *views.values(), **options)


def launch(case: str, done: Any, views: dict[str, Any], schedule: str, seed: int) -> None:
    """By the kernel's own arguments, on a device that orders waves as it is told."""
    a, b, c = views["a"], views["b"].T, views["c"]  # in memory order
    (m, k), n = a.shape, b.shape[0]
    strides = (x.strides[0] // x.itemsize for x in (a, b, c))
    numbers = (*map(np.int32, (m, k, n)), *map(np.int64, strides))
    device = Device(done.manifest["target"], schedule=schedule, seed=seed)
    (bm, bn, _) = CASES[case][2]
    groups = -(-m // bm) * -(-n // bn)
    kernel = device.load(done.code_object)[done.manifest["kernel"]]
    run = kernel.launch(groups, done.manifest["block"][0], a, b, c, *numbers)
    assert not run.findings


def turns(code: bytes) -> list[list[str]]:
    """Instructions of the hottest loop, from barrier to barrier; the last turn is the first's."""
    loop = hottest_loop(code)
    text = [t for address, t in disassemble(code) if loop.first <= address <= loop.last]
    cut: list[list[str]] = [[]]
    for line in text:
        if line.startswith("s_barrier"):
            cut.append([])
        else:
            cut[-1].append(line)
    return [cut[-1] + cut[0], *cut[1:-1]]


def is_move(line: str) -> bool:
    return line.startswith(("ds_read", "ds_write", "buffer_load", "global_load"))


@pytest.mark.parametrize("case", CASES)
def test_turns(case: str) -> None:
    done, _, cdna = compiled(case, 512)
    code = done.code_object
    parts = turns(code)
    assert len(parts) % 2 == 0
    for moving, computing in zip(parts[0::2], parts[1::2], strict=True):
        assert any(is_move(line) for line in moving)
        assert not any(line.startswith("v_mfma") for line in moving)
        assert any(line.startswith("v_mfma") for line in computing)
        assert not any(is_move(line) for line in computing)
        raised = [i for i, line in enumerate(computing) if line.startswith("s_setprio 1")]
        lowered = [i for i, line in enumerate(computing) if line.startswith("s_setprio 0")]
        products = [i for i, line in enumerate(computing) if line.startswith("v_mfma")]
        assert len(raised) == len(lowered) == 1
        assert raised[0] < products[0] and products[-1] < lowered[0]
    loop = hottest_loop(code)
    listing = disassemble(code)
    before = [text for address, text in listing if address < loop.first]
    after = [text for address, text in listing if address > loop.last]
    # A barrier that a branch on the number of the wave leaves out, on both sides.
    for side in (before, after):
        barriers = [i for i, text in enumerate(side) if text.startswith("s_barrier")]
        assert any(side[i - 1].startswith("s_cbranch") for i in barriers)
    assert len(re.findall(r"cdna\.stagger", cdna)) == len(re.findall(r"cdna\.align", cdna)) == 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tiles", [1, 2, 3, 6])
def test_product(case: str, tiles: int) -> None:
    """In every order of execution that the device has, with a rest along K."""
    target, _, (_, _, bk) = CASES[case]
    done, views, cdna = compiled(case, bk * tiles + 8)
    assert passes(cdna, "cdna.kernel(cdna-prove-waits)").returncode == 0
    exact = views["a"].astype(np.float32) @ views["b"].astype(np.float32)
    for order in ORDERS if tiles == 6 else ORDERS[:2]:
        views["c"][:] = np.nan
        launch(case, done, views, *order)
        assert np.array_equal(views["c"], exact), order


def test_sixteen_waves() -> None:
    done, views, _ = compiled("gfx950 direct", 256, waves=(4, 4))
    with tegula.device("sim:gfx950"):
        runtime.launch(done, views)
    assert np.array_equal(views["c"], views["a"].astype(np.float32) @ views["b"].astype(np.float32))


@pytest.mark.parametrize(
    "change, told",
    [
        (dict(waves=(2, 2)), "multiples of 8 waves"),
        (dict(stages=1), "stages from 2 on"),
        (dict(lds="none", stages=1), "lds = direct or register"),
    ],
)
def test_refusals(change: dict[str, Any], told: str) -> None:
    a, b, c = (np.zeros((256, 256), BF16) for _ in range(3))
    schedule = dict(waves=(2, 4), pingpong=True, stages=2, lds="direct") | change
    kernel = gemm.with_schedule(gfx950=schedule)
    with pytest.raises(tg.ScheduleError, match=told) as error:
        kernel.compile(a, b.T, c, BM=128, BN=128, BK=64, target="gfx950")
    assert error.value.label == "tile.schedule.c9"
