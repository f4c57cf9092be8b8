"""Every reduction of every element type along every axis, against NumPy."""

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
    **{"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64},
    "bool": np.bool_,
}
KINDS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")


@tg.kernel(grid=lambda x: (1,))
def reduce_2d(
    x: "M N", out: "A B", *, M: tg.const, N: tg.const, kind: tg.const, axis: tg.const
) -> None:
    t = tg.load(x, (0, 0), (M, N))
    if kind == "sum":
        r = tg.sum(t, axis=axis, keepdims=True)
    if kind == "prod":
        r = tg.prod(t, axis=axis, keepdims=True)
    if kind == "max":
        r = tg.max(t, axis=axis, keepdims=True)
    if kind == "min":
        r = tg.min(t, axis=axis, keepdims=True)
    if kind == "any":
        r = tg.any(t, axis=axis, keepdims=True)
    if kind == "all":
        r = tg.all(t, axis=axis, keepdims=True)
    if kind == "argmax":
        r = tg.argmax(t, axis=axis, keepdims=True)
    if kind == "argmin":
        r = tg.argmin(t, axis=axis, keepdims=True)
    tg.store(out, (0, 0), r)


def values(dtype: str, shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """Values whose sums and products neither overflow nor round much; ties and both signs."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < (0.98 if kind == "all" else 0.02 if kind == "any" else 0.5)
    if kind == "prod":
        few = rng.random(shape) < 0.05
        return np.where(few, rng.choice([2, 3], shape), 1).astype(NUMPY[dtype])
    if kind in ("any", "all"):
        return (rng.random(shape) < (0.02 if kind == "any" else 0.98)).astype(NUMPY[dtype])
    low = 0 if dtype.startswith("u") else -100
    base = rng.integers(low, 101, shape)
    if dtype in INTEGERS and kind != "sum":  # all bits: max and min compare them
        info = np.iinfo(NUMPY[dtype])
        base = rng.integers(info.min, info.max, shape, dtype=NUMPY[dtype], endpoint=True)
    return base.astype(NUMPY[dtype])


def reference(x: np.ndarray, dtype: str, kind: str, axis: int | None) -> np.ndarray:
    if kind in ("any", "all"):
        return np.asarray(getattr(np, kind)(x != 0, axis=axis, keepdims=True))
    if kind in ("argmax", "argmin"):
        wide = x.astype(np.float64) if dtype in FLOATS else x
        return np.asarray(getattr(np, kind)(wide, axis=axis, keepdims=True), np.int32)
    if kind in ("max", "min"):
        if dtype == "bool":
            return np.asarray(getattr(np, kind)(x, axis=axis, keepdims=True))
        return np.asarray(getattr(np, kind)(x, axis=axis, keepdims=True))
    wide = x.astype(np.float64) if dtype in FLOATS else x.astype(np.int64)
    result = np.asarray(getattr(np, kind)(wide, axis=axis, keepdims=True))
    if dtype in ("f16", "bf16"):
        result = result.astype(np.float32)
    with np.errstate(all="ignore"):  # products of f16 may be infinite
        return result.astype(np.int32 if dtype == "bool" else NUMPY[dtype])


def plain(x: np.ndarray) -> np.ndarray:
    """NumPy does not know a NaN of bf16 as one."""
    return x.astype(np.float64) if x.dtype == NUMPY["bf16"] else x


def check(kernel: Any, x: np.ndarray, dtype: str, kind: str, axis: int | None) -> None:
    exact = reference(x, dtype, kind, axis)
    out = np.zeros(exact.shape, exact.dtype)
    kernel(x, out, kind=kind, axis=axis)
    np.testing.assert_array_equal(
        plain(out), plain(exact), err_msg=f"{kind} of {dtype} along {axis} of {x.shape}"
    )


SHAPES = ((1, 300), (64, 64), (7, 33), (128, 3), (256, 16), (1, 5000))
ALL = [
    (dtype, kind, axis, shape)
    for dtype in ("bool", *INTEGERS, *FLOATS)
    for kind in KINDS
    for axis in (0, 1, None)
    for shape in SHAPES
]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_every_kind(device: Any, dtype: str) -> None:
    """Sums of integers in [-100, 100] are exact in every type here but f16 and bf16, which round
    the f32 sum once."""
    cases = [case for case in ALL if case[0] == dtype]
    for number, (_, kind, axis, shape) in enumerate(sampling.sample(cases, 24)):
        check(reduce_2d, values(dtype, shape, kind, number), dtype, kind, axis)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["max", "min", "sum", "argmax", "argmin"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_nan_and_zeros(device: Any, dtype: str, kind: str, axis: int | None) -> None:
    """A NaN wins, the first one where its index is asked for; the lowest index of equals."""
    x = values(dtype, (24, 96), kind, 1)
    x[3, 40] = x[3, 7] = x[9, 40] = np.nan
    x[5] = 0
    x[6] = [-np.inf] * 48 + [np.inf] * 48
    with np.errstate(invalid="ignore"):
        exact = reference(x, dtype, kind, axis)
    out = np.zeros(exact.shape, exact.dtype)
    reduce_2d(x, out, kind=kind, axis=axis)
    np.testing.assert_array_equal(plain(out), plain(exact))


@pytest.mark.parametrize("dtype", ["i8", "u32", "f16", "f64", "bool"])
def test_interpret(dtype: str) -> None:
    for number, (_, kind, axis, shape) in enumerate(
        sampling.sample([case for case in ALL if case[0] == dtype], 12)
    ):
        check(reduce_2d.interpret, values(dtype, shape, kind, number), dtype, kind, axis)


@pytest.mark.parametrize("kind", KINDS)
def test_axes_of_rank_3(device: Any, kind: str) -> None:
    """Tuples of axes, negative ones, and results without the reduced axes."""
    function = getattr(tg, kind)

    @tg.kernel(grid=lambda x: (1,))
    def reduce_3d(x: "A B C", outer: "A B", last: "A B", *, function: tg.const = None) -> None:
        t = tg.load(x, (0, 0, 0), (4, 8, 32))
        if kind_is_index:
            tg.store(outer, (0, 0), function_of(t, -1))
            tg.store(last, (0, 0), function_of(t, 2))
        else:
            tg.store(outer, (0, 0), tg.broadcast_to(function_of(t, (1, 2))[:, None], (4, 8)))
            tg.store(last, (0, 0), function_of(t, -1))

    @tg.function
    def function_of(t: Any, axis: Any) -> Any:
        return function(t, axis=axis)

    kind_is_index = kind.startswith("arg")
    x = values("i32", (4, 8, 32), kind, 2)
    exact = reference(x, "i32", kind, 2)[:, :, 0]
    outer, last = np.zeros((4, 8), exact.dtype), np.zeros((4, 8), exact.dtype)
    reduce_3d(x, outer, last)
    np.testing.assert_array_equal(last, exact)
    if kind_is_index:
        np.testing.assert_array_equal(outer, exact)
    else:
        both = reference(x.reshape(4, 256), "i32", kind, 1)
        np.testing.assert_array_equal(outer, np.broadcast_to(both, (4, 8)))
