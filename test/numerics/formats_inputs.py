"""Inputs that reach every case of a conversion, and what results of one are compared with."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import sampling
import tegula as tg
from formats_reference import FMT, to_blocked

#: name in the reference → element type
NARROW: dict[str, tg.DType] = {
    "e4m3fn": tg.f8e4m3fn,
    "e5m2": tg.f8e5m2,
    "e4m3fnuz": tg.f8e4m3fnuz,
    "e5m2fnuz": tg.f8e5m2fnuz,
    "e2m3": tg.f6e2m3,
    "e3m2": tg.f6e3m2,
    "e2m1": tg.f4e2m1,
}
#: Those that have a NaN, and so can do without saturating.
WITH_NAN = tuple(name for name, dtype in NARROW.items() if dtype.bits == 8)


def codes(name: str) -> np.ndarray:
    """Every code of a format, as its element type."""
    dtype = NARROW[name]
    return np.arange(1 << dtype.bits, dtype=np.uint8).view(dtype.numpy)


def halves(dtype: tg.DType) -> np.ndarray:
    """All 65,536 values of f16 or bf16."""
    return np.arange(1 << 16, dtype=np.uint16).view(dtype.numpy)


def ties(name: str) -> np.ndarray:
    """f32 at each number of the format, half way to the next, and one bit to either side."""
    values = codes(name).astype(np.float32)
    values = np.unique(np.abs(values[np.isfinite(values)]))
    top = values[-1] * 2 - values[-2]  # where the next number would be
    points = np.concatenate([values, (values[1:] + values[:-1]) / 2, [(values[-1] + top) / 2, top]])
    bits = points.astype(np.float32).view(np.int32)[:, None] + np.array([-1, 0, 1], np.int32)
    found = np.clip(bits, 0, None).view(np.float32).ravel()
    return np.concatenate([found, -found])


SPECIAL = np.array(
    [0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00800001]  # zero, denormals, least normal
    + [0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF],  # Inf, NaNs
    np.uint32,
)


def singles(count: int, seed: int = sampling.SEED) -> np.ndarray:
    """f32: special values and ties of each format, then random bits and random magnitudes."""
    rng = np.random.default_rng(seed)
    near = rng.standard_normal(count // 2) * np.exp2(rng.integers(-20, 18, count // 2))
    special = np.concatenate([SPECIAL, SPECIAL | np.uint32(0x80000000)]).view(np.float32)
    random = rng.integers(0, 1 << 32, count - count // 2, dtype=np.uint32).view(np.float32)
    parts = [special, *(ties(name) for name in NARROW), near.astype(np.float32), random]
    return np.concatenate(parts)


def is_nan(name: str, code: np.ndarray) -> np.ndarray:
    return np.isnan(code.view(NARROW[name].numpy).astype(np.float32))


def check_codes(name: str, x: np.ndarray, found: Any, expected: np.ndarray) -> None:
    """Equal codes, or both NaN; ``x`` is what was converted.

    Without a NaN there are zeros in place of it, whose sign says nothing.
    """
    found = found.view(np.uint8)
    wrong = found != expected
    if name in WITH_NAN:
        wrong &= ~(is_nan(name, found) & is_nan(name, expected))
    else:
        zero = (found | expected) & ((1 << NARROW[name].bits - 1) - 1) == 0
        wrong &= ~(np.isnan(x.astype(np.float32)) & zero)
    at = np.flatnonzero(wrong)
    detail = [(float(x[i]), hex(found[i]), hex(expected[i])) for i in at[:8]]
    assert not at.size, f"{at.size} of {x.size} to {name}: (input, found, expected) {detail}"


def overflowing(x: np.ndarray, name: str) -> np.ndarray:
    """What ``ml_dtypes`` makes of f32: infinity or NaN where the format ends."""
    with np.errstate(all="ignore"):
        return x.astype(NARROW[name].numpy).view(np.uint8)


def towards_zero(x: np.ndarray, name: str, saturate: bool) -> np.ndarray:
    """The code of the largest number that is no further from zero; by search in all codes."""
    E, M, _, _, max_code = FMT[name]
    dtype = NARROW[name]
    table = np.arange(max_code + 1, dtype=np.uint8).view(dtype.numpy).astype(np.float32)
    size = np.abs(x)
    code = np.clip(np.searchsorted(table, size, side="right") - 1, 0, max_code)  # of NaN any
    sign = np.signbit(x).astype(np.int64) << (E + M)
    beyond = float(ml_dtypes.finfo(dtype.numpy).max) < size
    if not saturate:
        infinity = np.array([np.inf], np.float32).astype(dtype.numpy).view(np.uint8)[0]
        code = np.where(beyond & np.isinf(x), infinity, code)
    nan = 0
    if name in WITH_NAN:
        nan = np.array([np.nan], np.float32).astype(dtype.numpy).view(np.uint8)[0]
    unsigned = name.endswith("fnuz") & (code == 0)
    result = np.where(np.isnan(x), nan, np.where(unsigned, 0, code | sign))
    return result.astype(np.uint8)


# --- Orders of scales ------------------------------------------------------------------------


def to_packed(scales: np.ndarray) -> np.ndarray:
    """In the order of a scaled matrix instruction: a dword a lane, a byte for each 16 rows."""
    rows, columns = -(-scales.shape[0] // 64), -(-scales.shape[1] // 4)
    out = np.zeros((rows, columns, 64, 4), np.uint8)
    for (r, c), byte in np.ndenumerate(scales):
        lane = r % 16 + 16 * (c % 4)
        out[r // 64, c // 4, lane, r % 64 // 16] = byte
    return out.ravel()


#: name → (its bytes, rows of a tile)
LAYOUTS = {"blocked_128x4": (to_blocked, 128), "packed_64x4": (to_packed, 64)}


def in_order(scales: np.ndarray, layout: str) -> np.ndarray:
    return LAYOUTS[layout][0](scales)
