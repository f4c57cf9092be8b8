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


@tg.kernel(grid=lambda x: (1,))
def in_memory(x: "M N", out: "M N", n: tg.i32, m: tg.i32) -> None:
    """Loops that carry nothing: what they change lies in memory, or nowhere."""
    while tg.scalar(out, 0, 0) < n:
        tg.store(out, (0, 0), tg.load(out, (0, 0), (1, SIZE)) + 2.0)
    while tg.scalar(out, 0, 0) < 0:
        pass
    for _ in range(m):
        pass


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
    in_memory,
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


@tg.kernel(grid=lambda out: (out.shape[0],))
def written_out(out: "N"):
    """Loops that are written out, below branches of run-time values and inside of loops."""
    i = tg.program_id(0)
    t = tg.zeros((1,), tg.f32)
    if i == 1:
        for a in (1, 2, 3):
            if i > 5:
                break
            t = t + a
    for b in range(3):
        for a in tg.unroll(range(3)):
            if b == a:
                break
            t = t + 10
        if b == 1:
            break
    if i == 2:
        return
    for a in tg.unroll(range(4)):
        for b in tg.unroll(range(2)):
            if a == 2:
                break
            if i == b:
                if a == 1:
                    return
                for c in (1, 2):
                    t = t + c
                    if i == 0:
                        break
        if i == 3:
            continue
        t = t + 100
    tg.store(out, (i,), t)


def test_loops_that_are_written_out(device: tg.Device) -> None:
    """The first of them below a branch was an IndexError of the front end."""
    out, told = np.full(6, -1, np.float32), np.full(6, -1, np.float32)
    written_out(out)
    written_out.interpret(told)
    assert np.array_equal(out, told) and told.tolist() == [-1, -1, -1, 10, 410, 410]


#: The numbers of each lie further apart than i32 says, or end where one more step would wrap.
LIMITS = (-(2**31), 2**31 - 1)
WIDE_RANGES = [
    (LIMITS[0], LIMITS[1], LIMITS[1]),
    (LIMITS[1], LIMITS[0], LIMITS[0]),
    (LIMITS[1], LIMITS[0], -(2**30)),
    (-5, LIMITS[1], 2**30),
    (LIMITS[1] - 4, LIMITS[1], 3),
    (LIMITS[0] + 3, LIMITS[0], -2),
    (7, 7, -1),
    (7, 8, -1),
    (8, 7, 1),
]


@tg.kernel(grid=lambda bounds: (1,))
def run_time_range(bounds: "3", out: "2"):
    count, total = 0, 0
    for i in range(tg.scalar(bounds, 0), tg.scalar(bounds, 1), tg.scalar(bounds, 2)):
        count += 1
        total += i
    tg.store(out, (0,), tg.full((1,), count, tg.i32))
    tg.store(out, (1,), tg.full((1,), total, tg.i32))


@tg.kernel(grid=lambda out: (1,))
def constant_step(
    out: "2", start: tg.i32, *, stop: tg.const = LIMITS[1], step: tg.const = 2**30
) -> None:
    count, total = 0, 0
    for i in range(start, stop, step):
        count += 1
        total += i
    tg.store(out, (0,), tg.full((1,), count, tg.i32))
    tg.store(out, (1,), tg.full((1,), total, tg.i32))


@pytest.mark.parametrize("bounds", WIDE_RANGES, ids=str)
def test_ranges_over_all_of_i32(device: tg.Device, bounds: tuple[int, int, int]) -> None:
    walked = range(*bounds)
    right = [len(walked), (sum(walked) + 2**31) % 2**32 - 2**31]
    out = np.zeros(2, np.int32)
    run_time_range(np.array(bounds, np.int32), out)
    assert out.tolist() == right
    out[:] = 0
    constant_step(out, bounds[0], stop=bounds[1], step=bounds[2])
    assert out.tolist() == right


@tg.kernel(grid=lambda x: (1,))
def from_the_end(x: "A B C", out: "A") -> None:
    tg.store(out, (0,), tg.load(x.T[-2, :, :][-1], (0,), (5,)))


def test_a_constant_index_counts_from_the_end(device: tg.Device) -> None:
    """Of an extent that is not known when compiling; only known ones were taken."""
    x = np.arange(5 * 4 * 6, dtype=np.float32).reshape(5, 4, 6)
    for call in (from_the_end, from_the_end.interpret):
        out = np.zeros(5, np.float32)
        call(x, out)
        assert np.array_equal(out, x[:, -1, -2])
