"""Ops of Tegula that ATen lacks in plain PyTorch: what graphs run where there is no device."""

from __future__ import annotations

import torch
from torch import Tensor


def rms_norm(
    x: Tensor, weight: Tensor | None, eps: float, round_first: bool = False
) -> tuple[Tensor, Tensor]:
    """See ``tegula::rms_norm``."""
    wide = x.float()
    rstd = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    scaled = wide * rstd
    if weight is None:
        return scaled.to(x.dtype), rstd
    out = weight * scaled.to(x.dtype) if round_first else scaled * weight.float()
    return out.to(x.dtype).contiguous(), rstd.contiguous()


def add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """See ``tegula::add_rms_norm``."""
    total = x + residual
    out, rstd = rms_norm(total, weight, eps)
    return out, total.contiguous(), rstd


def rms_norm_backward(
    dy: Tensor, x: Tensor, rstd: Tensor, weight: Tensor | None, dtotal: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """See ``tegula::rms_norm_backward``."""
    scaled, hat = dy.float(), x.float() * rstd
    inner = scaled if weight is None else scaled * weight.float()
    dx = rstd * (inner - hat * (inner * hat).mean(-1, keepdim=True))
    if dtotal is not None:
        dx = dx + dtotal
    dw = (scaled * hat).reshape(-1, x.shape[-1]).sum(0)
    return dx.to(x.dtype).contiguous(), dw.to(x.dtype)
