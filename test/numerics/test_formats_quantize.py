"""Block quantization, byte for byte, against the definition of each mode."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sampling
import tegula as tg
from formats_inputs import NARROW
from formats_reference import FMT, fp8_cast, fp8_scale, mx_quantize
from tegula.kernels import (
    fp8_dequantize_1x128,
    fp8_largest,
    fp8_quantize_1x128,
    fp8_quantize_128x128,
    fp8_quantize_rows,
    fp8_quantize_tensor,
    mx_dequantize_rows,
    mx_quantize_both,
    mx_quantize_columns,
    mx_quantize_rows,
    mx_quantize_squares,
)

MODES = ("floor", "ceil", "even", "rceil")
CODES = {name: NARROW[name] for name in ("e4m3fn", "e5m2", "e2m3", "e3m2", "e2m1")}


def quantized(kernel: Any, x: np.ndarray, fmt: str, **constants: Any) -> tuple[Any, Any]:
    q = np.full(x.shape, 0xA5, np.uint8).view(CODES[fmt].numpy)
    s = np.full((x.shape[0], x.shape[1] // 32), 0xA5, np.uint8).view(tg.e8m0.numpy)
    kernel(x, q, s, **constants)
    return q.view(np.uint8), s.view(np.uint8)


def check(x: np.ndarray, fmt: str, q: np.ndarray, s: np.ndarray, wanted: tuple[Any, Any]) -> None:
    """Scales byte for byte; codes too, but that every NaN is as good as another.

    Codes without a NaN are zeros in its place, of either sign.
    """
    scales, codes = wanted
    at = np.argwhere(s != scales)
    assert not len(at), [(tuple(i), s[tuple(i)], scales[tuple(i)]) for i in at[:5]]
    if CODES[fmt].bits == 8:
        nan = np.isnan(q.view(CODES[fmt].numpy).astype(np.float32))
        same = (q == codes) | (nan & np.isnan(codes.view(CODES[fmt].numpy).astype(np.float32)))
    else:
        zero = (q | codes) & ((1 << CODES[fmt].bits - 1) - 1) == 0
        block = x.size // scales.size
        nan = np.isnan(x) | (np.repeat(scales.ravel(), block).reshape(x.shape) == 255)
        same = (q == codes) | (nan & zero)
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
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
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
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        check(x, fmt, *quantized(kernel, x, fmt, mode=mode), wanted)


@pytest.mark.parametrize("shape", [(1, 2048), (64, 2080), (1, 32)])
def test_shapes(device: Any, shape: tuple[int, int]) -> None:
    x = (np.random.default_rng(1).standard_normal(shape) * 30).astype(ml_dtypes.bfloat16)
    wanted = mx_quantize(x.astype(np.float32), "e4m3fn", "rceil")
    check(x, "e4m3fn", *quantized(mx_quantize_rows, x, "e4m3fn"), wanted)


def single(bits: int) -> np.ndarray:
    return np.array([bits], np.uint32).view(np.float32)


#: (32 equal inputs, scale and code by floor, by rceil) of f8e4m3fn; of -x the code's sign differs.
CONTRACT = [
    (0.0, (0, 0x00), (0, 0x00)),
    (2.0**-126, (0, 0x40), (0, 0x40)),
    (np.inf, (255, 0x7F), (255, 0x7F)),
    (np.nan, (255, 0x7F), (255, 0x7F)),
    (448.0, (127, 0x7E), (127, 0x7E)),
    (float(np.finfo(np.float32).max), (246, 0x7E), (247, 0x78)),
    (float(ml_dtypes.finfo(ml_dtypes.bfloat16).max), (246, 0x7E), (247, 0x78)),
    (2.0**-149, (0, 0x00), (0, 0x00)),
    (2.0**-133, (0, 0x08), (0, 0x08)),
    (480.0, (127, 0x7E), (128, 0x77)),
    (float(single(0x40600001)[0]), (120, 0x7E), (121, 0x76)),
    (3.5, (120, 0x7E), (120, 0x7E)),
    (float(single(0x43FFFFFF)[0]), (127, 0x7E), (128, 0x78)),
    (512.0, (128, 0x78), (128, 0x78)),
]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("mode", ["floor", "rceil"])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_contract(device: Any, dtype: Any, mode: str, sign: int) -> None:
    """Of bf16 what it represents; the document has the rest as what they are rounded to."""
    column = np.array([row[0] for row in CONTRACT], np.float32)
    with np.errstate(over="ignore"):
        exact = column.astype(dtype).astype(np.float32)
    kept = (exact == column) | np.isnan(column)
    x = np.repeat((sign * column[kept]).astype(dtype)[:, None], 32, axis=1)
    wanted = np.array([row[1 if mode == "floor" else 2] for row in CONTRACT], np.uint8)[kept]
    codes = np.repeat(wanted[:, 1:] | (0x80 if sign < 0 else 0), 32, axis=1)
    assert len(x) == (len(CONTRACT) if dtype == np.float32 else len(CONTRACT) - 4)
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        found = quantized(kernel, x, "e4m3fn", mode=mode, BM=16, BK=32)
        check(x, "e4m3fn", *found, (wanted[:, :1], codes))


#: Bits of the largest magnitude over the format's largest number, in f32 → scale by rceil.
QUOTIENTS = {
    **{0x00000000: 0, 0x00000001: 0, 0x00400000: 0, 0x00400001: 1, 0x007FFFFF: 1, 0x00800000: 1},
    **{0x1F800000: 63, 0x1F800001: 64, 0x3F7FFFFF: 127, 0x3F800000: 127, 0x3F800001: 128},
    **{0x5F800000: 191, 0x5F800001: 192},
}


def with_quotient(fmt: str, bits: int) -> np.ndarray:
    """Magnitudes that the rule of rceil turns into this quotient; none of some."""
    inverse = np.float32(1 / FMT[fmt][3])
    middle = (single(bits) * np.float32(FMT[fmt][3])).view(np.int32)[0]
    near = np.arange(max(0, middle - 300), middle + 300, dtype=np.int32).view(np.float32)
    found: np.ndarray = near[(near * inverse).view(np.uint32) == bits]
    return found


@pytest.mark.parametrize("fmt", CODES)
def test_scales_of_quotients(device: Any, fmt: str) -> None:
    tops = [(with_quotient(fmt, bits), scale) for bits, scale in QUOTIENTS.items()]
    assert sum(bool(len(found)) for found, _ in tops) >= len(QUOTIENTS) - 1
    x = np.repeat(np.concatenate([found for found, _ in tops])[:, None], 32, axis=1)
    x[:, 1:] = 0
    scales = np.concatenate([np.full(len(found), scale, np.uint8) for found, scale in tops])
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        _, s = quantized(kernel, x, fmt, BM=128, BK=32)
        np.testing.assert_array_equal(s[:, 0], scales)


#: One element, what the other 31 are; scale, code of the one and of the others by floor, by rceil.
UNEVEN = [
    ("inf", 1.0, (255, 0x7F, 0x7F), (255, 0x7F, 0x7F)),
    ("-inf", 0.0, (255, 0x7F, 0x7F), (255, 0x7F, 0x7F)),
    ("nan", 1.0, (255, 0x7F, 0x7F), (255, 0x7F, 0x7F)),
    ("least", 1.0, (119, 0x00, 0x78), (119, 0x00, 0x78)),
    ("-least", 1.0, (119, 0x80, 0x78), (119, 0x80, 0x78)),
    ("most", 1.0, (246, 0x7E, 0x00), (247, 0x78, 0x00)),
    ("-most", 1.0, (246, 0xFE, 0x00), (247, 0xF8, 0x00)),
]


@pytest.mark.parametrize("mode", ["floor", "rceil"])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_contract_of_uneven_blocks(device: Any, dtype: Any, mode: str) -> None:
    """One element decides, wherever it stands: infinite, NaN, the smallest or largest number."""
    info = ml_dtypes.finfo(dtype)
    ends = {"least": float(info.smallest_subnormal), "most": float(info.max)}
    x = np.zeros((32 * len(UNEVEN), 32), dtype)
    codes, scales = np.zeros(x.shape, np.uint8), np.zeros((len(x), 1), np.uint8)
    for i, (name, others, *wanted) in enumerate(UNEVEN):
        scale, one, rest = wanted[mode == "rceil"]
        place = np.arange(32)
        sign = -1.0 if name.startswith("-") else 1.0
        name = name.removeprefix("-")
        part = slice(32 * i, 32 * i + 32)
        x[part], codes[part], scales[part] = others, rest, scale
        x[32 * i + place, place] = sign * ends.get(name, float(name) if name not in ends else 0)
        codes[32 * i + place, place] = one
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        found = quantized(kernel, x, "e4m3fn", mode=mode, BM=32, BK=32)
        check(x, "e4m3fn", *found, (scales, codes))


LARGEST = float(np.finfo(np.float32).max)
BELOW_512 = float(single(0x43FFFFFF)[0])
#: (32 equal inputs, format, scale and code by each mode)
ALL_MODES = [
    ([1.0], "e4m3fn", 4 * [(119, 0x78)]),
    ([7.0], "e4m3fn", [(121, 0x7E), (122, 0x76), (121, 0x7E), (121, 0x7E)]),
    ([7.99], "e4m3fn", [(121, 0x7E), (122, 0x78), (122, 0x78), (122, 0x78)]),
    ([448.0], "e4m3fn", [(127, 0x7E), (128, 0x76), (127, 0x7E), (127, 0x7E)]),
    ([464.0], "e4m3fn", [(127, 0x7E), (128, 0x76), (127, 0x7E), (128, 0x76)]),
    ([480.0], "e4m3fn", [(127, 0x7E), (128, 0x77), (127, 0x7E), (128, 0x77)]),
    ([BELOW_512], "e4m3fn", [(127, 0x7E), (128, 0x78), (128, 0x78), (128, 0x78)]),
    ([LARGEST], "e4m3fn", [(246, 0x7E), (247, 0x78), (255, 0x7F), (247, 0x78)]),
    ([1.0], "e2m1", 4 * [(125, 6)]),
    ([6.0], "e2m1", [(127, 7), (128, 5), (127, 7), (127, 7)]),
    ([6.5], "e2m1", [(127, 7), (128, 5), (127, 7), (128, 5)]),
    ([7.0, 7.99], "e2m1", [(127, 7), (128, 6), (128, 6), (128, 6)]),
    ([448.0, 464.0, 480.0], "e2m1", [(133, 7), (134, 6), (134, 6), (134, 6)]),
    ([LARGEST], "e2m1", [(252, 7), (253, 6), (255, 0), (253, 6)]),
]


@pytest.mark.parametrize("fmt", ["e4m3fn", "e2m1"])
@pytest.mark.parametrize("mode", MODES)
def test_all_modes_side_by_side(device: Any, mode: str, fmt: str) -> None:
    rows = [(v, wanted) for values, f, wanted in ALL_MODES if f == fmt for v in values]
    x = np.repeat(np.array([value for value, _ in rows], np.float32)[:, None], 32, axis=1)
    wanted = np.array([every[MODES.index(mode)] for _, every in rows], np.uint8)
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        found = quantized(kernel, x, fmt, mode=mode, BM=16, BK=32)
        check(x, fmt, *found, (wanted[:, :1], np.repeat(wanted[:, 1:], 32, axis=1)))


@pytest.mark.parametrize("mode", MODES)
def test_square_blocks(device: Any, mode: str) -> None:
    """One scale for 1,024 values."""
    x = mixed(96, 160, np.float32).reshape(3, 32, 5, 32)
    flat = x.transpose(0, 2, 1, 3).reshape(3, 5, 1024)
    scales, codes = mx_quantize(flat, "e4m3fn", mode, block=1024)
    wanted = scales[..., 0], codes.reshape(3, 5, 32, 32).transpose(0, 2, 1, 3).reshape(96, 160)
    for kernel in (mx_quantize_squares, mx_quantize_squares.interpret):
        q = np.zeros((96, 160), tg.f8e4m3fn.numpy)
        s = np.zeros((3, 5), tg.e8m0.numpy)
        kernel(x.reshape(96, 160), q, s, mode=mode)
        check(x.reshape(96, 160), "e4m3fn", q.view(np.uint8), s.view(np.uint8), wanted)


@pytest.mark.parametrize("fmt", CODES)
def test_dequantize(device: Any, fmt: str) -> None:
    """Every code with every scale byte that keeps the product a number, and with NaN."""
    every = np.arange(1 << CODES[fmt].bits, dtype=np.uint8)
    codes = np.tile(every, (256, 256 // every.size))
    scales = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 8, axis=1)
    power = np.exp2(scales.astype(np.float64) - 127)
    values = codes.view(CODES[fmt].numpy).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = (values * np.repeat(np.where(scales == 255, np.nan, power), 32, axis=1)).astype(
            np.float32
        )
    for kernel in (mx_dequantize_rows, mx_dequantize_rows.interpret):
        x = np.zeros((256, 256), np.float32)
        kernel(codes.view(CODES[fmt].numpy), scales.view(tg.e8m0.numpy), x)
        np.testing.assert_array_equal(x, exact)


COLUMN_SHAPES = [(32, 256), (128, 5120), (64, 1408), (96, 130)]


def columns(shape: tuple[int, int], dtype: Any) -> np.ndarray:
    """An array whose columns lie one behind the other."""
    return np.zeros(shape[::-1], dtype).T


@pytest.mark.parametrize("fmt", ["e4m3fn", "e2m3"])
@pytest.mark.parametrize("shape", COLUMN_SHAPES)
def test_columns(device: Any, shape: tuple[int, int], fmt: str) -> None:
    """Blocks along M; codes column by column, scales as torchao's (K, M/32), by transposition."""
    m, k = shape
    x = np.ascontiguousarray(mixed(k, m, np.dtype("bfloat16")).T)
    scales, codes = mx_quantize(np.ascontiguousarray(x.T).astype(np.float32), fmt, "rceil")
    for kernel in (mx_quantize_columns, mx_quantize_columns.interpret):
        q, s = columns(shape, CODES[fmt].numpy), columns((m // 32, k), tg.e8m0.numpy)
        kernel(x, q, s)
        found = np.ascontiguousarray(q.T).view(np.uint8), np.ascontiguousarray(s.T).view(np.uint8)
        check(np.ascontiguousarray(x.T), fmt, *found, (scales, codes))


@pytest.mark.parametrize("mode", ["floor", "rceil"])
def test_both_from_one_reading(device: Any, mode: str) -> None:
    m, k = 96, 352
    x = mixed(m, k, np.dtype("bfloat16"))
    rows = mx_quantize(x.astype(np.float32), "e4m3fn", mode)
    turned = np.ascontiguousarray(x.T)
    down = mx_quantize(turned.astype(np.float32), "e4m3fn", mode)
    for kernel in (mx_quantize_both, mx_quantize_both.interpret):
        q_k, s_k = np.zeros((m, k), tg.f8e4m3fn.numpy), np.zeros((m, k // 32), tg.e8m0.numpy)
        q_m, s_m = columns((m, k), tg.f8e4m3fn.numpy), columns((m // 32, k), tg.e8m0.numpy)
        kernel(x, q_k, s_k, q_m, s_m, mode=mode)
        check(x, "e4m3fn", q_k.view(np.uint8), s_k.view(np.uint8), rows)
        found = (np.ascontiguousarray(a.T).view(np.uint8) for a in (q_m, s_m))
        check(turned, "e4m3fn", *found, down)


def test_extents_are_multiples(device: Any) -> None:
    for rows in (1, 16, 33):
        x, q = np.zeros((rows, 64), np.float32), np.zeros((rows, 64), tg.f8e4m3fn.numpy)
        with pytest.raises(tg.ArgumentError, match="a multiple of 32"):
            mx_quantize_columns(x, q, np.zeros((1, 64), tg.e8m0.numpy))


FLAVOURS = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]


def check_fp8(q: np.ndarray, codes: np.ndarray) -> None:
    nan = np.isnan(codes.view(q.dtype).astype(np.float32))
    assert ((q.view(np.uint8) == codes) | (nan & np.isnan(q.astype(np.float32)))).all()


def largest(x: np.ndarray, axis: Any) -> np.ndarray:
    with np.errstate(all="ignore"):
        wide = np.abs(x.astype(np.float32))
        found = np.where(np.isnan(wide).any(axis, keepdims=True), np.nan, 1)
        return (wide.max(axis, keepdims=True) * found).astype(np.float32)


def inverse(scale: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (np.float32(1) / scale).astype(np.float32)


@pytest.mark.parametrize("pow2", [False, True])
@pytest.mark.parametrize("fmt", FLAVOURS)
def test_fp8_tensor(device: Any, fmt: str, pow2: bool) -> None:
    x = (np.random.default_rng(2).standard_normal((70, 300)) * 9).astype(ml_dtypes.bfloat16)
    wide, element = x.astype(np.float32), getattr(tg, f"f8{fmt}").numpy
    scale = fp8_scale(largest(x, (0, 1)), fmt, pow2)
    for run in (lambda k: k, lambda k: k.interpret):
        amax, s = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
        q = np.zeros(x.shape, element)
        run(fp8_largest)(x, amax)
        run(fp8_quantize_tensor)(x, amax, q, s, pow2=pow2)
        assert s == scale
        check_fp8(q, fp8_cast(wide, scale, fmt))


@pytest.mark.parametrize("fmt", FLAVOURS)
def test_fp8_blocks(device: Any, fmt: str) -> None:
    """1 × 128 and 128 × 128; scales stored as reciprocals, the first kind column by column."""
    x = mixed(256, 384, np.dtype("bfloat16"))
    wide, element = x.astype(np.float32), getattr(tg, f"f8{fmt}").numpy
    lines = wide.reshape(256, 3, 128)
    scale = fp8_scale(largest(lines, 2), fmt, False)
    codes = fp8_cast(lines, scale, fmt).reshape(256, 384)
    blocks = wide.reshape(2, 128, 3, 128)
    square = fp8_scale(largest(blocks, (1, 3)), fmt, False)
    squares = fp8_cast(blocks, square, fmt).reshape(256, 384)
    for run in (lambda k: k, lambda k: k.interpret):
        q, s = np.zeros(x.shape, element), columns((256, 3), np.float32)
        run(fp8_quantize_1x128)(x, q, s)
        np.testing.assert_array_equal(s, inverse(scale)[..., 0])
        check_fp8(q, codes)
        back = np.zeros(x.shape, ml_dtypes.bfloat16)
        run(fp8_dequantize_1x128)(q, s, back)
        with np.errstate(all="ignore"):
            exact = codes.view(element).astype(np.float32).reshape(256, 3, 128) * inverse(scale)
        np.testing.assert_array_equal(
            back.astype(np.float32),
            exact.reshape(256, 384).astype(ml_dtypes.bfloat16).astype(np.float32),
        )
        q, s = np.zeros(x.shape, element), columns((2, 3), np.float32)
        run(fp8_quantize_128x128)(x, q, s)
        np.testing.assert_array_equal(s, inverse(square)[:, 0, :, 0])
        check_fp8(q, squares)


@pytest.mark.parametrize("pow2", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("fmt", FLAVOURS)
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
    for kernel in (fp8_quantize_rows, fp8_quantize_rows.interpret):
        q, s = np.zeros(x.shape, element), np.zeros((66, 1), np.float32)
        kernel(x, q, s, pow2=pow2)
        np.testing.assert_array_equal(s[:, 0], scale)
        found, nan = q.view(np.uint8), np.isnan(codes.view(element).astype(np.float32))
        assert ((found == codes) | (nan & np.isnan(q.astype(np.float32)))).all()
