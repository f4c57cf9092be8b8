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
    copy_group_scales,
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


def grouped(scales: np.ndarray, ends: Any, layout: str, axis: int) -> np.ndarray:
    """Each group as a matrix of its own, and zeros behind the last one."""
    rows, tile = scales.shape[0], LAYOUTS[layout][1]
    size = (rows + tile * len(ends)) * (-(-scales.shape[1] // 4) * 4)
    if axis == 1:
        size = -(-rows // tile) * tile * (scales.shape[1] + 4 * len(ends))
    parts = [scales[lo:hi] if axis == 0 else scales[:, lo:hi] for lo, hi in pairwise((0, *ends))]
    found = np.concatenate([in_order(part, layout) for part in parts if part.size])
    return np.concatenate([found, np.zeros(size - found.size, np.uint8)])


def test_the_document_has_the_same_order() -> None:
    scales = np.random.default_rng(1).integers(1, 255, (300, 8), dtype=np.uint8)
    for ends in OFFS:
        part = scales[: ends[-1]]
        own = grouped(part, ends, "blocked_128x4", 0)
        np.testing.assert_array_equal(own, to_blocked_m_groups(part, ends)[0].ravel())
        turned = np.ascontiguousarray(part.T)
        own = grouped(turned, ends, "blocked_128x4", 1)
        np.testing.assert_array_equal(own, to_blocked_k_groups(turned, ends)[0].ravel())


TILES = [(128, 4), (32, 1), (64, 16), (256, 8)]


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("ends", OFFS)
def test_groups(device: Any, ends: Any, axis: int, layout: str, tile: Any) -> None:
    """Into the order of groups of rows or columns, and back: nothing beside them is written."""
    other = 52 if axis == 0 else 300
    shape = (ends[-1], other) if axis == 0 else (other, ends[-1])
    scales = np.random.default_rng(1).integers(1, 255, shape, dtype=np.uint8)
    expected = grouped(scales, ends, layout, axis)
    constants = dict(axis=axis, PARTS=2, BM=tile[0], BC=tile[1])
    for way, kind in zip(WAYS, (np.int32, np.int64), strict=True):
        whole, buffer = bytes_between(expected.size)
        stored = tg.Scales(buffer, layout=layout, shape=shape, groups=len(ends), axis=axis)
        way(copy_group_scales)(
            scales.view(tg.e8m0.numpy), stored, np.array(ends, kind), **constants
        )
        np.testing.assert_array_equal(buffer, expected)
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()
        back = np.zeros(shape, np.uint8)
        way(copy_group_scales)(stored, back.view(tg.e8m0.numpy), np.array(ends, kind), **constants)
        np.testing.assert_array_equal(back, scales)
        back[:] = 0
        given = stored.T, back.view(tg.e8m0.numpy).T
        turned = {**constants, "axis": 1 - axis, "BM": 16, "BC": 32}
        way(copy_group_scales)(*given, np.array(ends, kind), **turned)
        np.testing.assert_array_equal(back, scales)


@tg.kernel(grid=lambda: tg.persistent())
def mx_quantize_groups(
    x: "R K", q: "R K", s: "R K/32", offs: "G", *, BM: tg.tile = 64, BK: tg.tile = 128
) -> None:
    for g, lo, hi, m, k in tg.group_tiles(offs, x.shape[1], (BM, BK)):
        tile = tg.load(x[lo:hi], (m, k), (BM, BK))
        codes, scales = tg.quantize(tile, q.dtype, axis=1, block=32, mode="rceil")
        tg.store(q[lo:hi], (m, k), codes)
        tg.store(tg.group_view(s, offs, g), (m, k), scales)


@tg.kernel(grid=lambda x, offs, BM, BK: (tg.cdiv(x.shape[1], BK), offs.shape[0]))
def mx_quantize_group_columns(
    x: "R K", q: "R K", s: "R/32 K", offs: "G", *, BM: tg.tile = 64, BK: tg.tile = 128
) -> None:
    k, g = tg.program_id(0), tg.program_id(1)
    lo, hi = tg.group(offs, g)
    part = tg.group_view(s, offs, g, by=32)
    for m in tg.tiles(x[lo:hi], axis=0, size=BM):
        tile = tg.load(x[lo:hi], (m, k), (BM, BK))
        codes, scales = tg.quantize(tile, q.dtype, axis=0, block=32, mode="rceil")
        tg.store(q[lo:hi], (m, k), codes)
        tg.store(part, (m, k), scales)


@pytest.mark.parametrize("stored_as", [None, *LAYOUTS])
@pytest.mark.parametrize("kernel", [mx_quantize_groups, mx_quantize_group_columns])
def test_quantizers_of_groups(device: Any, kernel: Any, stored_as: str | None) -> None:
    """One kernel, whatever the order of its scales: plain, or group by group in tiles."""
    by_rows = kernel is mx_quantize_groups
    ends = (5, 5, 140, 300) if by_rows else (32, 32, 160, 288)
    x = values((ends[-1], 160), np.dtype(np.float32))
    flat = x if by_rows else np.ascontiguousarray(x.T)
    scales, codes = mx_quantize(flat, "e4m3fn", "rceil")
    codes = codes if by_rows else codes.T
    offs = np.array(ends, np.int32)
    for way in WAYS:
        q = filled(x.shape, tg.f8e4m3fn.numpy)
        if stored_as is None:
            s = np.zeros(scales.shape, tg.e8m0.numpy)
            way(kernel)(x, q, s if by_rows else s.T, offs)
            np.testing.assert_array_equal(s.view(np.uint8), scales)
        else:
            shape, axis = scales.shape, int(not by_rows)
            blocks = ends if by_rows else tuple(end // 32 for end in ends)
            expected = grouped(scales, blocks, stored_as, axis)
            buffer = np.zeros(expected.size, np.uint8)
            s = tg.Scales(buffer, layout=stored_as, shape=shape, groups=4, axis=axis)
            way(kernel)(x, q, s if by_rows else s.T, offs)
            np.testing.assert_array_equal(buffer, expected)
        assert same(q, np.ascontiguousarray(codes))


def test_groups_ahead_of_time(device: Any, tmp_path: Any) -> None:
    signature = tg.Signature(
        s=tg.array(tg.e8m0, 2, align=1),
        out=tg.array(tg.e8m0, 2, layout="packed_64x4", groups=1),
        offs=tg.array(tg.i32, 1),
        axis=1,
        BM=128,
        BC=4,
    )
    path = tg.compile_ahead(copy_group_scales, signature, [device.target], tmp_path)
    scales = np.random.default_rng(1).integers(1, 255, (70, 22), dtype=np.uint8)
    expected = grouped(scales, (3, 22), "packed_64x4", 1)
    buffer = np.zeros(expected.size, np.uint8)
    stored = tg.Scales(buffer, layout="packed_64x4", shape=scales.shape, groups=2, axis=1)
    tg.load_program(path)(scales.view(tg.e8m0.numpy), stored, np.array([3, 22], np.int32))
    np.testing.assert_array_equal(buffer, expected)


def test_arguments(device: Any) -> None:
    stored = tg.Scales(np.zeros(1024, np.uint8), layout="blocked_128x4", shape=(2, 3, 4))
    assert stored.mT.shape == (2, 4, 3)
    with pytest.raises(tg.ArgumentError, match="mT"):
        _ = stored.T
    with pytest.raises(tg.ArgumentError, match="1024 for"):
        tg.Scales(np.zeros(512, np.uint8), layout="blocked_128x4", shape=(2, 3, 4))
    buffer = np.zeros(512, np.uint8)
    for wrong, words in (
        (dict(shape=(3, 4), groups=0), "groups"),
        (dict(shape=(1, 3, 4), groups=1), "groups"),
        (dict(shape=(3, 4), groups=1, axis=2), "axis"),
        (dict(shape=(3, 4), groups=1), "524 for"),
        (dict(shape=(3, 4), groups=1, axis=1), "1024 for"),
    ):
        with pytest.raises(tg.ArgumentError, match=words):
            tg.Scales(buffer, layout="blocked_128x4", **wrong)
    with pytest.raises(tg.ArgumentError, match="groups"):
        tg.array(tg.e8m0, 2, groups=1)


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


@tg.kernel(grid=lambda plain: (1,))
def without_a_group(s: "R C", plain: "R C", offs: "G") -> None:
    tg.store(s, (0, 0), tg.load(plain, (0, 0), (32, 4)))  # here


@tg.kernel(grid=lambda plain: (1,))
def across_groups(s: "R C", plain: "R C", offs: "G") -> None:
    part = tg.group_view(s, offs, 0, axis=1)  # here
    tg.store(part, (0, 0), tg.load(plain, (0, 0), (32, 4)))


@tg.kernel(grid=lambda plain: (1,))
def group_of_a_group(s: "R C", plain: "R C", offs: "G") -> None:
    part = tg.group_view(tg.group_view(s, offs, 1), offs, 0)  # here
    tg.store(part, (0, 0), tg.load(plain, (0, 0), (32, 4)))


@tg.kernel(grid=lambda plain: (1,))
def group_of_a_tile(s: "R C", plain: "R C", offs: "G") -> None:
    part = tg.group_view(tg.load(plain, (0, 0), (32, 4)), offs, 0)  # here
    tg.store(s, (0, 0), part)


@tg.kernel(grid=lambda plain: (1,))
def odd_rows(s: "R C", plain: "R C", offs: "G") -> None:
    part = tg.group_view(s, offs, 0)
    tg.store(part, (0, 0), tg.load(plain, (0, 0), (48, 4)))  # here


@pytest.mark.parametrize(
    ("kernel", "label", "words"),
    [
        (without_a_group, "front.index.blocked", "stored group by group"),
        (across_groups, "front.index.blocked", "not stored by such groups"),
        (group_of_a_group, "front.index.blocked", "not stored by such groups"),
        (group_of_a_tile, "front.type.view", "takes a view"),
        (odd_rows, "front.shape.blocked", "a tile of 48 along axis 0"),
    ],
)
def test_what_groups_refuse(device: Any, kernel: Any, label: str, words: str) -> None:
    """At the line of the kernel that asks for it."""
    stored = tg.Scales(
        np.zeros((160 + 2 * 128) * 4, np.uint8), layout="blocked_128x4", shape=(160, 4), groups=2
    )
    offs = np.array([30, 160], np.int32)
    with pytest.raises(tg.Error, match=words) as caught:
        kernel(stored, np.zeros((160, 4), tg.e8m0.numpy), offs)
    assert caught.value.label == label
    assert caught.value.span is not None and caught.value.span.text.endswith("# here")
