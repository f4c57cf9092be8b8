"""Root-mean-square norm of rows (Zhang & Sennrich 2019; torch.nn.functional.rms_norm)."""

import tegula as tg


@tg.kernel(grid=lambda x: (x.shape[0],))
def rms_norm(
    x: "R N", w: "N", out: "R N", rstd: "R 1", eps: tg.f32, *, N: tg.const, inner: tg.const = tg.f32
):
    """out = (x · rstd) · w with rstd = 1 / sqrt(mean(x²) + eps), computed in f32.

    x (R, N), w (N), out (R, N) of f32, f16 or bf16; rstd (R, 1) f32. N at most 65,536. ``inner`` is
    the type to which x · rstd is rounded first, as models do that cast before they weight.
    """
    row = tg.program_id(0)
    v = tg.load(x, (row, 0), (1, N)).to(tg.f32)
    r = tg.rsqrt(tg.sum(v * v, axis=1, keepdims=True) / N + eps)
    tg.store(rstd, (row, 0), r)
    y = (v * r).to(inner).to(tg.f32) * tg.load(w, (0,), (N,)).to(tg.f32)
    tg.store(out, (row, 0), y.to(out.dtype))
