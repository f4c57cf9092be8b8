"""Row kernels read a row once where it fits a tile, and twice where it is longer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tegula
from tegula.kernels import add_rms_norm, norm_backward, norm_sums, rms_norm

ROWS, EPS = 2, 1e-5


def array(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float16)


def column(width: int = 1) -> np.ndarray:
    return np.ones((ROWS, width), np.float32)


def norm(x: np.ndarray, w: np.ndarray) -> None:
    rms_norm(x, w, np.empty_like(x), column(), EPS)


def add_norm(x: np.ndarray, w: np.ndarray) -> None:
    add_rms_norm(x, array(*x.shape), w, np.empty_like(x), np.empty_like(x), column(), EPS)


def sums(x: np.ndarray, w: np.ndarray) -> None:
    norm_sums(array(*x.shape), x, column(), column(2), w)


def gradient(x: np.ndarray, w: np.ndarray) -> None:
    parts = np.empty((1, w.size), np.float32)
    norm_backward(array(*x.shape), x, column(), np.empty_like(x), parts, w, BN=w.size)


def reads(run: Callable[[np.ndarray, np.ndarray], None], length: int) -> dict[str, float]:
    """How often each byte of the arrays over rows was read."""
    x, w = array(ROWS, length), array(length)
    with tegula.device("sim:gfx950", threads=1, count_accesses=True) as device:
        device.reset_counters()
        run(x, w)
    [use] = device.usage()
    traffic = use.accesses.arguments
    return {n: traffic[n].read.bytes / x.nbytes for n in ("x", "residual", "dy") if n in traffic}


@pytest.mark.parametrize("length", [576, 2880, 32_768, 32_776])
@pytest.mark.parametrize("run, inputs", [(norm, {"x"}), (add_norm, {"x", "residual"})])
def test_norms(
    run: Callable[[np.ndarray, np.ndarray], None], inputs: set[str], length: int
) -> None:
    assert reads(run, length) == dict.fromkeys(inputs, 1 if length <= 32_768 else 2)


@pytest.mark.parametrize("run, length", [(gradient, 2880), (gradient, 16_384), (sums, 16_392)])
def test_gradients(run: Callable[[np.ndarray, np.ndarray], None], length: int) -> None:
    assert reads(run, length) == {"x": 1, "dy": 1}
