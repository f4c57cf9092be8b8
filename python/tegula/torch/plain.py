"""Ops of Tegula that ATen lacks in plain PyTorch: what graphs run where there is no device."""

from __future__ import annotations

from collections.abc import Sequence

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


def layer_norm(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """See ``tegula::layer_norm``."""
    axes = tuple(range(-len(normalized_shape), 0))
    wide = x.float()
    mean = wide.mean(axes, keepdim=True)
    centred = wide - mean
    rstd = torch.rsqrt(centred.square().mean(axes, keepdim=True) + eps)
    out = centred * rstd
    out = out if weight is None else out * weight.float()
    out = out if bias is None else out + bias.float()
    return out.to(x.dtype).contiguous(), mean.contiguous(), rstd.contiguous()


def softmax(x: Tensor, dim: int, log: bool, dtype: torch.dtype | None = None) -> Tensor:
    """See ``tegula::softmax``."""
    out = torch.log_softmax(x.float(), dim) if log else torch.softmax(x.float(), dim)
    return out.to(dtype or x.dtype).contiguous()


def silu_mul(a: Tensor, b: Tensor | None = None, round_first: bool = False) -> Tensor:
    """See ``tegula::silu_mul``."""
    wide = torch.nn.functional.silu(a.float())
    wide = wide.to(a.dtype).float() if round_first else wide
    return (wide if b is None else wide * b.float()).to(a.dtype).contiguous()


def rotary(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool, sign: float) -> Tensor:
    """See ``tegula::rotary``."""
    count = cos.shape[-1]
    turned, rest = x[..., : 2 * count].float(), x[..., 2 * count :].float()
    pairs = turned.unflatten(-1, (count, 2) if interleaved else (2, count))
    first, second = pairs.unbind(-1 if interleaved else -2)
    c, s = cos.float().unsqueeze(-2), sign * sin.float().unsqueeze(-2)
    turned = torch.stack(
        (first * c - second * s, second * c + first * s), -1 if interleaved else -2
    ).flatten(-2)
    return torch.cat((turned, rest), -1).to(x.dtype)
