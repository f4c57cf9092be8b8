"""Root-mean-square norm of rows (Zhang & Sennrich 2019; torch.nn.functional.rms_norm)."""

import tegula as tg
from tegula.kernels.rows import LONGEST, row_codes, row_sum, row_tile, row_tiles


@tg.kernel(grid=lambda x, BM: (tg.cdiv(x.shape[0], BM),))
def rms_norm(
    x: "R N",
    w: "N",
    out: "R N",
    rstd: "R 1",
    eps: tg.f32,
    *,
    N: tg.const,
    inner: tg.const = tg.f32,
    BM: tg.tile = 1,
):
    """out = (x · rstd) · w with rstd = 1 / sqrt(mean(x²) + eps), computed in f32.

    x (R, N), w (N), out (R, N) of f32, f16 or bf16; rstd (R, 1) f32. ``inner`` is the type to
    which x · rstd is rounded first, as models do that cast before they weight. Rows of more than
    32,768 elements are read twice. Several short rows may be a tile: BM.
    """
    row, BN, squares = tg.program_id(0), min(max(N, 1), LONGEST), tg.zeros((BM, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        squares += tg.sum(tg.load(x, (row, n), (BM, BN)).to(tg.f32) ** 2, axis=1, keepdims=True)
    r = tg.rsqrt(squares / N + eps)
    for n in tg.tiles(x, axis=1, size=BN):
        y = (tg.load(x, (row, n), (BM, BN)).to(tg.f32) * r).to(inner).to(tg.f32)
        tg.store(out, (row, n), (y * tg.load(w, (n,), (BN,)).to(tg.f32)).to(out.dtype))
    tg.store(rstd, (row, 0), r)


@tg.function
def added(x, residual, row, n, shape):
    """A tile of x, or of x + residual, rounded to their type."""
    v = tg.load(x, (row, n), shape)
    return v if residual is None else v + tg.load(residual, (row, n), shape)


@tg.kernel(grid=lambda x, BM: (tg.cdiv(x.shape[0], BM),))
def add_rms_norm(
    x: "R N",
    residual: "R N",
    w: "N",
    out: "R N",
    total: "R N",
    rstd: "R 1",
    eps: tg.f32,
    *,
    N: tg.const,
    BM: tg.tile = 1,
):
    """total = x + residual, rounded to their type, and out its RMSNorm: see :func:`rms_norm`.

    x, residual, total and out (R, N), w (N) of f32, f16 or bf16; rstd (R, 1) f32. total may be
    residual itself. Rows of more than 32,768 elements are read twice.
    """
    row, BN, squares = tg.program_id(0), min(max(N, 1), LONGEST), tg.zeros((BM, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        v = added(x, residual, row, n, (BM, BN)).to(tg.f32)
        squares += tg.sum(v * v, axis=1, keepdims=True)
    r = tg.rsqrt(squares / N + eps)
    for n in tg.tiles(x, axis=1, size=BN):
        v = added(x, residual, row, n, (BM, BN))
        y = v.to(tg.f32) * r * tg.load(w, (n,), (BN,)).to(tg.f32)
        tg.store(out, (row, n), y.to(out.dtype))
        tg.store(total, (row, n), v)
    tg.store(rstd, (row, 0), r)


@tg.kernel(grid=lambda x, N: (row_tiles(x, N),))
def rms_norm_quantize(
    x: "R N",
    w: "N",
    q: "R N",
    scale: "R S",
    eps: tg.f32,
    residual: "R N" = None,
    total: "R N" = None,
    *,
    N: tg.const,
    mode: tg.const = None,
    pow2: tg.const = False,
):
    """q, scale = quantized ``rms_norm`` of x + residual, rounded to the type of x before.

    Without ``mode`` a row has one scale, f32 (R, 1): 127 or the largest number of q's f8 type over
    the row's largest magnitude (``pow2``: rounded down to a power of two), by which rows are
    multiplied. With a mode of ``tg.quantize`` blocks of 32 have scales of e8m0 (R, N/32). x,
    residual, total, w as in ``add_rms_norm``; N at most 32,768.
    """
    row, shape = tg.program_id(0), row_tile(N)
    v = added(x, residual, row, 0, shape).to(tg.f32)
    y = v * tg.rsqrt(row_sum(v * v) / N + eps) * tg.load(w, (0,), (N,)).to(tg.f32)
    codes, scales = row_codes(y.to(x.dtype), q.dtype, mode, pow2)
    tg.store(q, (row, 0), codes)
    tg.store(scale, (row, 0), scales)
    if total is not None:
        tg.store(total, (row, 0), v.to(x.dtype))
