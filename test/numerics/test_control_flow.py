"""Loops, exits and branches that a run-time value decides: the device runs what Python runs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import tegula as tg

SIZE = 24


@tg.function
def pick(c: Any, a: Any, b: Any) -> Any:
    if c > 1:
        return a, c
    return b, c + 1


@tg.function
def first_above(x: Any, limit: Any, count: Any) -> Any:
    """Leaves its loop early, and again from outside."""
    found = -1
    for i in range(count):
        if tg.scalar(x, i, 0) > limit:
            found = i
            break
    return found


@tg.function
def store_unless(x: Any, out: Any, n: Any, m: Any) -> None:
    for i in range(n):
        if i == m:
            return
        tg.store(out, (i, 0), tg.load(x, (i, 0), (1, SIZE)))
    tg.store(out, (n, 0), tg.full((1, SIZE), 7.0, tg.f32))


# Each takes x (SIZE x SIZE, small integers), out (zeros), and two scalars.


@tg.kernel(grid=lambda x: (1,))
def counting(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    i, t = 0, tg.zeros((1, SIZE), tg.f32)
    while i * i < n and i < SIZE:
        t = t + tg.load(x, (i, 0), (1, SIZE))
        i += 1
    tg.store(out, (0, 0), t + i)


@tg.kernel(grid=lambda x: (1,))
def nested_exits(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    i, t = 0, tg.zeros((1, SIZE), tg.f32)
    while True:
        i += 1
        if i == 3:
            continue
        for j in range(SIZE):
            if j > i:
                break
            if j == m:
                continue
            t = t + tg.load(x, (j, 0), (1, SIZE))
        if i > n:
            break
    tg.store(out, (0, 0), t)


@tg.kernel(grid=lambda x: (1,))
def falling(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    t = tg.zeros((1, SIZE), tg.f32)
    for i in range(SIZE - 1, n, -3):
        t = t * 2 + tg.load(x, (i, 0), (1, SIZE))
        if i < m:
            t = -t
            break
    tg.store(out, (0, 0), t)


@tg.kernel(grid=lambda x: (1,))
def any_step(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    step = m if m != 0 else 7
    t = tg.zeros((1, SIZE), tg.f32)
    for i in range(n, SIZE, step):
        t = t * 2 + tg.load(x, (i, 0), (1, SIZE))
    for i in range(SIZE - 1, n, -step):
        if i == 2 * m:
            continue
        t = t + tg.load(x, (i, 0), (1, SIZE)) * i
    tg.store(out, (0, 0), t)


@tg.kernel(grid=lambda x: (1,))
def returns_in_a_loop(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    t = tg.load(x, (0, 0), (1, SIZE))
    for i in range(n):
        for j in range(n):
            if i + j == m:
                tg.store(out, (0, 0), t + i)
                return
            t = t + 1
        tg.store(out, (i + 1, 0), t)
    tg.store(out, (0, 0), -t)


@tg.kernel(grid=lambda x: (1,))
def returns_before_loops(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    if n > 3:
        if m > 3:
            return
        tg.store(out, (1, 0), tg.load(x, (1, 0), (1, SIZE)))
    for k in (1, 2, 3):
        if k == n:
            continue
        if k == m:
            break
        tg.store(out, (k, 0), tg.load(x, (k, 0), (1, SIZE)) + k)
    tg.store(out, (0, 0), tg.load(x, (0, 0), (1, SIZE)))


@tg.kernel(grid=lambda x: (1,))
def helpers(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    t = tg.load(x, (0, 0), (1, SIZE))
    a, c = pick(n, t, t * 2)
    row = first_above(x, m, SIZE)
    store_unless(x, out, tg.minimum(tg.maximum(n, 0), SIZE - 2), m)
    tg.store(out, (SIZE - 1, 0), a * c + row)


@tg.kernel(grid=lambda x: (1,))
def conditions(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    # What stands to the right of an `and` may lie outside the array unless the left side holds.
    inside = 0 <= n < SIZE and tg.scalar(x, n, 0) >= 0
    near = not inside or 0 < m <= 3
    value = tg.scalar(x, n, n) if 0 <= n < SIZE else 5.0
    t = tg.load(x, (0, 0), (1, SIZE)) if near else tg.zeros((1, SIZE), tg.f32) + value
    if near and m > 0 or n > 100:
        t = t + 1
    elif n < 0:
        t = t - value
    tg.store(out, (0, 0), t + (1 if inside else 0))


@tg.kernel(grid=lambda x: (1,))
def joined_tuples(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    t = tg.load(x, (0, 0), (1, SIZE))
    if n > m:
        pair = (t, 2 * n)
    else:
        pair = (t * 3, m)
    tg.store(out, (0, 0), pair[0] + pair[1])


@tg.kernel(grid=lambda x: (1,))
def reducing(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    """Reductions across waves stand in LDS inside a loop without a count."""
    i, t = 0, tg.load(x, (0, 0), (SIZE, SIZE))
    while i < n:
        t = t - tg.max(t, axis=1, keepdims=True) + tg.min(t, axis=0, keepdims=True)
        if i == m:
            break
        i += 1
    tg.store(out, (0, 0), t)


@tg.kernel(grid=lambda x: (1,))
def products(x: "M N", out: "M N", n: tg.i32, m: tg.i32, *, B: tg.const = 16) -> None:
    """A loop over products inside a loop without a count, and one that may be left."""
    acc, i = tg.zeros((32, 32), tg.f32), 0
    while i < n:
        for k in tg.tiles(x, axis=1, size=B):
            acc = tg.mma(tg.load(x, (0, k), (32, B)), tg.load(x, (k, 0), (B, 32)), acc)
        i += 2
    for k in tg.tiles(x, axis=1, size=B):
        if k == m:
            break
        acc = tg.mma(tg.load(x, (0, k), (32, B)), tg.load(x, (k, 0), (B, 32)), acc)
    tg.store(out, (0, 0), acc)


KERNELS = [
    counting,
    nested_exits,
    falling,
    any_step,
    returns_in_a_loop,
    returns_before_loops,
    helpers,
    conditions,
    joined_tuples,
    reducing,
    products,
]
SCALARS = [*itertools.product([-1, 0, 1, 2, 4], [-1, 0, 1, 2, 5]), (30, 3), (101, 0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.function.__name__)
@pytest.mark.parametrize("waves", [1, 4])
def test_control_flow(device: Any, kernel: Any, waves: int) -> None:
    shape = (2, waves // 2) if kernel is products and waves > 1 else (1, waves)
    scheduled = kernel.with_schedule(**{device.target: {"waves": shape}})
    x = np.random.default_rng(1).integers(-2, 3, (SIZE, SIZE)).astype(np.float32)
    x = x.astype(np.float16) if kernel is products else x
    seen = set()
    for n, m in SCALARS:
        expected = np.zeros((SIZE, SIZE), np.float32)
        out = expected.copy()
        kernel.interpret(x, expected, n, m)
        scheduled(x, out, n, m)
        np.testing.assert_array_equal(out, expected, f"n = {n}, m = {m}")
        seen.add(expected.tobytes())
    assert len(seen) >= 3, "the scalars must decide something"
