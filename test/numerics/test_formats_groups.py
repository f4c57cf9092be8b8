"""Quantizers of groups of rows and of experts, and scales blocked group by group, byte for byte."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from formats_inputs import LAYOUTS, in_order
from formats_reference import (
    fp8_cast,
    fp8_scale,
    mx_quantize,
    to_blocked,
    to_blocked_k_groups,
    to_blocked_m_groups,
)
from sampling import sample
from tegula.kernels import (
    block_column_groups,
    block_row_groups,
    copy_scales,
    fp8_expert_columns,
    fp8_group_columns,
    fp8_group_columns_apart,
    fp8_group_largest,
    mx_quantize_expert_squares,
    mx_quantize_experts,
)

BF16 = np.dtype(ml_dtypes.bfloat16)
FLAVOURS = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
#: Ends of groups and columns: very uneven ones, empty ones, columns that are no whole tiles.
GROUPS = [((1, 700, 700, 704), 200), ((0, 16, 300), 130), ((64, 128), 256), ((5,), 32)]
FILL = 0x25


def values(shape: tuple[int, ...], dtype: np.dtype = BF16) -> np.ndarray:
    """Of all magnitudes; some infinite or NaN, one column of zeros."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal(shape) * np.exp2(rng.integers(-40, 40, shape))
    x[rng.random(shape) < 1e-4] = np.inf
    x[rng.random(shape) < 1e-4] = np.nan
    x[..., 0] = 0
    return x.astype(dtype)


def largest(x: np.ndarray) -> np.ndarray:
    """Over the second last axis; a NaN wins, and of nothing it is zero."""
    wide = np.abs(x.astype(np.float32))
    with np.errstate(invalid="ignore"):
        return np.max(wide, axis=-2, initial=0)


def quantized(x: np.ndarray, fmt: str, pow2: bool) -> tuple[np.ndarray, np.ndarray]:
    scale = fp8_scale(largest(x), fmt, pow2)
    return scale, fp8_cast(x.astype(np.float32), scale[..., None, :], fmt)


def same(found: np.ndarray, codes: np.ndarray) -> bool:
    """Bytes, but that every NaN is as good as another."""
    nan = np.isnan(codes.view(found.dtype).astype(np.float32))
    equal = found.view(np.uint8) == codes
    return bool((equal | (nan & np.isnan(found.astype(np.float32)))).all())


def filled(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Column by column in the last two axes, of bytes that no kernel may leave by chance."""
    lead, (rows, columns) = shape[:-2], shape[-2:]
    whole = np.full((*lead, columns, rows), FILL, np.uint8).view(dtype)
    return whole.swapaxes(-1, -2)


def one_kernel(way: Any, pow2: bool, x: Any, q: Any, s: Any, offs: Any) -> None:
    way(fp8_group_columns)(x, q, s, offs, pow2=pow2)


def apart(way: Any, pow2: bool, x: Any, q: Any, s: Any, offs: Any) -> None:
    amax = np.zeros(s.shape, np.float32)
    way(fp8_group_largest)(x, amax, offs, BM=64)
    way(fp8_group_columns_apart)(x, amax, q, s, offs, pow2=pow2, PARTS=3)


WAYS = [lambda kernel: kernel, lambda kernel: kernel.interpret]


@pytest.mark.parametrize("form", [one_kernel, apart])
@pytest.mark.parametrize(("ends", "columns"), GROUPS)
@pytest.mark.parametrize("fmt", FLAVOURS)
def test_group_columns(device: Any, fmt: str, ends: Any, columns: int, form: Any) -> None:
    """Both forms; rows behind the last group keep their bytes."""
    rows = ends[-1] + 9
    x, element = values((rows, columns)), getattr(tg, f"f8{fmt}").numpy
    for way in WAYS:
        for pow2, kind in ((True, np.int32), (False, np.int64)):
            q, s = filled((rows, columns), element), np.zeros((len(ends), columns), np.float32)
            form(way, pow2, x, q, s, np.array(ends, kind))
            for g, (lo, hi) in enumerate(pairwise((0, *ends))):
                scale, codes = quantized(x[lo:hi], fmt, pow2)
                np.testing.assert_array_equal(s[g], scale)
                assert same(q[lo:hi], codes)
            assert (q[ends[-1] :].view(np.uint8) == FILL).all()


def test_group_rows(device: Any) -> None:
    """Groups of columns are groups of rows of the transposed array."""
    ends, x = (1, 90, 130), values((70, 130))
    q, s = np.zeros(x.shape, tg.f8e4m3fn.numpy), np.zeros((3, 70), np.float32)
    fp8_group_columns(x.T, q.T, s, np.array(ends, np.int32))
    for g, (lo, hi) in enumerate(pairwise((0, *ends))):
        scale, codes = quantized(x[:, lo:hi].T, "e4m3fn", True)
        np.testing.assert_array_equal(s[g], scale)
        assert same(q[:, lo:hi], np.ascontiguousarray(codes.T))


@pytest.mark.parametrize("pow2", [False, True])
@pytest.mark.parametrize("fmt", FLAVOURS)
@pytest.mark.parametrize("shape", [(3, 200, 130), (1, 32, 256)])
def test_expert_columns(device: Any, shape: Any, fmt: str, pow2: bool) -> None:
    x, element = values(shape), getattr(tg, f"f8{fmt}").numpy
    scale, codes = quantized(x, fmt, pow2)
    for way in WAYS:
        q, s = filled(shape, element), np.zeros((shape[0], shape[2]), np.float32)
        way(fp8_expert_columns)(x, q, s, pow2=pow2)
        np.testing.assert_array_equal(s, scale)
        assert same(q, codes)


#: quantization.md section 4, and K that is no whole tile.
EXPERTS = [(1, 32, 256), (4, 64, 1024), (2, 64, 1408), (8, 256, 256), (3, 96, 160)]


def blocks(x: np.ndarray, mode: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Scales (E, N/32, K/k) and codes of blocks of 32 × k."""
    e, n, width = x.shape
    split = x.astype(np.float32).reshape(e, n // 32, 32, width // k, k).transpose(0, 1, 3, 2, 4)
    scales, codes = mx_quantize(
        split.reshape(e, n // 32, width // k, 32 * k), "e4m3fn", mode, 32 * k
    )
    back = codes.reshape(e, n // 32, width // k, 32, k).transpose(0, 1, 3, 2, 4)
    return scales[..., 0], back.reshape(x.shape)


@pytest.mark.parametrize("k", [1, 32])
@pytest.mark.parametrize("mode", ["floor", "ceil", "even", "rceil"])
@pytest.mark.parametrize("shape", EXPERTS)
def test_mx_experts(device: Any, shape: Any, mode: str, k: int) -> None:
    x = values(shape)
    scales, codes = blocks(x, mode, k)
    kernel = mx_quantize_experts if k == 1 else mx_quantize_expert_squares
    for way in WAYS[: 1 if x.size > 60_000 else 2]:
        q = filled(shape, tg.f8e4m3fn.numpy)
        s = np.zeros(scales.shape, tg.e8m0.numpy)
        way(kernel)(x, q, s, mode=mode)
        np.testing.assert_array_equal(s.view(np.uint8), scales)
        assert same(q, codes)


GUARD = 64


def bytes_between(count: int) -> tuple[np.ndarray, np.ndarray]:
    whole = np.full(count + 2 * GUARD, 0xA5, np.uint8)
    whole[GUARD:-GUARD] = 0
    return whole, whole[GUARD:-GUARD]


@pytest.mark.parametrize("shape", [(3, 96, 160), (2, 256, 32), (2, 288, 512)])
def test_mx_experts_in_blocks(device: Any, shape: Any) -> None:
    """Scales of each expert blocked, as (K, N/32): by .mT of the same argument."""
    e, n, k = shape
    x = values(shape)
    scales, codes = blocks(x, "rceil", 1)
    expected = np.concatenate([to_blocked(scale.T) for scale in scales])
    for way in WAYS:
        whole, buffer = bytes_between(expected.size)
        stored = tg.Scales(buffer, layout="blocked_128x4", shape=(e, k, n // 32))
        q = filled(shape, tg.f8e4m3fn.numpy)
        way(mx_quantize_experts)(x, q, stored.mT)
        np.testing.assert_array_equal(buffer, expected)
        assert same(q, codes)
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()


SIZES = [(1, 1), (1, 4), (31, 3), (32, 5), (127, 4), (128, 8), (129, 13), (255, 16), (300, 300)]
#: All rows and all columns from 1 to 300.
EVERY = list(zip(range(1, 301), np.random.default_rng(1).permutation(300) + 1, strict=True))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("experts", [1, 3])
@pytest.mark.parametrize(("rows", "columns"), SIZES + sample(EVERY, 8))
def test_copies(device: Any, rows: int, columns: int, experts: int, layout: str) -> None:
    """Into blocks and back; as matrices, and as several."""
    scales = np.random.default_rng(rows).integers(1, 255, (experts, rows, columns), dtype=np.uint8)
    expected = np.concatenate([in_order(one, layout) for one in scales])
    plain = scales.view(tg.e8m0.numpy)
    for way in WAYS:
        whole, buffer = bytes_between(expected.size)
        stored = tg.Scales(buffer, layout=layout, shape=scales.shape)
        way(copy_scales)(plain, stored)
        np.testing.assert_array_equal(buffer, expected)
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()
        back = np.zeros(scales.shape, np.uint8)
        way(copy_scales)(stored.mT, back.view(tg.e8m0.numpy).swapaxes(1, 2))
        np.testing.assert_array_equal(back, scales)


@tg.kernel(grid=lambda s: (s.shape[0],))
def first_of_each(s: "E R C", plain: "E R C", out: "E 32 4") -> None:
    e = tg.program_id(0)
    tg.store(out[e], (0, 0), tg.load(s[e], (0, 0), (32, 4)))


def test_one_of_several(device: Any) -> None:
    scales = np.random.default_rng(2).integers(0, 255, (3, 130, 6), dtype=np.uint8)
    buffer = np.concatenate([to_blocked(one) for one in scales])
    stored = tg.Scales(buffer, layout="blocked_128x4", shape=scales.shape)
    for way in WAYS:
        out = np.zeros((3, 32, 4), tg.e8m0.numpy)
        way(first_of_each)(stored, scales.view(tg.e8m0.numpy), out)
        np.testing.assert_array_equal(out.view(np.uint8), scales[:, :32, :4])


OFFS = [(0, 130, 130, 131, 300), (300,), (128, 256), (1, 2, 3), (7, 135)]


@pytest.mark.parametrize("columns", [4, 8, 52])
@pytest.mark.parametrize("ends", OFFS)
def test_groups_of_rows(device: Any, ends: Any, columns: int) -> None:
    scales = np.random.default_rng(1).integers(1, 255, (ends[-1], columns), dtype=np.uint8)
    expected, _ = to_blocked_m_groups(scales, ends)
    check_groups(block_row_groups, scales, ends, expected)


@pytest.mark.parametrize("rows", [1, 128, 300])
@pytest.mark.parametrize("ends", OFFS)
def test_groups_of_columns(device: Any, ends: Any, rows: int) -> None:
    scales = np.random.default_rng(1).integers(1, 255, (rows, ends[-1]), dtype=np.uint8)
    expected, _ = to_blocked_k_groups(scales, ends)
    check_groups(block_column_groups, scales, ends, expected)


def check_groups(kernel: Any, scales: np.ndarray, ends: Any, expected: np.ndarray) -> None:
    for way in WAYS:
        whole, buffer = bytes_between(expected.size)
        out = buffer[: buffer.size // 512 * 512].reshape(-1, 512)
        way(kernel)(scales.view(tg.e8m0.numpy), out, np.array(ends, np.int32), PARTS=2)
        np.testing.assert_array_equal(buffer, expected.ravel())
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()


def test_arguments(device: Any) -> None:
    stored = tg.Scales(np.zeros(1024, np.uint8), layout="blocked_128x4", shape=(2, 3, 4))
    assert stored.mT.shape == (2, 4, 3)
    with pytest.raises(tg.ArgumentError, match="mT"):
        _ = stored.T
    with pytest.raises(tg.ArgumentError, match="1024 for"):
        tg.Scales(np.zeros(512, np.uint8), layout="blocked_128x4", shape=(2, 3, 4))


@tg.kernel(grid=lambda plain: (1,))
def two_at_once(s: "E R C", plain: "E R C") -> None:
    tg.store(s, (0, 0, 0), tg.load(plain, (0, 0, 0), (2, 32, 4)))


@tg.kernel(grid=lambda plain: (1,))
def some(s: "E R C", plain: "E R C") -> None:
    tg.store(s[0:1], (0, 0, 0), tg.load(plain, (0, 0, 0), (1, 32, 4)))


@tg.kernel(grid=lambda plain: (1,))
def turned(s: "E R C", plain: "E R C") -> None:
    tg.store(s.T, (0, 0, 0), tg.load(plain, (0, 0, 0), (1, 32, 4)))


@pytest.mark.parametrize(
    ("kernel", "label", "words"),
    [
        (two_at_once, "front.shape.blocked", "a tile of 2 along axis 0"),
        (some, "front.index.blocked", "a part"),
        (turned, "front.index.blocked", "the transposition"),
    ],
)
def test_what_several_matrices_refuse(device: Any, kernel: Any, label: str, words: str) -> None:
    stored = tg.Scales(np.zeros(1024, np.uint8), layout="blocked_128x4", shape=(2, 32, 4))
    with pytest.raises(tg.Error, match=words) as caught:
        kernel(stored, np.zeros((2, 32, 4), tg.e8m0.numpy))
    assert caught.value.label == label
