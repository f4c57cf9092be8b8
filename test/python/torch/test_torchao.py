"""TorchAO's quantizers under their names: bytes, shapes, strides, opcheck, refusals.

The bytes of kernels have their own tests; these hold the ops against the reference of the document.
"""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tegula
from tegula.torch import torchao, torchao_fp8

own = torch.ops.tegula
BF16, E4M3, E8M0 = torch.bfloat16, torch.float8_e4m3fn, torch.float8_e8m0fnu


def _reference() -> Any:
    path = Path(__file__).parents[2] / "numerics" / "formats_reference.py"
    spec = importlib.util.spec_from_file_location("formats_reference", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ref = _reference()


def random(*shape: int) -> torch.Tensor:
    return (torch.randn(shape) * 30).to(BF16)


def bits(x: torch.Tensor) -> np.ndarray:
    return x.contiguous().view(torch.uint8).numpy()


def wide(x: torch.Tensor) -> np.ndarray:
    return x.contiguous().float().numpy()


@pytest.mark.parametrize("mode", ["floor", "rceil"])
@pytest.mark.parametrize("shape", [(1, 2048), (128, 4096), (64, 2080)])
def test_1x32(device: Any, shape: tuple[int, int], mode: str) -> None:
    x = random(*shape)
    q, s = torchao.mxfp8_quantize_2d_1x32_flydsl(x, scaling_mode=mode)
    scales, codes = ref.mx_quantize(wide(x), "e4m3fn", mode)
    assert (q.dtype, s.dtype, q.stride()) == (E4M3, E8M0, (shape[1], 1))
    np.testing.assert_array_equal(bits(s), scales)
    np.testing.assert_array_equal(bits(q), codes)


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("shape", [(32, 256), (128, 5120), (64, 1408)])
def test_32x1(device: Any, shape: tuple[int, int], blocked: bool) -> None:
    x = random(*shape)
    q, s = torchao.mxfp8_quantize_2d_32x1_flydsl(x, blocked_scale_output=blocked)
    scales, codes = ref.mx_quantize(wide(x.t()), "e4m3fn", "rceil")
    assert q.shape == shape and q.stride() == (1, shape[0])
    expected = ref.to_blocked(scales) if blocked else scales
    np.testing.assert_array_equal(bits(s).ravel(), expected.ravel())
    np.testing.assert_array_equal(bits(q.t()), codes)


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("k_side", [1, 32])
@pytest.mark.parametrize("shape", [(1, 32, 256), (4, 64, 1024), (2, 64, 1408)])
def test_3d(device: Any, shape: tuple[int, int, int], k_side: int, blocked: bool) -> None:
    x, (e, n, k) = random(*shape), shape
    q, s = torchao.mxfp8_quantize_3d_flydsl(
        x, scale_block_dim2=k_side, blocked_scale_output=blocked
    )
    split = wide(x).reshape(e, n // 32, 32, k // k_side, k_side).transpose(0, 1, 3, 2, 4)
    flat = split.reshape(e, n // 32, k // k_side, 32 * k_side)
    scales, codes = ref.mx_quantize(flat, "e4m3fn", "rceil", 32 * k_side)
    scales = scales[..., 0]
    codes = codes.reshape(split.shape).transpose(0, 1, 3, 2, 4).reshape(shape)
    assert q.stride() == (n * k, 1, n)
    np.testing.assert_array_equal(bits(q), codes)
    if blocked:
        rows = np.repeat(scales, k_side, axis=2).swapaxes(1, 2)
        scales = np.stack([ref.to_blocked(one) for one in rows])
    assert s.shape == scales.shape
    np.testing.assert_array_equal(bits(s), scales)


@pytest.mark.parametrize("dtype", [E8M0, torch.uint8])
def test_orders_of_scales(device: Any, dtype: torch.dtype) -> None:
    scales = torch.randint(1, 255, (3, 130, 8), dtype=torch.uint8)
    typed, one = scales.view(dtype), scales[0].numpy()
    blocked = torchao.to_blocked(typed[0])
    assert blocked.dtype == dtype and blocked.ndim == 1
    np.testing.assert_array_equal(bits(blocked), ref.to_blocked(one))
    several = torchao.triton_mx_block_rearrange_per_group_3d(typed)
    np.testing.assert_array_equal(
        bits(several), np.stack([ref.to_blocked(s) for s in scales.numpy()])
    )
    rows = torchao.triton_mx_block_rearrange_2d_M_groups(typed[0], torch.tensor([3, 3, 130]))
    np.testing.assert_array_equal(bits(rows), ref.to_blocked_m_groups(one, [3, 3, 130])[0])
    columns = torchao.triton_mx_block_rearrange_2d_K_groups(typed[0], torch.tensor([3, 8]))
    np.testing.assert_array_equal(bits(columns), ref.to_blocked_k_groups(one, [3, 8])[0])


@pytest.mark.parametrize(("rows", "ends"), [(300, (5, 5, 300)), (16_640, (16_000, 16_640))])
def test_groups(device: Any, rows: int, ends: tuple[int, ...]) -> None:
    """Of few rows by one kernel, of many by two that share the rows of a group."""
    x, offs = random(rows, 48), torch.tensor(ends, dtype=torch.int32)
    q, s = torchao_fp8.triton_fp8_per_group_colwise_scales(x, offs, E4M3, True)
    turned, same = torchao_fp8.triton_fp8_per_group_rowwise_scales(x.t(), offs, E4M3, True)
    assert q.stride() == (1, rows) and turned.stride() == (rows, 1)
    assert torch.equal(turned.view(torch.uint8), q.t().view(torch.uint8)) and torch.equal(s, same)
    for g, (lo, hi) in enumerate(pairwise((0, *ends))):
        part = wide(x[lo:hi])
        scale = ref.fp8_scale(np.abs(part).max(axis=0, initial=0), "e4m3fn", True)
        np.testing.assert_array_equal(s[g * 48 : (g + 1) * 48].numpy(), scale)
        np.testing.assert_array_equal(bits(q[lo:hi]), ref.fp8_cast(part, scale, "e4m3fn"))


def test_groups_of_two(device: Any) -> None:
    x, y, offs = random(70, 48), random(70, 33), torch.tensor([16, 70])
    found = torchao_fp8.triton_fp8_per_group_colwise_scales_dual(x, y, offs, E4M3, True)
    for tensor, q, s in ((x, *found[:2]), (y, *found[2:])):
        expected = torchao_fp8.triton_fp8_per_group_colwise_scales(tensor, offs, E4M3, True)
        assert q.stride() == (1, 70) and torch.equal(s, expected[1])
        assert torch.equal(q.view(torch.uint8), expected[0].view(torch.uint8))


@pytest.mark.parametrize("pow2", [False, True])
def test_experts(device: Any, pow2: bool) -> None:
    x = random(3, 80, 64)
    q, s = torchao_fp8.triton_fp8_rowwise_3d_transpose_rhs(x.transpose(1, 2), E4M3, pow2)
    assert q.shape == (3, 80, 64) and q.stride() == (80 * 64, 1, 80)
    scale = ref.fp8_scale(np.abs(wide(x)).max(axis=1), "e4m3fn", pow2)
    np.testing.assert_array_equal(s.numpy(), scale)
    np.testing.assert_array_equal(bits(q), ref.fp8_cast(wide(x), scale[:, None], "e4m3fn"))


@pytest.mark.parametrize("pow2", [False, True])
def test_expert_weights(device: Any, pow2: bool) -> None:
    """As a forward product takes them, column by column: a scale for each expert and column."""
    weights = random(3, 64, 80)
    x = weights.transpose(1, 2)
    q, s = torchao_fp8.triton_fp8_colwise_3d_scale_and_cast(x, E4M3, pow2)
    assert q.shape == (3, 80, 64) and q.stride() == (80 * 64, 1, 80) and s.shape == (3, 1, 64)
    scale = ref.fp8_scale(np.abs(wide(x)).max(axis=1, keepdims=True), "e4m3fn", pow2)
    np.testing.assert_array_equal(s.numpy(), scale)
    np.testing.assert_array_equal(bits(q), ref.fp8_cast(wide(x), scale, "e4m3fn"))


@pytest.mark.parametrize("dtype", [E4M3, torch.float8_e4m3fnuz])
@pytest.mark.parametrize("shape", [(1, 16), (37, 1000), (4, 0), (0, 16)])
def test_rows(device: Any, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x, name = random(*shape), str(dtype).rpartition("_")[2]
    for source in (x, x.t().contiguous().t()):
        q, s = torchao_fp8.triton_fp8_rowwise_2d_scale_and_cast(source, dtype, True)
        assert q.stride() == (max(shape[1], 1), 1) and s.shape == (shape[0], 1)
        scale = ref.fp8_scale(np.abs(wide(x)).max(axis=1, keepdims=True, initial=0), name, True)
        np.testing.assert_array_equal(s.numpy(), scale)
        np.testing.assert_array_equal(bits(q), ref.fp8_cast(wide(x), scale, name))


def inverses(x: np.ndarray, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    m, k = x.shape
    tiles = x.reshape(m // rows, rows, k // columns, columns)
    scale = ref.fp8_scale(np.abs(tiles).max(axis=(1, 3)), "e4m3fn", False)
    codes = ref.fp8_cast(tiles, scale[:, None, :, None], "e4m3fn").reshape(m, k)
    return codes, (np.float32(1) / scale).astype(np.float32)


def test_blocks(device: Any) -> None:
    x = random(256, 384)
    for function, source, sides, strides in (
        (torchao_fp8.triton_fp8_blockwise_act_quant_lhs, x, (1, 128), ((384, 1), (1, 256))),
        (torchao_fp8.triton_fp8_blockwise_act_quant_rhs, x, (128, 1), ((1, 256), (384, 1))),
        (torchao_fp8.triton_fp8_blockwise_weight_quant_rhs, x, (128, 128), ((1, 256), (1, 2))),
        (
            torchao_fp8.triton_fp8_blockwise_act_quant_transposed_lhs,
            x.t(),
            (1, 128),
            ((256, 1), (1, 384)),
        ),
        (
            torchao_fp8.triton_fp8_blockwise_weight_quant_transposed_rhs,
            x.t(),
            (128, 128),
            ((1, 384), (1, 3)),
        ),
    ):
        q, inverse = function(x)
        codes, expected = inverses(wide(source), *sides)
        assert (q.stride(), inverse.stride()) == strides, function.__name__
        np.testing.assert_array_equal(bits(q), codes)
        np.testing.assert_array_equal(inverse.contiguous().numpy(), expected)


def test_opcheck(device: Any) -> None:
    x, offs = random(64, 96), torch.tensor([32, 64], dtype=torch.int32)
    scales = torch.zeros(64, 8, dtype=torch.uint8)
    for op, arguments in (
        (own.mxfp8_quantize_2d_1x32, (x,)),
        (own.mxfp8_quantize_2d_32x1, (x, 32, "floor", 2, True)),
        (own.mxfp8_quantize_3d, (x[None], 32, 32, 1, "rceil", 2, True)),
        (own.mxfp8_quantize_3d, (x[None], 32, 32, 32)),
        (own.to_blocked, (scales,)),
        (own.to_blocked_groups, (scales, offs, False)),
        (own.to_blocked_groups, (scales, offs // 16, True)),
        (own.fp8_quantize_groups, (x, offs, E4M3, True)),
        (own.triton_fp8_rowwise_3d_transpose_rhs, (x[None],)),
        (own.triton_fp8_rowwise_2d_scale_and_cast, (x, torch.float8_e5m2, True)),
        (own.fp8_quantize_blocks, (random(128, 128), 128, 1, E4M3, True)),
    ):
        torch.library.opcheck(op.default, arguments)


def test_traces_whole(device: Any) -> None:
    def both(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (*torchao.mxfp8_quantize_2d_1x32(x), *torchao.mxfp8_quantize_2d_32x1(x))

    x = random(64, 96)
    found = torch.compile(both, backend="eager", fullgraph=True)(x)
    for one, other in zip(found, both(x), strict=True):
        assert torch.equal(one.view(torch.uint8), other.view(torch.uint8))


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_groups_of_whole_blocks(device: Any, kind: torch.dtype) -> None:
    """What each group gives by itself, its scales blocked by themselves."""
    x, ends = random(224, 96), (32, 32, 128, 224)
    offs = torch.tensor(ends, dtype=kind)
    q, s = torchao.mxfp8_quantize_2d_32x1(x, offs=offs)
    blocked = torchao.triton_mx_block_rearrange_2d_K_groups(s, offs // 32)
    expected, _ = ref.to_blocked_k_groups(s.view(torch.uint8).numpy(), [end // 32 for end in ends])
    assert np.array_equal(blocked.view(torch.uint8).numpy(), expected)
    for lo, hi in pairwise((0, *ends)):
        own_q, own_s = torchao.mxfp8_quantize_2d_32x1(x[lo:hi])
        assert torch.equal(q[lo:hi].view(torch.uint8), own_q.view(torch.uint8))
        part = s[:, lo // 32 : hi // 32]
        assert torch.equal(part.view(torch.uint8), own_s.view(torch.uint8))
    plain = torchao.mxfp8_quantize_2d_1x32(x)
    ragged = torchao.mxfp8_quantize_2d_1x32(x, offs=torch.tensor([5, 70], dtype=kind))
    for one, other in zip(plain, ragged, strict=True):
        assert torch.equal(one.view(torch.uint8), other.view(torch.uint8))


def test_nothing(device: Any) -> None:
    q, s = torchao.mxfp8_quantize_2d_32x1(random(0, 64), blocked_scale_output=True)
    assert q.shape == (0, 64) and s.shape == (128, 0)
    assert torchao.to_blocked(torch.zeros(0, 4, dtype=torch.uint8)).numel() == 0


half = torch.ones(32, 64, dtype=BF16)
OFFS = torch.tensor([32])
DOWN = torch.tensor([20, 16, 32])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torchao.mxfp8_quantize_2d_32x1(half[:1]), "must be a multiple of block_size"),
        (lambda: torchao.mxfp8_quantize_2d_32x1(half[:16]), "must be a multiple of block_size"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half[:, :33]), "must be a multiple of block_size"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half.double()), "float64"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half[None]), "3 axes"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half, 16), "block_size 16"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half, scaling_mode="nearest"), "nearest"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half, offs=OFFS.float()), "float32"),
        (lambda: torchao.mxfp8_quantize_2d_32x1(half, offs=OFFS[None]), "2-D"),
        (lambda: torchao.mxfp8_quantize_2d_32x1(half, offs=OFFS - 8), "groups end at .24"),
        (lambda: torchao.mxfp8_quantize_3d(half[None], scale_block_dim2=16), "32 × 16"),
        (lambda: torchao.mxfp8_quantize_2d_1x32(half, offs=OFFS + 1), "groups end at .33"),
        (lambda: torchao.to_blocked(half), "bfloat16"),
        (lambda: torchao.triton_mx_block_rearrange_2d_M_groups(half.byte(), DOWN), "must ascend"),
        (lambda: torchao.triton_mx_block_rearrange_2d_K_groups(half.byte(), OFFS + 33), "0 to 64"),
        (lambda: torchao.triton_mx_block_rearrange_2d_M_groups(half.byte(), half[0]), "offsets"),
        (lambda: torchao.triton_mx_block_rearrange_per_group_3d(half.byte()), "2 axes"),
        (lambda: torchao_fp8.triton_fp8_per_group_colwise_scales(half, half[0]), "offsets"),
        (lambda: torchao_fp8.triton_fp8_per_group_colwise_scales(half, OFFS - 33), "end at .-1"),
        (lambda: torchao_fp8.triton_fp8_per_group_colwise_scales(half, DOWN), "must ascend"),
        (lambda: torchao_fp8.triton_fp8_per_group_colwise_scales(half, OFFS + 1), "0 to 32"),
        (lambda: torchao_fp8.triton_fp8_per_group_rowwise_scales(half, OFFS, BF16), "bfloat16"),
        (lambda: torchao_fp8.triton_fp8_rowwise_3d_transpose_rhs(half), "2 axes"),
        (lambda: torchao_fp8.triton_fp8_colwise_3d_scale_and_cast(half), "2 axes"),
        (lambda: torchao_fp8.triton_fp8_rowwise_2d_scale_and_cast(half[None]), "3 axes"),
        (lambda: torchao_fp8.triton_fp8_blockwise_act_quant_lhs(half), "block_size 128"),
        (lambda: torchao_fp8.triton_fp8_blockwise_act_quant_lhs(half, 64), "block_size 64"),
    ],
)
def test_what_is_not_taken(device: Any, call: Any, words: str) -> None:
    with pytest.raises(tegula.ArgumentError, match=words):
        call()
