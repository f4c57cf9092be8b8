"""Kernels of every day that need views with run-time bounds, scalars from memory and branches.

Attention with grouped heads, decoding from pages, groups of rows of any length: against NumPy and
against ``interpret``.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

BF16 = ml_dtypes.bfloat16


@tg.kernel(
    grid=lambda q, BM: (tg.cdiv(q.shape[2], BM), q.shape[1], q.shape[0]),
    fastmath={"contract", "afn"},
)
def attention(
    q: "B H S D",
    k: "B HK T D",
    v: "B HK T DV",
    o: "B H S DV",
    lse: "B H S 1",
    scale: tg.f32,
    *,
    D: tg.const,
    DV: tg.const,
    causal: tg.const = False,
    BM: tg.tile = 128,
    BN: tg.tile = 64,
) -> None:
    i, h, b = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    g = h * k.shape[1] // q.shape[1]
    kh, vh = k[b, g], v[b, g]
    shift = kh.shape[0] - q.shape[2]
    stop = tg.minimum(kh.shape[0], (i + 1) * BM + shift) if causal else kh.shape[0]
    rows = i * BM + tg.iota((BM, 1), axis=0)
    qi = tg.load(q[b, h], (i, 0), (BM, D))
    acc, total = tg.zeros((BM, DV), tg.f32), tg.zeros((BM, 1), tg.f32)
    m = tg.full((BM, 1), -tg.inf, tg.f32)
    for j in range(tg.cdiv(tg.maximum(stop, 0), BN)):
        cols = j * BN + tg.iota((1, BN), axis=1)
        keep = cols < kh.shape[0]
        if causal:
            keep = keep & (cols <= rows + shift)
        s = tg.mma(qi, tg.load(kh, (j, 0), (BN, D)).T, tg.zeros((BM, BN), tg.f32))
        s = tg.where(keep, s * (scale * tg.log2e), -tg.inf)
        m_new = tg.maximum(m, tg.max(s, axis=1, keepdims=True))
        base = tg.where(m_new == -tg.inf, 0.0, m_new)
        p, fix = tg.exp2(s - base), tg.exp2(m - base)
        total = total * fix + tg.sum(p, axis=1, keepdims=True)
        acc = tg.mma(p.to(v.dtype), tg.load(vh, (j, 0), (BN, DV)), acc * fix)
        m = m_new
    tg.store(o[b, h], (i, 0), (acc * (1 / tg.where(total == 0, 1.0, total))).to(o.dtype))
    tg.store(lse[b, h], (i, 0), m * tg.ln2 + tg.log(total))


@tg.kernel(
    grid=lambda part, k_cache, q: (part.shape[2], k_cache.shape[2], q.shape[0]),
    fastmath={"contract", "afn"},
)
def paged_decode(
    q: "B HK*G D",
    k_cache: "NP P HK D",
    v_cache: "NP P HK D",
    table: "B MP",
    lengths: "B",
    part: "B HK*G SPLIT D",
    part_lse: "B HK*G SPLIT",
    scale: tg.f32,
    *,
    P: tg.const,
    D: tg.const,
    G: tg.const,
) -> None:  # G query heads share a KV head
    split, h, b = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    n = tg.scalar(lengths, b)
    pages = tg.cdiv(n, P)
    per = tg.cdiv(pages, part.shape[2])
    heads = q[b, h * G : (h + 1) * G]
    qi = tg.load(heads, (0, 0), (G, D))
    acc, total = tg.zeros((G, D), tg.f32), tg.zeros((G, 1), tg.f32)
    m = tg.full((G, 1), -tg.inf, tg.f32)
    for j in range(split * per, tg.minimum((split + 1) * per, pages)):
        page = tg.scalar(table, b, j)  # a run-time scalar
        here = tg.minimum(P, n - j * P)  # slots beyond the length may hold anything, NaN included
        s = tg.mma(qi, tg.load(k_cache[page, :here, h], (0, 0), (P, D)).T, tg.zeros((G, P), tg.f32))
        s = tg.where(j * P + tg.iota((1, P), axis=1) < n, s * (scale * tg.log2e), -tg.inf)
        m_new = tg.maximum(m, tg.max(s, axis=1, keepdims=True))
        p, fix = tg.exp2(s - m_new), tg.exp2(m - m_new)
        total = total * fix + tg.sum(p, axis=1, keepdims=True)
        acc = tg.mma(p.to(q.dtype), tg.load(v_cache[page, :here, h], (0, 0), (P, D)), acc * fix)
        m = m_new
    heads_of = slice_of(part, b, h, G)
    tg.store(heads_of[:, split], (0, 0), acc * (1 / tg.where(total == 0, 1.0, total)))
    lse = part_lse[b, h * G : (h + 1) * G, split, None]
    tg.store(lse, (0, 0), m * tg.ln2 + tg.log(total))


@tg.function
def slice_of(view: Any, b: Any, h: Any, size: Any) -> Any:
    """The heads of a group: a helper may take and return views."""
    return view[b, h * size : (h + 1) * size]


@tg.kernel(grid=lambda x, offs, BK: (offs.shape[0], tg.cdiv(x.shape[1], BK)))
def group_columns(
    x: "R K",
    q: "R K",
    scale: "G K",
    offs: "G",
    *,
    BM: tg.tile = 32,
    BK: tg.tile = 64,
) -> None:
    g, k = tg.program_id(0), tg.program_id(1)
    lo, hi = tg.group(offs, g)
    amax = tg.zeros((1, BK), tg.f32)
    for m in tg.tiles(x[lo:hi], axis=0, size=BM):
        v = tg.load(x[lo:hi], (m, k), (BM, BK))
        amax = tg.maximum(amax, tg.max(tg.abs(v), axis=0, keepdims=True).to(tg.f32))
    s = 1.0 / tg.where(amax == 0, 1.0, amax)
    tg.store(scale, (g, k), s)
    for m in tg.tiles(x[lo:hi], axis=0, size=BM):
        v = tg.load(x[lo:hi], (m, k), (BM, BK)).to(tg.f32)
        tg.store(q[lo:hi], (m, k), (v * s).to(q.dtype))


@tg.kernel(grid=lambda c, BM, BN: tg.num_tiles(c, (1, BM, BN)))
def grouped_wgrad(
    dy: "R M",
    x: "R N",
    c: "G M N",
    offs: "G",
    *,
    BM: tg.tile = tg.auto,
    BN: tg.tile = tg.auto,
    BK: tg.tile = tg.auto,
) -> None:
    g, m, n = tg.tile_id(c, (1, BM, BN))
    lo, hi = tg.group(offs, g)
    acc = tg.zeros((BM, BN), tg.f32)
    for k in tg.tiles(dy[lo:hi], axis=0, size=BK):
        a, b = tg.load(dy[lo:hi].T, (m, k), (BM, BK)), tg.load(x[lo:hi], (k, n), (BK, BN))
        acc = tg.mma(a, b, acc)
    tg.store(c[g], (m, n), acc.to(c.dtype))


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(BF16)


def both(kernel: Any, inputs: Any, outputs: list[np.ndarray], *rest: Any, **kw: Any) -> Any:
    """Results of ``interpret`` and of the device."""
    results = []
    for run in (kernel.interpret, kernel):
        outs = [out.copy() for out in outputs]
        run(*inputs(outs), *rest, **kw)
        results.append(outs)
    return results


def near(found: np.ndarray, exact: np.ndarray, bound: Any) -> None:
    found, exact = found.astype(np.float64), exact.astype(np.float64)
    same = found == exact
    with np.errstate(invalid="ignore"):
        assert np.all(same | (np.abs(found - exact) <= bound)), np.nanmax(np.abs(found - exact))


def softmax_oracle(q: Any, k: Any, v: Any, keep: Any, scale: float) -> tuple[Any, Any]:
    """Output, log-sum-exp in float64; rows without any key give 0 and -inf."""
    s = np.where(keep, q.astype(np.float64) @ k.astype(np.float64).T * scale, -np.inf)
    top = s.max(axis=1, keepdims=True, initial=-np.inf)
    p = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = p.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = np.where(np.isfinite(top), top, 0) + np.log(total)
    return p @ v.astype(np.float64) / np.where(total == 0, 1, total), lse


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("s", "t"), [(70, 50), (33, 100), (1, 129), (5, 0)])
def test_attention(device: Any, causal: bool, s: int, t: int) -> None:
    q, k, v = random(1, 2, 4, s, 64), random(2, 2, 2, t, 64), random(3, 2, 2, t, 32)
    outs = [np.full((2, 4, s, 32), np.nan, BF16), np.full((2, 4, s, 1), np.nan, np.float32)]
    args = dict(causal=causal, BM=32, BN=32)
    interpreted, found = both(attention, lambda o: (q, k, v, *o), outs, 0.125, **args)
    rows, cols = np.arange(s)[:, None], np.arange(t)[None, :]
    keep = cols <= rows + t - s if causal else np.ones((s, t), bool)
    for b in range(2):
        for h in range(4):
            exact, lse = softmax_oracle(q[b, h], k[b, h // 2], v[b, h // 2], keep, 0.125)
            for o, n in (interpreted, found):
                near(o[b, h], exact, 2**-7 * np.abs(exact) + 2**-6)
                near(n[b, h], lse, 1e-4)


@pytest.mark.parametrize("lengths", [(37, 80), (1, 16), (0, 33)])
def test_paged_decode(device: Any, lengths: tuple[int, int]) -> None:
    heads, G, D, P, pages, split = 2, 4, 64, 16, 12, 2
    q, kc, vc = (
        random(1, 2, heads * G, D),
        random(2, pages, P, heads, D),
        random(3, pages, P, heads, D),
    )
    table = np.random.default_rng(4).permutation(pages)[:10].reshape(2, 5).astype(np.int32)
    for b, n in enumerate(lengths):  # slots behind the length hold NaN
        for j in range(5):
            kc[table[b, j], max(0, min(P, n - j * P)) :] = np.nan
            vc[table[b, j], max(0, min(P, n - j * P)) :] = np.nan
    n = np.array(lengths, np.int32)
    outs = [np.full((2, heads * G, split, D), np.nan, np.float32)]
    outs.append(np.full((2, heads * G, split), np.nan, np.float32))
    runs = both(paged_decode, lambda o: (q, kc, vc, table, n, *o), outs, 0.125, G=G)
    for part, lse in runs:
        for b in range(2):
            for h in range(heads):
                rows = slice(h * G, (h + 1) * G)
                k = kc[table[b]][:, :, h].reshape(-1, D)[: n[b]]
                v = vc[table[b]][:, :, h].reshape(-1, D)[: n[b]]
                exact, whole = softmax_oracle(q[b, rows], k, v, np.bool_(True), 0.125)
                weights = np.exp(lse[b, rows].astype(np.float64) - np.where(n[b], whole, 0))
                assert not np.isnan(weights).any()
                merged = (part[b, rows].astype(np.float64) * weights[:, :, None]).sum(1)
                near(merged, exact, 2**-7)


OFFSETS = [(0, 5, 5, 77, 130), (1, 2, 3), (140,), (0, 0), (64, 128, 140)]


@pytest.mark.parametrize("offs", OFFSETS)
def test_groups_of_columns(device: Any, offs: tuple[int, ...]) -> None:
    x = random(1, 140, 200)
    outs = [np.full((140, 200), 7, BF16), np.full((len(offs), 200), np.nan, np.float32)]
    ends = np.array(offs, np.int32)
    interpreted, found = both(group_columns, lambda o: (x, *o, ends), outs)
    for a, b in zip(interpreted, found, strict=True):
        np.testing.assert_array_equal(a, b)
    lo = 0
    for g, hi in enumerate(offs):
        top = np.abs(x[lo:hi].astype(np.float32)).max(axis=0, initial=0)
        scale = np.float32(1) / np.where(top == 0, np.float32(1), top)
        np.testing.assert_array_equal(found[1][g], scale)
        np.testing.assert_array_equal(
            found[0][lo:hi], (x[lo:hi].astype(np.float32) * scale).astype(BF16)
        )
        lo = hi
    assert (found[0][lo:].astype(np.float32) == 7).all(), (
        "rows behind the last group are left alone"
    )


@pytest.mark.parametrize("offs", OFFSETS)
def test_grouped_weight_gradient(device: Any, offs: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    dy, x = (
        rng.integers(-3, 4, (140, 96)).astype(BF16),
        rng.integers(-3, 4, (140, 200)).astype(BF16),
    )
    ends = np.array(offs, np.int32)
    outs = [np.full((len(offs), 96, 200), np.nan, np.float32)]
    ((interpreted,), (found,)) = both(
        grouped_wgrad, lambda o: (dy, x, o[0], ends), outs, BM=64, BN=64
    )
    np.testing.assert_array_equal(found, interpreted)
    for g, (lo, hi) in enumerate(zip((0, *offs), offs, strict=False)):
        exact = dy[lo:hi].astype(np.float32).T @ x[lo:hi].astype(np.float32)
        np.testing.assert_array_equal(found[g], exact)


@tg.kernel(grid=lambda: tg.persistent())
def grouped_gemm(
    a: "R K",
    b: "G K N",
    c: "R N",
    offs: "G",
    *,
    BM: tg.tile = tg.auto,
    BN: tg.tile = tg.auto,
    BK: tg.tile = tg.auto,
) -> None:
    for g, lo, hi, m, n in tg.group_tiles(offs, c.shape[1], (BM, BN)):
        acc = tg.zeros((BM, BN), tg.f32)
        for k in tg.tiles(a, axis=1, size=BK):
            at, bt = tg.load(a[lo:hi], (m, k), (BM, BK)), tg.load(b[g], (k, n), (BK, BN))
            acc = tg.mma(at, bt, acc)
        tg.store(c[lo:hi], (m, n), acc.to(c.dtype))


@tg.kernel(grid=lambda: tg.persistent())
def visits(
    rows: "R C", counts: "R C", offs: "G", skip: tg.i32, *, BM: tg.const = 4, BN: tg.const = 8
) -> None:
    """Adds one to every element of a tile, and stops this workgroup's walk at a group."""
    for g, lo, hi, m, n in tg.group_tiles(offs, rows.shape[1], (BM, BN)):
        if g == skip:
            break
        if m == 1 and n == 0:
            continue
        tile = tg.load(counts[lo:hi], (m, n), (BM, BN))
        tg.store(counts[lo:hi], (m, n), tile + g + 1)


@pytest.mark.parametrize("offs", OFFSETS)
@pytest.mark.parametrize("tiles", [{}, {"BM": 32, "BN": 64, "BK": 32}])
def test_grouped_gemm(device: Any, offs: tuple[int, ...], tiles: dict[str, int]) -> None:
    rng = np.random.default_rng(6)
    a = rng.integers(-3, 4, (140, 96)).astype(BF16)
    b = rng.integers(-3, 4, (len(offs), 96, 200)).astype(BF16)
    ends = np.array(offs, np.int32)
    outs = [np.full((140, 200), 7, np.float32)]
    ((interpreted,), (found,)) = both(grouped_gemm, lambda o: (a, b, o[0], ends), outs, **tiles)
    np.testing.assert_array_equal(found, interpreted)
    lo = 0
    for g, hi in enumerate(offs):
        exact = a[lo:hi].astype(np.float32) @ b[g].astype(np.float32)
        np.testing.assert_array_equal(found[lo:hi], exact)
        lo = hi
    assert (found[lo:] == 7).all(), "rows behind the last group are left alone"


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("offs", [(3, 3, 20), (0,), (40,), (1, 2, 3, 4, 40)])
@pytest.mark.parametrize("skip", [-1, 0, 2])
def test_group_tiles(device: Any, offs: tuple[int, ...], skip: int, dtype: Any) -> None:
    counts = np.zeros((40, 20), np.int32)
    visits(counts.copy(), counts, np.array(offs, dtype), skip)
    expected, lo = np.zeros_like(counts), 0
    for g, hi in enumerate(offs):
        expected[lo:hi] = 0 if g == skip else g + 1
        rows = expected[lo:hi]
        rows[4:8, :8] = 0
        if g == skip:
            break
        lo = hi
    # A workgroup that meets the group ends its walk; tiles of later groups are dealt to others.
    last = offs[skip - 1] if 0 < skip < len(offs) else 0 if skip == 0 else offs[-1]
    np.testing.assert_array_equal(counts[:last], expected[:last])
