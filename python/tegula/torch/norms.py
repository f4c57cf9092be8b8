"""``tegula::rms_norm``, ``tegula::add_rms_norm`` and their gradients as PyTorch custom ops."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

import tegula

from .. import kernels
from ..kernels.norm_backward import LONGEST
from ..kernels.rows import CHUNK
from . import plain, reporting
from .eligibility import rms_norm_reason
from .forward_mode import derivative_of, register_jvp
from .ops import remember_device, require, same_device

_INNER = {torch.float32: tegula.f32, torch.float16: tegula.f16, torch.bfloat16: tegula.bf16}
_DEVICES = ("cpu", "cuda")
_WORKGROUPS = 1024  # at most so many sum up gradients of weights, each at least four rows


def rows_of(x: Tensor, axes: int = 1) -> Tensor:
    """x as (R, N), N the product of its last ``axes`` extents; no copy where strides allow."""
    lead = x.ndim - axes
    return x.reshape(math.prod(x.shape[:lead]), math.prod(x.shape[lead:]))


def norm_gradients(
    dy: Tensor,
    x: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    mean: Tensor | None = None,
    dtotal: Tensor | None = None,
    with_bias: bool = False,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """dx, dw and db of a norm of rows (R, N): parts, then their sums, each in a fixed order."""
    rows, columns = x.shape
    dx = x.new_empty(x.shape)
    kind = x.dtype if weight is None else weight.dtype
    grads = [x.new_empty(columns, dtype=kind) for _ in range(1 + with_bias)]
    width, sums = max(1, columns), None
    if columns > LONGEST:
        width, sums = CHUNK, x.new_empty((rows, 2), dtype=torch.float32)
        kernels.norm_sums(dy, x, rstd, sums, weight, mean)
    most = max(1, _WORKGROUPS // max(1, -(-columns // width)))
    parts = [
        x.new_empty((max(1, min(-(-rows // 4), most)), columns), dtype=torch.float32) for _ in grads
    ]
    db = parts[1] if with_bias else None
    kernels.norm_backward(dy, x, rstd, dx, parts[0], weight, mean, db, dtotal, sums, BN=width)
    for part, grad in zip(parts, grads, strict=True):
        kernels.column_sums(part, grad)
    return dx, grads[0], grads[-1] if with_bias else None


def _arrays(x: Tensor, weight: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The rows of x, the weights or ones, and new arrays for out (R, N) and rstd (R, 1)."""
    rows = rows_of(x)
    scale = rows.new_ones(rows.shape[1]) if weight is None else weight
    rstd = rows.new_empty((rows.shape[0], 1), dtype=torch.float32)
    return rows, scale, rows.new_empty(rows.shape), rstd


@torch.library.custom_op("tegula::rms_norm", mutates_args=(), device_types=_DEVICES)
def rms_norm_op(
    x: Tensor, weight: Tensor | None, eps: float, round_first: bool = False
) -> tuple[Tensor, Tensor]:
    """out and rstd; see :func:`rms_norm`."""
    require("rms_norm", rms_norm_reason(x, weight))
    rows, scale, out, rstd = _arrays(x, weight)
    inner = _INNER[x.dtype] if round_first else tegula.f32
    kernels.rms_norm(rows, scale, out, rstd, eps, inner=inner)
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


@torch.library.custom_op("tegula::add_rms_norm", mutates_args=(), device_types=_DEVICES)
def add_rms_norm_op(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """out, total and rstd; see :func:`add_rms_norm`."""
    require("add_rms_norm", rms_norm_reason(x, weight, residual))
    rows, scale, out, rstd = _arrays(x, weight)
    total = torch.empty_like(out)
    kernels.add_rms_norm(rows, rows_of(residual), scale, out, total, rstd, eps)
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


@torch.library.custom_op("tegula::rms_norm_backward", mutates_args=(), device_types=_DEVICES)
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
