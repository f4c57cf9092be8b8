"""Scales in tiles of 128 or 64 rows and 4 columns: the same kernels, another argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tegula as tg
from formats_inputs import LAYOUTS, in_order
from formats_reference import e8m0_to_f32, mx_quantize
from tegula.kernels import mx_dequantize_rows, mx_quantize_columns, mx_quantize_rows

F8 = tg.f8e4m3fn.numpy
GUARD = 64


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    return request.param


def buffer_for(shape: tuple[int, int], layout: str) -> tuple[np.ndarray, np.ndarray]:
    """(all bytes, the zeros between two zones of them that hold the scales)."""
    rows = LAYOUTS[layout][1]
    size = -(-shape[0] // rows) * rows * (-(-shape[1] // 4) * 4)
    whole = np.full(size + 2 * GUARD, 0xA5, np.uint8)
    whole[GUARD:-GUARD] = 0
    return whole, whole[GUARD:-GUARD]


def values(shape: tuple[int, int]) -> np.ndarray:
    rng = np.random.default_rng(9)
    scale = np.exp2(rng.integers(-30, 30, (shape[0], shape[1] // 32, 1)))
    return (rng.standard_normal((shape[0], shape[1] // 32, 32)) * scale).reshape(shape).astype("f4")


SHAPES = [(1, 32), (70, 352), (128, 128), (200, 2080), (300, 64)]


@pytest.mark.parametrize("shape", SHAPES)
def test_rows(device: Any, shape: tuple[int, int], layout: str) -> None:
    x = values(shape)
    scales, codes = mx_quantize(x, "e4m3fn", "rceil")
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        whole, buffer = buffer_for(scales.shape, layout)
        q = np.zeros(shape, F8)
        kernel(x, q, tg.Scales(buffer, layout=layout, shape=scales.shape))
        np.testing.assert_array_equal(buffer, in_order(scales, layout))
        np.testing.assert_array_equal(q.view(np.uint8), codes)
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()


@pytest.mark.parametrize(
    "tiles", [(1, 32), (2, 64), (16, 96), (32, 128), (64, 256), (128, 32), (256, 128)]
)
def test_tiles(device: Any, tiles: tuple[int, int], layout: str) -> None:
    """Within a block, over several, and neither a divisor nor a multiple of four columns."""
    x = values((290, 480))
    scales, _ = mx_quantize(x, "e4m3fn", "rceil")
    _, buffer = buffer_for(scales.shape, layout)
    where = tg.Scales(buffer, layout=layout, shape=scales.shape)
    if tiles[1] == 96:
        with pytest.raises(tg.ShapeMismatch, match="a tile of 3 along axis 1"):
            mx_quantize_rows(x, np.zeros(x.shape, F8), where, BM=tiles[0], BK=tiles[1])
        return
    mx_quantize_rows(x, np.zeros(x.shape, F8), where, BM=tiles[0], BK=tiles[1])
    np.testing.assert_array_equal(buffer, in_order(scales, layout))


@pytest.mark.parametrize("shape", [(32, 256), (96, 130), (1056, 200)])
def test_columns(device: Any, shape: tuple[int, int], layout: str) -> None:
    """Blocks along M, whose scales (K, M/32) are blocked: by transposition."""
    m, k = shape
    x = np.ascontiguousarray(values((-(-k // 32) * 32, m))[:k].T)
    scales, codes = mx_quantize(np.ascontiguousarray(x.T), "e4m3fn", "rceil")
    for kernel in (mx_quantize_columns, mx_quantize_columns.interpret):
        whole, buffer = buffer_for(scales.shape, layout)
        q = np.zeros((k, m), F8).T
        kernel(x, q, tg.Scales(buffer, layout=layout, shape=scales.shape).T)
        np.testing.assert_array_equal(buffer, in_order(scales, layout))
        np.testing.assert_array_equal(q.T.view(np.uint8), codes)
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_reading(device: Any, shape: tuple[int, int], layout: str) -> None:
    scales, codes = mx_quantize(values(shape), "e4m3fn", "rceil")
    stored = tg.Scales(in_order(scales, layout), layout=layout, shape=scales.shape)
    exact = codes.view(F8).astype(np.float32) * np.repeat(e8m0_to_f32(scales), 32, axis=1)
    for kernel in (mx_dequantize_rows, mx_dequantize_rows.interpret):
        x = np.zeros(shape, np.float32)
        kernel(codes.view(F8), stored, x)
        np.testing.assert_array_equal(x, exact)


@tg.kernel(grid=lambda s: (1,))
def padded(s: "M C", plain: "M C", out: "128 8", sizes: "2") -> None:
    tile = tg.load(s, (0, 0), (128, 8), pad=4.0)
    tg.store(out, (0, 0), tg.bitcast(tile, tg.u8))
    tg.store(sizes, (0,), tg.full((1,), s.shape[0], tg.i32))
    tg.store(sizes, (1,), tg.full((1,), s.T.shape[0], tg.i32))


def test_padding(device: Any, layout: str) -> None:
    """What is no scale reads the pad, whatever lies in the buffer."""
    scales = np.random.default_rng(1).integers(0, 256, (70, 5), dtype=np.uint8)
    buffer = in_order(scales, layout)
    buffer[buffer == 0] = 77
    buffer = np.where(in_order(np.ones_like(scales), layout) == 1, in_order(scales, layout), buffer)
    expected = np.full((128, 8), 129, np.uint8)
    expected[:70, :5] = scales
    for kernel in (padded, padded.interpret):
        out, sizes = np.zeros((128, 8), np.uint8), np.zeros(2, np.int32)
        stored = tg.Scales(buffer, layout=layout, shape=(70, 5))
        kernel(stored, scales, out, sizes)
        np.testing.assert_array_equal(out, expected)
        assert sizes.tolist() == [70, 5]


def test_tensors(device: Any, layout: str) -> None:
    x = values((70, 352))
    scales, _ = mx_quantize(x, "e4m3fn", "rceil")
    buffer = torch.zeros(in_order(scales, layout).size, dtype=torch.float8_e8m0fnu)
    q = torch.zeros(x.shape, dtype=torch.float8_e4m3fn)
    for kernel in (mx_quantize_rows, mx_quantize_rows.interpret):
        buffer.view(torch.uint8).zero_()
        stored = tg.Scales(buffer, layout=layout, shape=scales.shape)
        kernel(torch.from_numpy(x), q, stored)
        np.testing.assert_array_equal(buffer.view(torch.uint8).numpy(), in_order(scales, layout))


def test_warm_calls_tell_layouts_apart(device: Any, layout: str) -> None:
    x = values((128, 128))
    scales, _ = mx_quantize(x, "e4m3fn", "rceil")
    q, plain = np.zeros(x.shape, F8), np.zeros(scales.shape, tg.e8m0.numpy)
    _, buffer = buffer_for(scales.shape, layout)
    for _ in range(2):
        mx_quantize_rows(x, q, plain)
        mx_quantize_rows(x, q, tg.Scales(buffer, layout=layout, shape=scales.shape))
    np.testing.assert_array_equal(plain.view(np.uint8), scales)
    np.testing.assert_array_equal(buffer, in_order(scales, layout))


def test_ahead_of_time(device: Any, tmp_path: Any, layout: str) -> None:
    signature = tg.Signature(
        x=tg.array(tg.f32, 2),
        q=tg.array(tg.f8e4m3fn, 2),
        s=tg.array(tg.e8m0, 2, layout=layout),
        BM=64,
        BK=128,
    )
    path = tg.compile_ahead(mx_quantize_rows, signature, [device.target], tmp_path)
    x = values((70, 352))
    scales, _ = mx_quantize(x, "e4m3fn", "rceil")
    _, buffer = buffer_for(scales.shape, layout)
    stored = tg.Scales(buffer, layout=layout, shape=scales.shape)
    tg.load_program(path)(x, np.zeros(x.shape, F8), stored)
    np.testing.assert_array_equal(buffer, in_order(scales, layout))


def test_arguments() -> None:
    with pytest.raises(tg.ArgumentError, match="512 for"):
        tg.Scales(np.zeros(500, np.uint8), layout="blocked_128x4", shape=(1, 1))
    with pytest.raises(tg.ArgumentError, match="blocked_128x4"):
        tg.Scales(np.zeros(512, np.uint8), layout="swizzled", shape=(1, 1))
    with pytest.raises(tg.ArgumentError, match="contiguous bytes"):
        tg.Scales(np.zeros(512, np.float32), layout="blocked_128x4", shape=(1, 1))
    with pytest.raises(tg.ArgumentError, match="two or three extents"):
        tg.Scales(np.zeros(512, np.uint8), layout="blocked_128x4", shape=(0, 4))
    with pytest.raises(tg.ArgumentError, match="matrices of tg.e8m0"):
        tg.array(tg.f32, 2, layout="blocked_128x4")
