"""Persistent kernels: workgroups that the device holds at once walk over all tiles."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from tegula.kernels import gemm

BF16 = ml_dtypes.bfloat16


@tg.kernel(grid=lambda: tg.persistent())
def number_tiles(c: "M N", *, BM: tg.tile = 2, BN: tg.tile = 4):
    for m, n in tg.persistent_tiles(c, (BM, BN)):
        number = m * tg.cdiv(c.shape[1], BN) + n
        before = tg.load(c, (m, n), (BM, BN))  # twice written would not be what once is
        tg.store(c, (m, n), before + number)


@tg.kernel(grid=lambda: tg.persistent())
def persistent_gemm(
    a: "M K", b: "K N", c: "M N", *, BM: tg.tile = 32, BN: tg.tile = 32, BK: tg.tile = 32
):
    for m, n in tg.persistent_tiles(c, (BM, BN)):
        acc = tg.zeros((BM, BN), tg.f32)
        for k in tg.tiles(a, axis=1, size=BK):
            acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
        tg.store(c, (m, n), acc.to(c.dtype))


def numbers(shape: tuple[int, int]) -> np.ndarray:
    columns = -(-shape[1] // 4)
    rows, places = np.arange(shape[0]) // 2, np.arange(shape[1]) // 4
    return (rows[:, None] * columns + places[None, :]).astype(np.int32)


#: Sixteen waves a workgroup: a compute unit holds two.
WIDE = {"waves": (1, 16)}


@pytest.mark.parametrize("shape", [(2, 4), (41, 70), (100, 131)])
@pytest.mark.parametrize("raster", [{"group": 1, "xcd": False}, {"group": 3, "xcd": True}])
def test_every_tile_once(
    device: tegula.runtime.Device, shape: tuple[int, int], raster: dict[str, Any]
) -> None:
    kernel = number_tiles.with_schedule(**{device.target: {**WIDE, "raster": raster}})
    c = np.zeros(shape, dtype=np.int32)
    device.reset_counters()
    kernel(c)
    assert np.array_equal(c, numbers(shape))
    assert device.counters()["workgroups"] == 2 * device.handle.compute_units
    plain = np.zeros(shape, dtype=np.int32)
    kernel.interpret(plain)
    assert np.array_equal(plain, c)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def number_once(c: "M N", *, BM: tg.tile = 2, BN: tg.tile = 4):
    m, n = tg.tile_id(c, (BM, BN))
    number = m * tg.cdiv(c.shape[1], BN) + n
    tg.store(c, (m, n), tg.load(c, (m, n), (BM, BN)) + number)


@pytest.mark.parametrize("shape", [(2, 4), (41, 70), (100, 131), (0, 5)])
def test_the_schedule_makes_a_kernel_persistent(
    device: tegula.runtime.Device, shape: tuple[int, int]
) -> None:
    kernel = number_once.with_schedule(**{device.target: {**WIDE, "persistent": True}})
    c = np.zeros(shape, dtype=np.int32)
    device.reset_counters()
    kernel(c)
    assert np.array_equal(c, numbers(shape))
    tiles = -(-shape[0] // 2) * -(-shape[1] // 4)
    assert device.counters()["workgroups"] == min(tiles, 2 * device.handle.compute_units)


# A workgroup's next tile refills the LDS that other waves may still read. The tiles take so much of
# it that a compute unit holds one or two workgroups, and there are more tiles than that.
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_products(device: tegula.runtime.Device, stages: int) -> None:
    lds = {"gfx942": 64, "gfx950": 160}[device.target] // (4 * (stages + 1))  # rows of a stage
    k = 32 << (lds.bit_length() - 1)
    rng = np.random.default_rng(stages)
    a = rng.integers(-3, 4, (32 * 40 - 5, stages * k + 8)).astype(BF16)
    b = rng.integers(-3, 4, (a.shape[1], 32 * 17)).astype(BF16)
    wanted = a.astype(np.float32) @ b.astype(np.float32)
    for kernel, more in ((persistent_gemm, {}), (gemm, {"persistent": True})):
        c = np.zeros(wanted.shape, dtype=np.float32)
        scheduled = kernel.with_schedule(**{device.target: {"stages": stages, **more}})
        device.reset_counters()
        scheduled(a, b, c, BM=32, BN=32, BK=k)
        assert np.array_equal(c, wanted)
        compiled = scheduled.compile(a, b, c, BM=32, BN=32, BK=k, target=device.target)
        resident = compiled.manifest["workgroups_per_cu"] * device.handle.compute_units
        assert device.counters()["workgroups"] == resident < 40 * 17


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def two_ways(a: "M K", b: "K N", c: "M N", *, BM: tg.tile = 32, BN: tg.tile = 32) -> None:
    m, n = tg.tile_id(c, (BM, BN))
    acc = tg.zeros((BM, BN), tg.f32)
    if m % 2 == 0:
        for k in tg.tiles(a, axis=1, size=96):
            x = tg.maximum(tg.load(a, (m, k), (BM, 96)), 0)
            acc = tg.mma(x, tg.load(b, (k, n), (96, BN)), acc)
    else:
        for k in tg.tiles(a, axis=1, size=96):
            acc = tg.mma(tg.load(a, (m, k), (BM, 96)), tg.load(b, (k, n), (96, BN)), acc + 1)
    tg.store(c, (m, n), acc)


def test_tiles_go_different_ways_by_turns(device: tegula.runtime.Device) -> None:
    rng = np.random.default_rng(9)
    a = rng.integers(-2, 3, (2400, 200)).astype(np.float32)
    b = rng.integers(-2, 3, (200, 50)).astype(np.float32)
    c = np.zeros((2400, 50), np.float32)
    two_ways.with_schedule(**{device.target: dict(persistent=True, waves=(2, 2))})(a, b, c)
    even = (np.arange(2400) // 32 % 2 == 0)[:, None]
    assert np.array_equal(c, np.where(even, np.maximum(a, 0), a) @ b + np.where(even, 0, 3))


def test_loops_do_not_grow_with_the_walk() -> None:
    small, large = (
        gemm.with_schedule(gfx950={"persistent": True}).compile(
            np.zeros((n, n), BF16), np.zeros((n, n), BF16), np.zeros((n, n), BF16),
            target="gfx950", BM=64, BN=64, BK=64,
        )
        for n in (128, 4096)
    )  # fmt: skip
    assert small.code_object == large.code_object


def test_messages() -> None:
    @tg.kernel(grid=lambda x: (x.shape[0],))
    def no_walk(x: "N"):
        for n in tg.persistent_tiles(x, (4,)):
            tg.store(x, (n,), tg.zeros((4,), x.dtype))

    @tg.kernel(grid=lambda x: (x.shape[0],))
    def no_grid(x: "N"):
        tg.store(x, (tg.persistent(),), tg.zeros((4,), x.dtype))

    @tg.kernel(grid=lambda x: (x.shape[0],))
    def no_tiles(x: "N"):
        tg.store(x, (tg.program_id(0),), tg.zeros((1,), x.dtype))

    x = np.zeros(8, np.float32)
    for kernel in (no_walk, no_grid):
        with pytest.raises(tg.SyntaxNotSupported) as caught:
            kernel.compile(x, target="gfx950")
        assert caught.value.label == "front.syntax.persistent"
    with pytest.raises(tg.ScheduleError, match="persistent = false is legal") as wrong:
        no_tiles.with_schedule(gfx950={"persistent": True}).compile(x, target="gfx950")
    assert wrong.value.label == "tile.schedule.c7"
