"""Configurations of the kernels in triton_peers.py, and what they must compute on small
problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import triton_peers as peers
from triton_cases import Launch, bf16, i32, nans, normal, small

E4M3 = ml_dtypes.float8_e4m3fn
FP8 = {"gfx942": ml_dtypes.float8_e4m3fnuz, "gfx950": E4M3}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
BOTH = ("gfx942", "gfx950")
SHORT = {
    "num_warps": "w",
    "num_stages": "s",
    "matrix_instr_nonkdim": "nk",
    "waves_per_eu": "weu",
}
Rng = np.random.Generator


def _options(waves: int, stages: int, **rest: int) -> dict[str, int]:
    return {"num_warps": waves, "num_stages": stages, "matrix_instr_nonkdim": 16, **rest}


def _tiles(bm: int, bn: int, bk: int) -> dict[str, int]:
    return {"BM": bm, "BN": bn, "BK": bk, "GROUP_M": 4 if bm >= 128 else 1, "XCDS": 8}


def _extents(m: int, n: int, k: int, lda: int) -> dict[str, Any]:
    values = {"M": m, "N": n, "K": k, "lda": lda, "ldb": lda, "ldc": n}
    return {name: i32(value) for name, value in values.items()}


def _problem(bm: int, bn: int, bk: int) -> tuple[int, int, int, tuple[int, ...]]:
    """Two tiles down, the second cut short, and three steps of K."""
    m = bm + max(bm // 2 - 3, 1)
    return m, bn, 3 * bk, (2,)


def gemm_bf16(target: str, rng: Rng, bm: int, bn: int, bk: int, **options: int) -> Launch:
    m, n, k, grid = _problem(bm, bn, bk)
    a, b = small(rng, m, k, kind=bf16), small(rng, n, k, kind=bf16)
    want = (a.astype(np.float32) @ b.astype(np.float32).T).astype(bf16)
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": nans(m, n, kind=bf16), **_extents(m, n, k, k)}
    return Launch(peers.gemm_nt, grid, args, {"c_ptr": want}, _tiles(bm, bn, bk), options)


def gemm_fp8(target: str, rng: Rng, bm: int, bn: int, bk: int, **options: int) -> Launch:
    m, n, k, grid = _problem(bm, bn, bk)
    a, b = small(rng, m, k, kind=FP8[target]), small(rng, n, k, kind=FP8[target])
    scale_a, scale_b = 2.0 ** rng.integers(-3, 4, m), 2.0 ** rng.integers(-3, 4, n)
    product = a.astype(np.float32) @ b.astype(np.float32).T
    want = (product * scale_a[:, None] * scale_b[None, :]).astype(bf16)
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": nans(m, n, kind=bf16)}
    args |= {"as_ptr": scale_a.astype(np.float32), "bs_ptr": scale_b.astype(np.float32)}
    args |= _extents(m, n, k, k)
    return Launch(peers.gemm_nt_rowscale, grid, args, {"c_ptr": want}, _tiles(bm, bn, bk), options)


def _shuffled(scales: np.ndarray) -> np.ndarray:
    """(rows, K/32) bytes to (rows/32, K): in each block of 32 rows and 8 scales the order is
    (k block 4, row 16, k tile 2, row tile 2)."""
    rows, count = scales.shape
    blocks = scales.reshape(rows // 32, 2, 16, count // 8, 2, 4)
    return np.ascontiguousarray(blocks.transpose(0, 3, 5, 2, 4, 1)).reshape(rows // 32, count * 32)


def gemm_mx(
    target: str,
    rng: Rng,
    bm: int,
    bn: int,
    bk: int,
    fp4: bool,
    shuffled: bool = False,
    **options: int,
) -> Launch:
    m, n, k, grid = _problem(bm, bn, bk)
    m = -(-m // 32) * 32 if shuffled else m

    def operand(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        scales = rng.integers(125, 130, (rows, k // 32)).astype(np.uint8)
        factors = np.repeat(2.0 ** (scales.astype(np.int32) - 127), 32, axis=1)
        if not fp4:
            values = small(rng, rows, k, kind=E4M3)
            return values, scales, values.astype(np.float64) * factors
        codes = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        return codes[:, 0::2] | codes[:, 1::2] << 4, scales, E2M1[codes] * factors

    a, scale_a, wide_a = operand(m)
    b, scale_b, wide_b = operand(n)
    want = (wide_a @ wide_b.T).astype(np.float32).astype(bf16)
    if shuffled:
        scale_a, scale_b = _shuffled(scale_a), _shuffled(scale_b)
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": nans(m, n, kind=bf16)}
    args |= {"as_ptr": scale_a, "bs_ptr": scale_b, **_extents(m, n, k, a.shape[1])}
    args |= {"lds_a": i32(scale_a.shape[1]), "lds_b": i32(scale_b.shape[1])}
    constants = _tiles(bm, bn, bk) | {"FMT": "e2m1" if fp4 else "e4m3", "PACK": 2 if fp4 else 1}
    kernel = peers.gemm_nt_mx_preshuf if shuffled else peers.gemm_nt_mx
    return Launch(kernel, grid, args, {"c_ptr": want}, constants, options)


def grouped(target: str, rng: Rng, bm: int, bn: int, bk: int, flat: bool, **options: int) -> Launch:
    """Four groups, one of them empty, one shorter than a tile."""
    sizes = [bm + 5, 0, 17, bm // 2]
    ends = np.cumsum(sizes).astype(np.int32)
    rows, n, k, groups = int(ends[-1]), bn + 16, 2 * bk, len(sizes)
    a, b = small(rng, rows, k, kind=bf16), small(rng, groups, k, n, kind=bf16)
    parts = np.split(a.astype(np.float32), ends[:-1])
    want = np.concatenate([x @ y.astype(np.float32) for x, y in zip(parts, b, strict=True)])
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": nans(rows, n, kind=bf16), "offs_ptr": ends}
    values = {"G": groups, "N": n, "K": k, "lda": k, "stride_bg": k * n, "ldb": n, "ldc": n}
    args |= {name: i32(value) for name, value in values.items()}
    constants = {"BM": bm, "BN": bn, "BK": bk} | ({"GP2": 64} if flat else {"WGS": 3})
    grid = (2, -(-rows // bm) + groups) if flat else (3,)
    kernel = peers.grouped_flat if flat else peers.grouped_persistent
    return Launch(kernel, grid, args, {"c_ptr": want.astype(bf16)}, constants, options)


def rmsnorm(target: str, rng: Rng, n: int, waves: int) -> Launch:
    x, w = normal(rng, 2, n, kind=bf16), normal(rng, n, kind=bf16)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5) * w.astype(np.float64)
    args = {"x_ptr": x, "w_ptr": w, "y_ptr": nans(2, n, kind=bf16)}
    args |= {"ldx": i32(n), "ldy": i32(n), "eps": np.float32(1e-5)}
    constants = {"N": n, "BLOCK": 1 << (n - 1).bit_length()}
    options = {"num_warps": waves, "num_stages": 1}
    return Launch(peers.rmsnorm_row, (2,), args, {"y_ptr": want}, constants, options, 2.0**-7)


def softmax(target: str, rng: Rng, n: int, waves: int) -> Launch:
    x = normal(rng, 2, n, kind=bf16)
    wide = np.exp(x.astype(np.float64))
    args = {"x_ptr": x, "y_ptr": nans(2, n, kind=bf16), "ldx": i32(n), "ldy": i32(n)}
    want = {"y_ptr": wide / wide.sum(axis=1, keepdims=True)}
    options = {"num_warps": waves, "num_stages": 1}
    constants = {"N": n, "BLOCK": n}
    return Launch(peers.softmax_row, (2,), args, want, constants, options, 2.0**-7)


def _quantized(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(…, blocks, 32) bf16 to e4m3fn and e8m0: the least power of two that brings them under
    448."""
    largest = np.abs(x.astype(np.float64)).max(axis=-1)
    scale = np.ceil(np.log2(np.maximum(largest / 448, 2.0**-127)))
    return (x.astype(np.float32) / 2.0 ** scale[..., None].astype(np.float32)).astype(E4M3), (
        scale + 127
    ).astype(np.uint8)


def quantize(
    target: str, rng: Rng, bm: int, bk: int, waves: int, columns: bool, first: bool = False
) -> Launch:
    m, k = (bm if columns else bm + bm // 2), 2 * bk
    x = (normal(rng, m, k) * 2.0 ** rng.integers(-20, 20, (m, k))).astype(bf16)
    source = np.ascontiguousarray(x.T) if columns else x
    q, s = _quantized(source.reshape(source.shape[0], -1, 32))
    q = q.reshape(source.shape)
    args = {"x_ptr": x, "q_ptr": np.zeros(q.shape, E4M3), "s_ptr": np.zeros(s.shape, np.uint8)}
    values = {"M": m, "K": k, "ldx": k, "ldq": q.shape[1], "lds": s.shape[1]}
    args |= {name: i32(value) for name, value in values.items()}
    grid = (-(-m // bm), k // bk)
    kernel = peers.mxfp8_quant_rows
    if columns:
        kernel = peers.mxfp8_quant_cols_tfirst if first else peers.mxfp8_quant_cols
    options = {"num_warps": waves, "num_stages": 1}
    return Launch(kernel, grid, args, {"q_ptr": q, "s_ptr": s}, {"BM": bm, "BK": bk}, options)


def topk(target: str, rng: Rng, rows: int, waves: int, indices: bool) -> Launch:
    m, n, count = rows + 1, 1024, 8
    x = rng.integers(-200, 200, (m, n)).astype(np.float32)  # with ties
    order = np.argsort(-x, axis=1, kind="stable")[:, :count]
    args: dict[str, Any] = {"x_ptr": x, "v_ptr": nans(m, count)}
    want: dict[str, Any] = {"v_ptr": np.take_along_axis(x, order, axis=1)}
    if indices:
        args["i_ptr"] = np.zeros((m, count), np.int32)
        want["i_ptr"] = order.astype(np.int32)
    args |= {"M": i32(m), "ldx": i32(n)}
    kernel = peers.topk_values_indices if indices else peers.topk_values
    constants = {"N": n, "KK": count, "ROWS": rows}
    return Launch(kernel, (2,), args, want, constants, {"num_warps": waves, "num_stages": 1})


def attention(target: str, rng: Rng, bm: int, bn: int, causal: bool, **options: int) -> Launch:
    heads, s, d = 1, 2 * bm if bm < 256 else bm, 128
    q, k, v = (normal(rng, heads, s, d, kind=bf16) for _ in range(3))
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / np.sqrt(d)
    if causal:
        scores = np.where(np.tri(s, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    total = powers.sum(axis=2, keepdims=True)
    want = {"o_ptr": powers / total @ v.astype(np.float64)}
    want["lse_ptr"] = (np.log2(total) + scores.max(axis=2, keepdims=True) * np.log2(np.e))[..., 0]
    args = {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": nans(heads, s, d, kind=bf16)}
    args |= {"lse_ptr": nans(heads, s), "S": i32(s)}
    args["scale2"] = np.float32(np.log2(np.e) / np.sqrt(d))
    constants = {"BM": bm, "BN": bn, "D": d, "CAUSAL": causal}
    grid = (s // bm, heads)
    return Launch(peers.attn_fwd, grid, args, want, constants, options, rtol=2.0**-6, atol=2.0**-7)


def _table() -> dict[str, tuple[Callable[..., Launch], tuple[str, ...]]]:
    """Configurations that were kept of a larger search, for spills and LDS: name → (case, targets).

    The first of each kernel is its plainest.
    """
    found: dict[str, tuple[Callable[..., Launch], tuple[str, ...]]] = {}

    def add(
        build: Callable[..., Launch], *sizes: int, on: tuple[str, ...] = BOTH, **rest: Any
    ) -> None:
        tail = "_".join([*map(str, sizes), *(f"{k}{int(v)}" for k, v in rest.items())])
        for long, short in SHORT.items():
            tail = tail.replace(long, short)
        found[f"{build.__name__}_{tail}"] = _sized(build, sizes, rest), on

    g942, g950 = ("gfx942",), ("gfx950",)
    o, nk32 = _options, {"matrix_instr_nonkdim": 32}
    add(gemm_bf16, 128, 128, 64, **o(4, 2))
    add(gemm_bf16, 256, 256, 64, **o(8, 2))
    add(gemm_bf16, 256, 256, 64, on=g942, **(o(8, 2) | nk32))
    add(gemm_bf16, 256, 256, 32, on=g950, **o(8, 3))
    add(gemm_bf16, 256, 256, 64, on=g950, **o(4, 2))
    add(gemm_bf16, 128, 128, 64, on=g942, **o(4, 2, kpack=2))
    add(gemm_bf16, 128, 128, 64, on=g950, **o(4, 3))
    add(gemm_bf16, 16, 64, 256, **o(4, 2))
    add(gemm_bf16, 32, 64, 128, **o(4, 2))
    add(gemm_bf16, 32, 64, 128, on=g950, **o(4, 3))
    add(gemm_fp8, 128, 128, 128, **o(4, 2))
    add(gemm_fp8, 256, 256, 128, **o(8, 2))
    add(gemm_fp8, 256, 256, 128, on=g942, **(o(8, 2) | nk32))
    add(gemm_fp8, 128, 128, 128, on=g942, **o(4, 2, kpack=2))
    add(gemm_fp8, 128, 128, 128, on=g950, **o(4, 3))
    add(gemm_fp8, 32, 64, 256, **o(4, 2))
    add(gemm_mx, 128, 128, 128, fp4=False, **o(4, 2))
    add(gemm_mx, 256, 256, 128, on=g950, fp4=False, **o(8, 2))
    add(gemm_mx, 128, 128, 256, on=g950, fp4=False, **o(4, 2))
    add(gemm_mx, 32, 64, 256, on=g950, fp4=False, **o(4, 2))
    add(gemm_mx, 128, 128, 256, on=g950, fp4=False, shuffled=True, **o(4, 2))
    add(gemm_mx, 128, 128, 256, fp4=True, **o(4, 2))
    add(gemm_mx, 256, 256, 256, on=g950, fp4=True, **o(8, 2))
    add(gemm_mx, 32, 64, 512, on=g950, fp4=True, **o(4, 2))
    add(gemm_mx, 128, 128, 256, on=g950, fp4=True, shuffled=True, **o(4, 2))
    add(gemm_mx, 256, 256, 256, on=g950, fp4=True, shuffled=True, **o(8, 2))
    add(grouped, 128, 128, 64, flat=False, **o(4, 2))
    add(grouped, 128, 128, 64, flat=True, **o(4, 2))
    add(grouped, 256, 256, 64, flat=True, **o(8, 2))
    for n, waves in ((2880, 4), (4096, 4), (4096, 8), (7168, 8), (8192, 8)):
        add(rmsnorm, n, waves)
    for n, waves in ((4096, 4), (4096, 8), (8192, 8)):
        add(softmax, n, waves)
    add(quantize, 32, 256, 4, columns=False)
    add(quantize, 16, 512, 4, columns=False)
    for bk, waves in ((64, 4), (128, 8)):
        add(quantize, 128, bk, waves, columns=True)
        add(quantize, 128, bk, waves, columns=True, first=True)
    for rows, waves in ((1, 1), (4, 4)):
        add(topk, rows, waves, indices=False)
        add(topk, rows, waves, indices=True)
    for causal in (False, True):
        add(attention, 128, 64, on=g942, causal=causal, **o(4, 1, waves_per_eu=2))
        add(attention, 128, 64, on=g942, causal=causal, **o(4, 2))
        add(attention, 128, 64, on=g950, causal=causal, **o(4, 2, waves_per_eu=2))
        add(attention, 128, 64, on=g950, causal=causal, **(o(4, 2, waves_per_eu=2) | nk32))
    add(attention, 256, 64, on=g950, causal=False, **o(8, 3, waves_per_eu=2))
    return found


def _sized(build: Callable[..., Launch], sizes: tuple[int, ...], rest: dict[str, Any]) -> Any:
    return lambda target, rng: build(target, rng, *sizes, **rest)


TABLE = _table()

# Triton's ping-pong schedule lets two groups of waves run one barrier apart. In these the wait for
# an LDS access of the late group stands behind the barrier that lets the early group touch the same
# bytes: a real race, though hardware that serves LDS in order of issue hides it. Which access
# isn't awaited:
RACY = {
    "gemm_mx_256_256_128_fp40_w8_s2_nk16": "ds_write_b8",
    "gemm_mx_256_256_256_fp41_w8_s2_nk16": "ds_write_b8",
    "gemm_mx_256_256_256_fp41_shuffled1_w8_s2_nk16": "ds_read_b128",
}
