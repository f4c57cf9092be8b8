"""Layer norm of rows (Ba et al. 2016; torch.nn.functional.layer_norm)."""

import tegula as tg
from tegula.kernels.rows import row_sum, row_tile, row_tiles


@tg.kernel(grid=lambda x, N: (row_tiles(x, N),))
def layer_norm(
    x: "R N",
    out: "R N",
    mean: "R 1",
    rstd: "R 1",
    eps: tg.f32,
    w: "N" = None,
    b: "N" = None,
    *,
    N: tg.const,
):
    """out = (x - mean) · rstd · w + b with rstd = 1 / sqrt(variance + eps), computed in f32.

    x (R, N), w (N), b (N), out (R, N) of f32, f16 or bf16; mean, rstd (R, 1) f32. The variance is
    that of all N elements, from their distances to the mean; tiles of rows of more than 32,768
    elements are combined as in Chan et al. 1979, and read twice.
    """
    row, (BM, BN) = tg.program_id(0), row_tile(N)
    m, squares = tg.zeros((BM, 1), tg.f32), tg.zeros((BM, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        v, size = tg.load(x, (row, n), (BM, BN)).to(tg.f32), tg.minimum(N - n * BN, BN)
        here, share = row_sum(v) / size, size / (n * BN + size)
        d = tg.where(tg.valid(x, (row, n), (BM, BN)), v - here, 0.0)
        squares = squares + row_sum(d * d) + (here - m) * (here - m) * (n * BN * share)
        m = m + (here - m) * share
    r = tg.rsqrt(squares / N + eps)
    for n in tg.tiles(x, axis=1, size=BN):
        y = (tg.load(x, (row, n), (BM, BN)).to(tg.f32) - m) * r
        y = y if w is None else y * tg.load(w, (n,), (BN,)).to(tg.f32)
        y = y if b is None else y + tg.load(b, (n,), (BN,)).to(tg.f32)
        tg.store(out, (row, n), y.to(out.dtype))
    tg.store(mean, (row, 0), m)
    tg.store(rstd, (row, 0), r)
