"""Gradients of norms of rows: of RMSNorm, and with a mean of LayerNorm.

With x̂ = (x - mean) · rstd and g = dy · w: dx = rstd · (g - mean(g) - x̂ · mean(g · x̂)), without
mean(g) for RMSNorm; dw and db are sums of dy · x̂ and dy over rows (Ba et al. 2016).
"""

import tegula as tg
from tegula.kernels.rows import CHUNK, TILE, row_sum

LONGEST = 16_384  # elements of a row whose gradient needs no sums from elsewhere


@tg.function
def centred(x, mean, row, n, BM, BN):
    """A tile of x - mean in f32."""
    v = tg.load(x, (row, n), (BM, BN)).to(tg.f32)
    return v if mean is None else v - tg.load(mean, (row, 0), (BM, 1))


@tg.kernel(grid=lambda x: (x.shape[0],))
def norm_sums(
    dy: "R N",
    x: "R N",
    rstd: "R 1",
    sums: "R 2",
    w: "N" = None,
    mean: "R 1" = None,
    *,
    N: tg.const,
):
    """sums = (mean(g), mean(g · x̂)) of each row in f32, for ``norm_backward`` of long rows."""
    row, total, dot = tg.program_id(0), tg.zeros((1, 1), tg.f32), tg.zeros((1, 1), tg.f32)
    r = tg.load(rstd, (row, 0), (1, 1))
    for n in tg.tiles(x, axis=1, size=CHUNK):
        g = tg.load(dy, (row, n), (1, CHUNK)).to(tg.f32)
        g = g if w is None else g * tg.load(w, (n,), (CHUNK,)).to(tg.f32)
        total, dot = total + row_sum(g), dot + row_sum(g * (centred(x, mean, row, n, 1, CHUNK) * r))
    tg.store(sums, (row, 0), total / N)
    tg.store(sums, (row, 1), dot / N)


@tg.kernel(grid=lambda x, dw, BN: (tg.cdiv(x.shape[1], BN), dw.shape[0]))
def norm_backward(
    dy: "R N",
    x: "R N",
    rstd: "R 1",
    dx: "R N",
    dw: "P N",
    w: "N" = None,
    mean: "R 1" = None,
    db: "P N" = None,
    dtotal: "R N" = None,
    sums: "R 2" = None,
    *,
    N: tg.const,
    BN: tg.tile,
):
    """dx, and sums of dy · x̂ (and dy) over the rows of each of P workgroups, in f32.

    dy, x, dx (R, N) and w (N) of f32, f16 or bf16; rstd, mean (R, 1) and dw, db (P, N) f32. Summed
    over P in a fixed order (``column_sums``) they are the gradients of weight and bias, the same
    bits at each launch. dtotal (R, N) is added to dx: the gradient of the sum that a fused norm
    gave out. BN is N; or anything where ``norm_sums`` has made sums (R, 2).
    """
    n, p, BM = tg.program_id(0), tg.program_id(1), tg.maximum(TILE // BN, 1)
    tiles = tg.cdiv(x.shape[0], BM)
    per = tg.cdiv(tiles, dw.shape[0])
    scales, shifts = tg.zeros((1, BN), tg.f32), tg.zeros((1, BN), tg.f32)
    for row in range(p * per, tg.minimum((p + 1) * per, tiles)):
        r, g = tg.load(rstd, (row, 0), (BM, 1)), tg.load(dy, (row, n), (BM, BN)).to(tg.f32)
        hat = centred(x, mean, row, n, BM, BN) * r
        scales = scales + tg.sum(g * hat, axis=0, keepdims=True)
        shifts = shifts + tg.sum(g, axis=0, keepdims=True)
        g = g if w is None else g * tg.load(w, (n,), (BN,)).to(tg.f32)
        total, dot = row_sum(g) / N, row_sum(g * hat) / N
        if sums is not None:
            total, dot = tg.load(sums, (row, 0), (BM, 1)), tg.load(sums, (row, 1), (BM, 1))
        d = (g - hat * dot - (0 if mean is None else total)) * r
        if dtotal is not None:
            d = d + tg.load(dtotal, (row, n), (BM, BN)).to(tg.f32)
        tg.store(dx, (row, n), d.to(dx.dtype))
    tg.store(dw, (p, n), scales)
    if db is not None:
        tg.store(db, (p, n), shifts)
