"""Contractions split over workgroups: equal to `interpret`, the same bits at every launch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula as tg
from sampling import sample
from tegula.kernels import gemm

BF16 = ml_dtypes.bfloat16


@tg.kernel(grid=lambda x, BM: (tg.cdiv(x.shape[0], BM), 1))
def column_sums(x: "R N", out: "R 1", *, BM: tg.tile = 4, BN: tg.tile = 64):
    row = tg.program_id(0)
    acc = tg.full((BM, 1), 0.5, tg.f32)  # not neutral: it counts once
    for n in tg.tiles(x, axis=1, size=BN):
        acc = acc + tg.sum(tg.load(x, (row, n), (BM, BN)), axis=1, keepdims=True)
    tg.store(out, (row, 0), acc * 2.0)


@tg.kernel(grid=lambda x: (x.shape[0],))
def row_maximum(x: "R N", out: "R", *, BN: tg.tile = 64):
    row = tg.program_id(0)
    acc = tg.full((BN,), -tg.inf, tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        here = tg.load(x, (row, n), (1, BN), pad=-float("inf"))
        acc = tg.maximum(acc, here.reshape(BN))
    tg.store(out, (row,), tg.max(acc, keepdims=True))


def product(m: int, n: int, k: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((m, k)).astype(BF16), rng.standard_normal((k, n)).astype(BF16)
    return a, b, np.full((m, n), np.nan, np.float32)


SHAPES = [(100, 72, 520), (64, 64, 256), (33, 40, 7), (64, 64, 0), (70, 64, 96)]
SPLITS = [2, 3, 8, 64]


@pytest.mark.parametrize(
    ("shape", "split"), sample([(shape, split) for shape in SHAPES for split in SPLITS], 6)
)
def test_products(device: tegula.runtime.Device, shape: tuple[int, int, int], split: int) -> None:
    a, b, c = product(*shape)
    for stages in (1, 2, 3):
        c[:] = np.nan
        schedule = {"split_k": split, "stages": stages}
        kernel = gemm.with_schedule(**{device.target: schedule})
        kernel(a, b, c, BM=32, BN=32, BK=32)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
        assert (np.abs(c - exact) <= size * (shape[2] + split) * 2**-24).all(), stages


def test_every_launch_has_the_same_bits() -> None:
    """Whatever order the workgroups run in, and after a launch that was broken off."""
    a, b, first = product(64, 96, 1000)
    schedule = {"split_k": 7, "stages": 2}
    kernel = gemm.with_schedule(gfx950=schedule)
    tiles = {"BM": 32, "BN": 32, "BK": 32}
    with tegula.device("sim:gfx950", threads=1):
        kernel(a, b, first, **tiles)
        for _ in sample(range(100), 3):
            again = np.zeros_like(first)
            kernel(a, b, again, **tiles)
            assert np.array_equal(first, again)
    for seed in (1, 2, 3):
        with tegula.device("sim:gfx950", threads=1, seed=seed) as opened:
            again = np.zeros_like(first)
            kernel(a, b, again, **tiles)
            assert np.array_equal(first, again)
            opened.handle.workspace_fill(0xA5)  # what another kernel may leave there
            again[:] = 0
            kernel(a, b, again, **tiles)
            assert np.array_equal(first, again)


def test_after_a_launch_that_was_broken_off() -> None:
    """Counters that such a launch leaves behind are not counted on."""
    a, b, first = product(32, 32, 512)
    tiles = {"BM": 32, "BN": 32, "BK": 32}
    kernel = gemm.with_schedule(gfx950={"split_k": 8})
    with tegula.device("sim:gfx950", threads=1):
        kernel(a, b, first, **tiles)
    limit = None
    # A limit of instructions ends it after some workgroups have arrived.
    for candidate in range(20, 2000, 20):
        with tegula.device("sim:gfx950", threads=1, limit=candidate):
            try:
                kernel(a, b, np.zeros_like(first), **tiles)
            except tg.LaunchError:
                limit = candidate
            else:
                break
    assert limit is not None
    with tegula.device("sim:gfx950", threads=1, limit=limit) as opened:
        with pytest.raises(tg.LaunchError):
            kernel(a, b, np.zeros_like(first), **tiles)
        opened.handle.workspace_fill(0x01)
    with tegula.device("sim:gfx950", threads=1):
        again = np.zeros_like(first)
        kernel(a, b, again, **tiles)
    assert np.array_equal(first, again)


@pytest.mark.parametrize("split", [2, 5])
def test_reductions(device: tegula.runtime.Device, split: int) -> None:
    rng = np.random.default_rng(split)
    x = rng.standard_normal((10, 1000)).astype(np.float32)
    for kernel, shape in ((column_sums, (10, 1)), (row_maximum, (10,))):
        found, wanted = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        kernel.with_schedule(**{device.target: {"split_k": split}})(x, found)
        kernel.interpret(x, wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)
    whole = np.arange(4000, dtype=np.float32).reshape(4, 1000) % 17  # exact in any order
    found, wanted = np.zeros((4, 1), np.float32), np.zeros((4, 1), np.float32)
    column_sums.with_schedule(**{device.target: {"split_k": split}})(whole, found)
    column_sums.interpret(whole, wanted)
    assert np.array_equal(found, wanted)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def scaled_product(
    a: "M K", b: "K N", c: "M N", *, BM: tg.tile = 32, BN: tg.tile = 32, BK: tg.tile = 32
):
    """Loops before and behind the one that is split."""
    m, n = tg.tile_id(c, (BM, BN))
    largest = tg.zeros((BM, 1), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        here = tg.load(a, (m, k), (BM, BK)).to(tg.f32)
        largest = tg.maximum(largest, tg.max(here, axis=1, keepdims=True))
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(a, axis=1, size=BK):
        acc = tg.mma(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    for _ in range(3):
        acc = acc * 0.5 + largest
    tg.store(c, (m, n), acc)


@pytest.mark.parametrize("split", [2, 5])
def test_the_product_among_loops(device: tegula.runtime.Device, split: int) -> None:
    rng = np.random.default_rng(split)
    a, b = (rng.integers(-3, 4, s).astype(BF16) for s in ((70, 500), (500, 40)))
    found, wanted = np.zeros((70, 40), np.float32), np.zeros((70, 40), np.float32)
    scaled_product.with_schedule(**{device.target: {"split_k": split}})(a, b, found)
    scaled_product.interpret(a, b, wanted)
    np.testing.assert_array_equal(found, wanted)


def refused(kernel: Any, *arrays: np.ndarray, **fields: Any) -> str:
    with pytest.raises(tg.ScheduleError) as caught:
        kernel.with_schedule(gfx950=fields).compile(*arrays, target="gfx950")
    assert caught.value.label == "tile.schedule.c6"
    return str(caught.value)


def test_what_cannot_be_split() -> None:
    @tg.kernel(grid=lambda x: (x.shape[0],))
    def two_results(x: "R N", out: "R", *, BN: tg.tile = 64):
        row = tg.program_id(0)
        low, high = tg.zeros((1,), tg.f32), tg.zeros((1,), tg.f32)
        for n in tg.tiles(x, axis=1, size=BN):
            here = tg.load(x, (row, n), (1, BN))
            low = tg.minimum(low, tg.min(here, axis=1))
            high = tg.maximum(high, tg.max(here, axis=1))
        tg.store(out, (row,), high - low)

    @tg.kernel(grid=lambda x: (x.shape[0],))
    def running(x: "R N", out: "R N", *, BN: tg.tile = 64):
        row = tg.program_id(0)
        acc = tg.zeros((1, BN), tg.f32)
        for n in tg.tiles(x, axis=1, size=BN):
            acc = acc + tg.load(x, (row, n), (1, BN))
            tg.store(out, (row, n), acc)

    x = np.zeros((4, 256), np.float32)
    assert "has 2 results" in refused(two_results, x, np.zeros(4, np.float32), split_k=2)
    assert "legal" in refused(running, x, x, split_k=2)
    assert "persistent = false is legal" in refused(
        column_sums, x, x[:, :1], split_k=2, persistent=True
    )
    assert "legal are 1 to 1024" in refused(column_sums, x, x[:, :1], split_k=0)


def test_loops_do_not_grow_with_the_split() -> None:
    a, b, c = product(64, 64, 512)
    sizes = {
        len(
            gemm.with_schedule(gfx950={"split_k": split})
            .compile(a, b, c, target="gfx950", BM=32, BN=32, BK=32)
            .code_object
        )
        for split in (4, 16, 64)
    }
    assert max(sizes) - min(sizes) <= 64
