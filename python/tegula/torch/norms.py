"""Norms and their gradients as PyTorch custom ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import tegula

from .. import kernels
from ..kernels.norm_backward import LONGEST
from ..kernels.rows import CHUNK, TILE
from . import plain, reporting
from .eligibility import layer_norm_reason, rms_norm_reason
from .forward_mode import derivative_of, register_jvp
from .ops import DEVICES, KINDS, remember_device, require, rows_of, same_device

_WORKGROUPS = 1024  # at most so many sum up gradients of weights, each of four tiles at least


def norm_gradients(
    dy: Tensor,
    x: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    mean: Tensor | None = None,
    dtotal: Tensor | None = None,
    bias_like: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """dx, dw and db of a norm of rows (R, N): parts, then their sums, each in a fixed order."""
    rows, columns = x.shape
    dx = x.new_empty(x.shape)
    like = [x if weight is None else weight] + ([] if bias_like is None else [bias_like])
    grads = [x.new_empty(columns, dtype=tensor.dtype) for tensor in like]
    width, sums = max(1, columns), None
    if columns > LONGEST:
        width, sums = CHUNK, x.new_empty((rows, 2), dtype=torch.float32)
        kernels.norm_sums(dy, x, rstd, sums, weight, mean)
    tiles = -(-rows // max(1, TILE // width))
    most = max(1, _WORKGROUPS // max(1, -(-columns // width)))
    workgroups = max(1, min(-(-tiles // 4), most))
    parts = [x.new_empty((workgroups, columns), dtype=torch.float32) for _ in grads]
    db = parts[1] if bias_like is not None else None
    kernels.norm_backward(dy, x, rstd, dx, parts[0], weight, mean, db, dtotal, sums, BN=width)
    for part, grad in zip(parts, grads, strict=True):
        kernels.column_sums(part, grad)
    return dx, grads[0], grads[1] if db is not None else None


def _rows_a_tile(rows: Tensor) -> int:
    """How many short rows share a tile."""
    return max(1, TILE // max(1, rows.shape[1]))


def _arrays(x: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The rows of x, the weights or ones, and new arrays for out (R, N) and rstd (R, 1)."""
    rows = rows_of(x)
    scale = rows.new_ones(rows.shape[1]) if weight is None else weight
    rstd = rows.new_empty((rows.shape[0], 1), dtype=torch.float32)
    return rows, scale, rows.new_empty(rows.shape), rstd


@torch.library.custom_op("tegula::rms_norm", mutates_args=(), device_types=DEVICES)
def rms_norm_op(
    x: Tensor, weight: Tensor | None, eps: float, round_first: bool = False
) -> tuple[Tensor, Tensor]:
    """out and rstd; see :func:`rms_norm`."""
    require("rms_norm", rms_norm_reason(x, weight))
    rows, scale, out, rstd = _arrays(x, weight)
    inner = KINDS[x.dtype] if round_first else tegula.f32
    kernels.rms_norm(rows, scale, out, rstd, eps, inner=inner, BM=_rows_a_tile(rows))
    reporting.count("rms_norm", reporting.TEGULA)
    return out.view(x.shape), rstd.view(*x.shape[:-1], 1)


def rms_norm(x: Tensor, weight: Tensor | None, eps: float, round_first: bool = False) -> Tensor:
    """x / sqrt(mean(x², last axis) + eps) · weight over (…, N), computed in f32, rounded once.

    ``round_first`` rounds to x's type before the weight, too, as transformers' models do. Raises
    ``tegula.ArgumentError`` when extents or types disagree. Source: torch.nn.functional.rms_norm.
    """
    out: Tensor = rms_norm_op(x, weight, eps, round_first)[0]
    return out


@rms_norm_op.register_fake
def _(
    x: Tensor, weight: Tensor | None, eps: float, round_first: bool = False
) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), x.new_empty((*x.shape[:-1], 1), dtype=torch.float32)


@torch.library.custom_op("tegula::add_rms_norm", mutates_args=(), device_types=DEVICES)
def add_rms_norm_op(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """out, total and rstd; see :func:`add_rms_norm`."""
    require("add_rms_norm", rms_norm_reason(x, weight, residual))
    rows, scale, out, rstd = _arrays(x, weight)
    total = torch.empty_like(out)
    arrays = rows, rows_of(residual), scale, out, total, rstd
    kernels.add_rms_norm(*arrays, eps, BM=_rows_a_tile(rows))
    reporting.count("add_rms_norm", reporting.TEGULA)
    return out.view(x.shape), total.view(x.shape), rstd.view(*x.shape[:-1], 1)


def add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    """(rms_norm(total), total) with total = x + residual, rounded to their type before the norm.

    x, residual (…, N), weight (N); f16, bf16 or f32. Raises ``tegula.ArgumentError`` when extents
    or types disagree. Source: vLLM's ``fused_add_rms_norm``.
    """
    out, total, _ = add_rms_norm_op(x, residual, weight, eps)
    return out, total


@add_rms_norm_op.register_fake
def _(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    rstd = x.new_empty((*x.shape[:-1], 1), dtype=torch.float32)
    return x.new_empty(x.shape), x.new_empty(x.shape), rstd


@torch.library.custom_op("tegula::rms_norm_backward", mutates_args=(), device_types=DEVICES)
def rms_norm_backward(
    dy: Tensor, x: Tensor, rstd: Tensor, weight: Tensor | None, dtotal: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """dx (…, N) and dw (N) of an RMSNorm of x; dtotal (…, N) is added to dx. Deterministic.

    dy, x, dtotal (…, N) and weight (N) of one type: f16, bf16 or f32; rstd (…, 1) f32 as the
    forward pass gave it. Raises ``tegula.ArgumentError`` for others. Source:
    aten::_fused_rms_norm_backward.
    """
    require("rms_norm_backward", rms_norm_reason(x, weight, dy, dtotal))
    more = None if dtotal is None else rows_of(dtotal)
    dx, dw, _ = norm_gradients(rows_of(dy), rows_of(x), rows_of(rstd), weight, dtotal=more)
    reporting.count("rms_norm_backward", reporting.TEGULA)
    return dx.view(x.shape), dw


@rms_norm_backward.register_fake
def _(
    dy: Tensor, x: Tensor, rstd: Tensor, weight: Tensor | None, dtotal: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), x.new_empty(x.shape[-1])


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    x, weight, _, _ = inputs
    ctx.save_for_backward(x, weight, output[1])
    ctx.mark_non_differentiable(output[1])
    remember_device(ctx, x)


def _backward(ctx: Any, grad: Tensor, _: Any) -> tuple[Tensor | None, ...]:
    x, weight, rstd = ctx.saved_tensors
    with same_device(ctx):
        dx, dw = rms_norm_backward(grad, x, rstd, weight)
    return dx, None if weight is None else dw, None, None


rms_norm_op.register_autograd(_backward, setup_context=_setup)
register_jvp(rms_norm_op, derivative_of(plain.rms_norm))


def _add_setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    x, _, weight, _ = inputs
    _, total, rstd = output
    ctx.save_for_backward(total, weight, rstd)
    ctx.mark_non_differentiable(rstd)
    remember_device(ctx, x)


def _add_backward(ctx: Any, grad: Tensor, dtotal: Tensor, _: Any) -> tuple[Tensor | None, ...]:
    total, weight, rstd = ctx.saved_tensors
    with same_device(ctx):
        dx, dw = rms_norm_backward(grad, total, rstd, weight, dtotal)
    return dx, dx, None if weight is None else dw, None


add_rms_norm_op.register_autograd(_add_backward, setup_context=_add_setup)
register_jvp(add_rms_norm_op, derivative_of(plain.add_rms_norm))


# --- LayerNorm -------------------------------------------------------------------------------


@torch.library.custom_op("tegula::layer_norm", mutates_args=(), device_types=DEVICES)
def layer_norm_op(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """out, mean and rstd; see :func:`layer_norm`."""
    require("layer_norm", layer_norm_reason(x, normalized_shape, weight, bias))
    rows = rows_of(x, len(normalized_shape))
    out = rows.new_empty(rows.shape)
    mean, rstd = (rows.new_empty((rows.shape[0], 1), dtype=torch.float32) for _ in range(2))
    vectors = [None if t is None else t.reshape(-1) for t in (weight, bias)]
    kernels.layer_norm(rows, out, mean, rstd, eps, *vectors)
    reporting.count("layer_norm", reporting.TEGULA)
    shape = _statistics_shape(x, normalized_shape)
    return out.view(x.shape), mean.view(shape), rstd.view(shape)


def _statistics_shape(x: Tensor, normalized_shape: Sequence[int]) -> tuple[int, ...]:
    axes = len(normalized_shape)
    return *x.shape[: x.ndim - axes], *axes * (1,)


def layer_norm(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) · weight + bias over the last axes, computed in f32.

    x of f16, bf16 or f32; weight and bias (normalized_shape) of x's type or f32. Raises
    ``tegula.ArgumentError`` when extents or types disagree. Source: torch.nn.functional.layer_norm.
    """
    out: Tensor = layer_norm_op(x, normalized_shape, weight, bias, eps)[0]
    return out


@layer_norm_op.register_fake
def _(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    shape = _statistics_shape(x, normalized_shape)
    mean, rstd = (x.new_empty(shape, dtype=torch.float32) for _ in range(2))
    return x.new_empty(x.shape), mean, rstd


@torch.library.custom_op("tegula::layer_norm_backward", mutates_args=(), device_types=DEVICES)
def layer_norm_backward(
    dy: Tensor,
    x: Tensor,
    normalized_shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """dx, and dw and db (normalized_shape) of the types of weight and bias, or x's. Deterministic.

    mean and rstd as the forward pass gave them. Source: aten::native_layer_norm_backward.
    """
    require("layer_norm_backward", layer_norm_reason(x, normalized_shape, weight, bias, dy))
    axes = len(normalized_shape)
    grads, rows = rows_of(dy, axes), rows_of(x, axes)
    statistics = [t.reshape(-1, 1).float() for t in (rstd, mean)]
    vector = None if weight is None else weight.reshape(-1)
    dx, dw, db = norm_gradients(
        grads, rows, statistics[0], vector, statistics[1], bias_like=x if bias is None else bias
    )
    assert db is not None
    reporting.count("layer_norm_backward", reporting.TEGULA)
    return dx.view(x.shape), dw.view(normalized_shape), db.view(normalized_shape)


@layer_norm_backward.register_fake
def _(
    dy: Tensor,
    x: Tensor,
    normalized_shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    kinds = [x.dtype if vector is None else vector.dtype for vector in (weight, bias)]
    dw, db = (x.new_empty(normalized_shape, dtype=kind) for kind in kinds)
    return x.new_empty(x.shape), dw, db


def _layer_setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    x, ctx.shape, weight, bias, _ = inputs
    ctx.save_for_backward(x, weight, bias, *output[1:])
    ctx.mark_non_differentiable(*output[1:])
    remember_device(ctx, x)


def _layer_backward(ctx: Any, grad: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
    x, weight, bias, mean, rstd = ctx.saved_tensors
    with same_device(ctx):
        dx, dw, db = layer_norm_backward(grad, x, ctx.shape, mean, rstd, weight, bias)
    return dx, None, None if weight is None else dw, None if bias is None else db, None


layer_norm_op.register_autograd(_layer_backward, setup_context=_layer_setup)
register_jvp(layer_norm_op, derivative_of(plain.layer_norm))
