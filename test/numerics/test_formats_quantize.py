"""Block quantization, byte for byte, against the definition of each mode."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sampling
import tegula as tg
from formats_reference import FMT, fp8_cast, fp8_scale, mx_quantize

MODES = ("floor", "ceil", "even", "rceil")
CODES: dict[str, tg.DType] = {"e4m3fn": tg.f8e4m3fn, "e5m2": tg.f8e5m2}


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def mx_quantize_k(
    x: "M K",
    q: "M K",
    s: "M K/32",
    *,
    mode: tg.const = "rceil",
    BM: tg.tile = 64,
    BK: tg.tile = 128,
) -> None:
    m, k = tg.tile_id(x, (BM, BK))
    codes, scales = tg.quantize(tg.load(x, (m, k), (BM, BK)), q.dtype, axis=1, block=32, mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


def quantized(kernel: Any, x: np.ndarray, fmt: str, **constants: Any) -> tuple[Any, Any]:
    q = np.full(x.shape, 0xA5, np.uint8).view(CODES[fmt].numpy)
    s = np.full((x.shape[0], x.shape[1] // 32), 0xA5, np.uint8).view(tg.e8m0.numpy)
    kernel(x, q, s, **constants)
    return q.view(np.uint8), s.view(np.uint8)


def check(x: np.ndarray, fmt: str, q: np.ndarray, s: np.ndarray, wanted: tuple[Any, Any]) -> None:
    """Scales byte for byte; codes too, but that every NaN is as good as another."""
    scales, codes = wanted
    at = np.argwhere(s != scales)
    assert not len(at), [(tuple(i), s[tuple(i)], scales[tuple(i)]) for i in at[:5]]
    nan = np.isnan(q.view(CODES[fmt].numpy).astype(np.float32))
    same = (q == codes) | (nan & np.isnan(codes.view(CODES[fmt].numpy).astype(np.float32)))
    at = np.argwhere(~same)
    assert not len(at), [(x[tuple(i)], q[tuple(i)], codes[tuple(i)]) for i in at[:5]]


def maxima() -> np.ndarray:
    """bf16 values, each to be the largest of a block: all of them in a full run."""
    everything = list(range(1 << 16))
    special = [0, 1, 0x7F, 0x80, 0x7F7F, 0x7F80, 0x7F81, 0x7FFF, 0x8000, 0xFF7F, 0xFF80, 0xFFFF]
    chosen = sampling.sample(everything, 3000) + special
    return np.array(chosen, np.uint16).view(ml_dtypes.bfloat16)


def blocks(largest: np.ndarray) -> np.ndarray:
    """A row of 32 for each: the value at some place, the rest below it in magnitude."""
    rng = np.random.default_rng(sampling.SEED)
    with np.errstate(all="ignore"):
        top = np.where(np.isfinite(largest), largest, 1).astype(np.float32)[:, None]
        x = (top * rng.uniform(-1, 1, (len(largest), 32))).astype(np.float32)
    below = x.view(np.int32) & ~0xFFFF  # cut, so that bf16 rounds none of them up
    x = below.view(np.float32).astype(largest.dtype)
    x[np.arange(len(x)), rng.integers(0, 32, len(x))] = largest
    return x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fmt", CODES)
def test_every_largest_value(device: Any, fmt: str, mode: str) -> None:
    x = blocks(maxima())
    wanted = mx_quantize(x.astype(np.float32), fmt, mode)
    for kernel in (mx_quantize_k, mx_quantize_k.interpret):
        check(x, fmt, *quantized(kernel, x, fmt, mode=mode, BM=128, BK=32), wanted)


def mixed(rows: int, columns: int, dtype: Any) -> np.ndarray:
    """Blocks of all magnitudes; some zero, constant, denormal, with an infinity or a NaN."""
    rng = np.random.default_rng(3)
    shape = (rows, columns // 32, 32)
    scale = np.exp2(rng.integers(-140, 120, shape[:2] + (1,)))
    with np.errstate(all="ignore"):
        x = (rng.standard_normal(shape) * scale).astype(dtype)
        kinds = rng.integers(0, 12, shape[:2])
        x[kinds == 0] = 0
        x[kinds == 1] = x[kinds == 1][:, :1]
        x[kinds == 2] = (rng.standard_normal(32) * 2.0**-140).astype(dtype)
        x[kinds == 3, 7] = np.inf
        x[kinds == 4, 31] = np.nan
        x[kinds == 5, 0] = -np.inf
    return x.reshape(rows, columns)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fmt", CODES)
def test_mixed_blocks(device: Any, fmt: str, mode: str, dtype: str) -> None:
    """Extents that are no multiple of the tile: rows and columns end within one."""
    x = mixed(70, 352, np.dtype(dtype))
    wanted = mx_quantize(x.astype(np.float32), fmt, mode)
    for kernel in (mx_quantize_k, mx_quantize_k.interpret):
        check(x, fmt, *quantized(kernel, x, fmt, mode=mode), wanted)


@pytest.mark.parametrize("shape", [(1, 2048), (64, 2080), (1, 32)])
def test_shapes(device: Any, shape: tuple[int, int]) -> None:
    x = (np.random.default_rng(1).standard_normal(shape) * 30).astype(ml_dtypes.bfloat16)
    wanted = mx_quantize(x.astype(np.float32), "e4m3fn", "rceil")
    check(x, "e4m3fn", *quantized(mx_quantize_k, x, "e4m3fn"), wanted)


def single(bits: int) -> np.ndarray:
    return np.array([bits], np.uint32).view(np.float32)


#: (32 equal inputs, scale and code by floor, by rceil) of f8e4m3fn
CONTRACT = [
    (0.0, (0, 0x00), (0, 0x00)),
    (2.0**-126, (0, 0x40), (0, 0x40)),
    (np.inf, (255, 0x7F), (255, 0x7F)),
    (np.nan, (255, 0x7F), (255, 0x7F)),
    (448.0, (127, 0x7E), (127, 0x7E)),
    (-448.0, (127, 0xFE), (127, 0xFE)),
    (float(np.finfo(np.float32).max), (246, 0x7E), (247, 0x78)),
    (float(ml_dtypes.finfo(ml_dtypes.bfloat16).max), (246, 0x7E), (247, 0x78)),
    (2.0**-149, (0, 0x00), (0, 0x00)),
    (-(2.0**-149), (0, 0x80), (0, 0x80)),
    (2.0**-133, (0, 0x08), (0, 0x08)),
    (480.0, (127, 0x7E), (128, 0x77)),
    (float(single(0x40600001)[0]), (120, 0x7E), (121, 0x76)),
    (3.5, (120, 0x7E), (120, 0x7E)),
    (float(single(0x43FFFFFF)[0]), (127, 0x7E), (128, 0x78)),
    (512.0, (128, 0x78), (128, 0x78)),
]


@pytest.mark.parametrize("mode", ["floor", "rceil"])
def test_contract(device: Any, mode: str) -> None:
    x = np.repeat(np.array([row[0] for row in CONTRACT], np.float32)[:, None], 32, axis=1)
    wanted = np.array([row[1 if mode == "floor" else 2] for row in CONTRACT])
    for kernel in (mx_quantize_k, mx_quantize_k.interpret):
        q, s = quantized(kernel, x, "e4m3fn", mode=mode, BM=16, BK=32)
        assert (s[:, 0] == wanted[:, 0]).all()
        nan = np.isnan(x) | np.isinf(x)
        assert ((q == wanted[:, 1:]) | (nan & ((q & 0x7F) == 0x7F))).all()


@tg.kernel(grid=lambda x, B: tg.num_tiles(x, (B, B)))
def mx_quantize_tiles(
    x: "M K", q: "M K", s: "M/32 K/32", *, mode: tg.const = "rceil", B: tg.tile = 64
) -> None:
    m, k = tg.tile_id(x, (B, B))
    tile = tg.load(x, (m, k), (B, B))
    codes, scales = tg.quantize(tile, q.dtype, axis=(0, 1), block=(32, 32), mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


@pytest.mark.parametrize("mode", MODES)
def test_square_blocks(device: Any, mode: str) -> None:
    """One scale for 1,024 values."""
    x = mixed(96, 160, np.float32).reshape(3, 32, 5, 32)
    flat = x.transpose(0, 2, 1, 3).reshape(3, 5, 1024)
    scales, codes = mx_quantize(flat, "e4m3fn", mode, block=1024)
    wanted = scales[..., 0], codes.reshape(3, 5, 32, 32).transpose(0, 2, 1, 3).reshape(96, 160)
    for kernel in (mx_quantize_tiles, mx_quantize_tiles.interpret):
        q = np.zeros((96, 160), tg.f8e4m3fn.numpy)
        s = np.zeros((3, 5), tg.e8m0.numpy)
        kernel(x.reshape(96, 160), q, s, mode=mode)
        check(x.reshape(96, 160), "e4m3fn", q.view(np.uint8), s.view(np.uint8), wanted)


@tg.kernel(grid=lambda q, BM, BK: tg.num_tiles(q, (BM, BK)))
def mx_dequantize_k(
    q: "M K", s: "M K/32", x: "M K", *, BM: tg.tile = 32, BK: tg.tile = 128
) -> None:
    m, k = tg.tile_id(q, (BM, BK))
    codes = tg.load(q, (m, k), (BM, BK)).to(tg.f32).reshape(BM, BK // 32, 32)
    scales = tg.scale_values(tg.load(s, (m, k), (BM, BK // 32)))
    tg.store(x, (m, k), (codes * scales[:, :, None]).reshape(BM, BK).to(x.dtype))


@pytest.mark.parametrize("fmt", CODES)
def test_dequantize(device: Any, fmt: str) -> None:
    """Every code with every scale byte that keeps the product a number, and with NaN."""
    codes = np.tile(np.arange(256, dtype=np.uint8), (256, 1))
    scales = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 8, axis=1)
    power = np.exp2(scales.astype(np.float64) - 127)
    values = codes.view(CODES[fmt].numpy).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = (values * np.repeat(np.where(scales == 255, np.nan, power), 32, axis=1)).astype(
            np.float32
        )
    for kernel in (mx_dequantize_k, mx_dequantize_k.interpret):
        x = np.zeros((256, 256), np.float32)
        kernel(codes.view(CODES[fmt].numpy), scales.view(tg.e8m0.numpy), x)
        np.testing.assert_array_equal(x, exact)


@tg.kernel(grid=lambda x, BM: (tg.cdiv(x.shape[0], BM),))
def fp8_rows(
    x: "M K", q: "M K", s: "M 1", *, K: tg.const, pow2: tg.const = False, BM: tg.tile = 4
) -> None:
    m = tg.program_id(0)
    v = tg.load(x, (m, 0), (BM, K))
    scale = tg.fp8_scale(tg.max(tg.abs(v), axis=1, keepdims=True).to(tg.f32), q.dtype, pow2=pow2)
    tg.store(s, (m, 0), scale)
    tg.store(q, (m, 0), (v.to(tg.f32) * scale).to(q.dtype))


@pytest.mark.parametrize("pow2", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("fmt", ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"])
def test_fp8_rows(device: Any, fmt: str, dtype: str, pow2: bool) -> None:
    x = mixed(66, 320, np.dtype(dtype))
    x[3] = 0
    wide = x.astype(np.float32)
    with np.errstate(all="ignore"):
        amax = np.where(np.isnan(wide).any(1), np.nan, np.abs(wide).max(1)).astype(np.float32)
    scale = fp8_scale(amax, fmt, pow2)
    codes = fp8_cast(wide, scale[:, None], fmt)
    element = getattr(tg, f"f8{fmt}").numpy
    assert FMT[fmt][3] == getattr(tg, f"f8{fmt}").max
    for kernel in (fp8_rows, fp8_rows.interpret):
        q, s = np.zeros(x.shape, element), np.zeros((66, 1), np.float32)
        kernel(x, q, s, pow2=pow2)
        np.testing.assert_array_equal(s[:, 0], scale)
        found, nan = q.view(np.uint8), np.isnan(codes.view(element).astype(np.float32))
        assert ((found == codes) | (nan & np.isnan(q.astype(np.float32)))).all()
