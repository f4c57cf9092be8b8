"""Quantizers read their input once where what shares a scale fits a tile, else twice."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
from tegula import kernels, targets

BF16, E4M3, E8M0 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
M, K, E = 256, 512, 2
OFFS = np.array([128, M], np.int32)


def turned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Column by column in the last two axes."""
    return np.zeros((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)


def plain(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


#: kernel → (how often it reads x, the other arguments by name)
CASES: dict[str, tuple[int, dict[str, Any]]] = {
    "mx_quantize_rows": (1, dict(q=plain((M, K), E4M3), s=plain((M, K // 32), E8M0))),
    "mx_quantize_columns": (1, dict(q=turned((M, K), E4M3), s=turned((M // 32, K), E8M0))),
    "mx_quantize_both": (
        1,
        dict(
            q_k=plain((M, K), E4M3),
            s_k=plain((M, K // 32), E8M0),
            q_m=turned((M, K), E4M3),
            s_m=turned((M // 32, K), E8M0),
        ),
    ),
    "mx_quantize_squares": (1, dict(q=turned((M, K), E4M3), s=plain((M // 32, K // 32), E8M0))),
    "mx_quantize_experts": (1, dict(q=turned((E, M, K), E4M3), s=plain((E, M // 32, K), E8M0))),
    "mx_quantize_expert_squares": (
        1,
        dict(q=turned((E, M, K), E4M3), s=plain((E, M // 32, K // 32), E8M0)),
    ),
    "fp8_quantize_rows": (2, dict(q=plain((M, K), E4M3), scale=plain((M, 1)))),
    "fp8_largest": (1, dict(amax=plain((1, 1)))),
    "fp8_quantize_tensor": (
        1,
        dict(amax=plain((1, 1)), q=plain((M, K), E4M3), scale=plain((1, 1))),
    ),
    "fp8_quantize_1x128": (1, dict(q=plain((M, K), E4M3), inverse=turned((M, K // 128), "f4"))),
    "fp8_quantize_128x1": (1, dict(q=turned((M, K), E4M3), inverse=plain((M // 128, K)))),
    "fp8_quantize_128x128": (
        1,
        dict(q=turned((M, K), E4M3), inverse=turned((M // 128, K // 128), "f4")),
    ),
    "fp8_group_columns": (
        2,
        dict(q=turned((M, K), E4M3), scale=plain((2, K)), offs=OFFS),
    ),
    "fp8_group_largest": (1, dict(amax=plain((2, K)), offs=OFFS)),
    "fp8_group_columns_apart": (
        1,
        dict(amax=plain((2, K)), q=turned((M, K), E4M3), scale=plain((2, K)), offs=OFFS),
    ),
    "fp8_expert_columns": (2, dict(q=turned((E, M, K), E4M3), scale=plain((E, K)))),
}


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("name", CASES)
def test_bytes(name: str, target: str) -> None:
    """One launch, and nothing beside the arguments: no copy lies anywhere.

    x and codes by 8 bytes or more, but for groups, which begin at any row. Codes lie side by side
    in the lanes: at least 16 bytes of each segment, wherever arrays begin, are written at once.
    """
    times, others = CASES[name]
    first = next(iter(others.values()))
    x = np.ones((E, M, K) if first.ndim == 3 else (M, K), BF16)
    with tegula.device(f"sim:{target}", threads=1, count_accesses=True) as device:
        device.reset_counters()
        getattr(kernels, name)(x, *others.values())
        [use] = device.usage()
    traffic, least = use.accesses.arguments, 1 if "group" in name else 8
    assert use.launches == 1 and set(traffic) == {"x", *others}
    assert traffic["x"].read.bytes == times * x.nbytes and not traffic["x"].written.bytes
    assert min(traffic["x"].read.lanes) >= least
    for argument, array in others.items():
        if array.dtype == E4M3:
            assert traffic[argument].written.bytes == array.nbytes
            assert not traffic[argument].read.bytes
            assert min(traffic[argument].written.lanes) >= least
            assert traffic[argument].written.segments_64 * 16 <= array.nbytes
