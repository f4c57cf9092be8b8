"""What rewritten graphs call: Tegula where there is a device, else what PyTorch would have done.

A graph outlives the ``with tegula.device(…)`` block in which it was compiled, so the route is
chosen at each call, and counted.
"""

from __future__ import annotations

import torch

from . import ops, reporting
from .eligibility import device_reason


def mm(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """a (M, K) @ b (K, N) + bias (N); see :func:`tegula.torch.mm`."""
    reason = device_reason(a, b)
    if reason is None:
        return ops.mm(a, b, bias)
    reporting.count("mm" if bias is None else "addmm", reporting.FALLBACK, reason)
    return torch.mm(a, b) if bias is None else torch.addmm(bias, a, b)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float, round_first: bool) -> torch.Tensor:
    """RMSNorm over the last axis; see :func:`tegula.torch.rms_norm`."""
    reason = device_reason(x, weight)
    if reason is None:
        return ops.rms_norm(x, weight, eps, round_first)
    reporting.count("rms_norm", reporting.FALLBACK, reason)
    wide = x.float()
    scaled = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    if round_first:
        return weight * scaled.to(x.dtype)
    return (scaled * weight.float()).to(x.dtype)
