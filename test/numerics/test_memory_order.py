"""Program order inside a body: what one wave has written, another reads."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula.compiler import service

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


@tg.kernel(grid=lambda x: (1,))
def through_another_name(x: "N", out: "N", seen: "N", *, N: tg.const):
    """What `out` wrote, `x` reads where both are one array: by other lanes, of other waves."""
    tg.store(out, (0,), tg.load(x, (0,), (N,)) * 2)
    tg.store(seen, (0,), tg.gather(x, ((tg.iota((N,), 0) + 65) % N,)))


def test_arrays_that_are_one(device: Any) -> None:
    """The same kernel on arrays that are apart, that are one, and that overlap in part."""
    kernel = through_another_name.with_schedule(**SCHEDULES)
    n = 1024
    rolled = (np.arange(n) + 65) % n
    for _ in range(2):  # the second time from memory
        x, out, seen = np.arange(n, dtype=np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
        kernel(x, out, seen)
        np.testing.assert_array_equal(out, 2 * x)
        np.testing.assert_array_equal(seen, rolled)
        kernel(x, x, seen)
        np.testing.assert_array_equal(x, 2 * np.arange(n))
        np.testing.assert_array_equal(seen, 2 * rolled)
    whole = np.arange(n + 64, dtype=np.int32)
    kernel(whole[64:], whole[:n], seen)
    after = np.arange(n + 64)
    after[:n] = 2 * np.arange(64, n + 64)
    np.testing.assert_array_equal(whole, after)
    np.testing.assert_array_equal(seen, after[64:][rolled])


@tg.kernel(grid=lambda x: (1,))
def both(x: "N", y: "N", out: "N", *, N: tg.const):
    tg.store(out, (0,), tg.load(x, (0,), (N,)) + tg.load(y, (0,), (N,)))


def test_arrays_that_are_read_may_be_one(device: Any) -> None:
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    before = service.compiles
    added = both.with_schedule()
    added(x, x, out)
    np.testing.assert_array_equal(out, 2 * x)
    assert service.compiles - before <= 1


def test_no_order_between_arrays_that_are_apart() -> None:
    """Neither fence nor barrier is between a store and a load of another array."""
    x = np.zeros(1024, np.int32)
    for target in SCHEDULES:
        kernel = through_another_name.with_schedule(**SCHEDULES)
        assert "cdna.order" not in kernel.ir("cdna", x, x.copy(), x.copy(), target=target)
        signature = tg.Signature(
            x=tg.array(tg.i32, 1),
            out=tg.array(tg.i32, 1, overlaps="x"),
            seen=tg.array(tg.i32, 1),
            N=1024,
        )
        assert "cdna.order" in kernel.ir("cdna", signature, target=target)


@tg.kernel(grid=lambda a: (1,))
def product_and_sum(a: "M K", b: "K N", c: "M N", total: "M N"):
    """A loop that updates one array while it loads the next tiles of others."""
    acc = tg.zeros((64, 64), tg.f32)
    for k in tg.tiles(a, axis=1, size=64):
        acc = tg.mma(tg.load(a, (0, k), (64, 64)), tg.load(b, (k, 0), (64, 64)), acc)
        tg.atomic_add(total, (0, 0), acc)
    tg.store(c, (0, 0), acc)


def test_loops_that_write_elsewhere_load_ahead(device: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, s).astype(ml_dtypes.bfloat16) for s in ((64, 256), (256, 64)))
    c, total = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    product_and_sum(a, b, c, total)
    parts = [
        a[:, : k + 64].astype(np.float32) @ b[: k + 64].astype(np.float32)
        for k in range(0, 256, 64)
    ]
    np.testing.assert_array_equal(c, parts[-1])
    np.testing.assert_array_equal(total, sum(parts))
    compiled = product_and_sum.compile(a, b, c, total)
    assert "stages = 2" in compiled.manifest["schedule"]
    assert not any("loaded ahead" in r["message"] for r in compiled.remarks)
    alone = tg.Signature(
        a=tg.array(tg.bf16, 2),
        b=tg.array(tg.bf16, 2),
        c=tg.array(tg.f32, 2),
        total=tg.array(tg.f32, 2, overlaps="a"),
    )
    remarks = product_and_sum.compile(alone, target="gfx950").remarks
    assert any("'total', which may be the same memory" in r["message"] for r in remarks)
