"""What errors of budgets say: all that makes up the sum, and cures that are true."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.kernels import gemm

A, C = np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float32)


def figures(error: tg.Error, unit: str) -> list[int]:
    """What the notes of a budget say that each tile takes."""
    return [
        int(found[1].replace(",", ""))
        for text, span in error.notes
        if span is not None and (found := re.search(rf": ([\d,]+) {unit}", text))
    ]


@pytest.mark.parametrize(
    ("tile", "schedule"),
    [
        ((256, 256, 64), dict(stages=5)),
        ((128, 256, 128), dict(stages=3)),
        ((256, 64, 128), dict(stages=3, waves=(2, 2))),
        ((64, 256, 128), dict(stages=3, waves=(4, 4))),
    ],
)
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_every_buffer_and_a_tile_that_fits(
    target: str, tile: tuple[int, int, int], schedule: dict[str, Any]
) -> None:
    """Also where the last tile of K has buffers that share bytes with the others."""
    kernel = gemm.with_schedule(**{target: schedule})

    def compiled(BM: int, BN: int, BK: int, kernel: tg.Kernel = kernel) -> None:
        kernel.ir("cdna", A, A, C, target=target, BM=BM, BN=BN, BK=BK)

    with pytest.raises(tg.LdsBudget) as caught:
        compiled(*tile)
    said = caught.value.message
    needed = re.search(r"LDS: ([\d,]+) bytes needed", said)
    assert needed and sum(figures(caught.value, "bytes")) == int(needed[1].replace(",", ""))
    if found := re.search(r"stages = (\d)", said):
        compiled(*tile, gemm.with_schedule(**{target: {**schedule, "stages": int(found[1])}}))
    if found := re.search(r"BK = (\d+)", said):
        compiled(*tile[:2], int(found[1]))
    if found := re.search(r"BM = (\d+) and BN = (\d+)", said):
        compiled(int(found[1]), int(found[2]), tile[2])


@pytest.mark.parametrize(
    ("tile", "schedule", "other"),
    [
        ((256, 256, 64), dict(waves=(2, 8)), ""),
        ((256, 256, 64), dict(waves=(2, 4), occupancy=2, stages=1), " or a lower occupancy than 2"),
        ((256, 128, 64), dict(waves=(1, 1), stages=1), " or more waves"),
    ],
)
def test_every_tile_and_one_that_fits(
    tile: tuple[int, int, int], schedule: dict[str, Any], other: str
) -> None:
    kernel = gemm.with_schedule(gfx950=schedule)

    def compiled(BM: int, BN: int, kernel: tg.Kernel = kernel) -> None:
        kernel.ir("cdna", A, A, C, target="gfx950", BM=BM, BN=BN, BK=tile[2])

    with pytest.raises(tg.RegisterBudget) as caught:
        compiled(*tile[:2])
    said = caught.value.message
    found = re.search(r"hold (\d+) .*\((\d+)x(\d+)xf32 instead of \d+x\d+xf32 fits\)(.*)", said)
    assert found and found[4].split(" [")[0] == other
    assert sum(figures(caught.value, "registers")) == int(found[1])
    assert len(set(map(str, caught.value.notes))) == len(caught.value.notes)
    compiled(int(found[2]), int(found[3]))
    if "more waves" in other:
        compiled(*tile[:2], gemm.with_schedule(gfx950=dict(waves=(2, 2), stages=1)))
    if "occupancy" in other:
        compiled(*tile[:2], gemm.with_schedule(gfx950={**schedule, "occupancy": 1}))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_elements_that_come_one_by_one_take_a_register_each(dtype: Any) -> None:
    """Operands across their rows, loaded to registers at once: 512 of b in each lane."""
    a, b = np.zeros((256, 256), dtype).T, np.zeros((256, 128), dtype)
    c = np.zeros((256, 128), np.float32)
    kernel = gemm.with_schedule(gfx950=dict(waves=(4, 1), stages=1, lds="none"))
    with pytest.raises(tg.RegisterBudget) as caught:
        kernel.ir("cdna", a, b, c, target="gfx950", BM=256, BN=128, BK=256)
    assert max(figures(caught.value, "registers")) == 512


@pytest.mark.parametrize("waves", [(2, 4), (1, 1)])
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_an_accumulator_beyond_all_registers(target: str, waves: tuple[int, int]) -> None:
    """It was a ScheduleError about an occupancy that nobody had asked for."""
    kernel = gemm.with_schedule(**{target: dict(waves=waves)})

    def compiled(BM: int, BN: int) -> None:
        kernel.ir("cdna", A, A, C, target=target, BM=BM, BN=BN, BK=32)

    with pytest.raises(tg.RegisterBudget, match="the 512x512 accumulator takes") as caught:
        compiled(512, 512)
    found = re.search(r"a tile of (\d+)x(\d+) fits", caught.value.message)
    assert found and caught.value.span is not None and "tg.mma" in caught.value.span.text
    compiled(int(found[1]), int(found[2]))


@tg.kernel(grid=lambda x: (1,))
def summed(x: "M N", out: "M N", *, N: tg.const) -> None:
    tg.store(out, (0, 0), tg.cumsum(tg.load(x, (0, 0), (3, N)), axis=1))


@pytest.mark.parametrize("waves, columns, says", [(16, 65536, False), (6, 20000, True)])
def test_waves_are_blamed_if_they_are_to_blame(waves: int, columns: int, says: bool) -> None:
    x = tg.array(tg.f32, 2)
    kernel = summed.with_schedule(gfx950=dict(waves=(1, waves)))
    with pytest.raises(tg.RegisterBudget, match="too large to be combined") as caught:
        kernel.compile(tg.Signature(x=x, out=x, N=columns), target="gfx950")
    assert ("a power of two" in caught.value.message) is says


def test_the_tile_that_fits_is_a_smaller_one() -> None:
    """Six waves divide it so badly that they cannot hold what a count of elements says."""
    x = tg.array(tg.f32, 2)
    kernel = summed.with_schedule(gfx950=dict(waves=(1, 6)))
    with pytest.raises(tg.RegisterBudget, match="3x32768xf32 fits"):
        kernel.compile(tg.Signature(x=x, out=x, N=65536), target="gfx950")


def test_registers_that_spill_are_a_warning() -> None:
    """A kernel that is slow says so, where it is compiled and in its report."""
    a, b = (np.empty((4096, 4096), ml_dtypes.bfloat16) for _ in range(2))
    kernel = gemm.with_schedule()  # knows nothing yet
    arguments = (a.T, b, np.empty_like(a))
    said = r"gemm for gfx942 \(.*BM=256.*\): \d+ registers spilled.*\[object\.resources\.c1\]"
    with pytest.warns(RuntimeWarning, match=said) as warnings:
        kernel.compile(*arguments, target="gfx942")
    assert [found.filename for found in warnings] == [__file__]
    assert re.search(
        r"\n  warning   \d+ registers spilled", kernel.report(*arguments, target="gfx942")
    )
