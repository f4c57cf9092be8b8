"""Triton kernels around products: GEMMs with their epilogues and schedules, attention, convolution.

Each is checked by a case of the same name in triton_product_cases.py.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def fused_linear(c, a, b, bias, res, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """relu(a @ b + bias) + res; a (M, K) and b (K, N) in f16, any extents."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        at = start + k
        x = tl.load(a + m[:, None] * K + at[None, :], (m[:, None] < M) & (at[None, :] < K), 0.0)
        y = tl.load(b + at[:, None] * N + n[None, :], (at[:, None] < K) & (n[None, :] < N), 0.0)
        acc = tl.dot(x, y, acc)
    inside = (m[:, None] < M) & (n[None, :] < N)
    acc += tl.load(bias + n, mask=n < N, other=0.0)[None, :]
    acc = tl.maximum(acc, 0.0) + tl.load(res + m[:, None] * N + n[None, :], inside, 0.0)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def split_k_atomic(c, a, b, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   S: tl.constexpr):  # fmt: skip
    """a (M, K) @ b (N, K)^T; S workgroups share a tile and add to it."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(tl.program_id(2) * BK, K, BK * S):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + n[None, :] * K + k[:, None])
        acc = tl.dot(x, y, acc)
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc, sem="relaxed")


@triton.jit
def split_k_ticket(c, parts, tickets, a, b, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr, S: tl.constexpr):  # fmt: skip
    """As split_k_atomic, in a fixed order: who draws the last ticket sums the parts."""
    pm, pn, s = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(s * BK, K, BK * S):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + n[None, :] * K + k[:, None])
        acc = tl.dot(x, y, acc)
    at = m[:, None] * N + n[None, :]
    tl.store(parts + s * M * N + at, acc)
    tl.debug_barrier()
    last = tl.atomic_add(tickets + pm * tl.num_programs(1) + pn, 1, sem="acq_rel")
    if last == S - 1:
        total = tl.zeros((BM, BN), tl.float32)
        for part in range(S):
            total += tl.load(parts + part * M * N + at, volatile=True)
        tl.store(c + at, total.to(c.dtype.element_ty))


@triton.jit
def persistent_gemm(c, a, b, M, N, K, WGS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr):  # fmt: skip
    """a (M, K) @ b (K, N) in bf16; WGS workgroups walk over all tiles."""
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, WGS):
        m = (tile // across) * BM + tl.arange(0, BM)
        n = (tile % across) * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)
            x = tl.load(a + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
            y = tl.load(b + k[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
            acc = tl.dot(x, y, acc)
        inside = (m[:, None] < M) & (n[None, :] < N)
        tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def int8_gemm(c, a, b, sa, sb, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Exact products in i32, then a scale a row and a column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + n[None, :] * K + k[:, None])
        acc = tl.dot(x, y, acc)
    scaled = acc.to(tl.float32) * tl.load(sa + m)[:, None] * tl.load(sb + n)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], scaled)


@triton.jit
def f32_gemm(c, a, b, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def int4_gemm(c, a, packed, scales, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """f16 times 4-bit integers, two a byte along K, a scale a column and BK of K."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, K // BK):
        k = step * BK + tl.arange(0, BK)
        byte = tl.load(packed + (k // 2)[:, None] * N + n[None, :])
        nibble = (byte >> ((k % 2) * 4)[:, None]) & 15
        y = (nibble.to(tl.int8) - 8).to(tl.float16)
        x = tl.load(a + m[:, None] * K + k[None, :])
        acc += tl.dot(x, y) * tl.load(scales + step * N + n)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def batched_matvec(out, a, x, M, K, BM: tl.constexpr, BK: tl.constexpr):
    """out (B, M) = a (B, M, K) times x (B, K)."""
    batch = tl.program_id(1)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM, BK), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        inside = (m[:, None] < M) & (k[None, :] < K)
        rows = tl.load(a + (batch * M + m[:, None]) * K + k[None, :], mask=inside, other=0.0)
        v = tl.load(x + batch * K + k, mask=k < K, other=0.0)
        acc += rows.to(tl.float32) * v.to(tl.float32)[None, :]
    tl.store(out + batch * M + m, tl.sum(acc, axis=1), mask=m < M)


@triton.jit
def double_outer(c, a, b, N, BM: tl.constexpr, BN: tl.constexpr, K: tl.constexpr):
    """Double precision by broadcasts, no matrix instruction."""
    m = tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float64)
    for k in range(K):
        acc += tl.load(a + m * K + k)[:, None] * tl.load(b + k * N + n)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def conv2d(out, x, w, H, W, C: tl.constexpr, F: tl.constexpr, BP: tl.constexpr):
    """3x3, padding 1, as a product: x (H, W, C), w (3, 3, C, F), out (H, W, F)."""
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    row, column = p // W, p % W
    c, f = tl.arange(0, C), tl.arange(0, F)
    acc = tl.zeros((BP, F), tl.float32)
    for tap in tl.static_range(9):
        i, j = row + (tap // 3 - 1), column + (tap % 3 - 1)
        inside = (i >= 0) & (i < H) & (j >= 0) & (j < W) & (p < H * W)
        v = tl.load(x + (i * W + j)[:, None] * C + c[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(v, tl.load(w + (tap * C + c)[:, None] * F + f[None, :]), acc)
    there = out + p[:, None] * F + f[None, :]
    tl.store(there, acc.to(out.dtype.element_ty), mask=(p < H * W)[:, None])


@triton.jit
def depthwise_conv1d(out, x, w, T, C, BT: tl.constexpr, BC: tl.constexpr):
    """Causal, four taps: out[t, c] = sum of w[c, k] * x[t - 3 + k, c]."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)[:, None]
    c = tl.program_id(1) * BC + tl.arange(0, BC)[None, :]
    acc = tl.zeros((BT, BC), tl.float32)
    for k in tl.static_range(4):
        at = t - 3 + k
        inside = (at >= 0) & (at < T) & (c < C)
        acc += tl.load(x + at * C + c, inside, 0.0) * tl.load(w + c * 4 + k, c < C, 0.0)
    tl.store(out + t * C + c, acc, mask=(t < T) & (c < C))


@triton.jit
def attention(o, q, k, v, lengths, S, scale, H: tl.constexpr, G: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr, D: tl.constexpr):  # fmt: skip
    """Grouped-query attention in f16 over sequences of unequal length; any S."""
    head = tl.program_id(1)
    length = tl.load(lengths + head // H)
    keys = head // G
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + (head * S + m[:, None]) * D + d[None, :], mask=m[:, None] < S, other=0.0)
    best = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        n = start + tl.arange(0, BN)
        inside = n < length
        y = tl.load(k + (keys * S + n)[None, :] * D + d[:, None], inside[None, :], 0.0)
        s = tl.where(inside[None, :], tl.dot(x, y) * scale, float("-inf"))
        new = tl.maximum(best, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(best - new)
        total = total * shrink + tl.sum(p, axis=1)
        z = tl.load(v + (keys * S + n)[:, None] * D + d[None, :], inside[:, None], 0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(tl.float16), z)
        best = new
    there = o + (head * S + m[:, None]) * D + d[None, :]
    tl.store(there, (acc / total[:, None]).to(tl.float16), mask=m[:, None] < S)


@triton.jit
def decode_attention(o, q, k, v, S, scale, BN: tl.constexpr, D: tl.constexpr):
    """One query a head, no matrix instruction."""
    head = tl.program_id(0)
    d = tl.arange(0, D)
    x = tl.load(q + head * D + d).to(tl.float32)
    best = float("-inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, S, BN):
        n = start + tl.arange(0, BN)
        at = (head * S + n)[:, None] * D + d[None, :]
        y = tl.load(k + at, mask=(n < S)[:, None], other=0.0).to(tl.float32)
        s = tl.where(n < S, tl.sum(y * x[None, :], axis=1) * scale, float("-inf"))
        new = tl.maximum(best, tl.max(s, axis=0))
        p = tl.exp(s - new)
        z = tl.load(v + at, mask=(n < S)[:, None], other=0.0).to(tl.float32)
        acc = acc * tl.exp(best - new) + tl.sum(p[:, None] * z, axis=0)
        total = total * tl.exp(best - new) + tl.sum(p, axis=0)
        best = new
    tl.store(o + head * D + d, (acc / total).to(o.dtype.element_ty))


@triton.jit
def attention_backward_v(dv, p, do, S, BN: tl.constexpr, BM: tl.constexpr, D: tl.constexpr):
    """dv = p^T @ do, the transposed product of a backward pass."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    acc = tl.zeros((BN, D), tl.float32)
    for start in range(0, S, BM):
        m = start + tl.arange(0, BM)
        x = tl.load(p + m[:, None] * S + n[None, :])
        y = tl.load(do + m[:, None] * D + d[None, :])
        acc = tl.dot(tl.trans(x), y, acc)
    tl.store(dv + n[:, None] * D + d[None, :], acc.to(dv.dtype.element_ty))


@triton.jit
def chained_products(out, a, b, c, B1: tl.constexpr, B2: tl.constexpr):
    """(a @ b) @ c: the first result becomes an operand."""
    i, j = tl.arange(0, B1), tl.arange(0, B2)
    x = tl.load(a + i[:, None] * B2 + j[None, :])
    y = tl.load(b + j[:, None] * B1 + i[None, :])
    z = tl.load(c + i[:, None] * B2 + j[None, :])
    tl.store(out + i[:, None] * B2 + j[None, :], tl.dot(tl.dot(x, y).to(tl.bfloat16), z))
