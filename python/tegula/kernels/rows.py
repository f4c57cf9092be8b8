"""What kernels over rows share: the tile that walks over a row, and sums of columns."""

import tegula as tg

LONGEST = 32_768  # elements of a row that is one tile, and read once
CHUNK = 8_192  # elements of a tile of longer rows
TILE = 2_048  # elements of a tile of several short rows


@tg.function
def row_tile(N, longest=LONGEST):
    """Rows and columns of the tile with which a kernel walks over rows of N elements.

    Short rows share one, which must not span 2^31 bytes: 2048 / N rows.
    """
    BN = tg.maximum(N, 1) if N <= longest else CHUNK
    return tg.maximum(TILE // BN, 1), BN


@tg.function
def row_tiles(x, N):
    """How many tiles the rows of x are."""
    return tg.cdiv(x.shape[0], row_tile(N)[0])


@tg.function
def row_sum(tile):
    """Sums of rows, as a tile of one column."""
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


@tg.function
def row_codes(y, dtype, mode, pow2):
    """(codes, scales) of whole rows: of blocks of 32 in a mode of ``tg.quantize``, or of a row."""
    if mode is not None:
        return tg.quantize(y, dtype, axis=1, block=32, mode=mode)
    scale = tg.fp8_scale(tg.max(tg.abs(y), axis=1, keepdims=True).to(tg.f32), dtype, pow2)
    codes = y.to(tg.f32) * scale
    return (tg.round(codes) if dtype == tg.i8 else codes).to(dtype), scale
