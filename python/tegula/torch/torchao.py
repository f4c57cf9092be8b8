"""TorchAO's MXFP8 quantizers and orders of scales under their names, as ``tegula::`` ops.

Shapes, strides and bytes are TorchAO's. Codes are float8_e4m3fn with scales of float8_e8m0fnu for
blocks of 32; x is f32, f16 or bf16. ``stage_count`` tunes a peer's kernel and does nothing here;
what is not taken raises ``tegula.ArgumentError``. No op has a gradient. Source: torchao's
``prototype.moe_training.kernels.mxfp8``.
"""

from __future__ import annotations

import torch
from torch import Tensor

import tegula
from tegula.language.quantize import MODES

from .. import kernels
from . import reporting
from .eligibility import blocks_reason
from .ops import DEVICES, by_columns, ends_reason, require

BLOCK = 32  # elements that share a scale
_MX, _SCALE = torch.float8_e4m3fn, torch.float8_e8m0fnu


def _mx_reason(
    x: Tensor, rank: int, multiples: tuple[int, ...], block_size: int, mode: str
) -> str | None:
    if block_size != BLOCK:
        return f"block_size {block_size} is not {BLOCK}"
    if mode not in MODES:
        return f"scaling_mode '{mode}' is not one of {', '.join(MODES)}"
    return blocks_reason(x, rank, multiples, BLOCK)


def _up(extent: int, size: int) -> int:
    return -(-extent // size) * size


def _blocked(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Zeros for scales (…, R, C) in blocks of 128 × 4."""
    rows, columns = _up(shape[-2], 128), _up(shape[-1], 4)
    extents = (rows, columns) if len(shape) == 2 else (shape[0], rows * columns)
    return x.new_zeros(extents, dtype=torch.uint8).view(_SCALE)


def _stored(scales: Tensor, shape: tuple[int, ...]) -> tegula.Scales:
    return tegula.Scales(scales, layout="blocked_128x4", shape=shape)


# --- MX --------------------------------------------------------------------------------------


@torch.library.custom_op("tegula::mxfp8_quantize_2d_1x32", mutates_args=(), device_types=DEVICES)
def mxfp8_quantize_2d_1x32(
    x: Tensor,
    block_size: int = 32,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    offs: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) and scales (M, K/32) of blocks along K; K is a multiple of 32.

    ``offs``, where groups of rows end, changes nothing: no block has elements of two rows.
    """
    reason = _mx_reason(x, 2, (1,), block_size, scaling_mode)
    if reason is None and offs is not None:
        reason = ends_reason(offs, x.shape[0])
    require("mxfp8_quantize_2d_1x32", reason)
    q, s = _row_outputs(x)
    kernels.mx_quantize_rows(x, q, s, mode=scaling_mode)
    reporting.count("mxfp8_quantize_2d_1x32", reporting.TEGULA)
    return q, s


def _row_outputs(x: Tensor) -> tuple[Tensor, Tensor]:
    m, k = x.shape
    return x.new_empty((m, k), dtype=_MX), x.new_empty((m, k // BLOCK), dtype=_SCALE)


@mxfp8_quantize_2d_1x32.register_fake
def _(
    x: Tensor,
    block_size: int = 32,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    offs: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    return _row_outputs(x)


@torch.library.custom_op("tegula::mxfp8_quantize_2d_32x1", mutates_args=(), device_types=DEVICES)
def mxfp8_quantize_2d_32x1(
    x: Tensor,
    block_size: int = 32,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    blocked_scale_output: bool = False,
    offs: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Codes (M, K) with strides (1, M), scales (K, M/32) of blocks along M.

    M and K are multiples of 32. With ``blocked_scale_output`` the scales lie in blocks of 128 × 4,
    padded with zeros. ``offs``, int32 or int64, is where groups of rows end, at multiples of 32 (on
    a GPU the caller's duty), so that a block is of one group, which has the scales
    offs[g-1]/32 … offs[g]/32: ``triton_mx_block_rearrange_2d_K_groups`` blocks them by groups.
    """
    reason = _mx_reason(x, 2, (0, 1), block_size, scaling_mode)
    if reason is None and offs is not None:
        reason = ends_reason(offs, x.shape[0], BLOCK)
    require("mxfp8_quantize_2d_32x1", reason)
    q, s = _column_outputs(x, blocked_scale_output)
    if x.numel():
        at = _stored(s, (x.shape[1], x.shape[0] // BLOCK)) if blocked_scale_output else s
        kernels.mx_quantize_columns(x, q, at.T, mode=scaling_mode)
    reporting.count("mxfp8_quantize_2d_32x1", reporting.TEGULA)
    return q, s


def _column_outputs(x: Tensor, blocked: bool) -> tuple[Tensor, Tensor]:
    shape = x.shape[1], x.shape[0] // BLOCK
    scales = _blocked(x, shape) if blocked else x.new_empty(shape, dtype=_SCALE)
    return by_columns(x, x.shape, _MX), scales


@mxfp8_quantize_2d_32x1.register_fake
def _(
    x: Tensor,
    block_size: int = 32,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    blocked_scale_output: bool = False,
    offs: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    return _column_outputs(x, blocked_scale_output)


@torch.library.custom_op("tegula::mxfp8_quantize_3d", mutates_args=(), device_types=DEVICES)
def mxfp8_quantize_3d(
    x: Tensor,
    block_size: int = 32,
    scale_block_dim1: int = 32,
    scale_block_dim2: int = 1,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    blocked_scale_output: bool = False,
) -> tuple[Tensor, Tensor]:
    """Codes (E, N, K) with strides (N·K, 1, N), scales of blocks along N, or of 32 × 32.

    Scales are (E, N/32, K), or (E, N/32, K/32) with ``scale_block_dim2`` = 32; with
    ``blocked_scale_output`` they are, for each K and N/32, in blocks of 128 × 4: (E, bytes). N and
    K are multiples of 32.
    """
    reason = _mx_reason(x, 3, (1, 2), block_size, scaling_mode)
    if (scale_block_dim1, scale_block_dim2) not in ((BLOCK, 1), (BLOCK, BLOCK)):
        reason = f"blocks of {scale_block_dim1} × {scale_block_dim2} are not 32 × 1 or 32 × 32"
    require("mxfp8_quantize_3d", reason)
    squares = scale_block_dim2 == BLOCK
    q, s = _expert_outputs(x, squares, blocked_scale_output)
    e, n, k = x.shape
    if x.numel() and squares:
        plain = s if not blocked_scale_output else _expert_outputs(x, True, False)[1]
        kernels.mx_quantize_expert_squares(x, q, plain, mode=scaling_mode)
        if blocked_scale_output:
            rows = plain.view(torch.uint8).repeat_interleave(BLOCK, 2).view(_SCALE)
            kernels.copy_scales(rows.transpose(1, 2), _stored(s, (e, k, n // BLOCK)))
    elif x.numel():
        at = _stored(s, (e, k, n // BLOCK)).mT if blocked_scale_output else s
        kernels.mx_quantize_experts(x, q, at, mode=scaling_mode)
    reporting.count("mxfp8_quantize_3d", reporting.TEGULA)
    return q, s


def _expert_outputs(x: Tensor, squares: bool, blocked: bool) -> tuple[Tensor, Tensor]:
    e, n, k = x.shape
    if blocked:
        return by_columns(x, x.shape, _MX), _blocked(x, (e, k, n // BLOCK))
    shape = (e, n // BLOCK, k // BLOCK if squares else k)
    return by_columns(x, x.shape, _MX), x.new_empty(shape, dtype=_SCALE)


@mxfp8_quantize_3d.register_fake
def _(
    x: Tensor,
    block_size: int = 32,
    scale_block_dim1: int = 32,
    scale_block_dim2: int = 1,
    scaling_mode: str = "rceil",
    stage_count: int = 2,
    blocked_scale_output: bool = False,
) -> tuple[Tensor, Tensor]:
    return _expert_outputs(x, scale_block_dim2 == BLOCK, blocked_scale_output)


# --- Orders of scales ------------------------------------------------------------------------


def _scales_reason(scales: Tensor, rank: int) -> str | None:
    if scales.dtype not in (_SCALE, torch.uint8):
        return f"dtype {scales.dtype} is not float8_e8m0fnu or uint8"
    if scales.ndim != rank:
        return f"the scales have {scales.ndim} axes, not {rank}"
    return None


@torch.library.custom_op("tegula::to_blocked", mutates_args=(), device_types=DEVICES)
def to_blocked(input_matrix: Tensor) -> Tensor:
    """Scales (R, C), or (E, R, C) of E matrices, in blocks of 128 × 4: (bytes) or (E, bytes).

    e8m0 or u8, any strides; padding is zeros. Source: torchao's ``to_blocked`` and
    ``triton_mx_block_rearrange_per_group_3d``.
    """
    require("to_blocked", _scales_reason(input_matrix, 3 if input_matrix.ndim == 3 else 2))
    out = _blocked_output(input_matrix)
    if input_matrix.numel():
        scales = input_matrix.view(_SCALE).reshape(-1, *input_matrix.shape[-2:])
        kernels.copy_scales(scales, _stored(out.view(_SCALE), tuple(scales.shape)))
    reporting.count("to_blocked", reporting.TEGULA)
    return out


def _blocked_output(scales: Tensor) -> Tensor:
    blocked = _blocked(scales, tuple(scales.shape)).view(scales.dtype)
    return blocked.flatten() if scales.ndim == 2 else blocked


@to_blocked.register_fake
def _(input_matrix: Tensor) -> Tensor:
    return _blocked_output(input_matrix)


@torch.library.custom_op("tegula::to_blocked_groups", mutates_args=(), device_types=DEVICES)
def to_blocked_groups(scales: Tensor, offs: Tensor, columns: bool) -> Tensor:
    """See :func:`triton_mx_block_rearrange_2d_M_groups` and its sibling with ``columns``."""
    reason = _scales_reason(scales, 2) or ends_reason(offs, scales.shape[int(columns)])
    require("to_blocked_groups", reason)
    out = _groups_output(scales, offs, columns)
    if scales.numel() and offs.numel():
        groups = dict(groups=offs.shape[0], axis=int(columns))
        buffer, shape = out.view(_SCALE).flatten(), tuple(scales.shape)
        stored = tegula.Scales(buffer, layout="blocked_128x4", shape=shape, **groups)
        kernels.copy_group_scales(scales.view(_SCALE), stored, offs, axis=int(columns))
    reporting.count("to_blocked_groups", reporting.TEGULA)
    return out


def _groups_output(scales: Tensor, offs: Tensor, columns: bool) -> Tensor:
    (rows, width), groups = scales.shape, offs.shape[0]
    shape = (rows + 128 * groups, _up(width, 4))
    if columns:
        shape = (_up(rows, 128), width + 4 * groups)
    return scales.new_zeros(shape, dtype=torch.uint8).view(scales.dtype)


@to_blocked_groups.register_fake
def _(scales: Tensor, offs: Tensor, columns: bool) -> Tensor:
    return _groups_output(scales, offs, columns)


def triton_mx_block_rearrange_2d_M_groups(
    scales_tensor: Tensor, input_group_end_offsets: Tensor
) -> Tensor:
    """Scales (R, C) of groups of rows, each padded to 128 rows and blocked: (R + 128·G, C).

    C is rounded up to a multiple of 4; offsets (G) are rows of the input. What stands for no scale
    is zero.
    """
    out: Tensor = to_blocked_groups(scales_tensor, input_group_end_offsets, False)
    return out


def triton_mx_block_rearrange_2d_K_groups(
    scales_tensor: Tensor, input_group_end_offsets: Tensor
) -> Tensor:
    """Scales (R, C) of groups of columns, each padded to 4 and blocked: (128·⌈R/128⌉, C + 4·G).

    Offsets (G) are columns of the input. What stands for no scale is zero.
    """
    out: Tensor = to_blocked_groups(scales_tensor, input_group_end_offsets, True)
    return out


def triton_mx_block_rearrange_per_group_3d(scale_tensor: Tensor) -> Tensor:
    """Scales (E, R, C) of E matrices, each blocked: (E, bytes)."""
    require("triton_mx_block_rearrange_per_group_3d", _scales_reason(scale_tensor, 3))
    out: Tensor = to_blocked(scale_tensor)
    return out


mxfp8_quantize_2d_1x32_flydsl = mxfp8_quantize_2d_1x32
mxfp8_quantize_2d_32x1_flydsl = mxfp8_quantize_2d_32x1
mxfp8_quantize_3d_flydsl = mxfp8_quantize_3d
