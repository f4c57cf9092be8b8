"""Root-mean-square norm of rows (Zhang & Sennrich 2019; torch.nn.functional.rms_norm)."""

import tegula as tg
from tegula.kernels.rows import LONGEST


@tg.kernel(grid=lambda x: (x.shape[0],))
def rms_norm(
    x: "R N",
    w: "N",
    out: "R N",
    rstd: "R 1",
    eps: tg.f32,
    *,
    N: tg.const,
    inner: tg.const = tg.f32,
):
    """out = (x · rstd) · w with rstd = 1 / sqrt(mean(x²) + eps), computed in f32.

    x (R, N), w (N), out (R, N) of f32, f16 or bf16; rstd (R, 1) f32. ``inner`` is the type to
    which x · rstd is rounded first, as models do that cast before they weight. Rows of more than
    32,768 elements are read twice.
    """
    row, BN, squares = tg.program_id(0), min(max(N, 1), LONGEST), tg.zeros((1, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        squares += tg.sum(tg.load(x, (row, n), (1, BN)).to(tg.f32) ** 2, axis=1, keepdims=True)
    r = tg.rsqrt(squares / N + eps)
    for n in tg.tiles(x, axis=1, size=BN):
        y = (tg.load(x, (row, n), (1, BN)).to(tg.f32) * r).to(inner).to(tg.f32)
        tg.store(out, (row, n), (y * tg.load(w, (n,), (BN,)).to(tg.f32)).to(out.dtype))
    tg.store(rstd, (row, 0), r)


@tg.function
def added(x, residual, row, n, BN):
    """A tile of x + residual, rounded to their type."""
    return tg.load(x, (row, n), (1, BN)) + tg.load(residual, (row, n), (1, BN))


@tg.kernel(grid=lambda x: (x.shape[0],))
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
):
    """total = x + residual, rounded to their type, and out its RMSNorm: see :func:`rms_norm`.

    x, residual, total and out (R, N), w (N) of f32, f16 or bf16; rstd (R, 1) f32. total may be
    residual itself. Rows of more than 32,768 elements are read twice.
    """
    row, BN, squares = tg.program_id(0), min(max(N, 1), LONGEST), tg.zeros((1, 1), tg.f32)
    for n in tg.tiles(x, axis=1, size=BN):
        v = added(x, residual, row, n, BN).to(tg.f32)
        squares += tg.sum(v * v, axis=1, keepdims=True)
    r = tg.rsqrt(squares / N + eps)
    for n in tg.tiles(x, axis=1, size=BN):
        v = added(x, residual, row, n, BN)
        y = v.to(tg.f32) * r * tg.load(w, (n,), (BN,)).to(tg.f32)
        tg.store(out, (row, n), y.to(out.dtype))
        tg.store(total, (row, n), v)
    tg.store(rstd, (row, 0), r)
