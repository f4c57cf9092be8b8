"""``tegula::mm`` as a PyTorch custom op.

Called directly an op runs on Tegula or raises: there is no silent fallback here. It has a fake
kernel, so it traces; its derivatives, backward and forward, are more products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

import tegula

from .. import kernels
from ..errors import ArgumentError
from ..runtime import current_device, default_device_name, device
from . import reporting
from .eligibility import groups_reason, mm_reason
from .forward_mode import register_jvp

DEVICES = ("cpu", "cuda")
KINDS = {torch.float32: tegula.f32, torch.float16: tegula.f16, torch.bfloat16: tegula.bf16}


def rows_of(x: torch.Tensor, axes: int = 1) -> torch.Tensor:
    """x as (R, N), N the product of its last ``axes`` extents; no copy where strides allow."""
    lead = x.ndim - axes
    return x.reshape(math.prod(x.shape[:lead]), math.prod(x.shape[lead:]))


def require(operation: str, reason: str | None) -> None:
    """Raise what the predicate says."""
    if reason is not None:
        raise ArgumentError(operation, reason, "eligible tensors", f"tegula::{operation}: {reason}")


def ends_reason(offs: torch.Tensor, extent: int, block: int = 1) -> str | None:
    """Where groups end along an axis; where the host can look, that they ascend within it.

    On a GPU that is the caller's duty: the offsets stay there.
    """
    reason = groups_reason(offs)
    if reason is None and offs.device.type == "cpu":
        ends = offs.tolist()
        if [0, *ends, extent] != sorted([0, *ends, extent]):
            return f"groups end at {ends}, which must ascend from 0 to {extent}"
        if any(end % block for end in ends):
            return f"groups end at {ends}, which must be multiples of block_size {block}"
    return reason


def by_columns(like: torch.Tensor, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A new array (…, R, C) that lies column by column: stride 1 along R."""
    *lead, rows, columns = shape
    return like.new_empty((*lead, columns, rows), dtype=dtype).transpose(-1, -2)


def remember_device(ctx: Any, x: torch.Tensor) -> None:
    """A backward pass runs on the device of the forward pass: it is mostly outside its block.

    There is none while a graph is made that no device has been chosen for.
    """
    chosen = x.device.type == "cpu" and default_device_name() is not None
    ctx.device = current_device() if chosen else None


def same_device(ctx: Any) -> AbstractContextManager[Any]:
    """For a backward pass: launches go to the device of the forward pass, if one was chosen."""
    return device(ctx.device) if ctx.device else nullcontext()


@torch.library.custom_op("tegula::mm", mutates_args=(), device_types=DEVICES)
def mm(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """a (M, K) @ b (K, N) + bias (N): f16, bf16 or f32, accumulated in f32, rounded once.

    Raises ``tegula.ArgumentError`` on other types or disagreeing extents. Source: torch.addmm.
    """
    require("mm", mm_reason(a, b, bias))
    out = a.new_empty((a.shape[0], b.shape[1]))
    kernels.gemm(a, b, out) if bias is None else kernels.gemm(a, b, out, bias)
    reporting.count("mm", reporting.TEGULA)
    return out


@mm.register_fake
def _(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    torch._check(a.ndim == 2 and b.ndim == 2, lambda: "tegula::mm takes two matrices")
    torch._check(a.shape[1] == b.shape[0], lambda: "tegula::mm: contracted extents differ")
    return a.new_empty((a.shape[0], b.shape[1]))


def _mm_setup(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    a, b, bias = inputs
    ctx.save_for_backward(a, b)
    ctx.has_bias = bias is not None
    remember_device(ctx, a)


def _mm_backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    a, b = ctx.saved_tensors
    need_a, need_b, *rest = ctx.needs_input_grad  # no entry for a bias that was left out
    with same_device(ctx):
        da = mm(grad, b.t()) if need_a else None
        db = mm(a.t(), grad) if need_b else None
    return da, db, *(grad.sum(0) if ctx.has_bias and need else None for need in rest)


def _mm_tangent(values: tuple[Any, ...], tangents: tuple[Any, ...]) -> torch.Tensor:
    (a, b, _), (da, db, dbias) = values, tangents
    parts = []
    if da is not None:
        parts.append(mm(da, b, dbias))
    elif dbias is not None:
        parts.append(dbias.expand(a.shape[0], b.shape[1]))
    if db is not None:
        parts.append(mm(a, db))
    found: torch.Tensor = sum(parts[1:], parts[0])
    return found


mm.register_autograd(_mm_backward, setup_context=_mm_setup)
register_jvp(mm, _mm_tangent)
