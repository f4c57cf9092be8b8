"""Quantizers of what a mixture of experts multiplies: groups of rows, and a matrix an expert.

Groups are ranges of rows that end at ``offs`` (G) of i32 or i64, which stay on the device; rows
behind the last one are left alone. A scale is that of ``tg.fp8_scale`` for a group and column.
"""

import tegula as tg


@tg.kernel(grid=lambda x, offs, BK: (offs.shape[0], tg.cdiv(x.shape[1], BK)))
def fp8_group_columns(
    x: "R K",
    q: "R K",
    scale: "G K",
    offs: "G",
    *,
    pow2: tg.const = True,
    BM: tg.tile = 128,
    BK: tg.tile = 128,
):
    """q = x · scale with a scale for each group of rows and column; x is read twice.

    x (R, K) of f32, f16 or bf16, q (R, K) of any f8, often column by column; scale (G, K) of f32,
    for a group without rows that of zeros (torchao's per-group column scales).
    """
    g, k = tg.program_id(0), tg.program_id(1)
    lo, hi = tg.group(offs, g)
    amax = tg.zeros((1, BK), tg.f32)
    for m in tg.tiles(x[lo:hi], axis=0, size=BM):
        v = tg.load(x[lo:hi], (m, k), (BM, BK))
        amax = tg.maximum(amax, tg.max(tg.abs(v), axis=0, keepdims=True).to(tg.f32))
    s = tg.fp8_scale(amax, q.dtype, pow2=pow2)
    tg.store(scale, (g, k), s)
    for m in tg.tiles(x[lo:hi], axis=0, size=BM):
        v = tg.load(x[lo:hi], (m, k), (BM, BK)).to(tg.f32)
        tg.store(q[lo:hi], (m, k), (v * s).to(q.dtype))


@tg.kernel(grid=lambda: tg.persistent())
def fp8_group_largest(x: "R K", amax: "G K", offs: "G", *, BM: tg.tile = 512, BK: tg.tile = 128):
    """amax = max(amax, |x|) of each group and column, whose rows several workgroups share.

    For ``fp8_group_columns_apart`` of few columns and long groups; amax (G, K) of f32 is zero to
    begin with.
    """
    for g, lo, hi, m, k in tg.group_tiles(offs, x.shape[1], (BM, BK)):
        part = tg.max(tg.abs(tg.load(x[lo:hi], (m, k), (BM, BK))), axis=0, keepdims=True)
        tg.atomic_max(amax, (g, k), part.to(tg.f32))


@tg.kernel(grid=lambda x, offs, PARTS, BK: (PARTS, tg.cdiv(x.shape[1], BK), offs.shape[0]))
def fp8_group_columns_apart(
    x: "R K",
    amax: "G K",
    q: "R K",
    scale: "G K",
    offs: "G",
    *,
    pow2: tg.const = True,
    PARTS: tg.const = 8,
    BM: tg.tile = 128,
    BK: tg.tile = 128,
):
    """As ``fp8_group_columns``, from what ``fp8_group_largest`` left in amax (G, K).

    The rows of a group are dealt to PARTS workgroups for each tile of columns.
    """
    part, k, g = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    lo, hi = tg.group(offs, g)
    s = tg.fp8_scale(tg.load(amax, (g, k), (1, BK)), q.dtype, pow2=pow2)
    if part == 0:
        tg.store(scale, (g, k), s)
    for m in range(part, tg.cdiv(hi - lo, BM), PARTS):
        v = tg.load(x[lo:hi], (m, k), (BM, BK)).to(tg.f32)
        tg.store(q[lo:hi], (m, k), (v * s).to(q.dtype))


@tg.kernel(grid=lambda x, BK: (tg.cdiv(x.shape[2], BK), x.shape[0]))
def fp8_expert_columns(
    x: "E N K",
    q: "E N K",
    scale: "E K",
    *,
    pow2: tg.const = True,
    BN: tg.tile = 128,
    BK: tg.tile = 128,
):
    """q = x · scale with a scale for each expert and column, over N; x is read twice.

    x (E, N, K) of f32, f16 or bf16, q of any f8 with strides (N·K, 1, N) for a product that
    contracts over N, scale (E, K) of f32 (torchao's ``triton_fp8_rowwise_3d_transpose_rhs``).
    """
    k, e = tg.program_id(0), tg.program_id(1)
    amax = tg.zeros((1, BK), tg.f32)
    for n in tg.tiles(x[e], axis=0, size=BN):
        v = tg.abs(tg.load(x[e], (n, k), (BN, BK)))
        amax = tg.maximum(amax, tg.max(v, axis=0, keepdims=True).to(tg.f32))
    s = tg.fp8_scale(amax, q.dtype, pow2=pow2)
    tg.store(scale, (e, k), s)
    for n in tg.tiles(x[e], axis=0, size=BN):
        tg.store(q[e], (n, k), (tg.load(x[e], (n, k), (BN, BK)).to(tg.f32) * s).to(q.dtype))


@tg.kernel(grid=lambda x, BN, BK: tg.num_tiles(x, (1, BN, BK)))
def mx_quantize_experts(
    x: "E N K",
    q: "E N K",
    s: "E N/32 K",
    *,
    mode: tg.const = "rceil",
    BN: tg.tile = 64,
    BK: tg.tile = 128,
):
    """Blocks of 32 along N of each expert: codes q (E, N, K), scales s (E, N/32, K) of e8m0.

    As ``mx_quantize_columns`` of each x[e]; x is read once.
    """
    e, n, k = tg.tile_id(x, (1, BN, BK))
    v = tg.load(x, (e, n, k), (1, BN, BK))
    codes, scales = tg.quantize(v, q.dtype, axis=1, block=32, mode=mode)
    tg.store(q, (e, n, k), codes)
    tg.store(s, (e, n, k), scales)


@tg.kernel(grid=lambda x, B: tg.num_tiles(x, (1, B, B)))
def mx_quantize_expert_squares(
    x: "E N K", q: "E N K", s: "E N/32 K/32", *, mode: tg.const = "rceil", B: tg.tile = 64
):
    """One scale for 32 × 32 elements of an expert: codes q (E, N, K), scales s (E, N/32, K/32)."""
    e, n, k = tg.tile_id(x, (1, B, B))
    v = tg.load(x, (e, n, k), (1, B, B))
    codes, scales = tg.quantize(v, q.dtype, axis=(1, 2), block=(32, 32), mode=mode)
    tg.store(q, (e, n, k), codes)
    tg.store(s, (e, n, k), scales)
