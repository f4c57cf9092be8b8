"""Cases of norms and gates that give out codes: the same bytes as when a quantizer follows them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import tegula as tg
from accuracy import Family
from formats_reference import fp8_cast, fp8_scale, mx_quantize
from oracle import Placed, random
from tegula.kernels import add_rms_norm, rms_norm_quantize, silu_mul, silu_mul_quantize
from tegula.kernels.rows import TILE

EPS = 1e-5
FORMATS = {
    "e4m3fn": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "int8": np.int8,
}
MODES = ("floor", "even", "rceil")
#: How a row is quantized: its format, and a mode of ``tg.quantize`` or whether pow2.
VARIANTS = [
    "bf16 to int8",
    "f32 to int8",
    "bf16 to e4m3fn",
    "f16 to e4m3fnuz pow2",
    "f32 to e5m2 pow2",
    "bf16 to e4m3fn rceil",
    "f16 to e5m2 floor",
    "bf16 to e2m1 even",
]
SIZES = [
    (1, 32, "rows"),
    (3, 2880, "rows"),
    (130, 512, "rows"),
    (5, 4096, "apart"),
    (2, 32_768, "rows"),
    (0, 64, "rows"),
    (70, 160, "columns"),
    (4, 7168, "reversed"),
]


def codes_of(y: np.ndarray, scale: np.ndarray, fmt: str) -> np.ndarray:
    """Codes of rows that are multiplied by their scales, as bytes or integers."""
    if fmt == "int8":
        return np.clip(np.rint(y.astype(np.float32) * scale), -128, 127).astype(np.int8)
    found: np.ndarray = fp8_cast(y.astype(np.float32), scale, fmt)
    return found


def reference(y: np.ndarray, fmt: str, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Scales and codes of rows."""
    if how in MODES:
        scales, codes = mx_quantize(y.astype(np.float32), fmt, how)
        return scales, codes
    top = np.abs(y.astype(np.float32)).max(axis=1, keepdims=True)
    if fmt == "int8":
        scale = (127 / np.maximum(top.astype(np.float64), 1e-12)).astype(np.float32)
    else:
        scale = fp8_scale(top, fmt, how == "pow2")
    return scale, codes_of(y, scale, fmt)


def wrong_by_rows(y: np.ndarray, q: np.ndarray, scale: np.ndarray, fmt: str, how: str) -> int:
    """Codes and scales of rows of f32 that no y within 4 ulp gives.

    The two kernels may add squares in another order, which rounding to 16 bits hides.
    """
    close = np.abs(scale / reference(y, fmt, how)[0] - 1) <= 2**-21
    near = [codes_of(y * (1 + e), scale, fmt) for e in (-(2.0**-21), 0, 2.0**-21)]
    right = np.any([q.view(np.uint8) == codes.view(np.uint8) for codes in near], axis=0)
    return int((~close).sum() + (~right).sum())


def quantized(name: str, variant: str, size: tuple[int, int, str]) -> float:
    """How many codes and scales differ."""
    rows, length, layout = size
    dtype, _, fmt, how = (*variant.split(), "")[:4]
    rng = np.random.default_rng(length * 1000 + rows)
    x, z = (Placed(random(rng, (rows, length), dtype), dtype, layout) for _ in range(2))
    w, y = Placed(random(rng, (length,), dtype), dtype), Placed((rows, length), dtype)
    x.array[:1, :] = 0  # one row of zeros
    z.array[:1, :] = 0
    blocks = how in MODES
    pairs = fmt == "e2m1"
    q = np.full((rows, length // 2 if pairs else length), 0x25, np.uint8)
    given = tg.packed(q) if pairs else q.view(FORMATS[fmt])
    shape = (rows, length // 32 if blocks else 1)
    scale = np.zeros(shape, ml_dtypes.float8_e8m0fnu if blocks else np.float32)
    constants: dict[str, Any] = dict(mode=how if blocks else None, pow2=how == "pow2")
    if name == "rms_norm":
        rstd, total = np.zeros((rows, 1), np.float32), Placed((rows, length), dtype, layout)
        shared = max(1, TILE // length)  # so that sums have the same order
        add_rms_norm(x.array, z.array, w.array, y.array, total.array, rstd, EPS, BM=shared)
        total.array[...] = 0
        more = (z.array, total.array)
        rms_norm_quantize(x.array, w.array, given, scale, EPS, *more, **constants)
        assert total.intact() and np.array_equal(total.array, x.array + z.array)
    else:
        silu_mul(x.array, y.array, z.array)
        silu_mul_quantize(x.array, z.array, given, scale, **constants)
    assert all(buffer.intact() for buffer in (x, z, w, y))
    if not rows:
        return 0.0
    if dtype == "f32":
        return float(wrong_by_rows(y.array, q, scale, fmt, how))
    scales, codes = reference(y.array, fmt, how)
    if pairs:
        codes = codes[:, ::2] | codes[:, 1::2] << 4
    kind = np.uint8 if blocks else np.uint32
    wrong = (scale.view(kind) != np.ascontiguousarray(scales).view(kind)).sum()
    return float(wrong + (q.view(np.uint8) != codes.view(np.uint8)).sum())


def _none(_: str) -> float:
    return 0


def _family(name: str) -> Family:
    def measure(variant: str, size: Any) -> float:
        return quantized(name, variant, size)

    return Family(f"{name} quantize", VARIANTS, SIZES, measure, _none, "codes that differ", 2)


FAMILIES: list[Any] = [_family("rms_norm"), _family("silu_mul")]
