"""Softmax, SiLU and rotary embedding as PyTorch custom ops, with their gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

import tegula

from .. import kernels
from . import plain, reporting
from .eligibility import rotary_reason, silu_reason, softmax_reason
from .forward_mode import derivative_of, register_jvp
from .ops import DEVICES, KINDS, remember_device, require, rows_of, same_device


def _back(rows: Tensor, like: Tensor, axis: int) -> Tensor:
    """Rows along ``axis`` of an array like ``like``, contiguous."""
    moved = like.movedim(axis, -1)
    return rows.view(moved.shape).movedim(-1, axis).contiguous()


# --- Softmax ---------------------------------------------------------------------------------


@torch.library.custom_op("tegula::softmax", mutates_args=(), device_types=DEVICES)
def softmax_op(x: Tensor, dim: int, log: bool, dtype: torch.dtype | None = None) -> Tensor:
    """See :func:`softmax` and :func:`log_softmax`."""
    require("softmax", softmax_reason(x, dim, dtype))
    rows = rows_of(x.movedim(dim, -1))
    out = rows.new_empty(rows.shape, dtype=dtype or x.dtype)
    (kernels.log_softmax if log else kernels.softmax)(rows, out)
    reporting.count("log_softmax" if log else "softmax", reporting.TEGULA)
    return _back(out, x, dim)


@softmax_op.register_fake
def _(x: Tensor, dim: int, log: bool, dtype: torch.dtype | None = None) -> Tensor:
    return x.new_empty(x.shape, dtype=dtype or x.dtype)


def softmax(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along ``dim``, computed in f32; x of f16, bf16 or f32.

    The result is of ``dtype``, else of x's type. Raises ``tegula.ArgumentError`` for other types.
    Source: torch.softmax.
    """
    out: Tensor = softmax_op(x, dim, False, dtype)
    return out


def log_softmax(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """x - log(sum(exp(x))) along ``dim``; see :func:`softmax`. Source: torch.log_softmax."""
    out: Tensor = softmax_op(x, dim, True, dtype)
    return out


@torch.library.custom_op("tegula::softmax_backward", mutates_args=(), device_types=DEVICES)
def softmax_backward(dy: Tensor, y: Tensor, dim: int, log: bool, dtype: torch.dtype) -> Tensor:
    """The gradient, of ``dtype``, of what gave y, a softmax or log-softmax along ``dim``.

    Source: aten::_softmax_backward_data, aten::_log_softmax_backward_data.
    """
    require("softmax_backward", softmax_reason(y, dim, dtype, dy))
    grads, rows = rows_of(dy.movedim(dim, -1)), rows_of(y.movedim(dim, -1))
    dx = rows.new_empty(rows.shape, dtype=dtype)
    kernels.softmax_backward(grads, rows, dx, log=log)
    reporting.count("softmax_backward", reporting.TEGULA)
    return _back(dx, y, dim)


@softmax_backward.register_fake
def _(dy: Tensor, y: Tensor, dim: int, log: bool, dtype: torch.dtype) -> Tensor:
    return y.new_empty(y.shape, dtype=dtype)


def _softmax_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.dim, ctx.log, _ = inputs
    ctx.kind = x.dtype
    ctx.save_for_backward(output)
    remember_device(ctx, x)


def _softmax_grad(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    with same_device(ctx):
        return softmax_backward(grad, *ctx.saved_tensors, ctx.dim, ctx.log, ctx.kind), *3 * (None,)


softmax_op.register_autograd(_softmax_grad, setup_context=_softmax_setup)
register_jvp(softmax_op, derivative_of(plain.softmax))


# --- SiLU ------------------------------------------------------------------------------------


def _matrices(*tensors: Tensor | None) -> list[Tensor | None]:
    """All as (M, N); as one row where none has gaps and it isn't too long."""
    given = [tensor for tensor in tensors if tensor is not None]
    flat = all(t.is_contiguous() for t in given) and given[0].numel() < 2**31
    shape = (1, -1) if flat and given[0].numel() else None
    return [
        None if t is None else t.reshape(shape) if shape else rows_of(t, min(t.ndim, 1))
        for t in tensors
    ]


@torch.library.custom_op("tegula::silu_mul", mutates_args=(), device_types=DEVICES)
def silu_mul(a: Tensor, b: Tensor | None = None, round_first: bool = False) -> Tensor:
    """silu(a) · b, or silu(a), computed in f32 and rounded once; f16, bf16 or f32, any strides.

    ``round_first`` rounds silu(a) to its type before the product, too, as two operations do.
    Raises ``tegula.ArgumentError`` when shapes or types disagree. Source:
    torch.nn.functional.silu.
    """
    require("silu_mul", silu_reason(a, b))
    out = a.new_empty(a.shape)
    left, target, right = _matrices(a, out, b)
    kernels.silu_mul(left, target, right, inner=KINDS[a.dtype] if round_first else tegula.f32)
    reporting.count("silu_mul", reporting.TEGULA)
    return out


@silu_mul.register_fake
def _(a: Tensor, b: Tensor | None = None, round_first: bool = False) -> Tensor:
    return a.new_empty(a.shape)


@torch.library.custom_op("tegula::silu_mul_backward", mutates_args=(), device_types=DEVICES)
def silu_mul_backward(dy: Tensor, a: Tensor, b: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Gradients of silu(a) · b with respect to a and b; of silu(a) the second one is empty.

    Source: aten::silu_backward.
    """
    require("silu_mul_backward", silu_reason(a, b, dy))
    da = a.new_empty(a.shape)
    db = a.new_empty(0) if b is None else a.new_empty(a.shape)
    grad, left, first, right, second = _matrices(dy, a, da, b, None if b is None else db)
    kernels.silu_mul_backward(grad, left, first, right, second)
    reporting.count("silu_mul_backward", reporting.TEGULA)
    return da, db


@silu_mul_backward.register_fake
def _(dy: Tensor, a: Tensor, b: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return a.new_empty(a.shape), a.new_empty(0 if b is None else b.shape)


def _silu_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:2])
    remember_device(ctx, inputs[0])


def _silu_grad(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    a, b = ctx.saved_tensors
    with same_device(ctx):
        da, db = silu_mul_backward(grad, a, b)
    return (da, None if b is None else db, None)[: len(ctx.needs_input_grad)]


silu_mul.register_autograd(_silu_grad, setup_context=_silu_setup)
register_jvp(silu_mul, derivative_of(plain.silu_mul))


# --- Rotary embedding ------------------------------------------------------------------------


def _pairs(x: Tensor, count: int, interleaved: bool) -> tuple[Tensor, Tensor]:
    if interleaved:
        return x[..., 0 : 2 * count : 2], x[..., 1 : 2 * count : 2]
    return x[..., :count], x[..., count : 2 * count]


@torch.library.custom_op("tegula::rotary", mutates_args=(), device_types=DEVICES)
def rotary_op(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool, sign: float) -> Tensor:
    """See :func:`rotary`; ``sign`` = -1 turns back."""
    require("rotary", rotary_reason(x, cos, sin))
    out, count = x.new_empty(x.shape), cos.shape[-1]
    out[..., 2 * count :] = x[..., 2 * count :]
    angles = [t.expand(x.shape[0], x.shape[1], count) for t in (cos, sin)]
    pairs = *_pairs(x, count, interleaved), *angles, *_pairs(out, count, interleaved)
    kernels.rotary(*pairs, sign)
    reporting.count("rotary", reporting.TEGULA)
    return out


@rotary_op.register_fake
def _(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool, sign: float) -> Tensor:
    return x.new_empty(x.shape)


def rotary(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False) -> Tensor:
    """x (batch, position, head, D) with its first 2·C elements turned in pairs, computed in f32.

    cos, sin (position, C) or (batch, position, C). Pairs are elements i and i + C (as in GPT-NeoX
    and Llama), or with ``interleaved`` 2·i and 2·i + 1 (as in GPT-J). f16, bf16 or f32. Raises
    ``tegula.ArgumentError`` when extents disagree. Source: Su et al. 2021.
    """
    out: Tensor = rotary_op(x, cos, sin, interleaved, 1.0)
    return out


def _rotary_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, cos, sin, ctx.interleaved, ctx.sign = inputs
    ctx.save_for_backward(cos, sin)
    remember_device(ctx, x)


def _rotary_grad(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    if any(ctx.needs_input_grad[1:3]):
        raise NotImplementedError("tegula::rotary has no gradient with respect to cos and sin")
    cos, sin = ctx.saved_tensors
    with same_device(ctx):
        return rotary_op(grad, cos, sin, ctx.interleaved, -ctx.sign), *4 * (None,)


rotary_op.register_autograd(_rotary_grad, setup_context=_rotary_setup)
register_jvp(rotary_op, derivative_of(plain.rotary))
