"""Production-shaped Triton kernels: GEMMs of all types, grouped GEMMs, attention, norms, top-k, MX.

Ordinary Triton idioms, with the hints that autotuned kernels have. triton_peer_cases.py has their
configurations and what they must compute.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def tile_coords(pid, num_m, num_n, GROUP_M: tl.constexpr, XCDS: tl.constexpr):
    """Workgroup id -> (tile row, tile column).  Workgroups are dealt to the XCDs round-robin, so
    first give each XCD
    one contiguous run of ids (its L2 then sees neighbours), then walk the tiles in column strips
    GROUP_M rows tall."""
    total = num_m * num_n
    if XCDS > 1:
        per = tl.cdiv(total, XCDS)
        full = total - (per - 1) * XCDS  # that many XCDs hold `per` tiles, the rest one fewer
        xcd = pid % XCDS
        pid = xcd * per - tl.maximum(xcd - full, 0) + pid // XCDS
    strip = GROUP_M * num_n
    g = pid // strip
    row0 = g * GROUP_M
    rows = min(num_m - row0, GROUP_M)
    r = pid - g * strip
    return row0 + r % rows, r // rows


@triton.jit
def gemm_nt(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    lda,
    ldb,
    ldc,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP_M: tl.constexpr,
    XCDS: tl.constexpr,
):
    """C[M,N] = A[M,K] . B[N,K]^T, f32 accumulate.  K % BK == 0."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tm, tn = tile_coords(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M, XCDS)
    rm = (tm * BM + tl.arange(0, BM)) % M
    rn = (tn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a_ptr + rm[:, None] * lda + rk[None, :]
    pb = b_ptr + rn[None, :] * ldb + rk[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK
    om = tm * BM + tl.arange(0, BM)
    on = tn * BN + tl.arange(0, BN)
    tl.store(
        c_ptr + om[:, None] * ldc + on[None, :],
        acc.to(c_ptr.type.element_ty),
        mask=(om[:, None] < M) & (on[None, :] < N),
    )


@triton.jit
def gemm_nt_rowscale(
    a_ptr,
    b_ptr,
    c_ptr,
    as_ptr,
    bs_ptr,
    M,
    N,
    K,
    lda,
    ldb,
    ldc,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP_M: tl.constexpr,
    XCDS: tl.constexpr,
):
    """C[M,N] = (A[M,K] . B[N,K]^T) * as[M] * bs[N]; fp8 in, f32 scales, K % BK == 0."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tm, tn = tile_coords(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M, XCDS)
    rm = (tm * BM + tl.arange(0, BM)) % M
    rn = (tn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a_ptr + rm[:, None] * lda + rk[None, :]
    pb = b_ptr + rn[None, :] * ldb + rk[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK
    acc *= tl.load(as_ptr + rm)[:, None] * tl.load(bs_ptr + rn)[None, :]
    om = tm * BM + tl.arange(0, BM)
    on = tn * BN + tl.arange(0, BN)
    tl.store(
        c_ptr + om[:, None] * ldc + on[None, :],
        acc.to(c_ptr.type.element_ty),
        mask=(om[:, None] < M) & (on[None, :] < N),
    )


@triton.jit
def gemm_nt_mx(
    a_ptr,
    b_ptr,
    c_ptr,
    as_ptr,
    bs_ptr,
    M,
    N,
    K,
    lda,
    ldb,
    ldc,
    lds_a,
    lds_b,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP_M: tl.constexpr,
    XCDS: tl.constexpr,
    FMT: tl.constexpr,
    PACK: tl.constexpr,
):
    """OCP MX GEMM, both operands FMT with an e8m0 scale per 32 along K.  as [M,K/32], bs [N,K/32]
    row-major bytes.
    lda/ldb count bytes (PACK elements per byte); lds_a/lds_b are the scale row strides.  K % BK
    == 0."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tl.assume(lds_a > 0)
    tl.assume(lds_b > 0)
    BKB: tl.constexpr = BK // PACK
    BKS: tl.constexpr = BK // 32
    tm, tn = tile_coords(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M, XCDS)
    rm = (tm * BM + tl.arange(0, BM)) % M
    rn = (tn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BKB)
    rs = tl.arange(0, BKS)
    pa = a_ptr + rm[:, None] * lda + rk[None, :]
    pb = b_ptr + rn[None, :] * ldb + rk[:, None]
    psa = as_ptr + rm[:, None] * lds_a + rs[None, :]
    psb = bs_ptr + rn[:, None] * lds_b + rs[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot_scaled(tl.load(pa), tl.load(psa), FMT, tl.load(pb), tl.load(psb), FMT, acc)
        pa += BKB
        pb += BKB
        psa += BKS
        psb += BKS
    om = tm * BM + tl.arange(0, BM)
    on = tn * BN + tl.arange(0, BN)
    tl.store(
        c_ptr + om[:, None] * ldc + on[None, :],
        acc.to(c_ptr.type.element_ty),
        mask=(om[:, None] < M) & (on[None, :] < N),
    )


@triton.jit
def unshuffle(t, ROWS: tl.constexpr, KS: tl.constexpr):
    """[ROWS/32, KS*32] scale bytes in MFMA order -> [ROWS, KS].  In each 32-row x 8-scale block
    the byte order is
    (kblk 4, row 16, ktile 2, rtile 2): a lane of mfma_scale_16x16x128 finds its four bytes in one
    dword."""
    t = t.reshape(ROWS // 32, KS // 8, 4, 16, 2, 2).permute(0, 5, 3, 1, 4, 2)
    return t.reshape(ROWS, KS)


@triton.jit
def gemm_nt_mx_preshuf(
    a_ptr,
    b_ptr,
    c_ptr,
    as_ptr,
    bs_ptr,
    M,
    N,
    K,
    lda,
    ldb,
    ldc,
    lds_a,
    lds_b,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP_M: tl.constexpr,
    XCDS: tl.constexpr,
    FMT: tl.constexpr,
    PACK: tl.constexpr,
):
    """As gemm_nt_mx, with the scales pre-shuffled: as [M/32, K/32*32], bs [N/32, K/32*32] (see
    unshuffle)."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tl.assume(lds_a > 0)
    tl.assume(lds_b > 0)
    BKB: tl.constexpr = BK // PACK
    BKS: tl.constexpr = BK // 32
    tm, tn = tile_coords(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M, XCDS)
    rm = (tm * BM + tl.arange(0, BM)) % M
    rn = (tn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BKB)
    rs = tl.arange(0, BKS * 32)
    sm = (tm * (BM // 32) + tl.arange(0, BM // 32)) % tl.cdiv(M, 32)
    sn = (tn * (BN // 32) + tl.arange(0, BN // 32)) % tl.cdiv(N, 32)
    pa = a_ptr + rm[:, None] * lda + rk[None, :]
    pb = b_ptr + rn[None, :] * ldb + rk[:, None]
    psa = as_ptr + sm[:, None] * lds_a + rs[None, :]
    psb = bs_ptr + sn[:, None] * lds_b + rs[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        sa = unshuffle(tl.load(psa), BM, BKS)
        sb = unshuffle(tl.load(psb), BN, BKS)
        acc = tl.dot_scaled(tl.load(pa), sa, FMT, tl.load(pb), sb, FMT, acc)
        pa += BKB
        pb += BKB
        psa += BKS * 32
        psb += BKS * 32
    om = tm * BM + tl.arange(0, BM)
    on = tn * BN + tl.arange(0, BN)
    tl.store(
        c_ptr + om[:, None] * ldc + on[None, :],
        acc.to(c_ptr.type.element_ty),
        mask=(om[:, None] < M) & (on[None, :] < N),
    )


@triton.jit
def grouped_persistent(
    a_ptr,
    b_ptr,
    c_ptr,
    offs_ptr,
    G,
    N,
    K,
    lda,
    stride_bg,
    ldb,
    ldc,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    WGS: tl.constexpr,
):
    """C[sum M, N] = A[sum M, K] . B[g][K, N], group g = rows offs[g-1]..offs[g] (int32 END
    offsets on the device).
    WGS workgroups stay resident and take every WGS-th tile of the concatenated tile list.  K % BK
    == 0."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tile = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    first = 0
    row0 = 0
    for g in range(G):
        row1 = tl.load(offs_ptr + g)
        tiles_m = tl.cdiv(row1 - row0, BM)
        end = first + tiles_m * tiles_n
        while tile < end:
            t = tile - first
            tn = t // tiles_m
            tm = t - tn * tiles_m
            om = row0 + tm * BM + tl.arange(0, BM)
            on = tn * BN + tl.arange(0, BN)
            rk = tl.arange(0, BK)
            b_g = b_ptr + g * stride_bg.to(tl.int64)
            pa = a_ptr + om[:, None] * lda + rk[None, :]
            pb = b_g + rk[:, None] * ldb + on[None, :]
            ma = om[:, None] < row1
            mb = on[None, :] < N
            acc = tl.zeros((BM, BN), tl.float32)
            for _ in range(0, tl.cdiv(K, BK)):
                acc = tl.dot(tl.load(pa, mask=ma, other=0.0), tl.load(pb, mask=mb, other=0.0), acc)
                pa += BK
                pb += BK * ldb
            tl.store(
                c_ptr + om[:, None] * ldc + on[None, :], acc.to(c_ptr.type.element_ty), mask=ma & mb
            )
            tile += WGS
        first = end
        row0 = row1


@triton.jit
def grouped_flat(
    a_ptr,
    b_ptr,
    c_ptr,
    offs_ptr,
    G,
    N,
    K,
    lda,
    stride_bg,
    ldb,
    ldc,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GP2: tl.constexpr,
):
    """As grouped_persistent, one tile per workgroup: each workgroup finds its group with one
    masked scan over the
    offsets (GP2 >= G, a power of two) and workgroups past the last tile leave.  K % BK == 0."""
    tl.assume(lda > 0)
    tl.assume(ldb > 0)
    tl.assume(ldc > 0)
    tn = tl.program_id(0)
    slot = tl.program_id(1)
    gi = tl.arange(0, GP2)
    ends = tl.load(offs_ptr + gi, mask=gi < G, other=0)
    starts = tl.load(offs_ptr + gi - 1, mask=(gi < G) & (gi > 0), other=0)
    tiles = tl.where(gi < G, (ends - starts + BM - 1) // BM, 0)
    upto = tl.cumsum(tiles, 0)
    g = tl.sum((upto <= slot).to(tl.int32), 0)
    if g < G:
        tm = slot - tl.sum(tl.where(gi < g, tiles, 0), 0)
        row1 = tl.load(offs_ptr + g)
        row0 = tl.load(offs_ptr + g - 1, mask=g > 0, other=0)
        om = row0 + tm * BM + tl.arange(0, BM)
        on = tn * BN + tl.arange(0, BN)
        rk = tl.arange(0, BK)
        b_g = b_ptr + g * stride_bg.to(tl.int64)
        pa = a_ptr + om[:, None] * lda + rk[None, :]
        pb = b_g + rk[:, None] * ldb + on[None, :]
        ma = om[:, None] < row1
        mb = on[None, :] < N
        acc = tl.zeros((BM, BN), tl.float32)
        for _ in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(tl.load(pa, mask=ma, other=0.0), tl.load(pb, mask=mb, other=0.0), acc)
            pa += BK
            pb += BK * ldb
        tl.store(
            c_ptr + om[:, None] * ldc + on[None, :], acc.to(c_ptr.type.element_ty), mask=ma & mb
        )


@triton.jit
def rmsnorm_row(x_ptr, w_ptr, y_ptr, ldx, ldy, eps, N: tl.constexpr, BLOCK: tl.constexpr):
    """y[r,:] = x[r,:] * rsqrt(mean(x[r,:]^2) + eps) * w; one row per workgroup, f32 inside."""
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    if BLOCK == N:
        x = tl.load(x_ptr + r * ldx + c).to(tl.float32)
        w = tl.load(w_ptr + c).to(tl.float32)
    else:
        x = tl.load(x_ptr + r * ldx + c, mask=c < N, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + c, mask=c < N, other=0.0).to(tl.float32)
    inv = tl.rsqrt(tl.sum(x * x, 0) * (1.0 / N) + eps)
    y = (x * inv * w).to(y_ptr.type.element_ty)
    if BLOCK == N:
        tl.store(y_ptr + r * ldy + c, y)
    else:
        tl.store(y_ptr + r * ldy + c, y, mask=c < N)


@triton.jit
def rceil_scale(amax_bits):
    """e8m0 byte and its reciprocal (f32) from the f32 bits of a block's abs-max, RCEIL rule,
    target e4m3fn."""
    d = amax_bits.to(tl.float32, bitcast=True) * (1.0 / 448.0)
    bits = d.to(tl.int32, bitcast=True)
    e = (bits >> 23) & 0xFF
    m = bits & 0x7FFFFF
    up = tl.where(e == 0, m > 0x400000, m != 0)
    s = tl.minimum(e + up.to(tl.int32), 255)
    rb = tl.where(s == 254, 0x00400000, (254 - s) << 23)
    rb = tl.where(s == 255, 0x7FC00000, rb)
    return s, rb.to(tl.float32, bitcast=True)


@triton.jit
def mxfp8_quant_rows(x_ptr, q_ptr, s_ptr, M, K, ldx, ldq, lds, BM: tl.constexpr, BK: tl.constexpr):
    """x bf16 [M,K] -> q e4m3fn [M,K], s e8m0 [M,K/32]; one scale per 1x32 along K.  K % BK == 0."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    ok = tl.program_id(1) * BK + tl.arange(0, BK)
    x = tl.load(x_ptr + om[:, None] * ldx + ok[None, :], mask=om[:, None] < M, other=0.0)
    x3 = x.reshape(BM, BK // 32, 32)
    a = x3.to(tl.int16, bitcast=True).to(tl.int32) & 0x7FFF
    s, r = rceil_scale(tl.max(a, 2) << 16)
    q = (x3.to(tl.float32) * r[:, :, None]).to(tl.float8e4nv).reshape(BM, BK)
    tl.store(q_ptr + om[:, None] * ldq + ok[None, :], q, mask=om[:, None] < M)
    os_ = tl.program_id(1) * (BK // 32) + tl.arange(0, BK // 32)
    tl.store(s_ptr + om[:, None] * lds + os_[None, :], s.to(tl.uint8), mask=om[:, None] < M)


@triton.jit
def mxfp8_quant_cols(x_ptr, q_ptr, s_ptr, M, K, ldx, ldq, lds, BM: tl.constexpr, BK: tl.constexpr):
    """x bf16 [M,K] -> q e4m3fn stored [K,M] (transposed), s e8m0 [K,M/32]; one scale per 32x1
    along M.
    M % BM == 0 and K % BK == 0."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    ok = tl.program_id(1) * BK + tl.arange(0, BK)
    x = tl.load(x_ptr + om[:, None] * ldx + ok[None, :])
    x3 = x.reshape(BM // 32, 32, BK)
    a = x3.to(tl.int16, bitcast=True).to(tl.int32) & 0x7FFF
    s, r = rceil_scale(tl.max(a, 1) << 16)
    q = (x3.to(tl.float32) * r[:, None, :]).to(tl.float8e4nv).reshape(BM, BK)
    tl.store(q_ptr + ok[:, None] * ldq + om[None, :], tl.trans(q))
    os_ = tl.program_id(0) * (BM // 32) + tl.arange(0, BM // 32)
    tl.store(s_ptr + ok[:, None] * lds + os_[None, :], tl.trans(s.to(tl.uint8)))


@triton.jit
def mxfp8_quant_cols_tfirst(
    x_ptr, q_ptr, s_ptr, M, K, ldx, ldq, lds, BM: tl.constexpr, BK: tl.constexpr
):
    """As mxfp8_quant_cols, transposing the bf16 tile first and then reducing along its rows."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    ok = tl.program_id(1) * BK + tl.arange(0, BK)
    x = tl.trans(tl.load(x_ptr + om[:, None] * ldx + ok[None, :]))
    x3 = x.reshape(BK, BM // 32, 32)
    a = x3.to(tl.int16, bitcast=True).to(tl.int32) & 0x7FFF
    s, r = rceil_scale(tl.max(a, 2) << 16)
    q = (x3.to(tl.float32) * r[:, :, None]).to(tl.float8e4nv).reshape(BK, BM)
    tl.store(q_ptr + ok[:, None] * ldq + om[None, :], q)
    os_ = tl.program_id(0) * (BM // 32) + tl.arange(0, BM // 32)
    tl.store(s_ptr + ok[:, None] * lds + os_[None, :], s.to(tl.uint8))


@triton.jit
def topk_values(x_ptr, v_ptr, M, ldx, N: tl.constexpr, KK: tl.constexpr, ROWS: tl.constexpr):
    """v[r,:] = the KK largest of x[r,:N], descending."""
    om = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, N)
    x = tl.load(x_ptr + om[:, None] * ldx + c[None, :], mask=om[:, None] < M, other=float("-inf"))
    v = tl.topk(x, KK)
    tl.store(v_ptr + om[:, None] * KK + tl.arange(0, KK)[None, :], v, mask=om[:, None] < M)


@triton.jit
def topk_values_indices(
    x_ptr, v_ptr, i_ptr, M, ldx, N: tl.constexpr, KK: tl.constexpr, ROWS: tl.constexpr
):
    """As topk_values, with int32 indices (ties: the lower index first): value and index ride in
    one 64-bit key."""
    om = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, N)
    x = tl.load(x_ptr + om[:, None] * ldx + c[None, :], mask=om[:, None] < M, other=float("-inf"))
    b = x.to(tl.int32, bitcast=True)
    k = b ^ ((b >> 31) & 0x7FFFFFFF)  # order-preserving signed key
    key = (k.to(tl.int64) << 32) | (N - 1 - c[None, :]).to(tl.int64)
    top = tl.topk(key, KK)
    tk = (top >> 32).to(tl.int32)
    v = (tk ^ ((tk >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    i = N - 1 - (top & 0xFFFFFFFF).to(tl.int32)
    oc = tl.arange(0, KK)
    tl.store(v_ptr + om[:, None] * KK + oc[None, :], v, mask=om[:, None] < M)
    tl.store(i_ptr + om[:, None] * KK + oc[None, :], i, mask=om[:, None] < M)


@triton.jit
def softmax_row(x_ptr, y_ptr, ldx, ldy, N: tl.constexpr, BLOCK: tl.constexpr):
    """y[r,:] = softmax(x[r,:]); one row per workgroup, f32 inside."""
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    if BLOCK == N:
        x = tl.load(x_ptr + r * ldx + c).to(tl.float32)
    else:
        x = tl.load(x_ptr + r * ldx + c, mask=c < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    y = (e * (1.0 / tl.sum(e, 0))).to(y_ptr.type.element_ty)
    if BLOCK == N:
        tl.store(y_ptr + r * ldy + c, y)
    else:
        tl.store(y_ptr + r * ldy + c, y, mask=c < N)


@triton.jit
def attn_span(
    acc,
    m_i,
    l_i,
    q,
    k_base,
    v_base,
    lo,
    hi,
    qrow,
    scale2,
    S,  #
    BN: tl.constexpr,
    D: tl.constexpr,
    MASK: tl.constexpr,
):
    d = tl.arange(0, D)
    n = tl.arange(0, BN)
    for j in range(lo, hi, BN):
        k = tl.load(k_base + (j + n)[None, :] * D + d[:, None])
        s = tl.dot(q, k) * scale2
        if MASK:
            s = tl.where(qrow[:, None] >= (j + n)[None, :], s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_base + (j + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
    return acc, m_i, l_i


@triton.jit
def attn_fwd(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    lse_ptr,
    S,
    scale2,  #
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """o = softmax(scale q k^T) v for contiguous [B,H,S,D]; lse [B,H,S] f32 in base 2; scale2 =
    scale * log2(e).
    S % BM == 0 and BM % BN == 0."""
    tm = tl.program_id(0)
    z = tl.program_id(1).to(tl.int64)
    base = z * S * D
    qrow = tm * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + qrow[:, None] * D + d[None, :])
    m_i = tl.full((BM,), float("-inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    split = tm * BM if CAUSAL else S
    acc, m_i, l_i = attn_span(
        acc, m_i, l_i, q, k_ptr + base, v_ptr + base, 0, split, qrow, scale2, S, BN, D, False
    )
    if CAUSAL:
        acc, m_i, l_i = attn_span(
            acc,
            m_i,
            l_i,
            q,
            k_ptr + base,
            v_ptr + base,
            split,
            split + BM,
            qrow,
            scale2,
            S,
            BN,
            D,
            True,
        )
    o = acc * (1.0 / l_i)[:, None]
    tl.store(o_ptr + base + qrow[:, None] * D + d[None, :], o.to(o_ptr.type.element_ty))
    tl.store(lse_ptr + z * S + qrow, m_i + tl.log2(l_i))
