"""``tegula::mm`` and ``tegula::rms_norm`` as PyTorch custom ops.

Called directly they run on Tegula or raise: there is no silent fallback here. Both have fake
kernels, so they trace; the derivatives of ``mm``, backward and forward, are more products, those
of ``rms_norm`` plain PyTorch.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch

import tegula

from .. import kernels
from ..errors import ArgumentError
from ..runtime import current_device, device
from . import reporting
from .eligibility import mm_reason, rms_norm_reason
from .forward_mode import register_jvp

_INNER = {torch.float32: tegula.f32, torch.float16: tegula.f16, torch.bfloat16: tegula.bf16}


def _require(operation: str, reason: str | None) -> None:
    if reason is not None:
        raise ArgumentError(operation, reason, "eligible tensors", f"tegula::{operation}: {reason}")


@torch.library.custom_op("tegula::mm", mutates_args=(), device_types=("cpu", "cuda"))
def mm(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """a (M, K) @ b (K, N) + bias (N): f16, bf16 or f32, accumulated in f32, rounded once.

    Raises ``tegula.ArgumentError`` on other types or disagreeing extents. Source: torch.addmm.
    """
    _require("mm", mm_reason(a, b, bias))
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
    ctx.device = current_device() if a.device.type == "cpu" else None


def _mm_backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    """On the device of the forward pass: backward() is mostly called outside its block."""
    a, b = ctx.saved_tensors
    need_a, need_b, *rest = ctx.needs_input_grad  # no entry for a bias that was left out
    with device(ctx.device) if ctx.device else nullcontext():
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


@torch.library.custom_op("tegula::rms_norm", mutates_args=(), device_types=("cpu", "cuda"))
def rms_norm(
    x: torch.Tensor, weight: torch.Tensor, eps: float, round_first: bool = False
) -> torch.Tensor:
    """x / sqrt(mean(x², last axis) + eps) · weight over (…, N), computed in f32, rounded once.

    ``round_first`` rounds to x's type before the weight, too, as transformers' models do. Raises
    ``tegula.ArgumentError`` when extents disagree. Source: torch.nn.functional.rms_norm.
    """
    _require("rms_norm", rms_norm_reason(x, weight))
    rows = x.reshape(-1, x.shape[-1])
    out = rows.new_empty(rows.shape)
    rstd = rows.new_empty((rows.shape[0], 1), dtype=torch.float32)
    inner = _INNER[x.dtype] if round_first else tegula.f32
    kernels.rms_norm(rows, weight, out, rstd, eps, inner=inner)
    reporting.count("rms_norm", reporting.TEGULA)
    return out.view(x.shape)


@rms_norm.register_fake
def _(x: torch.Tensor, weight: torch.Tensor, eps: float, round_first: bool = False) -> torch.Tensor:
    torch._check(x.shape[-1] == weight.shape[0], lambda: "tegula::rms_norm: row lengths differ")
    return x.new_empty(x.shape)


def _norm_setup(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, weight, eps, _ = inputs
    ctx.save_for_backward(x, weight)
    ctx.eps = eps


def _norm_backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    x, weight = ctx.saved_tensors
    wide, scaled = x.float(), grad.float()
    r = torch.rsqrt(wide.square().mean(-1, keepdim=True) + ctx.eps)
    inner = scaled * weight.float()
    dx = r * (inner - wide * r.square() * (inner * wide).mean(-1, keepdim=True))
    dw = (scaled * wide * r).reshape(-1, x.shape[-1]).sum(0)
    return dx.to(x.dtype), dw.to(weight.dtype), None, None


def _norm_tangent(values: tuple[Any, ...], tangents: tuple[Any, ...]) -> torch.Tensor:
    (x, weight, eps, _), (dx, dw, *_) = values, tangents
    wide, scale = x.float(), weight.float()
    r = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    parts = []
    if dx is not None:
        inner = dx.float()
        parts.append(
            scale * r * (inner - wide * r.square() * (wide * inner).mean(-1, keepdim=True))
        )
    if dw is not None:
        parts.append(wide * r * dw.float())
    found: torch.Tensor = sum(parts[1:], parts[0]).to(x.dtype)
    return found


rms_norm.register_autograd(_norm_backward, setup_context=_norm_setup)
register_jvp(rms_norm, _norm_tangent)
