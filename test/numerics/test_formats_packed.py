"""Arrays of four-bit floats, two a byte: read and written in any orientation, part and tail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tegula as tg
from formats_inputs import check_codes, singles
from formats_reference import encode_sat, mx_quantize

GUARD = 64


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def narrowed(x: "M K", q: "M K", *, BM: tg.tile = 16, BK: tg.tile = 64) -> None:
    m, k = tg.tile_id(x, (BM, BK))
    tg.store(q, (m, k), tg.load(x, (m, k), (BM, BK)).to(q.dtype))


@tg.kernel(grid=lambda q, BM, BK: tg.num_tiles(q, (BM, BK)))
def widened(q: "M K", x: "M K", *, BM: tg.tile = 16, BK: tg.tile = 64) -> None:
    m, k = tg.tile_id(q, (BM, BK))
    tg.store(x, (m, k), tg.load(q, (m, k), (BM, BK)).to(x.dtype))


def join(codes: np.ndarray, axis: int) -> np.ndarray:
    """Codes as bytes, pairs along an axis, the even one low."""
    along = np.moveaxis(codes, axis, -1)
    return np.moveaxis(along[..., 0::2] | along[..., 1::2] << 4, -1, axis)


def split(data: np.ndarray, axis: int) -> np.ndarray:
    halves = np.stack([data & 15, data >> 4], axis=axis % data.ndim + 1)
    shape = list(data.shape)
    shape[axis] *= 2
    return halves.reshape(shape)


def guarded(shape: tuple[int, int], order: str) -> tuple[np.ndarray, np.ndarray]:
    """(all bytes, an array between two zones of them)."""
    whole = np.full(shape[0] * shape[1] + 2 * GUARD, 0xA5, np.uint8)
    inside = whole[GUARD:-GUARD]
    return whole, inside.reshape(shape) if order == "C" else inside.reshape(shape[::-1]).T


SHAPES = [(16, 64), (48, 256), (1, 2), (17, 66), (70, 130), (5, 4096)]
CASES = [(shape, order) for shape in SHAPES for order in "CF" if shape != (1, 2) or order == "C"]


@pytest.mark.parametrize(("shape", "order"), CASES)
def test_cast(device: Any, shape: tuple[int, int], order: str) -> None:
    """Pairs along rows and along columns; nothing beside the array is written."""
    axis = 1 if order == "C" else 0
    shape = shape if order == "C" else (2 * shape[0], shape[1])
    x = np.resize(singles(20_000), shape)
    stored = tuple(n // 2 if d == axis else n for d, n in enumerate(shape))
    for kernel in (narrowed, narrowed.interpret):
        whole, q = guarded(stored, order)
        kernel(x, tg.packed(q))
        check_codes("e2m1", x, split(q, axis), encode_sat(x, "e2m1"))
        assert (whole[:GUARD] == 0xA5).all() and (whole[-GUARD:] == 0xA5).all()


@pytest.mark.parametrize(("shape", "order"), CASES)
def test_back(device: Any, shape: tuple[int, int], order: str) -> None:
    axis = 1 if order == "C" else 0
    shape = shape if order == "C" else (2 * shape[0], shape[1])
    codes = np.random.default_rng(4).integers(0, 16, shape, dtype=np.uint8)
    exact = codes.view(tg.f4e2m1.numpy).astype(np.float32)
    q = np.asarray(join(codes, axis), order=order)
    for kernel in (widened, widened.interpret):
        x = np.zeros(shape, np.float32)
        kernel(tg.packed(q), x)
        np.testing.assert_array_equal(x, exact)


@pytest.mark.parametrize("tiles", [(1, 2), (4, 8), (64, 32), (8, 512), (128, 128)])
def test_tiles(device: Any, tiles: tuple[int, int]) -> None:
    """Tiles of which a lane holds one pair, and many."""
    x = np.resize(singles(20_000), (130, 520))
    q, back = np.zeros((130, 260), np.uint8), np.zeros((130, 520), np.float32)
    narrowed(x, tg.packed(q), BM=tiles[0], BK=tiles[1])
    check_codes("e2m1", x, split(q, 1), encode_sat(x, "e2m1"))
    widened(tg.packed(q), back, BM=tiles[0], BK=tiles[1])
    np.testing.assert_array_equal(back, split(q, 1).view(tg.f4e2m1.numpy).astype(np.float32))


@tg.kernel(grid=lambda q: (q.shape[0],))
def parts(q: "G M K", out: "G M K", sizes: "3", inside: "G M K", *, M: tg.const, B: tg.tile = 32):
    """Groups, a transposed view, slices by constants and at run time, a loop over tiles."""
    g = tg.program_id(0)
    half = q.shape[2] // 2
    front = tg.load(q[g][:, 0:B], (0, 0), (M, B))
    tg.store(out[g][:, 0:B], (0, 0), front.to(tg.f32))
    rest = q[g][:, B:]
    for k in tg.tiles(rest, axis=1, size=B):
        tile = tg.load(rest.T, (k, 0), (B, M), pad=1.5)
        tg.store(out[g][:, B:], (0, k), tile.to(tg.f32).T)
        tg.store(inside[g][:, B:], (0, k), tg.valid(rest, (0, k), (M, B)).to(tg.i8))
    tail = q[g][:, half:]
    tg.store(sizes, (0,), tg.full((1,), q.shape[2], tg.i32))
    tg.store(sizes, (1,), tg.full((1,), q.strides[1], tg.i32))
    tg.store(sizes, (2,), tg.full((1,), tail.shape[1], tg.i32))


def test_parts_of_views(device: Any) -> None:
    codes = np.random.default_rng(5).integers(0, 16, (3, 24, 140), dtype=np.uint8)
    q = tg.packed(join(codes, 2))
    exact = codes.view(tg.f4e2m1.numpy).astype(np.float32)
    for kernel in (parts, parts.interpret):
        out, inside = np.full(codes.shape, np.nan, np.float32), np.zeros(codes.shape, np.int8)
        sizes = np.zeros(3, np.int32)
        kernel(q, out, sizes, inside, M=24)
        np.testing.assert_array_equal(out, exact)
        assert sizes.tolist() == [140, 140, 70]
        assert (inside[..., 32:] == 1).all() and not inside[..., :32].any()


@tg.kernel(grid=lambda q: (q.shape[0],))
def between(q: "G M K", out: "G M B", lo: tg.i32, hi: tg.i32, *, M: tg.const, B: tg.const):
    """Slices at run time of a view and of its transposition, in a group."""
    part = q[tg.program_id(0)][:, lo:]
    tile = tg.load(part.T[: hi - lo], (0, 0), (B, M), pad=-3.0)
    tg.store(out[tg.program_id(0)], (0, 0), tile.to(tg.f32).T)


BETWEEN = [(0, 140), (6, 38), (34, 34), (2, 100)]


@pytest.mark.parametrize(("lo", "hi"), BETWEEN)
def test_bounds_at_run_time(device: Any, lo: int, hi: int) -> None:
    codes = np.random.default_rng(5).integers(0, 16, (3, 24, 140), dtype=np.uint8)
    q, expected = tg.packed(join(codes, 2)), np.full((3, 24, 64), -3, np.float32)
    part = codes[..., lo : min(hi, lo + 64)].view(tg.f4e2m1.numpy).astype(np.float32)
    expected[..., : part.shape[2]] = part
    for kernel in (between, between.with_debug(), between.interpret):
        out = np.full(expected.shape, np.nan, np.float32)
        kernel(q, out, lo, hi, M=24, B=64)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("lo", "hi", "text"),
    [
        (3, 41, "bound 3 of axis 1 of 'q[tg.program_id(0)]', which splits a pair"),
        (2, 41, "bound 39 of axis 0 of 'q[tg.program_id(0)][:, lo:].T', which splits a pair"),
    ],
)
def test_bounds_that_split_a_pair(device: Any, lo: int, hi: int, text: str) -> None:
    """Found by debug builds and on NumPy, at the line of the slice."""
    q, out = tg.packed(np.zeros((1, 24, 70), np.uint8)), np.zeros((1, 24, 64), np.float32)
    with pytest.raises(tg.OutOfBounds) as caught:
        between.with_debug()(q, out, lo, hi, M=24, B=64)
    assert f"out of bounds: {text}" in str(caught.value)
    assert caught.value.span is not None and caught.value.span.text.strip().startswith(
        "part = " if lo == 3 else "tile = "
    )
    with pytest.raises(tg.OutOfBounds, match=r"bound \d+ of axis .*, which splits a pair"):
        between.interpret(q, out, lo, hi, M=24, B=64)


@tg.kernel(grid=lambda q: (1,))
def padded(q: "M K", x: "32 64") -> None:
    tg.store(x, (0, 0), tg.load(q, (0, 0), (32, 64), pad=-3.0).to(tg.f32))


def test_padding(device: Any) -> None:
    """What lies outside is the pad, in both halves of a byte."""
    codes = np.random.default_rng(6).integers(0, 16, (20, 50), dtype=np.uint8)
    expected = np.full((32, 64), -3, np.float32)
    expected[:20, :50] = codes.view(tg.f4e2m1.numpy).astype(np.float32)
    for kernel in (padded, padded.interpret):
        x = np.zeros((32, 64), np.float32)
        kernel(tg.packed(join(codes, 1)), x)
        np.testing.assert_array_equal(x, expected)


@tg.kernel(grid=lambda x, BM, BK: tg.num_tiles(x, (BM, BK)))
def mx_quantize_k(
    x: "M K", q: "M K", s: "M K/32", *, mode: tg.const, BM: tg.tile = 64, BK: tg.tile = 128
) -> None:
    m, k = tg.tile_id(x, (BM, BK))
    codes, scales = tg.quantize(tg.load(x, (m, k), (BM, BK)), q.dtype, axis=1, block=32, mode=mode)
    tg.store(q, (m, k), codes)
    tg.store(s, (m, k), scales)


@pytest.mark.parametrize("mode", ["floor", "ceil", "even", "rceil"])
def test_mxfp4(device: Any, mode: str) -> None:
    """Blocks of 32 along K, codes two a byte; as torch's own type, too."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((70, 352)) * np.exp2(rng.integers(-120, 110, (70, 1)))
    x = x.astype(np.float32)
    scales, codes = mx_quantize(x, "e2m1", mode)
    for kernel in (mx_quantize_k, mx_quantize_k.interpret):
        q, s = np.zeros((70, 176), np.uint8), np.zeros((70, 11), tg.e8m0.numpy)
        kernel(x, tg.packed(q), s, mode=mode)
        np.testing.assert_array_equal(s.view(np.uint8), scales)
        np.testing.assert_array_equal(q, join(codes, 1))
        bytes_ = torch.zeros((70, 176), dtype=torch.uint8)
        t = torch.zeros((70, 11), dtype=torch.float8_e8m0fnu)
        kernel(torch.from_numpy(x), bytes_.view(torch.float4_e2m1fn_x2), t, mode=mode)
        np.testing.assert_array_equal(bytes_.numpy(), q)


def test_arguments(device: Any) -> None:
    x = np.zeros((4, 8), np.float32)
    with pytest.raises(tg.ArgumentError, match="K = 6"):
        narrowed(x, tg.packed(np.zeros((4, 3), np.uint8)))
    with pytest.raises(tg.ArgumentError, match="axis of stride 1"):
        narrowed(x, tg.packed(np.zeros((4, 8), np.uint8))[:, ::2])
    with pytest.raises(tg.ArgumentError, match="uint8"):
        tg.packed(x)
    with pytest.raises(tg.ArgumentError, match="stride 1"):
        tg.array(tg.f8e4m3fn, 2, packed=True)
    signature = tg.Signature(
        x=tg.array(tg.f32, 2), q=tg.array(tg.f4e2m1, 2, packed=True), BM=16, BK=64
    )
    text = narrowed.trace(signature, target=device.target).text
    assert '!tile.view<?x?xi8, names = ["M", "K/2"]' in text


def test_nothing(device: Any) -> None:
    """Arrays without elements have no strides to speak of."""
    for kernel in (narrowed, narrowed.interpret):
        kernel(np.zeros((0, 64), np.float32), tg.packed(np.zeros((0, 32), np.uint8)))
