"""Scans, reductions by a function, histograms, take, cat, split: any axis, extent, type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import sampling
import tegula as tg

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
NUMPY: dict[str, Any] = {
    **{name: np.dtype(name.replace("i", "int").replace("u", "uint")) for name in INTEGERS},
    **{"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)},
    **{"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "bool": np.dtype(np.bool_)},
}
#: Extents of one tile: odd, 1, beyond one wave, beyond powers of two.
SHAPES = ((1,), (7,), (64,), (1000,), (2880,), (5, 33), (130, 3), (16, 257), (64, 64), (3, 5, 7))
PLACES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]


def cases(count: int, *others: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Every shape and axis with every other choice in a full run; else a sample of them."""
    found: list[tuple[Any, ...]] = [(shape, axis) for shape, axis in PLACES]
    for choices in others:
        found = [(*case, choice) for case in found for choice in choices]
    return sampling.sample(found, count)


def random(shape: tuple[int, ...], dtype: str, seed: object) -> np.ndarray:
    """Small signed numbers: sums are exact in every type, or wrap."""
    rng = np.random.default_rng(sum(map(ord, repr(seed))))
    low = 0 if dtype.startswith("u") or dtype == "bool" else -3
    return rng.integers(low, 2 if dtype == "bool" else 4, shape).astype(NUMPY[dtype])


@tg.function
def last_positive(a, b):
    """Associative, but not commutative."""
    return tg.where(b > 0, b, a)


@tg.function
def combined(t, axis, kind):
    if kind == "cumsum":
        return tg.cumsum(t, axis)
    if kind == "last":
        return tg.scan(t, last_positive, axis)
    if kind == "greatest":
        return tg.scan(t, tg.maximum, axis)
    if kind == "reduce_last":
        return tg.reduce(t, last_positive, 1, axis=axis, keepdims=True)
    return tg.reduce(t, tg.maximum, 2, axis=axis, keepdims=True)


@tg.kernel(grid=lambda x: (1,))
def combine_1(x: "N0", out: "P0", *, N0: tg.const, axis: tg.const, kind: tg.const):
    tg.store(out, (0,), combined(tg.load(x, (0,), (N0,)), axis, kind))


@tg.kernel(grid=lambda x: (1,))
def combine_2(
    x: "N0 N1", out: "P0 P1", *, N0: tg.const, N1: tg.const, axis: tg.const, kind: tg.const
):
    tg.store(out, (0, 0), combined(tg.load(x, (0, 0), (N0, N1)), axis, kind))


@tg.kernel(grid=lambda x: (1,))
def combine_3(
    x: "N0 N1 N2",
    out: "P0 P1 P2",
    *,
    N0: tg.const,
    N1: tg.const,
    N2: tg.const,
    axis: tg.const,
    kind: tg.const,
):
    tg.store(out, (0, 0, 0), combined(tg.load(x, (0, 0, 0), (N0, N1, N2)), axis, kind))


COMBINE = (combine_1, combine_2, combine_3)


def scanned(x: np.ndarray, kind: str, axis: int) -> np.ndarray:
    """NumPy, step by step in the type of the result."""
    if kind == "cumsum":
        dtype = np.dtype(np.int32) if x.dtype == np.bool_ else x.dtype
        wide = np.cumsum(x.astype(np.float64 if x.dtype.kind not in "iub" else np.int64), axis)
        return wide.astype(dtype)
    moved, out = np.moveaxis(x, axis, 0), []
    for row in moved:
        before = out[-1] if out else row
        out.append(
            np.maximum(before, row) if "greatest" in kind else np.where(row > 0, row, before)
        )
    return np.moveaxis(np.stack(out), 0, axis).astype(x.dtype)


def check(kernel: Any, inputs: list[np.ndarray], right: np.ndarray, **constants: Any) -> None:
    """Device and interpreter against NumPy."""
    out, interpreted = np.zeros_like(right), np.zeros_like(right)
    kernel(*inputs, out, **constants)
    kernel.interpret(*inputs, interpreted, **constants)
    np.testing.assert_array_equal(out, right)
    np.testing.assert_array_equal(interpreted, right)


@pytest.mark.parametrize(
    ("shape", "axis", "kind", "dtype"),
    cases(40, ("cumsum", "last", "greatest"), (*INTEGERS, *FLOATS)),
)
def test_scans(device: Any, shape: tuple[int, ...], axis: int, kind: str, dtype: str) -> None:
    x = random(shape, dtype, (shape, axis, kind, dtype))
    kernel = COMBINE[len(shape) - 1]
    check(kernel, [x], scanned(x, kind, axis), axis=axis, kind=kind)


def test_a_sum_of_bool_counts(device: Any) -> None:
    x = random((5, 33), "bool", 0)
    check(combine_2, [x], scanned(x, "cumsum", 1), axis=1, kind="cumsum")


def test_sums_of_halves_round_once(device: Any) -> None:
    x = np.full((1, 1000), 0.1, np.float16)
    exact = np.cumsum(x.astype(np.float64), 1)
    out = np.zeros_like(x)
    combine_2(x, out, axis=1, kind="cumsum")
    assert (np.abs(out.astype(np.float64) - exact) <= np.spacing(exact.astype(np.float16))).all()


@pytest.mark.parametrize(
    ("shape", "axis", "kind", "dtype"),
    cases(24, ("reduce_last", "reduce_greatest"), ("i8", "i32", "u16", "i64", "f16", "f32", "f64")),
)
def test_reductions(device: Any, shape: tuple[int, ...], axis: int, kind: str, dtype: str) -> None:
    x = random(shape, dtype, (shape, axis, kind, dtype))
    last = np.take(scanned(x, kind, axis), [-1], axis)
    start = np.asarray(2 if kind == "reduce_greatest" else 1, x.dtype)
    right = (
        np.maximum(start, last) if kind == "reduce_greatest" else np.where(last > 0, last, start)
    )
    check(COMBINE[len(shape) - 1], [x], right.astype(x.dtype), axis=axis, kind=kind)


@pytest.mark.parametrize("waves", [1, 2, 4, 8])
def test_any_number_of_waves(device: Any, waves: int) -> None:
    scheduled = {name: {"waves": (1, waves)} for name in ("gfx942", "gfx950")}
    x = random((6, 300), "i32", waves)
    for axis in (0, 1):
        right = scanned(x, "last", axis)
        check(combine_2.with_schedule(**scheduled), [x], right, axis=axis, kind="last")


# --- Histograms ------------------------------------------------------------------------------


@tg.kernel(grid=lambda x: (1,))
def count(x: "M N", keep: "M N", out: "BINS", *, M: tg.const, N: tg.const, BINS: tg.const):
    t = tg.load(x, (0, 0), (M, N))
    tg.store(out, (0,), tg.histogram(t, BINS, where=tg.load(keep, (0, 0), (M, N))))


@pytest.mark.parametrize("dtype", ["i32", "u8", "i64", "u32", "i16"])
@pytest.mark.parametrize(("shape", "bins"), [((1, 7), 3), ((16, 257), 256), ((3, 50), 4096)])
def test_histograms(device: Any, dtype: str, shape: tuple[int, int], bins: int) -> None:
    rng = np.random.default_rng(bins)
    info = np.iinfo(NUMPY[dtype])
    x = rng.integers(max(info.min, -3), min(info.max, bins + 3), shape).astype(NUMPY[dtype])
    if dtype in ("i64", "u32"):
        x.reshape(-1)[::5] = info.max  # its lower bits are no bin
    keep = rng.random(shape) < 0.7
    inside = keep & (x >= 0) & (x < bins)
    right = np.bincount(x[inside].astype(np.int64), minlength=bins).astype(np.int32)
    check(count, [x, keep], right)


# --- Take, cat, split ------------------------------------------------------------------------


@tg.kernel(grid=lambda x: (1,))
def take_2(
    x: "M N",
    places: "P Q",
    out: "A B",
    *,
    M: tg.const,
    N: tg.const,
    P: tg.const,
    Q: tg.const,
    axis: tg.const,
):
    tg.store(
        out, (0, 0), tg.take(tg.load(x, (0, 0), (M, N)), tg.load(places, (0, 0), (P, Q)), axis)
    )


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8", "f64", "bool"])
@pytest.mark.parametrize(
    ("shape", "picked", "axis"),
    [((5, 33), (5, 8), 1), ((130, 3), (7, 3), 0), ((16, 257), (16, 300), 1), ((9, 5), (1, 3), 1)],
)
def test_take(
    device: Any, dtype: str, shape: tuple[int, int], picked: tuple[int, int], axis: int
) -> None:
    rng = np.random.default_rng(axis)
    x = random(shape, dtype, shape)
    places = rng.integers(0, shape[axis], picked).astype(np.int32)
    right = np.take_along_axis(
        x, np.broadcast_to(places, (*shape[:1], picked[1])) if axis else places, axis
    )
    check(take_2, [x, places], right, axis=axis)


@tg.kernel(grid=lambda x: (1,))
def rejoin(
    x: "M N",
    y: "P Q",
    out: "A B",
    *,
    M: tg.const,
    N: tg.const,
    P: tg.const,
    Q: tg.const,
    axis: tg.const,
    sizes: tg.const,
):
    first, second, third = tg.split(tg.load(x, (0, 0), (M, N)), sizes, axis)
    other = tg.load(y, (0, 0), (P, Q))
    tg.store(out, (0, 0), tg.cat((third, other, first, second), axis))


@pytest.mark.parametrize("dtype", ["f32", "f16", "u8", "i64", "bool"])
@pytest.mark.parametrize(
    ("shape", "other", "axis", "sizes"),
    [
        ((5, 33), (5, 8), 1, (1, 30, 2)),
        ((129, 3), (7, 3), 0, 3),
        ((16, 256), (16, 1), 1, (64, 64, 128)),
    ],
)
def test_cat_and_split(
    device: Any, dtype: str, shape: tuple[int, int], other: tuple[int, int], axis: int, sizes: Any
) -> None:
    x, y = random(shape, dtype, 1), random(other, dtype, 2)
    ends = np.cumsum(sizes)[:-1] if isinstance(sizes, tuple) else sizes
    first, second, third = np.split(x, ends, axis)
    right = np.concatenate([third, y, first, second], axis)
    check(rejoin, [x, y], right, axis=axis, sizes=sizes)


# --- Making tiles ----------------------------------------------------------------------------


@tg.kernel(grid=lambda out: (1,))
def made(out: "A B C", *, A: tg.const, B: tg.const, C: tg.const, axis: tg.const):
    counted = tg.iota((A, B, C), axis) + tg.zeros((A, B, C), tg.i32)
    tg.store(out, (0, 0, 0), counted * tg.full((A, B, C), 3, tg.i32))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (2, 130, 1)])
def test_iota_full_zeros(device: Any, shape: tuple[int, int, int], axis: int) -> None:
    right = (3 * np.indices(shape)[axis]).astype(np.int32)
    check(made, [], right, axis=axis)
