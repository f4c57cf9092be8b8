"""Fields of a schedule that a load cannot follow are told at its line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula
import tegula as tg
from tegula.kernels import gemm


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def counted(a: "M K", b: "K N", c: "M N", n: tg.i32, *, BM: tg.tile, BN: tg.tile, BK: tg.tile):
    """Nothing says that ``n`` tiles are inside of K."""
    i, j = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in range(n):
        acc = tg.mma(tg.load(a, (i, k), (BM, BK)), tg.load(b, (k, j), (BK, BN)), acc)
    tg.store(c, (i, j), acc)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def doubling(a: "M K", b: "K N", c: "M N", *, BM: tg.tile, BN: tg.tile, BK: tg.tile):
    """Tiles of A are not read before those in front of them are written."""
    i, j = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        x = tg.load(a, (i, k), (BM, BK))
        acc = tg.mma(x, tg.load(b, (k, j), (BK, BN)), acc)
        tg.store(a, (i, k), x + x)
    tg.store(c, (i, j), acc)


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-2, 3, (64, 100)).astype(np.float16) for _ in range(2))
    return a, b.T, np.full((64, 64), np.nan, np.float32)


@pytest.mark.parametrize(
    "schedule, told",
    [
        (dict(stages=3, lds="direct"), ["stages = 3", "lds = direct"]),
        (dict(stages=2, lds="register"), ["stages = 2"]),
        (dict(stages=1, lds="register"), []),
    ],
)
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_what_a_loop_beyond_the_end_cannot_have(
    target: str, schedule: dict[str, Any], told: list[str]
) -> None:
    a, b, c = operands()
    kernel = counted.with_schedule(**{target: schedule})
    tiles = dict(BM=64, BN=64, BK=32)
    remarks = kernel.compile(a, b, c, 4, **tiles, target=target).remarks
    unobeyed = [r for r in remarks if "has no effect on this load" in r["message"]]
    assert [r["message"].partition(" has")[0] for r in unobeyed] == 2 * told  # a and b
    assert all("beyond the contracted extent" in r["message"] for r in unobeyed)
    with tegula.device(f"sim:{target}"):
        kernel(a, b, c, 4, **tiles)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_loop_over_the_tiles_of_a_view_has_all(target: str) -> None:
    kernel = gemm.with_schedule(**{target: dict(stages=2)})
    remarks = kernel.compile(*operands(), BM=64, BN=64, BK=32, target=target).remarks
    assert not any("no effect" in remark["message"] for remark in remarks)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_what_a_loop_that_writes_its_operand_cannot_have(target: str) -> None:
    kernel = doubling.with_schedule(**{target: dict(stages=2, lds="register")})
    compiled = kernel.compile(*operands(), BM=64, BN=64, BK=32, target=target)
    unobeyed = [r["message"] for r in compiled.remarks if "no effect" in r["message"]]
    assert unobeyed and all("the loop writes what it reads" in text for text in unobeyed)
