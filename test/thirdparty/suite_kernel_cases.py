"""Kernels of the OpenCL suite: norms, sorting, quantisation, memory, floats of all widths."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from suite_product_cases import FP4, SMALL_FLOATS
from suite_runner import bf16, bits, case, f16, f32, faulty, small


@case
def vecadd(run: Any, rng: Any) -> None:
    a, b = rng.standard_normal((2, 500)).astype(np.float32)
    out = np.full(500, np.nan, np.float32)
    run(2, 256, out, a, b, np.int32(500))
    assert np.array_equal(out, a + b)


@case
def rmsnorm(run: Any, rng: Any) -> None:
    x, w = rng.standard_normal((2, 2048)).astype(np.float16), rng.random(2048).astype(np.float16)
    out = np.zeros_like(x)
    run(2, 256, x, w, out, np.int32(2048), np.float32(1e-5))
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5) * w.astype(np.float64)
    np.testing.assert_allclose(out, want, rtol=2e-3, atol=1e-5)


@case
def softmax(run: Any, rng: Any) -> None:
    """Waves work by themselves: each reduces the columns of its own lanes."""
    x = rng.standard_normal((2, 1024)).astype(np.float32)
    out = np.zeros_like(x)
    run(2, 256, x, out, np.int32(1024))
    powers = np.exp(x.astype(np.float64)).reshape(2, 4, 4, 64)
    want = powers / powers.sum(axis=(1, 3), keepdims=True)
    np.testing.assert_allclose(out.reshape(want.shape), want, rtol=1e-5)


@case
def layernorm(run: Any, rng: Any) -> None:
    """The sums of a wave, over all n: what the kernel does, if not what its name says."""
    x = rng.standard_normal((2, 1024)).astype(bf16)
    w, b = rng.random((2, 1024)).astype(np.float32)
    out = np.zeros_like(x)
    run(2, 256, x, w, b, out, np.int32(1024))
    wide = x.astype(np.float64).reshape(2, 4, 4, 64)
    mean = wide.sum(axis=(1, 3), keepdims=True) / 1024
    variance = (wide**2).sum(axis=(1, 3), keepdims=True) / 1024 - mean**2
    normal = ((wide - mean) / np.sqrt(variance + 1e-5)).reshape(2, 1024)
    np.testing.assert_allclose(out.astype(np.float64), normal * w + b, rtol=2**-6, atol=1e-2)


@case
def bitonic(run: Any, rng: Any) -> None:
    x = rng.integers(-(2**31), 2**31, 512).astype(np.int32)
    want = np.sort(x)
    run(1, 256, x)
    assert np.array_equal(x, want)


@case
def transpose16(run: Any, rng: Any) -> None:
    x = rng.integers(-(2**15), 2**15, (128, 128)).astype(np.int16)
    out = np.zeros_like(x)
    run((2, 2), 256, x, out, np.int32(128))
    assert np.array_equal(out, x.T)


@case
def scratchk(run: Any, rng: Any) -> None:
    n = 300
    x = rng.integers(0, 9999, 31 * n + 256).astype(np.int32)
    want = x.copy()
    for lane in range(256):
        a = [int(x[i * n + lane]) for i in range(32)]
        j = int(x[lane]) & 31
        a[j] += 3
        for i in range(n):
            a[i * j & 31] += i
        want[lane] = a[(j + n) & 31]
    run(1, 256, x, np.int32(n))
    assert np.array_equal(x, want)


@case
def topk(run: Any, rng: Any) -> None:
    """A wave takes its place from its first lane, so that one must have something to store."""
    n, k = 512, 64
    x = rng.permutation(2 * n)[: 2 * n].reshape(2, n).astype(f32) - n
    x[:, ::64] += 4 * n
    index, value = np.full((2, k), -1, np.int32), np.zeros((2, k), f32)
    run(2, 256, x, index, value, np.int32(n), np.int32(k))
    assert np.array_equal(np.sort(value), np.sort(x)[:, -k:])
    assert np.array_equal(np.take_along_axis(x, index, 1), value)


def small_float(x: np.ndarray, kind: str, target: str) -> np.ndarray:
    """Codes of numbers that are exact, or too large: no number then on gfx942."""
    dtype = SMALL_FLOATS[kind, target]
    largest = float(ml_dtypes.finfo(dtype).max)
    return bits(np.where(np.abs(x) > largest, np.nan, x).astype(dtype), np.uint8)


@case
def quant(run: Any, rng: Any) -> None:
    """fp8 in the low half and the second byte of the high one; fp8 xor bf8 in the last. All values
    are exact, so that no random bit counts.
    """
    groups = 1  # each stores to the same end of s
    x = rng.choice([0, 1, -1, 2, -2, 4, 8, -8, 16, 64, -128], (groups, 4, 64, 4)).astype(f32)
    x[..., 0, 1] = 448  # of each wave: the scale is 1
    q, s = np.zeros((groups, 256), np.int32), np.zeros(8192, f32)
    run(groups, 256, x, q, s, np.int32(groups * 256))
    fp8, bf8 = (small_float(x, kind, run.target) for kind in ("fp8", "bf8"))
    want = np.zeros((groups, 4, 64, 4), np.uint8)
    want[..., 2:] = fp8[..., 2:] ^ bf8[..., 2:]
    want[..., 2] = fp8[..., 0]
    assert np.array_equal(q, bits(want, np.int32).reshape(groups, 256))
    np.testing.assert_allclose(s[: 4 * groups], 1, rtol=1e-6)
    low, high = (
        bits(want[-1, ..., n], SMALL_FLOATS["fp8", run.target]).astype(f32) for n in (2, 3)
    )
    last = bits(want[-1, ..., 3], SMALL_FLOATS["bf8", run.target]).astype(f32)
    np.testing.assert_allclose(s[4096:4352], (low * high + low + last).reshape(-1), rtol=1e-6)


@case
def gather(run: Any, rng: Any) -> None:
    stride = 32
    x = rng.integers(0, 256, (64, stride)).astype(np.uint8)
    index = rng.integers(0, 64, 256).astype(np.int32)
    out = np.zeros(99968 + 4096, np.uint8)
    run(1, 256, x, index, out, np.int64(stride))
    row = x[index]
    words, short = bits(row[:, :16], np.int32), bits(row[:, 20:22], np.uint16)
    added = row[:, 17:18].astype(np.int32) + bits(row[:, 19:20], np.int8) + short
    assert np.array_equal(bits(out[:4096], np.int32).reshape(256, 4), words + added)
    assert np.array_equal(out[8192:8448], row[:, 17])
    assert np.array_equal(bits(out[16384:16896], np.uint16), short[:, 0])
    assert np.array_equal(bits(out[65536:67584], np.int32).reshape(256, 2), words[:, :2])
    assert np.array_equal(bits(out[99968:], np.int32).reshape(256, 4)[:, :3], words[:, :3])


@faulty("global-race")
def bufk(run: Any, rng: Any) -> None:
    """Stores of five widths lie over one another: a byte is what one of them put there."""
    n = 4096
    a = rng.integers(0, 256, n + 1024).astype(np.uint8)
    c = np.zeros(n, np.uint8)
    run(1, 256, a, c, np.int32(n))
    v = bits(a[:n], np.uint32).reshape(256, 4).copy()
    v2 = bits(a[64 : 64 + 2048], np.uint32).reshape(256, 2)
    v3 = bits(a[n:], np.uint32)
    v4, v5 = bits(a[:512], np.int16), bits(a[:256], np.int8)
    v[:, 0] += v3 + v4.astype(np.uint32)
    v[:, 1] += v5.astype(np.uint32)
    v[:, 2:] += v2
    allowed = np.zeros(n, bool)
    for at, stored in ((0, v), (16, v2), (0, v3), (0, v4), (0, v5)):
        raw = bits(stored, np.uint8).reshape(-1)
        allowed[at : at + len(raw)] |= c[at : at + len(raw)] == raw
    assert allowed.all()
    assert np.array_equal(c[2064:], bits(v, np.uint8).reshape(-1)[2064:])  # only one goes there


@faulty("global-race", "lds-race", "uninitialised")
def atom(run: Any, rng: Any) -> None:
    """What does not depend on the order of waves; lane 2's counter meets no lane's number."""
    x = rng.integers(-500, 500, 4256).astype(np.int32)
    x[2] = 1001
    before, lanes = x[:256].copy(), np.arange(256)
    f, d = small(rng, 256, kind=f32), small(rng, 265, kind=np.float64)
    h, sums = small(rng, 256, 2, kind=f16), np.zeros(256, np.uint64)
    f_before, d_before, h_before = f.copy(), d.copy(), h.copy()
    run(1, 256, x, f, sums, d, h, np.uint32(0), np.uint32(1024), lds=2048)
    raised = np.maximum(before + 1, lanes)
    assert np.array_equal(x[999:1255], before + 1)
    assert np.array_equal(x[1999:2255], raised)
    assert np.array_equal(x[:256], raised | lanes)
    assert np.isin(x[2999:3255], [1001, 1002]).all()
    assert np.array_equal(f, f_before + f32(1.5))
    assert np.array_equal(h, h_before + np.array([1, 2], f16))
    assert np.array_equal(d[:9], d_before[:9] + 1.5)


@case
def q950(run: Any, rng: Any) -> None:
    """Numbers that are exact as fp4, twice as large; bits of the first go through swaps and a hash.

    The kernel says v.y for the other operand of the swaps, but clang's __builtin_bit_cast of a
    vector's element is that of its first.
    """
    v = rng.choice(2 * FP4[:8], (64, 4)) * rng.choice([1, -1], (64, 4))
    x, q = np.zeros((640, 4), f32), np.zeros(512, np.uint32)
    x[:64] = v
    run(1, 64, x, q, f32(2))
    code = np.array([[np.flatnonzero(FP4 * 2 == abs(y))[0] | 8 * np.signbit(y) for y in row]
                     for row in x[:64]], np.uint32)  # fmt: skip
    r = code[:, 0] | code[:, 1] << 4 | code[:, 2] << 8 | code[:, 3] << 12
    assert np.array_equal(q[:64], r)
    assert np.array_equal(x[64:128, :2], x[:64, :2])
    sw = bits(x[:64, 0], np.uint32)
    low, high = np.tile(sw[:32], 2), np.tile(sw[32:], 2)
    assert np.array_equal(q[64:128], low)
    rows = [y.reshape(2, 2, 16) for y in (low, high)]
    first, second = (np.stack([rows[0][:, n], rows[1][:, n]], 1).reshape(64) for n in (0, 1))
    assert np.array_equal(q[128:192], first ^ second)
    hashed = (r << 1 ^ (r >> 31) * 197) + (r ^ sw ^ sw)
    halves = bits(x[:64, :2].astype(bf16), np.uint32).reshape(64)
    assert np.array_equal(q[256:300], hashed[:44])
    assert ((q[300:320] == hashed[44:]) | (q[300:320] == halves[:20])).all()  # either is last
    assert np.array_equal(q[320:364], halves[20:])
    assert np.array_equal(x[512:576, 0], (x[:64, :2] ** 2).sum(axis=1) + x[:64, 2])


def close(found: np.ndarray, want: np.ndarray, rtol: float = 2e-6) -> None:
    np.testing.assert_allclose(found, want, rtol=rtol, atol=rtol)


@faulty("global-race")
def tort_f(run: Any, rng: Any) -> None:
    """Operands of a lane are the next ones of the lane before, so that lanes that store to the same
    place agree; shorts are 1, which the kernel makes of ones.
    """
    i = np.arange(256)
    t32 = rng.uniform(0.5, 4, 258).astype(f32)
    t16 = rng.uniform(1, 2, 258).astype(f16)
    x, h = np.zeros(5300, f32), np.zeros(4300, f16)
    x[:258], h[:258] = t32, t16
    for n in (1, 2):
        x[256 * n : 256 * n + 256], h[256 * n : 256 * n + 256] = t32[n : n + 256], t16[n : n + 256]
    d, s = rng.uniform(0.5, 900, 512), np.ones(300, np.int16)
    p, q = d[:256].copy(), d[256:].copy()
    run(1, 256, x, d, h, s)
    a, b, c = (t32[n : n + 256].astype(np.float64) for n in range(3))
    e, f, g = (t16[n : n + 256].astype(np.float64) for n in range(3))
    mantissa, exponent = np.frexp(c)[0], np.frexp(a)[1]
    close(x[:256], a / b)
    close(x[256:512], np.sqrt(a) + np.floor(b) + np.ceil(c) + np.trunc(a) + np.rint(b) + c % 1)
    with np.errstate(over="ignore"):
        wide = np.ldexp(b.astype(f32), i).astype(np.float64)
    turns = np.sin(2 * np.pi * a) + np.cos(2 * np.pi * b)
    close(x[512:768], turns + np.log2(c) + a**-0.5 + wide + mantissa + exponent)
    middle = np.sort([a, b, c], axis=0)[1]
    least = np.minimum(a, np.minimum(b, c))
    close(x[1024:1280], middle + (a * b + c) + a + np.trunc(a) + np.trunc(b) + np.minimum(a, 1)
          + least)  # fmt: skip
    close(x[2000:2256], (a < b) + ((i & 15 ^ 8) - 8) / 16)
    close(d[:256], p / q + np.sqrt(p) + (p * q + p) + np.maximum(p, q) + np.floor(p) + 2 * i + a,
          1e-12)  # fmt: skip
    # The second segment of 2 / pi is below the last bit of the others.
    other = p.astype(f32) + np.ldexp(p, i) + np.trunc(p)
    close(d[256:], np.where(p < q, np.trunc(q), other), 1e-12)
    halves = 4e-3
    close(h[:256], e * f + g, halves)
    close(h[256:512], a + b * e, halves)
    close(h[512:768], 1 / e + np.sqrt(f) + i + 1, halves)
    low, high = e * f + e + f, f * g + f + g
    close(h[1024:1280], low, halves)
    close(h[1280], high[-1], halves)
    close(x[3000:3256], low * f + high * g + a, halves)
    close(x[4000:4256], a * b + a + b)
    close(x[4256], (b * c + b + c)[-1])
    close(x[5000:5256], e * f + c)
    close(h[3000:3256], a * b, halves)
    close(h[4000:4256], e * f + c, halves)
    assert (s == 1).all()
