"""Program order inside a body: what one wave has written, another reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tegula as tg

SCHEDULES = {name: {"waves": (1, 4)} for name in ("gfx942", "gfx950")}


@tg.kernel(grid=lambda x: (1,))
def reverse_twice(x: "N", scratch: "N", out: "N", *, N: tg.const):
    """Through memory, each time by other lanes."""
    i = tg.iota((N,), axis=0)
    tg.scatter(scratch, (N - 1 - i,), tg.load(x, (0,), (N,)))
    back = tg.load(scratch, (0,), (N,))
    tg.store(scratch, (0,), back + 1)
    tg.store(out, (0,), tg.gather(scratch, (N - 1 - i,)))


@tg.kernel(grid=lambda x: (1,))
def rotate(x: "N", steps: "S", *, N: tg.const):
    """Every iteration reads what the one before has written elsewhere."""
    i = tg.iota((N,), axis=0)
    for _ in range(steps.shape[0]):
        t = tg.gather(x, ((i + 65) % N,))
        tg.store(x, (0,), t)


@tg.kernel(grid=lambda x: (1,))
def count_then_read(x: "N", bins: "B", out: "B", *, N: tg.const, B: tg.const):
    tg.atomic_add(bins, (tg.load(x, (0,), (N,)),), 1)
    tg.store(out, (0,), tg.load(bins, (0,), (B,)))


@pytest.mark.parametrize("n", [256, 1000])
def test_through_memory(device: Any, n: int) -> None:
    x = np.arange(n, dtype=np.int32)
    scratch, out = np.zeros_like(x), np.zeros_like(x)
    reverse_twice.with_schedule(**SCHEDULES)(x, scratch, out)
    np.testing.assert_array_equal(scratch, x[::-1] + 1)
    np.testing.assert_array_equal(out, x + 1)


def test_across_iterations(device: Any) -> None:
    x = np.arange(512, dtype=np.int32)
    right = np.roll(x, -65 * 5)
    rotate.with_schedule(**SCHEDULES)(x, np.zeros(5, np.int32))
    np.testing.assert_array_equal(x, right)


def test_updates_are_read_back(device: Any) -> None:
    x = (np.arange(1000, dtype=np.int32) * 7) % 64
    bins, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    count_then_read.with_schedule(**SCHEDULES)(x, bins, out)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=64))
