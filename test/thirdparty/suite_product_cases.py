"""Kernels of the OpenCL suite around matrix instructions: layouts as the documents have them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from suite_runner import bf16, bits, case, f16, f32, faulty, small

SMALL_FLOATS = {
    ("fp8", "gfx942"): ml_dtypes.float8_e4m3fnuz,
    ("bf8", "gfx942"): ml_dtypes.float8_e5m2fnuz,
    ("fp8", "gfx950"): ml_dtypes.float8_e4m3fn,
    ("bf8", "gfx950"): ml_dtypes.float8_e5m2,
}
#: Bytes that are small numbers as 8-bit floats of every kind, and as two of 4 bits.
SMALL_BYTES = np.array([0x00, 0x30, 0x38, 0x3C, 0x40, 0xB0, 0xB8, 0xC0], np.uint8)
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], f32)


def operand(lanes: np.ndarray, side: int) -> np.ndarray:
    """(64 lanes, items) of a matrix operand to (side, k)."""
    return lanes.reshape(64 // side, side, -1).transpose(1, 0, 2).reshape(side, -1)


def result(d: np.ndarray) -> np.ndarray:
    """A square result to (register, lane): groups of four rows go to the next lanes."""
    side = d.shape[0]
    groups = 64 // side
    return d.reshape(-1, groups, 4, side).transpose(0, 2, 1, 3).reshape(-1, 64)


@case
def gemm_bf16(run: Any, rng: Any) -> None:
    a, b = small(rng, 16, 64, kind=bf16), small(rng, 16, 64, kind=bf16)
    c = np.zeros((16, 16), bf16)
    run(1, 64, a, b, c, np.int32(64))
    assert np.array_equal(c, (a.astype(np.float32) @ b.astype(np.float32).T).astype(bf16))


@case
def gemm_i8(run: Any, rng: Any) -> None:
    a, b = (rng.integers(-128, 128, (96, 8)).astype(np.int8) for _ in range(2))
    c = np.zeros(1024 + 16 * 64, np.int32)
    run(1, 64, a, b, c, np.int32(64))
    for side, found in ((16, c[:256]), (32, c[1024:])):
        total = np.zeros((side, side), np.int64)
        for k in (0, 32):
            x, y = (operand(m[k : k + 64].astype(np.int64), side) for m in (a, b))
            total += x @ y.T
        assert np.array_equal(found.reshape(-1, 64), result(total))


@case
def gemm_f32(run: Any, rng: Any) -> None:
    a, b = (small(rng, 8 * 16, 1, kind=np.float32) for _ in range(2))
    c = np.zeros((128, 4), np.float32)
    run(1, 64, a, b, c, np.int32(8))
    totals = [np.zeros((side, side), np.float32) for side in (16, 32)]
    for k in (0, 64):
        for total in totals:
            total += operand(a[k : k + 64], len(total)) @ operand(b[k : k + 64], len(total)).T
    assert np.array_equal(c[:64].T, result(totals[0]))
    assert np.array_equal(c[64:].T, result(totals[1]).reshape(4, 4, 64).sum(axis=0))


@case
def gemm_f64(run: Any, rng: Any) -> None:
    a, b = rng.standard_normal((2, 8 * 16, 1))
    c = np.zeros((64, 4))
    run(1, 64, a, b, c, np.int32(8))
    total = sum(operand(a[k : k + 64], 16) @ operand(b[k : k + 64], 16).T for k in (0, 64))
    # One row of four lies in the next 16 lanes, the next four in the next registers.
    np.testing.assert_allclose(c.T.reshape(16, 16), total, rtol=1e-14, atol=1e-14)


@case
def gemm_f16(run: Any, rng: Any) -> None:
    """Chunks of eight k in LDS are read in another order than they were written, A's by the low
    bits of the lane, B's by the next.
    """
    depth, columns = 64, 256
    a, b = small(rng, 128, depth, kind=f16), small(rng, columns, depth, kind=f16)
    c = np.zeros((128, columns), f32)
    run((2, 1), 256, a, b, c, np.int32(depth), np.int32(columns))
    want = np.zeros_like(c)
    t = np.arange(256)
    for group in range(2):
        total = np.zeros((4, 32, 32), f32)
        for first in range(0, depth, 32):
            for kk in range(4):
                at_a = first + 8 * (kk ^ t & 3)[:, None] + np.arange(8)
                at_b = first + 8 * ((kk ^ t >> 1) & 3)[:, None] + np.arange(8)
                x = a[(t % 32 + 32 * (t // 64))[:, None], at_a].astype(f32)
                y = b[(128 * group + t % 32)[:, None], at_b].astype(f32)
                for wave in range(4):
                    lanes = slice(64 * wave, 64 * wave + 64)
                    for half in (slice(0, 4), slice(4, 8)):
                        total[wave] += operand(x[lanes, half], 32) @ operand(y[lanes, half], 32).T
        want[:, 128 * group : 128 * group + 32] = total.reshape(128, 32)
    assert np.array_equal(c, want)


def decoded(codes: np.ndarray, kind: str, target: str) -> np.ndarray:
    return bits(codes, SMALL_FLOATS[kind, target]).astype(f32)


@case
def gemm_fp8(run: Any, rng: Any) -> None:
    a, b = rng.choice(SMALL_BYTES, (2, 96, 8))
    c = np.zeros(1024 + 16 * 64, f16)
    run(1, 64, a, b, c, np.int32(64), f32(0.125))
    totals = {16: np.zeros((16, 16), f32), 32: np.zeros((32, 32), f32)}
    for k in (0, 32):
        x = decoded(a[k : k + 64], "fp8", run.target)
        for side, kind in ((16, "fp8"), (32, "bf8")):
            y = decoded(b[k : k + 64], kind, run.target)
            totals[side] += operand(x, side) @ operand(y, side).T
    want = {side: (total * f32(0.125)).astype(f16) for side, total in totals.items()}
    assert np.array_equal(c[:256].reshape(16, 16), want[16])
    assert np.array_equal(c[1024:].reshape(16, 64), result(want[32]))


@case
def gemm_small(run: Any, rng: Any) -> None:
    """16 blocks of 4 x 4 x 4; the second time, four blocks share the second one's A."""
    a, b = (small(rng, 16, 4, 4, kind=f16) for _ in range(2))
    c = np.zeros((64, 4), f32)
    run(1, 64, a, b, c)
    shared = a[np.arange(16) // 4 * 4 + 1]
    d = (a.astype(f32) + shared.astype(f32)) @ b.astype(f32).transpose(0, 2, 1)
    assert np.array_equal(c.reshape(16, 4, 4), d.transpose(0, 2, 1))  # a lane has a column


@case
def smf(run: Any, rng: Any) -> None:
    """Two of four k of A are stored; a lane holds two groups, each with four bits of index."""
    a, b = small(rng, 64, 2, 2, kind=f16), small(rng, 64, 8, kind=f16)
    before, index = small(rng, 64, 4, kind=f32), np.zeros(64, np.int32)
    dense = np.zeros((64, 8), f32)
    for lane in range(64):
        for group in range(2):
            low, high = sorted(rng.choice(4, 2, replace=False))
            index[lane] |= (low | high << 2) << 4 * group
            dense[lane, [4 * group + low, 4 * group + high]] = a[lane, group]
    c = before.copy()
    run(1, 64, a, b, c, index)
    d = operand(dense, 16) @ operand(b.astype(f32), 16).T
    assert np.array_equal(c.T, before.T + result(d))


def nibbles(codes: np.ndarray) -> np.ndarray:
    return FP4[np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:-1], -1)]


def fp8_operand(lanes: np.ndarray, side: int) -> np.ndarray:
    """The f8f6f4 forms hold 8-bit floats as two runs of 16 k."""
    runs = lanes.reshape(64 // side, side, 2, 16)
    return runs.transpose(1, 2, 0, 3).reshape(side, -1)


def scaled(x: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """(side, k) by the scales of 32 k each, which lie in lanes of their own."""
    side = len(x)
    factor = np.float32(2.0) ** (scales.astype(f32) - 127)
    return x * np.repeat(factor.reshape(-1, side).T, 32, axis=1)


@case
def mx(run: Any, rng: Any) -> None:
    """fp4 by fp4 and fp8 by fp8 with scales, and fp8 by fp8 without, of the same registers."""
    depth = 2
    a, b = rng.choice(SMALL_BYTES, (2, depth, 64, 32))
    sa, sb = rng.integers(125, 130, (2, depth, 64, 4)).astype(np.uint8)
    c = np.zeros((128, 4), f32)
    run(1, 64, a, b, c, sa, sb, np.int32(depth))
    small_sum, wide, plain = (np.zeros((n, n), f32) for n in (16, 32, 16))
    for k in range(depth):
        x, y = (operand(nibbles(m[k, :, :16]), 16) for m in (a, b))
        small_sum += scaled(x, sa[k, :, 0]) @ scaled(y, sb[k, :, 1]).T
        full = [decoded(m[k], "fp8", run.target) for m in (a, b)]
        x, y = (fp8_operand(m, 32) for m in full)
        wide += scaled(x, sa[k, :, 0]) @ scaled(y, sb[k, :, 0]).T
        x, y = (fp8_operand(m, 16) for m in full)
        plain += x @ y.T
    assert np.array_equal(c[:64].T, result(small_sum) + result(plain))
    assert np.array_equal(c[64:].T, result(wide)[:4] + result(wide)[4:8])


def transposed(data: np.ndarray, unit: int) -> np.ndarray:
    """A transposing read of 64 bits a lane: in groups of 16 lanes, element j of lane t is element
    t % n of lane t / n + j · 16 / n, where a lane fetches n elements.
    """
    per = 64 // unit  # elements that a lane fetches; a row of 16 takes 16 / per lanes
    grid = data.reshape(4, 16, per)
    t, j = np.arange(16)[:, None], np.arange(per)
    found: np.ndarray = grid[:, t // per + j * 16 // per, t % per]
    return found.reshape(64, per)


@case
def g950(run: Any, rng: Any) -> None:
    depth = 2
    a, b = (small(rng, depth, 64, 8, kind=f16) for _ in range(2))
    ab, bb = (small(rng, depth, 64, 8, kind=bf16) for _ in range(2))
    ai = rng.integers(-128, 128, (depth, 64, 16)).astype(np.int8)
    c = np.zeros((64, 4), f32)
    run(1, 64, a, b, ab, bb, ai, c, np.int32(depth))
    first, wide, last = (np.zeros((n, n), f32) for n in (16, 32, 16))
    integer = np.zeros((16, 16), np.int64)
    for k in range(depth):
        lds = np.concatenate([bits(a[k], np.uint8), bits(b[k], np.uint8)]).reshape(-1)
        fetched = [lds[16 * np.arange(64)[:, None] + at + np.arange(8)] for at in (0, 512)]
        halves = [transposed(bits(x, f16), 16) for x in fetched]
        t8 = transposed(fetched[0], 8)
        t4 = transposed(np.stack([fetched[0] & 15, fetched[0] >> 4], -1).reshape(64, 16), 4)
        t4 = t4[:, 0::2] | t4[:, 1::2] << 4
        first += operand(np.hstack(halves).astype(f32), 16) @ operand(a[k].astype(f32), 16).T
        x, y = ab[k].astype(f32), bb[k].astype(f32)
        wide += operand(x, 32) @ operand(y, 32).T
        last += operand(x, 16) @ operand(y, 16).T
        other = bits(ai[k], np.int32) + bits(np.hstack([t8, t4]), np.int32)
        x, y = (operand(bits(m, np.int8).astype(np.int64), 16) for m in (ai[k], other))
        integer += x @ y.T
    sums = result(wide)
    want = result(first) + result(last) + result(integer).astype(f32) + sums[:4] + sums[4:8]
    assert np.array_equal(c.T, want)


def attention_row_max(m: np.ndarray) -> np.ndarray:
    """Over lanes of a row of 16 that are 4 apart, and the row beside it."""
    m = np.tile(m.reshape(4, 4, 4).max(axis=1), (1, 4))
    return np.maximum(m, m[[1, 0, 3, 2]]).reshape(64)


def attention_wave(
    q: np.ndarray, keys: np.ndarray, values: np.ndarray, visible: np.ndarray, scale: float
) -> np.ndarray:
    """(4 j, 4 i, 64 lanes) of one wave; ``visible`` by (block of 64, j, i, lane)."""
    m, total, out = np.full(64, -1e30), np.zeros(64), np.zeros((4, 4, 64))
    for block in range(len(keys)):
        s = np.zeros((4, 4, 64))
        for j in range(4):
            for half in (slice(0, 4), slice(4, 8)):
                s[j] += result(operand(q[:, half], 16) @ operand(keys[block, j][:, half], 16).T)
        s = np.where(visible[block], s * scale, -np.inf)
        top = attention_row_max(np.maximum(m, s.max(axis=(0, 1))))
        faded, s = np.exp2(m - top), np.exp2(s - top)
        total = total * faded + s.sum()
        m = top
        flat = s.astype(f16).transpose(2, 0, 1).reshape(-1)  # LDS: 16 halves a lane
        lane = np.arange(64)
        for j in range(4):
            at = (lane % 16 * 64 + j * 16 + lane // 16 * 4)[:, None] + np.arange(4)
            out[j] *= faded
            p = operand(flat[at].astype(float), 16)
            out[j] += result(operand(values[block, j].astype(float), 16) @ p.T)
    return out / total


@case
def attn(run: Any, rng: Any) -> None:
    """Each wave by itself, and every lane with a maximum of its own row of four."""
    groups, length, scale = 2, 128, 0.25
    q = rng.standard_normal((groups, 4, 64, 8)).astype(f16)
    keys = rng.standard_normal((length * 8 + 256, 8)).astype(f16)
    values = rng.standard_normal((length * 4 + 256, 4)).astype(f16)
    t, blocks = np.arange(256), range(0, length, 64)
    at = [[k0 + 16 * j for j in range(4)] for k0 in blocks]
    for causal in (0, 1):
        out = np.zeros((groups, 4, 4, 256), f16)
        run(groups, 256, q, keys, values, out, np.int32(length), f32(scale), np.int32(causal))
        for group in range(groups):
            column = np.add.outer(np.array(at), np.arange(4))[..., None]
            visible = (column <= group * 16 + np.arange(64) % 16) | (causal == 0)
            for wave in range(4):
                lanes = t[64 * wave : 64 * wave + 64]
                k, v = (
                    np.array([[m[n * first + lanes] for first in row] for row in at], float)
                    for m, n in ((keys, 8), (values, 4))
                )
                want = attention_wave(q[group, wave].astype(float), k, v, visible, scale)
                np.testing.assert_allclose(out[group, :, :, lanes], want.transpose(2, 0, 1),
                                           rtol=1e-2, atol=2e-3)  # fmt: skip


@faulty("uninitialised", possible=["use-before-wait"])
def dtl(run: Any, rng: Any) -> None:
    """All waves bring the same bytes to the same place, twice, and much of what is read is never
    written: LDS begins as zeros on this device, and the read of it is reported.
    """
    width = 16 if run.target == "gfx950" else 4
    n = 8 * 256 * width
    one = small(rng, 8, 64 * width // 4, kind=f32)
    a = np.repeat(one[:, None], 4, axis=1)  # what a wave loads
    c = np.zeros((256, 4), f32)
    run(1, 256, a, c, np.int32(n))
    lds = np.zeros((8, 256 * width // 4), f32)
    lds[:, : 64 * width // 4] = one
    lds = np.concatenate([lds.reshape(-1), np.zeros(8192, f32)])
    t = np.arange(256)
    at = (t * 16 ^ (t & 7) << 4) // 4
    want = sum(lds[256 * i + at[:, None] + np.arange(4)] for i in range(8))
    assert np.array_equal(c, want)
