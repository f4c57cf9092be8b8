"""TorchAO's FP8 quantizers under their names, as ``tegula::`` ops.

Shapes, strides and bytes are TorchAO's. Codes of any f8 type; scales are float32: the largest
number of the type over the largest magnitude, by which x was multiplied, and of blockwise ones the
reciprocal. x is f32, f16 or bf16. What is not taken raises ``tegula.ArgumentError``. No op has a
gradient. Source: torchao's ``prototype.moe_training.kernels`` and
``prototype.blockwise_fp8_training.kernels``.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .. import kernels
from . import reporting
from .eligibility import blocks_reason
from .ops import DEVICES, by_columns, ends_reason, require

SIDE = 128  # of a block
FEW = 256  # workgroups that leave a GPU idle: the rows of a group are shared then
CODES = (
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
)


def _reason(x: Tensor, rank: int, dtype: torch.dtype, whole: tuple[int, ...] = ()) -> str | None:
    if dtype not in CODES:
        return f"codes of {dtype} are not one of {', '.join(map(str, CODES))}"
    return blocks_reason(x, rank, whole, SIDE)


# --- Groups ----------------------------------------------------------------------------------


@torch.library.custom_op("tegula::fp8_quantize_groups", mutates_args=(), device_types=DEVICES)
def fp8_quantize_groups(
    x: Tensor, offs: Tensor, dtype: torch.dtype, pow2: bool
) -> tuple[Tensor, Tensor]:
    """Codes (R, K) with strides (1, R), scales (G, K) of groups of rows that end at ``offs``.

    Rows behind the last group have no codes: what lies there is undefined.
    """
    reason = _reason(x, 2, dtype) or ends_reason(offs, x.shape[0])
    require("fp8_quantize_groups", reason)
    q, scale = _group_outputs(x, offs, dtype)
    tiles = scale.shape[0] * -(-scale.shape[1] // 128)
    if tiles < FEW <= tiles * (x.shape[0] // 512):
        amax = torch.zeros_like(scale)
        kernels.fp8_group_largest(x, amax, offs)
        kernels.fp8_group_columns_apart(x, amax, q, scale, offs, pow2=pow2)
    else:
        kernels.fp8_group_columns(x, q, scale, offs, pow2=pow2)
    reporting.count("fp8_quantize_groups", reporting.TEGULA)
    return q, scale


def _group_outputs(x: Tensor, offs: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    scale = x.new_empty((offs.shape[0], x.shape[1]), dtype=torch.float32)
    return by_columns(x, x.shape, dtype), scale


@fp8_quantize_groups.register_fake
def _(x: Tensor, offs: Tensor, dtype: torch.dtype, pow2: bool) -> tuple[Tensor, Tensor]:
    return _group_outputs(x, offs, dtype)


def triton_fp8_per_group_colwise_scales(
    hp_tensor: Tensor,
    offsets: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (M, N) column by column, flat scales (G·N) of groups of rows: that of n at g·N + n."""
    q, scale = fp8_quantize_groups(hp_tensor, offsets, output_dtype, round_scales_to_power_of_2)
    return q, scale.view(-1)


def triton_fp8_per_group_colwise_scales_dual(
    hp_tensor_1: Tensor,
    hp_tensor_2: Tensor,
    offsets: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Codes and scales of one tensor (M, N1), then those of another (M, N2) with the same groups.

    As ``triton_fp8_per_group_colwise_scales`` of each, by a launch for each.
    """
    how = offsets, output_dtype, round_scales_to_power_of_2
    first = triton_fp8_per_group_colwise_scales(hp_tensor_1, *how)
    return *first, *triton_fp8_per_group_colwise_scales(hp_tensor_2, *how)


def triton_fp8_per_group_rowwise_scales(
    hp_tensor: Tensor,
    offsets: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) row by row, flat scales (G·M) of groups of columns: that of m at g·M + m."""
    require("triton_fp8_per_group_rowwise_scales", _reason(hp_tensor, 2, output_dtype))
    turned = hp_tensor.t()
    q, scale = fp8_quantize_groups(turned, offsets, output_dtype, round_scales_to_power_of_2)
    return q.t(), scale.view(-1)


# --- Rows ------------------------------------------------------------------------------------


@torch.library.custom_op(
    "tegula::triton_fp8_rowwise_2d_scale_and_cast", mutates_args=(), device_types=DEVICES
)
def triton_fp8_rowwise_2d_scale_and_cast(
    hp_tensor: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) row by row and scales (M, 1) of rows. One launch, which reads x twice."""
    require("triton_fp8_rowwise_2d_scale_and_cast", _reason(hp_tensor, 2, output_dtype))
    q, scale = _row_outputs(hp_tensor, output_dtype)
    kernels.fp8_quantize_rows(hp_tensor, q, scale, pow2=round_scales_to_power_of_2)
    reporting.count("triton_fp8_rowwise_2d_scale_and_cast", reporting.TEGULA)
    return q, scale


def _row_outputs(x: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    scale = x.new_empty((x.shape[0], 1), dtype=torch.float32)
    return x.new_empty(x.shape, dtype=dtype), scale


@triton_fp8_rowwise_2d_scale_and_cast.register_fake
def _(
    hp_tensor: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    return _row_outputs(hp_tensor, output_dtype)


# --- Experts ---------------------------------------------------------------------------------


@torch.library.custom_op(
    "tegula::triton_fp8_rowwise_3d_transpose_rhs", mutates_args=(), device_types=DEVICES
)
def triton_fp8_rowwise_3d_transpose_rhs(
    hp_tensor: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (E, N, K) with strides (N·K, 1, N) of hp_tensor (E, K, N), scales (E, K) over N.

    One launch, which reads hp_tensor twice.
    """
    require("triton_fp8_rowwise_3d_transpose_rhs", _reason(hp_tensor, 3, output_dtype))
    q, scale = _expert_outputs(hp_tensor, output_dtype)
    x = hp_tensor.transpose(1, 2)
    kernels.fp8_expert_columns(x, q, scale, pow2=round_scales_to_power_of_2)
    reporting.count("triton_fp8_rowwise_3d_transpose_rhs", reporting.TEGULA)
    return q, scale


def _expert_outputs(x: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    e, k, n = x.shape
    return by_columns(x, (e, n, k), dtype), x.new_empty((e, k), dtype=torch.float32)


@triton_fp8_rowwise_3d_transpose_rhs.register_fake
def _(
    hp_tensor: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    return _expert_outputs(hp_tensor, output_dtype)


#: TorchAO's form without atomics has another name; there is but one here.
triton_fp8_rowwise_3d_transpose_rhs_fused_reduction = triton_fp8_rowwise_3d_transpose_rhs


def triton_fp8_colwise_3d_scale_and_cast(
    hp_tensor: Tensor,
    output_dtype: torch.dtype = torch.float8_e4m3fn,
    round_scales_to_power_of_2: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (E, K, N) with strides (K·N, 1, K) of hp_tensor (E, K, N), scales (E, 1, N) over K.

    One launch, which reads hp_tensor twice.
    """
    require("triton_fp8_colwise_3d_scale_and_cast", _reason(hp_tensor, 3, output_dtype))
    turned = hp_tensor.transpose(1, 2)
    q, scale = triton_fp8_rowwise_3d_transpose_rhs(turned, output_dtype, round_scales_to_power_of_2)
    return q, scale.unsqueeze(1)


# --- Blocks ----------------------------------------------------------------------------------

_BLOCKS = {
    (1, SIDE): kernels.fp8_quantize_1x128,
    (SIDE, 1): kernels.fp8_quantize_128x1,
    (SIDE, SIDE): kernels.fp8_quantize_128x128,
}


@torch.library.custom_op("tegula::fp8_quantize_blocks", mutates_args=(), device_types=DEVICES)
def fp8_quantize_blocks(
    x: Tensor, rows: int, columns: int, dtype: torch.dtype, by_column: bool
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) and reciprocals (M/rows, K/columns) of blocks: 1 × 128, 128 × 1, 128 × 128.

    Codes lie column by column where ``by_column``, reciprocals do but those of 128 × 1.
    """
    whole = tuple(axis for axis, side in enumerate((rows, columns)) if side > 1)
    reason = _reason(x, 2, dtype, whole)
    if (rows, columns) not in _BLOCKS:
        reason = f"blocks of {rows} × {columns} are not 1 × 128, 128 × 1 or 128 × 128"
    require("fp8_quantize_blocks", reason)
    q, inverse = _block_outputs(x, rows, columns, dtype, by_column)
    _BLOCKS[rows, columns](x, q, inverse)
    reporting.count("fp8_quantize_blocks", reporting.TEGULA)
    return q, inverse


def _block_outputs(
    x: Tensor, rows: int, columns: int, dtype: torch.dtype, by_column: bool
) -> tuple[Tensor, Tensor]:
    def new(shape: Sequence[int], kind: torch.dtype, turned: bool) -> Tensor:
        return by_columns(x, shape, kind) if turned else x.new_empty(shape, dtype=kind)

    scales = x.shape[0] // rows, x.shape[1] // columns
    return new(x.shape, dtype, by_column), new(scales, torch.float32, columns > 1)


@fp8_quantize_blocks.register_fake
def _(
    x: Tensor, rows: int, columns: int, dtype: torch.dtype, by_column: bool
) -> tuple[Tensor, Tensor]:
    return _block_outputs(x, rows, columns, dtype, by_column)


def _side_reason(block_size: int) -> str | None:
    return None if block_size == SIDE else f"block_size {block_size} is not {SIDE}"


def triton_fp8_blockwise_act_quant_lhs(
    x: Tensor, block_size: int = SIDE, dtype: torch.dtype = torch.float8_e4m3fn
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) row by row, reciprocals (M, K/128) with strides (1, M), of 128 along K."""
    require("triton_fp8_blockwise_act_quant_lhs", _side_reason(block_size))
    found: tuple[Tensor, Tensor] = fp8_quantize_blocks(x, 1, SIDE, dtype, False)
    return found


def triton_fp8_blockwise_act_quant_rhs(
    x: Tensor, block_size: int = SIDE, dtype: torch.dtype = torch.float8_e4m3fn
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) column by column, reciprocals (M/128, K) row by row, of 128 along M."""
    require("triton_fp8_blockwise_act_quant_rhs", _side_reason(block_size))
    found: tuple[Tensor, Tensor] = fp8_quantize_blocks(x, SIDE, 1, dtype, True)
    return found


def triton_fp8_blockwise_act_quant_transposed_lhs(
    x: Tensor, block_size: int = SIDE, dtype: torch.dtype = torch.float8_e4m3fn
) -> tuple[Tensor, Tensor]:
    """Codes (K, M) row by row, reciprocals (K, M/128) with strides (1, K), of 128 along M."""
    require("triton_fp8_blockwise_act_quant_transposed_lhs", _side_reason(block_size))
    q, inverse = fp8_quantize_blocks(x, SIDE, 1, dtype, True)
    return q.t(), inverse.t()


def triton_fp8_blockwise_weight_quant_rhs(
    x: Tensor, block_size: int = SIDE, dtype: torch.dtype = torch.float8_e4m3fn
) -> tuple[Tensor, Tensor]:
    """Codes (M, N) and reciprocals (M/128, N/128), both column by column, of 128 × 128."""
    require("triton_fp8_blockwise_weight_quant_rhs", _side_reason(block_size))
    found: tuple[Tensor, Tensor] = fp8_quantize_blocks(x, SIDE, SIDE, dtype, True)
    return found


def triton_fp8_blockwise_weight_quant_transposed_rhs(
    x: Tensor, block_size: int = SIDE, dtype: torch.dtype = torch.float8_e4m3fn
) -> tuple[Tensor, Tensor]:
    """Codes (N, M) and reciprocals (N/128, M/128), both column by column, of 128 × 128 of x."""
    require("triton_fp8_blockwise_weight_quant_transposed_rhs", _side_reason(block_size))
    found: tuple[Tensor, Tensor] = fp8_quantize_blocks(x.t(), SIDE, SIDE, dtype, True)
    return found
