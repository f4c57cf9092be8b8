"""Quantizers to codes with shared scales, and back.

MX (OCP Microscaling Formats 1.0, torchao ``to_mx``): a power of two for 32 elements. FP8 (torchao's
float8): an f32 factor for a row, a tensor or a block. How an array is stored, its strides included,
is the argument's: codes that lie column by column are a transposed array, codes of four bits are
``tg.packed`` or torch's ``float4_e2m1fn_x2``, scales of one layout or another are stored to alike.
"""

import tegula as tg


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def mx_quantize_rows(
    x: "M K",
    q: "M K",
    s: "M K/32",
    *,
    mode: tg.const = "rceil",
    BM: tg.tile = 64,
    BK: tg.tile = 128,
):
    """Blocks of 32 along K: codes q (M, K), scales s (M, K/32) of e8m0. BK is a multiple of 32.

    x of f32, f16 or bf16; q of f8e4m3fn, f8e5m2, f6e2m3, f6e3m2 or f4e2m1; ``mode`` as in
    ``tg.quantize``.
    """
    m, k = tg.tile_id(x, (BM, BK))
    codes, scales = tg.quantize(tg.load(x, (m, k), (BM, BK)), q.dtype, axis=1, block=32, mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def mx_quantize_columns(
    x: "M K",
    q: "M K",
    s: "M/32 K",
    *,
    mode: tg.const = "rceil",
    BM: tg.tile = 64,
    BK: tg.tile = 128,
):
    """Blocks of 32 along M: codes q (M, K), scales s (M/32, K). BM is a multiple of 32.

    For products that contract over M, q has strides (1, M) and s is the transpose of an array
    (K, M/32), as torchao's ``mxfp8_quantize_2d_32x1`` returns them.
    """
    m, k = tg.tile_id(x, (BM, BK))
    codes, scales = tg.quantize(tg.load(x, (m, k), (BM, BK)), q.dtype, axis=0, block=32, mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


#: A wave for 32 rows of a tile: a block lies in one wave, whose lanes load and store 16 bytes.
COLUMNS = dict(waves=(2, 1))
mx_quantize_columns = mx_quantize_columns.with_schedule(gfx942=COLUMNS, gfx950=COLUMNS)


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def mx_quantize_both(
    x: "M K",
    q_k: "M K",
    s_k: "M K/32",
    q_m: "M K",
    s_m: "M/32 K",
    *,
    mode: tg.const = "rceil",
    BM: tg.tile = 64,
    BK: tg.tile = 128,
):
    """What ``mx_quantize_rows`` and ``mx_quantize_columns`` give, from one reading of x."""
    m, k = tg.tile_id(x, (BM, BK))
    v = tg.load(x, (m, k), (BM, BK))
    codes, scales = tg.quantize(v, q_k.dtype, axis=1, block=32, mode=mode)
    tg.store(q_k, (m, k), codes)
    tg.store(s_k, (m, k), scales)
    codes, scales = tg.quantize(v, q_m.dtype, axis=0, block=32, mode=mode)
    tg.store(q_m, (m, k), codes)
    tg.store(s_m, (m, k), scales)


@tg.kernel(grid=lambda x, B: tg.num_tiles(x, (B, B)))
def mx_quantize_squares(
    x: "M K", q: "M K", s: "M/32 K/32", *, mode: tg.const = "rceil", B: tg.tile = 64
):
    """One scale for 32 × 32 elements: codes q (M, K), scales s (M/32, K/32)."""
    m, k = tg.tile_id(x, (B, B))
    v = tg.load(x, (m, k), (B, B))
    codes, scales = tg.quantize(v, q.dtype, axis=(0, 1), block=(32, 32), mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


@tg.kernel(grid=lambda q, BM, BK: tg.num_tiles(q, (BM, BK)))
def mx_dequantize_rows(q: "M K", s: "M K/32", x: "M K", *, BM: tg.tile = 64, BK: tg.tile = 128):
    """x = q · s over blocks of 32 along K, exact in f32 and rounded once to x's type."""
    m, k = tg.tile_id(q, (BM, BK))
    codes = tg.load(q, (m, k), (BM, BK)).to(tg.f32).reshape(BM, BK // 32, 32)
    scales = tg.scale_values(tg.load(s, (m, k), (BM, BK // 32)))
    tg.store(x, (m, k), (codes * scales[:, :, None]).reshape(BM, BK).to(x.dtype))


@tg.kernel(grid=lambda x, BM: (tg.cdiv(x.shape[0], BM),))
def fp8_quantize_rows(
    x: "M K",
    q: "M K",
    scale: "M 1",
    *,
    pow2: tg.const = False,
    BM: tg.tile = 4,
    BK: tg.tile = 1024,
):
    """A scale for each row (``tg.fp8_scale`` of its largest magnitude): q = x · scale.

    x (M, K) of f32, f16 or bf16, q of any f8 or i8, scale (M, 1) of f32. A product takes 1 / scale.
    """
    m = tg.program_id(0)
    amax = tg.zeros((BM, 1), tg.f32)
    for k in tg.tiles(x, axis=1, size=BK):
        v = tg.abs(tg.load(x, (m, k), (BM, BK)))
        amax = tg.maximum(amax, tg.max(v, axis=1, keepdims=True).to(tg.f32))
    s = tg.fp8_scale(amax, q.dtype, pow2=pow2)
    tg.store(scale, (m, 0), s)
    for k in tg.tiles(x, axis=1, size=BK):
        y = tg.load(x, (m, k), (BM, BK)).to(tg.f32) * s
        tg.store(q, (m, k), (tg.round(y) if q.dtype == tg.i8 else y).to(q.dtype))


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def fp8_largest(x: "M K", amax: "1 1", *, BM: tg.tile = 64, BK: tg.tile = 256):
    """amax = max(amax, |x|), for the scale of a whole tensor; amax is zero to begin with."""
    m, k = tg.tile_id(x, (BM, BK))
    largest = tg.max(tg.abs(tg.load(x, (m, k), (BM, BK))), keepdims=True)
    tg.atomic_max(amax, (0, 0), largest.to(tg.f32))


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def fp8_quantize_tensor(
    x: "M K",
    amax: "1 1",
    q: "M K",
    scale: "1 1",
    *,
    pow2: tg.const = False,
    BM: tg.tile = 16,
    BK: tg.tile = 256,
):
    """One scale for all: q = x · scale, from what ``fp8_largest`` left in amax."""
    m, k = tg.tile_id(x, (BM, BK))
    s = tg.fp8_scale(tg.load(amax, (0, 0), (1, 1)), q.dtype, pow2=pow2)
    tg.store(scale, (0, 0), s)
    tg.store(q, (m, k), (tg.load(x, (m, k), (BM, BK)).to(tg.f32) * s).to(q.dtype))


@tg.kernel(grid=lambda x, BM: tg.num_tiles(x, (BM, 128)))
def fp8_quantize_1x128(x: "M K", q: "M K", inverse: "M K/128", *, BM: tg.tile = 32):
    """A scale for 128 elements along K, stored as its reciprocal: inverse (M, K/128)."""
    m, k = tg.tile_id(x, (BM, 128))
    v = tg.load(x, (m, k), (BM, 128))
    s = tg.fp8_scale(tg.max(tg.abs(v), axis=1, keepdims=True), q.dtype)
    tg.store(inverse, (m, k), 1.0 / s)
    tg.store(q, (m, k), (v.to(tg.f32) * s).to(q.dtype))


@tg.kernel(grid=lambda x, BK: tg.num_tiles(x, (128, BK)))
def fp8_quantize_128x1(x: "M K", q: "M K", inverse: "M/128 K", *, BK: tg.tile = 64):
    """A scale for 128 elements along M, stored as its reciprocal: inverse (M/128, K)."""
    m, k = tg.tile_id(x, (128, BK))
    v = tg.load(x, (m, k), (128, BK))
    s = tg.fp8_scale(tg.max(tg.abs(v), axis=0, keepdims=True).to(tg.f32), q.dtype)
    tg.store(inverse, (m, k), 1.0 / s)
    tg.store(q, (m, k), (v.to(tg.f32) * s).to(q.dtype))


@tg.kernel(grid=lambda x: tg.num_tiles(x, (128, 128)))
def fp8_quantize_128x128(x: "M K", q: "M K", inverse: "M/128 K/128"):
    """A scale for 128 × 128 elements, stored as its reciprocal: inverse (M/128, K/128)."""
    m, k = tg.tile_id(x, (128, 128))
    v = tg.load(x, (m, k), (128, 128))
    s = tg.fp8_scale(tg.max(tg.abs(v), keepdims=True), q.dtype)
    tg.store(inverse, (m, k), 1.0 / s)
    tg.store(q, (m, k), (v.to(tg.f32) * s).to(q.dtype))


@tg.kernel(grid=lambda q, BM: tg.num_tiles(q, (BM, 128)))
def fp8_dequantize_1x128(q: "M K", inverse: "M K/128", x: "M K", *, BM: tg.tile = 32):
    """x = q · inverse over 128 elements along K, in f32, rounded once to x's type."""
    m, k = tg.tile_id(q, (BM, 128))
    s = tg.load(inverse, (m, k), (BM, 1))
    tg.store(x, (m, k), (tg.load(q, (m, k), (BM, 128)).to(tg.f32) * s).to(x.dtype))
