"""Rasters on the simulated device: every tile has its workgroup, whatever the order.

All grids up to 5,000 tiles are evaluated in test/unit/compiler/TileRasterTest.cpp.
"""

from __future__ import annotations

import numpy as np
import pytest

import tegula
import tegula as tg

GROUPS = (1, 3, 8, 64)


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (BM, BN)))
def number_tiles(c: "M N", *, BM: tg.tile = 2, BN: tg.tile = 4):
    m, n = tg.tile_id(c, (BM, BN))
    number = m * tg.cdiv(c.shape[1], BN) + n
    tg.store(c, (m, n), tg.full((BM, BN), number, tg.i32))


@pytest.mark.parametrize("shape", [(2, 4), (26, 68), (3, 500), (301, 5), (130, 128)])
def test_every_tile_is_computed(device: tegula.runtime.Device, shape: tuple[int, int]) -> None:
    tiles = -(-shape[0] // 2), -(-shape[1] // 4)
    rows, columns = (np.arange(extent) // size for extent, size in zip(shape, (2, 4), strict=True))
    wanted = rows[:, None] * tiles[1] + columns[None, :]
    for group in GROUPS:
        for xcd in (False, True):
            raster = {"raster": {"group": group, "xcd": xcd}}
            c = np.full(shape, -1, dtype=np.int32)
            number_tiles.with_schedule(**{device.target: raster})(c)
            assert np.array_equal(c, wanted), (group, xcd)


def test_a_raster_is_in_the_code() -> None:
    c = np.zeros((64, 64), dtype=np.int32)
    codes = {
        number_tiles.with_schedule(gfx950={"raster": {"group": group, "xcd": xcd}})
        .compile(c, target="gfx950")
        .code_object
        for group in GROUPS
        for xcd in (False, True)
    }
    assert len(codes) == 2 * len(GROUPS)
