"""Softmax and log-softmax of what isn't ordinary; how accurate they are is in docs/accuracy.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula
from tegula.kernels import log_softmax, softmax

INF = np.inf
ROWS = {
    "one -inf": [-INF, 0.0, 1.0],
    "large": [3e38, -3e38, 3e38],
    "overflow": [80.0, -80.0, 79.0],
    "all -inf": [-INF, -INF, -INF],
    "late": [2.0, 1.0, -INF],
    "+inf": [INF, 1.0, -INF],
    "nan": [np.nan, 1.0, 2.0],
    "ties": [2.0, 2.0, 2.0],
}
#: The same, put at the ends of rows of -inf that are walked over in several tiles.
LENGTHS = (3, 40_000)


def oracle(wide: np.ndarray, log: bool) -> Any:
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        below = wide - wide.max(axis=1, keepdims=True)
        total = np.exp(below).sum(axis=1, keepdims=True)
        return (below - np.log(total) if log else np.exp(below) / total).astype(np.float32)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
def test_special_values(device: tegula.runtime.Device, length: int, log: bool) -> None:
    x = np.full((len(ROWS), length), -INF, np.float32)
    x[:, -2:] = np.array(list(ROWS.values()), np.float32)[:, :2]
    x[:, 0] = np.array(list(ROWS.values()), np.float32)[:, 2]
    kernel, found = (log_softmax if log else softmax), np.zeros_like(x)
    kernel(x, found)
    exact = oracle(x.astype(np.float64), log)
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-37)
    kernel.interpret(x[:, -3:], found[:, -3:])
    again = oracle(x[:, -3:].astype(np.float64), log)
    np.testing.assert_allclose(found[:, -3:], again, rtol=1e-5, atol=1e-37)


def test_a_confident_logarithm_keeps_its_digits(device: tegula.runtime.Device) -> None:
    """log(1 + rest) of a rest far below one unit of 1."""
    for gap in (5.0, 17.0, 30.0, 80.0):
        x, found = np.array([[0.0, -gap, -gap]], np.float32), np.zeros((1, 3), np.float32)
        log_softmax(x, found)
        np.testing.assert_allclose(found[0, 0], -np.log1p(2 * np.exp(-gap)), rtol=1e-6)
