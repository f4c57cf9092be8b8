"""SiLU, and SiLU times a gate (Shazeer 2020; torch.nn.functional.silu(a) * b)."""

import tegula as tg
from tegula.kernels.rows import row_codes, row_tile, row_tiles


@tg.kernel(grid=lambda a, BM, BN: tg.num_tiles(a, (BM, BN)))
def silu_mul(
    a: "M N",
    out: "M N",
    b: "M N" = None,
    *,
    inner: tg.const = tg.f32,
    BM: tg.tile = 1,
    BN: tg.tile = 2048,
):
    """out = silu(a) · b, or silu(a), with silu(a) = a / (1 + exp(-a)), computed in f32.

    a, b, out (M, N) of f32, f16 or bf16 with any strides: a and b may be halves of one array.
    ``inner`` is the type to which silu(a) is rounded first, as models do that compute it apart.
    """
    m, n = tg.tile_id(a, (BM, BN))
    v = tg.load(a, (m, n), (BM, BN)).to(tg.f32)
    y = (v / (1.0 + tg.exp(-v))).to(inner).to(tg.f32)
    y = y if b is None else y * tg.load(b, (m, n), (BM, BN)).to(tg.f32)
    tg.store(out, (m, n), y.to(out.dtype))


@tg.kernel(grid=lambda a, BM, BN: tg.num_tiles(a, (BM, BN)))
def silu_mul_backward(
    dy: "M N",
    a: "M N",
    da: "M N",
    b: "M N" = None,
    db: "M N" = None,
    *,
    BM: tg.tile = 1,
    BN: tg.tile = 2048,
):
    """da = dy · b · s · (1 + a · (1 - s)) with s = sigmoid(a), and db = dy · a · s, in f32.

    All (M, N) of f32, f16 or bf16 with any strides; b and db are given or left out together.
    """
    m, n = tg.tile_id(a, (BM, BN))
    v, g = tg.load(a, (m, n), (BM, BN)).to(tg.f32), tg.load(dy, (m, n), (BM, BN)).to(tg.f32)
    s = 1.0 / (1.0 + tg.exp(-v))
    if b is not None:
        tg.store(db, (m, n), (g * (v * s)).to(db.dtype))
        g = g * tg.load(b, (m, n), (BM, BN)).to(tg.f32)
    tg.store(da, (m, n), (g * (s * (1.0 + v * (1.0 - s)))).to(da.dtype))


@tg.kernel(grid=lambda a, N: (row_tiles(a, N),))
def silu_mul_quantize(
    a: "R N",
    b: "R N",
    q: "R N",
    scale: "R S",
    *,
    N: tg.const,
    mode: tg.const = None,
    pow2: tg.const = False,
):
    """q, scale = quantized silu(a) · b, rounded to the type of a before.

    Codes and scales as in ``rms_norm_quantize``. a and b (R, N) as in ``silu_mul``; N at most
    32,768.
    """
    row, shape = tg.program_id(0), row_tile(N)
    v = tg.load(a, (row, 0), shape).to(tg.f32)
    y = v / (1.0 + tg.exp(-v)) * tg.load(b, (row, 0), shape).to(tg.f32)
    codes, scales = row_codes(y.to(a.dtype), q.dtype, mode, pow2)
    tg.store(q, (row, 0), codes)
    tg.store(scale, (row, 0), scales)
