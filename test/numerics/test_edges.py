"""Tiles that leave their view, and arrays in unusual memory: the device and NumPy agree."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tegula as tg
from tegula.kernels import gemm

DTYPES = [np.float32, ml_dtypes.bfloat16, np.int8]


@tg.kernel(grid=lambda out, BM, BN: (tg.cdiv(out.shape[0], BM), tg.cdiv(out.shape[1], BN)))
def move(
    x: "R N",
    out: "R2 N2",
    down: tg.i32,
    right: tg.i32,
    *,
    BM: tg.const = 16,
    BN: tg.const = 64,
    pad: tg.const = 0,
) -> None:
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(out, (i, j), tg.load(x, (i - down, j - right), (BM, BN), pad=pad))


@tg.kernel(grid=lambda x, BM, BN: (tg.cdiv(x.shape[0], BM), tg.cdiv(x.shape[1], BN)))
def scatter(
    x: "R N",
    out: "R2 N2",
    down: tg.i32,
    *,
    BM: tg.const = 16,
    BN: tg.const = 64,
) -> None:
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(out, (i - down, j), tg.load(x, (i, j), (BM, BN)))


@tg.kernel(grid=lambda x: (1,))
def columns(
    x: "R N",
    out: "R N2",
    lo: tg.i32,
    *,
    first: tg.const = None,
) -> None:
    part = x[:, lo : lo + 40] if first is None else x[:, first : first + 40]
    tg.store(out[:, 3:], (0, 0), tg.load(part, (0, 0), (16, 64)))


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(1, 100, shape).astype(dtype)


def check_as_interpreted(
    kernel: Any, x: np.ndarray, out: np.ndarray, *rest: Any, **kw: Any
) -> None:
    expected = out.copy()
    kernel.interpret(x, expected, *rest, **kw)
    kernel(x, out, *rest, **kw)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pad", [0, 5])
@pytest.mark.parametrize("shift", [(1, 0), (2, 1), (-1, 0), (0, 1), (1 << 28, 0), (-(1 << 28), 0)])
def test_tiles_before_and_behind_a_view_read_the_pad(
    device: Any, dtype: Any, pad: int, shift: tuple[int, int]
) -> None:
    # The view lies in the middle of an array, so that memory around it could be read.
    x = numbers(120, 100, dtype=dtype)[40:80]
    check_as_interpreted(move, x, numbers(40, 100, dtype=dtype), *shift, pad=pad)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("down", [1, -1])
def test_tiles_before_a_view_are_not_stored(device: Any, dtype: Any, down: int) -> None:
    around = numbers(120, 100, dtype=dtype)
    before = around.copy()
    check_as_interpreted(scatter, numbers(40, 100, dtype=dtype), around[40:80], down)
    np.testing.assert_array_equal(around[:40], before[:40])
    np.testing.assert_array_equal(around[80:], before[80:])


def sliding(dtype: Any, rows: int, columns: int, pitch: int) -> np.ndarray:
    flat = numbers(rows * pitch + columns, dtype=dtype)
    return as_strided(flat, (rows, columns), (pitch * flat.itemsize, flat.itemsize))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "layout",
    [
        lambda dtype: np.broadcast_to(numbers(1, 100, dtype=dtype), (20, 100)),
        lambda dtype: np.broadcast_to(numbers(20, 1, dtype=dtype), (20, 100)),
        lambda dtype: np.broadcast_to(numbers(1, 1, dtype=dtype), (20, 100)),
        lambda dtype: numbers(100, dtype=dtype)[None],
        lambda dtype: numbers(20, dtype=dtype)[:, None],
        lambda dtype: numbers(1, 100, dtype=dtype)[::-1],
        lambda dtype: sliding(dtype, 20, 100, 1),
        lambda dtype: sliding(dtype, 20, 100, 40),
        lambda dtype: sliding(dtype, 100, 20, 16).T,
        lambda dtype: numbers(20, 200, dtype=dtype)[:, ::2],
        lambda dtype: numbers(100, 20, dtype=dtype).T,
    ],
    ids="rows columns all row column reversed-row windows lap lap-T step T".split(),
)
def test_rows_that_repeat_overlap_or_are_alone(device: Any, dtype: Any, layout: Any) -> None:
    check_as_interpreted(move, layout(dtype), numbers(32, 128, dtype=dtype), 0, 0)


@pytest.mark.parametrize("axis", [0, 1])
def test_axes_that_run_backwards(device: Any, axis: int) -> None:
    x = np.flip(numbers(20, 100), axis)
    check_as_interpreted(move, x, numbers(32, 128), 0, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("first", [None, 1, 8])
def test_slices_that_begin_anywhere(device: Any, dtype: Any, first: int | None) -> None:
    check_as_interpreted(
        columns, numbers(16, 128, dtype=dtype), numbers(16, 128, dtype=dtype), 5, first=first
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_warm_call_looks_at_the_alignment(device: Any, dtype: Any) -> None:
    flat = numbers(20 * 128 + 64, dtype=dtype)
    start = -flat.ctypes.data // flat.itemsize % 16  # 16-byte alignment whatever the type
    for offset, pitch in [(0, 128), (1, 128), (0, 128), (8, 128), (0, 127), (0, 128)]:
        x = as_strided(flat[start + offset :], (20, 100), (pitch * flat.itemsize, flat.itemsize))
        check_as_interpreted(move, x, np.zeros((32, 128), dtype), 0, 0)


def test_a_base_inside_an_element_is_refused(device: Any) -> None:
    flat = np.zeros(20 * 100 * 4 + 1, np.uint8)[1:]
    with pytest.raises(tg.ArgumentError, match="argument 'x': found address"):
        move(flat.view(np.float32).reshape(20, 100), numbers(20, 100), 0, 0)


def test_a_product_over_a_pitch_of_gigabytes(device: Any) -> None:
    # 2048 rows of b, 2 MiB apart, of which only those of one page each are touched.
    b = np.empty((2048, 1 << 20), ml_dtypes.bfloat16)[:, :64]
    b[:] = numbers(2048, 64, dtype=ml_dtypes.bfloat16)
    a, c = numbers(16, 2048, dtype=ml_dtypes.bfloat16), np.zeros((16, 64), np.float32)
    gemm(a, b, c)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    assert (np.abs(c - exact) <= 2.0**-20 * scale).all()


@tg.kernel(grid=lambda x: (1,))
def summed(x: "R N", out: "R N", *, BM: tg.const, BN: tg.const) -> None:
    t = -tg.abs(tg.load(x, (0, 0), (BM, BN)))
    t = t + tg.sum(t, axis=0, keepdims=True)
    tg.store(out, (0, 0), t + tg.sum(t, axis=1, keepdims=True))


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("tile", [(32, 96), (48, 5), (48, 80), (3, 20)])
def test_sums_of_tiles_whose_layouts_are_larger(
    device: Any, dtype: Any, tile: tuple[int, int]
) -> None:
    # Partial sums meet in LDS, where a layout's phantoms must not land on other buffers.
    x = numbers(*tile, dtype=dtype) - 50
    check_as_interpreted(summed, x, np.zeros(tile, dtype), BM=tile[0], BN=tile[1])


@tg.kernel(grid=lambda x: (1,))
def remainder(x: "N", y: "N", out: "N", whole: "N", *, N: tg.const) -> None:
    a, b = tg.load(x, (0,), (N,)), tg.load(y, (0,), (N,))
    tg.store(out, (0,), a % b)
    tg.store(whole, (0,), a // b)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
def test_remainder_has_the_sign_of_the_divisor(device: Any, dtype: Any) -> None:
    """Python's `%`: exact for any quotient, but for the one addition where the signs differ."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(2048) * np.exp2(rng.integers(-30, 30, 2048))
    y = rng.standard_normal(2048) * np.exp2(rng.integers(-10, 10, 2048))
    x[:12] = [0, -0.0, np.inf, 1, -1, np.nan, 5, -5, 5, -5, 3, 1]
    y[:12] = [1, -1, 2, np.inf, np.inf, 1, 3, 3, -3, -3, 0, -np.inf]
    with np.errstate(all="ignore"):
        a, b = x.astype(dtype), y.astype(dtype)
        rest = np.fmod(a.astype(np.float64), b.astype(np.float64)).astype(dtype)
        exact = np.where((rest < 0) != (b < 0), rest + b, rest).astype(np.float64)
        exact = np.where(rest == 0, np.copysign(0.0, y), exact)
    out, whole = np.zeros(2048, dtype), np.zeros(2048, dtype)
    remainder(a, b, out, whole)
    found = out.astype(np.float64)
    np.testing.assert_array_equal(found, exact)
    np.testing.assert_array_equal(
        np.signbit(found) | np.isnan(found), np.signbit(exact) | np.isnan(exact)
    )
    with np.errstate(all="ignore"):
        quotient = np.floor((a / b).astype(np.float64))
    np.testing.assert_array_equal(whole.astype(np.float64), quotient)
