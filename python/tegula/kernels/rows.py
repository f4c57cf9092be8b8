"""What kernels over rows share: the tile that walks over a row, and sums of columns."""

import tegula as tg

LONGEST = 32_768  # elements of a row that is one tile, and read once
CHUNK = 8_192  # elements of a tile of a row that is several tiles


@tg.function
def row_sum(tile):
    """The sum of a row, as a tile of one element."""
    return tg.sum(tile, axis=1, keepdims=True)


@tg.kernel(grid=lambda out, BN: (tg.cdiv(out.shape[0], BN),))
def column_sums(part: "P N", out: "N", *, BM: tg.tile = 128, BN: tg.tile = 32):
    """out = part summed over its rows, in f32 and a fixed order.

    part (P, N) f32, out (N) of f32, f16 or bf16; any extents, 0 included.
    """
    n = tg.program_id(0)
    total = tg.zeros((BN,), tg.f32)
    for p in tg.tiles(part, axis=0, size=BM):
        total = total + tg.sum(tg.load(part, (p, n), (BM, BN)), axis=0)
    tg.store(out, (n,), total.to(out.dtype))
