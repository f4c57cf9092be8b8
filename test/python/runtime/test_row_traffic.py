"""Kernels over rows read each input once where a row is one tile, twice where it is longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula
from tegula.kernels import (
    add_rms_norm,
    layer_norm,
    log_softmax,
    norm_backward,
    norm_sums,
    rms_norm,
    rms_norm_quantize,
    silu_mul,
    silu_mul_backward,
    softmax,
    softmax_backward,
)
from tegula.kernels.rows import CHUNK

BF16 = ml_dtypes.bfloat16
ROWS = 2


def arrays(length: int, count: int) -> list[np.ndarray]:
    return [np.ones((ROWS, length), BF16) for _ in range(count)]


def statistic() -> np.ndarray:
    return np.ones((ROWS, 1), np.float32)


def backward(length: int) -> Any:
    dy, x, dx = arrays(length, 3)
    part, w = np.ones((1, length), np.float32), np.ones(length, BF16)
    return norm_backward, (dy, x, statistic(), dx, part, w), dict(BN=length), ("dy", "x"), "dx"


def long_backward(length: int) -> Any:
    kernel, given, _, read, written = backward(length)
    given = (*given, None, None, None, np.ones((ROWS, 2), np.float32))
    return kernel, given, dict(BN=CHUNK), read, written


def quantized(length: int) -> Any:
    x, residual, total = arrays(length, 3)
    w, q = np.ones(length, BF16), np.ones((ROWS, length), np.int8)
    given = (x, w, q, statistic(), 1e-5, residual, total)
    return rms_norm_quantize, given, {}, ("x", "residual"), "total"


def sums(length: int) -> Any:
    dy, x = arrays(length, 2)
    given = (dy, x, statistic(), np.ones((ROWS, 2), np.float32), np.ones(length, BF16))
    return norm_sums, given, {}, ("dy", "x"), None


def simple(kernel: Any, inputs: tuple[str, ...], output: str) -> Callable[[int], Any]:
    """Of a kernel that takes inputs and then an output."""

    def make(length: int) -> Any:
        return kernel, arrays(length, len(inputs) + 1), {}, inputs, output

    return make


def norm(length: int) -> Any:
    x, residual, out, total = arrays(length, 4)
    given = (x, residual, np.ones(length, BF16), out, total, statistic(), 1e-5)
    return add_rms_norm, given, {}, ("x", "residual"), "out"


def plain_norm(length: int) -> Any:
    x, out = arrays(length, 2)
    return rms_norm, (x, np.ones(length, BF16), out, statistic(), 1e-5), {}, ("x",), "out"


def layer(length: int) -> Any:
    x, out = arrays(length, 2)
    weights = np.ones(length, BF16), np.zeros(length, BF16)
    return layer_norm, (x, out, statistic(), statistic(), 1e-5, *weights), {}, ("x",), "out"


#: name → (arguments of a length, lengths read once, lengths read twice)
CASES: dict[str, tuple[Callable[[int], Any], tuple[int, ...], tuple[int, ...]]] = {
    "rms_norm": (plain_norm, (576, 2880, 32_768), (32_776,)),
    "add_rms_norm": (norm, (576, 2880, 32_768), (32_776,)),
    "layer_norm": (layer, (2880, 32_768), (32_776,)),
    "softmax": (simple(softmax, ("x",), "out"), (2880, 32_768), (32_776,)),
    "log_softmax": (simple(log_softmax, ("x",), "out"), (2880, 16_384), (16_392,)),
    "softmax_backward": (
        simple(softmax_backward, ("dy", "y"), "dx"),
        (2880, 32_768),
        (32_776,),
    ),
    "norm_backward": (backward, (2880, 16_384), ()),
    "norm_backward of long rows": (long_backward, (32_776,), ()),
    "norm_sums": (sums, (2880, 32_776), ()),
    "rms_norm_quantize": (quantized, (2880, 32_768), ()),
    "silu_mul": (simple(silu_mul, ("a",), "out"), (2880, 32_776), ()),
    "silu_mul_backward": (simple(silu_mul_backward, ("dy", "a"), "da"), (2880, 32_776), ()),
}


@pytest.mark.parametrize(
    ("make", "length", "times"),
    [
        pytest.param(make, length, times, id=f"{name}-{length}")
        for name, (make, once, twice) in CASES.items()
        for times, lengths in ((1, once), (2, twice))
        for length in lengths
    ],
)
def test_bytes(make: Callable[[int], Any], length: int, times: int) -> None:
    kernel, given, constants, inputs, output = make(length)
    with tegula.device("sim:gfx950", threads=1, count_accesses=True) as device:
        device.reset_counters()
        kernel(*given, **constants)
        [use] = device.usage()
    traffic, size = use.accesses.arguments, ROWS * length * np.dtype(BF16).itemsize
    for name in inputs:
        assert traffic[name].read.bytes == times * size, name
        assert set(traffic[name].read.lanes) <= {8, 16}, name
    if output is not None:
        assert traffic[output].written.bytes == size and traffic[output].read.bytes == 0
